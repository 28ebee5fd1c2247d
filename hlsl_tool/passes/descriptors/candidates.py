"""Which variables are arrays or structures of resources, and how many bindings their parts take."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Instruction


def is_descriptor_array(variable: Instruction, index: ModuleIndex) -> bool:
    """Whether a variable is a bound array of known length."""
    return index.pointee(variable).op == op.OpTypeArray and _is_bound(variable, index)


def is_descriptor_struct(variable: Instruction, index: ModuleIndex) -> bool:
    """Whether a variable is a bound structure of resources, or an array of such structures."""
    inst = index.pointee(variable)
    while inst.op == op.OpTypeArray:
        inst = index.definitions[inst.id(0)]
    return inst.op == op.OpTypeStruct and not is_buffer(inst, index) and _is_bound(variable, index)


def is_buffer(struct: Instruction, index: ModuleIndex) -> bool:
    """Whether a structure is the contents of a buffer: those have offsets, structures of resources do not."""
    return any(inst.id(2) == e.Decoration.Offset for inst in index.member_annotations.get(struct.result_id, ()))


def bindings_of(type_id: int, index: ModuleIndex) -> int:
    """How many bindings something of a type takes."""
    inst = index.definitions[type_id]
    if inst.op == op.OpTypeArray:
        return length(inst, index) * bindings_of(inst.id(0), index)
    if inst.op == op.OpTypeStruct and not is_buffer(inst, index):
        return sum(bindings_of(member, index) for member in inst.ints())
    return 1


def length_of(variable: Instruction, index: ModuleIndex) -> int:
    """How many elements or members a variable has."""
    inst = index.pointee(variable)
    return length(inst, index) if inst.op == op.OpTypeArray else len(inst.operands)


def length(array: Instruction, index: ModuleIndex) -> int:
    """The length of an array; one that a specialisation constant gives counts with its default."""
    value = index.constant(array.id(1))
    assert value is not None
    return value


def _is_bound(variable: Instruction, index: ModuleIndex) -> bool:
    number = variable.result_id
    return index.has_decoration(number, e.Decoration.DescriptorSet) and index.has_decoration(
        number, e.Decoration.Binding
    )
