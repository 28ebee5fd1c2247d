"""Find configurations and sources on disk.

The module does not import YAML, so that a build with nothing to do need not load it.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from hlsl_tool.base.system.paths import folded, relative

DEFAULTS_NAME = "defaults.yaml"


def configurations(root: str, path: str) -> list[str] | None:
    """Return the configurations in a folder, or that match a pattern: from the root, sorted, without `defaults.yaml`.

    The list is empty if nothing matches.  Return ``None`` if the path is a single file, whether it exists or not.
    """
    top = Path(root)
    at = top / folded(path, root)
    if at.is_dir():
        matches = [p for suffix in ("yaml", "yml") for p in at.rglob(f"*.{suffix}") if p.is_file()]
    elif is_pattern(path):
        matches = _files(top, path)
    else:
        return None
    names = sorted({relative(str(match), root) for match in matches})
    return [name for name in names if not name.endswith("/" + DEFAULTS_NAME) and name != DEFAULTS_NAME]


def is_pattern(text: str) -> bool:
    """Return whether a text contains wildcards."""
    return any(letter in text for letter in "*?[")


def file_name(root: str, path: str) -> str:
    """Return the path of a configuration, normalised as in diagnostics."""
    return PurePosixPath(folded(path, root).replace(os.sep, "/")).as_posix()


def sources(root: str, folder: str, pattern: str, generated: Collection[str] = ()) -> list[str]:
    """Return the sources that match a pattern: relative to ``folder``, sorted.

    They are files on disk, and files among ``generated``, which other builders make (from the root).  Raises the
    exceptions of `Path.glob` for an invalid pattern.
    """
    top = Path(root) / folder
    names = {path.relative_to(top).as_posix() for path in _files(top, pattern)}
    prefix = "" if folder in ("", ".") else folder + "/"
    candidates = [path[len(prefix) :] for path in generated if path.startswith(prefix)]
    return sorted(names.union(name for name in candidates if matches(name, pattern)))


def _files(top: Path, pattern: str) -> list[Path]:
    """Return the files that match a pattern; `**` at its end stands for files, as in `Path.glob` since Python 3.13."""
    if PurePosixPath(pattern).name == "**":
        pattern += "/*"
    return [path for path in top.glob(pattern) if path.is_file()]


def matches(name: str, pattern: str) -> bool:
    """Return whether `sources` would list the path of a file for a pattern."""
    return _match(name, PurePosixPath(pattern).parts)


def _match(name: str, pattern: tuple[str, ...]) -> bool:
    if not pattern or not name:
        return not pattern and not name
    first, _, rest = name.partition("/")
    if pattern[0] == "**":
        return len(pattern) == 1 or _match(name, pattern[1:]) or _match(rest, pattern)
    return fnmatchcase(first, pattern[0]) and _match(rest, pattern[1:])
