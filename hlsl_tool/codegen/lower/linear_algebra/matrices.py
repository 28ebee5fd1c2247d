"""Linear algebra intrinsics, ``__builtin_LinAlg_...``: matrices that a wave or a thread group holds.

Such a matrix is a cooperative matrix of SPV_KHR_cooperative_matrix. SPIR-V has neither the coordinates of an element
nor sums of matrices of different use: `tables` has the matrices with which they are computed.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.linear_algebra import conversions, tables
from hlsl_tool.codegen.lower.linear_algebra.handles import PREFIX, MatrixHandle, handle, id_of, scalar_of
from hlsl_tool.codegen.lower.types import linear_algebra
from hlsl_tool.codegen.lower.types.linear_algebra import ACCUMULATOR, USE_A, USE_B, Shape
from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import CooperativeMatrixOperands, Scope

_USE_CONVERSIONS = "SPV_NV_cooperative_matrix2"
_USES = ("A", "B", "Accumulator")


def _number(ctx: Lowering, shape: Shape, v: Value) -> int:
    """Return the id of a scalar, converted to the component type of a matrix."""
    component = linear_algebra.COMPONENTS.get(shape.component)
    number = casts.convert(ctx, v, component or ty.FLOAT).id
    if component is not None:
        return number
    return ctx.b.unary(op.OpFConvert, ctx.types.matrix_component(shape), number)


@intrinsic(f"{PREFIX}FillMatrix")
def _fill(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, value)``; the first active thread of a wave determines the value."""
    b, target = ctx.b, handle(ctx, c.args[0])
    v = memory.load(ctx, ctx.expr(c.args[1]))
    v = ctx.rvalue(casts.first(ctx, v), ty.element_of(v.type) or v.type)
    if target.shape.scope == linear_algebra.WAVE and not b.is_constant(v.id):
        scope = b.const_uint(Scope.Subgroup)
        v = ctx.rvalue(b.emit(op.OpGroupNonUniformBroadcastFirst, ctx.type(v.type), scope, v.id), v.type)
    target.write(ctx, b.construct(target.type_id, [_number(ctx, target.shape, v)]))


# --------------------------------------------------------------------------------------------------- products and sums


def _zero(ctx: Lowering, shape: Shape) -> int:
    return ctx.b.construct(ctx.types.matrix(shape), [ctx.b.const_null(ctx.types.matrix_component(shape))])


def _product(ctx: Lowering, left: tuple[int, Shape], right: tuple[int, Shape], addend: int, result: Shape) -> int:
    """Return ``left * right + addend``; ``result`` is the shape of the addend, too."""
    signs = 0
    flags = CooperativeMatrixOperands
    for shape, flag in (
        (left[1], flags.MatrixASignedComponentsKHR),
        (right[1], flags.MatrixBSignedComponentsKHR),
        (result, flags.MatrixCSignedComponentsKHR | flags.MatrixResultSignedComponentsKHR),
    ):
        if shape.category == "int":
            signs |= flag
    operands = (left[0], right[0], addend, *([signs] if signs else []))
    return ctx.b.emit(op.OpCooperativeMatrixMulAddKHR, ctx.types.matrix(result), *operands)


