"""Intrinsics that are a single instruction, applied to each component.

A matrix is lowered row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import INTRINSICS
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Matrix, Type
from hlsl_tool.spirv import glsl, op

# name -> instruction of GLSL.std.450: for floats, for signed and for unsigned integers (0: not for these)
GLSL: dict[str, tuple[int, int, int]] = {
    "round": (glsl.RoundEven, 0, 0),
    "acos": (glsl.Acos, 0, 0),
    "asin": (glsl.Asin, 0, 0),
    "atan": (glsl.Atan, 0, 0),
    "atan2": (glsl.Atan2, 0, 0),
    "ceil": (glsl.Ceil, 0, 0),
    "cos": (glsl.Cos, 0, 0),
    "cosh": (glsl.Cosh, 0, 0),
    "degrees": (glsl.Degrees, 0, 0),
    "exp": (glsl.Exp, 0, 0),
    "exp2": (glsl.Exp2, 0, 0),
    "floor": (glsl.Floor, 0, 0),
    "fma": (glsl.Fma, 0, 0),
    "frac": (glsl.Fract, 0, 0),
    "lerp": (glsl.FMix, 0, 0),
    "log": (glsl.Log, 0, 0),
    "log2": (glsl.Log2, 0, 0),
    "pow": (glsl.Pow, 0, 0),
    "radians": (glsl.Radians, 0, 0),
    "rsqrt": (glsl.InverseSqrt, 0, 0),
    "smoothstep": (glsl.SmoothStep, 0, 0),
    "step": (glsl.Step, 0, 0),
    "sin": (glsl.Sin, 0, 0),
    "sinh": (glsl.Sinh, 0, 0),
    "tan": (glsl.Tan, 0, 0),
    "tanh": (glsl.Tanh, 0, 0),
    "sqrt": (glsl.Sqrt, 0, 0),
    "trunc": (glsl.Trunc, 0, 0),
    "clamp": (glsl.FClamp, glsl.SClamp, glsl.UClamp),
    "abs": (glsl.FAbs, glsl.SAbs, 0),
    "min": (glsl.NMin, glsl.SMin, glsl.UMin),
    "max": (glsl.NMax, glsl.SMax, glsl.UMax),
}

FINITE = {glsl.NMin: glsl.FMin, glsl.NMax: glsl.FMax}
"""Instruction → its replacement under ``-ffinite-math-only``."""

# name -> instruction of GLSL.std.450 on whole vectors or matrices
WHOLE: dict[str, int] = {
    "cross": glsl.Cross,
    "distance": glsl.Distance,
    "determinant": glsl.Determinant,
    "faceforward": glsl.FaceForward,
    "length": glsl.Length,
    "normalize": glsl.Normalize,
    "reflect": glsl.Reflect,
    "refract": glsl.Refract,
}

# name -> SPIR-V instruction, component by component
PLAIN: dict[str, int] = {
    "fmod": op.OpFRem,
    "and": op.OpLogicalAnd,
    "or": op.OpLogicalOr,
    "isnan": op.OpIsNan,
    "isinf": op.OpIsInf,
}


def arguments(ctx: Lowering, e: hir.IntrinsicCall) -> list[int]:
    """Lower all arguments to r-values, in order."""
    return [memory.load(ctx, ctx.expr(a)).id for a in e.args]


def each(ctx: Lowering, t: Type, result: Type, args: Sequence[int], act: Callable[[Type, list[int]], int]) -> int:
    """Return ``act(result type, arguments)`` for scalars and vectors, for matrices on each row."""
    if not casts.is_matrix(t):
        return act(result, list(args))
    row = casts.row_type(result)
    rest = args[1:]
    return casts.each_row(
        ctx, args[0], t, result, lambda first, i: act(row, [first, *(ctx.b.extract(a, i) for a in rest)])
    )


def _category(t: Type) -> str:
    element = ty.element_of(t)
    assert element is not None
    return element.category


def fused(ctx: Lowering, t: Type, a: Sequence[int]) -> int:
    """Return ``a[0] * a[1] + a[2]``, rounded once where the extension for it is named."""
    if ctx.is_enabled("SPV_KHR_fma"):
        return ctx.b.emit(op.OpFmaKHR, ctx.type(t), *a)
    return ctx.b.glsl(glsl.Fma, ctx.type(t), *a)


def _glsl(ctx: Lowering, e: hir.IntrinsicCall) -> Value:
    args = arguments(ctx, e)
    number = GLSL[e.name][{"float": 0, "int": 1, "uint": 2}[_category(e.type)]]
    if number == 0:  # abs of unsigned integers
        return ctx.rvalue(args[0], e.type)
    if number == glsl.Fma:
        return ctx.rvalue(each(ctx, e.args[0].type, e.type, args, lambda t, a: fused(ctx, t, a)), e.type)
    if ctx.options.finite_math_only:
        number = FINITE.get(number, number)
    return ctx.rvalue(each(ctx, e.args[0].type, e.type, args, lambda t, a: ctx.b.glsl(number, ctx.type(t), *a)), e.type)


def _whole(ctx: Lowering, e: hir.IntrinsicCall) -> Value:
    args = arguments(ctx, e)
    if e.name == "determinant" and e.type is not e.args[0].type and ty.component_count(e.args[0].type) == 1:
        return ctx.rvalue(args[0], e.type)  # of a matrix with one element, which is a scalar
    return ctx.rvalue(ctx.b.glsl(WHOLE[e.name], ctx.type(e.type), *args), e.type)


def _plain(ctx: Lowering, e: hir.IntrinsicCall) -> Value:
    args, opcode = arguments(ctx, e), PLAIN[e.name]
    return ctx.rvalue(each(ctx, e.args[0].type, e.type, args, lambda t, a: ctx.b.emit(opcode, ctx.type(t), *a)), e.type)


for _table, _handler in ((GLSL, _glsl), (WHOLE, _whole), (PLAIN, _plain)):
    for _name in _table:
        INTRINSICS[_name] = _handler

__all__ = ["Matrix", "arguments", "each"]
