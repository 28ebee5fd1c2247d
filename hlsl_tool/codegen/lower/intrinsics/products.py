"""``mul``, ``dot``, ``transpose`` (manual: *mul*, *Appendix A. Matrix Representation*).

HLSL's rows are SPIR-V's columns, so operands of products are exchanged: ``mul(M, v)`` is OpVectorTimesMatrix.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Matrix, Scalar, Type
from hlsl_tool.spirv import op


def _element(t: Type) -> Scalar:
    element = ty.element_of(t)
    assert element is not None
    return element


@intrinsic("dot")
def _dot(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    x, y = arguments(ctx, c)
    return ctx.rvalue(dot(ctx, x, y, c.args[0].type, c), c.type)


def dot(ctx: Lowering, x: int, y: int, t: Type, call: hir.IntrinsicCall | None = None) -> int:
    """Return the dot product; integers, which have no instruction for it, are multiplied and added one by one.

    Those instructions have the positions of the operands of ``call``, and its own.
    """
    b, element, n = ctx.b, _element(t), ty.component_count(t)
    to = ctx.types.scalar(element)
    if element.category == "float":
        return b.binary(op.OpDot if n > 1 else op.OpFMul, to, x, y)
    if n == 1:
        return b.binary(op.OpIMul, to, x, y)
    products = []
    for i in range(n):
        if call is not None:
            ctx.at_begin(call.args[0])
        left = b.extract(x, i)
        if call is not None:
            ctx.at_begin(call.args[1])
        right = b.extract(y, i)
        if call is not None:
            ctx.at_begin(call)
        products.append(b.binary(op.OpIMul, to, left, right))
    total = products[0]
    for p in products[1:]:
        total = b.binary(op.OpIAdd, to, total, p)
    return total


@intrinsic("mul")
def _mul(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``mul`` of scalars, vectors and matrices."""
    first, second = c.args
    if _rank(first.type) == 0 and _rank(second.type) == 1:
        y, x = (memory.load(ctx, ctx.expr(a)).id for a in (second, first))
    else:
        x, y = arguments(ctx, c)
    return ctx.rvalue(_product(ctx, x, c.args[0].type, y, c.args[1].type, c.type), c.type)


def _rank(t: Type) -> int:
    """Return 0 for scalars, 1 for vectors and 1xN or Nx1 matrices, 2 for other matrices."""
    return 2 if casts.is_matrix(t) else 1 if ty.component_count(t) > 1 else 0


def _product(ctx: Lowering, x: int, tx: Type, y: int, t_y: Type, result: Type) -> int:
    b = ctx.b
    is_float = _element(result).category == "float"
    rx, ry, to = _rank(tx), _rank(t_y), ctx.type(result)
    if rx == 0 and ry == 0:
        return b.binary(op.OpFMul if is_float else op.OpIMul, to, x, y)
    if rx == 0 or ry == 0:
        whole, scalar, t = (y, x, t_y) if rx == 0 else (x, y, tx)
        return _times_scalar(ctx, whole, t, scalar, is_float, scalar_first=rx == 0)
    if rx == 1 and ry == 1:
        return _vectors(ctx, x, tx, y, t_y, result, is_float)
    if is_float:
        opcode = {(1, 2): op.OpMatrixTimesVector, (2, 1): op.OpVectorTimesMatrix, (2, 2): op.OpMatrixTimesMatrix}[
            rx, ry
        ]
        return b.binary(opcode, to, y, x)
    if rx == 1:
        assert isinstance(t_y, Matrix)
        return _vector_times_matrix(ctx, x, tx, _transposed(ctx, y, t_y), t_y.cols)
    if ry == 1:
        assert isinstance(tx, Matrix)
        rows = [dot(ctx, b.extract(x, i), y, casts.row_type(tx)) for i in range(tx.rows)]
        return b.construct(to, rows)
    assert isinstance(tx, Matrix) and isinstance(t_y, Matrix)
    columns, row = _transposed(ctx, y, t_y), casts.row_type(tx)
    return b.construct(to, [_vector_times_matrix(ctx, b.extract(x, i), row, columns, t_y.cols) for i in range(tx.rows)])


def _times_scalar(
    ctx: Lowering, whole: int, t: Type, scalar: int, is_float: bool, *, scalar_first: bool = False
) -> int:
    b = ctx.b
    if is_float:
        opcode = op.OpMatrixTimesScalar if casts.is_matrix(t) else op.OpVectorTimesScalar
        return b.binary(opcode, ctx.type(t), whole, scalar)
    if casts.is_matrix(t):
        row = casts.row_type(t)
        splat = casts.splat(ctx, scalar, row)
        return casts.each_row(ctx, whole, t, t, lambda r, i: b.binary(op.OpIMul, ctx.type(row), r, splat))
    splat = casts.splat(ctx, scalar, t)
    return b.binary(op.OpIMul, ctx.type(t), *((splat, whole) if scalar_first else (whole, splat)))


def _vectors(ctx: Lowering, x: int, tx: Type, y: int, t_y: Type, result: Type, is_float: bool) -> int:
    """Multiply two vectors: their dot product, or for a matrix ``result`` their outer product."""
    b = ctx.b
    if not casts.is_matrix(result):
        return dot(ctx, x, y, tx)
    assert isinstance(result, Matrix)
    rows = [_times_scalar(ctx, y, t_y, b.extract(x, i), is_float) for i in range(result.rows)]
    return b.construct(ctx.type(result), rows)


def _transposed(ctx: Lowering, m: int, t: Matrix) -> int:
    """Return the array of columns of an integer or boolean matrix, given its array of rows."""
    b = ctx.b
    elements = {(r, c): b.extract(m, r, c) for r in range(t.rows) for c in range(t.cols)}
    column = b.vector(ctx.types.scalar(t.element), t.rows)
    columns = [b.construct(column, [elements[r, c] for r in range(t.rows)]) for c in range(t.cols)]
    return b.construct(b.array(column, t.cols), columns)


def _vector_times_matrix(ctx: Lowering, x: int, tx: Type, columns: int, count: int) -> int:
    parts = [dot(ctx, x, ctx.b.extract(columns, i), tx) for i in range(count)]
    return ctx.b.construct(ctx.b.vector(ctx.types.scalar(_element(tx)), len(parts)), parts)


@intrinsic("transpose")
def _transpose(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    (m,) = arguments(ctx, c)
    t = c.args[0].type
    if not casts.is_matrix(t):
        return ctx.rvalue(m, c.type)
    if _element(t).category == "float":
        return ctx.rvalue(ctx.b.unary(op.OpTranspose, ctx.type(c.type), m), c.type)
    assert isinstance(t, Matrix)
    return ctx.rvalue(_transposed(ctx, m, t), c.type)
