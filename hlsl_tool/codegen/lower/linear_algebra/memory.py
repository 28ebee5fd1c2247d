"""Linear algebra intrinsics that load, store and add matrices in buffers and in groupshared memory.

A byte-address buffer is an array of words, whatever the components of a matrix are: offsets and strides are multiples
of 16 bytes. Those in groupshared memory count components. Sums are atomic, element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import access
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.linear_algebra import conversions, tables, vectors
from hlsl_tool.codegen.lower.linear_algebra.handles import PREFIX, MatrixHandle, handle, id_of, scalar_of
from hlsl_tool.codegen.lower.resources import atomic_opcodes, raw_memory
from hlsl_tool.codegen.lower.types import linear_algebra
from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import CooperativeMatrixLayout, Scope, StorageClass

_LAYOUTS = (CooperativeMatrixLayout.RowMajorKHR, CooperativeMatrixLayout.ColumnMajorKHR)
_ATOMIC_BITS = (32, 64)
"""Widths of integers with atomic sums."""


def _by_layout(ctx: Lowering, e: hir.Expr, access_memory: Callable[[int], None]) -> None:
    """Emit an access to memory for a layout; ``access_memory`` takes the id of a constant.

    A variable layout selects one of two accesses, because SPIR-V only has constant ones.
    """
    b, value = ctx.b, constants.evaluate(e)
    if isinstance(value, int) and value not in _LAYOUTS:
        ctx.fail(codes.LINEAR_ALGEBRA, e.pos, what="optimal layouts of matrices of a wave or a thread group")
    if isinstance(value, int):
        access_memory(b.const_uint(value))
        return
    by_rows, by_columns = (b.const_uint(layout) for layout in _LAYOUTS)
    rows, columns, merge = (b.new_block(f"matrix.{x}") for x in ("rows", "columns", "merge"))
    condition = b.binary(op.OpIEqual, b.bool_type(), id_of(ctx, e), by_rows)
    b.branch_conditional(condition, rows, columns, merge=merge)
    for block, layout in ((rows, by_rows), (columns, by_columns)):
        b.set_insert_point(block)
        access_memory(layout)
        b.branch(merge)
    b.set_insert_point(merge)


def _scaled(ctx: Lowering, value: int, factor: int, divisor: int) -> int:
    """Return ``value * factor / divisor`` of a ``uint``."""
    b, common = ctx.b, gcd(factor, divisor)
    if factor > common:
        value = b.binary(op.OpIMul, b.u32(), value, b.const_uint(factor // common))
    return b.binary(op.OpUDiv, b.u32(), value, b.const_uint(divisor // common)) if divisor > common else value


# --------------------------------------------------------------------------------------------------------- byte buffers


def _buffer_place(ctx: Lowering, buffer: hir.Expr, offset: hir.Expr, stride: hir.Expr) -> tuple[int, int]:
    """Return (pointer to the first word of a matrix, stride in words)."""
    b = ctx.b
    words = access.object_pointer(ctx, buffer).id
    pointer = b.access_chain(b.u32(), words, [b.const_uint(0), _scaled(ctx, id_of(ctx, offset), 1, 4)])
    return pointer, _scaled(ctx, id_of(ctx, stride), 1, 4)


@intrinsic(f"{PREFIX}MatrixLoadFromDescriptor")
def _load(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, buffer, offset, stride, layout, alignment)``."""
    if vectors.is_of_a_thread(c.args[0]):
        vectors.load(ctx, c)
        return
    m = handle(ctx, c.args[0])
    pointer, stride = _buffer_place(ctx, *c.args[1:4])
    opcode = op.OpCooperativeMatrixLoadKHR
    _by_layout(ctx, c.args[4], lambda layout: m.write(ctx, ctx.b.emit(opcode, m.type_id, pointer, layout, stride)))


