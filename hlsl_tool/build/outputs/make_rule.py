"""Dependency files: the files that an output was made from, as a rule for make, ninja and CMake.

They read different languages. All understand `\\ ` for a space, `$$`, `\\#` and `\\:`. ninja has no escape
for other characters, and make none for some parts of a target: CONFLICTING finds those.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hlsl_tool.system.paths import folded

CONFLICTING = re.compile("[=%]|&$")
"""Parts of a target that make reads as an assignment, a pattern or a group, while ninja and CMake read them as text."""

_UNREADABLE = frozenset("\"'*?<>&^|;`")
"""Characters that end a name for ninja; 1.12 reads some of them."""

_SPACES = re.compile(r"(\\*) ")
_DRIVE = re.compile(r"[A-Za-z]:(?=[/\\])")


def make_rule(target: str, files: Iterable[str], *, separator: str = os.sep) -> str:
    """Return a rule for a target, which is written as it is: `escape_name` makes it from the name of a file.

    The files follow, escaped, one on each line. ``separator`` is the system's separator of folders; it becomes a slash.
    """
    names = [_file(name, separator) for name in files]
    # `x.o: a=b.h` is an assignment to make, unless another name stands before it.
    names.sort(key=lambda name: "=" in name)
    if names and "=" in names[0]:
        names[0] = "$  " + names[0]  # make expands the variable with the name ` ` to nothing; ninja skips a lone `$`
    return f"{target}: " + " \\\n  ".join(names) + "\n"


def ninja_reads(name: str) -> bool:
    """Return whether ninja can read the name of a file in a rule."""
    return not (_UNREADABLE & set(name) or name.endswith(":"))


def make_reads(name: str) -> bool:
    """Return whether make can read the name of a file in a rule."""
    return not (set(";|'") & set(name) or name.endswith(" "))


def escape_name(name: str) -> str:
    """Return the name of a file as make, ninja and CMake read it in a rule."""
    drive = _DRIVE.match(name)
    start = drive.end() if drive else 0
    rest = name[start:].replace("$", "$$").replace("#", "\\#").replace(":", "\\:")
    return name[:start] + _SPACES.sub(r"\1\1\\ ", rest)


def _file(name: str, separator: str) -> str:
    return escape_name(folded(name.replace(separator, "/")))
