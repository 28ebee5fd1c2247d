"""Handle paths: normalise them, make them relative, and support Windows drives and long paths."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import takewhile
from types import ModuleType

LONG = 240
"""Windows takes 259 characters, and 247 for a folder; a temporary file adds a suffix to the name."""

_PREFIX = "\\\\?\\"
_DEVICE = "\\\\.\\"
_IS_WINDOWS = os.name == "nt"


def reason_of(error: OSError) -> str:
    """Return the reason and the file of an OSError in words; a deleted working folder gives an error without a file."""
    if error.filename is None and error.errno == errno.ENOENT:
        return "the current folder was removed"
    reason = error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason


def folded(path: str, folder: str = "") -> str:
    """Normalise a path that is relative to ``folder``, but so that it still names the same file.

    `..` after a symbolic link is not removed, because it means the parent of the link's target; nor is `..` after a
    name that is no folder, because then the path does not exist.  Windows itself normalises paths as text.
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
    """Return whether a path is a folder, and not a symbolic link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


UP = "/.."
"""The end of a recorded path that stands for a symbolic link in the place of a folder: `FOLDER/..`."""


def is_there(path: str) -> bool:
    """Return whether a path exists.

    For a path `FOLDER/..`, return whether FOLDER is no longer a folder: a symbolic link, for example.
    """
    return folded(path).endswith("..") if path.endswith(UP) else os.path.exists(path)


def folders_left(path: str, resolve: Callable[[str], str]) -> list[str]:
    """Return `FOLDER/..` for each FOLDER that ``path`` enters and leaves again by `..`.

    The path leads to another file if a symbolic link replaces such a folder. ``resolve`` returns a path without those
    `..` that do not follow a link, as `folded` does; the list ends at the first `..` that follows a link.
    """
    left: list[str] = []
    parts = path.split("/")
    for end in (number for number, part in enumerate(parts) if part == ".."):
        way = "/".join(parts[:end])
        if resolve(way + UP if way else "..").endswith(".."):
            break
        left.append(resolve(way) + UP)
    return left


def absolute(path: str, folder: str | None = None) -> str:
    """Return a normalised absolute path (`folded`); a relative path starts at ``folder``, or the working folder."""
    if not os.path.isabs(path):
        path = os.path.join(os.getcwd() if folder is None else folder, path)
    return folded(path)


def existing_folder(folder: str) -> str:
    """Return the folder itself if it exists, else its innermost existing parent."""
    folder = absolute(folder)
    while not os.path.isdir(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return folder
        folder = parent
    return folder


def without_links(path: str) -> str:
    """Return an absolute path without symbolic links and `..`, for programs that normalise paths as text."""
    path = absolute(path)
    return os.path.realpath(path) if "/.." in path else path


def folders_of_links(paths: Iterable[str], root: str) -> set[str]:
    """Return the absolute folders of all symbolic links on the paths, starting at the root.

    A folder's modification time changes with the links in it; programs that compare the times of files only see the
    links' targets.  Absolute paths are skipped: the time of a folder such as `/tmp` changes all the time.
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
    """Return a path relative to ``root``, with slashes; a path on another drive remains absolute."""
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
    """Return the path of a folder without symbolic links, for resolving `..`; cached."""
    return os.path.realpath(root).rstrip("/")


def prefixed(folder: str, path: str) -> str:
    """Join ``folder`` and a path that is relative to it, with slashes; an absolute path is returned as it is."""
    if os.path.isabs(path):
        return path.replace(os.sep, "/")
    return path if folder in ("", ".") else f"{folder}/{path}"


def extended(path: str, *, module: ModuleType = os.path, is_windows: bool = _IS_WINDOWS) -> str:
    """Return a long path in the syntax that has no length limit on Windows; other paths are returned unchanged."""
    if not is_windows:
        return path
    full = str(module.abspath(path))
    if len(full) < LONG or full.startswith((_PREFIX, _DEVICE)):
        return path
    return f"{_PREFIX}UNC\\{full[2:]}" if full.startswith("\\\\") else _PREFIX + full
