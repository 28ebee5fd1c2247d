"""Write the output files of a command.  Clients of the server import this module, so it imports next to nothing."""

from __future__ import annotations

import os


def write_outputs(files: dict[str, bytes], folder: str) -> str:
    """Write all files or none; return the error message, or ``""``.

    ``files`` maps names, relative to ``folder``, to contents.
    """
    if not files:
        return ""
    from hlsl_tool.base.system.atomic_write import WriteError, write_all  # start-up time

    names = {os.path.join(folder, name): name for name in files}
    try:
        write_all({path: files[name] for path, name in names.items()})
    except WriteError as error:
        return f"error: cannot write '{names.get(error.path, error.path)}': {error.reason}\n"
    return ""
