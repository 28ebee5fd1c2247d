"""Warnings about conditions, empty bodies, ``else`` and ``switch``, by clang's rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import BOOL, Enum
from hlsl_tool.frontend.sema.rules.declarations.switch_labels import labels_of
from hlsl_tool.frontend.sema.rules.expressions.lvalues import is_constant
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

# ---------------------------------------------------------------------------------------------------------- conditions


def check_condition(ctx: Context, written: ast.Expr, checked: hir.Expr) -> None:
    """Warn about a condition that is an assignment, and about a comparison in double parentheses."""
    if isinstance(written, ast.Assign):
        if written.op in ("=", "|=") and not written.is_parenthesised:
            comparison = "==" if written.op == "=" else "!="
            hint = Advice(f"'{comparison}' compares", (Edit(comparison),))
            ctx.warn(codes.ASSIGNMENT_AS_CONDITION, written.pos, hint=hint)
    elif not isinstance(written, ast.Binary) or written.op != "==" or not written.is_parenthesised:
        return
    elif isinstance(checked, hir.Binary) and _can_be_assigned(checked.left):
        ctx.warn(codes.EXTRANEOUS_PARENTHESES, written.pos)


def _can_be_assigned(e: hir.Expr) -> bool:
    """Return whether the operand of a comparison is a non-constant variable, or an element or member of one."""
    while isinstance(e, (hir.Load, hir.Cast)):
        if isinstance(e, hir.Cast) and e.is_explicit:
            return False
        e = e.operand
    while isinstance(e, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member)):
        e = e.base
    return isinstance(e, hir.VarRef) and not is_constant(e.var)


# -------------------------------------------------------------------------------------------------------------- bodies


def check_body(ctx: Context, statement: str, body: ast.Stmt) -> None:
    """Warn about an empty body ``;`` that follows the condition on the same line."""
    if isinstance(body, ast.EmptyStmt) and body.pos > 0:
        ctx.messages.append(Raw(codes.EMPTY_BODY, body.pos, {"statement": statement}, ctx.chunk, touches=body.pos - 1))


def check_loops(ctx: Context, statements: Sequence[ast.Stmt]) -> None:
    """Warn about a loop with an empty body before a block that is probably meant as its body."""
    for s, following in pairwise(statements):
        if following.__class__ is ast.Block and isinstance(s, (ast.For, ast.While)):
            check_body(ctx, "for loop" if isinstance(s, ast.For) else "while loop", s.body)


def check_if(ctx: Context, s: ast.If) -> None:
    """Warn about an empty body, and about an ``else`` that could also belong to this ``if`` instead of an inner one."""
    if s.otherwise is not None:
        return
    check_body(ctx, "if statement", s.then)
    inner: ast.Stmt | None = s.then
    while isinstance(inner, (ast.For, ast.While)):
        inner = inner.body
    if isinstance(inner, ast.If) and inner.otherwise is not None:
        at = inner.otherwise.pos
        while at > inner.pos and ctx.chunk.tokens[at] != "else":
            at -= 1
        ctx.warn(codes.DANGLING_ELSE, at)


# -------------------------------------------------------------------------------------------------------------- switch


def check_switch(ctx: Context, cond: hir.Expr, selector: hir.Expr, body: hir.Block) -> None:
    """Warn about a ``switch`` on a bool or on a constant without a matching case, and about missing enumerators.

    ``selector`` is the condition ``cond`` after its conversion.
    """
    if cond.type is BOOL:
        ctx.warn(codes.SWITCH_BOOL, cond.pos)
    cases = list(labels_of(body))
    if any(c.value is None for c in cases):
        return
    values = {c.value for c in cases}
    constant = evaluate_int(selector)
    if constant is not None:
        if constant not in values:
            ctx.warn(codes.SWITCH_CONSTANT, cond.pos, value=constant)
    elif isinstance(cond.type, Enum) and cases:
        _check_enumerators(ctx, cond, cond.type, values)


_SHOWN = 3
"""Number of enumerators that are named one by one."""


def _check_enumerators(ctx: Context, cond: hir.Expr, t: Enum, values: set[int | None]) -> None:
    missing = [f"'{name}'" for name, value in t.values.items() if value not in values]
    if not missing:
        return
    if len(missing) > _SHOWN:
        text = f"{len(missing)} enumeration values not handled in switch: {', '.join(missing[:_SHOWN])}..."
        ctx.warn(codes.SWITCH_ENUM, cond.pos, values=text)
        return
    *first, last = missing
    names = f"{', '.join(first)} and {last}" if first else last
    plural = "s" if first else ""
    ctx.warn(codes.SWITCH_ENUM, cond.pos, values=f"enumeration value{plural} {names} not handled in switch")
