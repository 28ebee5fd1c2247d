"""Blocks as plain data: what lies in memory between host and shader, and the rule by which it does.

The lowering records one for every constant buffer, texture buffer, structured buffer, push constant, shader record and
for ``$Globals``, as it lays them out; pictures, explanations and warnings work from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hlsl_tool.layout.rules import (
    RULES_OF_OPTION,
    Member,
    Placed,
    Rule,
    extent,
    is_row_major,
    members_of,
    place_members,
)
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Majorness, Struct, Type

if TYPE_CHECKING:
    from hlsl_tool.sema.source_chunk import SourceChunk

Usage = Literal["constant", "texture", "storage"]
USAGES: tuple[Usage, ...] = ("constant", "texture", "storage")
"""In the order of `RULES_OF_OPTION`."""


@dataclass(slots=True)
class Block:
    """Members, and how they are laid out."""

    name: str
    """The block's own (``cbuffer Camera``), or the variable's (``ConstantBuffer<View> camera``)."""
    kind: str
    """HLSL's word: ``cbuffer``, ``StructuredBuffer``, ``push_constant``, ``$Globals``."""
    usage: Usage
    rule: Rule
    default_row_major: bool
    members: list[Member]
    offsets: dict[int, int] = field(default_factory=dict)
    """Places by position in ``members`` that do not stand in the fields: ``register(c#)``."""
    type_name: str = ""
    """The struct's name, or the element type of a structured buffer of numbers."""
    element: Type | None = None
    """Of a structured buffer: the type of what is repeated."""
    element_row_major: bool = False
    element_majorness: Majorness | None = None
    """As written in the angle brackets, or as a pragma set it."""
    element_quals: tuple[str, ...] = ()
    """What stands in the angle brackets beside the type."""
    pos: int = 0
    chunk: SourceChunk | None = None
    chunks: list[SourceChunk | None] = field(default_factory=list)
    """Of the members that are variables, in their order: where their positions count from."""

    def rule_under(self, option: str) -> Rule:
        """The rule that this block has under a value of the ``layout`` option."""
        return RULES_OF_OPTION[option][USAGES.index(self.usage)]

    def placed(self, rule: Rule | None = None) -> list[Placed]:
        return place_members(self.members, rule or self.rule, self.default_row_major, self.offsets)

    def stride(self, rule: Rule | None = None) -> int | None:
        """From one element of a structured buffer to the next."""
        if self.element is None:
            return None
        array = ty.array(self.element, 1)
        return extent(array, rule or self.rule, self.element_row_major, self.default_row_major).stride


def block_of_struct(name: str, kind: str, usage: Usage, rule: Rule, s: Struct, default: bool) -> Block:
    """A block with the members of a struct."""
    return Block(name, kind, usage, rule, default, members_of(s, default), type_name=s.display_name)


def block_of_type(name: str, kind: str, rule: Rule, t: Type, majorness: Majorness | None, default: bool) -> Block:
    """The element of a structured buffer: a struct's members, or one without a name."""
    row_major = is_row_major(majorness, default)
    members: list[Member] = members_of(t, default) if isinstance(t, Struct) else [(None, t, row_major)]
    return Block(
        name,
        kind,
        "storage",
        rule,
        default,
        members,
        type_name=ty.display(t),
        element=t,
        element_row_major=row_major,
        element_majorness=majorness,
    )
