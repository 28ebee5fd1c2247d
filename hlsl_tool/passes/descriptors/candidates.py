"""Which variables are arrays or structures of resources, and how many bindings their parts take."""

from __future__ import annotations

from hlsl_tool.passes.type_table import TypeTable
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction


def is_descriptor_array(variable: Instruction, table: TypeTable) -> bool:
    """Whether a variable is a bound array of known length."""
    return _pointee(variable, table).op == op.OpTypeArray and _is_bound(variable, table)


def is_descriptor_struct(variable: Instruction, table: TypeTable) -> bool:
    """Whether a variable is a bound structure of resources, or an array of such structures."""
    inst = _pointee(variable, table)
    while inst.op == op.OpTypeArray:
        inst = table.definitions[inst.id(0)]
    return inst.op == op.OpTypeStruct and not is_buffer(inst, table) and _is_bound(variable, table)


def is_buffer(struct: Instruction, table: TypeTable) -> bool:
    """Whether a structure is the contents of a buffer: those have offsets, structures of resources do not."""
    return any(inst.id(2) == e.Decoration.Offset for inst in table.members.get(struct.result_id, ()))


def bindings_of(type_id: int, table: TypeTable) -> int:
    """How many bindings something of a type takes."""
    inst = table.definitions[type_id]
    if inst.op == op.OpTypeArray:
        return length(inst, table) * bindings_of(inst.id(0), table)
    if inst.op == op.OpTypeStruct and not is_buffer(inst, table):
        return sum(bindings_of(member, table) for member in inst.ints())
    return 1


def length_of(variable: Instruction, table: TypeTable) -> int:
    """How many elements or members a variable has."""
    inst = _pointee(variable, table)
    return length(inst, table) if inst.op == op.OpTypeArray else len(inst.operands)


def length(array: Instruction, table: TypeTable) -> int:
    """The length of an array; one that a specialisation constant gives counts with its default."""
    value = table.constant(array.id(1))
    assert value is not None
    return value


def _pointee(variable: Instruction, table: TypeTable) -> Instruction:
    return table.definitions[table.definitions[variable.type_id].id(1)]


def _is_bound(variable: Instruction, table: TypeTable) -> bool:
    number = variable.result_id
    return table.has_decoration(number, e.Decoration.DescriptorSet) and table.has_decoration(
        number, e.Decoration.Binding
    )
