"""Replace branches that only compute a value by operators.

Unoptimised modules have a branch for `a && b`, `a || b` and `c ? a : b`, which HLSL evaluates lazily.

Before: a selection whose sides only compute a value and store it in a temporary variable (``temp.var.logical``,
``temp.var.ternary``), or pass it to a phi. After: one block with OpLogicalAnd, OpLogicalOr or OpSelect. The sides have
no side effects and sample no textures, so that it does not matter whether both are evaluated.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import successors
from hlsl_tool.spirv.analysis.uses import is_pure
from hlsl_tool.spirv.ir import Block, Function, Instruction, Operand
from hlsl_tool.wgsl.module.view import View

TEMPORARY = "temp.var."
"""The begin of the names of variables that compilers of HLSL add for operators."""

MAX_LOGICAL, MAX_TERNARY = 24, 8
"""The largest number of instructions on a side."""

_DERIVED = frozenset(
    (*range(op.OpSampledImage, op.OpImageRead + 1), *range(op.OpDPdx, op.OpFwidthCoarse + 1), op.OpPhi)
)
"""Pure instructions that stay inside of their branch: they depend on other invocations, or cost too much."""

_VECTORS = frozenset((op.OpTypeInt, op.OpTypeFloat, op.OpTypeBool, op.OpTypeVector))


def fold_conditions(view: View, function: Function) -> None:
    """Replace branches in a function that only compute a value by logical operators and selections, in place."""
    if len(function.blocks) > 1 and any(
        block.instructions[-1].op == op.OpBranchConditional for block in function.blocks
    ):
        _Folder(view, function).run()


class _Folder:
    def __init__(self, view: View, function: Function) -> None:
        self.view = view
        self.function = function
        self.glsl = next((number for number, name in view.sets.items() if name == "GLSL.std.450"), 0)
        self.blocks = {block.label: block for block in function.blocks}
        self.count: dict[int, int] = {}
        """Label → number of blocks that branch to it."""
        self.pinned: set[int] = set()
        """Merge blocks and continue targets."""
        for block in function.blocks:
            for target in successors(block):
                self.count[target] = self.count.get(target, 0) + 1
            merge = block.instructions[-2] if len(block.instructions) > 1 else None
            if merge is not None and merge.op in (op.OpSelectionMerge, op.OpLoopMerge):
                self.pinned.update(merge.ints()[: 1 if merge.op == op.OpSelectionMerge else 2])

    def run(self) -> None:
        done: set[int] = set()
        for block in reversed(self.function.blocks):
            if block.label in self.blocks:
                while block.label not in done and self._fold(block):
                    pass
                done.add(block.label)
        self.function.blocks[:] = [block for block in self.function.blocks if block.label in self.blocks]

    def _fold(self, block: Block) -> bool:
        """Replace the selection at the end of a block; return true if the block may then end with another one."""
        if len(block.instructions) < 2:
            return False
        merge, last = block.instructions[-2:]
        if merge.op != op.OpSelectionMerge or last.op != op.OpBranchConditional:
            return False
        after = self.blocks[merge.id(0)]
        sides = [None if label == after.label else self._side(label, after.label) for label in last.ints()[1:3]]
        if (last.id(1) != after.label and sides[0] is None) or (last.id(2) != after.label and sides[1] is None):
            return False
        if sides[0] is None and sides[1] is None:
            return False
        moved = self._by_variable(block, last.id(0), sides) or self._by_phi(block, after, last, sides)
        if not moved:
            return False
        block.instructions[-2:] = [*moved, Instruction(op.OpBranch, 0, 0, [after.label])]
        for side in sides:
            if side is not None:
                del self.blocks[side.label]
        self.pinned.discard(after.label)
        self.count[after.label] = 1
        return self._fuse(block, after)

    def _side(self, label: int, after: int) -> Block | None:
        """Return the block ``label`` if it only computes a value and then branches to ``after``; else ``None``."""
        block = self.blocks.get(label)
        if block is None or self.count.get(label) != 1 or label in self.pinned:
            return None
        last = block.instructions[-1]
        if last.op != op.OpBranch or last.id(0) != after:
            return None
        for inst in block.instructions[:-1]:
            if inst.op in (op.OpStore, op.OpLine, op.OpNoLine):
                continue
            if inst.op in _DERIVED or not is_pure(inst, self.glsl):
                return None
        return block

    # ---------------------------------------------------------------------------------------------------- variables

    def _by_variable(self, block: Block, condition: int, sides: list[Block | None]) -> list[Instruction]:
        """Return the instructions that replace a selection whose sides store to a temporary variable.

        ``sides`` are the blocks that compute the values if the condition is true and if it is false; ``None`` for an
        empty one. The result is empty for other selections.
        """
        side = sides[0] or sides[1]
        assert side is not None
        store = _last_store(side)
        if store is None or not self.view.names.get(store.id(0), "").startswith(TEMPORARY):
            return []
        variable, values = store.id(0), [0, 0]
        bodies: list[Instruction] = []
        initial: Instruction | None = None
        for index, body in enumerate(sides):
            if body is None:
                initial = self._initial(block, variable)
                if initial is None:
                    return []
                values[index] = initial.id(1)
                continue
            own = _last_store(body)
            if own is None or own.id(0) != variable or sum(inst.op == op.OpStore for inst in body.instructions) != 1:
                return []
            values[index] = own.id(1)
            bodies += body.instructions[:-2]
            if any(variable in inst.operands for inst in body.instructions[:-2]):
                return []
        type_id = self.view.pointee(self.view.type_of(variable))
        operation = self._operation(type_id, condition, values, len(bodies), self.view.fresh())
        if operation is None:
            return []
        self.view.add(operation)
        if initial is not None:
            block.instructions[:] = [inst for inst in block.instructions if inst is not initial]
        return [*bodies, operation, Instruction(op.OpStore, 0, 0, [variable, operation.result_id])]

    def _initial(self, block: Block, variable: int) -> Instruction | None:
        """Return the last store of a constant to a variable in a block, if nothing after it may use the variable."""
        for inst in reversed(block.instructions[:-2]):
            if inst.op == op.OpStore and inst.id(0) == variable:
                return inst if self.view.constant(inst.id(1)) is not None else None
            if not is_pure(inst, self.glsl) or variable in inst.operands:
                return None
        return None

    def _operation(self, type_id: int, condition: int, values: list[int], size: int, result: int) -> Instruction | None:
        yes, no = values
        kind = self.view.type(type_id).op
        if kind == op.OpTypeBool and size <= MAX_LOGICAL:
            if self.view.constant(no) == 0:
                return Instruction(op.OpLogicalAnd, type_id, result, [condition, yes])
            if self.view.constant(yes) == 1:
                return Instruction(op.OpLogicalOr, type_id, result, [condition, no])
            inverse = self._inverse(condition)
            if inverse and self.view.constant(no) == 1:
                return Instruction(op.OpLogicalOr, type_id, result, [inverse, yes])
            if inverse and self.view.constant(yes) == 0:
                return Instruction(op.OpLogicalAnd, type_id, result, [inverse, no])
        if kind in _VECTORS and size <= MAX_TERNARY:
            return Instruction(op.OpSelect, type_id, result, [condition, yes, no])
        return None

    def _inverse(self, condition: int) -> int:
        """Return the value of which a condition is the negation; 0 if it is none."""
        inst = self.view.defs.get(condition)
        return inst.id(0) if inst is not None and inst.op == op.OpLogicalNot else 0

    # --------------------------------------------------------------------------------------------------------- phis

    def _by_phi(self, block: Block, after: Block, last: Instruction, sides: list[Block | None]) -> list[Instruction]:
        """Return the instructions that replace a selection whose value a single phi takes; empty for others.

        ``after`` is the merge block, which has the phi, and ``last`` the branch at the end of ``block``. ``sides`` are
        the blocks that compute the value if the condition is true and if it is false. A value other than a boolean must
        be computed before the selection.
        """
        phis = [inst for inst in after.instructions if inst.op == op.OpPhi]
        if len(phis) != 1 or len(phis[0].operands) != 4:
            return []
        words = phis[0].ints()
        by_source = dict(zip(words[1::2], words[::2], strict=True))
        labels = [block.label if side is None else side.label for side in sides]
        if labels[0] == labels[1] or not all(label in by_source for label in labels):
            return []
        bodies = [inst for side in sides if side is not None for inst in side.instructions[:-1]]
        if any(inst.op == op.OpStore for inst in bodies):
            return []
        if bodies and self.view.type(phis[0].type_id).op != op.OpTypeBool:
            return []
        values = [by_source[label] for label in labels]
        operation = self._operation(phis[0].type_id, last.id(0), values, len(bodies), phis[0].result_id)
        if operation is None:
            return []
        self.view.add(operation)
        after.instructions.remove(phis[0])
        return [*bodies, operation]

    # ------------------------------------------------------------------------------------------------------- blocks

    def _fuse(self, block: Block, after: Block) -> bool:
        """Append the block after a selection if only this block branches to it; return whether that was possible."""
        has_loop = any(inst.op == op.OpLoopMerge for inst in after.instructions[-2:])
        if has_loop or after.label in self.pinned or after.instructions[0].op == op.OpPhi:
            return False
        block.instructions[-1:] = after.instructions
        del self.blocks[after.label]
        if after.label == block.label:
            return False
        for target in successors(block):
            for inst in self.blocks[target].instructions if target in self.blocks else ():
                if inst.op != op.OpPhi:
                    break
                words: list[Operand] = inst.operands
                words[1::2] = [block.label if label == after.label else label for label in words[1::2]]
        return True


def _last_store(block: Block) -> Instruction | None:
    """Return the store immediately before a block's terminator; ``None`` without one."""
    inst = block.instructions[-2] if len(block.instructions) > 1 else None
    return inst if inst is not None and inst.op == op.OpStore else None
