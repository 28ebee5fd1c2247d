"""The inputs and outputs of stages: values by location and component, and built-ins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import Decoration, StorageClass

from ..model.layout import Place
from ..model.types import Type
from ..program.program import Program, Variable
from ..runtime.cells import CellPointer, set_cells
from ..runtime.masks import Mask
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, map_leaves, stacked, zeros

Slot = tuple[int, int]
"""(location, component)"""


@dataclass(slots=True)
class Values:
    """What a stage passes on; vectors and scalars have the lanes (vertices, fragments) as their last axis."""

    slots: dict[Slot, Array] = field(default_factory=dict)
    built_ins: dict[int, Value] = field(default_factory=dict)


def variables(program: Program, storage: int) -> list[Variable]:
    """Return the inputs or outputs of an entry point."""
    return [variable for variable in program.variables if variable.storage == storage]


def outputs(program: Program, registers: Registers, index: int = 0) -> Values:
    """Return the values of the output variables; those with the index 1 are second colours of blending."""
    out = Values()
    for variable in variables(program, StorageClass.Output):
        if int(variable.decorations.get(Decoration.Index, [0])[0]) != index:
            continue
        pointer: CellPointer = registers[variable.id]
        collect(program, variable, variable.type, pointer.load(), out)
    return out


def shared_outputs(program: Program, registers: Registers, state: State) -> list[tuple[Variable, Value]]:
    """Return the output variables that groups share with their values, the last axis of which are the groups."""
    firsts = np.unique(state.shape.group_of_lane, return_index=True)[1]
    everyone = Mask(np.ones(len(firsts), np.bool_))
    out = []
    for variable in variables(program, StorageClass.Output):
        addresses = registers[variable.id]
        leaves = program.context.layout.leaves(Place(variable.type))
        where = addresses[firsts] if addresses.size > 1 else addresses
        value = state.memory.load(leaves, where, everyone, None)
        out.append((variable, value))
    return out


def vertices_of_groups(leaf: Array) -> Array:
    """Return an array over vertices and groups with one axis in the place of both: the first group, then the next."""
    moved = np.moveaxis(leaf, 0, -1)
    return np.ascontiguousarray(moved).reshape(*moved.shape[:-2], -1)


def vertex_array(program: Program, variable: Variable, vertices: Values, corners: Sequence[Array]) -> Value:
    """Return the value of an input that is an array over vertices; ``corners`` are the numbers of the vertices."""
    element = variable.type.element
    assert element is not None
    parts = []
    for corner in corners:
        slots = {slot: at_vertices(value, corner) for slot, value in vertices.slots.items()}
        built_ins = {number: at_vertices(value, corner) for number, value in vertices.built_ins.items()}
        parts.append(input_value(program, variable, element, Values(slots, built_ins)))
    return stacked(parts)


def at_vertices(value: Any, vertices: Array) -> Any:
    """Return the values of some vertices."""
    return value if not isinstance(value, np.ndarray) or value.shape[-1] == 1 else value[..., vertices]


def collect(program: Program, variable: Variable, of: Type, value: Value, out: Values) -> None:
    """Add a variable's value to ``out``; ``of`` is its type, without the array over vertices if it has one."""
    if variable.built_in is not None:
        out.built_ins[variable.built_in] = value
    elif of.kind == "struct" and variable.location is None:
        for number, member in enumerate(of.members):
            facts = program.index.member_decorations.get((of.id, number), {})
            if Decoration.BuiltIn in facts:
                out.built_ins[_int(facts, Decoration.BuiltIn)] = value[number]
            elif Decoration.Location in facts:
                _collect(member, value[number], _int(facts, Decoration.Location), 0, out.slots)
    else:
        component = variable.decorations.get(Decoration.Component, [0])[0]
        _collect(of, value, variable.location or 0, int(component), out.slots)


def _int(facts: dict[int, Any], decoration: int) -> int:
    return int(facts[decoration][0])


def _collect(of: Type, value: Value, location: int, component: int, slots: dict[Slot, Array]) -> int:
    """Add the vectors of a value; return the location after it."""
    if of.kind in ("array", "matrix"):
        assert of.element is not None
        for number in range(of.length or 0):
            part = map_leaves(lambda leaf, number=number: leaf[number], value)
            location = _collect(of.element, part, location, component, slots)
        return location
    if of.kind == "struct":
        for member, part in zip(of.members, value, strict=True):
            location = _collect(member, part, location, component, slots)
        return location
    slots[location, component] = value
    return location + _locations(of)


def _locations(of: Type) -> int:
    """Return the number of locations of a vector or scalar."""
    return 2 if of.dtype is not None and of.dtype.itemsize == 8 and (of.length or 1) > 2 else 1


def set_inputs(program: Program, registers: Registers, values: Values) -> None:
    """Set the input variables; those without a value are 0."""
    for variable in variables(program, StorageClass.Input):
        pointer = registers[variable.id]
        if isinstance(pointer, CellPointer):
            set_cells(pointer.node, input_value(program, variable, variable.type, values))


def input_value(program: Program, variable: Variable, of: Type, values: Values) -> Value:
    """Return the value of an input variable; ``of`` is its type, without the array over vertices if it has one."""
    if variable.built_in is not None:
        return _built_in(of, variable.built_in, values)
    if of.kind == "struct" and variable.location is None:
        parts = []
        for number, member in enumerate(of.members):
            facts = program.index.member_decorations.get((of.id, number), {})
            if Decoration.BuiltIn in facts:
                parts.append(_built_in(member, _int(facts, Decoration.BuiltIn), values))
            else:
                location = _int(facts, Decoration.Location) if Decoration.Location in facts else 0
                parts.append(_built(member, location, 0, values.slots)[0])
        return parts
    component = int(variable.decorations.get(Decoration.Component, [0])[0])
    return _built(of, variable.location or 0, component, values.slots)[0]


def _built_in(of: Type, built_in: int, values: Values) -> Value:
    value = values.built_ins.get(built_in)
    if value is None:
        return zeros(of)
    return value if of.dtype is None or value.dtype == of.dtype else value.astype(of.dtype)


def _built(of: Type, location: int, component: int, slots: dict[Slot, Array]) -> tuple[Value, int]:
    """Return a value made of the vectors from a location on, and the location after it."""
    if of.kind in ("array", "matrix"):
        assert of.element is not None
        parts = []
        for _ in range(of.length or 0):
            part, location = _built(of.element, location, component, slots)
            parts.append(part)
        return stacked(parts), location
    if of.kind == "struct":
        members = []
        for member in of.members:
            part, location = _built(member, location, component, slots)
            members.append(part)
        return members, location
    return _fitting(of, slots.get((location, component))), location + _locations(of)


def _fitting(of: Type, value: Array | None) -> Array:
    """Return a vector with the components of a type: further ones are dropped, missing ones 0, or 1 for the last."""
    if value is None:
        return zeros(of)
    assert of.dtype is not None
    count = of.length or 1
    rows = value if value.ndim > 1 else value[None]
    if rows.shape[0] < count:
        more = np.zeros((count - rows.shape[0], rows.shape[-1]), rows.dtype)
        if count == 4:
            more[-1] = 1
        rows = np.concatenate([rows, more])
    rows = rows[:count]
    if rows.dtype != of.dtype:
        rows = rows.astype(of.dtype)
    return rows if of.kind == "vector" else rows[0]
