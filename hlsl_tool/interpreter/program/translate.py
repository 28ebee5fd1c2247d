"""Translate functions to the form that is executed."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import merge_targets, reverse_postorder, successors_by_label
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Block as SpirvBlock
from hlsl_tool.spirv.ir import Function as SpirvFunction
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.spirv.numbers import literal_bits

from ..errors import NotInterpretedError
from ..instructions import control_flow as flow
from ..instructions.context import BUILDERS, Context
from ..runtime.code import Block, Edge, Function, Step
from .loops import escaping
from .positions import Positions


def execution_order(function: SpirvFunction, wide: frozenset[int]) -> list[int]:
    """Return the labels in an order in which merge blocks and continue targets follow what leads to them."""
    following = successors_by_label(function.blocks, wide)
    for block in function.blocks:
        ends = [label for label in merge_targets(block) if label]
        following[block.label] = [*ends, *following[block.label]]
    return reverse_postorder(function.blocks[0].label, following)


class FunctionTranslator:
    """Translates one function."""

    def __init__(self, context: Context, source: SpirvFunction, target: Function) -> None:
        self.context, self.source, self.target = context, source, target
        self.wide = context.index.wide_switches(source)
        self.order = execution_order(source, self.wide)
        self.number = {label: index for index, label in enumerate(self.order)}
        self.by_label = {block.label: block for block in source.blocks}
        self.kept = escaping(source.blocks, self.wide)
        self.positions = Positions(context)

    def translate(self) -> None:
        """Add the blocks to the function."""
        for label in self.order:
            self.target.blocks.append(self._block(self.by_label[label]))

    def _block(self, source: SpirvBlock) -> Block:
        steps: list[Step] = []
        places = self.positions
        positions = []
        instructions: list[Instruction] = []
        places.begin_block()
        for inst in source.instructions[:-1]:
            if inst.op == op.OpPhi or places.moves(inst):
                continue
            step = self._step(inst)
            if step is not None:
                steps.append(step)
                positions.append(places.current)
                instructions.append(inst)
        last = source.instructions[-1]
        leave = self._terminator(source, last)
        return Block(source.label, steps, leave, [*positions, places.current], [*instructions, last])

    def _step(self, inst: Instruction) -> Step | None:
        builder = BUILDERS.get(inst.op)
        if builder is None:
            raise NotInterpretedError(_name(inst))
        step = builder(self.context, inst)
        if step is not None and inst.result_id in self.kept:
            return flow.keeping(step, inst.result_id)
        return step

    def _edge(self, source: SpirvBlock, label: int) -> Edge:
        moves = []
        for inst in self.by_label[label].instructions:
            if inst.op != op.OpPhi:
                break
            words = inst.ints()
            value = next(n for n, parent in zip(words[::2], words[1::2], strict=True) if parent == source.label)
            moves.append((inst.result_id, value, inst.result_id in self.kept))
        return Edge(self.number[label], moves)

    def _terminator(self, source: SpirvBlock, inst: Instruction) -> Step:
        if inst.op == op.OpBranch:
            return flow.branch(self._edge(source, inst.id(0)))
        if inst.op == op.OpBranchConditional:
            condition, yes, no = inst.ints()[:3]
            return flow.branch_conditional(condition, self._edge(source, yes), self._edge(source, no))
        if inst.op == op.OpSwitch:
            return self._switch(source, inst)
        step = self._step(inst)
        assert step is not None
        return step

    def _switch(self, source: SpirvBlock, inst: Instruction) -> Step:
        selector, default, *rest = inst.ints()
        width = 2 if source.label in self.wide else 1
        mask = (1 << 8 * self.context.layout.size(self.context.type_of(selector))) - 1
        cases: dict[int, list[int]] = {}
        for at in range(0, len(rest), width + 1):
            cases.setdefault(rest[at + width], []).append(literal_bits(rest[at : at + width]) & mask)
        edges = [(literals, self._edge(source, label)) for label, literals in cases.items()]
        return flow.switch(selector, self._edge(source, default), edges)


def _name(inst: Instruction) -> str:
    row = tables.INSTRUCTIONS.get(inst.op)
    return row[0] if row is not None else f"the opcode {inst.op}"
