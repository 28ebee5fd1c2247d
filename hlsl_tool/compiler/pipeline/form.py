"""The form of a promoted module, which decides the passes of spirv-opt."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ALL_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import LoopControl, StorageClass
from hlsl_tool.spirv.ir import Operand
from hlsl_tool.spirv.tools.passes import Form

_COMPOSITES = frozenset((op.OpTypeStruct, op.OpTypeArray))


def unrolls(index: ModuleIndex) -> bool:
    """Return whether a module has a loop that spirv-opt is to unroll."""
    return any(inst.id(2) & LoopControl.Unroll for inst in index.with_opcodes((op.OpLoopMerge,)))


def form_of(index: ModuleIndex) -> Form:
    """Return the form of a promoted module."""
    by_opcode = index.by_opcode
    declarations = index.module.globals
    composites = {inst.result_id for inst in declarations if inst.op in _COMPOSITES}
    has_private = any(inst.op == op.OpVariable and inst.operands[0] == StorageClass.Private for inst in declarations)
    return Form(
        unrolls=unrolls(index),
        has_variables=has_private or op.OpVariable in by_opcode,
        has_several_blocks=any(len(function.blocks) > 1 for function in index.module.functions),
        has_phis=op.OpPhi in by_opcode,
        has_inserts=op.OpCompositeInsert in by_opcode,
        has_nested_chains=_has_nested_chains(index),
        loads_composites=any(inst.type_id in composites for inst in by_opcode.get(op.OpLoad, ())),
    )


def _has_nested_chains(index: ModuleIndex) -> bool:
    chains = list(index.with_opcodes(ALL_CHAINS))
    results: set[Operand] = {inst.result_id for inst in chains}
    return any(inst.operands[0] in results for inst in chains)
