"""Find functions without side effects; a call of one can be an expression that reads memory."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.uses import SKIPPED, has_effect, root_of
from hlsl_tool.wgsl.module.view import View

_LEAVES = frozenset((op.OpBranch, op.OpBranchConditional, op.OpSwitch, op.OpReturn, op.OpReturnValue, op.OpUnreachable))


def find_pure(view: View, functions: list[Function]) -> None:
    """Record the functions without side effects in `View.pure`; ``functions`` lists callees before callers."""
    contained: set[int] = set()
    for function in functions:
        pointers = {inst.result_id for inst in function.parameters if view.is_pointer(inst.type_id)}
        own = {inst.result_id for inst in function.instructions() if inst.op == op.OpVariable} | pointers
        if all(_is_pure(view, inst, own, contained) for inst in function.instructions()):
            contained.add(function.id)
            if not pointers:
                view.pure.add(function.id)


def _is_pure(view: View, inst: Instruction, own: set[int], contained: set[int]) -> bool:
    """Return whether an instruction writes no memory but the variables and pointer parameters of its function.

    These are ``own``. ``contained`` are the functions that write no memory but their own, which may be called.
    """
    if inst.op == op.OpFunctionCall:
        pointers = [operand for operand in inst.ints()[1:] if view.is_pointer(view.type_of(operand))]
        return inst.id(0) in contained and all(root_of(view, pointer)[0].result_id in own for pointer in pointers)
    if inst.op in (op.OpStore, op.OpCopyMemory):
        return root_of(view, inst.id(0))[0].result_id in own
    return inst.op in _LEAVES or inst.op in SKIPPED or not has_effect(view, inst)
