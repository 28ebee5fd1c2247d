"""Duplicate the use of a resource into the cases of an ``OpSwitch``, one for each possible resource."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from hlsl_tool.codegen.passes.global_definitions import Globals
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import merge_targets
from hlsl_tool.spirv.analysis.kinds import ARRAYS, HANDLES
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, uses
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

from .errors import Unflattened

_COPIED = frozenset((Decoration.RelaxedPrecision, Decoration.NoContraction))
"""Decorations of a result that are copied with it."""

Case = Callable[[], tuple[list[Instruction], int]]
"""Returns (the first instructions of a case, the id of the resource in it)."""


class Switching:
    """Rewrites uses of resources in one module."""

    def __init__(self, module: Module, index: ModuleIndex) -> None:
        self.module = module
        self.index = index
        self.globals = Globals(module)

    def replace_use(
        self, function: Function, root: Instruction, selector: int, cases: Sequence[Case], name: str
    ) -> bool:
        """Replace the first use of ``root``, a resource or a pointer to one; return False if no use is left.

        Instructions between ``root`` and the use (a load, an ``OpSampledImage``) are copied into the cases. A selector
        without a case gives zero. Raises ``Unflattened`` with ``name``.
        """
        results = {root.result_id}
        for block in function.blocks:
            for at, inst in enumerate(block.instructions):
                if inst.op == op.OpExtInst and self._is_void(inst):
                    continue
                if not uses(inst, results):
                    continue
                if inst.op == op.OpPhi:
                    raise Unflattened(name, "an element of it is chosen at run time")
                if inst.type_id and inst.result_id and self._is_handle(inst.type_id):
                    results.add(inst.result_id)
                elif merge_targets(block)[1]:
                    self._open_header(function, block)
                    return True
                else:
                    self._switch(function, block, at, root, selector, cases)
                    return True
        for block in function.blocks:  # only unused handles and debug instructions are left
            block.instructions = [
                inst
                for inst in block.instructions
                if inst.result_id not in results and not (inst.op == op.OpExtInst and uses(inst, results))
            ]
        return False

    def _is_void(self, inst: Instruction) -> bool:
        """Return whether an instruction has no usable value: its type is void, as for debug instructions."""
        return self.index.definitions[inst.type_id].op == op.OpTypeVoid

    def _is_handle(self, type_id: int) -> bool:
        """Return whether values of a type are resources, pointers, or composites of them."""
        inst = self.index.definitions.get(type_id)
        if inst is None or inst.op in HANDLES:
            return inst is not None
        if inst.op in ARRAYS:
            return self._is_handle(inst.id(0))
        return inst.op == op.OpTypeStruct and any(self._is_handle(member) for member in inst.ints())

    def _steps(self, function: Function, user: Instruction, root: Instruction) -> list[Instruction]:
        """Return the instructions from ``root`` to ``user`` that compute resources or pointers, in code order."""
        definitions = {inst.result_id: inst for inst in function.instructions() if inst.result_id}
        steps: list[Instruction] = []
        todo = deque([user])
        seen: set[int] = set()
        while todo:
            inst = todo.popleft()
            steps.insert(0, inst)
            for operand in inst.operands:
                definition = definitions.get(operand) if isinstance(operand, int) else None
                if definition is None or definition.result_id in seen or not uses(inst, {definition.result_id}):
                    continue
                seen.add(definition.result_id)
                if definition is root or definition.op in (op.OpVariable, op.OpPhi):
                    continue
                if self._is_handle(definition.type_id):
                    todo.append(definition)
        return steps[:-1]

    def _switch(
        self, function: Function, block: Block, at: int, root: Instruction, selector: int, cases: Sequence[Case]
    ) -> None:
        """Split the block before instruction ``at``, and put a copy of the instruction into each case of a switch.

        A copy uses the resource of its case in place of ``root``; ``selector`` is the id that selects the case.
        """
        user = block.instructions[at]
        steps = self._steps(function, user, root)
        tail = self._split(function, block, at + 1)
        block.instructions.pop()
        branches = [self._case(steps, user, root.result_id, case, tail.label) for case in cases]
        default = Block(self.globals.take_id(), [Instruction(op.OpBranch, 0, 0, [tail.label])])
        high = [0] if self._is_wide(function, selector) else []
        block.instructions += [
            Instruction(op.OpSelectionMerge, 0, 0, [tail.label, 0]),
            Instruction(
                op.OpSwitch,
                0,
                0,
                [
                    selector,
                    default.label,
                    *(x for i, (case, _) in enumerate(branches) for x in (i, *high, case.label)),
                ],
            ),
        ]
        where = function.blocks.index(block) + 1
        function.blocks[where:where] = [*(case for case, _ in branches), default]
        if user.result_id:
            values = [x for case, result in branches for x in (result, case.label)]
            values += [self.globals.null(user.type_id), default.label]
            tail.instructions.insert(0, Instruction(op.OpPhi, user.type_id, user.result_id, list(values)))

    def _is_wide(self, function: Function, number: int) -> bool:
        """Return whether an integer has 64 bits, so that the literals of ``OpSwitch`` take two words."""
        constant = self.index.definitions.get(number)
        type_id = next((inst.type_id for inst in function.instructions() if inst.result_id == number), 0)
        type_id = constant.type_id if constant is not None else type_id
        return bool(type_id) and self.index.definitions[type_id].operands[0] == 64

    def _split(self, function: Function, block: Block, at: int) -> Block:
        """Split a block before instruction ``at`` and return the second half."""
        tail = Block(self.globals.take_id(), block.instructions[at:])
        head = block.instructions[:at]
        images = {inst.result_id: inst for inst in head if inst.op == op.OpSampledImage}
        if images:  # the result of OpSampledImage must be used in its own block
            tail.instructions = [emitted for inst in tail.instructions for emitted in self._with_image(inst, images)]
        block.instructions = head
        function.blocks.insert(function.blocks.index(block) + 1, tail)
        for other in function.blocks:
            for inst in other.instructions:
                if inst.op == op.OpPhi:
                    inst.operands[1::2] = [
                        tail.label if label == block.label else label for label in inst.operands[1::2]
                    ]
        return tail

    def _with_image(self, inst: Instruction, images: dict[int, Instruction]) -> list[Instruction]:
        """Return an instruction preceded by new copies of the sampled images that it uses."""
        copies = []
        for number, image in images.items():
            if uses(inst, {number}):
                copies.append(self._copy(image, {}))
                rename(inst, {number: copies[-1].result_id})
        return [*copies, inst]

    def _open_header(self, function: Function, block: Block) -> None:
        """Move the body of a loop header into a separate block, because a header cannot also begin a selection."""
        merge = next(inst for inst in block.instructions if inst.op == op.OpLoopMerge)
        first = next(i for i, inst in enumerate(block.instructions) if inst.op not in (op.OpPhi, op.OpLine))
        tail = self._split(function, block, first)
        tail.instructions.remove(merge)
        if merge.operands[1] == block.label:  # a loop of one block
            merge.operands[1] = tail.label
        block.instructions += [merge, Instruction(op.OpBranch, 0, 0, [tail.label])]

    def _case(self, steps: list[Instruction], user: Instruction, root: int, case: Case, then: int) -> tuple[Block, int]:
        """Return (the block of a case, the result id of the copy of ``user`` in it).

        The block contains copies of ``steps`` and ``user`` that use the case's resource in place of ``root``, and ends
        with a branch to the label ``then``.
        """
        first, resource = case()
        names = {root: resource}
        copies = [self._copy(inst, names) for inst in (*steps, user)]
        result = copies[-1].result_id
        return Block(self.globals.take_id(), [*first, *copies, Instruction(op.OpBranch, 0, 0, [then])]), result

    def _copy(self, inst: Instruction, names: dict[int, int]) -> Instruction:
        """Return a copy with operands renamed by ``names`` and a new result id; record the new id in ``names``."""
        copy = Instruction(inst.op, inst.type_id, 0, list(inst.operands))
        rename(copy, names)
        if inst.result_id:
            copy.result_id = names[inst.result_id] = self.globals.take_id()
            for decoration in self.index.annotations.get(inst.result_id, ()):
                if decoration.operands[1] in _COPIED:
                    same = Instruction(decoration.op, 0, 0, [copy.result_id, *decoration.operands[1:]])
                    self.module.annotations.append(same)
                    self.index.annotations.setdefault(copy.result_id, []).append(same)
        return copy
