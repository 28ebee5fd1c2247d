"""Definite assignment: find variables that may be uninitialised where they are used.

The data flow and the classification of uses are those of clang's analysis of uninitialised values.
"""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.rules.flow.graph import Branch, Event, FlowBlock, Graph

Certainty = Literal["always", "from entry", "from declaration", "sometimes", "maybe"]


@dataclass(slots=True)
class Use:
    """A use of a variable that may be uninitialised."""

    event: Event
    certainty: Certainty
    branches: list[tuple[Branch, bool]] = field(default_factory=list)
    """For ``sometimes``: the branches behind which the variable has no value, with the condition that leads there."""


@dataclass(slots=True)
class _State:
    """Two bit sets of variables: those that may be initialised here, and those that may be uninitialised."""

    assigned: int = 0
    unassigned: int = 0


class Assignment:
    """The analysis of one function body; ``parameters`` are the variables that are uninitialised at its start."""

    def __init__(self, graph: Graph, parameters: list[Variable]) -> None:
        self.graph = graph
        self.bits: dict[Variable, int] = {}
        self.before: dict[FlowBlock, _State] = {}
        self.after: dict[FlowBlock, _State] = {b: _State() for b in graph.blocks}
        start = _State()
        for p in parameters:
            start.unassigned |= self._bit(p)
        self._solve(start)

    def _bit(self, v: Variable) -> int:
        return self.bits.setdefault(v, 1 << len(self.bits))

    # --- data flow

    def _solve(self, start: _State) -> None:
        """Propagate states forward to a fixed point."""
        self.before[self.graph.entry] = start
        pending = dict.fromkeys([self.graph.entry])
        while pending:
            block = next(iter(pending))
            del pending[block]
            end, old = self._end(block), self.after[block]
            if (end.assigned, end.unassigned) == (old.assigned, old.unassigned) and block.events:
                continue
            self.after[block] = end
            for successor in block.successors:
                if successor is not None and self._merge(successor, end):
                    pending[successor] = None

    def _merge(self, block: FlowBlock, end: _State) -> bool:
        """Merge the state at the end of a predecessor into the state before ``block``.

        Return whether that changed it.
        """
        state = self.before.get(block)
        if state is None:
            self.before[block] = _State(end.assigned, end.unassigned)
            return True
        assigned, unassigned = state.assigned | end.assigned, state.unassigned | end.unassigned
        if (assigned, unassigned) == (state.assigned, state.unassigned):
            return False
        state.assigned, state.unassigned = assigned, unassigned
        return True

    def _end(self, block: FlowBlock) -> _State:
        start = self.before[block]
        state = _State(start.assigned, start.unassigned)
        for event in block.events:
            self._apply(state, event)
        return state

    def _apply(self, state: _State, event: Event) -> None:
        bit = self._bit(event.variable)
        if event.kind == "declare":
            state.assigned, state.unassigned = state.assigned & ~bit, state.unassigned | bit
        elif event.kind == "assign":
            state.assigned, state.unassigned = state.assigned | bit, state.unassigned & ~bit

    # --- uses

    def uses(self) -> list[Use]:
        """Return the uses of variables that may be uninitialised, in source order."""
        found: list[Use] = []
        for block in self.graph.blocks:
            start = self.before.get(block)
            if start is None:
                continue  # unreachable
            state = _State(start.assigned, start.unassigned)
            for event in block.events:
                if event.kind != "use":
                    self._apply(state, event)
                elif state.unassigned & self._bit(event.variable):
                    is_certain = not state.assigned & self._bit(event.variable)
                    found.append(Use(event, "always") if is_certain else self._judge(block, event))
        return found

    def _judge(self, block: FlowBlock, event: Event) -> Use:
        """Classify a use that some paths reach with an initialised and others with an uninitialised variable.

        Follow edges backwards while all successors of a block lead to the use.  If some do not, the block's branch is
        blamed, provided that the variable is certainly uninitialised on the edge that leads to the use.
        """
        bit = self._bit(event.variable)
        visited = {block: len(block.successors)}
        pending = [block]
        certainty: Certainty = "maybe"
        while pending:
            current = pending.pop()
            if current is self.graph.entry:
                return Use(event, "from entry")
            for p in current.predecessors:
                end = self.after[p]
                if not end.unassigned & bit:
                    continue
                here = self.after[current]
                if end.assigned & bit and here.unassigned & bit and not here.assigned & bit:
                    certainty = "from declaration"
                    continue
                count = visited.get(p) or sum(s is None for s in p.successors)
                visited[p] = count + 1
                if count + 1 == len(p.successors):
                    pending.append(p)
        if certainty == "from declaration":
            return Use(event, certainty)
        branches = self._blamed(visited, bit)
        return Use(event, "sometimes", branches) if branches else Use(event, "maybe")

    def _blamed(self, visited: dict[FlowBlock, int], bit: int) -> list[tuple[Branch, bool]]:
        """Return (branch, outcome) for each branch that leads to the use with the variable uninitialised.

        The outcome is true if it does so when its condition is true. ``visited`` maps the blocks before the use to the
        number of their successors that lead to it; ``bit`` is the variable's bit.
        """
        branches: list[tuple[Branch, bool]] = []
        for block in self.graph.blocks:
            if block.branch is None or not 0 < visited.get(block, 0) < len(block.successors):
                continue
            end = self.after[block]
            for number, successor in enumerate(block.successors):
                if successor is None or visited.get(successor, -1) < len(successor.successors):
                    continue
                if not end.unassigned & bit or end.assigned & bit:
                    continue
                if block.branch.name != "switch":
                    branches.append((block.branch, number == 0))
                elif successor.label is not None:
                    branches.append((successor.label, True))
        return branches
