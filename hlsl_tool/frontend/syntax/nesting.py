"""The limit on the depth of a syntax tree, checked before parsing.

Later stages recurse over trees.  The limit excludes two chains that are long in real shaders and that later stages
must iterate over: the left operands of ``Binary`` and ``If.otherwise``.  Chains of ``?:`` are long in generated
shaders; eight of them count as one level, since later stages recurse over them with few calls a level.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import syntax as codes
from hlsl_tool.frontend.syntax.errors.problems import Problem

_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")
_LEVEL = 8
_WORDS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "if", "for", "while", "do", "switch")
_NESTING = {"?": 1, **dict.fromkeys(_WORDS, _LEVEL)}
"""Words that nest everything up to the end of the statement → by how much, in eighths of a level."""
_CHAINING = frozenset([".", "->", "++", "--", "!", "~"])
"""Operators that add a level to one operand."""
_EITHER = frozenset(["+", "-", "*", "&"])
_BINARY = frozenset(["/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "|", "^", ":", "return"])


def too_deep(tokens: Sequence[str], limit: int) -> Problem | None:
    """Return an error for the first token nested deeper than ``limit``; ``None`` if there is none."""
    if len(tokens) <= limit or not _suspicious(tokens, limit):
        return None
    levels: list[tuple[int, int]] = []
    nesting = chain = 0
    is_operand = False  # the token before ends an operand: `-` behind it is binary
    for at, text in enumerate(tokens):
        if text in _OPEN:
            levels.append((nesting, chain))
            nesting = chain = 0
            is_operand = False
            if len(levels) > limit:
                return Problem(codes.NESTING, at, {"limit": str(limit)})
            continue
        if text in _CLOSE:
            nesting, chain = levels.pop() if levels else (0, 0)
            if text == "}":
                nesting = chain = 0
            else:
                chain += 1
            is_operand = text != "}"
        elif text in (";", ","):
            nesting = chain = 0
            is_operand = False
        elif text in _NESTING:
            nesting += _NESTING[text]
            chain = 0
            is_operand = False
        elif text in _CHAINING or (text in _EITHER and not is_operand):
            chain += 1
        elif text in _BINARY or text in _EITHER:
            chain = 0
            is_operand = False
        else:
            is_operand = True
        if nesting // _LEVEL + chain > limit:
            return Problem(codes.EXPRESSION_NESTING, at, {"limit": str(limit)})
    return None


def _suspicious(tokens: Sequence[str], limit: int) -> bool:
    """Return whether tokens may exceed the limit, by a cheap count of brackets, keywords and tokens between ``;``."""
    count = tokens.count
    if count("(") + count("[") + count("{") > limit:
        return True
    if count("if") + count("for") + count("while") + count("do") + count("switch") > limit:
        return True
    ends = [at for at, text in enumerate(tokens) if text == ";"]
    return any(end - start > limit for start, end in zip([0, *ends], [*ends, len(tokens)], strict=True))
