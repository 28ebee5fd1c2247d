"""``OpExtInst``: the set GLSL.std.450; sets that do not affect results are ignored."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.grammar.tables import ext_inst_row
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.cells import Cell, CellPointer
from ..runtime.code import Step
from ..runtime.state import Registers, State
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


@_builds_glsl(glsl.InterpolateAtCentroid, glsl.InterpolateAtSample)
def _at_centre(_: Context, inst: Instruction) -> Step:
    """Return the input itself: pixels have one sample, in the centre."""
    result, pointer = inst.result_id, inst.id(2)

    def step(r: Registers, _: State) -> None:
        r[result] = r[pointer].load()

    return step


@_builds_glsl(glsl.InterpolateAtOffset)
def _at_offset(_: Context, inst: Instruction) -> Step:
    result, pointer, offset = inst.result_id, inst.id(2), inst.id(3)

    def step(r: Registers, s: State) -> None:
        moved = s.extra.get("moved")
        source: CellPointer = r[pointer]
        value = source.load() if moved is None else moved(source, r[offset])
        if moved is not None and source.indices:
            value = CellPointer(Cell(value, s.mask.count), source.indices).load()
        r[result] = value

    return step
