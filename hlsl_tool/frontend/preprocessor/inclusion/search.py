"""Candidate paths of an ``#include``.

The search follows DXC and MSVC: a quoted name is searched in the directory of the including file, then in those of its
includers, then along ``-I``; a name in angle brackets only along ``-I``.  Backslashes count as slashes.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hlsl_tool.base.source import FileSystem
from hlsl_tool.base.system.paths import folders_left

_ABSOLUTE: Final = re.compile(r"/|\\\\|[A-Za-z]:[/\\]")


class Directory(NamedTuple):
    """A search directory: its name in diagnostics, its path, and the folders that the path leaves by `..`."""

    shown: str
    path: str
    left: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A candidate path, the number of includer directories searched before it, and the folders that `..` leaves."""

    shown: str
    path: str
    level: int
    left: tuple[str, ...] = ()


def is_absolute(name: str) -> bool:
    """Return whether a path is absolute on any system: `/x`, `C:\\x`, `\\\\server\\x`."""
    return _ABSOLUTE.match(name) is not None


def parent(shown: str) -> str:
    """Return the directory of a file in DXC's spelling; ``.`` for a name without a directory."""
    cut = max(shown.rfind("/"), shown.rfind("\\"))
    return shown[:cut] if cut > 0 else shown[: cut + 1] or "."


def include_directory(option: str, fs: FileSystem) -> Directory:
    """Return the search directory for ``-I``; as in DXC, diagnostics show a relative one with the prefix ``./``."""
    shown = option.replace("\\", "/")
    shown = shown.rstrip("/") or shown[:1]
    if not is_absolute(shown) and shown != "." and not shown.startswith("./"):
        shown = "./" + shown
    option = option.replace("\\", "/")
    return Directory(shown, fs.resolve(option or "."), tuple(folders_left(option, fs.resolve)))


def candidates(
    name: str, *, angled: bool, includers: list[Directory], search: tuple[Directory, ...], fs: FileSystem
) -> list[Candidate]:
    """Return candidates in search order.  ``includers`` are the directories of the open files, the innermost first."""
    if is_absolute(name):
        return [Candidate(name, fs.resolve(name), 0, tuple(folders_left(name, fs.resolve)))]
    paths: list[Candidate] = []
    seen: set[str] = set()
    if not angled:
        for level, directory in enumerate(includers):
            if directory.path not in seen:
                seen.add(directory.path)
                paths.append(_candidate(directory, name, level, fs))
    behind = 0 if angled else len(includers)
    for directory in search:
        if directory.path not in seen:
            seen.add(directory.path)
            paths.append(_candidate(directory, name, behind, fs))
    return paths


def _join(directory: str, name: str) -> str:
    return f"{directory}{name}" if directory.endswith("/") else f"{directory}/{name}"


def _candidate(directory: Directory, name: str, level: int, fs: FileSystem) -> Candidate:
    def resolve(path: str) -> str:
        return fs.resolve(f"{directory.path}/{path}")

    left = directory.left + tuple(folders_left(name, resolve) if ".." in name else ())
    return Candidate(_join(directory.shown, name), resolve(name), level, left)


def find_without_case(path: str, fs: FileSystem) -> str | None:
    """Return a file whose path equals this one except for case; ``None`` if there is none."""
    parts = path.replace("\\", "/").split("/")
    current = parts[0] + "/" if is_absolute(path) else "."
    for index, part in enumerate(parts[1:], 1):
        names = fs.listdir(current)
        if names is None:
            return None
        if part not in names or (index == len(parts) - 1 and fs.read(f"{current}/{part}") is None):
            folded = part.casefold()
            same = [name for name in names if name.casefold() == folded and name != part]
            if not same:
                return None
            part = same[0]
        current = current.rstrip("/") + "/" + part
    return fs.resolve(current)


def find_similar(name: str, paths: list[str], fs: FileSystem) -> str | None:
    """Return ``name`` with its last component replaced by the most similar file name next to ``paths``, or ``None``."""
    from hlsl_tool.base.similar import most_similar_file  # start-up time

    folder, _, last = name.rpartition("/")
    for path in paths:
        beside = list(fs.listdir(path.replace("\\", "/").rpartition("/")[0] or "/") or ())
        while (close := most_similar_file(last, beside)) is not None:
            if fs.why_unreadable(f"{path[: -len(last)]}{close}") is None:
                return f"{folder}/{close}" if folder else close
            beside.remove(close)
    return None


def right_spelling(name: str, path: str) -> str:
    """Return the include name in the case of ``path``, a file that was found by ignoring case."""
    parts = name.split("/")
    real = path.replace("\\", "/").split("/")
    for back in range(1, len(parts) + 1):
        if parts[-back] in ("..", ".") or back > len(real):
            break
        parts[-back] = real[-back]
    return "/".join(parts)
