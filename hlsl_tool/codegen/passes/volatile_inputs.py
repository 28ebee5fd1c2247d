"""Separate built-in inputs that are volatile in only some of a library's shaders.

Before: all entry points of a library share one variable for ``RayTCurrent()``, which changes during intersection
shaders, and one for each subgroup built-in, which changes during all ray tracing shaders except any-hit shaders. They
must be volatile there (Vulkan specification, *Built-In Variables*). spirv-opt decorates the whole variable, and fails
if another shader reads it. (With the Vulkan memory model it marks loads, and this pass does nothing.) After: such a
variable is read only by shaders in which it is volatile; the others have a second variable, and a copy of each function
that reads it and that both kinds of shaders call.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import reach
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, RAY_TRACING, SUBGROUP_INPUTS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.analysis.uses import renamed_operands
from hlsl_tool.spirv.enums import BuiltIn, Capability, Decoration, ExecutionModel
from hlsl_tool.spirv.ir import Function, Instruction, Module

_B, _M = BuiltIn, ExecutionModel

_MOVING = RAY_TRACING - {_M.AnyHitKHR}
"""Shaders that may be suspended and continue in another subgroup."""

VOLATILE: dict[int, frozenset[int]] = {
    _B.RayTmaxKHR: frozenset((_M.IntersectionKHR,)),
    **dict.fromkeys(SUBGROUP_INPUTS, _MOVING),
}
"""Built-in → the execution models in which it is volatile."""

_READS = ACCESS_CHAINS | {op.OpLoad}


def separate_volatile_inputs(module: Module) -> None:
    """Add separate built-in inputs for those shaders of a library in which a built-in is not volatile, in place."""
    if any(inst.id(0) == Capability.VulkanMemoryModel for inst in module.capabilities):
        return
    shared = {
        inst.id(0): VOLATILE[inst.id(2)]
        for inst in ungrouped(module.annotations)
        if inst.op == op.OpDecorate and inst.id(1) == Decoration.BuiltIn and inst.id(2) in VOLATILE
    }
    for variable, models in shared.items():
        _separate(module, variable, models)


def _separate(module: Module, variable: int, models: frozenset[int]) -> None:
    functions = {f.id: f for f in module.functions}
    calls = {i: _called(f) for i, f in functions.items()}
    readers = _callers({i for i, f in functions.items() if _reads(f, variable)}, calls)
    entries = [inst for inst in module.entry_points if inst.id(1) in readers]
    moving = [inst for inst in entries if inst.id(0) in models]
    still = [inst for inst in entries if inst.id(0) not in models]
    if not moving or not still:
        return
    second = _copy_of_variable(module, variable)
    theirs = reach([inst.id(1) for inst in moving], calls) & readers
    ours = reach([inst.id(1) for inst in still], calls) & readers
    copies: dict[int, int] = {}
    for number in [f.id for f in module.functions if f.id in ours & theirs]:
        copy = _copy_of_function(module, functions[number])
        copies[number] = copy.id
        functions[copy.id] = copy
    for number in ours:
        for inst in functions[copies.get(number, number)].instructions():
            if inst.op in _READS and inst.id(0) == variable:
                inst.operands[0] = second
            elif inst.op == op.OpFunctionCall:
                inst.operands[0] = copies.get(inst.id(0), inst.id(0))
    for inst in module.entry_points:
        if inst in still:
            inst.operands[3:] = [second if i == variable else i for i in inst.operands[3:]]
        elif inst not in moving:
            inst.operands[3:] = [i for i in inst.operands[3:] if i != variable]


def _called(f: Function) -> set[int]:
    return {inst.id(0) for inst in f.instructions() if inst.op == op.OpFunctionCall}


def _reads(f: Function, variable: int) -> bool:
    return any(inst.op in _READS and inst.id(0) == variable for inst in f.instructions())


def _callers(functions: set[int], calls: dict[int, set[int]]) -> set[int]:
    """Return these functions together with their direct and indirect callers."""
    while more := {i for i, called in calls.items() if i not in functions and called & functions}:
        functions = functions | more
    return functions


def _copy_of_variable(module: Module, variable: int) -> int:
    at, old = next((i, inst) for i, inst in enumerate(module.globals) if inst.result_id == variable)
    new = old.copy()
    new.result_id = module.take_id()
    module.globals.insert(at + 1, new)
    _copy_descriptions(module, {variable: new.result_id})
    return new.result_id


def _copy_of_function(module: Module, f: Function) -> Function:
    """Insert a copy of a function, with new ids, after the function; return the copy."""
    copy = f.copy()
    parts = [copy.definition, *copy.parameters, *copy.instructions()]
    ids = {inst.result_id: module.take_id() for inst in parts if inst.result_id}
    ids.update((block.label, module.take_id()) for block in copy.blocks)
    wide = ModuleIndex(module).wide_switches(f)
    for inst in (copy.definition, *copy.parameters):
        _rename(inst, ids)
    for block in copy.blocks:
        for inst in block.instructions:
            _rename(inst, ids, 2 if block.label in wide else 1)
        block.label = ids[block.label]
    module.functions.insert(module.functions.index(f) + 1, copy)
    _copy_descriptions(module, ids)
    return copy


def _rename(inst: Instruction, ids: dict[int, int], literal_words: int = 1) -> None:
    inst.result_id = ids.get(inst.result_id, 0)
    inst.operands = renamed_operands(inst, ids, literal_words)


def _copy_descriptions(module: Module, ids: dict[int, int]) -> None:
    """Copy the names and decorations of the original ids to their copies; ``ids`` maps originals to copies."""
    for section in (module.names, module.annotations):
        for inst in list(section):
            if inst.id(0) in ids and inst.op not in (op.OpMemberName, op.OpMemberDecorate):
                section.append(Instruction(inst.op, 0, 0, [ids[inst.id(0)], *inst.operands[1:]]))
