"""Write the outputs of a command. Clients of the server import this module: it imports next to nothing."""

from __future__ import annotations

import os


def write_outputs(files: dict[str, bytes], folder: str) -> str:
    """Write files, name from `folder` → content, all or none; return the error message, or ``""``."""
    if not files:
        return ""
    from hlsl_tool.system.atomic_write import WriteError, write_all  # start-up time

    names = {os.path.join(folder, name): name for name in files}
    try:
        write_all({path: files[name] for path, name in names.items()})
    except WriteError as error:
        return f"error: cannot write '{names.get(error.path, error.path)}': {error.reason}\n"
    return ""
