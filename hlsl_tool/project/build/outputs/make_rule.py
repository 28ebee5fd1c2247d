"""Dependency files: a rule that lists the input files of an output, for make, ninja and CMake.

These programs read different dialects.  All of them understand `\\ ` for a space, `$$`, `\\#` and `\\:`.  ninja has no
escape for other characters, and make has none for some characters of a target: CONFLICTING finds those.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hlsl_tool.base.system.paths import folded

CONFLICTING = re.compile("[=%]|&$")
"""Parts of a target that make reads as an assignment, a pattern or a group, while ninja and CMake read them as text."""

_UNREADABLE = frozenset("\"'*?<>&^|;`")
"""Characters that end a name for ninja; 1.12 reads some of them."""

_SPACES = re.compile(r"(\\*) ")
_DRIVE = re.compile(r"[A-Za-z]:(?=[/\\])")


def make_rule(target: str, files: Iterable[str], *, separator: str = os.sep) -> str:
    """Return a rule that says that ``target`` depends on ``files``, with one file on each line.

    The files are escaped; ``target`` is not: pass it through `escape_name`.  ``separator`` is the system's path
    separator, which becomes a slash.
    """
    names = [_file(name, separator) for name in files]
    # `x.o: a=b.h` is an assignment to make, unless another name stands before it.
    names.sort(key=lambda name: "=" in name)
    if names and "=" in names[0]:
        names[0] = "$  " + names[0]  # make expands the variable with the name ` ` to nothing; ninja skips a lone `$`
    return f"{target}: " + " \\\n  ".join(names) + "\n"


def ninja_reads(name: str) -> bool:
    """Return whether ninja can parse a rule that contains this file name."""
    return not (_UNREADABLE & set(name) or name.endswith(":"))


def make_reads(name: str) -> bool:
    """Return whether make can parse a rule that contains this file name."""
    return not (set(";|'") & set(name) or name.endswith(" "))


def escape_name(name: str) -> str:
    """Escape a file name for a rule of make, ninja and CMake."""
    drive = _DRIVE.match(name)
    start = drive.end() if drive else 0
    rest = name[start:].replace("$", "$$").replace("#", "\\#").replace(":", "\\:")
    return name[:start] + _SPACES.sub(r"\1\1\\ ", rest)


def _file(name: str, separator: str) -> str:
    return escape_name(folded(name.replace(separator, "/")))
