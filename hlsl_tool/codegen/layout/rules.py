"""The layout rules, as pure functions of a type.

HLSL's majorness and SPIR-V's decoration are opposites: an HLSL matrix of R rows and C columns is a SPIR-V matrix of R
columns (each an HLSL row), so an HLSL ``row_major`` matrix is decorated ``ColMajor`` and vice versa (manual: *Memory
Layout*). In this package, majorness is always HLSL's.

``Rule.VOID`` is the absence of a layout, for Function and Private storage.
"""

from __future__ import annotations

from enum import Enum

from hlsl_tool.base.rounding import round_up
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Field, Matrix, ObjectType, Scalar, Struct, Type, Vector


class Rule(Enum):
    """A memory layout rule (manual: *Memory Layout*)."""

    VOID = "none"
    STD140 = "std140"
    STD430 = "std430"
    RELAXED_STD140 = "vector-relaxed std140"
    RELAXED_STD430 = "vector-relaxed std430"
    FXC_CBUFFER = "DX constant buffer"
    FXC_SBUFFER = "DX structured buffer"
    SCALAR = "scalar"

    __hash__ = object.__hash__  # members are singletons, and keys of hot look-ups


RELAXED = frozenset((Rule.RELAXED_STD140, Rule.RELAXED_STD430, Rule.FXC_CBUFFER))
"""Rules that align vectors as their components, but do not let them straddle 16 bytes."""
_ROUNDS_TO_16 = frozenset((Rule.STD140, Rule.RELAXED_STD140, Rule.FXC_CBUFFER))
"""Rules that align arrays, matrices and structs to 16 bytes."""
_TIGHT = frozenset((Rule.FXC_SBUFFER, Rule.SCALAR))
"""Rules that align everything as its largest scalar."""
ROUNDED_STRUCTS = frozenset(Rule) - {Rule.FXC_CBUFFER}
"""Rules that round a struct's size up to its alignment; under others the next member follows without padding."""

RULES_OF_OPTION: dict[str, tuple[Rule, Rule, Rule]] = {
    "vulkan": (Rule.RELAXED_STD140, Rule.RELAXED_STD430, Rule.RELAXED_STD430),
    "dx": (Rule.FXC_CBUFFER, Rule.FXC_CBUFFER, Rule.FXC_SBUFFER),
    "gl": (Rule.STD140, Rule.STD430, Rule.STD430),
    "scalar": (Rule.SCALAR, Rule.SCALAR, Rule.SCALAR),
}
"""Value of the ``layout`` option → rules of constant buffers, texture buffers, storage buffers and push constants."""


@dataclass(slots=True)
class Extent:
    """Alignment and size of a type in bytes; ``stride`` is that of the outermost array, or of a matrix."""

    align: int
    size: int
    stride: int = 0


def is_row_major(majorness: ty.Majorness | None, default: bool) -> bool:
    """Return whether a declaration is row-major; ``default`` applies if ``majorness`` is ``None``."""
    return default if majorness is None else majorness == "row"


def extent(t: Type, rule: Rule, row_major: bool, default: bool) -> Extent:
    """Return alignment, size and stride of a type.

    ``row_major`` applies to matrices in ``t`` itself, ``default`` to those in members without a majorness.
    """
    if isinstance(t, ty.Enum):
        t = t.underlying
    if isinstance(t, Scalar):
        n = 4 if t.category == "bool" else t.bits // 8
        return Extent(n, n)
    if isinstance(t, (Vector, Matrix)):
        return _numeric(t, rule, row_major)
    if isinstance(t, Array):
        return _array(t, rule, row_major, default)
    if isinstance(t, Struct):
        return _struct(t, rule, default)
    if isinstance(t, ObjectType) and t.name == "vk::BufferPointer":
        return Extent(8, 8)
    if isinstance(t, ObjectType) and t.name == "vk::SpirvType" and len(t.args) >= 3:
        size, align = t.args[1], t.args[2]
        if isinstance(size, int) and isinstance(align, int):
            return Extent(max(align, 1), size)
    return Extent(1, 0)


