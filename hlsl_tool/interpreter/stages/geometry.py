"""The geometry stage: each primitive becomes strips of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode, StorageClass

from ..errors import ExecutionError
from ..instructions.emission import Emissions, output_ids
from ..program.program import Program
from ..runtime.cells import CellPointer, set_cells
from ..runtime.quads import wide
from ..runtime.state import State
from ..runtime.values import Array
from .interface import Values, collect, variables, vertex_array
from .launch import Stage, prepare_lanes, run_lanes
from .primitives import Primitives, assembled

_OUTPUTS = (
    (ExecutionMode.OutputPoints, "points"),
    (ExecutionMode.OutputLineStrip, "line strip"),
    (ExecutionMode.OutputTriangleStrip, "triangle strip"),
)


_INPUTS = (
    (ExecutionMode.InputPoints, "points"),
    (ExecutionMode.InputLines, "lines"),
    (ExecutionMode.InputLinesAdjacency, "lines with adjacency"),
    (ExecutionMode.InputTrianglesAdjacency, "triangles with adjacency"),
)


def input_topology(program: Program) -> str:
    """Return the topology of the primitives that a geometry shader reads."""
    return next((name for mode, name in _INPUTS if mode in program.modes), "triangles")


def geometry(stage: Stage, given: Primitives) -> Primitives:
    """Run the geometry shader for all primitives, and return those that it emits, in order."""
    program = stage.program
    wanted = assembled(input_topology(program), 0)[0]
    if given.size != wanted:
        sizes = f"{wanted} vertices, and those of the draw have {given.size}"
        raise ExecutionError(f"the geometry shader reads primitives of {sizes}")
    repeated = (program.modes.get(ExecutionMode.Invocations) or [1])[0]
    count = len(given.corners) * repeated
    corners = np.repeat(given.corners[:, : given.size], repeated, axis=0).T
    built_ins: dict[int, Any] = {
        BuiltIn.InvocationId: np.tile(np.arange(repeated, dtype=np.uint32), len(given.corners)),
        BuiltIn.PrimitiveId: np.repeat(given.numbers, repeated).astype(np.uint32),
    }
    invocations = [built_ins[BuiltIn.InvocationId]] if repeated > 1 else []
    places = {"primitives": (np.repeat(np.arange(len(given.corners)), repeated), *invocations)}
    state, registers, lanes = prepare_lanes(stage, count, Values({}, built_ins), places=places)
    padded = np.concatenate([corners, np.repeat(corners[:, -1:], lanes - count, axis=1)], axis=1)
    for variable in variables(program, StorageClass.Input):
        pointer = registers[variable.id]
        if variable.type.kind == "array" and isinstance(pointer, CellPointer):
            set_cells(pointer.node, vertex_array(program, variable, given.vertices, list(padded)))
    emissions = state.extra["emissions"] = Emissions(lanes, output_ids(program.context))
    run_lanes(stage, state, registers)
    return _collected(program, emissions, state)


def _collected(program: Program, emissions: Emissions, state: State) -> Primitives:
    """Return the primitives of the strips, those of each lane in turn."""
    topology = next((name for mode, name in _OUTPUTS if mode in program.modes), "triangle strip")
    lanes = state.shape.lanes
    values = _values(program, emissions, lanes)
    corners: list[Any] = []
    numbers: list[Any] = []
    size = assembled(topology, 0)[0]
    for lane in range(lanes):
        own = [k for k, vertex in enumerate(emissions.vertices) if vertex.lanes[lane]]
        strips: dict[int, list[int]] = {}
        for k in own:
            strips.setdefault(int(emissions.vertices[k].strips[lane]), []).append(k * lanes + lane)
        for strip in strips.values():
            found = np.array(strip)[assembled(topology, len(strip))[1]]
            corners.append(found)
            numbers.append(np.arange(len(found)))
    every = np.concatenate([np.zeros((0, 3), np.int64), *corners])
    return Primitives(size, every, values, every[:, 0].copy(), np.concatenate([np.zeros(0, np.int64), *numbers]))


def _values(program: Program, emissions: Emissions, lanes: int) -> Values:
    """Return the values of all emitted vertices: those of the first emission, one for each lane, then the next."""
    parts: list[Values] = []
    outputs = variables(program, StorageClass.Output)
    for vertex in emissions.vertices:
        part = Values()
        for variable in outputs:
            if variable.id in vertex.outputs:
                collect(program, variable, variable.type, vertex.outputs[variable.id], part)
        parts.append(part)
    if not parts:
        return Values({}, {BuiltIn.Position: np.zeros((4, 1), np.float32)})

    def joined(arrays: list[Array]) -> Array:
        return np.concatenate([wide(array, lanes) for array in arrays], axis=-1)

    slots = {slot: joined([part.slots[slot] for part in parts]) for slot in parts[0].slots}
    built_ins = {number: joined([part.built_ins[number] for part in parts]) for number in parts[0].built_ins}
    return Values(slots, built_ins)
