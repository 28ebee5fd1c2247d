"""Write the output files of a command.  Clients of the server import this module, so it imports next to nothing."""

from __future__ import annotations

import os
import sys

STREAM = "-"
"""The name of the standard output."""


def write_outputs(files: dict[str, bytes], folder: str) -> str:
    """Write all files or none; return the error message, or ``""``.

    ``files`` maps names, relative to ``folder``, to contents; ``-`` is the standard output.
    """
    if not files:
        return ""
    streamed = files.get(STREAM)
    if streamed is not None:
        files = {name: data for name, data in files.items() if name != STREAM}
    from hlsl_tool.base.system.atomic_write import WriteError, write_all  # start-up time

    names = {os.path.join(folder, name): name for name in files}
    try:
        write_all({path: files[name] for path, name in names.items()})
    except WriteError as error:
        return f"error: cannot write '{names.get(error.path, error.path)}': {error.reason}\n"
    if streamed is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(streamed)
    return ""
