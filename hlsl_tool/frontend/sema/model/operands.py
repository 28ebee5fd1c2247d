"""The operands of each class of expressions, for generic traversals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Expr

_OPERANDS: dict[type, tuple[str, ...]] = {
    hir.Load: ("operand",),
    hir.Cast: ("operand",),
    hir.Unary: ("operand",),
    hir.IncDec: ("operand",),
    hir.Binary: ("left", "right"),
    hir.Logical: ("left", "right"),
    hir.Ternary: ("cond", "then", "otherwise"),
    hir.Comma: ("left", "right"),
    hir.Assign: ("target", "value"),
    hir.CompoundAssign: ("target", "value"),
    hir.Swizzle: ("base",),
    hir.MatrixSwizzle: ("base",),
    hir.Index: ("base", "index"),
    hir.Member: ("base",),
    hir.Call: ("this", "args"),
    hir.IntrinsicCall: ("args",),
    hir.MethodCall: ("object", "args"),
    hir.InitList: ("items",),
}
"""Class of an expression → attributes that are operands or lists of them."""


def operands(e: Expr) -> Iterator[Expr]:
    """Yield the operands of an expression, from left to right."""
    for name in _OPERANDS.get(e.__class__, ()):
        value = getattr(e, name)
        if isinstance(value, list):
            yield from cast("list[Expr]", value)
        elif value is not None:
            yield cast("Expr", value)


def walk(e: Expr) -> Iterator[Expr]:
    """Yield an expression and all its direct and indirect operands, in pre-order."""
    pending = [e]
    while pending:
        each = pending.pop()
        yield each
        if each.__class__ in _OPERANDS:
            pending += operands(each)


Step = Expr | Callable[[], None]
"""An expression to evaluate, or an action between evaluations."""


def perform(e: Expr, steps: Callable[[Expr], list[Step]]) -> None:
    """Traverse an expression in evaluation order.

    ``steps`` returns its sub-expressions, and actions to call in between.  The traversal is iterative because operands
    may be nested deeply.
    """
    todo: list[Step] = [e]
    while todo:
        step = todo.pop()
        if callable(step):
            step()
        else:
            todo += reversed(steps(step))
