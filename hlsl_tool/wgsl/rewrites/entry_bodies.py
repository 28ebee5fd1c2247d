"""Move the body of a function into the entry point that alone calls it.

Compilers of HLSL write an entry point that loads the inputs, calls the source's function and stores the outputs.
Before: ``%main`` calls ``%src.main`` once, in its only block, and no other function does. After: ``%main`` has the
blocks of ``%src.main``, and stores the outputs before each of its returns.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import renamed
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.module.hlsl_names import name_of_hlsl
from hlsl_tool.wgsl.module.usage import WRITING
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View

MAX_COPIES = 200
"""The largest number of instructions that storing the outputs before each return may take."""


def inline_entry_bodies(view: View, functions: list[Function]) -> None:
    """Rewrite entry points in place, and remove the functions whose bodies have moved from ``functions``."""
    calls: dict[int, int] = {}
    for function in functions:
        for inst in function.instructions():
            if inst.op == op.OpFunctionCall:
                calls[inst.id(0)] = calls.get(inst.id(0), 0) + 1
    roots = {inst.id(1) for inst in view.module.entry_points}
    names = {name for _, _, name in view.entry_points()}
    for number in sorted(roots):
        entry = view.functions[number]
        called = [inst for inst in entry.instructions() if inst.op == op.OpFunctionCall]
        bodies = [inst for inst in called if calls[inst.id(0)] == 1 and inst.id(0) not in roots]
        if len(entry.blocks) > 1 or not bodies or bodies[-1] is not called[-1] or number in calls:
            continue
        body = view.functions[bodies[-1].id(0)]
        name = name_of_hlsl(view.names.get(body.id, "").partition("(")[0])
        if name in names and _move(view, entry, body, bodies[-1]):
            functions.remove(body)
            del view.functions[body.id]


def _move(view: View, entry: Function, body: Function, call: Instruction) -> bool:
    """Replace a call by the body of the function; return whether that was done."""
    instructions = entry.blocks[0].instructions
    place = instructions.index(call)
    before, after = instructions[:place], instructions[place + 1 : -1]
    returns = [block for block in body.blocks if block.instructions[-1].op in (op.OpReturn, op.OpReturnValue)]
    if len(after) * len(returns) > MAX_COPIES:
        return False
    _name_inputs(view, before, _changed(view, body, call))
    ids = {parameter.result_id: value for parameter, value in zip(body.parameters, call.ints()[1:], strict=True)}
    ids[body.blocks[0].label] = entry.blocks[0].label
    for parameter, value in zip(body.parameters, call.ints()[1:], strict=True):
        if not view.names.get(value):
            view.names[value] = view.names.get(parameter.result_id, "")
    blocks = [
        Block(ids.get(block.label, block.label), [renamed(inst, ids) for inst in block.instructions])
        for block in body.blocks
    ]
    for block in blocks:
        for inst in block.instructions:
            if inst.result_id:
                view.add(inst)
    first = True
    for block in blocks:
        last = block.instructions[-1]
        if last.op in (op.OpReturn, op.OpReturnValue):
            own = {} if first else {inst.result_id: view.fresh() for inst in after if inst.result_id}
            _end(view, block, after, call, own)
            first = False
    start = blocks[0].instructions
    variables = [inst for inst in (*before, *start) if inst.op == op.OpVariable]
    blocks[0].instructions = [
        *variables,
        *(inst for inst in (*before, *start) if inst.op != op.OpVariable),
    ]
    entry.blocks[:] = blocks
    return True


def _end(view: View, block: Block, after: list[Instruction], call: Instruction, own: dict[int, int]) -> None:
    """Replace the return at the end of a block by the instructions that follow the call.

    ``own`` maps their results to the ids in this copy.
    """
    last = block.instructions.pop()
    if last.op == op.OpReturnValue:
        own[call.result_id] = last.id(0)
    for inst in after:
        copy = renamed(inst, own)
        if copy.result_id:
            view.add(copy)
            if copy.result_id != inst.result_id:
                view.origins[copy.result_id] = view.origins.get(inst.result_id, inst.result_id)
        block.instructions.append(copy)
    block.instructions.append(Instruction(op.OpReturn, 0, 0, []))


def _changed(view: View, body: Function, call: Instruction) -> set[int]:
    """Return the arguments of a call that its function may write to."""
    arguments = {inst.result_id: value for inst, value in zip(body.parameters, call.ints()[1:], strict=True)}
    changed: set[int] = set()
    for inst in body.instructions():
        pointers = inst.ints()[1:] if inst.op == op.OpFunctionCall else [inst.id(0)] if inst.op in WRITING else []
        changed.update(root_of(view, pointer)[0].result_id for pointer in pointers)
    return {value for parameter, value in arguments.items() if parameter in changed}


def _name_inputs(view: View, before: list[Instruction], changed: set[int]) -> None:
    """Give each input the name of the parameter that it is stored in, unless that is a variable in WGSL, too."""
    loads = {inst.result_id: inst.id(0) for inst in before if inst.op == op.OpLoad}
    for inst in before:
        source = view.defs.get(loads.get(inst.id(1), 0)) if inst.op == op.OpStore else None
        if source is None or inst.id(0) in changed or source.op != op.OpVariable or source.id(0) != StorageClass.Input:
            continue
        name = view.names.get(inst.id(0), "")
        if name and list(loads.values()).count(source.result_id) == 1:
            view.names[source.result_id] = name
