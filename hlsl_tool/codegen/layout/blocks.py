"""Blocks as plain data: memory that host and shader share, with its layout rule.

Lowering records a block for every constant buffer, texture buffer, structured buffer, push constant and shader record,
and for ``$Globals``, when it lays them out; layout pictures, explanations and warnings use these records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.layout.rules import (
    RULES_OF_OPTION,
    Member,
    Placed,
    Rule,
    extent,
    is_row_major,
    members_of,
    place_members,
)
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Majorness, Struct, Type

if TYPE_CHECKING:
    from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Usage = Literal["constant", "texture", "storage"]
USAGES: tuple[Usage, ...] = ("constant", "texture", "storage")
"""The usages in the order of `RULES_OF_OPTION`."""


@dataclass(slots=True)
class BlockLayout:
    """A buffer or other block of memory: its members, and the rule, majorness and offsets that place them."""

    name: str
    """The name of the block (``cbuffer Camera``), or of the variable (``ConstantBuffer<View> camera``)."""
    kind: str
    """The kind in HLSL: ``cbuffer``, ``StructuredBuffer``, ``push_constant``, ``$Globals``."""
    usage: Usage
    rule: Rule
    default_row_major: bool
    members: list[Member]
    offsets: dict[int, int] = field(default_factory=dict)
    """Position in ``members`` → offset, for explicit offsets outside of the fields: ``register(c#)``."""
    type_name: str = ""
    """The name of the struct, or the element type of a structured buffer of numbers."""
    element: Type | None = None
    """The element type of a structured buffer."""
    element_row_major: bool = False
    element_majorness: Majorness | None = None
    """The majorness in the angle brackets, or that of a pragma."""
    element_quals: tuple[str, ...] = ()
    """The qualifiers in the angle brackets."""
    pos: int = 0
    chunk: SourceChunk | None = None
    chunks: list[SourceChunk | None] = field(default_factory=list)
    """The declarations of members that are variables, in order, to which their positions are relative."""

    def rule_under(self, option: str) -> Rule:
        """Return the layout rule of this block if the command-line option ``layout`` has the value ``option``."""
        return RULES_OF_OPTION[option][USAGES.index(self.usage)]

    def placed(self, rule: Rule | None = None) -> list[Placed]:
        """Return the members with their offsets under ``rule``, by default the block's own."""
        return place_members(self.members, rule or self.rule, self.default_row_major, self.offsets)

    def stride(self, rule: Rule | None = None) -> int | None:
        """Return the distance in bytes between a structured buffer's elements; ``None`` for other blocks."""
        if self.element is None:
            return None
        array = ty.array(self.element, 1)
        return extent(array, rule or self.rule, self.element_row_major, self.default_row_major).stride


def block_of_struct(name: str, kind: str, usage: Usage, rule: Rule, s: Struct, default: bool) -> BlockLayout:
    """Return a block with the members of a struct; ``default`` is the majorness of matrices without a qualifier."""
    return BlockLayout(name, kind, usage, rule, default, members_of(s, default), type_name=s.display_name)


def block_of_type(name: str, kind: str, rule: Rule, t: Type, majorness: Majorness | None, default: bool) -> BlockLayout:
    """Return a block for a structured buffer's element: the members of a struct, or a single unnamed member."""
    row_major = is_row_major(majorness, default)
    members: list[Member] = members_of(t, default) if isinstance(t, Struct) else [(None, t, row_major)]
    return BlockLayout(
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
