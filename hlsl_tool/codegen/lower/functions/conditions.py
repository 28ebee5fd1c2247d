"""Conditions of statements."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir


def condition(ctx: Lowering, cond: hir.Expr) -> int:
    """Lower the condition of a statement and return the id of a scalar boolean."""
    return memory.load(ctx, ctx.expr(cond)).id


def short_circuits(x: hir.Expr | None) -> bool:
    """Return whether evaluating an expression branches; a loop's condition then needs separate blocks."""
    if x is None:
        return False
    todo: list[hir.Expr] = [x]
    while todo:
        n = todo.pop()
        if isinstance(n, (hir.Logical, hir.Ternary)) and n.short_circuits:
            return True
        todo += _children(n)
    return False


def _children(n: hir.Expr) -> list[hir.Expr]:
    if isinstance(n, (hir.Load, hir.Cast, hir.Unary, hir.IncDec)):
        return [n.operand]
    if isinstance(n, (hir.Binary, hir.Logical, hir.Comma)):
        return [n.left, n.right]
    if isinstance(n, hir.Ternary):
        return [n.cond, n.then, n.otherwise]
    if isinstance(n, (hir.Assign, hir.CompoundAssign)):
        return [n.target, n.value]
    if isinstance(n, (hir.Swizzle, hir.MatrixSwizzle, hir.Member)):
        return [n.base]
    if isinstance(n, hir.Index):
        return [n.base, n.index]
    if isinstance(n, hir.Call):
        return [*n.args, *([n.this] if n.this is not None else [])]
    if isinstance(n, hir.IntrinsicCall):
        return list(n.args)
    if isinstance(n, hir.MethodCall):
        return [n.object, *n.args]
    return list(n.items) if isinstance(n, hir.InitList) else []
