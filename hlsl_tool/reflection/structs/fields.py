"""The fields of structs, independent of the target language: element type, dimensions, offset."""

from __future__ import annotations

from math import prod

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.reflection.member_layout import component_kind, lines, rooms
from hlsl_tool.reflection.reflection import Type

from ..blocks import member_names
from ..cpp.members import comment
from ..cpp.plan import Key, StructPlan, key_of, packing

BYTE = ("uint", 8)
Element = tuple[str, int] | Key
"""(kind, bits) of a number, or the key of a struct."""


@dataclass(slots=True)
class Shape:
    """An element type and array dimensions, the outermost first; sizes are in bytes."""

    element: Element
    dims: tuple[int, ...]
    unit: int
    align: int
    is_struct: bool = False

    @property
    def size(self) -> int:
        return self.unit * prod(self.dims)

    def times(self, count: int) -> Shape:
        return Shape(self.element, (count, *self.dims), self.unit, self.align, self.is_struct)


@dataclass(slots=True)
class Field:
    """A member of a struct, or padding between two members (``name`` is empty)."""

    name: str
    offset: int
    shape: Shape
    note: str = ""


@dataclass(slots=True)
class Layout:
    """The fields of a struct in order; padding is included, so that there are no gaps."""

    fields: list[Field]
    size: int
    align: int
    pack: int | None
    """The alignment to which the struct is packed; ``None`` if its fields are aligned as they are."""


def layout_of(plan: StructPlan, structs: dict[Key, Layout]) -> Layout:
    """Return the layout of a struct; ``structs`` contains the layouts of structs that it contains."""
    fields = _members(plan, structs)
    natural = max([field.shape.align for field in fields], default=1)
    pack = packing(natural, [(field.offset, field.shape.align) for field in fields], plan.size)
    complete: list[Field] = []
    at = 0
    for field in [*fields, None]:
        offset = plan.size if field is None else field.offset
        if offset > at:
            complete.append(Field("", at, Shape(BYTE, (offset - at,), 1, 1)))
        if field is not None:
            complete.append(field)
            at = offset + field.shape.size
    return Layout(complete, plan.size, min(natural, pack or natural), pack)


def _members(plan: StructPlan, structs: dict[Key, Layout]) -> list[Field]:
    names = dict(zip(map(id, plan.type.members), member_names(plan.type.members), strict=True))
    fields: list[Field] = []
    end = 0
    for member, room in rooms(plan.type, plan.size):
        offset = member.offset or 0
        if offset < end:
            continue  # it lies over other members
        shape, note = _shape(member.type, room, structs), comment(member)
        if shape is None or shape.size > room:
            shape = Shape(BYTE, (min(room, member.type.size or room),), 1, 1)
            note = f"{member.type.name}, as bytes"
        bits = [field["name"] for field in member.hlsl.get("bit_fields", [])]
        fields.append(Field("_".join(bits) or names[id(member)], offset, shape, note))
        end = offset + shape.size
    return fields


def _shape(t: Type, room: int, structs: dict[Key, Layout]) -> Shape | None:
    """Return the element type and array dimensions that represent a type in at most ``room`` bytes.

    The result is ``None`` if only an array of bytes can represent it.
    """
    if t.kind == "array":
        return _array(t, room, structs)
    if t.kind == "matrix":
        part, (count, within) = _number(t), lines(t)
        if part is None or not t.stride or t.stride % part.unit:
            return None
        whole = part.times(t.stride // part.unit).times(count)  # with the padding of each line
        return whole if whole.size <= room else part.times(within) if count == 1 else None
    if t.kind == "struct":
        layout = structs.get(key_of(t))
        return Shape(key_of(t), (), layout.size, layout.align, is_struct=True) if layout is not None else None
    if t.kind == "vector":
        part = _number(t)
        return part and part.times(t.columns)
    if t.kind == "pointer":
        return Shape(("uint", 64), (), 8, 8) if t.size == 8 else None
    return _number(t)


def _array(t: Type, room: int, structs: dict[Key, Layout]) -> Shape | None:
    stride, count = t.stride or 0, t.count or 0
    if t.element is None or stride < 1 or count < 1:
        return None
    one = _shape(t.element, min(stride, room - stride * (count - 1)), structs)
    if one is None or one.size > stride:
        return None
    if one.size < stride:
        if one.is_struct or len(one.dims) > 1 or stride % one.unit or stride * count > room:
            return None
        one = Shape(one.element, (stride // one.unit,), one.unit, one.align)  # with the padding of each element
    return one.times(count)


def _number(t: Type) -> Shape | None:
    kind = component_kind(t)
    is_known = (kind in ("int", "uint") and t.bits in (8, 16, 32, 64)) or (kind == "float" and t.bits in (16, 32, 64))
    return Shape((kind, t.bits), (), t.bits // 8, t.bits // 8) if is_known else None
