"""The control-flow graph of a function body.

As in clang's graph, ``&&``, ``||`` and ``?:`` are branches, too, and an edge that a constant condition excludes is
``None``.  A block contains events, the accesses of the variables that the caller tracks, in the order of evaluation.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import Variable

EventKind = Literal["declare", "assign", "use", "name"]
"""``name``: a mention that is neither an assignment nor a use of the whole value."""


class Event(NamedTuple):
    """An access of a variable: declaration, assignment, use (a load), or another mention."""

    kind: EventKind
    variable: Variable
    pos: int


class Branch(NamedTuple):
    """The statement or operator at the end of a block that selects a successor, or the ``case`` label of a block."""

    name: str
    """``if``, ``?:``, ``&&``, ``||``, ``for``, ``while``, ``do``, ``switch``; of labels ``case``, ``default``."""
    pos: int


@dataclass(slots=True, eq=False)
class FlowBlock:
    """A basic block; its events, and its successors: the one for a true condition comes first."""

    events: list[Event] = field(default_factory=list)
    successors: list[FlowBlock | None] = field(default_factory=list)
    predecessors: list[FlowBlock] = field(default_factory=list)
    branch: Branch | None = None
    label: Branch | None = None

    def goes_to(self, successor: FlowBlock | None) -> None:
        """Add an edge to ``successor``; ``None`` stands for an edge that is never taken."""
        self.successors.append(successor)
        if successor is not None:
            successor.predecessors.append(self)


@dataclass(slots=True)
class Graph:
    """The basic blocks of a body; the entry block is the first."""

    blocks: list[FlowBlock]
    exits: list[tuple[FlowBlock, int]]
    """Blocks that leave the function, with the position of the ``return`` or of the closing brace."""
    end: FlowBlock
    """The block behind all of them."""

    @property
    def entry(self) -> FlowBlock:
        return self.blocks[0]
