"""Paths on systems with drives and with a limit on their length; elsewhere they stay as they are."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
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


def folded(path: str, folder: str = "") -> str:
    """Normalise a path, which counts from ``folder``, so that it still names the file that the system finds.

    `..` after a symbolic link stays, because it leads to the parent of the link's target, and so does `..` after a name
    that is no folder, because the system finds nothing there.  Windows itself normalises names as text.
    """
    if _IS_WINDOWS or ".." not in path:
        return os.path.normpath(path)
    top = "/" if path.startswith("/") else ""
    parts: list[str] = []
    for part in path.split("/"):
        if part != "..":
            if part not in ("", "."):
                parts.append(part)
        elif parts and parts[-1] != ".." and _is_folder(os.path.join(folder, top + "/".join(parts))):
            parts.pop()
        elif parts or not top:
            parts.append(part)
    return top + "/".join(parts) or "."


def _is_folder(path: str) -> bool:
    """Return whether a path is a folder itself, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def absolute(path: str, folder: str | None = None) -> str:
    """Return a normalised absolute path (`folded`); a relative path counts from ``folder``, or the working folder."""
    if not os.path.isabs(path):
        path = os.path.join(os.getcwd() if folder is None else folder, path)
    return folded(path)


def existing_folder(folder: str) -> str:
    """Return a folder, or the nearest existing one around it."""
    folder = absolute(folder)
    while not os.path.isdir(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return folder
        folder = parent
    return folder


def without_links(path: str) -> str:
    """Return an absolute path without `..`, as programs need that normalise names as text."""
    path = absolute(path)
    return os.path.realpath(path) if "/.." in path else path


def folders_of_links(paths: Iterable[str], root: str) -> set[str]:
    """Return the folders, as absolute paths, of the links that lead from the root to some paths.

    The time of a folder changes with its links; programs that compare the times of files see their targets only.
    Absolute paths have none: the times of folders such as `/tmp` change with everything.
    """
    found: set[str] = set()
    walked: set[str] = set()
    root = _real(root)
    todo = [f"{root}/{path}" for path in paths if not os.path.isabs(path)]
    top = len(root.replace(os.sep, "/").split("/"))
    while todo:
        parts = todo.pop().replace(os.sep, "/").split("/")
        for end in range(top + 1, len(parts) + 1):
            path = "/".join(parts[:end])
            if path in walked:
                continue
            walked.add(path)
            with contextlib.suppress(OSError, ValueError):
                target = os.readlink(path)
                folder = os.path.realpath(os.path.dirname(path))
                found.add(folder)
                if not os.path.isabs(target):
                    todo.append(os.path.join(folder, target))
    return found


def relative(path: str, root: str, *, module: ModuleType = os.path) -> str:
    """Return a path from the root, with slashes; a path on another drive stays absolute."""
    if module.sep == "\\":
        with contextlib.suppress(ValueError):
            path = module.relpath(path, root)
        return path.replace(module.sep, "/")
    path, root = absolute(path), absolute(root)
    if path == root:
        return "."
    if not path.startswith(root.rstrip("/") + "/"):
        parts, above = path.split("/"), _real(root).split("/")
        pairs = zip(parts, above, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return "/".join([".."] * (len(above) - shared) + parts[shared:]) or "."
    return path[len(root.rstrip("/")) + 1 :]


@lru_cache(8)
def _real(root: str) -> str:
    """Return a folder's path without links: `..` counts from there.  Cached for the files outside of a project."""
    return os.path.realpath(root).rstrip("/")


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
