"""Checks of arithmetic: divisions, shifts, conversions, the origin of NaN and infinity."""

from __future__ import annotations

import re

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS, SUBGROUP
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction

from ..instructions.waves import QUADS
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import signed
from .checker import EACH, Checker, Executed
from .findings import Reporter, first, lanes_with, shown

_SIGNED = frozenset((op.OpSDiv, op.OpSRem, op.OpSMod))
_SHIFTS = (op.OpShiftLeftLogical, op.OpShiftRightLogical, op.OpShiftRightArithmetic)
_TO_INTEGER = {op.OpConvertFToS: "i", op.OpConvertFToU: "u"}
_TO_FLOAT = frozenset((op.OpConvertSToF, op.OpConvertUToF))
_CLAMPS = frozenset((glsl.FClamp, glsl.FMin, glsl.FMax, glsl.NClamp, glsl.NMin, glsl.NMax))
_NO_ORIGINS = (
    frozenset((op.OpLoad, op.OpBitcast, op.OpCompositeExtract, op.OpFunctionCall, op.OpUndef)) | SUBGROUP | QUADS
)
"""Instructions whose result has other sources than the operands of the lane."""


class Values(Checker):
    """Checks the operands and results of arithmetic."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self.before.update(dict.fromkeys((op.OpUDiv, op.OpUMod, *_SIGNED), self._division))
        if reporter.wants(codes.SHIFT_TOO_FAR):
            self.before.update(dict.fromkeys(_SHIFTS, self._shift))
        if reporter.wants(codes.CONVERSION):
            self.after.update(dict.fromkeys(_TO_INTEGER, self._conversion))
        if reporter.wants(codes.NAN_CLAMPED):
            self.before.update(dict.fromkeys(EXT_INSTS, self._clamp))
        if reporter.wants(codes.NAN, codes.INFINITY):
            self.after[EACH] = self._origin

    def _division(self, state: State, registers: Registers, inst: Instruction) -> None:
        value, divisor = (registers[number] for number in inst.ints())
        if inst.op not in _SIGNED:
            self.check(codes.UNSIGNED_DIVISION, state, divisor == 0, value=value)
            return
        value, divisor = signed(value), signed(divisor)
        least = np.iinfo(value.dtype).min
        self.check(codes.DIVISION_BY_ZERO, state, divisor == 0, value=value)
        self.check(codes.DIVISION_OVERFLOW, state, (value == least) & (divisor == -1), value=least)

    def _shift(self, state: State, registers: Registers, inst: Instruction) -> None:
        value, distance = (registers[number] for number in (inst.id(0), _distance(state, inst)))
        bits = value.dtype.itemsize * 8
        self.check(codes.SHIFT_TOO_FAR, state, distance >= bits, bits=bits, value=distance)

    def _conversion(self, state: State, registers: Registers, done: Executed) -> None:
        given, value = registers[done.inst.id(0)], registers[done.inst.result_id]
        limits = np.iinfo(f"{_TO_INTEGER[done.inst.op]}{value.dtype.itemsize}")
        whole = np.trunc(given.astype(np.float64))
        wrong = ~((whole >= float(limits.min)) & (whole < float(limits.max + 1)))
        self.check(codes.CONVERSION, state, wrong, done, value=given, least=limits.min, most=limits.max)

    def _clamp(self, state: State, registers: Registers, inst: Instruction) -> None:
        if inst.id(1) not in _CLAMPS or inst.id(0) != state.program.context.glsl:
            return
        operands = [registers[number] for number in inst.ints()[2:]]
        lane = first(np.logical_or.reduce([lanes_with(np.isnan(operand), state.mask) for operand in operands]))
        if lane is not None:
            given = ", ".join(shown(operand, state, lane) for operand in operands)
            self.reporter.record(codes.NAN_CLAMPED, state, lane, name=name_of(inst), given=given)

    def _origin(self, state: State, registers: Registers, done: Executed) -> None:
        """Report NaNs and infinities that an instruction makes of other numbers."""
        inst = done.inst
        value = registers[inst.result_id]
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or inst.op in _NO_ORIGINS:
            return
        odd = ~np.isfinite(value)
        if not bool(odd.any()):
            return
        operands = [registers[n] for n in inst.operands if isinstance(n, int) and 0 < n < len(registers)]
        floats = [a for a in operands if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
        if not floats and inst.op not in _TO_FLOAT:
            return
        wrong = lanes_with(odd, done.mask)
        for array in floats:
            wrong &= ~lanes_with(~np.isfinite(array), done.mask)
        lane = first(wrong)
        if lane is not None:
            code = codes.NAN if bool(np.isnan(wide(value, state.shape.lanes)[..., lane]).any()) else codes.INFINITY
            given = ", ".join(shown(array, state, lane) for array in floats) or "an integer"
            self.reporter.record(code, state, lane, site=done.site, name=name_of(inst), given=given)


def _distance(state: State, inst: Instruction) -> int:
    """Return the id of the distance of a shift as the HLSL has it, before the compiler drops its upper bits.

    An optimised module, which has one function, may have another distance with the same lower bits.
    """
    frame, distance = state.running, inst.id(1)
    if len(state.program.module.functions) == 1:
        return distance
    block = frame.function.blocks[frame.block]
    for step in range(frame.step - 1, -1, -1):
        earlier = block.instructions[step]
        if earlier.result_id == distance:
            is_mask = earlier.op == op.OpBitwiseAnd and block.positions[step] == block.positions[frame.step]
            return earlier.id(0) if is_mask else distance
    return distance


_HLSL_NAMES = {
    "InverseSqrt": "rsqrt",
    "FMix": "lerp",
    "Fract": "frac",
    "Fma": "mad",
    "FAdd": "`+`",
    "FSub": "`-`",
    "FMul": "`*`",
    "FDiv": "`/`",
    "FRem": "`%`",
    "FMod": "`%`",
    "VectorTimesScalar": "`*`",
    "MatrixTimesScalar": "`*`",
    "VectorTimesMatrix": "mul",
    "MatrixTimesVector": "mul",
    "MatrixTimesMatrix": "mul",
    "Dot": "dot",
    "UnpackHalf2x16": "f16tof32",
    "DPdx": "ddx",
    "DPdy": "ddy",
    "DPdxFine": "ddx_fine",
    "DPdyFine": "ddy_fine",
    "DPdxCoarse": "ddx_coarse",
    "DPdyCoarse": "ddy_coarse",
    "Fwidth": "fwidth",
    "ImageSampleImplicitLod": "Sample",
    "ImageSampleDrefImplicitLod": "SampleCmp",
    "ImageQueryLod": "CalculateLevelOfDetail",
}
"""SPIR-V's name of an instruction → HLSL's function or operator, unless they differ in case and type only."""


def name_of(inst: Instruction) -> str:
    """Return the name of an instruction in HLSL as far as it has one there, else that in SPIR-V."""
    if inst.op not in EXT_INSTS:
        name = tables.INSTRUCTIONS[inst.op][0].removeprefix("Op")
        return _HLSL_NAMES.get(name, name)
    row = tables.ext_inst_row(glsl.SET, inst.id(1))
    if row is None:
        return "ExtInst"
    return _HLSL_NAMES.get(row[0], re.sub("^[FN](?=[A-Z])", "", row[0]).lower())
