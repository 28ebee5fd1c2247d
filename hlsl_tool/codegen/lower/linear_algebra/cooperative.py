"""Intrinsics that the headers ``vk/khr/cooperative_matrix.h`` and ``dx/linalg.h`` need beyond inline SPIR-V.

Those for ``dx/linalg.h`` are the instructions of SPV_NV_cooperative_vector. A matrix or bias is a byte-address buffer;
the instruction takes a pointer to its array of words. HLSL vectors are converted to and from cooperative vectors
component by component. Interpretations and layouts are SPIR-V's numbers, which the header defines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access, casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.linear_algebra import packed
from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ComponentType, CooperativeMatrixOperands, CooperativeVectorMatrixLayout

_EXTENSION = "SPV_NV_cooperative_vector"
_SMALL_FLOATS = {ComponentType.FloatE4M3NV: packed.E4M3, ComponentType.FloatE5M2NV: packed.E5M2}
"""Interpretation of a vector → the component type of the numbers that its words hold."""
_BUFFERS = ("ByteAddressBuffer", "RWByteAddressBuffer")


@intrinsic("__builtin_spv_CooperativeMatrixLengthKHR")
def _length(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``__builtin_spv_CooperativeMatrixLengthKHR<T>()``, whose instruction takes a type as its operand."""
    (matrix,) = c.template_args
    return ctx.rvalue(ctx.b.emit_raw(op.OpCooperativeMatrixLengthKHR, ctx.type(c.type), ctx.type(matrix)), c.type)