@intrinsic(f"{PREFIX}MatrixStoreToDescriptor")
def _store(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, buffer, offset, stride, layout, alignment)``."""
    value, _ = handle(ctx, c.args[0]).load(ctx)
    pointer, stride = _buffer_place(ctx, *c.args[1:4])
    opcode = op.OpCooperativeMatrixStoreKHR
    _by_layout(ctx, c.args[4], lambda layout: ctx.b.emit_void(opcode, pointer, value, layout, stride))


# --------------------------------------------------------------------------------------------------- groupshared memory


def _array(ctx: Lowering, e: hir.Expr) -> tuple[int, Scalar, int]:
    """Return (pointer to a groupshared array, type of its scalars, scalars in an element)."""
    v: Value = ctx.expr(e)
    if v.is_rvalue or ctx.b.storage_of(v.id) != StorageClass.Workgroup:
        ctx.fail(codes.LINEAR_ALGEBRA, e.pos, what="matrices in an array that is not groupshared")
    assert isinstance(e.type, ty.Array)
    scalar = ty.element_of(e.type.element)
    assert scalar is not None
    return v.id, scalar, ty.component_count(e.type.element)


def _shared_place(ctx: Lowering, m: MatrixHandle, c: hir.IntrinsicCall) -> tuple[int, int]:
    """Return (pointer to the first element of a matrix, stride in elements of the array)."""
    array, scalar, count = _array(ctx, c.args[1])
    size = scalar.bits * count
    offset, stride = (_scaled(ctx, id_of(ctx, a), m.shape.bits, size) for a in c.args[2:4])
    element = ctx.types.scalar(scalar)
    pointee = ctx.b.vector(element, count) if count > 1 else element
    return ctx.b.access_chain(pointee, array, [offset]), stride


@intrinsic(f"{PREFIX}MatrixLoadFromMemory")
def _load_shared(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, array, offset, stride, layout)``."""
    m = handle(ctx, c.args[0])
    pointer, stride = _shared_place(ctx, m, c)
    rest = stride, tables.SHARED_LOAD, ctx.b.const_uint(Scope.Workgroup)
    opcode = op.OpCooperativeMatrixLoadKHR
    _by_layout(ctx, c.args[4], lambda layout: m.write(ctx, ctx.b.emit(opcode, m.type_id, pointer, layout, *rest)))


