"""Loads and stores, and values taken apart and put together where layouts differ.

Whether memory has a layout is seen from its type id: where it differs from the type without layout, booleans are
unsigned integers in it, and structs are other types.  Manual: *Expressions*, assignment between layouts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.layout.rules import Rule, extent
from hlsl_tool.lower.core import casts, constants
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.types import is_opaque, is_structured_or_byte_buffer
from hlsl_tool.lower.core.values import Value
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Array, Matrix, ObjectType, Struct, Type, Vector, innermost
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import TypeInfo


def load(ctx: Lowering, v: Value) -> Value:
    """The r-value of an l-value; an r-value as it is.

    Arrays of opaque objects and buffers are not loaded: what copies them copies pointers (legalisation takes it from
    there).
    """
    if v.is_rvalue:
        return v
    t = v.type
    if isinstance(t, Array) and is_opaque(innermost(t)):
        return v
    if v.is_alias:
        return Value(ctx.b.load(v.id), t, False)
    if ctx.types.is_pointer_array(t):
        ctx.needs_legalization()
        return Value(_pointers(ctx, v.id, t), t, True)
    if is_structured_or_byte_buffer(t) or (isinstance(t, Array) and is_structured_or_byte_buffer(innermost(t))):
        return v
    is_ordered = v.rasterizer_ordered and not isinstance(t, ObjectType)
    if is_ordered:
        begin_interlock(ctx)
    loaded = ctx.b.load(v.id, align=alignment(ctx, v)) if v.row is None else _load_row(ctx, v)
    if is_ordered:
        end_interlock(ctx)
    if ctx.types.has_columns and _holds_columns(ctx.b.type_of(loaded)):
        return ctx.rvalue(plain(ctx, loaded, t), t)
    if v.bits is not None:
        loaded = _extract_bits(ctx, loaded, v)
    if isinstance(t, (Vector, Matrix)) and ctx.b.type_of(loaded).kind == "array" and not casts.is_matrix(t):
        loaded = _vector_of_array(ctx, loaded, t)
    return Value(without_layout(ctx, loaded, t), t, True) if _has_bool(t) else ctx.rvalue(loaded, t)


def _pointers(ctx: Lowering, array: int, t: Type) -> int:
    """The pointers to the buffers of an array, which is one of buffers (a global) or one of pointers (a local)."""
    b = ctx.b
    info = b.pointee_of(array)
    if not isinstance(t, Array):
        return b.load(array) if info.kind == "pointer" else array
    element = info.elem.id
    parts = [_pointers(ctx, b.access_chain(element, array, [b.const_i32(i)]), t.element) for i in range(t.size or 0)]
    return b.construct(ctx.type(t), parts)


def _load_row(ctx: Lowering, v: Value) -> int:
    """A row of a matrix whose columns are contiguous."""
    b = ctx.b
    parts = [b.load(pointer, align=alignment(ctx, v)) for pointer in _row_pointers(ctx, v)]
    return b.construct(b.vector(b.type_id_of(parts[0]), len(parts)), parts)


def _row_pointers(ctx: Lowering, v: Value) -> list[int]:
    """Pointers to the components of a row."""
    assert v.row is not None
    columns = ctx.b.pointee_of(v.id)
    component = columns.elem.elem.id
    return [ctx.b.access_chain(component, v.id, [ctx.b.const_i32(c), v.row]) for c in range(columns.count)]


def _holds_columns(info: TypeInfo) -> bool:
    """Whether a type is or contains a matrix that is an array of columns."""
    if info.kind == "struct":
        return any(_holds_columns(member) for member in info.member_types)
    return info.is_columns or (info.kind == "array" and _holds_columns(info.elem))


def set_alignment(ctx: Lowering, pointer: int, alignment: int) -> None:
    """What a physical pointer is known to be aligned to."""
    ctx.alignments[pointer] = alignment


def alignment(ctx: Lowering, v: Value) -> int:
    """Alignment operand of accesses through physical pointers, ``0`` for others.

    It is what ``vk::BufferPointer`` says of a pointer, and of a pointer in memory, as DXC has it; else that of the
    type.
    """
    if ctx.b.storage_of(v.id) != e.StorageClass.PhysicalStorageBuffer:
        return 0
    if v.id in ctx.alignments:
        return ctx.alignments[v.id]
    if isinstance(v.type, ObjectType) and v.type.name == "vk::BufferPointer" and isinstance(v.type.args[1], int):
        return v.type.args[1] or 8
    rows = ctx.types.default_row_major
    return extent(v.type, ctx.types.sbuffer_rule, rows, rows).align


def _vector_of_array(ctx: Lowering, array: int, t: Vector | Matrix) -> int:
    """A 1xN or Nx1 matrix that FXC's layout spreads over an array (manual: *Memory layout of matrices*)."""
    element = ctx.b.type_of(array).elem.id
    count = t.size if isinstance(t, Vector) else t.rows * t.cols
    vector = ctx.b.vector(element, count)
    return ctx.b.construct(vector, [ctx.b.extract(array, i) for i in range(count)])


