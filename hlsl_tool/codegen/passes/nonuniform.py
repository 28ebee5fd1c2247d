"""Propagate NonUniform from indices to the accesses that use them, before and after legalisation.

Before: the lowering has marked the results of ``NonUniformResourceIndex`` (and their conversions) with ``NON_UNIFORM``.
After: these are marked, too: operations on marked values, access chains with a marked base or index, loads through
marked pointers, sampled images and texel pointers of marked images, and atomics on marked pointers. The builder writes
the decorations. ``respread_non_uniform`` does the same for the accesses of a finished module.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, HANDLES, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.builder import NON_UNIFORM, ModuleBuilder
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Instruction, Module

from .walk import ATOMICS, BINARY, UNARY, function_body

_ANY_OPERAND = ACCESS_CHAINS | UNARY | BINARY | {op.OpSampledImage}
_FIRST_OPERAND = ATOMICS | {op.OpLoad, op.OpImageTexelPointer}


def propagate_non_uniform(builder: ModuleBuilder) -> None:
    """Mark every value in the builder that is computed from a marked value."""
    marked = {number for number, flags in builder.marks.items() if flags & NON_UNIFORM}
    if not marked:
        return
    for function in builder.functions:
        for inst in function_body(builder, function):
            if inst.op in _ANY_OPERAND:
                is_marked = not marked.isdisjoint(inst.ints())
            else:
                is_marked = inst.op in _FIRST_OPERAND and inst.operands[0] in marked
            if is_marked and inst.result_id:
                marked.add(inst.result_id)
                builder.mark(inst.result_id, NON_UNIFORM)


def respread_non_uniform(module: Module, index: ModuleIndex | None = None) -> bool:
    """Propagate NonUniform in a finished module, in place; return whether the module has any such decoration.

    Before: legalisation has replaced locals and parameters by their values, so that more accesses use decorated values.
    After: every resource pointer, image and sampler that is computed from a decorated value is decorated; the SPIR-V
    specification requires the decoration on the operand of the access itself.
    """
    annotations = ungrouped(module.annotations)
    marked = {i.id(0) for i in annotations if i.op == op.OpDecorate and i.operands[1] == Decoration.NonUniform}
    if not marked:
        return False
    index = index or ModuleIndex(module)
    for function in module.functions:
        instructions = list(function.instructions())
        phis = [inst for inst in instructions if inst.op == op.OpPhi]
        while True:
            for inst in instructions:
                if marked.isdisjoint(inst.operands) or inst.result_id in marked:
                    continue
                if _depends(inst, index):
                    marked.add(inst.result_id)
                    if not _is_number(inst.type_id, index):
                        decoration = Instruction(op.OpDecorate, 0, 0, [inst.result_id, Decoration.NonUniform])
                        module.annotations.append(decoration)
            if not any(_is_overlooked(phi, marked, index) for phi in phis):
                break
    return True


def _is_overlooked(phi: Instruction, marked: set[int], index: ModuleIndex) -> bool:
    """Return whether a phi depends on a marked value that is defined after it, as is possible in loops."""
    return phi.result_id not in marked and not marked.isdisjoint(phi.operands) and _depends(phi, index)


_RESOURCES = RESOURCE_STORAGE | {StorageClass.Image}
_PASSED_ON = frozenset((op.OpCopyObject, op.OpSampledImage, op.OpImage, op.OpPhi, op.OpSelect))


def _depends(inst: Instruction, index: ModuleIndex) -> bool:
    """Return whether an instruction computes a resource, a resource pointer or an integer from an operand."""
    if inst.op not in _PROPAGATING:
        return False
    result = index.definitions[inst.type_id]
    if result.op == op.OpTypePointer:
        return result.id(0) in _RESOURCES
    if inst.op == op.OpLoad:
        return result.op in HANDLES
    return result.op in HANDLES or result.op == op.OpTypeInt


_PROPAGATING = ACCESS_CHAINS | UNARY | BINARY | _PASSED_ON | {op.OpLoad, op.OpImageTexelPointer}


def _is_number(type_id: int, index: ModuleIndex) -> bool:
    """Return whether a type is an integer; integers are tracked, but not decorated."""
    return index.definitions[type_id].op == op.OpTypeInt
