"""Values of any type in byte-address buffers, word by word (manual: *ByteAddressBuffer*, templated loads and stores).

Members of structs have the layout of structured buffers; all other scalars follow each other without gaps. A value
after a struct starts at a multiple of the struct's alignment. Matrices have the order of their declaration, or else the
default one; ``-fspv-use-legacy-buffer-matrix-order`` reads them row by row. ``-fcgl`` reads as DXC does: column by
column, and without gaps inside members.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.rounding import round_up
from hlsl_tool.codegen.layout.rules import extent
from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder.type_info import TypeInfo


class _Cursor:
    """A byte address that advances from scalar to scalar; the index of its word is computed on demand."""

    def __init__(self, ctx: Lowering, buffer: int, address: int) -> None:
        self.ctx, self.buffer, self.address = ctx, buffer, address
        self.index: int | None = None

    def word(self) -> int:
        """Return the id of the index of the word that contains the address."""
        b = self.ctx.b
        if self.index is None:
            self.index = b.binary(op.OpShiftRightLogical, b.u32(), self.address, b.const_uint(2))
        return self.index

    def pointer(self) -> int:
        b = self.ctx.b
        return b.access_chain(b.u32(), self.buffer, [b.const_uint(0), self.word()])

    def load(self) -> int:
        return self.ctx.b.load(self.pointer())

    def bit_offset(self) -> int:
        """Return the id of the address's bit offset in its word."""
        b = self.ctx.b
        self.word()
        byte = b.binary(op.OpUMod, b.u32(), self.address, b.const_uint(4))
        return b.binary(op.OpShiftLeftLogical, b.u32(), byte, b.const_uint(3))

    def advance(self, size: int) -> None:
        b = self.ctx.b
        self.address = b.binary(op.OpIAdd, b.u32(), self.address, b.const_uint(size))
        self.index = None

    def advance_word(self) -> None:
        b = self.ctx.b
        index = self.word()
        self.advance(4)
        self.index = b.binary(op.OpIAdd, b.u32(), index, b.const_uint(1))

    def member(self, offset: int) -> _Cursor:
        b = self.ctx.b
        there = b.binary(op.OpIAdd, b.u32(), self.address, b.const_uint(offset)) if offset else self.address
        return _Cursor(self.ctx, self.buffer, there)

    def pass_struct(self, t: Struct) -> None:
        """Advance the address to the end of a struct, rounded up to the struct's alignment."""
        e = extent(t, self.ctx.types.sbuffer_rule, False, self.ctx.types.default_row_major)
        self.advance(round_up(e.size, e.align))


# --------------------------------------------------------------------------------------------------------------- load


def load(ctx: Lowering, buffer: int, address: int, t: Type) -> int:
    """Load a value of type ``t`` from a byte address, scalar by scalar."""
    return _load(ctx, _Cursor(ctx, buffer, address), t)


def by_rows(ctx: Lowering) -> bool:
    """Return whether a matrix that is not a struct member is stored row by row; DXC always stores columns."""
    is_row_major = ctx.types.default_row_major and not ctx.options.codegen_only
    return is_row_major or ctx.options.legacy_buffer_matrix_order


def lines_of(ctx: Lowering, t: Matrix) -> Array:
    """Return the array of the rows or columns of a matrix that is not a struct member."""
    size, count = (t.cols, t.rows) if by_rows(ctx) else (t.rows, t.cols)
    return ty.array(ty.vector(t.element, size), count)


def _lines(ctx: Lowering, t: Matrix, row_major: bool) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return (byte offset, [(row, column) of each component]) for each contiguous row or column of a matrix."""
    stride = extent(t, ctx.types.sbuffer_rule, row_major, row_major).stride
    inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
    return [(i * stride, [(i, k) if row_major else (k, i) for k in range(inner)]) for i in range(count)]


def is_tight(ctx: Lowering) -> bool:
    """Return whether scalars of struct members follow each other without the gaps of the struct's layout."""
    return ctx.options.codegen_only or ctx.options.legacy_buffer_matrix_order


def _load_member(ctx: Lowering, at: _Cursor, t: Type, row_major: bool) -> int:
    """Load a struct member; its matrices and arrays have the layout of a structured buffer."""
    b = ctx.b
    if is_tight(ctx):
        return _load(ctx, at, t)
    if isinstance(t, Array):
        stride = _stride(ctx, t, row_major)
        elements = [_load_member(ctx, at.member(i * stride), t.element, row_major) for i in range(t.size or 0)]
        return b.construct(ctx.type(t), elements)
    if not (isinstance(t, Matrix) and casts.is_matrix(t)):
        return _load(ctx, at, t)
    scalars: dict[tuple[int, int], int] = {}
    for offset, places in _lines(ctx, t, row_major):
        line = at.member(offset)
        scalars.update((place, _load(ctx, line, t.element)) for place in places)
    row = ctx.type(casts.row_type(t))
    rows = [b.construct(row, [scalars[r, c] for c in range(t.cols)]) for r in range(t.rows)]
    return b.construct(ctx.type(t), rows)