def _has_bool(t: Type) -> bool:
    element = ty.element_of(t)
    return element is not None and element.category == "bool"


def without_layout(ctx: Lowering, value: int, t: Type) -> int:
    """A numeric value as read from memory, booleans made of their integers."""
    if not _has_bool(t) or ctx.b.type_id_of(value) == ctx.type(t):
        return value
    if casts.is_matrix(t):
        assert isinstance(t, Matrix)
        as_uint = ty.matrix(ty.UINT, t.rows, t.cols)
        return casts.each_row(
            ctx, value, as_uint, t, lambda row, i: casts.numeric(ctx, row, casts.row_type(as_uint), casts.row_type(t))
        )
    return casts.to_bool(ctx, value, ty.with_element(t, ty.UINT), ctx.type(t))


def _extract_bits(ctx: Lowering, word: int, v: Value) -> int:
    assert v.bits is not None
    element = ty.element_of(v.type)
    signed = element is not None and element.category == "int"
    if ctx.b.type_of(word).width != 32:  # the bit-field instructions are for 32 bits only
        return _shift_out_bits(ctx, word, v.bits, signed)
    offset, width = (ctx.b.const_uint(n) for n in v.bits)
    opcode = op.OpBitFieldSExtract if signed else op.OpBitFieldUExtract
    return ctx.b.emit(opcode, ctx.b.type_id_of(word), word, offset, width)


def _shift_out_bits(ctx: Lowering, word: int, bits: tuple[int, int], signed: bool) -> int:
    b = ctx.b
    t, total = b.type_id_of(word), b.type_of(word).width
    offset, width = bits
    up = b.binary(op.OpShiftLeftLogical, t, word, b.const_uint(total - offset - width))
    down = op.OpShiftRightArithmetic if signed else op.OpShiftRightLogical
    return b.binary(down, t, up, b.const_uint(total - width))


def insert_bits(ctx: Lowering, word: int, value: int, bits: tuple[int, int]) -> int:
    """``word`` with ``value`` in the bits (offset, width) of it."""
    b = ctx.b
    t, total = b.type_id_of(word), b.type_of(word).width
    offset, width = bits
    if total == 32:
        return b.emit(op.OpBitFieldInsert, t, word, value, b.const_uint(offset), b.const_uint(width))
    mask = ((1 << width) - 1) << offset
    unsigned = b.int_type(total, False)
    kept = b.binary(op.OpBitwiseAnd, t, word, b.const_scalar(mask ^ ((1 << total) - 1), unsigned))
    shifted = b.binary(op.OpShiftLeftLogical, t, b.unary(op.OpBitcast, t, value), b.const_uint(offset))
    return b.binary(op.OpBitwiseOr, t, kept, b.binary(op.OpBitwiseAnd, t, shifted, b.const_scalar(mask, unsigned)))


def store(ctx: Lowering, target: Value, value: Value) -> None:
    """Write an r-value (or, of objects, a pointer) to memory, into whatever layout it has."""
    b, t = ctx.b, target.type
    if isinstance(t, ObjectType) and t.name == "RayQuery":
        ctx.fail(codes.QUERY_COPY)
    if target.is_rvalue:
        return
    if isinstance(t, ObjectType) and (is_opaque(t) or is_structured_or_byte_buffer(t)):
        if not is_opaque(t) and b.pointee_of(target.id).kind != "pointer":
            ctx.fail(codes.BUFFER_ELEMENT, hint="assign the whole array, or a variable that is no array")
        b.store(target.id, value.id)
        ctx.needs_legalization()
        return
    if isinstance(t, Array) and is_opaque(innermost(t)):
        ctx.needs_legalization()
    if isinstance(t, Array) and isinstance(innermost(t), ObjectType) and not value.is_rvalue:
        _store_objects(ctx, target, value, t)
        return
    if target.bits is not None:
        align = alignment(ctx, target)
        word = b.load(target.id, align=align)
        b.store(target.id, insert_bits(ctx, word, value.id, target.bits), align=align)
        return
    if target.row is not None:
        _store_row(ctx, target, value)
        return
    stored = to_type(ctx, value.id, t, b.pointee_of(target.id).id)
    if target.rasterizer_ordered:
        begin_interlock(ctx)
    b.store(target.id, stored, align=alignment(ctx, target))
    if target.rasterizer_ordered:
        end_interlock(ctx)


