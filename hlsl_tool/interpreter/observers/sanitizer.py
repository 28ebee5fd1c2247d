"""The sanitizer: an observer that finds what is undefined, or rarely meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.grammar import tables

from ..runtime.code import Position
from ..runtime.masks import Mask
from ..runtime.memory import Access
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, signed


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that lanes have at one instruction, and the first of these lanes."""

    kind: str
    """``read-outside``, ``write-outside``, ``index-outside``, ``division-by-zero``, ``shift-too-far``,
    ``conversion-out-of-range``, ``nan`` or ``infinity``."""
    message: str
    """The fault with the values of the lane."""
    position: Position | None
    """The place in the HLSL, if the module has line information."""
    calls: tuple[str, ...]
    """The functions, the one that was executed first."""
    thread: tuple[int, ...]
    """The ``SV_DispatchThreadID`` of the lane, or its number alone in other stages."""

    def __str__(self) -> str:
        place = f"{self.position.file}:{self.position.line}:{self.position.column}: " if self.position else ""
        thread = ", ".join(map(str, self.thread))
        return f"{place}{self.message} (thread {thread}, in {', called by '.join(self.calls)}) [{self.kind}]"


_DIVISIONS = frozenset((op.OpUDiv, op.OpSDiv, op.OpUMod, op.OpSRem, op.OpSMod))
_SHIFTS = frozenset((op.OpShiftLeftLogical, op.OpShiftRightLogical, op.OpShiftRightArithmetic))
_TO_INTEGER = {op.OpConvertFToS: "i", op.OpConvertFToU: "u"}
MOST = 100
"""The number of findings after which a sanitizer records no others."""


