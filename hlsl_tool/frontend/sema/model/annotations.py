"""Annotations and attributes of declarations as HIR stores them: valid, with numbers evaluated.

``pos`` is the index of the annotation's token, counted from the first token of its top-level declaration.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Semantic:
    """A semantic, ``: SV_Target1``; ``name`` is spelled as in the source."""

    name: str
    pos: int


@dataclass(frozen=True, slots=True)
class Register:
    """A register, ``: register(vs, t3, space1)``; ``letter`` is lower case, and empty if only the space is given."""

    letter: str
    number: int
    space: int | None
    profile: str | None
    pos: int
    subcomponent: int = 0
    """The index in ``t3[1]``, which takes no effect."""


@dataclass(frozen=True, slots=True)
class PackOffset:
    """An offset in a constant buffer, ``: packoffset(c1.y)``; ``offset`` is in bytes."""

    offset: int
    pos: int


@dataclass(frozen=True, slots=True)
class Annotations:
    """The valid annotations of one declaration."""

    semantic: Semantic | None = None
    """The first semantic."""
    registers: tuple[Register, ...] = ()
    """All registers, in source order; at most one takes effect for a stage."""
    packoffset: PackOffset | None = None
    """The last ``packoffset``."""


@dataclass(slots=True, eq=False)
class Attribute:
    """``[name(args)]`` or ``[[scope::name(args)]]``.

    Constant arguments are evaluated to ints, floats and strings; other arguments are HIR expressions.
    """

    name: str
    args: tuple[object, ...]
    pos: int = 0
    scope: str | None = None
    """``vk`` or ``None``."""


def find_attribute(attributes: Sequence[Attribute], name: str, scope: str | None = None) -> Attribute | None:
    """Return the first attribute of this name and scope, or ``None``."""
    for a in attributes:
        if a.name == name and a.scope == scope:
            return a
    return None


def vk_attribute(attributes: Sequence[Attribute], name: str) -> Attribute | None:
    """Return the first ``[[vk::name]]``, or ``None``."""
    return find_attribute(attributes, name, "vk")


def vk_number(attributes: Sequence[Attribute], name: str) -> int | None:
    """Return the integer argument of ``[[vk::name(number)]]``; ``None`` without the attribute."""
    a = find_attribute(attributes, name, "vk")
    return a.args[0] if a is not None and a.args and isinstance(a.args[0], int) else None