def _stride(ctx: Lowering, t: Array, row_major: bool) -> int:
    return extent(t, ctx.types.sbuffer_rule, row_major, ctx.types.default_row_major).stride


def _load(ctx: Lowering, at: _Cursor, t: Type) -> int:
    b = ctx.b
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        return _scalar(ctx, at, t)
    if isinstance(t, Matrix) and casts.is_matrix(t):
        scalars = [_load(ctx, at, t.element) for _ in range(t.rows * t.cols)]
        is_by_rows = by_rows(ctx)
        row = ctx.type(casts.row_type(t))
        return b.construct(
            ctx.type(t),
            [
                b.construct(row, [scalars[r * t.cols + c if is_by_rows else c * t.rows + r] for c in range(t.cols)])
                for r in range(t.rows)
            ],
        )
    if isinstance(t, (Vector, Matrix)):
        parts = [_load(ctx, at, t.element) for _ in range(ty.component_count(t))]
        return b.construct(ctx.type(t), parts) if len(parts) > 1 else parts[0]
    if isinstance(t, Array):
        return b.construct(ctx.type(t), [_load(ctx, at, t.element) for _ in range(t.size or 0)])
    if not isinstance(t, Struct):
        ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"a raw load or store of the type '{t}'")
    words = ctx.types.words(t, ctx.types.sbuffer_rule)
    members = [_load_member(ctx, at.member(p.offset), p.stored_type, p.row_major) for p in words]
    at.pass_struct(t)
    return b.construct(ctx.type(t), members)


def _scalar(ctx: Lowering, at: _Cursor, t: Scalar) -> int:
    b = ctx.b
    if t.category == "bool":
        truth = casts.to_bool(ctx, at.load(), ty.UINT, b.bool_type())
        at.advance_word()
        return truth
    to = ctx.types.scalar(t)
    if t.bits < 32:
        bits = at.bit_offset()
        shifted = b.binary(op.OpShiftRightLogical, b.u32(), at.load(), bits)
        short = _as(ctx, b.unary(op.OpUConvert, b.int_type(t.bits, False), shifted), to)
        at.advance(t.bits // 8)
        return short
    if t.bits == 32:
        word = _as(ctx, at.load(), to)
        at.advance_word()
        return word
    halves = []
    for _ in range(2):
        halves.append(at.load())
        at.advance_word()
    return b.unary(op.OpBitcast, to, b.construct(b.vector(b.u32(), 2), halves))


# -------------------------------------------------------------------------------------------------------------- store


def store(ctx: Lowering, buffer: int, address: int, v: Value) -> None:
    """Store a value to a byte address; preserve the other bytes of words that it shares with other data."""
    _store(ctx, _Cursor(ctx, buffer, address), v.id, v.type)


def _store(ctx: Lowering, at: _Cursor, value: int, t: Type) -> None:
    b = ctx.b
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        _store_scalar(ctx, at, value, t)
    elif isinstance(t, Struct):
        for p in ctx.types.words(t, ctx.types.sbuffer_rule):
            here = at.member(p.offset)
            _store_member(ctx, here, b.extract(value, p.index), p.stored_type, p.row_major)
        at.pass_struct(t)
    elif isinstance(t, ObjectType):
        ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"a raw load or store of the type '{t}'")
    else:
        parts, element = _parts(ctx, [value], t)
        for part in parts:
            _store(ctx, at, part, element)


def _store_member(ctx: Lowering, at: _Cursor, value: int, t: Type, row_major: bool) -> None:
    """Store a struct member; its matrices and arrays have the layout of a structured buffer."""
    b = ctx.b
    if is_tight(ctx):
        _store(ctx, at, value, t)
    elif isinstance(t, Array):
        stride = _stride(ctx, t, row_major)
        for i in range(t.size or 0):
            _store_member(ctx, at.member(i * stride), b.extract(value, i), t.element, row_major)
    elif isinstance(t, Matrix) and casts.is_matrix(t):
        for offset, places in _lines(ctx, t, row_major):
            line = at.member(offset)
            for place in places:
                _store(ctx, line, b.extract(value, *place), t.element)
    else:
        _store(ctx, at, value, t)


