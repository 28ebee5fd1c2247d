"""Descriptor heaps of SPV_EXT_descriptor_heap: the kinds of descriptors that a module accesses, and their stride."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.reflection.reflection import DescriptorHeap, HeapDescriptor
from hlsl_tool.reflection.spirv_types import TypeReader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .resources import access_of, hlsl_access, kind_of

_BUILT_INS = (BuiltIn.ResourceHeapEXT, BuiltIn.SamplerHeapEXT)
_SIZES = {
    op.OpTypeImage: "image",
    op.OpTypeBufferEXT: "buffer",
    op.OpTypeSampler: "sampler",
    op.OpTypeAccelerationStructureKHR: "acceleration_structure",
}


def descriptor_heaps(module: Module, types: TypeReader) -> list[DescriptorHeap]:
    """Return the heaps of a module in the order of their first use, each with its distinct kinds of descriptors."""
    heaps: dict[int, DescriptorHeap] = {}
    for inst in module.globals:
        builtin = types.decoration(inst.result_id, Decoration.BuiltIn) if inst.op == op.OpUntypedVariableKHR else None
        if builtin in _BUILT_INS:
            name = types.names.get(inst.result_id, "")
            heaps[inst.result_id] = DescriptorHeap(name, enum_name("BuiltIn", builtin) or "")
    if not heaps:
        return []
    for entry in module.entry_points:
        for variable in entry.operands[3:]:
            if isinstance(variable, int) and variable in heaps:
                heaps[variable].used_by.append(entry.text(2))
    for function in module.functions:
        _Reader(types, heaps, list(function.instructions())).run()
    return list(heaps.values())


class _Reader:
    """Collects the descriptors that one function accesses in descriptor heaps."""

    def __init__(self, types: TypeReader, heaps: dict[int, DescriptorHeap], instructions: list[Instruction]) -> None:
        self.types = types
        self.heaps = heaps
        self.instructions = instructions
        self.descriptors: dict[int, tuple[DescriptorHeap, Instruction]] = {}
        """Pointer to a descriptor → (its heap, the type of the descriptor)."""

    def run(self) -> None:
        """Find the instructions of the function that access heaps, and add their kinds of descriptors to the heaps."""
        definitions = self.types.definitions
        chains = (op.OpUntypedAccessChainKHR, op.OpUntypedInBoundsAccessChainKHR)
        for inst in self.instructions:
            if inst.op in chains and inst.id(1) in self.heaps:
                heap, array = self.heaps[inst.id(1)], definitions[inst.id(0)]
                element = definitions[array.id(0)] if array.op in _ARRAYS else array
                self.descriptors[inst.result_id] = heap, element
                self._stride(heap, array)
                if element.op != op.OpTypeBufferEXT:
                    self._add(heap, inst.result_id, StorageClass.UniformConstant, element)
            elif inst.op == op.OpBufferPointerEXT and inst.id(0) in self.descriptors:
                self._buffer(inst)

    def _buffer(self, inst: Instruction) -> None:
        """Add the buffer descriptor that an ``OpBufferPointerEXT`` accesses, with the type of the buffer's contents.

        For an untyped pointer, the type is that of the access chains on it.
        """
        heap, _ = self.descriptors[inst.id(0)]
        pointer = self.types.definitions[inst.type_id]
        if pointer.op == op.OpTypePointer:
            contents: Iterable[int] = [pointer.id(1)]
        else:
            behind = (i for i in self.instructions if i.op == op.OpUntypedAccessChainKHR)
            contents = [i.id(0) for i in behind if i.id(1) == inst.result_id]
        for number in contents:
            self._add(heap, inst.result_id, pointer.id(0), self.types.definitions[number])

    def _add(self, heap: DescriptorHeap, number: int, storage: int, inner: Instruction) -> None:
        kind = kind_of(self.types, storage, inner)
        descriptor = HeapDescriptor(
            kind,
            self.types.type(inner.result_id),
            access_of(self.types, kind, number, inner),
            hlsl_access(self.types, storage, number, inner),
        )
        if descriptor not in heap.descriptors:
            heap.descriptors.append(descriptor)

    def _stride(self, heap: DescriptorHeap, array: Instruction) -> None:
        literal = self.types.decoration(array.result_id, Decoration.ArrayStride)
        constant = self.types.decoration(array.result_id, Decoration.ArrayStrideIdEXT)
        if literal is not None:
            heap.stride = literal
        elif constant is not None:
            for size in self._sizes(constant):
                if size not in heap.stride_of_largest:
                    heap.stride_of_largest.append(size)

    def _sizes(self, number: int) -> list[str]:
        """Return kinds of descriptors, from the constant with the id ``number`` that is the stride of a heap.

        The stride is the size of the largest of these kinds.
        """
        inst = self.types.definitions[number]
        if inst.op == op.OpConstantSizeOfEXT:
            return [_SIZES.get(self.types.definitions[inst.id(0)].op, "other")]
        if inst.op == op.OpSpecConstantOp and inst.operands[0] == op.OpSelect:
            return [size for operand in inst.ints()[2:4] for size in self._sizes(operand)]
        return []


_ARRAYS = (op.OpTypeArray, op.OpTypeRuntimeArray)
