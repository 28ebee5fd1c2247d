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
    """The words of a buffer from an address on, each loaded once."""

    def __init__(self, ctx: Lowering, buffer: int, address: int) -> None:
        self.ctx, self.buffer = ctx, buffer
        b = ctx.b
        self.base = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(2))
        self.loaded: dict[int, int] = {}

    def pointer(self, index: int) -> int:
        b = self.ctx.b
        at = b.binary(op.OpIAdd, b.u32(), self.base, b.const_uint(index)) if index else self.base
        return b.access_chain(b.u32(), self.buffer, [b.const_uint(0), at])

    def load(self, index: int) -> int:
        found = self.loaded.get(index)
        if found is None:
            found = self.loaded[index] = self.ctx.b.load(self.pointer(index))
        return found


def load(ctx: Lowering, buffer: int, address: int, t: Type) -> int:
    """A value of type ``t`` at a byte address."""
    words = _Words(ctx, buffer, address)
    values = {leaf.path: _scalar(ctx, words, leaf) for leaf in _leaves(ctx, t, 0, ())}
    return _assemble(ctx, t, values, ())


def _scalar(ctx: Lowering, words: _Words, leaf: _Leaf) -> int:
    b, t = ctx.b, leaf.type
    word = words.load(leaf.offset // 4)
    if t.category == "bool":
        return casts.to_bool(ctx, word, ty.UINT, b.bool_type())
    to = ctx.types.scalar(t)
    if t.bits == 32:
        return word if to == b.u32() else b.unary(op.OpBitcast, to, word)
    if t.bits == 16:
        if leaf.offset % 4:
            word = b.binary(op.OpShiftRightLogical, b.u32(), word, b.const_uint(16))
        short = b.unary(op.OpUConvert, b.int_type(16, False), word)
        return short if to == b.int_type(16, False) else b.unary(op.OpBitcast, to, short)
    high = words.load(leaf.offset // 4 + 1)
    u64 = b.int_type(64, False)
    low64, high64 = b.unary(op.OpUConvert, u64, word), b.unary(op.OpUConvert, u64, high)
    both = b.binary(op.OpBitwiseOr, u64, low64, b.binary(op.OpShiftLeftLogical, u64, high64, b.const_uint(32)))
    return both if to == u64 else b.unary(op.OpBitcast, to, both)


def _assemble(ctx: Lowering, t: Type, values: dict[tuple[int, ...], int], path: tuple[int, ...]) -> int:
    b = ctx.b
    if path in values:
        return values[path]
    if isinstance(t, Matrix) and casts.is_matrix(t):
        row = casts.row_type(t)
        return b.construct(ctx.type(t), [_assemble(ctx, row, values, (*path, r)) for r in range(t.rows)])
    if isinstance(t, (Vector, Matrix)):
        return b.construct(ctx.type(t), [values[(*path, i)] for i in range(ty.component_count(t))])
    if isinstance(t, Array):
        return b.construct(ctx.type(t), [_assemble(ctx, t.element, values, (*path, i)) for i in range(t.size or 0)])
    assert isinstance(t, Struct)
    return b.construct(
        ctx.type(t), [_assemble(ctx, p.type, values, (*path, p.index)) for p in ctx.types.placed(t, Rule.VOID)]
    )


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
