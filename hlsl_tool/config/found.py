"""Which configurations there are.  Knows no YAML, so that a build with nothing to do need not load it."""

from __future__ import annotations

import os
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


def sources(root: str, folder: str, pattern: str) -> list[str]:
    """The sources that match a pattern, from their folder, sorted.  May raise what `Path.glob` does."""
    top = Path(root) / folder
    return sorted(path.relative_to(top).as_posix() for path in top.glob(pattern) if path.is_file())
