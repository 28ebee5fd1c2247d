"""Structured control flow as data, which `structure` creates from blocks and `exits` rewrites.

Blocks, conditions and selectors are ids.  A region is a brace-enclosed list.
"""

from __future__ import annotations

from hlsl_tool.system.dataclass import dataclass, field


@dataclass(slots=True, eq=False)
class Region:
    """A list of items that run in order."""

    items: list[Item] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Flag:
    """A variable that the converter adds: a boolean, or the number of a switch's next case."""

    hint: str
    numeric: bool = False


@dataclass(slots=True, eq=False)
class Code:
    """The instructions of a block, without its merge instruction and terminator."""

    block: int


@dataclass(slots=True, eq=False)
class Copies:
    """Assignments to the phis of ``target`` for the edge from ``source``."""

    source: int
    target: int


@dataclass(slots=True, eq=False)
class If:
    """A condition by its id."""

    block: int
    condition: int
    negated: bool
    then: Region
    otherwise: Region


@dataclass(slots=True, eq=False)
class IfFlag:
    """Whether a flag has a value."""

    flag: Flag
    value: int
    then: Region
    otherwise: Region = field(default_factory=Region)


@dataclass(slots=True, eq=False)
class SetFlag:
    """Assign ``value`` to a flag."""

    flag: Flag
    value: int


@dataclass(slots=True, eq=False)
class Case:
    """``values`` as in OpSwitch; the default may have values, too."""

    label: int
    values: list[int]
    default: bool
    body: Region


@dataclass(slots=True, eq=False)
class Switch:
    """The switch at the end of ``block`` with the id of its selector."""

    block: int
    selector: int
    cases: list[Case]


@dataclass(slots=True, eq=False)
class Loop:
    """A loop; ``break_if`` is (condition id, negated) at the end of ``continuing``."""

    header: int
    body: Region
    continuing: Region | None = None
    break_if: tuple[int, bool] | None = None
    endless: bool = False
    """Whether the loop has no exit, which WGSL requires."""


@dataclass(slots=True, eq=False)
class Wrap:
    """A breakable list; ``target`` is the construct whose exits leave it."""

    target: object
    body: Region


@dataclass(slots=True, eq=False)
class Leave:
    """An exit to the end of a construct, or (``again``) to the continuing part of a loop."""

    target: object
    again: bool = False


@dataclass(slots=True, eq=False)
class Fall:
    """A jump to another case of a switch."""

    target: Switch
    label: int


@dataclass(slots=True, eq=False)
class End:
    """The terminator of a block ends the invocation or returns."""

    block: int


Item = Code | Copies | If | IfFlag | SetFlag | Switch | Loop | Wrap | Leave | Fall | End


def children(item: Item) -> list[Region]:
    """Return the regions directly inside an item, in the order in which they are written."""
    if isinstance(item, (If, IfFlag)):
        return [item.then, item.otherwise]
    if isinstance(item, Loop):
        return [item.body] if item.continuing is None else [item.body, item.continuing]
    if isinstance(item, Switch):
        return [case.body for case in item.cases]
    if isinstance(item, Wrap):
        return [item.body]
    return []