def _store_row(ctx: Lowering, target: Value, value: Value) -> None:
    b = ctx.b
    element = ty.element_of(target.type)
    assert element is not None
    for i, pointer in enumerate(_row_pointers(ctx, target)):
        place = Value(pointer, element, False, rasterizer_ordered=target.rasterizer_ordered)
        store(ctx, place, Value(b.extract(value.id, i), element, True))


def is_rasterizer_ordered(t: Type) -> bool:
    """Whether accesses to an object of this type are ordered by pixels."""
    return isinstance(t, ObjectType) and t.name.startswith("Rasterizer")


@contextmanager
def interlocked(ctx: Lowering, is_ordered: bool) -> Iterator[None]:
    """A critical section around accesses that are ordered by pixels."""
    if is_ordered:
        begin_interlock(ctx)
    yield
    if is_ordered:
        end_interlock(ctx)


def begin_interlock(ctx: Lowering) -> None:
    """Begin a critical section of the pixel (or sample, or fragment) for rasterizer ordered views."""
    if ctx.wrapper:
        ctx.b.execution_mode(ctx.wrapper, ctx.interlock_mode)
    ctx.b.emit_void(op.OpBeginInvocationInterlockEXT)


def end_interlock(ctx: Lowering) -> None:
    ctx.b.emit_void(op.OpEndInvocationInterlockEXT)


def _store_objects(ctx: Lowering, target: Value, value: Value, t: Array) -> None:
    """An array of objects is copied element by element, through access chains that can be followed later."""
    if _is_sized(t) and is_opaque(innermost(t)):
        ctx.b.store(target.id, _objects(ctx, value.id, t))
        return
    ctx.b.store(target.id, value.id)
    ctx.needs_legalization()


def _is_sized(t: Type) -> bool:
    """Whether all dimensions of an array have a length."""
    while isinstance(t, Array):
        if t.size is None:
            return False
        t = t.element
    return True


def _objects(ctx: Lowering, pointer: int, t: Type) -> int:
    """The objects of an array, each loaded through an access chain of its own."""
    b = ctx.b
    if not isinstance(t, Array):
        return b.load(pointer)
    element = b.pointee_of(pointer).elem.id
    parts = [_objects(ctx, b.access_chain(element, pointer, [b.const_i32(i)]), t.element) for i in range(t.size or 0)]
    return b.construct(ctx.type(t), parts)


def to_type(ctx: Lowering, value: int, t: Type, want: int) -> int:
    """An r-value of HLSL type ``t`` as SPIR-V type ``want``: another layout of the same type."""
    b = ctx.b
    have = b.type_id_of(value)
    if have == want:
        return value
    if isinstance(t, ObjectType):
        if b.type_info(want).kind == "node_payload_array":
            ctx.fail(codes.FEATURE_UNSUPPORTED, what="a variable for records of several parameters")
        return value
    if casts.is_matrix(t) and isinstance(t, Matrix):
        if t.element.category == "float":
            return value
        info = b.type_info(want)
        if info.kind != "array":
            return value
        row = casts.row_type(t)
        if b.type_info(have).is_columns:
            value = _transposed(ctx, value, t.rows)
            have = b.type_id_of(value)
        row_wanted = b.vector(info.elem.scalar.id, t.cols)
        parts = [to_type(ctx, b.extract(value, i), row, row_wanted) for i in range(t.rows)]
        if not info.is_columns:
            return b.construct(want, parts)
        return b.construct(want, [_component_of_each(ctx, parts, c) for c in range(t.cols)])
    if ty.is_numeric(t) or isinstance(t, ty.Enum):
        return _numeric_to_type(ctx, value, t, have, want)
    if ctx.version_at_least(1, 4) and not _contains_bool(t) and not _changes_columns(ctx, have, want):
        return b.unary(op.OpCopyLogical, want, value)
    if isinstance(t, Array):
        info = b.type_info(want)
        return b.construct(
            want, [to_type(ctx, b.extract(value, i), t.element, info.elem.id) for i in range(t.size or 0)]
        )
    assert isinstance(t, Struct)
    info = b.type_info(want)
    members: list[int] = []
    for p in ctx.types.placed(t, Rule.VOID):
        if p.index < len(members):
            continue
        members.append(to_type(ctx, b.extract(value, p.index), p.type, info.member_types[p.index].id))
    return b.construct(want, members)


def _transposed(ctx: Lowering, columns: int, rows: int) -> int:
    """The array of the rows of a matrix that is an array of columns."""
    b = ctx.b
    parts = [b.extract(columns, c) for c in range(b.type_of(columns).count)]
    made = [_component_of_each(ctx, parts, r) for r in range(rows)]
    return b.construct(b.array(b.type_id_of(made[0]), rows), made)


