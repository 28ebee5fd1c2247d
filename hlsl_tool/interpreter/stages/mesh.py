"""The task and mesh stages: groups that make primitives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode, StorageClass

from ..program.program import Program, Variable
from ..runtime.control import call
from ..runtime.values import Array, Value, map_leaves
from .compute import Settings, prepare
from .interface import Values, collect, shared_outputs, variables, vertices_of_groups
from .launch import Stage
from .primitives import Primitives

Groups = tuple[int, int, int]
_INDICES = {
    BuiltIn.PrimitivePointIndicesEXT: 1,
    BuiltIn.PrimitiveLineIndicesEXT: 2,
    BuiltIn.PrimitiveTriangleIndicesEXT: 3,
}
"""Built-in → the number of vertices of a primitive."""


def mesh(task: Stage | None, stage: Stage, groups: Groups) -> Iterator[Primitives]:
    """Run the task shader, if there is one, and the mesh shader; yield the primitives of each run."""
    if task is None:
        yield _meshed(stage, groups, None)
        return
    for count, payload in tasks(task, groups):
        if min(count) > 0:
            yield _meshed(stage, count, payload)


def tasks(stage: Stage, groups: Groups) -> Iterator[tuple[Groups, Array | None]]:
    """Run a task shader; yield the number of mesh groups and the payload of each task group."""
    task, settings = stage.program, stage.settings
    chosen = _numbers(groups, settings)
    total = len(chosen)
    counts = np.zeros((3, total), np.int64)
    state, registers = prepare(task, groups, chosen, stage.resources, settings, {"tasks": counts})
    call(task.main, registers, state)
    payloads = [v for v in variables(task, StorageClass.TaskPayloadWorkgroupEXT) if v.id in state.private]
    for number in range(total):
        x, y, z = (int(count) for count in counts[:, number])
        payload = None
        if payloads:
            data = state.private[payloads[0].id].bytes.reshape(total, -1)
            payload = data[number]
        yield (x, y, z), payload


def _numbers(groups: Groups, settings: Settings) -> Array:
    """Return the numbers of the groups that run."""
    total = groups[0] * groups[1] * groups[2]
    return np.arange(total) if settings.only is None else np.array([settings.only][: settings.only < total])


def _meshed(stage: Stage, groups: Groups, payload: Array | None) -> Primitives:
    """Run the mesh shader for some groups, and return their primitives."""
    program, settings = stage.program, stage.settings
    chosen = _numbers(groups, settings)
    counts = np.zeros((2, len(chosen)), np.int64)
    extra = {"mesh": counts, "payload": payload}
    state, registers = prepare(program, groups, chosen, stage.resources, settings, extra)
    call(program.main, registers, state)
    vertices, own = Values(), Values()
    most = (program.modes.get(ExecutionMode.OutputVertices) or [1])[0]
    indices: Array | None = None
    size = 3
    for variable, value in shared_outputs(program, registers, state):
        if variable.built_in in _INDICES:
            indices, size = value, _INDICES[variable.built_in or 0]
        else:
            whole = _is_own(program, variable)
            _collect(program, variable, value, own if whole else vertices)
    return _assembled(vertices, own, indices, counts, most, size)


def _is_own(program: Program, variable: Variable) -> bool:
    """Return whether an output belongs to whole primitives."""
    if Decoration.PerPrimitiveEXT in variable.decorations:
        return True
    element = variable.type.element
    if element is None or element.kind != "struct":
        return False
    return Decoration.PerPrimitiveEXT in program.index.member_decorations.get((element.id, 0), {})


def _collect(program: Program, variable: Variable, value: Value, out: Values) -> None:
    """Add an output: the values of all vertices of the first group, then of the next."""
    element = variable.type.element
    assert element is not None
    collect(program, variable, element, map_leaves(vertices_of_groups, value), out)


def _assembled(vertices: Values, own: Values, indices: Array | None, counts: Array, most: int, size: int) -> Primitives:
    corners: list[Any] = [np.zeros((0, 3), np.int64)]
    rows: list[Any] = [np.zeros(0, np.int64)]
    length = indices.shape[0] if indices is not None else 0
    for group in range(counts.shape[1]):
        used = int(counts[1, group])
        if indices is None or not used:
            continue
        numbers = indices[:used, ..., group].astype(np.int64)
        numbers = numbers.reshape(used, -1)
        padded = np.concatenate([numbers, np.repeat(numbers[:, -1:], 3 - numbers.shape[1], axis=1)], axis=1)
        corners.append(padded + group * most)
        rows.append(np.arange(used) + group * length)
    every, chosen = np.concatenate(corners), np.concatenate(rows)
    slots = {slot: value[..., chosen] for slot, value in own.slots.items()}
    built_ins = {number: value[..., chosen] for number, value in own.built_ins.items()}
    shape = Primitives(size, every, vertices, every[:, 0].copy(), np.arange(len(every)), Values(slots, built_ins))
    culled = built_ins.get(BuiltIn.CullPrimitiveEXT)
    return shape if culled is None else shape.chosen(~culled.astype(np.bool_))
