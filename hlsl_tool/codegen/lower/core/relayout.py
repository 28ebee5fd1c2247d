"""Convert r-values between the memory layouts of one HLSL type."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Struct, Type, Vector
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import TypeInfo


def plain(ctx: Lowering, value: int, t: Type) -> int:
    """Convert an r-value of a type with a layout to the type without layout."""
    return to_type(ctx, value, t, ctx.type(t))


def vector_of_array(ctx: Lowering, array: int, t: Vector | Matrix) -> int:
    """Return the vector of a 1xN or Nx1 matrix that FXC's layout stores as an array of scalars."""
    element = ctx.b.type_of(array).elem.id
    count = t.size if isinstance(t, Vector) else t.rows * t.cols
    vector = ctx.b.vector(element, count)
    return ctx.b.construct(vector, [ctx.b.extract(array, i) for i in range(count)])


def has_bool(t: Type) -> bool:
    """Return whether a numeric type has boolean components."""
    element = ty.element_of(t)
    return element is not None and element.category == "bool"


def without_layout(ctx: Lowering, value: int, t: Type) -> int:
    """Convert a number loaded from memory with a layout: integers become booleans where ``t`` has booleans."""
    if not has_bool(t) or ctx.b.type_id_of(value) == ctx.type(t):
        return value
    if casts.is_matrix(t):
        assert isinstance(t, Matrix)
        as_uint = ty.matrix(ty.UINT, t.rows, t.cols)
        return casts.each_row(
            ctx, value, as_uint, t, lambda row, i: casts.numeric(ctx, row, casts.row_type(as_uint), casts.row_type(t))
        )
    return casts.to_bool(ctx, value, ty.with_element(t, ty.UINT), ctx.type(t))


def holds_columns(info: TypeInfo) -> bool:
    """Return whether a type is or contains a matrix that is an array of columns."""
    if info.kind == "struct":
        return any(holds_columns(member) for member in info.member_types)
    return info.is_columns or (info.kind == "array" and holds_columns(info.elem))


def to_type(ctx: Lowering, value: int, t: Type, target_type: int) -> int:
    """Convert an r-value of HLSL type ``t`` to ``target_type``, a SPIR-V type with another layout."""
    b = ctx.b
    have = b.type_id_of(value)
    if have == target_type:
        return value
    if isinstance(t, ObjectType):
        if b.type_info(target_type).kind == "node_payload_array":
            ctx.fail(codes.FEATURE_UNSUPPORTED, what="a variable for records of several parameters")
        return value
    if casts.is_matrix(t) and isinstance(t, Matrix):
        return _matrix_to_type(ctx, value, t, have, target_type)
    if ty.is_numeric(t) or isinstance(t, ty.Enum):
        return _numeric_to_type(ctx, value, t, have, target_type)
    if ctx.version_at_least(1, 4) and not _contains_bool(t) and not _changes_columns(ctx, have, target_type, t):
        return b.unary(op.OpCopyLogical, target_type, value)
    if isinstance(t, Array):
        info = b.type_info(target_type)
        return b.construct(
            target_type, [to_type(ctx, b.extract(value, i), t.element, info.elem.id) for i in range(t.size or 0)]
        )
    assert isinstance(t, Struct)
    info = b.type_info(target_type)
    members: list[int] = []
    for p in ctx.types.words(t):
        members.append(to_type(ctx, b.extract(value, p.index), p.stored_type, info.member_types[p.index].id))
    return b.construct(target_type, members)


def _transposed(ctx: Lowering, columns: int, rows: int) -> int:
    """Return the array of row vectors of a matrix, given its array of column vectors."""
    b = ctx.b
    parts = [b.extract(columns, c) for c in range(b.type_of(columns).count)]
    row_values = [_component_of_each(ctx, parts, r) for r in range(rows)]
    return b.construct(b.array(b.type_id_of(row_values[0]), rows), row_values)


def _component_of_each(ctx: Lowering, vectors: list[int], i: int) -> int:
    """Return a vector of the components at index ``i`` of several vectors."""
    b = ctx.b
    parts = [b.extract(v, i) for v in vectors]
    return b.construct(b.vector(b.type_id_of(parts[0]), len(parts)), parts)


