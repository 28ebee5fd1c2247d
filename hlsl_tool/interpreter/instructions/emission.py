"""Instructions that emit vertices and mesh groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.code import Step
from ..runtime.masks import Bits
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from .context import Context, Operation, add_rows, builds, with_state


@dataclass(slots=True)
class Emission:
    """A vertex that some lanes emit: the values of all outputs at that time."""

    lanes: Bits
    strips: Any
    """The number of the strip of each lane."""
    outputs: dict[int, Any]
    """Output variable → its value."""


class Emissions:
    """The vertices that the lanes of a geometry shader emit."""

    def __init__(self, lanes: int, outputs: list[int]) -> None:
        self.vertices: list[Emission] = []
        self.strips = np.zeros(lanes, np.int64)
        self._outputs = outputs

    def emit(self, registers: Registers, state: State) -> None:
        """Emit a vertex for the lanes of the mask."""
        values = {number: registers[number].load() for number in self._outputs}
        self.vertices.append(Emission(state.mask.bits, self.strips, values))

    def cut(self, state: State) -> None:
        """End the strip of the lanes of the mask."""
        self.strips = self.strips + state.mask.bits


def output_ids(context: Context) -> list[int]:
    """Return the ids of the output variables that the module uses."""
    return [
        inst.result_id
        for inst in context.index.module.globals
        if inst.op == op.OpVariable and inst.id(0) == StorageClass.Output and inst.result_id in context.used
    ]


@builds(op.OpEmitVertex, op.OpEmitStreamVertex)
def _emit_vertex(context: Context, inst: Instruction) -> Step:
    if inst.op == op.OpEmitStreamVertex and context.constant(inst.id(0)):
        raise NotInterpretedError("OpEmitStreamVertex of a stream other than 0")

    def step(r: Registers, s: State) -> None:
        s.extra["emissions"].emit(r, s)

    return step


def _counted(name: str) -> Operation:
    """Return the operation that stores numbers of the groups, one row each, in a table of the stage."""

    def operation(*operands: Any) -> None:
        *numbers, s = operands
        lanes = s.mask.lanes
        for row, number in zip(s.extra[name], numbers, strict=False):
            row[s.shape.group_of_lane[lanes]] = wide(number, s.shape.lanes)[lanes]

    return operation


add_rows(
    {
        op.OpEndPrimitive: lambda s: s.extra["emissions"].cut(s),
        op.OpEndStreamPrimitive: lambda _, s: s.extra["emissions"].cut(s),
        op.OpSetMeshOutputsEXT: _counted("mesh"),
        op.OpEmitMeshTasksEXT: _counted("tasks"),  # its last operand, the payload, has no row
    },
    with_state,
)
