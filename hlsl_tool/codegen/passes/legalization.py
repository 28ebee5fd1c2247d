"""Determine whether a module needs legalisation before it is valid for Vulkan.

The lowering records most causes (``ModuleBuilder.needs_legalization``); these functions examine the module itself, and
so also work on the output of -fcgl. The module is not changed.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ARRAYS, OPAQUE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import ImageOperands, StorageClass
from hlsl_tool.spirv.ir import Instruction, Module

_LOCAL = (StorageClass.Function, StorageClass.Private)
_FIRST_OPERAND = frozenset((op.OpImageFetch, op.OpImageRead, op.OpImageSampleImplicitLod, op.OpImageSampleExplicitLod))
_THIRD_OPERAND = frozenset(
    (op.OpImageGather, op.OpImageDrefGather, op.OpImageSampleDrefImplicitLod, op.OpImageSampleDrefExplicitLod)
)


def needs_legalization(module: Module, index: ModuleIndex | None = None, *, critical_sections: bool = True) -> bool:
    """Return whether spirv-opt's legalisation would change the module.

    It would if a variable contains an image, a sampler or a pointer, or a struct or array of them; if a resource is a
    struct of resources; if an image instruction's offset must be constant but is not; and, unless ``critical_sections``
    is false, if there are critical sections for rasterizer ordered views, which must be merged.
    """
    index = index or ModuleIndex(module)
    if critical_sections and op.OpBeginInvocationInterlockEXT in index.by_opcode:
        return True
    search = _Search(index)
    variables = [inst for inst in module.globals if inst.op == op.OpVariable]
    if any(search.is_illegal(inst) for inst in (*variables, *index.with_opcodes((op.OpVariable,)))):
        return True
    constants = {inst.result_id for inst in module.globals if inst.type_id and inst.op != op.OpVariable}
    return any(_has_variable_offset(inst, constants) for inst in index.with_opcodes(_FIRST_OPERAND | _THIRD_OPERAND))


class _Search:
    """Queries about the variables and types of one module."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self._holds_opaque: dict[int, bool] = {}

    def is_illegal(self, variable: Instruction) -> bool:
        """Return whether Vulkan forbids a variable because of its type."""
        definitions = self.index.definitions
        pointer = definitions.get(variable.type_id)
        if pointer is None or pointer.op != op.OpTypePointer:
            return False
        if variable.id(0) in _LOCAL:
            return self.holds_opaque(pointer.id(1))
        pointee = definitions.get(pointer.id(1))
        if pointee is None:
            return False
        pointee = self.index.without_arrays(pointee)
        return pointee.op == op.OpTypeStruct and self.holds_opaque(pointee.result_id)

    def holds_opaque(self, type_id: int) -> bool:
        """Return whether a value of a type contains a resource or a logical pointer."""
        holds = self._holds_opaque.get(type_id)
        if holds is None:
            self._holds_opaque[type_id] = False  # a type that contains itself does so through a pointer
            inst = self.index.definitions.get(type_id)
            holds = self._holds_opaque[type_id] = inst is not None and self._is_opaque(inst)
        return holds

    def _is_opaque(self, inst: Instruction) -> bool:
        if inst.op in OPAQUE:
            return True
        if inst.op == op.OpTypePointer:
            return inst.id(0) != StorageClass.PhysicalStorageBuffer
        if inst.op == op.OpTypeStruct:
            return any(self.holds_opaque(member) for member in inst.ints())
        return inst.op in ARRAYS and self.holds_opaque(inst.id(0))


def has_structs_of_handles(module: Module) -> bool:
    """Return whether a struct type has a resource as a member; no variable of such a type may remain."""
    handles = {inst.result_id for inst in module.globals if inst.op in OPAQUE}
    return any(inst.op == op.OpTypeStruct and not handles.isdisjoint(inst.operands) for inst in module.globals)


def _has_variable_offset(inst: Instruction, constants: set[int]) -> bool:
    """Return whether ConstOffset or ConstOffsets has an operand that is not a constant."""
    at = 2 if inst.op in _FIRST_OPERAND else 3
    if len(inst.operands) <= at:
        return False
    bits = ImageOperands
    mask = inst.id(at)
    place = at + 1
    for bit, size in ((bits.Bias, 1), (bits.Lod, 1), (bits.Grad, 2), (bits.ConstOffset, 1), (bits.Offset, 1)):
        if bit == bits.ConstOffset and mask & bit:
            return inst.id(place) not in constants
        if mask & bit:
            place += size
    return bool(mask & bits.ConstOffsets) and inst.id(place) not in constants
