"""A module builder for debug information, with separate positions for memory accesses."""

from __future__ import annotations

from .. import op
from ..ir import Instruction, Operand
from . import ModuleBuilder
from .lines import point_of

_MEMORY = frozenset((op.OpLoad, op.OpStore, op.OpAccessChain))


class DebugModuleBuilder(ModuleBuilder):
    """A builder that gives loads and stores, and rows of matrices, positions that differ from the instruction's.

    In ``a += b``, the load and the store have the position of ``a``, the addition that of ``+=``.
    """

    def __init__(self, *, version: tuple[int, int] = (1, 0)) -> None:
        super().__init__(version=version)
        self.memory_line: tuple[int, ...] | None = None
        """The position of loads, stores and access chains."""
        self.row_lines: dict[int, tuple[int, ...]] | None = None
        """Matrix → position of the extraction of its rows; a dictionary while an operator works row by row."""

        self.scope: int | None = None
        """The scope of new blocks."""
        self.block_scopes: dict[int, int] = {}
        """Block → scope."""

    def new_block(self, name: str = "") -> int:
        label = super().new_block(name)
        if self.scope is not None:
            self.block_scopes[label] = self.scope
        return label

    def append_instruction(self, inst: Instruction) -> None:
        """Append a finished debug instruction to the current block."""
        if not self.is_terminated:
            assert self.block is not None
            self.block.instructions.append(inst)

    def _line_of(self, opcode: int, operands: tuple[Operand, ...]) -> tuple[int, ...] | None:
        if opcode in _MEMORY:
            return self.memory_line
        if self.row_lines is not None:
            if opcode == op.OpCompositeExtract and isinstance(operands[0], int):
                return self.row_lines.get(operands[0]) or (self.memory_line and point_of(self.memory_line))
            if opcode == op.OpCompositeConstruct:
                return self.memory_line
        return self.line

    def binary_at_point(self, opcode: int, type_id: int, left: int, right: int) -> int:
        outer = self.line
        self.line = outer and point_of(outer)
        number = super().binary_at_point(opcode, type_id, left, right)
        self.line = outer
        return number

    def emit(self, opcode: int, type_id: int, *operands: Operand) -> int:
        outer = self.line
        self.line = self._line_of(opcode, operands)
        number = super().emit(opcode, type_id, *operands)
        self.line = outer
        return number

    def emit_void(self, opcode: int, *operands: Operand) -> None:
        outer = self.line
        self.line = self._line_of(opcode, operands)
        super().emit_void(opcode, *operands)
        self.line = outer
