"""``OpExtInst``: the set GLSL.std.450; sets that do not affect results are ignored."""

from __future__ import annotations

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.grammar.tables import ext_inst_row
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.cells import Cell, CellPointer
from ..runtime.code import Step
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value
from .context import GLSL_BUILDERS, Context, add_rows, builds, with_state
from .glsl_functions import frexp, modf
from .memory import putter


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


_PAIRS = {glsl.Modf: modf, glsl.Frexp: frexp}


@builds(*_PAIRS, glsl=True)
def _through_pointer(context: Context, inst: Instruction) -> Step:
    """Return the first part of a pair, and write the other one."""
    result, number, value, pointer = inst.result_id, *inst.ints()[1:]
    put = putter(context, pointer, context.pointee(pointer))

    def step(r: Registers, s: State) -> None:
        r[result], other = _PAIRS[number](r[value])
        put(r, s, other)

    return step


def _at_offset(source: CellPointer, offset: Array, s: State) -> Value:
    moved = s.extra.get("moved")
    if moved is None:
        return source.load()
    value = moved(source, offset)
    return CellPointer(Cell(value, s.mask.count), source.indices).load() if source.indices else value


add_rows(
    {  # pixels have one sample, in the centre
        glsl.InterpolateAtCentroid: lambda source, _: source.load(),
        glsl.InterpolateAtSample: lambda source, _sample, _: source.load(),
        glsl.InterpolateAtOffset: _at_offset,
    },
    with_state,
    glsl=True,
)
