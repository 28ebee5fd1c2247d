"""Types of literal expressions that do not fold, such as ``c ? 1 : 0`` or ``(S)(0x100000000 + 1)``.

The context of a literal decides its width; without one it has 32 bits, or 64 if its value needs them.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar

_SIGNED = {8: ty.INT8, 16: ty.INT16, 32: ty.INT, 64: ty.INT64}


def is_undecided(e: hir.Expr) -> bool:
    """Return whether an expression is an operator on literals whose width the context decides."""
    return e.type is ty.LITERAL_INT and isinstance(e, (hir.Ternary, hir.Binary, hir.Unary))


def of_width(e: hir.Expr, bits: int) -> hir.Expr:
    """Return a copy of an expression whose literals are signed integers of ``bits`` bits."""
    return _retyped(e, _SIGNED[bits])


def of_its_own_width(e: hir.Expr) -> hir.Expr:
    """Return a copy of an expression whose literals all have the width of its widest literal: 32 or 64 bits."""
    return _retyped(e, ty.INT64 if _is_wide(e) else ty.INT)


def _is_wide(e: hir.Expr) -> bool:
    if isinstance(e, hir.Literal_):
        return isinstance(e.value, int) and not -(1 << 31) <= e.value < 1 << 31
    if isinstance(e, hir.Ternary):
        return _is_wide(e.then) or _is_wide(e.otherwise)
    if isinstance(e, hir.Binary):
        return _is_wide(e.left) or _is_wide(e.right)
    return isinstance(e, hir.Unary) and _is_wide(e.operand)


def _retyped(e: hir.Expr, t: Scalar) -> hir.Expr:
    if e.type is not ty.LITERAL_INT:
        return e
    if isinstance(e, hir.Literal_):
        value = evaluation.convert(e.value, t)
        return e if value is None or isinstance(value, list) else hir.Literal_(value, t, e.pos)
    if isinstance(e, hir.Ternary):
        return replace(e, then=_retyped(e.then, t), otherwise=_retyped(e.otherwise, t), type=t)
    if isinstance(e, hir.Binary):
        return replace(e, left=_retyped(e.left, t), right=_retyped(e.right, t), type=t)
    if isinstance(e, hir.Unary):
        return replace(e, operand=_retyped(e.operand, t), type=t)
    return hir.Cast("numeric", e, t, e.pos)
