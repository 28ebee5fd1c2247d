"""Checks of threads that have to act together: barriers, derivatives, indices of resources."""

from __future__ import annotations

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.enums import Decoration, Scope
from hlsl_tool.spirv.ir import Instruction

from ..instructions.memory import UNTYPED_CHAINS, split
from ..instructions.waves import DERIVATIVES
from ..runtime.quads import in_quads
from ..runtime.state import Registers, State
from ..runtime.values import Array, as_index
from .checker import Checker
from .findings import Reporter, first
from .values import name_of

WAVE = 32
"""The number of lanes whose indices of resources have to agree, in shaders that do not look at waves."""


class Flow(Checker):
    """Checks that all threads of a group, quad or wave execute what concerns them together."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._alive: Array = np.zeros(0, np.bool_)
        if reporter.wants(codes.BARRIER_DIVERGENT):
            self.before[op.OpControlBarrier] = self._barrier
        if reporter.wants(codes.DERIVATIVE_DIVERGENT):
            self.before.update(dict.fromkeys(DERIVATIVES, self._derivative))
        if reporter.wants(codes.NOT_UNIFORM):
            self.before.update(dict.fromkeys((*ACCESS_CHAINS, *UNTYPED_CHAINS), self._chain))

    def enter(self, state: State, registers: Registers) -> None:
        """Remember the lanes that begin."""
        self._alive = state.mask.bits

    def _barrier(self, state: State, _: Registers, inst: Instruction) -> None:
        if state.program.context.constant(inst.id(0)) != Scope.Workgroup:
            return
        groups = state.shape.group_of_lane
        total = np.bincount(groups[self._alive], minlength=state.shape.groups)
        count = np.bincount(groups[state.mask.lanes], minlength=state.shape.groups)
        group = first((count > 0) & (count < total))
        if group is not None:
            lane = int(np.argmax(state.mask.bits & (groups == group)))
            self.reporter.record(codes.BARRIER_DIVERGENT, state, lane, count=int(count[group]), total=int(total[group]))

    def _derivative(self, state: State, _: Registers, inst: Instruction) -> None:
        present = state.mask.bits if state.dead is None else state.mask.bits | state.dead
        if present.size % 4 or bool(present.all()):
            return
        alive = in_quads(self._alive, state)
        quads = in_quads(present & self._alive, state)
        active = in_quads(state.mask.bits, state)
        broken = active.any(axis=-1) & (quads != alive).any(axis=-1)
        quad = first(broken)
        if quad is not None:
            numbers = in_quads(np.arange(present.size), state)[quad]
            lane = int(numbers[np.argmax(active[quad])])
            count = int(np.count_nonzero(quads[quad]))
            self.reporter.record(codes.DERIVATIVE_DIVERGENT, state, lane, name=name_of(inst), count=count)

    def _chain(self, state: State, registers: Registers, inst: Instruction) -> None:
        base, _, indices = split(inst)
        sizes = getattr(registers[base], "sizes", None)
        if sizes is None:
            return
        decorations = state.program.index.decorations
        for number in indices[: len(sizes) or 1]:
            index = registers[number]
            if index.shape[-1] == 1 or any(
                Decoration.NonUniform in decorations.get(name, {}) for name in (number, inst.result_id)
            ):
                continue
            self._index(state, as_index(index), base)

    def _index(self, state: State, index: Array, base: int) -> None:
        wave = max(state.shape.wave, WAVE)
        lanes = state.mask.lanes
        firsts = np.unique(state.shape.group_of_lane, return_index=True)[1]
        rows = (np.arange(state.shape.lanes) - firsts[state.shape.group_of_lane]) // wave
        waves = state.shape.group_of_lane[lanes] * (int(rows.max()) + 1) + rows[lanes]
        starts = np.unique(waves, return_index=True)[1]
        expected = index[lanes[starts]][np.searchsorted(waves[starts], waves)]
        at = first(index[lanes] != expected)
        if at is not None:
            one, other = int(expected[at]), int(index[lanes[at]])
            what = self.names.quoted(base)
            self.reporter.record(codes.NOT_UNIFORM, state, int(lanes[at]), what=what, first=one, second=other)
