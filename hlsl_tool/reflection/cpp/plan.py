"""Choose the structs of a header and their sizes.

A struct of the shader becomes one struct in C++, wherever it is used.  If the shader has arrays of it, its size is
their stride, provided that all its other uses have that many bytes; else it is the size of its members.  The *room* of
a use is the number of bytes up to the next member.
"""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.reflection.member_layout import lines, rooms
from hlsl_tool.reflection.reflection import Type

from ..blocks import Block

Key = tuple[object, ...]


def key_of(t: Type) -> Key:
    """Return a key that is equal for types with the same name and memory layout."""
    if t.kind == "struct":
        return (t.name, *((m.name, m.offset, key_of(m.type)) for m in t.members))
    return (t.kind, t.name, t.stride, t.majorness, key_of(t.element) if t.element is not None else None)


def alignment(t: Type) -> int:
    """Return the alignment in bytes of a type in C++."""
    if t.kind == "array" and t.element is not None:
        return alignment(t.element)
    if t.kind == "struct":
        return max((alignment(m.type) for m in t.members), default=1)
    return max(t.bits // 8, 1) if t.kind != "other" else 1


def extent(t: Type) -> int:
    """Return the size in bytes of a type, including padding after the last element, row or column."""
    if t.kind == "matrix" and t.stride is not None:
        return lines(t)[0] * t.stride
    if t.kind == "array" and t.stride is not None:
        return t.stride * (t.count or 0)
    if t.kind == "struct":
        end = max(((m.offset or 0) + extent(m.type) for m in t.members), default=0)
        return round_up(max(end, 1), alignment(t))
    return t.size or 0


def packing(natural: int, places: list[tuple[int, int]], size: int) -> int | None:
    """Return the value for ``#pragma pack`` of a struct, or ``None`` if C++ places all members correctly without it.

    ``places`` lists (offset, alignment) of each member; ``natural`` is the struct's alignment, ``size`` its size.
    """
    if size % natural == 0 and all(offset % align == 0 for offset, align in places):
        return None
    pack = natural
    while size % pack or any(offset % min(align, pack) for offset, align in places):
        pack //= 2
    return pack


@dataclass(slots=True)
class StructPlan:
    """A struct that the header declares: its type, the strides of arrays of it, and the fewest bytes of any use."""

    type: Type
    depth: int = 0
    """The longest path from a block: sizes are chosen for containing structs first."""
    strides: set[int] = field(default_factory=set)
    room: int | None = None
    """The room in bytes of the tightest place; ``None`` for no limit."""
    size: int = 0
    owner: str = ""
    """The first block that contains it."""

    def limit(self, room: int | None) -> None:
        """Record that a use of the struct has ``room`` bytes up to the next member; `None` for no limit.

        Only the smallest of all these numbers is stored.
        """
        if room is not None:
            self.room = room if self.room is None else min(self.room, room)

    def choose(self) -> None:
        """Set the struct's size in bytes to the largest array stride that fits every use.

        If none fits, it is the size with padding at the end; if that does not fit either, the size without it.
        """
        fitting = [s for s in self.strides if self.room is None or s <= self.room]
        fitting = [s for s in fitting if s >= (self.type.size or 0)]
        natural = extent(self.type)
        if fitting:
            self.size = max(fitting)
        elif self.room is None or natural <= self.room:
            self.size = natural
        else:
            self.size = max(self.type.size or 0, 1)


class Plan:
    """Collects the structs of a module's blocks, and chooses their sizes."""

    def __init__(self, blocks: list[Block]) -> None:
        self.structs: dict[Key, StructPlan] = {}
        for block in blocks:
            if block.type is not None and block.type.kind == "struct":
                self._meet(block.type, 0, block.name)
            if block.tail is not None:
                self._meet_inside(block.element, 1, block.name)
        self._roots(blocks)
        for plan in sorted(self.structs.values(), key=lambda p: p.depth):
            plan.choose()
            self._places(plan)

    def _meet(self, t: Type, depth: int, owner: str) -> None:
        plan = self.structs.setdefault(key_of(t), StructPlan(t, owner=owner))
        plan.depth = max(plan.depth, depth)
        for member in t.members:
            self._meet_inside(member.type, depth + 1, owner)

    def _meet_inside(self, t: Type, depth: int, owner: str) -> None:
        while t.kind == "array" and t.element is not None:
            t = t.element
        if t.kind == "struct":
            self._meet(t, depth, owner)

    def _roots(self, blocks: list[Block]) -> None:
        for block in blocks:
            if block.tail is not None:
                if block.type is not None:
                    self.structs[key_of(block.type)].limit(block.tail.offset)
                self._place(block.element, block.stride, is_element=True)

    def _places(self, plan: StructPlan) -> None:
        for member, room in rooms(plan.type, plan.size):
            self._place(member.type, room)

    def _place(self, t: Type, room: int, *, is_element: bool = False) -> None:
        """Record a use of a type with ``room`` bytes up to the next member, in the plan of each struct in the type.

        ``is_element``: the value is an array element, and ``room`` is the stride.
        """
        if t.kind == "array" and t.element is not None and t.stride is not None and t.count:
            last = room - t.stride * (t.count - 1)  # the last element may have less
            self._place(t.element, t.stride, is_element=True)
            self._place(t.element, min(last, t.stride))
        elif t.kind == "struct":
            plan = self.structs[key_of(t)]
            plan.limit(room)
            if is_element:
                plan.strides.add(room)
