"""Warnings about operators whose precedence is often mistaken, by clang's rules."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))
_BITWISE = frozenset(("&", "^", "|"))
_ADDITIONS = frozenset(("+", "-"))

CHECKED = frozenset((*_BITWISE, "||", "<<", ">>"))
"""Operators that `check` knows."""


def check(ctx: Context, e: ast.Binary) -> None:
    """Warn if an unparenthesised operator in an operand of ``e`` binds in an unexpected way."""
    if not isinstance(e.left, ast.Binary) and not isinstance(e.right, ast.Binary):
        return
    left, right = _operator(e.left), _operator(e.right)
    if e.op == "||":
        _check_logical(ctx, e, left, right)
    elif e.op in _BITWISE:
        _check_bitwise(ctx, e, left, right)
    else:
        for side, op in ((e.left, left), (e.right, right)):
            if op in _ADDITIONS:
                ctx.warn(codes.SHIFT_OPERATORS, side.pos, op=e.op, inner=op)


def _operator(e: ast.Expr) -> str:
    """Return the operator of an expression without parentheses; ``""`` for other expressions."""
    return e.op if isinstance(e, ast.Binary) and not e.is_parenthesised else ""


def _check_bitwise(ctx: Context, e: ast.Binary, left: str, right: str) -> None:
    """Warn about a comparison as one operand of a bitwise operator, and about ``&`` within ``|``.

    Comparisons as both operands are no mistake: they form a logical operation without short-circuit.
    """
    if (left in _COMPARISONS) != (right in _COMPARISONS):
        comparison, other = (left, right) if left in _COMPARISONS else (right, left)
        if other not in _BITWISE:
            ctx.warn(codes.BITWISE_COMPARISON, e.pos, op=e.op, comparison=comparison)
    if e.op == "|":
        for side, op in ((e.left, left), (e.right, right)):
            if op == "&":
                ctx.warn(codes.BITWISE_OPERATORS, side.pos)


def _check_logical(ctx: Context, e: ast.Binary, left: str, right: str) -> None:
    """Warn about ``&&`` within ``||``, unless a constant operand makes the precedence irrelevant."""
    if left == "&&":
        assert isinstance(e.left, ast.Binary)
        if not _is(e.right, False) and not _is(e.left.left, True):
            ctx.warn(codes.LOGICAL_OPERATORS, e.left.pos)
    elif left == "||":
        assert isinstance(e.left, ast.Binary)
        inner = e.left.right
        if _operator(inner) == "&&" and isinstance(inner, ast.Binary) and _is(inner.right, True):
            ctx.warn(codes.LOGICAL_OPERATORS, inner.pos)
    if right == "&&":
        assert isinstance(e.right, ast.Binary)
        if not _is(e.left, False) and not _is(e.right.right, True):
            ctx.warn(codes.LOGICAL_OPERATORS, e.right.pos)


def _is(e: ast.Expr, value: bool) -> bool:
    """Return whether an expression is constant with this truth value."""
    if isinstance(e, ast.Bool):
        return e.value is value
    return isinstance(e, ast.Number) and e.text.isdigit() and bool(int(e.text)) is value
