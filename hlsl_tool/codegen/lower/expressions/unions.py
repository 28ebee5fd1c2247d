"""Members of unions, of HLSL 202x: a union is stored as an array of words, which its members reinterpret.

A member that is no memory is read as a value, and written by storing the words that it covers.
"""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Array, Matrix, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import TypeInfo


def is_member(e: hir.Expr) -> bool:
    """Return whether an expression is a member of a union."""
    return isinstance(e, hir.Cast) and e.kind == "union"


def storage_of(t: Type) -> Array:
    """Return the array of words that holds a union."""
    assert isinstance(t, Struct)
    storage = t.fields[0].type
    assert isinstance(storage, Array)
    return storage


class _Words:
    """The words of a union: loaded one by one from memory, or extracted from a value."""

    def __init__(self, ctx: Lowering, union: Value | None, t: Type) -> None:
        storage = storage_of(t)
        self.ctx = ctx
        self.union = union
        self.type_id = ctx.type(storage.element)
        self.size = ctx.b.type_info(self.type_id).width // 8
        self.count = storage.size or 0
        self.values: dict[int, int] = {}
        """The words that are known so far, by their number."""

    def pointer(self, number: int) -> int:
        b, union = self.ctx.b, self.union
        assert union is not None
        return b.access_chain(self.type_id, union.id, [b.const_i32(0), b.const_i32(number)])

    def word(self, number: int) -> int:
        value = self.values.get(number)
        if value is None:
            b, union = self.ctx.b, self.union
            if union is None:
                value = b.const_null(self.type_id)
            elif union.is_rvalue:
                value = b.extract(union.id, 0, number)
            else:
                place = Value(self.pointer(number), union.type, False)
                value = b.load(place.id, align=memory.alignment(self.ctx, place))
            self.values[number] = value
        return value


def read(ctx: Lowering, e: hir.Cast) -> Value:
    """Return the value of a member of a union."""
    words = _Words(ctx, ctx.expr(e.operand), e.operand.type)
    return ctx.rvalue(_read(ctx, words, e.type, ctx.b.type_info(ctx.type(e.type)), 0), e.type)


def write(ctx: Lowering, e: hir.Cast, value: Value) -> None:
    """Store a member of a union; the bytes that it does not cover keep their values."""
    union = ctx.expr(e.operand)
    words = _Words(ctx, union, e.operand.type)
    changed = _changed(ctx, words, value)
    if not union.is_rvalue:
        for number in changed:
            place = Value(words.pointer(number), union.type, False)
            ctx.b.store(place.id, words.values[number], align=memory.alignment(ctx, place))
        return
    whole = union.id
    for number in changed:
        whole = ctx.b.insert(words.values[number], whole, 0, number)
    assign(ctx, e.operand, Value(whole, union.type, True))


def made(ctx: Lowering, e: hir.Cast) -> Value:
    """Return the union whose member has the value of the operand; its other bytes are zero."""
    b = ctx.b
    words = _Words(ctx, None, e.type)
    _changed(ctx, words, memory.value_of(ctx, e.operand))
    assert isinstance(e.type, Struct)
    array = b.construct(ctx.type(e.type.fields[0].type), [words.word(n) for n in range(words.count)])
    return ctx.rvalue(b.construct(ctx.type(e.type), [array]), e.type)


def _changed(ctx: Lowering, words: _Words, value: Value) -> list[int]:
    """Replace the words that a value at the start of the union covers; return their numbers."""
    changed: dict[int, None] = {}
    _write(ctx, words, value.id, value.type, ctx.b.type_of(value.id), 0, changed)
    return list(changed)


# ----------------------------------------------------------------------------------------------------- composite types


def extent(info: TypeInfo) -> tuple[int, int]:
    """Return size and alignment in bytes, as ``sizeof`` counts them."""
    if info.is_scalar:
        size = 4 if info.kind == "bool" else info.width // 8
        return size, size
    if info.kind == "struct":
        members = parts(info)
        align = max((extent(part)[1] for part, _ in members), default=1)
        end = members[-1][1] + extent(members[-1][0])[0] if members else 0
        return round_up(end, align), align
    size, align = extent(info.elem)
    return size * info.count, align


def parts(info: TypeInfo) -> list[tuple[TypeInfo, int]]:
    """Return the type and the offset of each part of a composite type."""
    if info.kind != "struct":
        size = extent(info.elem)[0]
        return [(info.elem, n * size) for n in range(info.count)]
    placed: list[tuple[TypeInfo, int]] = []
    offset = 0
    for member in info.member_types:
        size, align = extent(member)
        offset = round_up(offset, align)
        placed.append((member, offset))
        offset += size
    return placed


