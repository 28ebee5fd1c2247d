"""The blocks of a module: structured memory that a host fills with bytes, or reads back.

A *block* is a constant buffer, a storage buffer, push constants, a shader record, or the target of a buffer address.
In SPIR-V, a structured buffer is a struct around an unbounded array; hosts use the array's elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.reflection.reflection import Member, Pointee, Reflection, Resource, Type

from .check import ReflectError
from .resources import ELEMENT

KINDS = ("uniform_buffer", "storage_buffer", "push_constant", "shader_record")


@dataclass(slots=True)
class Block:
    """A piece of memory that host and shader share, with its type."""

    name: str
    """The name of the resource, or of the type that an address points to."""
    kind: str
    """The kind of the resource, or ``pointee``."""
    type: Type | None
    """The struct at offset 0; ``None`` for a block that is only an unbounded array."""
    tail: Member | None = None
    """The unbounded array at the end."""

    @property
    def size(self) -> int:
        """The size in bytes, excluding an unbounded array at the end."""
        return (self.type.size or 0) if self.type is not None else 0

    @property
    def element(self) -> Type:
        """The element type of the unbounded array; raises ``ReflectError`` for a block without one."""
        if self.tail is None or self.tail.type.element is None:
            raise ReflectError(f"`{self.name}` has no unbounded array")
        return self.tail.type.element

    @property
    def stride(self) -> int:
        """The stride of the unbounded array in bytes; raises ``ReflectError`` for a block without one."""
        if self.tail is None or not self.tail.type.stride:
            raise ReflectError(f"`{self.name}` has no unbounded array with a stride")
        return self.tail.type.stride

    def __post_init__(self) -> None:
        members = self.type.members if self.type is not None else []
        if members and members[-1].type.kind == "array" and members[-1].type.count is None:
            self.tail = members[-1]
            only = len(members) == 1 and self.tail.offset == 0
            self.type = None if only or self.type is None else replace(self.type, members=members[:-1])


def block_of(source: Resource | Pointee | Type | Block) -> Block:
    """Return the block that a resource, the target of an address, or a struct describes.

    Raises ``ReflectError`` for a resource that is not a block, such as a texture.
    """
    if isinstance(source, Block):
        return source
    if isinstance(source, Type):
        return Block(source.name, source.kind, source)
    if isinstance(source, Pointee):
        return Block(source.name, "pointee", source.type)
    if source.kind not in KINDS or source.type.kind != "struct":
        raise ReflectError(f"`{source.name}` is no block but a {source.kind}")
    block = Block(source.name, source.kind, source.type)
    declared = ELEMENT.match(source.hlsl.get("declared", ""))
    if declared is not None and block.tail is not None and not block.tail.hlsl:
        block.tail = replace(block.tail, hlsl={"type": declared[1]})
    return block


def blocks(reflection: Reflection) -> Iterator[Block]:
    """Yield all blocks of a module: resources by set and binding, then buffers in heaps, then targets of addresses."""
    for r in [*reflection.resources, *reflection.push_constants]:
        if r.kind in KINDS and r.type.kind == "struct" and not r.counter_of:
            yield block_of(r)
    for heap in reflection.descriptor_heaps:
        for descriptor in heap.descriptors:
            if descriptor.kind in KINDS and descriptor.type.kind == "struct":
                yield Block(descriptor.type.name, descriptor.kind, descriptor.type)
    for pointee in reflection.pointees:
        yield block_of(pointee)


def find_block(reflection: Reflection, name: str) -> Block:
    """Return the first block with this name; if there is none, raise ``ReflectError`` with the names of all blocks."""
    candidates = [block for block in blocks(reflection) if block.name == name]
    if not candidates:
        raise ReflectError(f"there is no block `{name}`; there are {', '.join(_names(reflection)) or 'none'}")
    return candidates[0]


def _names(reflection: Reflection) -> list[str]:
    return [f"`{block.name}`" for block in blocks(reflection)]


def member_names(members: list[Member]) -> list[str]:
    """Return a unique name for each member; unnamed members (base classes, stripped modules) get a number."""
    taken = {m.name for m in members}
    names = []
    for i, member in enumerate(members):
        name = member.name or f"member{i}"
        while not member.name and name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names
