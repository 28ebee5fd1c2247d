"""Linear algebra intrinsics of single threads: conversions of vectors, and products with matrices in buffers.

The products are those of SPV_NV_cooperative_vector. A matrix of use ``A`` is a place in a buffer, an accumulator
holds the two factors of an outer product.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access, casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.linear_algebra import conversions, cooperative, packed
from hlsl_tool.codegen.lower.linear_algebra.handles import PREFIX, id_of
from hlsl_tool.codegen.lower.types import linear_algebra
from hlsl_tool.codegen.lower.types.linear_algebra import COMPONENTS, Shape
from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ComponentType, CooperativeVectorMatrixLayout

_INTERPRETATIONS = {
    2: ComponentType.SignedInt16NV,
    3: ComponentType.UnsignedInt16NV,
    4: ComponentType.SignedInt32NV,
    5: ComponentType.UnsignedInt32NV,
    6: ComponentType.SignedInt64NV,
    7: ComponentType.UnsignedInt64NV,
    8: ComponentType.Float16NV,
    9: ComponentType.Float32NV,
    10: ComponentType.Float64NV,
    packed.I8: ComponentType.SignedInt8NV,
    packed.U8: ComponentType.UnsignedInt8NV,
    packed.E4M3: ComponentType.FloatE4M3NV,
    packed.E5M2: ComponentType.FloatE5M2NV,
}
"""``ComponentType`` of ``dx/linalg.h`` → that of SPIR-V."""
_PACKED = {packed.I8: ComponentType.SignedInt8PackedNV, packed.U8: ComponentType.UnsignedInt8PackedNV}


def is_of_a_thread(e: hir.Expr) -> bool:
    """Return whether an argument is a matrix of a single thread."""
    shape = linear_algebra.shape_of(e.type)
    return shape is not None and shape.scope == linear_algebra.THREAD


def _shape(ctx: Lowering, e: hir.Expr, use: int) -> Shape:
    """Return the attributes of a matrix of a single thread; report other matrices."""
    shape = linear_algebra.shape_of(e.type)
    if shape is None or shape.scope != linear_algebra.THREAD or shape.use != use:
        ctx.fail(codes.LINEAR_ALGEBRA, e.pos, what=f"this operation on a matrix of type '{ty.display(e.type)}'")
    return shape


def load(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, buffer, offset, stride, layout, alignment)`` for a matrix that remains in the buffer."""
    matrix, buffer, *numbers = c.args[:5]
    _shape(ctx, matrix, linear_algebra.USE_A)
    if buffer.type is not ty.object_type("ByteAddressBuffer", ()):
        ctx.fail(codes.LINEAR_ALGEBRA, buffer.pos, what="products with matrices in a buffer that a shader can change")
    ctx.needs_legalization()
    parts = [access.object_pointer(ctx, buffer).id, *(id_of(ctx, number) for number in numbers)]
    write_out(ctx, matrix, ctx.b.construct(ctx.type(matrix.type), parts), matrix.type)


@intrinsic(f"{PREFIX}MatrixVectorMultiply", f"{PREFIX}MatrixVectorMultiplyAdd")
def _multiply(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, matrix, has signed result, vector, interpretation of the vector[, bias])``."""
    cooperative.check(ctx, c)
    b, (result, matrix, _, given, interpretation) = ctx.b, c.args[:5]
    shape = _shape(ctx, matrix, linear_algebra.USE_A)
    value = memory.load(ctx, ctx.expr(matrix)).id
    of_vector = _interpretation(ctx, interpretation, given, shape.columns)
    of_matrix = _INTERPRETATIONS.get(shape.component)
    if of_vector is None or of_matrix is None:
        ctx.fail(codes.LINEAR_ALGEBRA, c.pos, what="products of these component types")
    words = b.access_chain(b.runtime_array(b.u32(), 4), b.extract(value, 0), [b.const_uint(0)])
    vector = cooperative.input_of(ctx, given, of_vector, shape.columns)
    sizes = b.const_uint(shape.rows), b.const_uint(shape.columns)
    place = words, b.extract(value, 1), b.const_uint(of_matrix)
    laid_out = _layout(ctx, b.extract(value, 3))
    rest = b.extract(value, 2), *cooperative.signs_of(result.type, given.type)
    operands = (vector, b.const_uint(of_vector), *place, *sizes)
    vector_type = cooperative.vector_type(ctx, result.type)
    product = cooperative.by_layout(
        ctx,
        vector_type,
        laid_out,
        lambda t, layout, transposed: b.emit(
            op.OpCooperativeVectorMatrixMulNV, t, *operands, layout, transposed, *rest
        ),
    )
    if len(c.args) > 5:
        bias = casts.convert(ctx, memory.load(ctx, ctx.expr(c.args[5])), result.type)
        element = ty.element_of(result.type)
        opcode = op.OpFAdd if element is not None and element.category == "float" else op.OpIAdd
        product = b.binary(opcode, vector_type, product, cooperative.vector_of(ctx, bias))
    cooperative.write(ctx, result, product)


def _interpretation(ctx: Lowering, e: hir.Expr, vector: hir.Expr, columns: int) -> int | None:
    """Return SPIR-V's component type of a vector; four integers of 8 bits may be a ``uint``."""
    number = constants.evaluate(e)
    if not isinstance(number, int):
        return None
    if number in _PACKED and ty.component_count(vector.type) < columns:
        return _PACKED[number]
    return _INTERPRETATIONS.get(number)


