"""Dispatches of compute shaders: lanes of several groups run together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode

from ..errors import NotInterpretedError
from ..model.types import COOPERATIVE_WAVE
from ..program.program import Program
from ..program.resources import Resources, initial_registers
from ..runtime.cells import CellPointer, set_cells
from ..runtime.control import call
from ..runtime.masks import Mask
from ..runtime.state import Observer, Registers, Shape, State
from ..runtime.values import Array

LANES = 8192
"""The number of lanes that run together at most, if a group has fewer."""
LIMIT = 10_000_000
"""The number of blocks that lanes execute together at most: half a minute of an endless loop."""


@dataclass(slots=True)
class Settings:
    """Choices of a run."""

    wave: int = 32
    """The number of lanes of a wave, a power of two from 4 to 128."""
    observer: Observer | None = None
    limit: int = LIMIT
    """The number of blocks after which a batch of lanes is ended with an error; 0 for no limit."""
    lanes: int = LANES
    only: int | None = None
    """The number of the only group that runs."""


def dispatch(
    program: Program, groups: tuple[int, int, int], resources: Resources, settings: Settings | None = None
) -> None:
    """Run a compute shader; buffers and images are changed in place."""
    settings = settings or Settings()
    with np.errstate(all="ignore"):
        for numbers in _batches(program, groups, settings):
            with resources.space.temporary():
                state, registers = prepare(program, groups, numbers, resources, settings)
                call(program.main, registers, state)


def _batches(program: Program, groups: tuple[int, int, int], settings: Settings) -> Iterator[Array]:
    """Yield the numbers of the groups that run together."""
    total = groups[0] * groups[1] * groups[2]
    if settings.only is not None:
        if settings.only < total:
            yield np.array([settings.only])
        return
    x, y, z = program.workgroup_size
    together = max(1, settings.lanes // max(1, x * y * z))
    for first in range(0, total, together):
        yield np.arange(first, min(first + together, total))


def prepare(
    program: Program,
    groups: tuple[int, int, int],
    numbers: Array,
    resources: Resources,
    settings: Settings,
    extra: dict[str, Any] | None = None,
) -> tuple[State, Registers]:
    """Return the state and registers of some groups, ready to call the entry point; ``extra`` goes into the state."""
    x, y, z = program.workgroup_size
    size = x * y * z
    if program.has_matrices and settings.wave != COOPERATIVE_WAVE:
        raise NotInterpretedError(f"cooperative matrices in waves of {settings.wave} lanes")
    wave = settings.wave if program.uses_waves else 4 if program.uses_quads else 1
    padded = -(-size // wave) * wave
    shape = Shape(padded * len(numbers), np.repeat(np.arange(len(numbers)), padded), len(numbers), wave)
    local = np.tile(np.arange(padded, dtype=np.uint32), len(numbers))
    mask = Mask(local < size)
    state = State(shape, mask, resources.space, settings.observer)
    state.limit = settings.limit
    state.extra.update(extra or {})
    state.extra["quads"] = _quad_order(program, local)
    registers = initial_registers(program, resources, state)
    inputs = _inputs(program, groups, numbers, local, wave, padded)
    state.extra["threads"], state.extra["groups"] = inputs[BuiltIn.GlobalInvocationId], inputs[BuiltIn.WorkgroupId]
    set_built_ins(program, registers, inputs)
    return state, registers


def _quad_order(program: Program, local: Array) -> Any:
    """Return the lanes of quads, one row of four each, if they do not follow each other."""
    if ExecutionMode.DerivativeGroupQuadsKHR not in program.modes:
        return None
    x, y, z = program.workgroup_size
    numbers = np.arange(x * y * z).reshape(z, y // 2, 2, x // 2, 2)
    order = numbers.transpose(0, 1, 3, 2, 4).reshape(-1, 4)
    padded = int(local.max()) + 1
    rest = np.arange(x * y * z, padded).reshape(-1, 4)
    within = np.concatenate([order, rest])
    starts = np.arange(0, local.size, padded)
    return (starts[:, None, None] + within).reshape(-1, 4)


def _inputs(
    program: Program, groups: tuple[int, int, int], numbers: Array, local: Array, wave: int, padded: int
) -> dict[int, Array]:
    """Return the values of built-ins."""
    x, y, _ = program.workgroup_size
    size = np.array(program.workgroup_size, np.uint32)[:, None]
    local_id = np.stack([local % x, local // x % y, local // (x * y)]).astype(np.uint32)
    number = numbers if len(numbers) == 1 else np.repeat(numbers, padded)
    group = np.stack([number % groups[0], number // groups[0] % groups[1], number // (groups[0] * groups[1])])
    group = group.astype(np.uint32)
    inputs = {
        BuiltIn.LocalInvocationId: local_id,
        BuiltIn.LocalInvocationIndex: local,
        BuiltIn.WorkgroupId: group,
        BuiltIn.GlobalInvocationId: group * size + local_id,
        BuiltIn.NumWorkgroups: np.array(groups, np.uint32)[:, None],
        BuiltIn.WorkgroupSize: size,
    }
    return inputs | wave_inputs(program, local, wave, padded // wave)


def wave_inputs(program: Program, local: Array, wave: int, waves: int) -> dict[int, Array]:
    """Return the values of built-ins of waves, of masks those that the program has.

    ``local`` is the number of each lane in its group.
    """
    lane = (local % wave).astype(np.uint32)
    bits = np.arange(128, dtype=np.uint32)[:, None]
    inside = bits < wave
    built_ins = {variable.built_in for variable in program.variables}
    masks = [number for number in _MASKS if number in built_ins]

    def ballots(chosen: Array) -> Array:
        packed = np.packbits(chosen & inside, axis=0, bitorder="little")
        words = np.ascontiguousarray(np.moveaxis(packed, 0, -1)).view(np.uint32)
        return np.moveaxis(words, -1, 0)

    return {
        BuiltIn.SubgroupSize: np.array([wave], np.uint32),
        BuiltIn.SubgroupMaxSize: np.array([wave], np.uint32),
        BuiltIn.NumSubgroups: np.array([waves], np.uint32),
        BuiltIn.SubgroupId: (local // wave).astype(np.uint32),
        BuiltIn.SubgroupLocalInvocationId: lane,
        BuiltIn.DeviceIndex: np.zeros(1, np.uint32),
        BuiltIn.ViewIndex: np.zeros(1, np.uint32),
        **{number: ballots(_MASKS[number](bits, lane)) for number in masks},
    }


_MASKS: dict[int, Callable[[Any, Any], Any]] = {
    BuiltIn.SubgroupEqMask: np.equal,
    BuiltIn.SubgroupGeMask: np.greater_equal,
    BuiltIn.SubgroupGtMask: np.greater,
    BuiltIn.SubgroupLeMask: np.less_equal,
    BuiltIn.SubgroupLtMask: np.less,
}
"""Built-in → how the numbers of the lanes in its mask compare with that of the lane itself."""


def set_built_ins(program: Program, registers: Registers, values: dict[int, Array]) -> None:
    """Set the input variables that are built-ins."""
    for variable in program.variables:
        value = values.get(variable.built_in) if variable.built_in is not None else None
        pointer = registers[variable.id]
        if value is not None and isinstance(pointer, CellPointer):
            dtype = variable.type.dtype
            fitting = value if dtype is None or value.dtype == dtype else value.astype(dtype)
            set_cells(pointer.node, fitting)
