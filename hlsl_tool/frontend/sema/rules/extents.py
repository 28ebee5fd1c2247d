"""Extents of expressions in tokens, to underline the operands of an operator that does not accept them."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import fields, is_dataclass
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())


def underline_operands(ctx: Context, e: ast.Binary) -> None:
    """Underline both operands in the last diagnostic, if it is about this operation."""
    raw = ctx.messages[-1] if ctx.messages else None
    if raw is None or raw.extents or raw.chunk is not ctx.chunk:
        return
    operands = [extent(operand, ctx.chunk.tokens) for operand in (e.left, e.right)]
    if raw.pos == e.pos:
        raw.extents = tuple(operands)
    else:
        raw.extents = tuple((first, last) for first, last in operands if first <= raw.pos <= last)


def extent(e: ast.Expr, tokens: Sequence[str]) -> tuple[int, int]:
    """Return the positions of the first and last token of an expression, excluding parentheses around it."""
    positions = _positions(e)
    first, last = min(positions), max(positions)
    if isinstance(e, (ast.Call, ast.Construct)) and tokens[last + 1 : last + 3] == ("(", ")"):
        last += 2
    depth = 0
    for token in tokens[first : last + 1]:
        depth += (token in _OPENING) - (token in _CLOSING)
    while depth > 0 and last + 1 < len(tokens):
        last += 1
        depth += (tokens[last] in _OPENING) - (tokens[last] in _CLOSING)
    return first, last


def _positions(e: ast.Expr) -> list[int]:
    positions: list[int] = []
    todo: list[object] = [e]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += node
        elif is_dataclass(node) and not isinstance(node, type):
            positions += [node.pos] if hasattr(node, "pos") else []
            todo += [getattr(node, f.name) for f in fields(node) if f.name != "pos"]
    return positions
