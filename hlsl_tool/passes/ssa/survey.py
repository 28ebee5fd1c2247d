"""Which variables and parameters of a function can be taken apart into values.

That is where they are only loaded, stored to, and indexed by constants (vectors by anything), themselves or through
access chains, or handed to functions whose parameters can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, INTERPOLATION
from hlsl_tool.spirv.analysis.uses import uses
from hlsl_tool.spirv.ir import Block, Function, Instruction

from .model import LARGEST, Types, Unsuited


def candidates(function: Function, blocks: Iterable[Block], types: Types) -> dict[int, int]:
    """Variable or parameter of the function → its value type, by their types only."""
    found = {}
    for inst in function.parameters:
        if types.storage(inst.type_id) == e.StorageClass.Function and is_suited(types, types.pointee(inst.type_id)):
            found[inst.result_id] = types.pointee(inst.type_id)
    for block in blocks:
        for inst in block.instructions:
            if inst.op == op.OpVariable and is_suited(types, types.pointee(inst.type_id)):
                found[inst.result_id] = types.pointee(inst.type_id)
    return found


def is_suited(types: Types, type_id: int) -> bool:
    """No objects without values, such as ray queries, and not too large."""
    opcode = types.definitions[type_id].op
    if opcode in (op.OpTypeRayQueryKHR, op.OpTypeHitObjectNV, op.OpTypeRuntimeArray):
        return False
    kids = types.kids(type_id)
    if kids is None:
        return opcode != op.OpTypeArray
    return (types.leaves(type_id) <= LARGEST or types.holds_handles(type_id)) and all(
        is_suited(types, kid) for kid in set(kids)
    )


def kept_in_memory(
    blocks: Iterable[Block], roots: Mapping[int, int], types: Types, in_memory: Mapping[int, frozenset[int]]
) -> set[int]:
    """Those of the roots that cannot be taken apart.

    ``roots``: variable or parameter → type.  ``in_memory``: function → positions of the parameters that it needs in
    memory.
    """
    at: dict[int, tuple[int, int]] = {number: (number, type_id) for number, type_id in roots.items()}
    """Pointer → (root, type there)."""
    refused: set[int] = set()
    for block in blocks:
        for inst in block.instructions:
            opcode, operands = inst.op, inst.operands
            if opcode == op.OpLoad:
                if len(operands) > 1 and operands[0] in at and inst.id(1) & e.MemoryAccess.Volatile:
                    refused.add(at[inst.id(0)][0])
            elif opcode == op.OpStore:
                if operands[1] in at:
                    refused.add(at[inst.id(1)][0])
                if len(operands) > 2 and operands[0] in at and inst.id(2) & e.MemoryAccess.Volatile:
                    refused.add(at[inst.id(0)][0])
            elif opcode in ACCESS_CHAINS:
                place = at.get(inst.id(0))
                if place is not None:
                    there = _at_chain(inst, place[1], types)
                    if there is None:
                        refused.add(place[0])
                    else:
                        at[inst.result_id] = (place[0], there)
            elif opcode == op.OpImageTexelPointer:
                continue  # of a handle that was loaded: where from is found out in the end
            elif opcode == op.OpFunctionCall:
                wanted = in_memory.get(inst.id(0), frozenset())
                handed = [at[x][0] for x in inst.ints()[1:] if x in at]
                refused.update(root for root in handed if handed.count(root) > 1)  # they may be the same memory
                refused.update(at[x][0] for n, x in enumerate(inst.ints()[1:]) if n in wanted and x in at)
            elif opcode == op.OpExtInst and operands[1] in INTERPOLATION:
                raise Unsuited("interpolation")
            elif opcode != op.OpVariable:
                for operand in operands:
                    if operand in at and uses(inst, (operand,)):
                        refused.add(at[operand][0])
    return refused


def _at_chain(inst: Instruction, type_id: int, types: Types) -> int | None:
    """The type at the end of a chain; none where it is not known which part that is."""
    indices = inst.ints()[1:]
    for n, index in enumerate(indices):
        value = types.constant(index)
        kids = types.kids(type_id)
        if kids is not None:
            if value is None or value >= len(kids):
                return None
            type_id = kids[value]
            continue
        shape = types.definitions[type_id]
        if shape.op == op.OpTypeMatrix:
            if value is None or value >= shape.id(1):
                return None
        elif shape.op != op.OpTypeVector or n + 1 < len(indices) or (value is not None and value >= shape.id(1)):
            return None
        type_id = shape.id(0)
    return type_id
