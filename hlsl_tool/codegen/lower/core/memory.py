"""Loads, stores and local variables.

The type id of a pointee shows whether it has a layout. In a type with a layout, booleans are unsigned integers and
structs differ from those without (see `relayout`).
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.layout.rules import extent
from hlsl_tool.codegen.lower.core import bit_fields, casts, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import begin_interlock, end_interlock
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import holds_queries, is_opaque, is_structured_or_byte_buffer
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Struct, Type, Vector, innermost
from hlsl_tool.spirv.enums import Decoration, StorageClass


def load(ctx: Lowering, v: Value) -> Value:
    """Return the r-value that an l-value points to; return an r-value unchanged.

    Arrays of opaque objects and buffers are not loaded, because copying them copies pointers, which legalisation
    resolves.
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
    if ctx.b.has_columns and relayout.holds_columns(ctx.b.type_of(loaded)):
        return ctx.rvalue(relayout.plain(ctx, loaded, t), t)
    if v.bits is not None:
        loaded = bit_fields.extract_bits(ctx, loaded, v)
    if isinstance(t, (Vector, Matrix)) and ctx.b.type_of(loaded).kind == "array" and not casts.is_matrix(t):
        loaded = relayout.vector_of_array(ctx, loaded, t)
    return Value(relayout.without_layout(ctx, loaded, t), t, True) if relayout.has_bool(t) else ctx.rvalue(loaded, t)


def _pointers(ctx: Lowering, array: int, t: Type) -> int:
    """Return the array of pointers to buffers for ``array``, a global array of buffers or a local array of pointers."""
    b = ctx.b
    info = b.pointee_of(array)
    if not isinstance(t, Array):
        return b.load(array) if info.kind == "pointer" else array
    element = info.elem.id
    parts = [_pointers(ctx, b.access_chain(element, array, [b.const_i32(i)]), t.element) for i in range(t.size or 0)]
    return b.construct(ctx.type(t), parts)


def _load_row(ctx: Lowering, v: Value) -> int:
    """Load one row of a matrix that is stored column by column."""
    b = ctx.b
    parts = [b.load(pointer, align=alignment(ctx, v)) for pointer in _row_pointers(ctx, v)]
    return b.construct(b.vector(b.type_id_of(parts[0]), len(parts)), parts)


def _row_pointers(ctx: Lowering, v: Value) -> list[int]:
    assert v.row is not None
    columns = ctx.b.pointee_of(v.id)
    component = columns.elem.elem.id
    return [ctx.b.access_chain(component, v.id, [ctx.b.const_i32(c), v.row]) for c in range(columns.count)]


def set_alignment(ctx: Lowering, pointer: int, alignment: int) -> None:
    """Record the alignment in bytes of a pointer, for later accesses through it."""
    ctx.alignments[pointer] = alignment


def alignment(ctx: Lowering, v: Value) -> int:
    """Return the alignment operand of accesses through a pointer; 0 if they need none.

    It is the alignment that `set_alignment` recorded for the pointer. Without one, only physical pointers need it: a
    ``vk::BufferPointer`` in memory has its own alignment argument, as in DXC; other types have that of their layout.
    """
    if v.id in ctx.alignments:
        return ctx.alignments[v.id]
    if ctx.b.storage_of(v.id) != StorageClass.PhysicalStorageBuffer:
        return 0
    if isinstance(v.type, ObjectType) and v.type.name == "vk::BufferPointer" and isinstance(v.type.args[1], int):
        return v.type.args[1] or 8
    rows = ctx.types.default_row_major
    return extent(v.type, ctx.types.sbuffer_rule, rows, rows).align


def store(ctx: Lowering, target: Value, value: Value) -> None:
    """Store an r-value (for an object, a pointer) to the memory of ``target``, converted to that memory's layout."""
    b, t = ctx.b, target.type
    if isinstance(t, (ObjectType, Array, Struct)) and holds_queries(t):
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
        part = casts.numeric(ctx, value.id, t, ty.UINT) if relayout.has_bool(t) else value.id
        b.store(target.id, bit_fields.insert_bits(ctx, word, part, target.bits), align=align)
        return
    if target.row is not None:
        _store_row(ctx, target, value)
        return
    stored = relayout.to_type(ctx, value.id, t, b.pointee_of(target.id).id)
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


def _store_objects(ctx: Lowering, target: Value, value: Value, t: Array) -> None:
    """Copy an array of objects element by element, through access chains that legalisation can follow."""
    if _is_sized(t) and is_opaque(innermost(t)):
        ctx.b.store(target.id, _objects(ctx, value.id, t))
        return
    ctx.b.store(target.id, value.id)
    ctx.needs_legalization()


def _is_sized(t: Type) -> bool:
    """Return whether every dimension of an array has a constant length."""
    while isinstance(t, Array):
        if t.size is None:
            return False
        t = t.element
    return True


def _objects(ctx: Lowering, pointer: int, t: Type) -> int:
    """Load the objects of an array one by one, each through a separate access chain, and construct an array of them."""
    b = ctx.b
    if not isinstance(t, Array):
        return b.load(pointer)
    element = b.pointee_of(pointer).elem.id
    parts = [_objects(ctx, b.access_chain(element, pointer, [b.const_i32(i)]), t.element) for i in range(t.size or 0)]
    return b.construct(ctx.type(t), parts)


def value_of(ctx: Lowering, e: hir.Expr) -> Value:
    """Lower an expression, and load the result if it is an l-value."""
    return load(ctx, ctx.expr(e))


def temporary(ctx: Lowering, value: Value, name: str) -> Value:
    """Store an r-value in a new local variable, for uses that need a pointer."""
    v = Value(ctx.relaxed(ctx.b.local_variable(ctx.type(value.type), name), value.type), value.type, False)
    store(ctx, v, value)
    return v


def local(ctx: Lowering, t: Type, name: str, *, restrict: bool = False) -> Value:
    """Declare a local variable of the function being written.

    ``restrict``: a pointer stored in the variable does not alias other pointers.
    """
    variable = ctx.relaxed(ctx.b.local_variable(ctx.type(t), name), t)
    if isinstance(t, Array) and t.size is not None and _is_handle(innermost(t)):
        ctx.local_resource_arrays = True
    if isinstance(t, ObjectType) and t.name == "vk::BufferPointer":
        ctx.b.decorate(variable, Decoration.RestrictPointer if restrict else Decoration.AliasedPointer)
    return Value(variable, t, False, is_alias=is_alias_type(ctx, t))


def _is_handle(t: Type) -> bool:
    return is_opaque(t) or is_structured_or_byte_buffer(t)


def is_alias_type(ctx: Lowering, t: Type) -> bool:
    """Return whether a local variable of this type is one pointer: to a buffer, or to an array of buffers."""
    if isinstance(t, Array):
        return is_structured_or_byte_buffer(t.element) and not ctx.types.is_pointer_array(t)
    return is_structured_or_byte_buffer(t)
