"""Replace variables and pointers by values where that does not change the meaning.

Unoptimised modules pass parameters by pointers to copies, and store every value in a variable.

Before: ``%copy = OpVariable``, ``OpStore %copy %value``, ``OpFunctionCall %f %copy``, and `%f` loads its parameter.
After: ``OpFunctionCall %f %value``. The value of a variable that is assigned once gets the variable's name.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import rename
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Function, Instruction, Operand
from hlsl_tool.wgsl.module.conditions import fold_conditions
from hlsl_tool.wgsl.module.copies import constant_source, replace_copies
from hlsl_tool.wgsl.module.pointers import Local, Locals, Order, Spot
from hlsl_tool.wgsl.module.view import View


def promote(view: View, functions: list[Function]) -> None:
    """Promote variables and parameters of functions, in place; ``functions`` lists callees before callers."""
    for function in functions:
        fold_conditions(view, function)
    scans = {function.id: Locals(view, function) for function in functions}
    if any(scan.known for scan in scans.values()):
        by_value = _by_value(view, functions, scans)
        if by_value:
            for function in functions:
                _load_arguments(view, function, by_value)
            for function in functions:
                _take_values(view, function, by_value)
        for function in functions:
            if by_value or scans[function.id].known:
                _promote_variables(view, function)
    for function in functions:
        replace_copies(view, function)


# ---------------------------------------------------------------------------------------------------------- parameters

Parameter = tuple[int, int]
"""(function, index of a parameter)"""


def _by_value(view: View, functions: list[Function], scans: dict[int, Locals]) -> set[Parameter]:
    """Return the parameters that can become values instead of pointers, as (function id, index of the parameter).

    Either the function only reads the pointee, or every caller passes a copy that it does not read afterwards.
    ``scans`` maps function ids to the uses of their variables.
    """
    shared, private = _arguments(view, functions, scans)
    chosen: set[Parameter] = set()
    for function in functions:
        known = scans[function.id].known
        for index, inst in enumerate(function.parameters):
            local, key = known.get(inst.result_id), (function.id, index)
            if local is None or local.escapes or key in shared:
                continue
            reads = not (local.stores or local.changed or local.computed) and all(
                passed.whole and (passed.spot.inst.id(0), passed.argument) in chosen for passed in local.passed
            )
            if reads or private.get(key):
                chosen.add(key)
    return chosen


def _arguments(
    view: View, functions: list[Function], scans: dict[int, Locals]
) -> tuple[set[Parameter], dict[Parameter, bool]]:
    """Return (parameters that may alias another pointer, parameter → whether every call passes a copy to it).

    A copy is a variable that the caller assigns and uses for this call alone. ``scans`` maps function ids to the uses
    of their variables.
    """
    shared: set[Parameter] = set()
    private: dict[Parameter, bool] = {}
    for function in reversed(functions):  # callers first: what may alias there may alias in callees
        scan = scans[function.id]
        parameters = [inst.result_id for inst in function.parameters]
        aliases = {number for index, number in enumerate(parameters) if (function.id, index) in shared}
        for block in function.blocks:
            for index, inst in enumerate(block.instructions):
                if inst.op != op.OpFunctionCall:
                    continue
                callee, *arguments = inst.ints()
                paths = [scan.path(argument) for argument in arguments]
                roots = [path[0] for path in paths if path is not None]
                for place, path in enumerate(paths):
                    if path is None:
                        if view.is_pointer(view.type_of(arguments[place])):
                            shared.add((callee, place))
                        continue
                    if roots.count(path[0]) > 1 or path[0] in aliases:
                        shared.add((callee, place))
                    is_copy = not path[1] and _is_copy(scan.known[path[0]], Spot(block.label, index, inst))
                    private[callee, place] = private.get((callee, place), True) and is_copy
    return shared, private


def _is_copy(local: Local, call: Spot) -> bool:
    """Return whether a variable's only uses are an assignment before a call, in the same block, and the call."""
    return (
        not (local.is_parameter or local.reads or local.changed or local.escapes)
        and len(local.passed) == 1
        and any(store.block == call.block and store.place < call.place for store in local.stores)
    )


def _load_arguments(view: View, function: Function, by_value: set[Parameter]) -> None:
    """In the calls of a function, load the pointees of arguments that are now passed by value."""
    for block in function.blocks:
        out: list[Instruction] = []
        for inst in block.instructions:
            if inst.op == op.OpFunctionCall:
                callee, *arguments = inst.ints()
                operands: list[Operand] = [callee]
                for place, argument in enumerate(arguments):
                    if (callee, place) in by_value:
                        type_id = view.pointee(view.type_of(argument))
                        out.append(Instruction(op.OpLoad, type_id, view.fresh(), [argument]))
                        argument = view.add(out[-1])
                    operands.append(argument)
                inst.operands = operands
            out.append(inst)
        block.instructions = out


