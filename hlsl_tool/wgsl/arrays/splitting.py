"""Split a block at an instruction that becomes a switch.

Before and after: structured blocks (SPIR-V specification, 2.11). A block becomes a chain of blocks. The first has the
old label, so that branches, merge and continue targets stay valid; phis that name the block as a predecessor get the
last one's label.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Block, Function, Instruction, Operand
from hlsl_tool.wgsl.module.source_places import moves_line
from hlsl_tool.wgsl.module.view import View


class Splitter:
    """Builds the new list of blocks of one function."""

    def __init__(self, view: View, function: Function) -> None:
        self.view = view
        self.function = function
        self.blocks: list[Block] = []
        self.block = Block(0)
        self.loop: Instruction | None = None
        """The merge instruction of the loop whose header is being written, until the header is split."""
        self.repeats = 0
        """The block with the back edge of a split single-block loop."""
        self.lasts: dict[int, int] = {}
        """Label of a split block → label of the last block of its chain."""
        self.line: Instruction | None = None

    def emit(self, inst: Instruction) -> None:
        if moves_line(self.view, inst):
            self.line = inst
        if inst.result_id:
            self.view.add(inst)
        self.block.instructions.append(inst)

    def branch(self, label: int) -> None:
        self.emit(Instruction(op.OpBranch, 0, 0, [label]))

    def start(self, label: int, phi: Instruction | None = None) -> None:
        """Start a new block, with ``phi`` as its first instruction, if given, and with the current source line."""
        self.block = Block(label)
        self.blocks.append(self.block)
        for inst in (phi, self.line):
            if inst is not None:
                self.emit(inst)

    # ----------------------------------------------------------------------------------------------- blocks as a whole

    def enter(self, block: Block) -> None:
        self.line = None
        self.start(block.label)
        merge = block.instructions[-2] if len(block.instructions) > 1 else None
        self.loop = merge if merge is not None and merge.op == op.OpLoopMerge else None

    def body(self, block: Block) -> Iterator[Instruction]:
        """Yield a block's instructions without its merge instruction and terminator."""
        yield from block.instructions[: -2 if self.loop is not None else -1]

    def leave(self, block: Block) -> None:
        """Append the block's merge instruction and terminator."""
        if self.loop is not None:
            self.emit(self.loop)
        elif self.repeats:
            self.branch(self.repeats)
            self.start(self.repeats)
            self.repeats = 0
        self.emit(block.instructions[-1])
        self.lasts[block.label] = self.block.label

    def finish(self) -> None:
        """Replace the function's blocks by the new ones."""
        for block in self.blocks:
            for inst in block.instructions:
                if inst.op == op.OpPhi:
                    inst.operands[1::2] = [self.lasts.get(label, label) for label in inst.ints()[1::2]]
        self.function.blocks[:] = self.blocks

    # -------------------------------------------------------------------------------------------------------- switches

    def open_switch(self, index: int, count: int) -> tuple[int, list[int]]:
        """Begin a switch over an index; return (label of its merge block, labels of its cases, the default last)."""
        if self.loop is not None:
            self._split_header(self.loop)
        merge = self.view.fresh()
        labels = [self.view.fresh() for _ in range(count)]
        words: list[Operand] = [index, labels[-1]]
        for number, label in enumerate(labels[:-1]):
            words += [number, label]
        self.emit(Instruction(op.OpSelectionMerge, 0, 0, [merge, 0]))
        self.emit(Instruction(op.OpSwitch, 0, 0, words))
        return merge, labels

    def _split_header(self, loop: Instruction) -> None:
        """End a loop's header before its first switch; the following instructions go into the loop's body."""
        operands = list(loop.operands)
        if loop.id(1) == self.block.label:
            self.repeats = operands[1] = self.view.fresh()
        self.emit(Instruction(op.OpLoopMerge, 0, 0, operands))
        self.loop = None
        body = self.view.fresh()
        self.branch(body)
        self.start(body)
