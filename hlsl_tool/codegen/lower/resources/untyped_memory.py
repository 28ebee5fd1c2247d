"""Values of any type in byte-address buffers, each by one load or store (``-fspv-extension=SPV_KHR_untyped_pointers``).

The values have the places that `raw_memory` gives them. Arrays of structs are accessed element by element, and so are
arrays whose elements follow each other closer than their layout allows, such as ``float3[2]`` unless it is scalar.

The pointers are those of `raw_memory.typed_pointer`, which ``codegen/passes/untyped_pointers`` makes untyped.
"""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.codegen.layout.rules import extent
from hlsl_tool.codegen.lower.core import casts, memory, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import raw_memory
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Enum, Matrix, Scalar, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.features import UNTYPED_POINTERS


def is_used(ctx: Lowering, t: Type) -> bool:
    """Return whether values of a type are accessed through untyped pointers.

    They are not with ``-fcgl`` and ``-fspv-use-legacy-buffer-matrix-order``, where structs have places of their own;
    before SPIR-V 1.4, where buffers are in the storage class of constants; and for types of 8 bits whose storage is not
    allowed.
    """
    if UNTYPED_POINTERS not in ctx.options.extensions or raw_memory.is_tight(ctx) or not ctx.version_at_least(1, 4):
        return False
    smallest = 1 if ctx.version_at_least(1, 5) or ctx.is_enabled("SPV_KHR_8bit_storage") else 2
    scalars = ty.flatten(t)
    return bool(scalars) and all(isinstance(s, (Scalar, Enum)) and raw_memory.size_of(s) >= smallest for s in scalars)


def load(ctx: Lowering, buffer: int, address: int, t: Type) -> int:
    """Load a value of type ``t`` from a byte address."""
    b = ctx.b
    if isinstance(t, Matrix) and casts.is_matrix(t):
        lines = load(ctx, buffer, address, raw_memory.lines_of(ctx, t))
        return b.construct(ctx.type(t), _turned(ctx, lines, t, t.rows, t.cols))
    if isinstance(t, Array) and not _has_layout(ctx, t):
        places = _elements(ctx, address, t)
        return b.construct(ctx.type(t), [load(ctx, buffer, place, t.element) for place in places])
    return relayout.plain(ctx, memory.load(ctx, _place(ctx, buffer, address, t)).id, t)


def store(ctx: Lowering, buffer: int, address: int, v: Value) -> None:
    """Store a value to a byte address."""
    b, t = ctx.b, v.type
    if isinstance(t, Matrix) and casts.is_matrix(t):
        lines = raw_memory.lines_of(ctx, t)
        parts = _turned(ctx, v.id, t, lines.size or 0, ty.component_count(lines.element))
        store(ctx, buffer, address, ctx.rvalue(b.construct(ctx.type(lines), parts), lines))
    elif isinstance(t, Array) and not _has_layout(ctx, t):
        for i, place in enumerate(_elements(ctx, address, t)):
            store(ctx, buffer, place, ctx.rvalue(b.extract(v.id, i), t.element))
    else:
        memory.store(ctx, _place(ctx, buffer, address, t), v)


def _turned(ctx: Lowering, value: int, t: Matrix, count: int, size: int) -> list[int]:
    """Return the ``count`` vectors of a matrix's rows or lines, made of those of its lines or rows."""
    b = ctx.b
    if raw_memory.by_rows(ctx):
        return [b.extract(value, i) for i in range(count)]
    vector = ctx.type(ty.vector(t.element, size))
    return [b.construct(vector, [b.extract(value, k, i) for k in range(size)]) for i in range(count)]


def _elements(ctx: Lowering, address: int, t: Array) -> list[int]:
    """Return the ids of the byte addresses of an array's elements."""
    b, size = ctx.b, _size(ctx, t.element)
    offsets = [b.const_uint(i * size) for i in range(t.size or 0)]
    return [b.binary(op.OpIAdd, b.u32(), address, offset) if i else address for i, offset in enumerate(offsets)]


def _size(ctx: Lowering, t: Type) -> int:
    """Return the distance in bytes of values of a type that follow each other."""
    if isinstance(t, Array):
        return _size(ctx, t.element) * (t.size or 0)
    if isinstance(t, Struct):
        struct = extent(t, ctx.types.sbuffer_rule, False, ctx.types.default_row_major)
        return round_up(struct.size, struct.align)
    element = ty.element_of(t)
    assert element is not None
    return ty.component_count(t) * raw_memory.size_of(element)


def _has_layout(ctx: Lowering, t: Type) -> bool:
    """Return whether a type, if it is an array, can be accessed as a whole.

    The layout of a structured buffer must give the elements the same places, and they must not be structs: spirv-val of
    2025 takes all matrices for column-major in structs that are in an array.
    """
    if not isinstance(t, Array):
        return not (isinstance(t, Struct) or (isinstance(t, Matrix) and casts.is_matrix(t)))
    default = ctx.types.default_row_major
    stride = extent(t, ctx.types.sbuffer_rule, default, default).stride
    return stride == _size(ctx, t.element) and _has_layout(ctx, t.element)


def _place(ctx: Lowering, buffer: int, address: int, t: Type) -> Value:
    """Return the l-value of type ``t`` at an address, which is known to be a multiple of its largest scalar's size."""
    pointer = raw_memory.typed_pointer(ctx, buffer, address, ctx.type(t, ctx.types.sbuffer_rule))
    memory.set_alignment(ctx, pointer, max(raw_memory.size_of(part) for part in ty.flatten(t)))
    return Value(pointer, t, False)
