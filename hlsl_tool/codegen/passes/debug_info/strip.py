"""Remove debug information from a finished module, to deliver a copy without it.

Before: any module. After: there are no lines, sources, scopes or variables, nor strings, constants and extensions that
only they used. Names of ids stay, since reflection reads them; NonSemantic.DebugPrintf stays as well.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.debug_info.reduction import reduce_to_lines
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Instruction, Module

_LINES = frozenset((op.OpLine, op.OpNoLine))
_FORWARD = "SPV_KHR_relaxed_extended_instruction"
_NON_SEMANTIC = "SPV_KHR_non_semantic_info"


def strip_debug_info(module: Module) -> None:
    """Remove the debug information of a module, in place."""
    named = _used(module) | {inst.result_id for inst in module.sources if inst.op == op.OpString}
    reduce_to_lines(module)
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [_plain(i) for i in block.instructions if i.op not in _LINES]
    module.globals = [_plain(inst) for inst in module.globals if inst.op not in _LINES]
    module.processed = []
    module.sources = [_without_file(inst) for inst in module.sources if inst.op != op.OpSourceContinued]
    _remove_unused(module, named)
    has_sets = any(inst.text(0).startswith("NonSemantic.") for inst in module.ext_inst_imports)
    gone = (_FORWARD,) if has_sets else (_FORWARD, _NON_SEMANTIC)
    module.extensions = [inst for inst in module.extensions if inst.text(0) not in gone]


def _plain(inst: Instruction) -> Instruction:
    if inst.op == op.OpExtInstWithForwardRefsKHR:
        inst.op = op.OpExtInst
    return inst


def _without_file(inst: Instruction) -> Instruction:
    """Return an ``OpSource`` with only the language and its version."""
    if inst.op == op.OpSource:
        del inst.operands[2:]
    return inst


def _used(module: Module) -> set[int]:
    """Return the ids used by instructions other than names and decorations."""
    used: set[int] = set()
    for section in (module.entry_points, module.execution_modes, module.sources, module.globals):
        for inst in section:
            used.update((inst.type_id, *used_ids(inst)))
    for function in module.functions:
        for inst in (function.definition, *function.parameters, *function.instructions()):
            used.update((inst.type_id, *used_ids(inst)))
    return used


def _remove_unused(module: Module, before: set[int]) -> None:
    """Remove the strings, types and constants in ``before`` that are no longer used."""
    while True:
        lost = before - _used(module)
        gone = {inst.result_id for inst in module.globals if inst.result_id in lost and inst.op != op.OpVariable}
        gone |= {inst.result_id for inst in module.sources if inst.op == op.OpString and inst.result_id in lost}
        if not gone:
            return
        module.globals = [inst for inst in module.globals if inst.result_id not in gone]
        module.sources = [inst for inst in module.sources if inst.result_id not in gone]
        module.names = [inst for inst in module.names if inst.operands[0] not in gone]
        module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]
