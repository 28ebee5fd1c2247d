"""Values of any type in byte-address buffers, word by word (manual: *ByteAddressBuffer*, templated loads and stores).

Members lie as in a structured buffer of the scalar kind: each at a multiple of its own size.
"""

from __future__ import annotations

from dataclasses import dataclass

from hlsl_tool.layout.rules import Rule
from hlsl_tool.lower import casts
from hlsl_tool.lower.context import Lowering
from hlsl_tool.lower.values import Value
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Array, Enum, Matrix, Scalar, Struct, Type, Vector
from hlsl_tool.spirv import op


@dataclass(slots=True)
class _Leaf:
    """A scalar of the value, at a byte offset from its start."""

    path: tuple[int, ...]
    type: Scalar
    offset: int


def size_align(t: Type) -> tuple[int, int]:
    """Bytes and alignment of a value."""
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        n = 4 if t.category == "bool" else max(t.bits // 8, 2)
        return n, n
    if isinstance(t, (Vector, Matrix)):
        n, a = size_align(t.element)
        return n * ty.component_count(t), a
    if isinstance(t, Array):
        n, a = size_align(t.element)
        return n * (t.size or 0), a
    if isinstance(t, Struct):
        end, align = 0, 1
        for f in t.all_fields():
            n, a = size_align(f.type)
            end = -(-end // a) * a + n
            align = max(align, a)
        return -(-end // align) * align, align
    return 0, 1


def _leaves(ctx: Lowering, t: Type, offset: int, path: tuple[int, ...]) -> list[_Leaf]:
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        return [_Leaf(path, t, offset)]
    n = 0
    out: list[_Leaf] = []
    if isinstance(t, Matrix) and casts.is_matrix(t):
        n, _ = size_align(t.element)
        # a matrix in a byte-address buffer lies as its default majorness says: by columns unless told otherwise
        for r in range(t.rows):
            for c in range(t.cols):
                at = (r * t.cols + c) if ctx.types.default_row_major else (c * t.rows + r)
                out.append(_Leaf((*path, r, c), t.element, offset + at * n))
        return out
    if isinstance(t, (Vector, Matrix)):
        n, _ = size_align(t.element)
        count = ty.component_count(t)
        if count == 1:
            return [_Leaf(path, t.element, offset)]
        return [_Leaf((*path, i), t.element, offset + i * n) for i in range(count)]
    if isinstance(t, Array):
        n, _ = size_align(t.element)
        for i in range(t.size or 0):
            out += _leaves(ctx, t.element, offset + i * n, (*path, i))
        return out
    assert isinstance(t, Struct)
    end = offset
    for p in ctx.types.placed(t, Rule.VOID):
        n, a = size_align(p.type)
        end = -(-end // a) * a
        out += _leaves(ctx, p.type, end, (*path, p.index))
        end += n
    return out


class _Words:
    """The words of a buffer from an address on."""

    def __init__(self, ctx: Lowering, buffer: int, address: int) -> None:
        self.ctx, self.buffer = ctx, buffer
        b = ctx.b
        self.base = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(2))

    def pointer(self, index: int) -> int:
        b = self.ctx.b
        at = b.binary(op.OpIAdd, b.u32(), self.base, b.const_uint(index)) if index else self.base
        return b.access_chain(b.u32(), self.buffer, [b.const_uint(0), at])


class _Cursor:
    """Where to load next: a byte address, and the index of the word it is in once that was asked for."""

    def __init__(self, ctx: Lowering, buffer: int, address: int) -> None:
        self.ctx, self.buffer, self.address = ctx, buffer, address
        self.index: int | None = None

    def word(self) -> int:
        """The word at the address, which may lie anywhere in it."""
        b = self.ctx.b
        if self.index is None:
            self.index = b.binary(op.OpShiftRightLogical, b.u32(), self.address, b.const_uint(2))
        return self.index

    def load(self) -> int:
        b = self.ctx.b
        return b.load(b.access_chain(b.u32(), self.buffer, [b.const_uint(0), self.word()]))

    def advance(self, size: int) -> None:
        b = self.ctx.b
        self.address = b.binary(op.OpIAdd, b.u32(), self.address, b.const_uint(size))
        self.index = None

    def advance_word(self) -> None:
        b = self.ctx.b
        index = self.word()
        self.advance(4)
        self.index = b.binary(op.OpIAdd, b.u32(), index, b.const_uint(1))


def load(ctx: Lowering, buffer: int, address: int, t: Type) -> int:
    """A value of type ``t`` at a byte address, scalar by scalar."""
    return _load(ctx, _Cursor(ctx, buffer, address), t)


def _load(ctx: Lowering, at: _Cursor, t: Type) -> int:
    b = ctx.b
    if isinstance(t, Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        return _scalar(ctx, at, t)
    if isinstance(t, Matrix) and casts.is_matrix(t):
        # a matrix in a byte-address buffer lies as its default majorness says: by columns unless told otherwise
        scalars = [_load(ctx, at, t.element) for _ in range(t.rows * t.cols)]
        by_rows = ctx.types.default_row_major
        row = ctx.type(casts.row_type(t))
        return b.construct(ctx.type(t), [
            b.construct(row, [scalars[r * t.cols + c if by_rows else c * t.rows + r] for c in range(t.cols)])
            for r in range(t.rows)
        ])  # fmt: skip
    if isinstance(t, (Vector, Matrix)):
        parts = [_load(ctx, at, t.element) for _ in range(ty.component_count(t))]
        return b.construct(ctx.type(t), parts) if len(parts) > 1 else parts[0]
    if isinstance(t, Array):
        return b.construct(ctx.type(t), [_load(ctx, at, t.element) for _ in range(t.size or 0)])
    assert isinstance(t, Struct)
    members: list[int] = []
    start, end = at.address, 0
    for p in ctx.types.placed(t, Rule.VOID):
        if p.index < len(members):
            continue  # a bit-field in the same word
        n, a = size_align(p.type)
        end = -(-end // a) * a
        here = b.binary(op.OpIAdd, b.u32(), start, b.const_uint(end)) if end else start
        members.append(_load(ctx, _Cursor(ctx, at.buffer, here), p.type))
        end += n
    at.advance(size_align(t)[0])
    return b.construct(ctx.type(t), members)


def _scalar(ctx: Lowering, at: _Cursor, t: Scalar) -> int:
    b = ctx.b
    if t.category == "bool":
        word = at.load()
        at.advance_word()
        return casts.to_bool(ctx, word, ty.UINT, b.bool_type())
    to = ctx.types.scalar(t)
    if t.bits == 16:
        at.word()
        byte = b.binary(op.OpUMod, b.u32(), at.address, b.const_uint(4))
        bits = b.binary(op.OpShiftLeftLogical, b.u32(), byte, b.const_uint(3))
        shifted = b.binary(op.OpShiftRightLogical, b.u32(), at.load(), bits)
        short = b.unary(op.OpUConvert, b.int_type(16, False), shifted)
        at.advance(2)
        return _as(ctx, short, to)
    low = at.load()
    at.advance_word()
    if t.bits == 32:
        return _as(ctx, low, to)
    high = at.load()
    at.advance_word()
    return b.unary(op.OpBitcast, to, b.construct(b.vector(b.u32(), 2), [low, high]))


def store(ctx: Lowering, buffer: int, address: int, v: Value) -> None:
    """A value of any type to a byte address; two 16-bit scalars share a word."""
    b = ctx.b
    words = _Words(ctx, buffer, address)
    halves: dict[int, int] = {}
    for leaf in _leaves(ctx, v.type, 0, ()):
        scalar = b.extract(v.id, *leaf.path) if leaf.path else v.id
        t = leaf.type
        if t.category == "bool":
            b.store(words.pointer(leaf.offset // 4), casts.numeric(ctx, scalar, t, ty.UINT))
        elif t.bits == 32:
            b.store(words.pointer(leaf.offset // 4), _as(ctx, scalar, b.u32()))
        elif t.bits == 64:
            u64 = b.int_type(64, False)
            whole = _as(ctx, scalar, u64)
            b.store(words.pointer(leaf.offset // 4), b.unary(op.OpUConvert, b.u32(), whole))
            high = b.unary(op.OpUConvert, b.u32(), b.binary(op.OpShiftRightLogical, u64, whole, b.const_uint(32)))
            b.store(words.pointer(leaf.offset // 4 + 1), high)
        else:
            half = b.unary(op.OpUConvert, b.u32(), _as(ctx, scalar, b.int_type(16, False)))
            index = leaf.offset // 4
            if leaf.offset % 4:
                half = b.binary(op.OpShiftLeftLogical, b.u32(), half, b.const_uint(16))
            if index in halves:
                half = b.binary(op.OpBitwiseOr, b.u32(), halves.pop(index), half)
                b.store(words.pointer(index), half)
            else:
                halves[index] = half
    for index, half in halves.items():
        b.store(words.pointer(index), half)


def _as(ctx: Lowering, value: int, to: int) -> int:
    return value if ctx.b.type_id_of(value) == to else ctx.b.unary(op.OpBitcast, to, value)
