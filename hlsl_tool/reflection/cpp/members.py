"""C++ declarations of members, with types that fit into a given number of bytes."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.reflection.member_layout import component_kind, lines
from hlsl_tool.reflection.reflection import Member, Type

from .plan import Key, StructPlan, key_of

SCALARS = {
    ("float", 16): "std::uint16_t",
    ("float", 32): "float",
    ("float", 64): "double",
    ("int", 8): "std::int8_t",
    ("int", 16): "std::int16_t",
    ("int", 32): "std::int32_t",
    ("int", 64): "std::int64_t",
    ("uint", 8): "std::uint8_t",
    ("uint", 16): "std::uint16_t",
    ("uint", 32): "std::uint32_t",
    ("uint", 64): "std::uint64_t",
}
BYTES = "std::uint8_t"


@dataclass(slots=True)
class Spelled:
    """A C++ type as the text before and the text after a declared name, with its size and alignment in bytes."""

    before: str
    dims: str
    size: int
    align: int

    @property
    def whole(self) -> str:
        """The type without a name, as in a template argument."""
        return self.before + self.dims


class Spelling:
    """Converts types to C++ text; ``structs`` contains the structs declared so far."""

    def __init__(self, plans: dict[Key, StructPlan]) -> None:
        self.plans = plans
        self.structs: dict[Key, Spelled] = {}
        self.reserved: set[str] = set()
        """The names of structs, which no member may have: it would hide the struct (C++, [basic.scope.class])."""

    def spell(self, t: Type, room: int) -> Spelled | None:
        """Return the C++ type for ``t`` with at most ``room`` bytes.

        ``None`` if only an array of bytes can represent it.
        """
        if t.kind in ("array", "matrix"):
            return self._repeated(t, room)
        if t.kind == "struct":
            return self.structs.get(key_of(t))
        if t.kind == "vector":
            part = _component(t)
            return part and Spelled(part.before, f"[{t.columns}]", part.size * t.columns, part.align)
        if t.kind == "pointer":
            return Spelled("std::uint64_t", "", 8, 8) if t.size == 8 else None
        return _component(t)

    def _repeated(self, t: Type, room: int) -> Spelled | None:
        """Return the C++ type of an array, or of a matrix as an array of rows or columns.

        It has at most ``room`` bytes; ``None`` if only an array of bytes can represent it.
        """
        stride = t.stride
        if t.kind == "matrix":
            part = _component(t)
            count, within = lines(t)
            one = part and Spelled(part.before, f"[{within}]", part.size * within, part.align)
            if one is not None and part is not None and stride and stride % part.size == 0 and stride * count <= room:
                return Spelled(part.before, f"[{count}][{stride // part.size}]", stride * count, part.align)
        else:
            count = t.count or 0
            one = self.spell(t.element, min(stride or 0, room - (stride or 0) * (count - 1))) if t.element else None
        if one is None or stride is None or count < 1 or one.size > stride or stride % one.align:
            return None
        if one.size == stride:
            return Spelled(one.before, f"[{count}]{one.dims}", stride * count, one.align)
        if stride * count <= room:
            return Spelled(f"Strided<{one.whole}, {count}, {stride}>", "", stride * count, one.align)
        if count == 1:
            return Spelled(one.before, f"[1]{one.dims}", one.size, one.align)
        size = stride * (count - 1) + one.size
        return Spelled(f"StridedTight<{one.whole}, {count}, {stride}>", "", size, one.align)


def _component(t: Type) -> Spelled | None:
    name = SCALARS.get((component_kind(t), t.bits))
    return Spelled(name, "", t.bits // 8, t.bits // 8) if name is not None else None


def _constants(t: Type) -> list[int]:
    """Return the ids of the specialisation constants on which the length of an array depends."""
    ids: set[int] = set()
    while t.kind == "array" and t.element is not None:
        ids.update(t.count_constants)
        t = t.element
    return sorted(ids)


def comment(member: Member) -> str:
    """Return a comment with the HLSL type of a member; empty if the C++ declaration shows the same."""
    hlsl, t = member.hlsl.get("type", ""), member.type
    if "bit_fields" in member.hlsl:
        return ", ".join(f"{b['name']} : {b['bits']} at bit {b['offset']}" for b in member.hlsl["bit_fields"])
    words = [hlsl or t.name]
    inner, dims = t, ""
    while inner.kind == "array" and inner.element is not None:
        inner, dims = inner.element, dims + "[i]"
    if inner.kind == "matrix" and inner.majorness:
        order = "[column][row]" if inner.majorness == "column_major" else "[row][column]"
        words.append(f"{inner.majorness}, {dims}{order}")
    elif "majorness" in member.hlsl:
        words.append(f"{member.hlsl['majorness']}, {dims.removesuffix('[i]')}[column][row]")
    elif inner.kind == "pointer":
        words.append("a buffer address")
    elif inner.bits == 16 and "float" in inner.name:
        words.append("the bits of a 16-bit float")
    constants = _constants(t)
    if constants:
        words.append(f"the length depends on the specialisation constant {' and '.join(map(str, constants))}")
    plain = not constants and not hlsl and inner.kind not in ("matrix", "pointer", "other") and inner.bits != 16
    return "" if plain else ": ".join(words)
