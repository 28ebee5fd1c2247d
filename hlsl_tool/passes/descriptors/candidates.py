"""Classify variables that are arrays or structs of resources, and count the bindings of their parts."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction


def is_descriptor_array(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable is a bound array of known length."""
    return index.pointee(variable).op == op.OpTypeArray and _is_bound(variable, index)


def is_descriptor_struct(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable is a bound struct of resources, or an array of such structs."""
    inst = index.pointee(variable)
    while inst.op == op.OpTypeArray:
        inst = index.definitions[inst.id(0)]
    return inst.op == op.OpTypeStruct and not is_buffer(inst, index) and _is_bound(variable, index)


def is_buffer(struct: Instruction, index: ModuleIndex) -> bool:
    """Return whether a struct is the contents of a buffer: it has offsets, and a struct of resources has not."""
    return any(inst.id(2) == Decoration.Offset for inst in index.member_annotations.get(struct.result_id, ()))


def bindings_of(type_id: int, index: ModuleIndex) -> int:
    """Return the number of bindings of a variable of a type."""
    inst = index.definitions[type_id]
    if inst.op == op.OpTypeArray:
        return length(inst, index) * bindings_of(inst.id(0), index)
    if inst.op == op.OpTypeStruct and not is_buffer(inst, index):
        return sum(bindings_of(member, index) for member in inst.ints())
    return 1


def length_of(variable: Instruction, index: ModuleIndex) -> int:
    """Return the number of elements or members of a variable."""
    inst = index.pointee(variable)
    return length(inst, index) if inst.op == op.OpTypeArray else len(inst.operands)


def length(array: Instruction, index: ModuleIndex) -> int:
    """Return the length of an array; a specialisation constant counts with its default."""
    value = index.constant(array.id(1))
    assert value is not None
    return value


def _is_bound(variable: Instruction, index: ModuleIndex) -> bool:
    """Return whether a variable has a descriptor set and a binding."""
    number = variable.result_id
    return index.has_decoration(number, Decoration.DescriptorSet) and index.has_decoration(number, Decoration.Binding)
