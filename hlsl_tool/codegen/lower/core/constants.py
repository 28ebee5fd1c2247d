"""Constants of HLSL types."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, Scalar, Type, Vector


def scalar(ctx: Lowering, value: bool | int | float, t: Scalar) -> int:
    """Return the id of a constant of a scalar type; literal types become 32-bit types."""
    return ctx.b.const_scalar(value, ctx.types.scalar(t))


def constant(ctx: Lowering, value: evaluation.Value, t: Type) -> int:
    """Return the id of a constant of type ``t``; ``value`` is a number, or the list of its components."""
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(value, list):
        element = ty.element_of(t)
        assert element is not None
        parts = [constant(ctx, v, element) for v in value]
        return parts[0] if len(parts) == 1 else ctx.b.const_composite(ctx.type(t), parts)
    assert not isinstance(value, str) and isinstance(t, (Scalar, Vector, Matrix))
    return scalar(ctx, value, t if isinstance(t, Scalar) else t.element)


def folded(ctx: Lowering, e: hir.Expr) -> int | None:
    """Return a constant for an expression that DXC's constant evaluator folds; ``None`` if it does not fold."""
    if not isinstance(e.type, (Scalar, Vector, Enum)) or e.type in (ty.VOID, ty.STRING):
        return None
    v = evaluation.evaluate(e)
    if v is None or isinstance(v, str):
        return None
    return constant(ctx, v, e.type)


def splat(ctx: Lowering, value: bool | int | float, t: Type) -> int:
    """Return a constant with ``value`` in every component of a scalar or vector type.

    For a matrix type, return one row.
    """
    element = ty.element_of(t)
    assert element is not None
    part = scalar(ctx, value, element)
    if isinstance(t, Matrix):
        n = t.cols if t.rows > 1 and t.cols > 1 else t.rows * t.cols
    else:
        n = t.size if isinstance(t, Vector) else 1
    return part if n == 1 else ctx.b.const_composite(ctx.b.vector(ctx.types.scalar(element), n), [part] * n)


def zero(ctx: Lowering, t: Type) -> int:
    """Return a constant with 0 in every component."""
    return splat(ctx, 0, t)


def one(ctx: Lowering, t: Type) -> int:
    """Return a constant with 1 in every component."""
    return splat(ctx, 1, t)


def null(ctx: Lowering, t: Type) -> int:
    """Return the id of OpConstantNull of a type without layout."""
    return ctx.b.const_null(ctx.type(t))


def declare_string(ctx: Lowering, v: hir.Variable) -> None:
    """Declare a string variable as OpString; its only use is as a format of ``printf``."""
    if isinstance(v.init, hir.Literal_) and isinstance(v.init.value, str):
        ctx.b.string(v.init.value)
    else:
        ctx.error(codes.STRING_UNINITIALIZED, v.pos, chunk=v.chunk)