def _numeric(t: Vector | Matrix, rule: Rule, row_major: bool) -> Extent:
    n = 4 if t.element.category == "bool" else t.element.bits // 8
    rows, cols = (t.rows, t.cols) if isinstance(t, Matrix) else (1, t.size)
    if rule is Rule.FXC_CBUFFER and isinstance(t, Matrix):
        inner, count = (cols, rows) if row_major else (rows, cols)
        if count > 1:
            align = round_up(n * (4 if inner == 3 else inner), 16)
            # DXC counts 16 bytes for any stride here, so that 64-bit rows overlap the next member
            return Extent(align, align * (count - 1) + inner * n, align)
    if rows == 1 or cols == 1:
        size = rows * cols
        if size == 1:
            return Extent(n, n)
        if size > ty.MAX_SHORT_VECTOR:  # an array of scalars
            return Extent(n, size * n, n)
        tight = rule in _TIGHT or rule is Rule.FXC_CBUFFER
        return Extent(n if tight else (4 if size == 3 else size) * n, size * n)
    inner, count = (cols, rows) if row_major else (rows, cols)
    # DXC sizes the vectors of a matrix by the other dimension than it stores: its vector-size is that of the storage
    if rule in _TIGHT:
        return Extent(n, rows * cols * n, inner * n)
    align = (4 if inner == 3 else inner) * n
    if rule in _ROUNDS_TO_16:
        align = round_up(align, 16)
    return Extent(align, count * align, align)


def _array(t: Array, rule: Rule, row_major: bool, default: bool) -> Extent:
    e = extent(t.element, rule, row_major, default)
    count = t.size or 1
    align, size = e.align, e.size
    if rule in _TIGHT:
        return Extent(align, size * count, round_up(size, align) if size else 0)
    if rule in _ROUNDS_TO_16:
        align = round_up(align, 16)
        size = size or align
    if rule is Rule.FXC_CBUFFER:
        stride = round_up(size, align)
        return Extent(align, size + stride * (count - 1), stride)
    stride = round_up(size, align)
    return Extent(align, round_up(stride * count, align), stride)


def _struct(t: Struct, rule: Rule, default: bool) -> Extent:
    members = place(t, rule, default)
    align = max((m.extent.align for m in members), default=1)
    end = max(members[-1].offset + members[-1].extent.size, 0) if members else 0
    if rule in _ROUNDS_TO_16:
        align = round_up(align, 16)
    return Extent(align, round_up(end, align) if rule in ROUNDED_STRUCTS else end)


Member = tuple[Field | None, Type, bool]
"""(field, or ``None`` for a base class; type; whether its matrices are row-major) of a member without an offset."""


@dataclass(slots=True)
class Placed:
    """A struct member with its offset; ``field`` is ``None`` for a base class, which precedes the fields."""

    field: Field | None
    type: Type
    offset: int
    extent: Extent
    row_major: bool
    index: int
    """The index of the SPIR-V member: bit-fields that share a word share an index."""
    bit_offset: int = 0
    bits: int | None = None

    @property
    def stored_type(self) -> Type:
        """The type of the SPIR-V member: a boolean bit-field is stored in a uint, even without a layout."""
        return ty.UINT if self.bits is not None and self.type is ty.BOOL else self.type


def is_relaxed_vector(t: Type, e: Extent, rule: Rule) -> bool:
    """Return whether a member is a vector (or a matrix with one row or column) with relaxed alignment."""
    if rule not in RELAXED:
        return False
    if isinstance(t, Matrix):
        laid_out_as_array = rule is Rule.FXC_CBUFFER and e.stride
        return 1 in (t.rows, t.cols) and t.rows * t.cols > 1 and not laid_out_as_array
    return isinstance(t, Vector) and 1 < t.size <= ty.MAX_SHORT_VECTOR


