"""Does a module need legalisation before it is valid for Vulkan?

The lowering knows most of it (``ModuleBuilder.needs_legalization``) and says so; this looks for what can be seen in any
module, the output of -fcgl included.  Nothing is changed.
"""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ARRAYS, OPAQUE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Instruction, Module

_LOCAL = (e.StorageClass.Function, e.StorageClass.Private)
_FIRST_OPERAND = frozenset((op.OpImageFetch, op.OpImageRead, op.OpImageSampleImplicitLod, op.OpImageSampleExplicitLod))
_THIRD_OPERAND = frozenset(
    (op.OpImageGather, op.OpImageDrefGather, op.OpImageSampleDrefImplicitLod, op.OpImageSampleDrefExplicitLod)
)


def needs_legalization(module: Module, *, critical_sections: bool = True) -> bool:
    """Whether spirv-opt's legalisation has something to do.

    That is where a variable holds an image, a sampler or a pointer, or a struct or array of them; where a resource is
    a struct of resources; where an offset of an image instruction that must be constant is not; and where there are
    critical sections for rasterizer ordered views, which are to be joined; not so with ``critical_sections`` false.
    """
    index = ModuleIndex(module)
    memo: dict[int, bool] = {}

    def holds_opaque(type_id: int) -> bool:
        """Whether a value of the type holds a resource or a logical pointer."""
        known = memo.get(type_id)
        if known is not None:
            return known
        memo[type_id] = False  # a type that contains itself does so behind a pointer
        inst = index.definitions.get(type_id)
        memo[type_id] = found = inst is not None and _opaque(inst)
        return found

    def _opaque(inst: Instruction) -> bool:
        if inst.op in OPAQUE:
            return True
        if inst.op == op.OpTypePointer:
            return inst.id(0) != e.StorageClass.PhysicalStorageBuffer
        if inst.op == op.OpTypeStruct:
            return any(holds_opaque(member) for member in inst.ints())
        if inst.op in ARRAYS:
            return holds_opaque(inst.id(0))
        return False

    def illegal_variable(inst: Instruction) -> bool:
        pointer = index.definitions.get(inst.type_id)
        if pointer is None or pointer.op != op.OpTypePointer:
            return False
        if inst.id(0) in _LOCAL:
            return holds_opaque(pointer.id(1))
        pointee = index.definitions.get(pointer.id(1))
        if pointee is None:
            return False
        pointee = index.without_arrays(pointee)
        return pointee.op == op.OpTypeStruct and holds_opaque(pointee.result_id)

    constants = {inst.result_id for inst in module.globals if inst.type_id and inst.op != op.OpVariable}
    for inst in module.globals:
        if inst.op == op.OpVariable and illegal_variable(inst):
            return True
    for function in module.functions:
        for inst in function.instructions():
            if inst.op == op.OpVariable:
                if illegal_variable(inst):
                    return True
            elif (critical_sections and inst.op == op.OpBeginInvocationInterlockEXT) or _variable_offset(
                inst, constants
            ):
                return True
    return False


def has_structs_of_handles(module: Module) -> bool:
    """Whether a structure has a resource as a member: no variable of it may be left."""
    handles = {inst.result_id for inst in module.globals if inst.op in OPAQUE}
    return any(inst.op == op.OpTypeStruct and not handles.isdisjoint(inst.operands) for inst in module.globals)


def _variable_offset(inst: Instruction, constants: set[int]) -> bool:
    """Whether ConstOffset or ConstOffsets is given something that is no constant."""
    if inst.op in _FIRST_OPERAND:
        at = 2
    elif inst.op in _THIRD_OPERAND:
        at = 3
    else:
        return False
    if len(inst.operands) <= at:
        return False
    bits = e.ImageOperands
    mask = inst.id(at)
    place = at + 1
    for bit, size in ((bits.Bias, 1), (bits.Lod, 1), (bits.Grad, 2), (bits.ConstOffset, 1), (bits.Offset, 1)):
        if bit == bits.ConstOffset and mask & bit:
            return inst.id(place) not in constants
        if mask & bit:
            place += size
    return bool(mask & bits.ConstOffsets) and inst.id(place) not in constants