@intrinsic(f"{PREFIX}MatrixStoreToMemory")
def _store_shared(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, array, offset, stride, layout)``."""
    m = handle(ctx, c.args[0])
    value, _ = m.load(ctx)
    pointer, stride = _shared_place(ctx, m, c)
    rest = stride, tables.SHARED_STORE, ctx.b.const_uint(Scope.Workgroup)
    opcode = op.OpCooperativeMatrixStoreKHR
    _by_layout(ctx, c.args[4], lambda layout: ctx.b.emit_void(opcode, pointer, value, layout, *rest))


# --------------------------------------------------------------------------------------------------------- atomic sums


def _sum_opcode(ctx: Lowering, component: Scalar, pos: int) -> int:
    """Return the opcode of an atomic sum; report a type for which SPIR-V has none."""
    opcode = atomic_opcodes.opcode_of("Add", component)
    if component.is_integer and component.bits not in _ATOMIC_BITS:
        ctx.fail(codes.LINEAR_ALGEBRA, pos, what=f"atomic sums of '{component}'")
    atomic_opcodes.check_extension(ctx, opcode, component, f"an atomic sum of '{component}'", pos)
    return opcode


def _distances(ctx: Lowering, m: MatrixHandle, place: tuple[int, int, int], unit: int) -> Callable[[int], int]:
    """Return a function: number of an element → its distance from the start of the memory.

    ``place`` is (offset, stride, layout); ``unit`` is the distance of elements that follow each other.
    """
    b = ctx.b
    offset, stride, layout = place
    coordinates = m.coordinates(ctx)
    by_rows = b.binary(op.OpIEqual, b.bool_type(), layout, b.const_uint(CooperativeMatrixLayout.RowMajorKHR))

    def distance(index: int) -> int:
        row, column = coordinates(index)
        outer, inner = b.select(by_rows, row, column), b.select(by_rows, column, row)
        start = b.binary(op.OpIAdd, b.u32(), offset, b.binary(op.OpIMul, b.u32(), outer, stride))
        return b.binary(op.OpIAdd, b.u32(), start, _scaled(ctx, inner, unit, 1))

    return distance


@intrinsic(f"{PREFIX}MatrixAccumulateToDescriptor")
def _add(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, buffer, offset, stride, layout, alignment)``."""
    if vectors.is_of_a_thread(c.args[0]):
        vectors.add_product(ctx, c)
        return
    b, m = ctx.b, handle(ctx, c.args[0])
    component = scalar_of(ctx, m)
    opcode = _sum_opcode(ctx, component, c.pos)
    buffer = access.object_pointer(ctx, c.args[1]).id
    place = id_of(ctx, c.args[2]), id_of(ctx, c.args[3]), id_of(ctx, c.args[4])
    integer = ctx.b.int_type(component.bits, False)
    type_id = integer if component.is_integer else ctx.type(component)
    distance = _distances(ctx, m, place, component.bits // 8)

    def add(index: int, element: int) -> None:
        address = distance(index)
        value = b.load(element)
        if component.category == "int":
            value = b.unary(op.OpBitcast, integer, value)
        if type_id == b.u32():
            pointer = b.access_chain(type_id, buffer, [b.const_uint(0), _scaled(ctx, address, 1, 4)])
        else:
            pointer = raw_memory.typed_pointer(ctx, buffer, address, type_id)
        b.atomic(opcode, type_id, pointer, value)

    m.each_element(ctx, add)


@intrinsic(f"{PREFIX}MatrixAccumulateToMemory")
def _add_shared(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``(matrix, array, component type of the sums, offset, stride, layout)``."""
    b, m = ctx.b, handle(ctx, c.args[0])
    array, scalar, count = _array(ctx, c.args[1])
    number = constants.evaluate(c.args[2])
    target = linear_algebra.COMPONENTS.get(number) if isinstance(number, int) else None
    is_bits = target is ty.FLOAT and scalar.is_integer
    if target is None or target.bits != scalar.bits or not (is_bits or target.is_integer == scalar.is_integer):
        what = f"atomic sums of '{target or 'packed components'}' in a groupshared array of '{scalar}'"
        ctx.fail(codes.LINEAR_ALGEBRA, c.args[1].pos, what=what)
    opcode = 0 if is_bits else _sum_opcode(ctx, target, c.pos)
    place = id_of(ctx, c.args[3]), id_of(ctx, c.args[4]), id_of(ctx, c.args[5])
    source, type_id = scalar_of(ctx, m), ctx.types.scalar(scalar)
    distance = _distances(ctx, m, place, 1)

    def add(index: int, element: int) -> None:
        value = conversions.scalar(ctx, b.load(element), source, target)
        at = distance(index)
        indices = [_scaled(ctx, at, 1, count), b.binary(op.OpUMod, b.u32(), at, b.const_uint(count))]
        pointer = b.access_chain(type_id, array, indices if count > 1 else [at])
        if is_bits:
            _add_bits(ctx, pointer, type_id, value)
            return
        if b.type_id_of(value) != type_id:
            value = b.unary(op.OpBitcast, type_id, value)
        b.atomic(opcode, type_id, pointer, value, scope=Scope.Workgroup)

    m.each_element(ctx, add)


def _add_bits(ctx: Lowering, pointer: int, type_id: int, value: int) -> None:
    """Emit the loop that adds a ``float`` to one whose bits an integer holds, by comparisons and exchanges."""
    b = ctx.b
    seen = b.local_variable(type_id, "")
    b.store(seen, b.load(pointer))
    header, inside, continuing, merge = (b.new_block(f"matrix.{x}") for x in ("retry", "exchange", "again", "merge"))
    b.branch(header)
    b.set_insert_point(header)
    b.loop_merge(merge, continuing)
    b.branch(inside)
    b.set_insert_point(inside)
    expected = b.load(seen)
    total = b.binary(op.OpFAdd, b.f32(), b.unary(op.OpBitcast, b.f32(), expected), value)
    bits = b.unary(op.OpBitcast, type_id, total)
    b.store(seen, b.atomic_compare_exchange(type_id, pointer, bits, expected, scope=Scope.Workgroup))
    b.branch(continuing)
    b.set_insert_point(continuing)
    has_failed = b.binary(op.OpINotEqual, b.bool_type(), b.load(seen), expected)
    b.branch_conditional(has_failed, header, merge)
    b.set_insert_point(merge)
