"""Find the functions that a source defines, for patterns of entry points (`VS*`).

Only the file itself is read: includes and macros are not expanded, and all branches of `#if` count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hlsl_tool.base.system.regular_files import read_regular

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|^[ \t]*\#[ \t]*(?P<directive>[a-z]*)(?:\\\r?\n|[^\n])*"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<mark>[()\[\]{};:=])",
    re.S | re.M,
)


def functions_of(root: str, source: str) -> tuple[str, ...]:
    """Return the names of the functions in a file, whose path is from the root; none if it cannot be read."""
    try:
        return functions(read_regular(os.path.join(root, source)))
    except OSError:
        return ()


def functions(source: bytes) -> tuple[str, ...]:
    """Return the names of the functions that a source defines at the top level, in order, without duplicates."""
    names: dict[str, None] = {}
    parentheses = brackets = 0
    word = candidate = ""
    for token in _top_level(source.decode("utf-8", "replace")):
        if token in "[]":
            brackets = max(brackets + (1 if token == "[" else -1), 0)
        elif brackets:
            continue
        elif token == "(":
            if parentheses == 0 and word not in _BINDINGS:
                candidate = word
            parentheses += 1
        elif token == ")":
            parentheses = max(parentheses - 1, 0)
        elif token == "{" and candidate:
            names[candidate] = None
        elif token not in "{};=:":
            word = token
        if token in "{};=" and parentheses == 0:
            candidate = ""
    return tuple(names)


_BINDINGS = ("register", "packoffset")
"""Words before a parenthesis that call and define nothing."""


def _top_level(text: str) -> Iterator[str]:
    """Yield the words and punctuation of a source outside of braces.

    An outer pair of braces is yielded without its content.
    """
    depths: list[int] = []
    """The depth of braces at each `#if` that is open: every branch begins there."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if token["directive"] is not None:
            depth = _branch(token["directive"], depths, depth)
            continue
        if mark == "}":
            depth = max(depth - 1, 0)
        if depth == 0 and (token["word"] or mark):
            yield token["word"] or mark
        if mark == "{":
            depth += 1


def _branch(directive: str, depths: list[int], depth: int) -> int:
    """Return the brace depth after a preprocessor directive; ``depth`` is the depth before it.

    Each branch of an `#if` starts at the depth before the `#if`; ``depths`` is the stack of these depths.
    """
    if directive in ("if", "ifdef", "ifndef"):
        depths.append(depth)
    elif depths and directive in ("else", "elif"):
        return depths[-1]
    elif depths and directive == "endif":
        depths.pop()
    return depth
