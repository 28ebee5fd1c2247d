"""Matrices with known elements, for what SPIR-V does not have: coordinates of elements, and the identity.

SPIR-V can only load such a matrix from memory. Its numbers are in groupshared memory, which ``group.init`` fills.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.global_variables import module_init
from hlsl_tool.codegen.lower.types.linear_algebra import Shape
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, MemoryAccess, Scope, StorageClass

SHARED_LOAD = MemoryAccess.NonPrivatePointer | MemoryAccess.MakePointerVisible
SHARED_STORE = MemoryAccess.NonPrivatePointer | MemoryAccess.MakePointerAvailable
SHARED_MEMORY = 32768
"""Bytes of groupshared memory that Direct3D guarantees, and most devices with Vulkan have."""
_ROW_MAJOR, _COLUMN_MAJOR = 0, 1


def coordinates(ctx: Lowering, shape: Shape, component: Scalar) -> tuple[int, int]:
    """Return two matrices of a shape: one whose elements are their rows, and one whose elements are their columns."""
    count = max(shape.rows, shape.columns)
    table = _table(ctx, f"matrix.indices.{component.name}", component, count, lambda index: index)
    return _load(ctx, shape, table, _COLUMN_MAJOR, 0), _load(ctx, shape, table, _ROW_MAJOR, 0)


def identity(ctx: Lowering, shape: Shape, component: Scalar) -> int:
    """Return the identity matrix of a shape, which is square; report one that groupshared memory cannot hold."""
    b, size = ctx.b, shape.rows
    if size * size * shape.bits > 8 * SHARED_MEMORY:
        what = f"an identity of {size} x {size} '{component}' in {SHARED_MEMORY >> 10} KiB of groupshared memory"
        ctx.fail(codes.LINEAR_ALGEBRA, what=what)

    def element(index: int) -> int:
        place = b.binary(op.OpUMod, b.u32(), index, b.const_uint(size + 1))
        is_diagonal = b.binary(op.OpIEqual, b.bool_type(), place, b.const_uint(0))
        return b.select(is_diagonal, b.const_uint(1), b.const_uint(0))

    table = _table(ctx, f"matrix.identity.{component.name}", component, size * size, element)
    return _load(ctx, shape, table, _ROW_MAJOR, size)


def _load(ctx: Lowering, shape: Shape, table: int, layout: int, stride: int) -> int:
    b = ctx.b
    pointer = b.access_chain(ctx.types.matrix_component(shape), table, [b.const_uint(0)])
    operands = b.const_uint(layout), b.const_uint(stride), SHARED_LOAD, b.const_uint(Scope.Workgroup)
    return b.emit(op.OpCooperativeMatrixLoadKHR, ctx.types.matrix(shape), pointer, *operands)


def _table(ctx: Lowering, name: str, component: Scalar, count: int, element: Callable[[int], int]) -> int:
    """Return a groupshared array of ``count`` numbers; ``element`` emits the number at an index, a ``uint``."""
    key = name, count
    if key not in ctx.matrix_tables:
        b = ctx.b
        type_id = ctx.types.scalar(component)
        table = ctx.matrix_tables[key] = b.global_variable(b.array(type_id, count), StorageClass.Workgroup, name)
        local = ctx.input_builtin(BuiltIn.LocalInvocationIndex, b.u32(), "")

        def store(index: int) -> None:
            number = casts.convert(ctx, ctx.rvalue(element(index), ty.UINT), component).id
            b.store(b.access_chain(type_id, table, [index]), number)

        module_init.add_to_group(ctx, lambda: _fill(ctx, local, count, store))
    return ctx.matrix_tables[key]


def _fill(ctx: Lowering, local: int, count: int, store: Callable[[int], None]) -> None:
    """Write the loop in which the threads of a group store the numbers of a table."""
    b = ctx.b
    threads = min((x * y * z for x, y, z in ctx.group_sizes.values()), default=1)
    loop(ctx, b.load(local), b.const_uint(count), threads, store)


def loop(ctx: Lowering, start: int, end: int, step: int, body: Callable[[int], None]) -> None:
    """Emit ``for (uint i = start; i < end; i += step)``; ``body`` emits code for the index."""
    b = ctx.b
    counter = b.local_variable(b.u32(), "")
    check, inside, continuing, merge = (b.new_block(f"matrix.{x}") for x in ("check", "body", "continue", "merge"))
    b.store(counter, start)
    b.branch(check)
    b.set_insert_point(check)
    goes_on = b.binary(op.OpULessThan, b.bool_type(), b.load(counter), end)
    b.branch_conditional(goes_on, inside, merge, merge=merge, continuing=continuing)
    b.set_insert_point(inside)
    body(b.load(counter))
    b.branch(continuing)
    b.set_insert_point(continuing)
    b.store(counter, b.binary(op.OpIAdd, b.u32(), b.load(counter), b.const_uint(step)))
    b.branch(check)
    b.set_insert_point(merge)