def _changes_columns(ctx: Lowering, source: int, target: int, t: Type) -> bool:
    """Return whether a conversion of ``t`` from the SPIR-V type ``source`` to ``target`` must rebuild values.

    It must if ``t`` contains matrices stored as arrays of columns, or long vectors stored as arrays: with and without a
    layout, their elements differ.
    """
    b = ctx.b
    if b.has_long_vectors and ctx.is_enabled("SPV_EXT_long_vector") and _has_long_vectors(t):
        return True
    return b.has_columns and (holds_columns(b.type_info(source)) or holds_columns(b.type_info(target)))


def _has_long_vectors(t: Type) -> bool:
    t = ty.innermost(t)
    if isinstance(t, Struct):
        return any(_has_long_vectors(f.type) for f in t.all_fields())
    return isinstance(t, Vector) and t.size > ty.MAX_SHORT_VECTOR


def rebuild(ctx: Lowering, value: int, t: Type) -> int:
    """Construct a value without layout from the scalars of a value with one: contents of a ``ConstantBuffer<T>``."""
    b = ctx.b
    if isinstance(t, Struct):
        parts = [rebuild(ctx, b.extract(value, p.index), p.stored_type) for p in ctx.types.words(t)]
        return b.construct(ctx.type(t), parts)
    if isinstance(t, Array):
        return b.construct(ctx.type(t), [rebuild(ctx, b.extract(value, i), t.element) for i in range(t.size or 0)])
    if isinstance(t, ObjectType) or b.type_of(value).kind in ("int", "float", "bool") or has_bool(t):
        return to_type(ctx, value, t, ctx.type(t))
    if casts.is_matrix(t) and isinstance(t, Matrix):
        row = ctx.type(casts.row_type(t))
        parts = [b.extract(value, r, c) for r in range(t.rows) for c in range(t.cols)]
        rows = [b.construct(row, parts[r * t.cols : (r + 1) * t.cols]) for r in range(t.rows)]
        return b.construct(ctx.type(t), rows)
    return b.construct(ctx.type(t), [b.extract(value, i) for i in range(ty.component_count(t))])


def _numeric_to_type(ctx: Lowering, value: int, t: Type, source: int, target: int) -> int:
    b = ctx.b
    a, w = b.type_info(source), b.type_info(target)
    if a.kind == "array" or w.kind == "array":  # a 1xN matrix in a DX constant buffer is an array of scalars
        n = ty.component_count(t)
        parts = [b.extract(value, i) for i in range(n)]
        if a.elem.kind != w.elem.kind and (scalar := ty.element_of(t)) is not None:
            parts = [_numeric_to_type(ctx, part, scalar, a.elem.id, w.elem.id) for part in parts]
        return b.construct(target, parts)
    if a.scalar.kind == "bool" and w.scalar.kind == "int":
        return casts.numeric(ctx, value, t, ty.with_element(t, ty.UINT))
    if w.scalar.kind == "bool" and a.scalar.kind == "int":
        return casts.to_bool(ctx, value, ty.with_element(t, ty.UINT), target)
    return value


def _contains_bool(t: Type) -> bool:
    return any(s is ty.BOOL for s in ty.flatten(t))


def _matrix_to_type(ctx: Lowering, value: int, t: Matrix, source: int, target: int) -> int:
    b = ctx.b
    if t.element.category == "float":
        return value
    info = b.type_info(target)
    if info.kind != "array":
        return value
    row = casts.row_type(t)
    if b.type_info(source).is_columns:
        value = _transposed(ctx, value, t.rows)
        source = b.type_id_of(value)
    row_wanted = b.vector(info.elem.scalar.id, t.cols)
    parts = [to_type(ctx, b.extract(value, i), row, row_wanted) for i in range(t.rows)]
    if not info.is_columns:
        return b.construct(target, parts)
    return b.construct(target, [_component_of_each(ctx, parts, c) for c in range(t.cols)])
