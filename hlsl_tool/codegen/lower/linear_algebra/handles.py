"""Matrix handles of linear algebra as arguments of intrinsics: their values, and places and numbers of elements."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.linear_algebra import tables
from hlsl_tool.codegen.lower.types import linear_algebra
from hlsl_tool.codegen.lower.types.linear_algebra import Shape
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.frontend.sema.scope.watched import LINEAR_ALGEBRA as PREFIX
from hlsl_tool.spirv import op

_EXTENSION = "SPV_KHR_cooperative_matrix"


@dataclass(slots=True)
class MatrixHandle:
    """A matrix that a wave or a thread group holds: the expression, its attributes and its SPIR-V type."""

    e: hir.Expr
    shape: Shape
    type_id: int

    def load(self, ctx: Lowering) -> tuple[int, Shape]:
        """Return (id of the matrix, its attributes)."""
        return memory.load(ctx, ctx.expr(self.e)).id, self.shape

    def write(self, ctx: Lowering, value: int) -> None:
        write_out(ctx, self.e, value, self.e.type)

    def pointer(self, ctx: Lowering) -> int:
        """Return a pointer to the matrix, or to a copy of it, of which elements can be accessed."""
        v = ctx.expr(self.e)
        return memory.temporary(ctx, v, "").id if v.is_rvalue else v.id

    def element(self, ctx: Lowering, pointer: int, index: int) -> int:
        """Return a pointer to an element that the current thread holds."""
        return ctx.b.access_chain(ctx.types.matrix_component(self.shape), pointer, [index])

    def length(self, ctx: Lowering) -> int:
        """Return the number of elements that the current thread holds."""
        return ctx.b.emit_raw(op.OpCooperativeMatrixLengthKHR, ctx.b.u32(), self.type_id)

    def has_element(self, ctx: Lowering, index: int) -> int:
        """Return whether the current thread holds an element of this number."""
        return ctx.b.binary(op.OpULessThan, ctx.b.bool_type(), index, self.length(ctx))

    def coordinates(self, ctx: Lowering) -> Callable[[int], tuple[int, int]]:
        """Return a function: number of an element that the current thread holds → its row and its column."""
        component = scalar_of(ctx, self)
        largest = {8: 128 if component.category == "int" else 256}.get(component.bits, 2048)
        if max(self.shape.rows, self.shape.columns) > largest:
            ctx.fail(codes.LINEAR_ALGEBRA, self.e.pos, what=f"coordinates of more than {largest} such elements")
        holders = [ctx.b.local_variable(self.type_id, "") for _ in ("row", "column")]
        for holder, matrix in zip(holders, tables.coordinates(ctx, self.shape, component), strict=True):
            ctx.b.store(holder, matrix)

        def place(index: int) -> tuple[int, int]:
            elements = (ctx.b.load(self.element(ctx, holder, index)) for holder in holders)
            row, column = (casts.convert(ctx, ctx.rvalue(x, component), ty.UINT).id for x in elements)
            return row, column

        return place

    def each_element(self, ctx: Lowering, act: Callable[[int, int], None]) -> None:
        """Emit a loop; ``act`` emits the code for (index, pointer to an element) of those the current thread holds."""
        pointer = self.pointer(ctx)
        zero = ctx.b.const_uint(0)
        tables.loop(ctx, zero, self.length(ctx), 1, lambda i: act(i, self.element(ctx, pointer, i)))


def handle(ctx: Lowering, e: hir.Expr) -> MatrixHandle:
    """Return the matrix that an argument names; report a matrix of a single thread."""
    shape = linear_algebra.shape_of(e.type)
    if shape is None or not shape.is_cooperative:
        ctx.fail(codes.LINEAR_ALGEBRA, e.pos, what=f"this operation on a matrix of type '{ty.display(e.type)}'")
    ctx.require_extension(_EXTENSION, "dx::linalg", e.pos)
    return MatrixHandle(e, shape, ctx.type(e.type))


def scalar_of(ctx: Lowering, m: MatrixHandle) -> Scalar:
    """Return the type of a matrix's elements; report one for which HLSL has no type."""
    component = linear_algebra.COMPONENTS.get(m.shape.component)
    if component is None:
        ctx.fail(codes.LINEAR_ALGEBRA, m.e.pos, what="this operation on floats of 8 bits and on bfloat16")
    return component


def id_of(ctx: Lowering, e: hir.Expr) -> int:
    """Lower an expression and return the id of its value."""
    return memory.load(ctx, ctx.expr(e)).id


__all__ = ["PREFIX", "MatrixHandle", "handle", "id_of", "scalar_of"]