def _component_of_each(ctx: Lowering, vectors: list[int], i: int) -> int:
    """The vector of one component of each of several vectors."""
    b = ctx.b
    parts = [b.extract(v, i) for v in vectors]
    return b.construct(b.vector(b.type_id_of(parts[0]), len(parts)), parts)


def _changes_columns(ctx: Lowering, have: int, want: int) -> bool:
    b = ctx.b
    return ctx.types.has_columns and (_holds_columns(b.type_info(have)) or _holds_columns(b.type_info(want)))


def taken_apart(ctx: Lowering, value: int, t: Type) -> int:
    """A value without layout made of the scalars of one with a layout: what a ``ConstantBuffer`` holds as its ``T``."""
    b = ctx.b
    if isinstance(t, Struct):
        placed = {p.index: p for p in ctx.types.placed(t, Rule.VOID)}
        parts = [taken_apart(ctx, b.extract(value, i), p.type) for i, p in placed.items()]
        return b.construct(ctx.type(t), parts)
    if isinstance(t, Array):
        return b.construct(ctx.type(t), [taken_apart(ctx, b.extract(value, i), t.element) for i in range(t.size or 0)])
    if isinstance(t, ObjectType) or b.type_of(value).kind in ("int", "float", "bool") or _has_bool(t):
        return to_type(ctx, value, t, ctx.type(t))
    if casts.is_matrix(t) and isinstance(t, Matrix):
        row = ctx.type(casts.row_type(t))
        parts = [b.extract(value, r, c) for r in range(t.rows) for c in range(t.cols)]
        rows = [b.construct(row, parts[r * t.cols : (r + 1) * t.cols]) for r in range(t.rows)]
        return b.construct(ctx.type(t), rows)
    return b.construct(ctx.type(t), [b.extract(value, i) for i in range(ty.component_count(t))])


def _numeric_to_type(ctx: Lowering, value: int, t: Type, have: int, want: int) -> int:
    b = ctx.b
    a, w = b.type_info(have), b.type_info(want)
    if a.kind == "array" or w.kind == "array":  # a 1xN matrix in a DX constant buffer is an array of scalars
        n = ty.component_count(t)
        return b.construct(want, [b.extract(value, i) for i in range(n)])
    if a.scalar.kind == "bool" and w.scalar.kind == "int":
        return casts.numeric(ctx, value, t, ty.with_element(t, ty.UINT))
    if w.scalar.kind == "bool" and a.scalar.kind == "int":
        return casts.to_bool(ctx, value, ty.with_element(t, ty.UINT), want)
    return value


def _contains_bool(t: Type) -> bool:
    return any(s is ty.BOOL for s in ty.flatten(t))


def value_of(ctx: Lowering, e: hir.Expr) -> Value:
    """An expression as an r-value."""
    return load(ctx, ctx.expr(e))


def temporary(ctx: Lowering, value: Value, name: str) -> Value:
    """A local variable that holds an r-value: where a pointer is needed."""
    v = Value(ctx.relaxed(ctx.b.local_variable(ctx.type(value.type), name), value.type), value.type, False)
    store(ctx, v, value)
    return v


def local(ctx: Lowering, t: Type, name: str, *, restrict: bool = False) -> Value:
    """A local variable of the function being written; ``restrict``: a pointer in it is the only one to what it
    points to."""
    variable = ctx.relaxed(ctx.b.local_variable(ctx.type(t), name), t)
    if isinstance(t, Array) and t.size is not None and _is_handle(innermost(t)):
        ctx.local_resource_arrays = True
    if isinstance(t, ObjectType) and t.name == "vk::BufferPointer":
        ctx.b.decorate(variable, e.Decoration.RestrictPointer if restrict else e.Decoration.AliasedPointer)
    return Value(variable, t, False, is_alias=is_alias_type(ctx, t))


def _is_handle(t: Type) -> bool:
    return is_opaque(t) or is_structured_or_byte_buffer(t)


def is_alias_type(ctx: Lowering, t: Type) -> bool:
    """Whether a variable of this type outside the interface holds one pointer, to a buffer or an array of buffers."""
    if isinstance(t, Array):
        return is_structured_or_byte_buffer(t.element) and not ctx.types.is_pointer_array(t)
    return is_structured_or_byte_buffer(t)


def plain(ctx: Lowering, value: int, t: Type) -> int:
    """A value read as part of a larger one, in the type without layout."""
    return to_type(ctx, value, t, ctx.type(t))


__all__ = [
    "Vector",
    "alignment",
    "constants",
    "is_alias_type",
    "load",
    "local",
    "plain",
    "set_alignment",
    "store",
    "temporary",
    "to_type",
    "value_of",
    "without_layout",
]
