"""Nodes: variables, their parts, and the elements of buffers, as clients show and expand them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.interpreter import Image, Program, SampledImage, Sampler
from hlsl_tool.interpreter.images.formats import FORMATS
from hlsl_tool.interpreter.model.layout import Place
from hlsl_tool.interpreter.runtime.masks import Mask
from hlsl_tool.interpreter.runtime.memory import OFFSET, OFFSET_BITS, AddressSpace

from ..symbols.types import HlslType, TypeNames
from .storage import CellPart, MemoryRange, Storage
from .text import text_of
from .trees import Path, lane_part, part_of

MOST_SHOWN = 16
"""The number of elements of an array in memory that are read for its text."""


class Node:
    """A value with a name; children are made when a client expands it."""

    def __init__(self, name: str, type_name: str, path: str = "") -> None:
        self.name, self.type_name = name, type_name
        self.path = path or name
        """The expression that gives the value."""

    def text(self, lane: int) -> str:
        """Return the value of a lane as text."""
        return self.type_name

    def count(self) -> int:
        """Return the number of children."""
        return 0

    @property
    def is_indexed(self) -> bool:
        """Whether the children are elements with numbers, of which a client may ask for some only."""
        return False

    def child(self, number: int) -> Node:
        """Return one child."""
        raise IndexError(number)

    def named(self, name: str) -> Node | None:
        """Return the child with a name; ``None`` if there is none."""
        return next((child for child in map(self.child, range(self.count())) if child.name == name), None)

    def storage(self, lane: int) -> Storage | None:
        """Return the storage that a data breakpoint on the value watches; ``None`` if there is none."""
        return None

    def hlsl(self) -> tuple[HlslType, Any] | None:
        """Return the type and the value of all lanes, for expressions; ``None`` if it has no such value."""
        return None


class GroupNode(Node):
    """Nodes under a name, such as a scope."""

    def __init__(self, name: str, children: Sequence[Node], text: str = "") -> None:
        super().__init__(name, "")
        self.children, self._text = children, text

    def text(self, lane: int) -> str:
        return self._text

    def count(self) -> int:
        return len(self.children)

    def child(self, number: int) -> Node:
        return self.children[number]


class TextNode(Node):
    """A name with a text, such as the size of a texture."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, "")
        self._text = text

    def text(self, lane: int) -> str:
        return self._text


@dataclass(slots=True)
class Origin:
    """The variable without an address that a value is a part of."""

    variable: int
    function: int
    path: Path = ()


class ValueNode(Node):
    """A value of all lanes."""

    def __init__(self, name: str, of: HlslType, value: Any, path: str = "", origin: Origin | None = None) -> None:
        super().__init__(name, of.name, path)
        self.of, self.value, self.origin = of, value, origin

    def text(self, lane: int) -> str:
        return text_of(self.of, lane_part(self.value, lane))

    def count(self) -> int:
        return len(self.of.members) if self.of.kind == "struct" else self.of.length or 0

    @property
    def is_indexed(self) -> bool:
        return self.of.kind == "array"

    def child(self, number: int) -> Node:
        step, name, of = part_name(self.of, number)
        origin = self.origin
        if origin is not None:
            origin = Origin(origin.variable, origin.function, (*origin.path, step))
        return ValueNode(name, of, part_of(self.value, (step,)), joined_path(self.path, name), origin)

    def storage(self, lane: int) -> Storage | None:
        if self.origin is None:
            return None
        return CellPart(self.origin.variable, self.origin.function, self.origin.path, lane)

    def hlsl(self) -> tuple[HlslType, Any] | None:
        return self.of, self.value


def part_name(of: HlslType, number: int) -> tuple[int, str, HlslType]:
    """Return the step of a path, the name and the type of a member, element, row or component."""
    if of.kind == "struct":
        name, member = of.members[number]
        return number, name, member
    assert of.element is not None
    name = "xyzw"[number] if of.kind == "vector" and (of.length or 0) <= 4 else f"[{number}]"
    return ~number, name, of.element


def joined_path(path: str, name: str) -> str:
    """Return the expression of a part."""
    return f"{path}{name}" if name.startswith("[") else f"{path}.{name}"


@dataclass(slots=True)
class Memory:
    """What reads of memory need."""

    program: Program
    types: TypeNames
    space: AddressSpace
    groups: Any
    """The number of the group of each lane."""


