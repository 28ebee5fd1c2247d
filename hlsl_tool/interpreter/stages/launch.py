"""Stages of a draw, and the lanes of those that are not workgroups: vertices, pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn

from ..program.program import Program
from ..program.resources import Resources, initial_registers
from ..runtime.control import call
from ..runtime.masks import Mask
from ..runtime.state import Registers, Shape, State
from ..runtime.values import Array
from .compute import Settings, wave_inputs
from .interface import Values, set_inputs


@dataclass(slots=True)
class Stage:
    """A stage of a draw: its program, with resources and choices of its own."""

    program: Program
    resources: Resources = field(default_factory=Resources)
    settings: Settings = field(default_factory=Settings)


def widened(array: Array, lanes: int) -> Array:
    """Return an array with more lanes at the end, which repeat the last one; arrays for all lanes stay as they are."""
    missing = lanes - array.shape[-1]
    if array.shape[-1] == 1 or not missing:
        return array
    return np.concatenate([array, np.repeat(array[..., -1:], missing, axis=-1)], axis=-1)


def prepare_lanes(
    stage: Stage, count: int, values: Values, groups: int = 1, places: Mapping[str, Sequence[Array]] | None = None
) -> tuple[State, Registers, int]:
    """Return the state, the registers, and the number of lanes with padding to whole waves.

    The lanes form groups of the same size, such as the invocations of a patch.  ``places`` are the numbers by which
    observers name lanes, an array for each axis: ``{"vertices": (number, instance)}``.
    """
    program, resources, settings = stage.program, stage.resources, stage.settings
    wave = settings.wave if program.uses_waves else 1
    lanes = -(-count // wave) * wave
    numbers = np.arange(lanes, dtype=np.uint32)
    group = np.minimum(np.arange(lanes) // max(1, count // groups), groups - 1)
    shape = Shape(lanes, group, groups, wave)
    state = State(shape, Mask(numbers < count), resources.space, settings.observer)
    state.limit = settings.limit
    for name, axes in (places or {}).items():
        state.extra[name] = tuple(widened(axis, lanes) for axis in axes)
    registers = initial_registers(program, resources, state)
    slots = {slot: widened(value, lanes) for slot, value in values.slots.items()}
    built_ins: dict[int, Any] = {number: widened(value, lanes) for number, value in values.built_ins.items()}
    set_inputs(program, registers, Values(slots, wave_inputs(program, numbers, wave, lanes // wave) | built_ins))
    return state, registers, lanes


def run_lanes(stage: Stage, state: State, registers: Registers) -> None:
    """Run the entry point for all lanes."""
    call(stage.program.main, registers, state)


def narrowed(values: Values, total: int) -> Values:
    """Return the values without the lanes of padding, those of the position one for each vertex."""

    def narrow(value: Any) -> Any:
        return value[..., :total] if isinstance(value, np.ndarray) and value.shape[-1] > 1 else value

    slots = {slot: narrow(value) for slot, value in values.slots.items()}
    built_ins = {number: narrow(value) for number, value in values.built_ins.items()}
    position = built_ins.get(BuiltIn.Position, np.zeros((4, 1), np.float32))
    built_ins[BuiltIn.Position] = np.broadcast_to(position, (4, total))
    return Values(slots, built_ins)
