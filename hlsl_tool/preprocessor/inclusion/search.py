"""Finding the file that an ``#include`` names.

DXC's rules, which are MSVC's: a quoted name is looked for beside the file that includes it, then beside the files that
include that one, then along ``-I``; a name in angle brackets only along ``-I``.  Backslashes are slashes.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hlsl_tool.source import FileSystem

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[/\\]")


class Directory(NamedTuple):
    """A place to look in: as it is shown, and where it is."""

    shown: str
    path: str


class Candidate(NamedTuple):
    """A file that may be meant, and how many of the including files' directories were passed over to get there."""

    shown: str
    path: str
    level: int


def is_absolute(name: str) -> bool:
    return _ABSOLUTE.match(name) is not None


def parent(shown: str) -> str:
    """The directory of a file as DXC shows it; a file without one is in ``.``."""
    cut = max(shown.rfind("/"), shown.rfind("\\"))
    return shown[:cut] if cut > 0 else shown[: cut + 1] or "."


def include_directory(option: str, fs: FileSystem) -> Directory:
    """A ``-I`` directory; DXC shows a relative one with ``./`` in front."""
    shown = option.replace("\\", "/")
    shown = shown.rstrip("/") or shown[:1]
    if not is_absolute(shown) and shown != "." and not shown.startswith("./"):
        shown = "./" + shown
    return Directory(shown, fs.resolve(option.replace("\\", "/") or "."))


def candidates(
    name: str, *, angled: bool, includers: list[Directory], search: tuple[Directory, ...], fs: FileSystem
) -> list[Candidate]:
    """Where to look, in order.  ``includers`` are the directories of the open files, the innermost first."""
    if is_absolute(name):
        return [Candidate(name, fs.resolve(name), 0)]
    found: list[Candidate] = []
    seen: set[str] = set()
    if not angled:
        for level, directory in enumerate(includers):
            if directory.path not in seen:
                seen.add(directory.path)
                found.append(Candidate(_join(directory.shown, name), _inside(directory.path, name, fs), level))
    behind = 0 if angled else len(includers)
    for directory in search:
        if directory.path not in seen:
            seen.add(directory.path)
            found.append(Candidate(_join(directory.shown, name), _inside(directory.path, name, fs), behind))
    return found


def _join(directory: str, name: str) -> str:
    return f"{directory}{name}" if directory.endswith("/") else f"{directory}/{name}"


def _inside(directory: str, name: str, fs: FileSystem) -> str:
    return fs.resolve(f"{directory}/{name}")


def find_without_case(path: str, fs: FileSystem) -> str | None:
    """A file whose path differs from this one only in case."""
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


def right_spelling(name: str, found: str) -> str:
    """The name as it should be written for the file that was found without case."""
    parts = name.split("/")
    real = found.replace("\\", "/").split("/")
    for back in range(1, len(parts) + 1):
        if parts[-back] in ("..", ".") or back > len(real):
            break
        parts[-back] = real[-back]
    return "/".join(parts)