class MemoryNode(Node):
    """A value in a buffer or in shared memory; ``addresses`` are those of all lanes, or one."""

    def __init__(
        self, memory: Memory, name: str, place: Place, of: HlslType, addresses: Any, path: str = "", declared: str = ""
    ) -> None:
        super().__init__(name, declared or of.name, path)
        self.memory, self.place, self.of, self.addresses = memory, place, of, addresses

    def _address(self, lane: int) -> int:
        return int(self.addresses[lane if self.addresses.size > 1 else 0])

    def count(self) -> int:
        if self.of.kind == "struct":
            return len(self.of.members)
        if self.of.kind == "array" and self.of.length is None:
            address = int(self.addresses[0])
            buffer = self.memory.space.at(address >> OFFSET_BITS)
            stride = self.memory.program.context.layout.stride(self.place.type)
            return max(buffer.size - (address & OFFSET), 0) // stride if stride else 0
        return self.of.length or 0

    @property
    def is_indexed(self) -> bool:
        return self.of.kind == "array"

    def child(self, number: int) -> Node:
        _, name, of = part_name(self.of, number)
        layout = self.memory.program.context.layout
        step, part = layout.step(self.place, number if self.of.kind == "struct" else 0)
        offset = step if self.of.kind == "struct" else step * number
        path = joined_path(self.path, name) if self.path else name
        return MemoryNode(self.memory, name, part, of, self.addresses + offset, path)

    def text(self, lane: int) -> str:
        if self.of.kind == "array" and (self.of.length is None or self.of.length > MOST_SHOWN):
            count = self.count()
            first = [self.child(number).text(lane) for number in range(min(count, 4))]
            return f"[{', '.join(first)}{', …' if count > 4 else ''}] ({count} elements)"
        if not _is_sized(self.of):
            return f"{{ {', '.join(f'{c.name} = {c.text(lane)}' for c in map(self.child, range(self.count())))} }}"
        value = self._load(np.array([self._address(lane)], np.int64))
        return text_of(self.of, lane_part(value, 0))

    def _load(self, addresses: Any) -> Any:
        leaves = self.memory.program.context.layout.leaves(self.place)
        return self.memory.space.load(leaves, addresses, Mask(np.ones(addresses.size, np.bool_)), None)

    def storage(self, lane: int) -> Storage | None:
        size = self.memory.program.context.layout.size(self.of.of)
        return MemoryRange(self._address(lane), size) if size else None

    def hlsl(self) -> tuple[HlslType, Any] | None:
        return (self.of, self._load(self.addresses)) if _is_sized(self.of) else None


def _is_sized(of: HlslType) -> bool:
    """Return whether a type contains no run-time array."""
    if of.kind == "array" and of.length is None:
        return False
    if of.element is not None and not _is_sized(of.element):
        return False
    return all(_is_sized(member) for _, member in of.members)


class HandleNode(Node):
    """A texture, a sampler or another object; its children are facts about it."""

    def __init__(self, name: str, type_name: str, handle: Any, path: str = "") -> None:
        super().__init__(name, type_name, path)
        self.handle = handle

    def text(self, lane: int) -> str:
        handle = self.handle
        if handle is None:
            return "nothing is bound"
        facts = _facts(handle)
        return f"{self.type_name}, {facts[0][1]}" if facts else self.type_name

    def count(self) -> int:
        return len(_facts(self.handle))

    def child(self, number: int) -> Node:
        return TextNode(*_facts(self.handle)[number])


def _facts(handle: Any) -> list[tuple[str, str]]:
    """Return (name, text) of what is known of an object."""
    if isinstance(handle, SampledImage):
        return [*_facts(handle.image), *_facts(handle.sampler)]
    if isinstance(handle, Image):
        sides = " × ".join(str(side) for side in handle.size if side > 1) or "1"
        form = next((name for name, form in FORMATS.items() if form is handle.format), "")
        return [("size", sides), ("format", form), ("layers", str(handle.layers)), ("levels", str(handle.levels))]
    if isinstance(handle, Sampler):
        names = getattr(handle, "__slots__", ())
        return [(name, str(getattr(handle, name))) for name in names if not name.startswith("_")]
    return []


class LanesNode(Node):
    """A value of each lane, a child for each."""

    def __init__(self, node: Node, lanes: Sequence[int], label: Callable[[int], str], is_here: Any) -> None:
        super().__init__(node.name, f"{node.type_name} of {len(lanes)} lanes", f"lanes({node.path})")
        self.node, self.lanes, self.label, self.is_here = node, lanes, label, is_here

    def text(self, lane: int) -> str:
        here = [number for number in self.lanes if self.is_here[number]]
        values = list(dict.fromkeys(self.node.text(number) for number in here[:MOST_SHOWN]))
        if len(here) > MOST_SHOWN or len(values) > 4:
            values = [*values[:4], "…"]
        return " | ".join(values)

    def count(self) -> int:
        return len(self.lanes)

    @property
    def is_indexed(self) -> bool:
        return True

    def child(self, number: int) -> Node:
        lane = self.lanes[number]
        absent = "" if self.is_here[lane] else "  (is elsewhere)"
        return _OfLane(self.node, lane, f"[{lane}] {self.label(lane)}", absent)


class _OfLane(Node):
    """A value of a certain lane, whichever lane is focused."""

    def __init__(self, node: Node, lane: int, name: str, suffix: str = "") -> None:
        super().__init__(name, node.type_name, node.path)
        self.node, self.lane, self.suffix = node, lane, suffix

    def text(self, lane: int) -> str:
        return self.node.text(self.lane) + self.suffix

    def count(self) -> int:
        return self.node.count()

    def child(self, number: int) -> Node:
        child = self.node.child(number)
        return _OfLane(child, self.lane, child.name, self.suffix)

    def storage(self, lane: int) -> Storage | None:
        return self.node.storage(self.lane)
