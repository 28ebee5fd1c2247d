"""``OpExtInst``: the set GLSL.std.450; sets that do not affect results are ignored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.grammar.tables import ext_inst_row
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.cells import Cell, CellPointer
from ..runtime.code import Step
from ..runtime.state import Registers, State
from ..runtime.values import as_index
from . import glsl_functions
from .context import GLSL_BUILDERS, Builder, Context, builds
from .memory import storer


@builds(op.OpExtInst, op.OpExtInstWithForwardRefsKHR)
def _extended(context: Context, inst: Instruction) -> Step | None:
    number = inst.id(1)
    if inst.id(0) != context.glsl:
        name = context.index.sets.get(inst.id(0), "")
        if is_non_semantic(name):
            return None
        raise NotInterpretedError(f"OpExtInst of {name}")
    builder = GLSL_BUILDERS.get(number)
    if builder is None:
        row = ext_inst_row(glsl.SET, number)
        raise NotInterpretedError(f"{row[0] if row else number} of {glsl.SET}")
    return builder(context, inst)


def _builds_glsl(*numbers: int) -> Callable[[Builder], Builder]:
    """Return a decorator that registers the builder of some instructions of GLSL.std.450."""

    def register(builder: Builder) -> Builder:
        GLSL_BUILDERS.update(dict.fromkeys(numbers, builder))
        return builder

    return register


def _through_pointer(function: glsl_functions.Pair) -> Builder:
    """Return the builder of an instruction that returns one part of a pair, and writes the other one."""

    def build(context: Context, inst: Instruction) -> Step:
        value, pointer = inst.ints()[2:]
        result = inst.result_id
        pointee = context.type_of(pointer).element
        assert pointee is not None
        put = storer(context, pointer, pointee)

        def step(r: Registers, s: State) -> None:
            r[result], whole = function(r[value])
            put(r, s, whole)

        return step

    return build


GLSL_BUILDERS[glsl.Modf] = _through_pointer(glsl_functions.modf)
GLSL_BUILDERS[glsl.Frexp] = _through_pointer(glsl_functions.frexp)


def _interpolated(source: CellPointer, state: State, place: Any) -> Any:
    """Return an input at a place in the pixels, or at ``"centroid"``."""
    interpolate = state.extra.get("interpolate")
    if interpolate is None:
        return source.load()
    value = interpolate(source, place)
    return CellPointer(Cell(value, state.mask.count), source.indices).load() if source.indices else value


@_builds_glsl(glsl.InterpolateAtCentroid)
def _at_centroid(_: Context, inst: Instruction) -> Step:
    result, pointer = inst.result_id, inst.id(2)

    def step(r: Registers, s: State) -> None:
        r[result] = _interpolated(r[pointer], s, "centroid")

    return step


@_builds_glsl(glsl.InterpolateAtSample)
def _at_sample(_: Context, inst: Instruction) -> Step:
    result, pointer, number = inst.result_id, inst.id(2), inst.id(3)

    def step(r: Registers, s: State) -> None:
        positions = s.extra.get("samples", np.full((1, 2), 0.5))
        r[result] = _interpolated(r[pointer], s, positions[np.minimum(as_index(r[number]), len(positions) - 1)].T)

    return step


@_builds_glsl(glsl.InterpolateAtOffset)
def _at_offset(_: Context, inst: Instruction) -> Step:
    result, pointer, offset = inst.result_id, inst.id(2), inst.id(3)

    def step(r: Registers, s: State) -> None:
        r[result] = _interpolated(r[pointer], s, r[offset].astype(np.float64) + 0.5)

    return step
