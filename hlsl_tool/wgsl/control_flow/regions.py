"""Structured control flow as data: `structure` creates it from blocks, and `exits` rewrites it.

Blocks, conditions and selectors are SPIR-V ids. A region corresponds to a list of statements in braces.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True, eq=False)
class Region:
    """A list of statements (`Item`) that are executed in order."""

    items: list[Item] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Flag:
    """A variable that the converter adds: a boolean, or the number of the case that a switch runs next."""

    hint: str
    numeric: bool = False


@dataclass(slots=True, eq=False)
class Code:
    """The instructions of a block, without its merge instruction and terminator."""

    block: int


@dataclass(slots=True, eq=False)
class Copies:
    """Assignments to the phis of block ``target`` for the edge from ``source``."""

    source: int
    target: int


@dataclass(slots=True, eq=False)
class If:
    """An `if` whose condition is an id."""

    block: int
    condition: int
    negated: bool
    then: Region
    otherwise: Region


@dataclass(slots=True, eq=False)
class IfFlag:
    """An `if` that tests whether a flag has a value."""

    flag: Flag
    value: int
    then: Region
    otherwise: Region = field(default_factory=Region)


@dataclass(slots=True, eq=False)
class SetFlag:
    """An assignment of ``value`` to a flag."""

    flag: Flag
    value: int


@dataclass(slots=True, eq=False)
class Case:
    """A case of a switch; ``values`` are the literals of OpSwitch, which the default may have, too."""

    label: int
    values: list[int]
    default: bool
    body: Region


@dataclass(slots=True, eq=False)
class Switch:
    """The switch at the end of ``block``, with the id of its selector."""

    block: int
    selector: int
    cases: list[Case]


@dataclass(slots=True, eq=False)
class Loop:
    """A loop; ``break_if`` is the condition that ends it after ``continuing``: (id of the condition, is negated)."""

    header: int
    body: Region
    continuing: Region | None = None
    break_if: tuple[int, bool] | None = None
    endless: bool = False
    """Whether the loop has no exit, which WGSL requires."""


@dataclass(slots=True, eq=False)
class Wrap:
    """A breakable list: statements that a `Leave` of ``target`` breaks out of."""

    target: object
    body: Region


@dataclass(slots=True, eq=False)
class Leave:
    """An exit to the end of a construct, or (with ``again``) to the continuing part of a loop."""

    target: object
    again: bool = False


@dataclass(slots=True, eq=False)
class Fall:
    """A jump into another case of a switch."""

    target: Switch
    label: int


@dataclass(slots=True, eq=False)
class End:
    """A block's terminator that returns or ends the invocation."""

    block: int


Item = Code | Copies | If | IfFlag | SetFlag | Switch | Loop | Wrap | Leave | Fall | End


def children(item: Item) -> list[Region]:
    """Return the regions directly inside an item, in the order in which they appear in the text."""
    if isinstance(item, (If, IfFlag)):
        return [item.then, item.otherwise]
    if isinstance(item, Loop):
        return [item.body] if item.continuing is None else [item.body, item.continuing]
    if isinstance(item, Switch):
        return [case.body for case in item.cases]
    if isinstance(item, Wrap):
        return [item.body]
    return []