class Sanitizer:
    """Records the faults of a run, each instruction and kind once."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._seen: set[tuple[str, int, int]] = set()
        self._last: tuple[Any, Position | None, Mask] | None = None

    # ---- the interface of observers

    def step(self, state: State, registers: Registers) -> None:
        """Look at the result of the last instruction, and at the operands of the next one."""
        self._check_result(state, registers)
        frame = state.frame
        assert frame is not None
        block = frame.function.blocks[frame.block]
        inst = block.instructions[frame.step]
        self._last = (inst, block.positions[frame.step], state.mask) if inst.result_id else None
        check = _CHECKS.get(inst.op)
        if check is not None and state.mask.count:
            check(self, state, [registers[number] for number in inst.ints()])

    def access(self, state: State, access: Access) -> None:
        """Record an access out of bounds."""
        outside = access.outside
        if bool(outside.any()):
            kind = "read-outside" if access.kind == "read" else "write-outside"
            lane = int(np.argmax(_lanes(outside, state)))
            offsets = wide(access.offsets, state.shape.lanes)[..., lane]
            what = f"`{access.buffer.name}`" if access.buffer.name else "a buffer"
            verb = {"read": "reads", "write": "writes", "atomic": "changes"}[access.kind]
            message = f"{verb} {what} at byte {int(np.max(offsets))}, which has {access.buffer.size} bytes"
            self._record(state, kind, message, lane)

    def outside(self, state: State, index: Array, length: int, mask: Mask) -> None:
        """Record an index of a local array that is out of bounds."""
        wrong = _lanes((index < 0) | (index >= length), state) & mask.bits
        if bool(wrong.any()):
            lane = int(np.argmax(wrong))
            value = int(wide(index, state.shape.lanes)[lane])
            self._record(state, "index-outside", f"has the index {value} of an array with {length} elements", lane)

    # ---- checks

    def division(self, state: State, operands: list[Array]) -> None:
        """Record a division of integers by zero."""
        zero = _lanes(operands[1] == 0, state) & state.mask.bits
        if bool(zero.any()):
            lane = int(np.argmax(zero))
            value = signed(wide(operands[0], state.shape.lanes))[..., lane]
            self._record(state, "division-by-zero", f"divides {value} by zero", lane)

    def shift(self, state: State, operands: list[Array]) -> None:
        """Record a shift by the number of bits or more."""
        bits = operands[0].dtype.itemsize * 8
        far = _lanes(operands[1] >= bits, state) & state.mask.bits
        if bool(far.any()):
            lane = int(np.argmax(far))
            value = wide(operands[1], state.shape.lanes)[..., lane]
            self._record(state, "shift-too-far", f"shifts a number of {bits} bits by {value}", lane)

    def _check_result(self, state: State, registers: Registers) -> None:
        """Record NaNs and infinities that an instruction makes of other numbers, and conversions out of range."""
        if self._last is None:
            return
        inst, position, mask = self._last
        self._last = None
        value = registers[inst.result_id]
        if not isinstance(value, np.ndarray):
            return
        if inst.op in _TO_INTEGER:
            self._check_conversion(state, registers[inst.id(0)], _TO_INTEGER[inst.op], value, position, mask)
        if value.dtype.kind != "f" or inst.op in (op.OpLoad, op.OpPhi, op.OpBitcast, op.OpCompositeExtract):
            return
        odd = ~np.isfinite(value)
        if not bool(odd.any()):
            return
        operands = [registers[n] for n in inst.operands if isinstance(n, int) and 0 < n < len(registers)]
        floats = [a for a in operands if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
        wrong = _lanes(odd, state) & mask.bits
        for array in floats:
            wrong = wrong & ~_lanes(~np.isfinite(array), state)
        if bool(wrong.any()):
            lane = int(np.argmax(wrong))
            is_nan = bool(np.isnan(wide(value, state.shape.lanes)[..., lane]).any())
            given = ", ".join(str(wide(array, state.shape.lanes)[..., lane]) for array in floats)
            name = _name(inst)
            kind = "nan" if is_nan else "infinity"
            message = f"{name} of {given or 'nothing'} is {'NaN' if is_nan else 'infinite'}"
            self._record(state, kind, message, lane, position)

    def _check_conversion(
        self, state: State, given: Array, kind: str, value: Array, position: Position | None, mask: Mask
    ) -> None:
        limits = np.iinfo(f"{kind}{value.dtype.itemsize}")
        whole = np.trunc(given.astype(np.float64))
        inside = (whole >= float(limits.min)) & (whole <= float(limits.max))
        wrong = _lanes(~inside, state) & mask.bits
        if bool(wrong.any()):
            lane = int(np.argmax(wrong))
            number = wide(given, state.shape.lanes)[..., lane]
            message = f"converts {number} to an integer from {limits.min} to {limits.max}"
            self._record(state, "conversion-out-of-range", message, lane, position)

    def _record(self, state: State, kind: str, message: str, lane: int, position: Position | None = None) -> None:
        frame = state.frame
        if frame is None or len(self.findings) >= MOST:
            return
        block = frame.function.blocks[frame.block]
        key = (kind, block.label, frame.step)
        if key in self._seen:
            return
        self._seen.add(key)
        calls: list[str] = []
        caller: Any = frame
        while caller is not None:
            name = caller.function.name.removeprefix("src.")
            if not calls or calls[-1] != name:  # the wrapper of an entry point has its name
                calls.append(name)
            caller = caller.caller
        ids = state.extra.get("threads")
        thread = tuple(int(axis[lane]) for axis in ids) if ids is not None else (lane,)
        place = position or block.positions[frame.step]
        self.findings.append(Finding(kind, message, place, tuple(calls), thread))


def _name(inst: Any) -> str:
    """Return the name of an instruction, that of GLSL.std.450 for its instructions."""
    if inst.op in EXT_INSTS:
        row = tables.ext_inst_row(glsl.SET, inst.id(1))
        return row[0] if row is not None else "ExtInst"
    return tables.INSTRUCTIONS[inst.op][0].removeprefix("Op")


def _lanes(bits: Array, state: State) -> Array:
    """Return which lanes have any of some bits."""
    found: Array = np.asarray(wide(bits, state.shape.lanes).reshape(-1, state.shape.lanes).any(axis=0))
    return found


_CHECKS: dict[int, Callable[[Sanitizer, State, list[Array]], None]] = {
    **dict.fromkeys(_DIVISIONS, Sanitizer.division),
    **dict.fromkeys(_SHIFTS, Sanitizer.shift),
}