def _layout(ctx: Lowering, layout: int) -> tuple[int, int]:
    """Return the layout and the transposition of a matrix, which become constants when a layout does."""
    b = ctx.b
    number, transposed = b.const_uint(cooperative.LAYOUTS[0][0]), b.const_bool(cooperative.LAYOUTS[0][1])
    for index, (value, is_transposed) in enumerate(cooperative.LAYOUTS[1:], 1):
        is_this = b.binary(op.OpIEqual, b.bool_type(), layout, b.const_uint(index))
        number = b.select(is_this, b.const_uint(value), number)
        transposed = b.select(is_this, b.const_bool(is_transposed), transposed)
    return number, transposed


# ----------------------------------------------------------------------------------------------------- sums in buffers


@intrinsic(f"{PREFIX}MatrixOuterProduct")
def _outer_product(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, column, row)``."""
    matrix, *factors = c.args
    shape = _shape(ctx, matrix, linear_algebra.ACCUMULATOR)
    sizes = (shape.rows, shape.columns)
    if [f.type for f in factors] != [ty.vector(ty.FLOAT16, size) for size in sizes]:
        what = "outer products of other vectors than those of 16-bit floats, which -enable-16bit-types has"
        ctx.fail(codes.LINEAR_ALGEBRA, c.pos, what=what)
    parts = [memory.load(ctx, ctx.expr(f)).id for f in factors]
    write_out(ctx, matrix, ctx.b.construct(ctx.type(matrix.type), parts), matrix.type)


def add_product(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, buffer, offset, stride, layout, alignment)`` for an outer product."""
    cooperative.check(ctx, c)
    b, (matrix, buffer, offset, stride) = ctx.b, c.args[:4]
    shape = _shape(ctx, matrix, linear_algebra.ACCUMULATOR)
    value = memory.load(ctx, ctx.expr(matrix)).id
    column, row = (
        cooperative.vector_of(ctx, ctx.rvalue(b.extract(value, i), ty.vector(ty.FLOAT16, size)))
        for i, size in enumerate((shape.rows, shape.columns))
    )
    if shape.component not in (8, 9):
        ctx.fail(codes.LINEAR_ALGEBRA, c.pos, what="sums of outer products that are not ComponentType::F16 or F32")
    numbers = (CooperativeVectorMatrixLayout.TrainingOptimalNV, _INTERPRETATIONS[shape.component])
    operands = (cooperative.words_of(ctx, buffer), id_of(ctx, offset), column, row, *map(b.const_uint, numbers))
    b.emit_void(op.OpCooperativeVectorOuterProductAccumulateNV, *operands, id_of(ctx, stride))


@intrinsic(f"{PREFIX}VectorAccumulateToDescriptor")
def _add(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(buffer, offset, alignment, vector)``."""
    cooperative.check(ctx, c)
    buffer, offset, _, vector = c.args
    value = cooperative.vector_of(ctx, memory.load(ctx, ctx.expr(vector)))
    operands = (cooperative.words_of(ctx, buffer), id_of(ctx, offset), value)
    ctx.b.emit_void(op.OpCooperativeVectorReduceSumAccumulateNV, *operands)


# --------------------------------------------------------------------------------------------------------- conversions


@intrinsic(f"{PREFIX}Convert")
def _convert(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(result, vector, component type of the vector, component type of the result)``."""
    b, target = ctx.b, c.args[0]
    given = memory.load(ctx, ctx.expr(c.args[1]))
    source, wanted = (_component_type(ctx, a) for a in c.args[2:])
    count, element = ty.component_count(target.type), ty.element_of(target.type)
    assert element is not None
    numbers, scalar = _numbers(ctx, c, given, source)
    if wanted in packed.IN_A_WORD:
        parts = packed.pack(ctx, numbers, scalar, wanted)
        scalar = ty.UINT
    else:
        parts = [conversions.scalar(ctx, number, scalar, COMPONENTS[wanted]) for number in numbers]
        scalar = COMPONENTS[wanted]
    parts = (parts + [b.const_null(ctx.type(scalar))] * count)[:count]
    converted = [casts.convert(ctx, ctx.rvalue(part, scalar), element).id for part in parts]
    value = b.construct(ctx.type(target.type), converted) if count > 1 else converted[0]
    write_out(ctx, target, value, target.type)


def _component_type(ctx: Lowering, e: hir.Expr) -> int:
    number = constants.evaluate(e)
    if not isinstance(number, int) or (number not in COMPONENTS and number not in packed.IN_A_WORD):
        ctx.fail(codes.LINEAR_ALGEBRA, e.pos, what=f"the component type {number}")
    return number


def _numbers(ctx: Lowering, c: hir.IntrinsicCall, given: Value, component: int) -> tuple[list[int], Scalar]:
    """Return the numbers of a vector, unpacked, and their type; report a vector of another type."""
    parts = casts.components(ctx, given.id, given.type)
    element = parts[0][1]
    ids = [part for part, _ in parts]
    if component in packed.IN_A_WORD:
        words = [casts.convert(ctx, ctx.rvalue(part, element), ty.UINT).id for part in ids]
        return packed.unpack(ctx, words, component, len(words) * packed.IN_A_WORD[component])
    expected = COMPONENTS[component]
    if (element.category, element.bits) != (expected.category, expected.bits):
        what = f"a vector of '{element}' as one of '{expected}'"
        ctx.fail(codes.LINEAR_ALGEBRA, c.args[1].pos, what=what)
    return ids, element