def _take_values(view: View, function: Function, by_value: set[Parameter]) -> None:
    """Copy parameters that have become values to local variables with the old ids."""
    start: list[Instruction] = []
    variables: list[Instruction] = []
    for index, inst in enumerate(function.parameters):
        if (function.id, index) not in by_value:
            continue
        old, type_id = inst.result_id, view.pointee(inst.type_id)
        variables.append(Instruction(op.OpVariable, inst.type_id, old, [StorageClass.Function]))
        view.add(variables[-1])
        parameter = Instruction(op.OpFunctionParameter, type_id, view.fresh(), [])
        function.parameters[index] = parameter
        view.names[view.add(parameter)] = view.names.get(old, "")
        view.origins[parameter.result_id] = view.origins.get(old, old)
        start.append(Instruction(op.OpStore, 0, 0, [old, parameter.result_id]))
    if start:
        instructions = function.blocks[0].instructions
        own = [inst for inst in instructions if inst.op == op.OpVariable]
        others = [inst for inst in instructions if inst.op != op.OpVariable]
        function.blocks[0].instructions = [*variables, *own, *start, *others]


# ----------------------------------------------------------------------------------------------------------- variables


def _promote_variables(view: View, function: Function) -> None:
    """Replace loads of variables that are assigned only once by the assigned value."""
    replace_copies(view, function)
    scan = Locals(view, function)
    order = Order(function)
    values: dict[int, int] = {}
    sources: dict[int, int] = {}
    for number, local in scan.known.items():
        value = _only_value(local)
        if not value or not all(order.before(spot, local.reads) for spot in local.stores):
            continue
        if not local.computed:
            values[number] = value
            _name(view, number, value)
        elif source := constant_source(view, local, value):
            sources[number] = source
    if sources:
        _read_from(function, sources)
    if not values:
        return
    loaded: dict[int, int] = {}
    for block in function.blocks:
        out: list[Instruction] = []
        for inst in block.instructions:
            path = scan.path(inst.id(0)) if inst.op in (op.OpLoad, op.OpStore) else scan.paths.get(inst.result_id)
            number = inst.result_id if inst.op == op.OpVariable else path[0] if path is not None else 0
            if number not in values:
                out.append(inst)
            elif inst.op == op.OpLoad and path is not None:
                if path[1]:
                    words: list[Operand] = [values[number], *path[1]]
                    out.append(Instruction(op.OpCompositeExtract, inst.type_id, inst.result_id, words))
                    view.add(out[-1])
                else:
                    loaded[inst.result_id] = values[number]
        block.instructions = out
    _rename(function, loaded)


def _read_from(function: Function, sources: dict[int, int]) -> None:
    """Redirect accesses to copies of constant memory to that memory itself, and remove the copies."""
    for block in function.blocks:
        kept: list[Instruction] = []
        for inst in block.instructions:
            if inst.op in ACCESS_CHAINS and inst.id(0) in sources:
                inst.operands[0] = sources[inst.id(0)]
            if inst.result_id not in sources and not (inst.op == op.OpStore and inst.id(0) in sources):
                kept.append(inst)
        block.instructions = kept


def _rename(function: Function, loaded: dict[int, int]) -> None:
    """Replace the results of loads by their values, which may be results of other replaced loads."""
    for number, value in loaded.items():
        while value in loaded:
            value = loaded[value]
        loaded[number] = value
    if not loaded:
        return
    for inst in function.instructions():
        if inst.op == op.OpSwitch:
            inst.operands[0] = loaded.get(inst.id(0), inst.id(0))
        else:
            rename(inst, loaded)


def _only_value(local: Local) -> int:
    """Return the only value that a variable ever has; 0 if it has several or none."""
    if local.is_parameter or local.changed or local.escapes or local.passed:
        return 0
    initial = local.definition.ints()[1:]
    if len(local.stores) + len(initial) != 1:
        return 0
    return initial[0] if initial else local.stores[0].inst.id(1)


def _name(view: View, variable: int, value: int) -> None:
    """Give a value the name of the variable that it was stored in, if the value has no name."""
    inst = view.defs[value]
    if inst.op != op.OpFunctionParameter and not view.names.get(value) and inst.op not in CONSTANTS:
        view.names[value] = view.names.get(variable, "")


CONSTANTS = frozenset((*range(op.OpConstantTrue, op.OpConstantNull + 1), op.OpUndef))
