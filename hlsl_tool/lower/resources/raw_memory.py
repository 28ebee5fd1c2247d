"""Values of any type in byte-address buffers, word by word (manual: *ByteAddressBuffer*, templated loads and stores).

Members of structs have the layout of structured buffers; all other scalars follow without gaps.  Values behind a struct
start at a multiple of its alignment.  Matrices are read column by column for any default majorness;
``-fspv-use-legacy-buffer-matrix-order`` reads them row by row.
"""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.layout.rules import extent, round_up
from hlsl_tool.lower.core import casts
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.values import Value
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Array, Enum, Matrix, Scalar, Struct, Type, Vector
from hlsl_tool.spirv import op


class _Cursor:
    """A position: a byte address, and the index of its word, which is computed on demand."""

    def __init__(self, ctx: Lowering, buffer: int, address: int) -> None:
        self.ctx, self.buffer, self.address = ctx, buffer, address
        self.index: int | None = None

    def word(self) -> int:
        """Return the index of the word that contains the address."""
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
        """Return the offset of the address in its word, in bits."""
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
        """Advance to the end of a struct, rounded up to its alignment."""
        e = extent(t, self.ctx.types.sbuffer_rule, False, self.ctx.types.default_row_major)
        self.advance(round_up(e.size, e.align))


# --------------------------------------------------------------------------------------------------------------- load


def load(ctx: Lowering, buffer: int, address: int, t: Type) -> int:
    """Load a value of type ``t`` from a byte address, scalar by scalar."""
    return _load(ctx, _Cursor(ctx, buffer, address), t)


def _load(ctx: Lowering, at: _Cursor, t: Type) -> int:
    b = ctx.b
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        return _scalar(ctx, at, t)
    if isinstance(t, Matrix) and casts.is_matrix(t):
        scalars = [_load(ctx, at, t.element) for _ in range(t.rows * t.cols)]
        by_rows = ctx.options.legacy_buffer_matrix_order
        row = ctx.type(casts.row_type(t))
        return b.construct(
            ctx.type(t),
            [
                b.construct(row, [scalars[r * t.cols + c if by_rows else c * t.rows + r] for c in range(t.cols)])
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
    members = [_load(ctx, at.member(p.offset), p.stored_type) for p in ctx.types.words(t, ctx.types.sbuffer_rule)]
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
    """Store a value of any type to a byte address; the other bytes of a shared word are preserved."""
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
            _store(ctx, here, b.extract(value, p.index), p.stored_type)
        at.pass_struct(t)
    else:
        parts, element = _parts(ctx, [value], t)
        for part in parts:
            _store(ctx, at, part, element)


def _parts(ctx: Lowering, values: list[int], t: Type) -> tuple[list[int], Type]:
    """Return (scalars or structs of an array, matrix or vector in memory order, their type)."""
    b = ctx.b
    if isinstance(t, Array):
        return _parts(ctx, [b.extract(v, i) for v in values for i in range(t.size or 0)], t.element)
    if isinstance(t, Matrix) and casts.is_matrix(t):
        by_rows = ctx.options.legacy_buffer_matrix_order
        paths = [(r, c) for r in range(t.rows) for c in range(t.cols)]
        if not by_rows:
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


def typed_pointer(ctx: Lowering, buffer: int, address: int, element: int) -> int:
    """Return a pointer to an element of 8 to 64 bits at a byte address, a multiple of the element's size.

    The result is an ``OpBitcast`` that ``passes/typed_views`` replaces by a variable of its own.
    """
    b = ctx.b
    shift = {8: 0, 16: 1, 32: 2, 64: 3}[b.type_info(element).width]
    index = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(shift)) if shift else address
    pointer = b.access_chain(b.u32(), buffer, [b.const_uint(0), index])
    return b.unary(op.OpBitcast, b.pointer(b.storage_of(pointer), element), pointer)


def _store_short(ctx: Lowering, at: _Cursor, value: int, width: int) -> None:
    """Store 8 or 16 bits; another invocation may write the rest of the word at the same time."""
    if ctx.options.codegen_only:
        _store_part(ctx, at, value, width)
        return
    b = ctx.b
    short = b.int_type(width, False)
    b.store(typed_pointer(ctx, at.buffer, at.address, short), _as(ctx, value, short))
    at.advance(width // 8)


def _store_part(ctx: Lowering, at: _Cursor, value: int, width: int) -> None:
    """Store 8 or 16 bits by reading and writing the word, as in DXC: it races with stores to the rest."""
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
