"""The blocks of a module: what a host fills with bytes, or reads back.

A *block* is a constant buffer, a storage buffer, push constants, a shader record, or what a buffer address points to.
A structured buffer is a struct around an unbounded array in SPIR-V; a host wants its elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .check import ReflectError
from .model import Member, Pointee, Reflection, Resource, Type

_ELEMENT = re.compile(r"\w*StructuredBuffer<(.+)>(?:\[\d*\])*$")
KINDS = ("uniform_buffer", "storage_buffer", "push_constant", "shader_record")


@dataclass(slots=True)
class Block:
    """Bytes that host and shader share."""

    name: str
    """Of the resource, or of the type that an address points to."""
    kind: str
    """Of the resource; or ``pointee``."""
    type: Type | None
    """What begins at offset 0; ``None`` for nothing but an unbounded array."""
    tail: Member | None = None
    """The unbounded array at the end."""

    @property
    def size(self) -> int:
        """Bytes, without the unbounded array."""
        return (self.type.size or 0) if self.type is not None else 0

    @property
    def element(self) -> Type:
        """Of the unbounded array."""
        if self.tail is None or self.tail.type.element is None:
            raise ReflectError(f"`{self.name}` has no unbounded array")
        return self.tail.type.element

    @property
    def stride(self) -> int:
        """Of the unbounded array."""
        if self.tail is None or not self.tail.type.stride:
            raise ReflectError(f"`{self.name}` has no unbounded array with a stride")
        return self.tail.type.stride

    def __post_init__(self) -> None:
        members = self.type.members if self.type is not None else []
        if members and members[-1].type.kind == "array" and members[-1].type.count is None:
            self.tail = members[-1]
            only = len(members) == 1 and self.tail.offset == 0
            self.type = None if only or self.type is None else replace(self.type, members=members[:-1])


def block_of(what: Resource | Pointee | Type | Block) -> Block:
    """The block that a resource, the target of an address, or a struct is; ``ReflectError`` for what is none."""
    if isinstance(what, Block):
        return what
    if isinstance(what, Type):
        return Block(what.name, what.kind, what)
    if isinstance(what, Pointee):
        return Block(what.name, "pointee", what.type)
    if what.kind not in KINDS or what.type.kind != "struct":
        raise ReflectError(f"`{what.name}` is no block but a {what.kind}")
    block = Block(what.name, what.kind, what.type)
    declared = _ELEMENT.match(what.hlsl.get("declared", ""))
    if declared is not None and block.tail is not None and not block.tail.hlsl:
        block.tail = replace(block.tail, hlsl={"type": declared[1]})
    return block


def blocks(reflection: Reflection) -> Iterator[Block]:
    """All blocks of a module, resources in order of set and binding first."""
    for r in [*reflection.resources, *reflection.push_constants]:
        if r.kind in KINDS and r.type.kind == "struct" and not r.counter_of:
            yield block_of(r)
    for pointee in reflection.pointees:
        yield block_of(pointee)


def find_block(reflection: Reflection, name: str) -> Block:
    """The block of a resource, or of a type that addresses point to, by its name."""
    found = [block for block in blocks(reflection) if block.name == name]
    if not found:
        raise ReflectError(f"there is no block `{name}`; there are {', '.join(_names(reflection)) or 'none'}")
    return found[0]


def _names(reflection: Reflection) -> list[str]:
    return [f"`{block.name}`" for block in blocks(reflection)]


def member_names(members: list[Member]) -> list[str]:
    """A name for each member; those without one are numbered (base classes, modules without names)."""
    taken = {m.name for m in members}
    names = []
    for i, member in enumerate(members):
        name = member.name or f"member{i}"
        while not member.name and name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names