@intrinsic(f"{PREFIX}MatrixMatrixMultiply")
def _multiply(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    result, left, right = (handle(ctx, a) for a in c.args)
    addend = _zero(ctx, result.shape)
    result.write(ctx, _product(ctx, left.load(ctx), right.load(ctx), addend, result.shape))


@intrinsic(f"{PREFIX}MatrixMatrixMultiplyAccumulate")
def _multiply_accumulate(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, left, right, addend)``."""
    result, left, right, addend = (handle(ctx, a) for a in c.args)
    result.write(ctx, _product(ctx, left.load(ctx), right.load(ctx), addend.load(ctx)[0], result.shape))


@intrinsic(f"{PREFIX}MatrixAccumulate")
def _accumulate(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, left, right)``, the sum of an accumulator and a matrix of any use."""
    result, left, right = (handle(ctx, a) for a in c.args)
    if right.shape.use == ACCUMULATOR:
        left, right = right, left
    addend = conversions.component(ctx, *left.load(ctx), result.shape.component)
    if right.shape.use != ACCUMULATOR:
        result.write(ctx, _plus_identity(ctx, right, addend, result.shape))
        return
    value = conversions.component(ctx, *right.load(ctx), result.shape.component)
    opcode = op.OpFAdd if result.shape.category == "float" else op.OpIAdd
    result.write(ctx, ctx.b.binary(opcode, result.type_id, addend, value))


def _plus_identity(ctx: Lowering, m: MatrixHandle, addend: int, result: Shape) -> int:
    """Return the sum of an ``A`` or ``B`` matrix and an accumulator: the matrix is multiplied by the identity."""
    size = m.shape.columns if m.shape.use == USE_A else m.shape.rows
    factor = m.shape._replace(rows=size, columns=size, use=USE_B if m.shape.use == USE_A else USE_A)
    other = tables.identity(ctx, factor, scalar_of(ctx, m)), factor
    factors = (m.load(ctx), other) if m.shape.use == USE_A else (other, m.load(ctx))
    return _product(ctx, *factors, addend, result)


# --------------------------------------------------------------------------------------------------------- conversions


@intrinsic(f"{PREFIX}CopyConvertMatrix")
def _convert(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, source, transpose)``: a matrix with another component type, use or order of its elements."""
    result, source = handle(ctx, c.args[0]), handle(ctx, c.args[1])
    is_transposed = constants.evaluate(c.args[2])
    if is_transposed is None:
        ctx.fail(codes.LINEAR_ALGEBRA, c.pos, what="a transposition that is not a constant")
    becomes_accumulator = result.shape.use == ACCUMULATOR != source.shape.use
    if is_transposed or not becomes_accumulator:
        value = conversions.component(ctx, *source.load(ctx), result.shape.component)
        if is_transposed or source.shape.use != result.shape.use:
            value = _with_use(ctx, c, value, result, source.shape, is_transposed=bool(is_transposed))
        result.write(ctx, value)
        return
    has_sum = source.shape.category == result.shape.category and source.shape.bits <= result.shape.bits
    total = result.shape if has_sum else result.shape._replace(component=source.shape.component)
    value = _plus_identity(ctx, source, _zero(ctx, total), total)
    result.write(ctx, conversions.component(ctx, value, total, result.shape.component))


def _with_use(
    ctx: Lowering, c: hir.IntrinsicCall, value: int, result: MatrixHandle, source: Shape, *, is_transposed: bool
) -> int:
    """Return an accumulator as a matrix of another use, which SPV_NV_cooperative_matrix2 has; report other matrices."""
    what = f"a cast of MatrixUse::{_USES[source.use]} to MatrixUse::{_USES[result.shape.use]}"
    if is_transposed:
        what += " with transposition"
    if source.use != ACCUMULATOR or result.shape.use == ACCUMULATOR or (is_transposed and result.shape.use != USE_B):
        ctx.fail(codes.LINEAR_ALGEBRA, c.pos, what=what)
    ctx.require_extension(_USE_CONVERSIONS, what, c.pos)
    opcode = op.OpCooperativeMatrixTransposeNV if is_transposed else op.OpCooperativeMatrixConvertNV
    return ctx.b.unary(opcode, result.type_id, value)


# ------------------------------------------------------------------------------------------------------------ elements


@intrinsic(f"{PREFIX}MatrixLength")
def _length(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return ctx.rvalue(handle(ctx, c.args[0]).length(ctx), c.type)


@intrinsic(f"{PREFIX}MatrixQueryAccumulatorLayout")
def _accumulator_layout(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Return ``MatrixUse::A``: SPIR-V does not name the layout, and a program must work with either."""
    return ctx.rvalue(ctx.b.const_uint(USE_A), c.type)


@intrinsic(f"{PREFIX}MatrixGetCoordinate")
def _coordinate(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``(matrix, index)``: row and column, or the largest numbers if there is no such element."""
    b, m = ctx.b, handle(ctx, c.args[0])
    index = id_of(ctx, c.args[1])
    is_valid = m.has_element(ctx, index)
    places = m.coordinates(ctx)(b.select(is_valid, index, b.const_uint(0)))
    parts = [b.select(is_valid, place, b.const_uint(0xFFFFFFFF)) for place in places]
    return ctx.rvalue(b.construct(ctx.type(c.type), parts), c.type)


@intrinsic(f"{PREFIX}MatrixGetElement")
def _get(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, matrix, index)``: an element, or 0 if there is no such element."""
    b, target, m = ctx.b, c.args[0], handle(ctx, c.args[1])
    component = scalar_of(ctx, m)
    index = id_of(ctx, c.args[2])
    is_valid = m.has_element(ctx, index)
    element = b.load(m.element(ctx, m.pointer(ctx), b.select(is_valid, index, b.const_uint(0))))
    zero = b.const_null(ctx.type(component))
    write_out(ctx, target, b.select(is_valid, element, zero), component)


@intrinsic(f"{PREFIX}MatrixSetElement")
def _set(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, matrix, index, value)``: the matrix with one element replaced, if there is such an element."""
    b, target, m = ctx.b, handle(ctx, c.args[0]), handle(ctx, c.args[1])
    index = id_of(ctx, c.args[2])
    value = casts.convert(ctx, memory.load(ctx, ctx.expr(c.args[3])), scalar_of(ctx, m)).id
    is_valid = m.has_element(ctx, index)
    target.write(ctx, m.load(ctx)[0])
    place = target.element(ctx, target.pointer(ctx), b.select(is_valid, index, b.const_uint(0)))
    b.store(place, b.select(is_valid, value, b.load(place)))