def _parts(ctx: Lowering, values: list[int], t: Type) -> tuple[list[int], Type]:
    """Split values of an array, matrix or vector type into (scalars or structs in memory order, their type)."""
    b = ctx.b
    if isinstance(t, Array):
        return _parts(ctx, [b.extract(v, i) for v in values for i in range(t.size or 0)], t.element)
    if isinstance(t, Matrix) and casts.is_matrix(t):
        is_by_rows = by_rows(ctx)
        paths = [(r, c) for r in range(t.rows) for c in range(t.cols)]
        if not is_by_rows:
            paths.sort(key=lambda p: (p[1], p[0]))
        return [b.extract(v, *path) for v in values for path in paths], t.element
    if isinstance(t, (Vector, Matrix)):
        n = ty.component_count(t)
        return (values if n == 1 else [b.extract(v, i) for v in values for i in range(n)]), t.element
    return values, t


def _store_scalar(ctx: Lowering, at: _Cursor, value: int, t: Scalar) -> None:
    b = ctx.b
    if t.category != "bool" and t.bits == 64:
        pair = b.unary(op.OpBitcast, b.vector(b.u32(), 2), value)
        for half in (b.extract(pair, 0), b.extract(pair, 1)):
            b.store(at.pointer(), half)
            at.advance_word()
    elif t.category != "bool" and t.bits < 32:
        _store_short(ctx, at, value, t.bits)
    else:
        pointer = at.pointer()
        is_bool = t.category == "bool"
        b.store(pointer, casts.numeric(ctx, value, t, ty.UINT) if is_bool else _as(ctx, value, b.u32()))
        at.advance_word()


def size_of(t: Type) -> int:
    """Return the size in bytes of a scalar or enumerator in memory."""
    scalar = t.underlying if isinstance(t, Enum) else t
    assert isinstance(scalar, Scalar)
    return 4 if scalar.category == "bool" else scalar.bits // 8


def typed_pointer(ctx: Lowering, buffer: int, address: int, element: int) -> int:
    """Return a pointer to a value at a byte address, which must be a multiple of the size of its largest scalar.

    The result is an ``OpBitcast``, which ``codegen/passes/untyped_pointers`` replaces by an untyped pointer, or
    ``codegen/passes/typed_views`` by a variable with elements of this type, which is a scalar then.
    """
    b = ctx.b
    shift = {8: 0, 16: 1, 32: 2, 64: 3}[_width(b.type_info(element))]
    index = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(shift)) if shift else address
    pointer = b.access_chain(b.u32(), buffer, [b.const_uint(0), index])
    return b.unary(op.OpBitcast, b.pointer(b.storage_of(pointer), element), pointer)


def _width(t: TypeInfo) -> int:
    """Return the width in bits of the largest scalar in a type."""
    if t.kind == "struct":
        return max(map(_width, t.member_types))
    return t.width or _width(t.elem)


def _store_short(ctx: Lowering, at: _Cursor, value: int, width: int) -> None:
    """Store 8 or 16 bits; safe if other invocations write the rest of the word at the same time."""
    if ctx.options.codegen_only:
        _store_part(ctx, at, value, width)
        return
    b = ctx.b
    short = b.int_type(width, False)
    b.store(typed_pointer(ctx, at.buffer, at.address, short), _as(ctx, value, short))
    at.advance(width // 8)


def _store_part(ctx: Lowering, at: _Cursor, value: int, width: int) -> None:
    """Store 8 or 16 bits by reading and writing the word as DXC does; races with stores to the rest of the word."""
    b = ctx.b
    u32 = b.u32()
    bits = at.bit_offset()
    pointer = at.pointer()
    word = b.unary(op.OpUConvert, u32, _as(ctx, value, b.int_type(width, False)))
    mine = b.binary(op.OpShiftLeftLogical, u32, word, bits)
    if width == 16:
        others = b.binary(op.OpISub, u32, b.const_uint(16), bits)
        mask = b.binary(op.OpShiftLeftLogical, u32, b.const_uint(0xFFFF), others)
    else:
        mask = b.unary(op.OpNot, u32, b.binary(op.OpShiftLeftLogical, u32, b.const_uint((1 << width) - 1), bits))
    rest = b.binary(op.OpBitwiseAnd, u32, b.load(pointer), mask)
    b.store(pointer, b.binary(op.OpBitwiseOr, u32, rest, mine))
    at.advance(width // 8)


def _as(ctx: Lowering, value: int, to: int) -> int:
    return value if ctx.b.type_id_of(value) == to else ctx.b.unary(op.OpBitcast, to, value)
