"""Count the uses of values, to decide which expressions are written at their only use instead of being named."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ATOMICS, FLOAT_ATOMICS, SUBGROUP
from hlsl_tool.spirv.analysis.uses import is_non_semantic, used_ids
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.view import HANDLES, View

SAMPLING = frozenset(range(op.OpImageSampleImplicitLod, op.OpImageSampleProjDrefExplicitLod + 1))
COMPARING = frozenset(
    (
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleDrefExplicitLod,
        op.OpImageSampleProjDrefImplicitLod,
        op.OpImageSampleProjDrefExplicitLod,
        op.OpImageDrefGather,
    )
)
IMPLICIT = frozenset(
    (
        op.OpImageSampleImplicitLod,
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleProjImplicitLod,
        op.OpImageSampleProjDrefImplicitLod,
    )
)
"""Sampling with an implicit level of detail."""

READS = SAMPLING | frozenset((op.OpLoad, op.OpImageFetch, op.OpImageGather, op.OpImageDrefGather, op.OpImageRead))
"""Values that depend on memory; unused ones are left out."""

SKIPPED = frozenset((op.OpLine, op.OpNoLine, op.OpNop, op.OpSelectionMerge, op.OpLoopMerge, op.OpVariable))
"""Instructions without a statement."""

_EFFECTS = frozenset(
    (
        op.OpStore,
        op.OpCopyMemory,
        op.OpImageWrite,
        op.OpFunctionCall,
        op.OpControlBarrier,
        op.OpMemoryBarrier,
        op.OpDemoteToHelperInvocation,
        op.OpImageTexelPointer,
        *ATOMICS,
        *FLOAT_ATOMICS,
        op.OpAtomicFlagTestAndSet,
        op.OpRayQueryProceedKHR,
        op.OpReportIntersectionKHR,
        *SUBGROUP,
        *tables.TERMINATORS,
    )
)


def is_transparent(view: View, inst: Instruction) -> bool:
    """Return whether an instruction (pointer, handle, copy) is written anew at each of its uses."""
    if inst.op in ACCESS_CHAINS or inst.op in (op.OpCopyObject, op.OpSampledImage, op.OpImage):
        return True
    return inst.op == op.OpLoad and view.defs[inst.type_id].op in HANDLES


def has_effect(view: View, inst: Instruction) -> bool:
    """Return whether an instruction has side effects and must be written even if its result is unused."""
    if inst.op in _EFFECTS:
        return True
    if inst.op == op.OpExtInst:
        set_name = view.sets.get(inst.id(0), "")
        if is_non_semantic(set_name):
            return False
        return any(
            view.defs[operand].op != op.OpExtInstImport
            and view.defs[operand].type_id
            and view.defs[view.defs[operand].type_id].op == op.OpTypePointer
            for operand in inst.ints()[2:]
            if operand in view.defs
        )
    return not inst.result_id and inst.op not in SKIPPED


def is_splat(view: View, inst: Instruction) -> bool:
    """Return whether an instruction constructs a vector of equal components."""
    if inst.op != op.OpCompositeConstruct or view.type(inst.type_id).op != op.OpTypeVector:
        return False
    operands = inst.ints()
    return len(operands) == view.components(inst.type_id) and operands.count(operands[0]) == len(operands)


def root_of(view: View, pointer: int) -> tuple[Instruction, list[int]]:
    """Return (variable or parameter that a pointer starts at, indices of all its access chains)."""
    inst = view.defs[pointer]
    indices: list[int] = []
    while inst.op in ACCESS_CHAINS or inst.op == op.OpCopyObject:
        if inst.op in ACCESS_CHAINS:
            indices = inst.ints()[1:] + indices
        inst = view.defs[inst.id(0)]
    return inst, indices


class Uses:
    """The number of uses of each value in one function, counted in instructions that are written."""

    def __init__(self, view: View, function: Function, reachable: dict[int, list[int]]) -> None:
        self.view = view
        self.blocks = [block for block in function.blocks if block.label in reachable]
        self.block_of: dict[int, int] = {}
        self.live: set[int] = set()
        self.count: dict[int, int] = {}
        self.where: dict[int, int] = {}
        """The block of the uses; -1 for several."""
        local: dict[int, Instruction] = {}
        for block in self.blocks:
            for inst in block.instructions:
                if inst.result_id:
                    local[inst.result_id] = inst
                    self.block_of[inst.result_id] = block.label
        self._mark(local)
        self._count(reachable)

    def _mark(self, local: dict[int, Instruction]) -> None:
        pending: list[int] = []
        for block in self.blocks:
            for inst in block.instructions:
                if inst.op not in SKIPPED and has_effect(self.view, inst):
                    if inst.result_id:
                        self.live.add(inst.result_id)
                    pending += used_ids(inst)
        while pending:
            value = pending.pop()
            if value in self.live or value not in local:
                continue
            self.live.add(value)
            inst = local[value]
            if inst.op == op.OpPhi:
                pending += inst.ints()[::2]
            else:
                pending += used_ids(inst)

    def _add(self, value: int, count: int, block: int) -> None:
        self.count[value] = self.count.get(value, 0) + count
        if self.where.setdefault(value, block) != block:
            self.where[value] = -1

    def _count(self, reachable: dict[int, list[int]]) -> None:
        for block in self.blocks:
            for inst in block.instructions:
                if inst.op == op.OpPhi and inst.result_id in self.live:
                    words = inst.ints()
                    for value, source in zip(words[::2], words[1::2], strict=True):
                        if source in reachable:
                            self._add(value, 1, source)
        for block in reversed(self.blocks):
            for inst in reversed(block.instructions):
                if self._is_written(inst):
                    self._count_operands(inst, block.label)

    def _is_written(self, inst: Instruction) -> bool:
        if inst.op in SKIPPED or inst.op == op.OpPhi:
            return False
        return inst.result_id in self.live if inst.result_id else has_effect(self.view, inst)

    def _count_operands(self, inst: Instruction, label: int) -> None:
        """Count one use of each operand of an instruction.

        An instruction that is written anew at each of its uses counts for its operands as often as it is used.
        """
        count, where = 1, label
        if is_transparent(self.view, inst):
            count, where = self.count.get(inst.result_id, 0), self.where.get(inst.result_id, label)
        if count:
            for operand in self._operands(inst):
                self._add(operand, count, where)

    def _operands(self, inst: Instruction) -> list[int]:
        """Return an instruction's operand ids, each as often as its expression contains it."""
        operands = used_ids(inst)
        if inst.op == op.OpVectorShuffle and operands[0] == operands[1]:
            return operands[:1]
        return operands[:1] if is_splat(self.view, inst) else operands
