"""Whether a job would read today what it read when it was built."""

from __future__ import annotations

import os
from collections.abc import Callable

from hlsl_tool.build.job import Job

DigestOf = Callable[[str], str]
"""File → digest of its content as it is now; empty where there is none."""


def is_valid(job: Job, root: str, files: dict[str, str], missing: list[str], digest_of: DigestOf) -> bool:
    """Whether all files are as they were, and what was looked for in vain is still not there."""
    if any(digest_of(name) != known for name, known in files.items()) or any(map(digest_of, missing)):
        return False
    return not job.options.case_insensitive_includes or all(_alike_in(files, root, name) for name in missing)


def _alike_in(files: dict[str, str], root: str, name: str) -> bool:
    """Of a name that is not there, whether at most one is that differs in case, and that is one of the files.

    Then it is the one that was found before.  Of several the first is taken, and which that is may have changed.
    """
    found = ""
    for part in name.split("/"):
        alike = [part] if part in ("", ".", "..") else _names_like(part, os.path.join(root, found))
        if len(alike) > 1:
            return False
        if not alike:
            return True
        found = f"{found}/{alike[0]}" if found else alike[0] or "/"
    return found in files


def _names_like(part: str, folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    folded = part.casefold()
    return [name for name in names if name.casefold() == folded]


def is_outside(name: str) -> bool:
    """Whether a file's name leads out of the root: from another root it may be another file."""
    return name.startswith("../")