def check(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Report a call if cooperative vectors may not be used."""
    ctx.require_extension(_EXTENSION, "dx::linalg", c.pos)
    ctx.needs_legalization()  # the header has buffers in structs


def _id(ctx: Lowering, e: hir.Expr) -> int:
    return memory.load(ctx, ctx.expr(e)).id


def _constant(ctx: Lowering, e: hir.Expr) -> int:
    """Return an operand that must be a 32-bit constant; report others."""
    value = constants.evaluate(e)
    if not isinstance(value, int):
        ctx.fail(codes.FEATURE_UNSUPPORTED, e.pos, what="a matrix of dx::linalg whose description is no constant")
    return value & 0xFFFFFFFF


def words_of(ctx: Lowering, e: hir.Expr) -> int:
    """Return a pointer to a byte-address buffer's array of words."""
    buffer = access.object_pointer(ctx, e)
    if not isinstance(e.type, ObjectType) or e.type.name not in _BUFFERS:
        ctx.fail(codes.FEATURE_UNSUPPORTED, e.pos, what=f"a matrix of dx::linalg in a '{e.type}'")
    b = ctx.b
    words = b.runtime_array(b.u32(), 4)
    return b.access_chain(words, buffer.id, [b.const_uint(0)])


def vector_type(ctx: Lowering, t: Type) -> int:
    """Return the id of the cooperative vector type with the component type and count of an HLSL vector."""
    if ty.component_count(t) > 4 and ctx.is_enabled("SPV_EXT_long_vector"):
        return ctx.type(t)  # which becomes the same type, and a module may not declare it twice
    element = ty.element_of(t)
    assert element is not None
    if element.bits > 32:
        ctx.fail(codes.LINEAR_ALGEBRA, what=f"cooperative vectors of '{element}'")
    component = ctx.types.scalar(element)
    count = ctx.b.const_uint(ty.component_count(t))
    number = ctx.b.opaque(op.OpTypeCooperativeVectorNV, (component, count), kind="cooperative_vector")
    ctx.b.types[number].element = ctx.b.types[component]
    return number


def _vector(ctx: Lowering, e: hir.Expr) -> int:
    return vector_of(ctx, memory.load(ctx, ctx.expr(e)))


def vector_of(ctx: Lowering, value: Value) -> int:
    """Return the cooperative vector with the components of an HLSL vector."""
    parts = [part for part, _ in casts.components(ctx, value.id, value.type)]
    return ctx.b.construct(vector_type(ctx, value.type), parts)


def write(ctx: Lowering, target: hir.Expr, value: int) -> None:
    """Store a cooperative vector to an ``out`` argument of vector type."""
    t = target.type
    parts = [ctx.b.extract(value, i) for i in range(ty.component_count(t))]
    write_out(ctx, target, ctx.b.construct(ctx.type(t), parts) if len(parts) > 1 else parts[0], t)


def signs_of(result: Type, given: Type) -> list[int]:
    """Return the cooperative matrix operands that flag signed integer components; an empty list without any."""
    signs = 0
    if (element := ty.element_of(result)) is not None and element.category == "int":
        signs |= CooperativeMatrixOperands.MatrixResultSignedComponentsKHR
    if (element := ty.element_of(given)) is not None and element.category == "int":
        signs |= CooperativeMatrixOperands.MatrixBSignedComponentsKHR
    return [signs] if signs else []


def input_of(ctx: Lowering, e: hir.Expr, interpretation: int, columns: int) -> int:
    """Return the vector of a product; floats of 8 bits, four in a ``uint``, become 16-bit floats."""
    value = memory.load(ctx, ctx.expr(e))
    element = ty.element_of(value.type)
    if interpretation not in _SMALL_FLOATS or element is None or not element.is_integer:
        return vector_of(ctx, value)
    words = [word for word, _ in casts.components(ctx, value.id, value.type)]
    numbers, source = packed.unpack(ctx, words, _SMALL_FLOATS[interpretation], columns)
    parts = [casts.convert(ctx, ctx.rvalue(number, source), ty.FLOAT16).id for number in numbers]
    return ctx.b.construct(vector_type(ctx, ty.vector(ty.FLOAT16, columns)), parts)


def _multiply(ctx: Lowering, c: hir.IntrinsicCall, opcode: int, bias: Sequence[int] = ()) -> None:
    """Emit a matrix-vector product.

    The arguments begin with result, vector, matrix and matrix offset. They end with the matrix's stride, the
    interpretations of vector and matrix, the number of columns, the layout, and whether the matrix is transposed; the
    last two must be constants after legalisation.
    """
    result, given, matrix, offset = c.args[:4]
    stride, *described, layout, transposed = c.args[-6:]
    numbers = [_constant(ctx, x) for x in described]
    vector, of_matrix, k = map(ctx.b.const_uint, numbers)
    m = ctx.b.const_uint(ty.component_count(result.type))
    value = input_of(ctx, given, numbers[0], numbers[2])
    matrix_at = words_of(ctx, matrix), _id(ctx, offset)
    laid_out = _id(ctx, layout), _id(ctx, transposed)
    rest = _id(ctx, stride), *signs_of(result.type, given.type)
    operands = (value, vector, *matrix_at, of_matrix, *bias, m, k)
    product = by_layout(
        ctx,
        vector_type(ctx, result.type),
        laid_out,
        lambda t, layout, transposed: ctx.b.emit(opcode, t, *operands, layout, transposed, *rest),
    )
    write(ctx, result, product)


LAYOUTS = (
    (CooperativeVectorMatrixLayout.RowMajorNV, False),
    (CooperativeVectorMatrixLayout.ColumnMajorNV, False),
    (CooperativeVectorMatrixLayout.InferencingOptimalNV, False),
    (CooperativeVectorMatrixLayout.InferencingOptimalNV, True),
    (CooperativeVectorMatrixLayout.TrainingOptimalNV, False),
    (CooperativeVectorMatrixLayout.TrainingOptimalNV, True),
)
"""Layouts, and whether the matrix is transposed; ``MatrixLayout`` of ``dx/linalg.h`` is an index."""


def by_layout(ctx: Lowering, type_id: int, laid_out: tuple[int, int], product: Callable[[int, int, int], int]) -> int:
    """Emit a product and return its id; ``product`` takes its type, and the ids of layout and transposition.

    Both must be constants. After legalisation they are; in a module that is not legalised, variables select one of six
    products.
    """
    b = ctx.b
    is_finished = not ctx.options.codegen_only and ctx.stage != "lib"
    if is_finished or all(map(b.is_constant, laid_out)):
        return product(type_id, *laid_out)
    zero, one, two = map(b.const_uint, range(3))
    selector = b.binary(op.OpIMul, b.u32(), laid_out[0], two)
    selector = b.binary(op.OpIAdd, b.u32(), selector, b.select(laid_out[1], one, zero))
    holder = b.local_variable(type_id, "product")
    blocks = [b.new_block(f"product.{number}.{is_transposed:d}") for number, is_transposed in LAYOUTS]
    merge = b.new_block("product.merge")
    targets = [
        (2 * number + is_transposed, block) for (number, is_transposed), block in zip(LAYOUTS, blocks, strict=True)
    ]
    b.switch(selector, blocks[0], targets[1:], merge=merge)
    for (number, is_transposed), block in zip(LAYOUTS, blocks, strict=True):
        b.set_insert_point(block)
        b.store(holder, product(type_id, b.const_uint(number), b.const_bool(is_transposed)))
        b.branch(merge)
    b.set_insert_point(merge)
    return b.load(holder)


@intrinsic("__builtin_spv_CooperativeVectorMatrixMulNV")
def _product(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    check(ctx, c)
    _multiply(ctx, c, op.OpCooperativeVectorMatrixMulNV)


@intrinsic("__builtin_spv_CooperativeVectorMatrixMulAddNV")
def _sum_of_products(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower the product with a bias.

    Its buffer, offset and interpretation are the arguments after the matrix offset.
    """
    check(ctx, c)
    bias = words_of(ctx, c.args[4]), _id(ctx, c.args[5]), ctx.b.const_uint(_constant(ctx, c.args[6]))
    _multiply(ctx, c, op.OpCooperativeVectorMatrixMulAddNV, bias)


@intrinsic("__builtin_spv_CooperativeVectorOuterProductAccumulateNV")
def _outer_product(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower the outer product; arguments are (a, b, matrix, offset, stride, layout, interpretation)."""
    check(ctx, c)
    a, b, matrix, offset, stride, layout, interpretation = c.args
    at = words_of(ctx, matrix), _id(ctx, offset)
    described = [ctx.b.const_uint(_constant(ctx, x)) for x in (layout, interpretation)]
    operands = (*at, _vector(ctx, a), _vector(ctx, b), *described, _id(ctx, stride))
    ctx.b.emit_void(op.OpCooperativeVectorOuterProductAccumulateNV, *operands)


@intrinsic("__builtin_spv_CooperativeVectorReduceSumAccumulateNV")
def _sum(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower the sum reduction; arguments are (vector, buffer, offset)."""
    check(ctx, c)
    v, buffer, offset = c.args
    operands = (words_of(ctx, buffer), _id(ctx, offset), _vector(ctx, v))
    ctx.b.emit_void(op.OpCooperativeVectorReduceSumAccumulateNV, *operands)
