"""Pass unsized arrays of resources by reference.

Before: a parameter ``Texture2D textures[]`` is a pointer to a local variable, in which the caller has stored a pointer
to the global array; spirv-opt 2023.1 crashes on that. After: the parameter is a pointer to the global array itself, and
the local variables are removed. The module is not changed if such a variable is written more than once, or never.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, OPAQUE
from hlsl_tool.spirv.analysis.uses import rename
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction, Module


def pass_unsized_arrays_by_reference(module: Module) -> None:
    """Pass unsized arrays of resources as pointers to the global arrays, instead of local copies, in place."""
    definitions = module.definitions()
    arrays = {
        inst.result_id: inst.id(0)
        for inst in module.globals
        if inst.op == op.OpTypeRuntimeArray and definitions[inst.id(0)].op in OPAQUE
    }
    local = {i.result_id: i.id(1) for i in _pointers(module, StorageClass.Function) if i.id(1) in arrays}
    if not local:
        return
    sources = _sources(module, local)
    if sources is None:
        return
    substitutes = {variable: _end(variable, sources) for variable in sources}
    for pointer, array in local.items():
        _retype_chains(module, pointer, arrays[array], sources)
        substitutes.update(_merge(module, pointer, array))
    _substitute(module, substitutes, set(sources))


def _pointers(module: Module, storage: int) -> list[Instruction]:
    return [inst for inst in module.globals if inst.op == op.OpTypePointer and inst.id(0) == storage]


def _sources(module: Module, local: dict[int, int]) -> dict[int, int] | None:
    """Return a mapping from local variables to the pointer stored in each; ``None`` if one has no store or several."""
    stored: dict[int, list[int]] = {}
    for function in module.functions:
        for inst in function.instructions():
            if inst.op == op.OpVariable and inst.type_id in local:
                stored[inst.result_id] = []
            elif inst.op == op.OpStore and inst.id(0) in stored:
                stored[inst.id(0)].append(inst.id(1))
    if any(len(values) != 1 for values in stored.values()):
        return None
    return {variable: values[0] for variable, values in stored.items()}


def _end(variable: int, sources: dict[int, int]) -> int:
    while variable in sources:
        variable = sources[variable]
    return variable


def _retype_chains(module: Module, pointer: int, element: int, variables: dict[int, int]) -> None:
    """Change the type of access chains into local arrays: they become pointers to elements of the global array.

    Local arrays are the parameters of the pointer type ``pointer``, and those of its variables that are in
    ``variables``. ``element`` is the type of their elements.
    """
    retyped = 0
    for function in module.functions:
        bases = {p.result_id for p in function.parameters if p.type_id == pointer}
        for inst in function.instructions():
            if inst.op == op.OpVariable and inst.type_id == pointer and inst.result_id in variables:
                bases.add(inst.result_id)
            elif inst.op in ACCESS_CHAINS and inst.id(0) in bases:
                retyped = retyped or _pointer(module, element)
                inst.type_id = retyped


def _pointer(module: Module, pointee: int) -> int:
    """Return the id of the pointer type to a resource; add the type if it is missing."""
    for inst in _pointers(module, StorageClass.UniformConstant):
        if inst.id(1) == pointee:
            return inst.result_id
    added = Instruction(op.OpTypePointer, 0, module.take_id(), [StorageClass.UniformConstant, pointee])
    at = next(i for i, inst in enumerate(module.globals) if inst.result_id == pointee)
    module.globals.insert(at + 1, added)
    return added.result_id


def _merge(module: Module, pointer: int, array: int) -> dict[int, int]:
    """Change ``pointer``, the type of pointers to a local array, to the type of pointers to the global ``array``.

    Equal types are merged, because a type must not be declared twice: the first declaration stays. Return a mapping
    from removed types to their replacements.
    """
    same = [i for i in _pointers(module, StorageClass.UniformConstant) if i.id(1) == array]
    merged: dict[int, int] = {}
    for inst in module.globals:
        if inst.result_id == pointer:
            inst.operands[0] = int(StorageClass.UniformConstant)
            same.append(inst)
    first = min(same, key=module.globals.index)
    for inst in same:
        if inst is not first:
            merged[inst.result_id] = first.result_id
            module.globals.remove(inst)
    return merged


def _substitute(module: Module, by: dict[int, int], variables: set[int]) -> None:
    def rewrite(inst: Instruction) -> None:
        inst.type_id = by.get(inst.type_id, inst.type_id)
        rename(inst, by)

    for inst in (*module.entry_points, *module.globals):
        rewrite(inst)
    module.names = [inst for inst in module.names if inst.id(0) not in by]
    module.annotations = [inst for inst in module.annotations if inst.id(0) not in by]
    for function in module.functions:
        rewrite(function.definition)
        for inst in function.parameters:
            rewrite(inst)
        for block in function.blocks:
            block.instructions = [
                inst
                for inst in block.instructions
                if inst.result_id not in variables and not (inst.op == op.OpStore and inst.id(0) in variables)
            ]
            for inst in block.instructions:
                rewrite(inst)
