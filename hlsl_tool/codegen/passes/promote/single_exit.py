"""Give a function a single exit.

A function that is to be inlined must return only at the end of its last block, which no construct contains.  As in
SPIRV-Tools' merge-return, the body becomes the only case of a switch, and a return becomes a branch to its merge block.
A return from a loop or an inner switch sets a flag and branches to the merge block of that construct, which checks the
flag and leaves the next one.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.promote.promoted_body import PromotedTypes, Unsuited
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import Nest, nests
from hlsl_tool.spirv.analysis.kinds import RETURNS
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction


def with_one_exit(function: Function, types: PromotedTypes) -> list[Block]:
    """Return blocks equivalent to those of a function that return only at the end of the last block."""
    nest = nests(function.blocks)
    blocks = [block for block in function.blocks if block.label in nest]
    returning = [block for block in blocks if block.instructions[-1].op in RETURNS]
    if len(returning) == 1 and not nest[returning[0].label]:
        block = returning[0]
        if block is function.blocks[0]:
            return [block]
        # The blocks after it can only be merge blocks that nothing reaches.
        rest = [other for other in function.blocks if other is not block]
        return [*rest, block]
    return _Exits(function, types, nest).run(returning)


class _Exits:
    """Rewrites the returns of one function so that it has a single exit."""

    def __init__(self, function: Function, types: PromotedTypes, nest: dict[int, Nest]) -> None:
        self.types = types
        self.nest = nest
        self.function = function
        self.bool = types.make(op.OpTypeBool, 0)
        self.true = types.make(op.OpConstantTrue, self.bool)
        self.exit = types.new_id()
        self.value = self.flag = 0
        self.variables: list[Instruction] = []
        self.left: set[int] = set()
        """The merge blocks of loops and switches that contain a return."""
        self.moved: dict[int, int] = {}
        """Label of a block that was split → the label of its second half."""

    def variable(self, type_id: int, *init: int) -> int:
        pointer = self.types.pointer(StorageClass.Function, type_id)
        number = self.types.new_id()
        self.variables.append(Instruction(op.OpVariable, pointer, number, [StorageClass.Function, *init]))
        return number

    def run(self, returning: list[Block]) -> list[Block]:
        """Return the blocks with a single exit; ``returning`` are the blocks that return."""
        types = self.types
        result_type = self.function.definition.type_id
        if types.definitions[result_type].op != op.OpTypeVoid:
            self.value = self.variable(result_type)
        changed = {block.label: self._leave(block) for block in returning}
        # Merge blocks that nothing reached before may be reached now, by a return.
        never = [Instruction(op.OpUnreachable, 0, 0, [])]
        blocks = [
            changed.get(block.label, block if block.label in self.nest else Block(block.label, list(never)))
            for block in self.function.blocks
        ]
        if self.left:
            blocks = [part for block in blocks for part in self._checked(block)]
        first = blocks[0]
        cut = next((i for i, inst in enumerate(first.instructions) if inst.op != op.OpVariable), 0)
        body = Block(first.label, first.instructions[cut:])  # phis name it; nothing may name an entry block
        zero = types.make(op.OpConstant, types.make(op.OpTypeInt, 0, 32, 0), 0)
        head = Block(
            types.new_id(),
            [
                *first.instructions[:cut],
                *self.variables,
                Instruction(op.OpSelectionMerge, 0, 0, [self.exit, 0]),
                Instruction(op.OpSwitch, 0, 0, [zero, body.label]),
            ],
        )
        blocks = [head, body, *blocks[1:], self._end()]
        return [self._renamed(block) for block in blocks] if self.moved else blocks

    def _leave(self, block: Block) -> Block:
        """Return a copy of a block with its return replaced by a branch out of the innermost loop or switch."""
        instructions = block.instructions[:-1]
        end = block.instructions[-1]
        if end.op == op.OpReturnValue:
            instructions.append(Instruction(op.OpStore, 0, 0, [self.value, end.operands[0]]))
        breakable = [c for c in self.nest[block.label] if c.kind in ("loop", "switch")]
        if breakable:
            if not self.flag:
                self.flag = self.variable(self.bool, self.types.make(op.OpConstantFalse, self.bool))
            instructions.append(Instruction(op.OpStore, 0, 0, [self.flag, self.true]))
            self.left.update(c.merge for c in breakable)
        target = breakable[-1].merge if breakable else self.exit
        instructions.append(Instruction(op.OpBranch, 0, 0, [target]))
        return Block(block.label, instructions)

    def _checked(self, block: Block) -> list[Block]:
        """Return the blocks that replace a block.

        If a return branches to the block as a merge block, it first checks the flag, and leaves the next construct.
        """
        if block.label not in self.left:
            return [block]
        types = self.types
        # A merge block that nothing else reaches has no nest: it is that of its loop or switch.
        nest = self.nest.get(block.label) or self._nest_of_merge(block.label)
        outer = [c for c in nest if c.kind in ("loop", "switch")]
        flag, out, rest = types.new_id(), Block(types.new_id()), Block(types.new_id(), block.instructions)
        out.instructions.append(Instruction(op.OpBranch, 0, 0, [outer[-1].merge if outer else self.exit]))
        block = Block(
            block.label,
            [
                Instruction(op.OpLoad, self.bool, flag, [self.flag]),
                Instruction(op.OpSelectionMerge, 0, 0, [rest.label, 0]),
                Instruction(op.OpBranchConditional, 0, 0, [flag, out.label, rest.label]),
            ],
        )
        if rest.instructions[0].op == op.OpPhi:
            raise Unsuited("a phi where a loop ends through which functions return")
        self.moved[block.label] = rest.label
        return [block, out, rest]

    def _renamed(self, block: Block) -> Block:
        """Return a copy of a block in whose phis the labels of split blocks are updated."""
        if block.instructions[0].op != op.OpPhi:
            return block
        instructions = [
            inst
            if inst.op != op.OpPhi
            else Instruction(
                inst.op,
                inst.type_id,
                inst.result_id,
                [self.moved.get(x, x) if at % 2 else x for at, x in enumerate(inst.ints())],
            )
            for inst in block.instructions
        ]
        return Block(block.label, instructions)

    def _nest_of_merge(self, label: int) -> Nest:
        """Return the constructs around the loop or switch whose merge block is ``label``, the outermost first."""
        for nest in self.nest.values():
            for depth, construct in enumerate(nest):
                if construct.merge == label and construct.kind in ("loop", "switch"):
                    return nest[:depth]
        return ()

    def _end(self) -> Block:
        block = Block(self.exit)
        if not self.value:
            block.instructions.append(Instruction(op.OpReturn, 0, 0, []))
            return block
        number = self.types.new_id()
        block.instructions = [
            Instruction(op.OpLoad, self.function.definition.type_id, number, [self.value]),
            Instruction(op.OpReturnValue, 0, 0, [number]),
        ]
        return block
