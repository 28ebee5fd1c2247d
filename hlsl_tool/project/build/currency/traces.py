"""Dependency traces: the files that a job read, and the paths that it looked for and that did not exist.

A missing path `FOLDER/..` stands for a symbolic link in the place of FOLDER, which the path of an include leaves by
`..`: once FOLDER is a link, the include leads to another file.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from hlsl_tool.base.system.paths import UP
from hlsl_tool.project.build.job import Job

DigestOf = Callable[[str], str]
"""File → digest of its present content; empty for a missing file."""


def is_valid(job: Job, root: str, files: dict[str, str], missing: list[str], digest_of: DigestOf) -> bool:
    """Return whether every file of a dependency trace is unchanged and every missing path still does not exist."""
    if any(digest_of(name) != digest for name, digest in files.items()) or any(map(digest_of, missing)):
        return False
    if not job.options.case_insensitive_includes:
        return True
    return all(_alike_in(files, root, name) for name in missing if not name.endswith(UP))


def _alike_in(files: dict[str, str], root: str, name: str) -> bool:
    """Return whether the missing path ``name`` still leads to the same file if case is ignored.

    This is so if no file matches, or if the only match is one of the trace's ``files``. With several matches, the
    include may find another one today.
    """
    path = ""
    for part in name.split("/"):
        alike = [part] if part in ("", ".", "..") else _names_like(part, os.path.join(root, path))
        if len(alike) > 1:
            return False
        if not alike:
            return True
        path = f"{path}/{alike[0]}" if path else alike[0] or "/"
    return path in files


def _names_like(part: str, folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    folded = part.casefold()
    return [name for name in names if name.casefold() == folded]


def leads_out(root: str, name: str) -> bool:
    """Return whether a path leads to a file outside of ``root`` once symbolic links are resolved."""
    top = os.path.realpath(root).rstrip(os.sep) + os.sep
    return not os.path.realpath(os.path.join(root, name)).startswith(top)


def is_outside(name: str) -> bool:
    """Return whether a relative path has `..` or is absolute: under another root it could name another file."""
    return name.startswith("/") or ".." in name.removesuffix(UP).split("/")
