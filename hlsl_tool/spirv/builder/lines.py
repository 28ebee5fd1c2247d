"""Write source positions into the finished module: a line instruction wherever the position changes."""

from __future__ import annotations

from .. import op, shader_debug
from ..ir import Instruction, Operand
from .emit_types import TypeEmitter

_NO_DEBUG_LINE_BEFORE = frozenset((op.OpFunction, op.OpFunctionParameter, op.OpPhi))
_POINTS = frozenset((
    *range(op.OpGroupNonUniformElect, op.OpGroupNonUniformQuadSwap + 1),
    op.OpGroupNonUniformQuadAllKHR, op.OpGroupNonUniformQuadAnyKHR, op.OpGroupNonUniformPartitionEXT,
    op.OpImageTexelPointer, op.OpReadClockKHR, op.OpTerminateRayKHR, op.OpIgnoreIntersectionKHR,
))  # fmt: skip
"""Instructions for which DebugLine has a point in place of a range."""
_MERGES = frozenset((op.OpSelectionMerge, op.OpLoopMerge))
_ENDS_LINE = frozenset((*range(op.OpBranch, op.OpUnreachable + 1), op.OpTerminateInvocation))


POINT_AT = 5
"""Index in a position with a range of its point: (file id, line, column, end line, end column, line, column)."""


def point_of(line: tuple[int, ...]) -> tuple[int, ...]:
    """Return the position of the point of a position with a range; any other position as it is."""
    return (line[0], *line[POINT_AT:]) if len(line) > POINT_AT else line


class LineWriter:
    """Writes positions in the format ``builder.line_mode``: "" none, "line" OpLine, "debug" DebugLine.

    A position is written when it changes, and applies up to the next terminator. Nothing is written between a merge
    instruction and its branch; OpNoLine is written before an instruction without a position. In entry point wrappers,
    which are not in the source, only OpFunction and OpReturn have positions.
    """

    def __init__(self, emitter: TypeEmitter) -> None:
        self.emitter = emitter
        self.mode = emitter.b.line_mode
        self.last: tuple[int, ...] | None = None
        self.after_merge = False
        self.in_wrapper = False

    def begin_function(self, definition: Instruction, out: list[Instruction]) -> None:
        """Append the position of ``OpFunction`` to ``out``."""
        self.in_wrapper = definition.result_id in self.emitter.b.entry_wrappers
        self.before(definition, out)

    def end_function(self) -> None:
        """Reset the position after the last block."""
        self.in_wrapper = False

    def before_label(self, out: list[Instruction]) -> None:
        """End the OpLine of the function's last parameter; a label has no position."""
        if self.mode == "line" and not self.in_wrapper:
            if self.last is not None:
                self._no_line(out)
            self.last = None

    def before(self, inst: Instruction, out: list[Instruction]) -> None:
        """Append the position of an instruction to ``out`` if it has changed."""
        if not self.mode:
            return
        opcode = inst.op
        if self.in_wrapper and opcode not in (op.OpReturn, op.OpFunction):
            return
        if self.after_merge:
            self.after_merge = False
            self.last = None
            return
        self.after_merge = opcode in _MERGES
        if opcode == op.OpVariable or (self.mode == "debug" and opcode in _NO_DEBUG_LINE_BEFORE):
            return
        if inst.line is None:
            if self.last is not None and not self._is_scope(inst):
                self._no_line(out)
            self.last = None
            return
        line = inst.line
        if opcode in _POINTS:
            line = point_of(line)
        written = line[:POINT_AT] if len(line) >= POINT_AT else (*line, *line[1:])
        if written != self.last:
            self._line(written, out)
        self.last = None if opcode in _ENDS_LINE else written

    def _is_scope(self, inst: Instruction) -> bool:
        return inst.op == op.OpExtInst and inst.operands[1:2] == [shader_debug.DebugScope]

    def _debug_inst(self, out: list[Instruction], *operands: Operand) -> None:
        emitter = self.emitter
        void = emitter.type(emitter.b.void_type())
        set_id = emitter.assign(emitter.b.ext_set(shader_debug.SET))
        out.append(Instruction(op.OpExtInst, void, emitter.fresh(), [set_id, *operands]))

    def _no_line(self, out: list[Instruction]) -> None:
        if self.mode == "debug":
            self._debug_inst(out, shader_debug.DebugNoLine)
        else:
            out.append(Instruction(op.OpNoLine, 0, 0, []))

    def _line(self, line: tuple[int, ...], out: list[Instruction]) -> None:
        emitter = self.emitter
        file, row, column = line[:3]
        if self.mode == "line":
            out.append(Instruction(op.OpLine, 0, 0, [emitter.assign(file), row, column]))
            return
        end_row, end_column = line[3:5]
        if end_column < column:
            column = end_column = 0
        source = emitter.assign(emitter.b.debug_sources[file])
        numbers = [emitter.ref(emitter.b.lazy_uint(n)) for n in (row, end_row, column, end_column)]
        self._debug_inst(out, shader_debug.DebugLine, source, *numbers)
