"""Which configurations there are.  Knows no YAML, so that a build with nothing to do need not load it."""

from __future__ import annotations

import os
from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

DEFAULTS_NAME = "defaults.yaml"


def configurations(root: str, path: str) -> list[str] | None:
    """The configurations that a file, folder or pattern means, from the root, sorted, without files of defaults.

    Empty where a folder has none, or nothing matches; None where the path is that of a file, whether it exists or not.
    """
    top = Path(root)
    at = top / path
    if at.is_dir():
        found = [p for suffix in ("yaml", "yml") for p in at.rglob(f"*.{suffix}") if p.is_file()]
    elif any(letter in path for letter in "*?["):
        found = [p for p in top.glob(path) if p.is_file()]
    else:
        return None
    names = sorted(Path(os.path.relpath(p, top)).as_posix() for p in found)
    return [name for name in names if not name.endswith("/" + DEFAULTS_NAME) and name != DEFAULTS_NAME]


def file_name(path: str) -> str:
    """The path of one configuration as it stands in messages."""
    return PurePosixPath(os.path.normpath(path).replace(os.sep, "/")).as_posix()


def sources(root: str, folder: str, pattern: str, made: Collection[str] = ()) -> list[str]:
    """The sources that match a pattern, from their folder, sorted: those on disk, and those among the files ``made`` by
    other builders (from the root).  May raise what `Path.glob` does."""
    top = Path(root) / folder
    names = {path.relative_to(top).as_posix() for path in top.glob(pattern) if path.is_file()}
    prefix = "" if folder in ("", ".") else folder + "/"
    parts = pattern.split("/")
    names |= {path[len(prefix) :] for path in made if path.startswith(prefix) and _matches(path[len(prefix) :], parts)}
    return sorted(names)


def _matches(name: str, pattern: list[str]) -> bool:
    """Whether a path matches the parts of a pattern, as `Path.glob` has it."""
    if not pattern:
        return not name
    first, _, rest = name.partition("/")
    if pattern[0] == "**":
        return _matches(name, pattern[1:]) or (bool(name) and _matches(rest, pattern))
    return bool(name) and fnmatchcase(first, pattern[0]) and _matches(rest, pattern[1:])