def alignment(t: Type, e: Extent, rule: Rule) -> int:
    """Return the alignment of a member in bytes."""
    element = ty.element_of(t) if is_relaxed_vector(t, e, rule) else None
    if element is None:
        return e.align
    n = 4 if element.category == "bool" else element.bits // 8
    return n if n <= 4 else e.align


def straddles(offset: int, size: int) -> bool:
    """Return whether a vector at an offset would cross a 16-byte boundary that it must not cross."""
    return offset // 16 != (offset + size - 1) // 16 if size <= 16 else offset % 16 != 0


def advance(t: Type, e: Extent, end: int, rule: Rule) -> int:
    """Return the offset in bytes of a member of type ``t``; the members before it end at offset ``end``."""
    offset = round_up(end, alignment(t, e, rule))
    if is_relaxed_vector(t, e, rule) and straddles(offset, e.size):
        offset = round_up(offset, 16)
    return offset


def explicit_offset(f: Field) -> int | None:
    """Return a member's byte offset from ``[[vk::offset(n)]]`` or ``: packoffset(c1.y)``; ``None`` without either."""
    for a in f.attributes:
        if a.name == "offset" and a.scope == "vk" and a.args and isinstance(a.args[0], int):
            return a.args[0]
    return f.packoffset.offset if f.packoffset is not None else None


def members_of(s: Struct, default: bool) -> list[Member]:
    """Return the members of a struct: base classes first, then fields."""
    members: list[Member] = [(None, b, default) for b in s.bases]
    return members + [(f, f.type, is_row_major(f.majorness, default)) for f in s.fields]


def place(s: Struct, rule: Rule, default: bool) -> list[Placed]:
    """Return the members of a struct with their offsets; the list is cached and must not be modified."""
    if not s.is_complete:
        return place_members(members_of(s, default), rule, default)
    placed: list[Placed] | None = s.layouts.get((rule, default))
    if placed is None:
        placed = s.layouts[rule, default] = place_members(members_of(s, default), rule, default)
    return placed


def _word(t: Type) -> tuple[bool, int]:
    """Return (is signed, size in bits) of a bit-field's type; bit-fields share a word only if these are equal."""
    scalar = t.underlying if isinstance(t, ty.Enum) else t
    assert isinstance(scalar, ty.Scalar)
    return scalar.category == "int", 32 if scalar is ty.BOOL else scalar.bits


def _shares_word(previous: Placed, f: Field | None, t: Type) -> bool:
    """Return whether a bit-field may be in the previous member's word: its type must be compatible, as in DXC.

    Where DXC compares types, an enumeration counts as its underlying integer, and a bool as a uint.
    """
    is_forced = f is not None and explicit_offset(f) is not None
    return previous.bits is not None and not is_forced and _word(previous.type) == _word(t)


def place_members(
    members: list[Member], rule: Rule, default: bool, offsets: dict[int, int] | None = None
) -> list[Placed]:
    """Return the members with offsets, in order; ``offsets`` (by index) override explicit offsets of fields."""
    out: list[Placed] = []
    end, index = 0, 0
    previous: Placed | None = None
    for i, (f, t, row_major) in enumerate(members):
        e = extent(t, rule, row_major, default)
        bits = f.bits if f is not None else None
        if bits == 0:
            previous = None  # the next bit-field begins a word
            continue
        if previous is not None and bits is not None and _shares_word(previous, f, t):
            assert previous.bits is not None
            used = previous.bit_offset + previous.bits
            if used + bits <= e.size * 8:
                previous = Placed(f, t, previous.offset, e, row_major, previous.index, used, bits)
                out.append(previous)
                continue
        forced = (offsets or {}).get(i)
        if forced is None and f is not None:
            forced = explicit_offset(f)
        offset = (advance(t, e, end, rule) if rule is not Rule.VOID else end) if forced is None else forced
        previous = Placed(f, t, offset, e, row_major, index, 0, bits)
        out.append(previous)
        index += 1
        end = offset + e.size
    return out
