"""Paths on systems with drives and with a limit on their length; elsewhere they stay as they are.

Clients of the server import this module: it imports next to nothing.
"""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

LONG = 240
"""Windows takes 259 characters, and 247 for a folder; a temporary file adds a suffix to the name."""

_PREFIX = "\\\\?\\"
_DEVICE = "\\\\.\\"
_IS_WINDOWS = os.name == "nt"


def reason_of(error: OSError) -> str:
    """Return the reason and the file of an error, for messages; a removed current folder is an error without a file."""
    if error.filename is None and error.errno == errno.ENOENT:
        return "the current folder was removed"
    reason = error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason


def relative(path: str, root: str, *, module: ModuleType = os.path) -> str:
    """Return a path from the root, with slashes; a path on another drive stays absolute."""
    try:  # noqa: SIM105  # start-up time
        path = module.relpath(path, root)
    except ValueError:
        pass  # another drive
    return path.replace(module.sep, "/")


def prefixed(folder: str, path: str) -> str:
    """Return a path that counts from a folder as one from where the folder's path counts; absolute paths stay."""
    if os.path.isabs(path):
        return path.replace(os.sep, "/")
    return path if folder in ("", ".") else f"{folder}/{path}"


def extended(path: str, *, module: ModuleType = os.path, is_windows: bool = _IS_WINDOWS) -> str:
    """Return a path in the form for which Windows has no limit if it is long; elsewhere the path itself."""
    if not is_windows:
        return path
    full = str(module.abspath(path))
    if len(full) < LONG or full.startswith((_PREFIX, _DEVICE)):
        return path
    return f"{_PREFIX}UNC\\{full[2:]}" if full.startswith("\\\\") else _PREFIX + full