def matrix_offset(ctx: Lowering, info: TypeInfo, row: int, column: int) -> int:
    """Return the offset of a matrix's component: matrices are in the default order.

    In SPIR-V a matrix of integers or booleans is an array of its rows.
    """
    columns = info.elem.count
    index = row * columns + column if ctx.types.default_row_major else column * info.count + row
    return index * extent(info.elem.elem)[0]


def is_matrix(t: Type | None, info: TypeInfo) -> bool:
    """Return whether a type is a matrix of several rows and columns."""
    return info.kind == "matrix" or (isinstance(t, Matrix) and info.kind == "array")


def _typed_parts(ctx: Lowering, t: Type | None, info: TypeInfo) -> list[tuple[Type | None, TypeInfo, int]]:
    """Return the type in HLSL, that in SPIR-V and the offset of each part; the first is ``None`` for bit-fields."""
    types: list[Type | None] = [None] * len(parts(info))
    if isinstance(t, Array):
        types = [t.element for _ in types]
    elif isinstance(t, Struct):
        types[: len(t.bases)] = t.bases
        for f in t.fields:
            index, bits = access.member_index(ctx, t, f)
            types[index] = f.type if bits is None else None
    return [(one, part, offset) for one, (part, offset) in zip(types, parts(info), strict=True)]


def _read(ctx: Lowering, words: _Words, t: Type | None, info: TypeInfo, at: int) -> int:
    b = ctx.b
    if info.is_scalar:
        return _read_scalar(ctx, words, info, at)
    if is_matrix(t, info):
        rows = []
        for r in range(info.count):
            places = [at + matrix_offset(ctx, info, r, c) for c in range(info.elem.count)]
            rows.append(b.construct(info.elem.id, [_read_scalar(ctx, words, info.elem.elem, p) for p in places]))
        return b.construct(info.id, rows)
    inner = [_read(ctx, words, part, one, at + offset) for part, one, offset in _typed_parts(ctx, t, info)]
    return b.construct(info.id, inner)


def _write(
    ctx: Lowering, words: _Words, value: int, t: Type | None, info: TypeInfo, at: int, changed: dict[int, None]
) -> None:
    b = ctx.b
    if info.is_scalar:
        _write_scalar(ctx, words, value, info, at)
        changed[at // words.size] = None
        return
    if is_matrix(t, info):
        for r in range(info.count):
            for c in range(info.elem.count):
                place = at + matrix_offset(ctx, info, r, c)
                _write(ctx, words, b.extract(value, r, c), None, info.elem.elem, place, changed)
        return
    for n, (part, inner, offset) in enumerate(_typed_parts(ctx, t, info)):
        _write(ctx, words, b.extract(value, n), part, inner, at + offset, changed)


# ------------------------------------------------------------------------------------------------------------- scalars


def _read_scalar(ctx: Lowering, words: _Words, info: TypeInfo, at: int) -> int:
    b = ctx.b
    number, inside = divmod(at, words.size)
    size = extent(info)[0]
    bits, bits_type = words.word(number), words.type_id
    if size < words.size:
        if inside:
            bits = b.binary(op.OpShiftRightLogical, bits_type, bits, b.const_uint(8 * inside))
        bits_type = b.int_type(8 * size, False)
        bits = b.unary(op.OpUConvert, bits_type, bits)
    if info.kind == "bool":
        return b.binary(op.OpINotEqual, info.id, bits, b.const_null(bits_type))
    return bits if info.id == bits_type else b.unary(op.OpBitcast, info.id, bits)


def _write_scalar(ctx: Lowering, words: _Words, value: int, info: TypeInfo, at: int) -> None:
    b = ctx.b
    number, inside = divmod(at, words.size)
    size = extent(info)[0]
    bits_type = b.int_type(8 * size, False)
    if info.kind == "bool":
        value = b.emit(op.OpSelect, bits_type, value, b.const_int(1, bits_type), b.const_null(bits_type))
    elif info.id != bits_type:
        value = b.unary(op.OpBitcast, bits_type, value)
    if size < words.size:
        whole = words.type_id
        value = b.unary(op.OpUConvert, whole, value)
        if inside:
            value = b.binary(op.OpShiftLeftLogical, whole, value, b.const_uint(8 * inside))
        mask = ((1 << 8 * size) - 1) << 8 * inside
        others = b.const_scalar(mask ^ ((1 << 8 * words.size) - 1), whole)
        value = b.binary(op.OpBitwiseOr, whole, b.binary(op.OpBitwiseAnd, whole, words.word(number), others), value)
    words.values[number] = value
