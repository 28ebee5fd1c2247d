"""Restore the DebugSource instructions that optimisation has removed.

Before: the output of spirv-opt, and its input. After: the output has the DebugSource, with text and continuations, of
every file in the input. Older versions of spirv-opt remove files that no instruction refers to, such as a header with
only macros; debuggers should show these as well.
"""

from __future__ import annotations

from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import DEBUG_SETS
from hlsl_tool.spirv.ir import Instruction, Module


def restore_debug_sources(module: Module, before: Module) -> None:
    """Copy the DebugSource instructions of ``before`` that ``module`` lacks back to it, in place."""
    set_id, old_set = _debug_set(module), _debug_set(before)
    void = next((inst.result_id for inst in module.globals if inst.op == op.OpTypeVoid), 0)
    if not (set_id and old_set and void):
        return
    texts = {inst.result_id: inst.text(0) for inst in module.sources if inst.op == op.OpString}
    there = {texts[inst.id(2)] for inst in module.globals if _is(inst, set_id, opencl_debug.DebugSource)}
    old_texts = {inst.result_id: inst.text(0) for inst in before.sources if inst.op == op.OpString}
    ids = {text: number for number, text in texts.items()}
    missing: list[Instruction] = []
    copies = False
    for inst in before.globals:
        if _is(inst, old_set, opencl_debug.DebugSource):
            copies = old_texts[inst.id(2)] not in there
        elif not _is(inst, old_set, shader_debug.DebugSourceContinued):
            copies = False
        if copies:
            strings = [_string(module, old_texts[operand], ids) for operand in inst.ints()[2:]]
            missing.append(Instruction(op.OpExtInst, void, module.take_id(), [set_id, inst.id(1), *strings]))
    if missing:
        at = next(i for i, inst in enumerate(module.globals) if inst.result_id == void) + 1
        sources = [i for i, inst in enumerate(module.globals) if _is(inst, set_id, opencl_debug.DebugSource)]
        at = max(at, sources[0]) if sources else at
        module.globals[at:at] = missing


def _debug_set(module: Module) -> int:
    return next((inst.result_id for inst in module.ext_inst_imports if inst.text(0) in DEBUG_SETS), 0)


def _is(inst: Instruction, set_id: int, number: int) -> bool:
    return inst.op == op.OpExtInst and inst.operands[:2] == [set_id, number]


def _string(module: Module, text: str, ids: dict[str, int]) -> int:
    if text not in ids:
        ids[text] = module.take_id()
        at = sum(inst.op == op.OpString for inst in module.sources)  # the strings come first
        module.sources.insert(at, Instruction(op.OpString, 0, ids[text], [text]))
    return ids[text]
