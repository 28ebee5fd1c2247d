"""The sanitizer: an observer that finds what is undefined, or rarely meant."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.diagnostics.catalogue import tools as codes

from ..runtime.memory import Access
from ..runtime.state import Registers, State
from .accesses import Accesses
from .checker import EACH, Checker, Executed
from .definedness import Definedness
from .findings import Finding, Reporter
from .flow import Flow
from .kinds import DEFAULT, GROUPS, chosen
from .names import Names
from .races import Races
from .values import Values


class Sanitizer:
    """Records the faults of runs, each kind once for an instruction.

    ``check`` lists levels (``d3d``, ``strict``), groups and kinds of faults, separated by commas.
    """

    def __init__(self, check: str = DEFAULT) -> None:
        self._reporter = Reporter(chosen(check))
        wants = self._reporter.wants
        self._checkers: list[Checker] = [Values(self._reporter), Flow(self._reporter), Accesses(self._reporter)]
        if wants(*GROUPS["unwritten"]):
            self._checkers.append(Definedness(self._reporter))
        if wants(codes.RACE):
            self._checkers.append(Races(self._reporter))
        self._state: State | None = None
        self._last: Executed | None = None
        self._before = {opcode: self._functions("before", opcode) for c in self._checkers for opcode in c.before}
        self._after = {opcode: self._functions("after", opcode) for c in self._checkers for opcode in c.after}

    def _functions(self, table: str, opcode: int) -> tuple[Any, ...]:
        """Return what the checkers have for an opcode, and then for all instructions."""
        tables = [getattr(checker, table) for checker in self._checkers]
        return tuple(rows[number] for number in dict.fromkeys((opcode, EACH)) for rows in tables if number in rows)

    @property
    def findings(self) -> list[Finding]:
        """The findings so far, in the order in which lanes had them."""
        return self._reporter.findings

    # ---- the interface of observers

    def step(self, state: State, registers: Registers) -> None:
        """Look at the result of the last instruction, and at the operands of the next one."""
        if state is not self._state:
            self._enter(state, registers)
        last = self._last
        if last is not None:
            self._last = None
            for after in last.checks:
                after(state, registers, last)
        frame = state.frame
        if frame is None or not state.mask.count:
            return
        inst = frame.instruction
        for before in self._before.get(inst.op, self._before.get(EACH, ())):
            before(state, registers, inst)
        checks = self._after.get(inst.op, self._after.get(EACH, ()))
        if checks and inst.result_id:
            self._last = Executed(inst, state.mask, frame, frame.block, frame.step, checks)

    def access(self, state: State, access: Access) -> None:
        """Look at an access to memory before it happens."""
        if state.running.instruction.id(0) not in self._reporter.suspects:
            for checker in self._checkers:
                checker.access(state, access)

    def _enter(self, state: State, registers: Registers) -> None:
        if self._state is None or self._state.program is not state.program:
            for checker in self._checkers:
                checker.names = Names(state.program)
        self._state, self._last = state, None
        self._reporter.suspects.clear()
        for checker in self._checkers:
            checker.enter(state, registers)
