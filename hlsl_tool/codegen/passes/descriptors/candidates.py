"""Classify variables that are arrays or structs of resources, and count the bindings that their elements need."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction


def is_descriptor_array(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable has a binding and is an array of constant length."""
    return index.pointee(variable).op == op.OpTypeArray and _is_bound(variable, index)


def is_descriptor_struct(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable has a binding and is a struct of resources, or an array of such structs."""
    inst = index.pointee(variable)
    while inst.op == op.OpTypeArray:
        inst = index.definitions[inst.id(0)]
    return inst.op == op.OpTypeStruct and not is_buffer(inst, index) and _is_bound(variable, index)


def is_buffer(struct: Instruction, index: ModuleIndex) -> bool:
    """Return whether a struct is a buffer's contents: then, unlike a struct of resources, it has offsets."""
    return any(inst.id(2) == Decoration.Offset for inst in index.member_annotations.get(struct.result_id, ()))


def bindings_of(type_id: int, index: ModuleIndex) -> int:
    """Return the number of bindings that a variable of this type needs: one for each resource in it."""
    inst = index.definitions[type_id]
    if inst.op == op.OpTypeArray:
        return length(inst, index) * bindings_of(inst.id(0), index)
    if inst.op == op.OpTypeStruct and not is_buffer(inst, index):
        return sum(bindings_of(member, index) for member in inst.ints())
    return 1


def length_of(variable: Instruction, index: ModuleIndex) -> int:
    """Return the number of elements of a variable's array type, or of members of its struct type."""
    inst = index.pointee(variable)
    return length(inst, index) if inst.op == op.OpTypeArray else len(inst.operands)


def length(array: Instruction, index: ModuleIndex) -> int:
    """Return the length of an array; a specialisation constant counts with its default."""
    value = index.default(array.id(1))
    assert value is not None
    return value


def _is_bound(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable has a descriptor set and a binding."""
    number = variable.result_id
    return index.has_decoration(number, Decoration.DescriptorSet) and index.has_decoration(number, Decoration.Binding)
