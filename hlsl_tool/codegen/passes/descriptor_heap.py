"""Access ``ResourceDescriptorHeap`` and ``SamplerDescriptorHeap`` by SPV_EXT_descriptor_heap.

Before: each resource type taken from a heap is an unbounded array of descriptors, in the set ``RESOURCE_HEAP_SET`` or
``SAMPLER_HEAP_SET``; access chains select a descriptor, and continue into a buffer. After: there is one untyped
variable for each heap. Access chains interpret it as an array of one kind of descriptors; those of buffers are followed
by ``OpBufferPointerEXT``, which returns a pointer to the contents, and texel pointers are untyped. The distance between
descriptors is given by the caller, or else is the size of the largest descriptor in the heap, so that an index selects
the same descriptor whatever its type, as in HLSL.

All code that runs before this pass, old optimisers included, sees descriptors as without the extension.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import BuiltIn, Capability, Decoration, Dim, StorageClass
from hlsl_tool.spirv.heaps import CAPABILITY_EXTENSIONS, RESOURCE_HEAP_SET, SAMPLER_HEAP_SET
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

_HEAPS = {RESOURCE_HEAP_SET: "resource_heap", SAMPLER_HEAP_SET: "sampler_heap"}
_BUILT_INS = {"resource_heap": BuiltIn.ResourceHeapEXT, "sampler_heap": BuiltIn.SamplerHeapEXT}
_RAY_CAPABILITIES = frozenset((Capability.RayQueryKHR, Capability.RayTracingKHR))
_INDEXING = frozenset(
    (
        Capability.ShaderNonUniform,
        Capability.RuntimeDescriptorArray,
        *range(
            Capability.InputAttachmentArrayDynamicIndexing, Capability.StorageTexelBufferArrayNonUniformIndexing + 1
        ),
    )
)
"""Capabilities of SPV_EXT_descriptor_indexing."""
_TRANSFERRED = (Decoration.Coherent, Decoration.Volatile, Decoration.NonWritable, Decoration.NonReadable)
"""Decorations of an array of buffers that the pointers to its buffers have, too."""


def has_heaps(module: Module) -> bool:
    """Return whether a module has arrays of descriptors that represent heaps."""
    return any(
        inst.op == op.OpDecorate and inst.operands[1] == Decoration.DescriptorSet and inst.operands[2] in _HEAPS
        for inst in module.annotations
    )


def use_descriptor_heaps(module: Module, *, resource_stride: int = 0, sampler_stride: int = 0) -> None:
    """Replace the arrays of descriptors by heaps, in place.

    The strides are distances between descriptors in bytes; 0 means the size of the largest descriptor.
    """
    _Heaps(module, {"resource_heap": resource_stride, "sampler_heap": sampler_stride}).run()


@dataclass(slots=True)
class _Array:
    """An array of descriptors that represents a heap for one resource type."""

    heap: str
    element: Instruction
    """The type of the descriptors: an image, a sampler, an acceleration structure, or the struct of a buffer."""
    storage: int
    decorations: tuple[int, ...]

    @property
    def is_buffer(self) -> bool:
        """Return whether the descriptors are for buffers."""
        return self.element.op == op.OpTypeStruct


class _Heaps:
    """Rewrites the heap accesses of one module."""

    def __init__(self, module: Module, strides: dict[str, int]) -> None:
        self.module = module
        self.strides = strides
        self.definitions = module.definitions()
        self.added: list[Instruction] = []
        """New types, constants and variables; each follows those that it uses."""
        self.annotations: list[Instruction] = []
        self.cache: dict[tuple[Operand, ...], int] = {}
        self.heaps: dict[str, int] = {}
        """Name → the variable of the heap."""
        self.names: list[Instruction] = []
        self.arrays = self._find()
        self.suspects: set[int] = set()
        """Types that may be unused in the end."""

    def _find(self) -> dict[int, _Array]:
        """Return a mapping from variables that represent heaps to their arrays of descriptors."""
        sets: dict[int, str] = {}
        decorations: dict[int, list[int]] = {}
        for inst in self.module.annotations:
            if inst.op == op.OpDecorate:
                decorations.setdefault(inst.id(0), []).append(inst.id(1))
                if inst.operands[1] == Decoration.DescriptorSet and inst.operands[2] in _HEAPS:
                    sets[inst.id(0)] = _HEAPS[inst.id(2)]
        arrays = {}
        for number, heap in sets.items():
            variable = self.definitions[number]
            array = self.definitions[self.definitions[variable.type_id].id(1)]
            element = self.definitions[array.id(0)]
            arrays[number] = _Array(heap, element, variable.id(0), tuple(decorations[number]))
        return arrays

    def run(self) -> None:
        """Rewrite the heap accesses of the module and its declarations."""
        for function in self.module.functions:
            self._function(function)
        self._interfaces()
        self._globals()
        self._capabilities()

    # ---- instructions

    def _function(self, function: Function) -> None:
        marked = {
            inst.id(0)
            for inst in self.module.annotations
            if inst.op == op.OpDecorate and inst.operands[1] == Decoration.NonUniform
        }
        images: dict[int, int] = {}
        for block in function.blocks:
            self._block(block, marked, images)

    def _block(self, block: Block, marked: set[int], images: dict[int, int]) -> None:
        """Rewrite the heap accesses in a block.

        ``marked`` are the NonUniform ids; ``images`` maps pointers to images from a heap to the image type.
        """
        out: list[Instruction] = []
        pointers: dict[tuple[int, int], int] = {}
        for inst in block.instructions:
            if inst.op in ACCESS_CHAINS and inst.id(0) in self.arrays:
                self._chain(inst, out, marked, images, pointers)
                continue
            if inst.op == op.OpImageTexelPointer and inst.id(0) in images:
                inst.op = op.OpUntypedImageTexelPointerEXT
                inst.type_id = self._untyped(StorageClass.Image)
                inst.operands = [images[inst.id(0)], *inst.operands]
            elif any(x in self.arrays for x in used_ids(inst)):
                raise InternalError(f"a descriptor heap is used by {inst.op}, other than by an index")
            out.append(inst)
        block.instructions[:] = out

    def _chain(
        self,
        inst: Instruction,
        out: list[Instruction],
        marked: set[int],
        images: dict[int, int],
        pointers: dict[tuple[int, int], int],
    ) -> None:
        """Rewrite an access chain into a heap's array, and append the new instructions to ``out``.

        For an image or sampler, the result is an access chain to the descriptor. For a buffer, it is an access chain to
        the descriptor, ``OpBufferPointerEXT``, and an access chain into the contents. ``marked`` are the NonUniform
        ids, ``images`` maps pointers to images to the image types, and ``pointers`` maps (array, index) to the pointers
        to contents in this block.
        """
        array, (variable, index, *rest) = self.arrays[inst.id(0)], inst.ints()
        is_marked = inst.result_id in marked
        if not array.is_buffer:
            self.suspects.add(inst.type_id)
            out.append(self._descriptor(array, index, inst.result_id, inst))
            images[inst.result_id] = array.element.result_id
            return
        known = pointers.get((variable, index))
        if known is None or not rest:
            descriptor = self._descriptor(array, index, self.module.take_id(), inst)
            known = self.module.take_id() if rest else inst.result_id
            pointer = self._pointer(array.storage, array.element.result_id)
            contents = Instruction(op.OpBufferPointerEXT, pointer, known, [descriptor.result_id], inst.line)
            out += (descriptor, contents)
            pointers[variable, index] = known
            if is_marked:
                marks = {descriptor.result_id, known} - marked
                self.annotations += [_decoration(number, Decoration.NonUniform) for number in sorted(marks)]
            self._decorate(array, known)
        if rest:
            inst.operands = [known, *rest]
            out.append(inst)

    def _descriptor(self, array: _Array, index: int, result: int, at: Instruction) -> Instruction:
        """Return the access chain that selects a descriptor."""
        operands: list[Operand] = [self._descriptors(array), self._heap(array.heap), index]
        return Instruction(
            op.OpUntypedAccessChainKHR, self._untyped(StorageClass.UniformConstant), result, operands, at.line
        )

    def _decorate(self, array: _Array, contents: int) -> None:
        """Copy the array's decorations to a pointer to a buffer's contents, and add ``Aliased``."""
        decorations = [decoration for decoration in _TRANSFERRED if decoration in array.decorations]
        if array.storage == StorageClass.StorageBuffer:
            decorations.append(Decoration.Aliased)
        self.annotations += [_decoration(contents, decoration) for decoration in decorations]

    # ---- declarations

    def _new(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """Return the id of a new type, constant or variable with this content; declare it at the first request."""
        key = (opcode, type_id, *operands)
        if key not in self.cache:
            number = self.cache[key] = self.module.take_id()
            self.added.append(Instruction(opcode, type_id, number, list(operands)))
        return self.cache[key]

    def _existing(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """Return the id of an equal type or constant in the module; declare a new one if there is none."""
        for inst in self.module.globals:
            if (inst.op, inst.type_id, tuple(inst.operands)) == (opcode, type_id, operands):
                return inst.result_id
        return self._new(opcode, type_id, *operands)

    def _untyped(self, storage: int) -> int:
        return self._new(op.OpTypeUntypedPointerKHR, 0, storage)

    def _pointer(self, storage: int, pointee: int) -> int:
        return self._existing(op.OpTypePointer, 0, storage, pointee)

    def _uint(self) -> int:
        return self._existing(op.OpTypeInt, 0, 32, 0)

    def _heap(self, name: str) -> int:
        if name not in self.heaps:
            pointer = self._untyped(StorageClass.UniformConstant)
            number = self.heaps[name] = self.module.take_id()
            self.added.append(Instruction(op.OpUntypedVariableKHR, pointer, number, [StorageClass.UniformConstant]))
            self.names.append(Instruction(op.OpName, 0, 0, [number, name]))
            self.annotations.append(_decoration(number, Decoration.BuiltIn, _BUILT_INS[name]))
        return self.heaps[name]

    def _descriptors(self, array: _Array) -> int:
        """Return the id of the type of an array of descriptors, with its stride."""
        element = array.element.result_id
        if array.is_buffer:
            element = self._new(op.OpTypeBufferEXT, 0, array.storage)
        key: tuple[Operand, ...] = ("array", array.heap, element)
        if key not in self.cache:
            stride = self.strides[array.heap]
            size = 0 if stride else self._stride(array)
            number = self.cache[key] = self.module.take_id()
            self.added.append(Instruction(op.OpTypeRuntimeArray, 0, number, [element]))
            if stride:
                self.annotations.append(_decoration(number, Decoration.ArrayStride, stride))
            else:
                operands: list[Operand] = [number, Decoration.ArrayStrideIdEXT, size]
                self.annotations.append(Instruction(op.OpDecorateId, 0, 0, operands))
        return self.cache[key]

    def _stride(self, array: _Array) -> int:
        """Return the id of the constant for the distance between a heap's descriptors."""
        if array.heap == "sampler_heap":
            return self._size(array.element.result_id)
        f32 = self._existing(op.OpTypeFloat, 0, 32)
        image = self._existing(op.OpTypeImage, 0, f32, Dim.Dim2D, 2, 0, 0, 1, 0)
        size = self._larger(self._size(image), self._size(self._new(op.OpTypeBufferEXT, 0, StorageClass.StorageBuffer)))
        if any(inst.operands[0] in _RAY_CAPABILITIES for inst in self.module.capabilities):
            size = self._larger(size, self._size(self._existing(op.OpTypeAccelerationStructureKHR, 0)))
        return size

    def _size(self, descriptor: int) -> int:
        return self._new(op.OpConstantSizeOfEXT, self._uint(), descriptor)

    def _larger(self, a: int, b: int) -> int:
        is_larger = self._new(op.OpSpecConstantOp, self._existing(op.OpTypeBool, 0), op.OpUGreaterThan, a, b)
        return self._new(op.OpSpecConstantOp, self._uint(), op.OpSelect, is_larger, a, b)

    # ---- sections of the module

    def _interfaces(self) -> None:
        """Replace the arrays by the heaps in the interfaces of entry points."""
        for entry in self.module.entry_points:
            interface: dict[Operand, None] = {}
            for variable in entry.operands[3:]:
                array = self.arrays.get(variable) if isinstance(variable, int) else None
                interface[variable if array is None else self._heap(array.heap)] = None
            entry.operands[3:] = interface

    def _globals(self) -> None:
        """Remove the arrays and the types that only they used, and add the new declarations."""
        module = self.module
        gone = set(self.arrays)
        module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone] + self.annotations
        module.globals = [inst for inst in module.globals if inst.result_id not in gone] + self.added
        module.names = [inst for inst in module.names if inst.operands[0] not in gone] + self.names
        pointers = {self.definitions[number].type_id for number in self.arrays}
        suspects = self.suspects | pointers | {self.definitions[number].id(1) for number in pointers}
        while unused := suspects - self._used():
            suspects -= unused
            module.globals = [inst for inst in module.globals if inst.result_id not in unused]
            module.names = [inst for inst in module.names if inst.operands[0] not in unused]
            module.annotations = [inst for inst in module.annotations if inst.operands[0] not in unused]

    def _used(self) -> set[int]:
        """Return the ids that module-level declarations and functions use."""
        used: set[int] = set()
        for inst in self.module.globals:
            used.update((inst.type_id, *used_ids(inst)))
        for function in self.module.functions:
            for inst in (*function.parameters, *function.instructions()):
                used.update((inst.type_id, *used_ids(inst)))
        return used

    def _capabilities(self) -> None:
        """Declare the extension, and remove the capability of unbounded arrays if no other uses it."""
        module = self.module
        has_arrays = any(inst.op == op.OpTypeRuntimeArray and self._is_of_descriptors(inst) for inst in module.globals)
        if not has_arrays:
            runtime = Capability.RuntimeDescriptorArray
            module.capabilities = [inst for inst in module.capabilities if inst.operands[0] != runtime]
        if not any(inst.operands[0] in _INDEXING for inst in module.capabilities):
            name = "SPV_EXT_descriptor_indexing"
            module.extensions = [inst for inst in module.extensions if inst.text(0) != name]
        module.capabilities.insert(0, Instruction(op.OpCapability, 0, 0, [Capability.DescriptorHeapEXT]))
        present = {inst.text(0) for inst in module.extensions}
        module.extensions += [
            Instruction(op.OpExtension, 0, 0, [name]) for name in CAPABILITY_EXTENSIONS if name not in present
        ]

    def _is_of_descriptors(self, array: Instruction) -> bool:
        """Return whether an unbounded array contains descriptors and does not represent a heap."""
        if array.result_id in self.cache.values():
            return False
        element = self.definitions.get(array.id(0))
        if element is None or element.op == op.OpTypeStruct:
            blocks = (Decoration.Block, Decoration.BufferBlock)
            return any(
                inst.op == op.OpDecorate and inst.operands[0] == array.operands[0] and inst.operands[1] in blocks
                for inst in self.module.annotations
            )
        return element.op in (
            op.OpTypeImage,
            op.OpTypeSampler,
            op.OpTypeSampledImage,
            op.OpTypeAccelerationStructureKHR,
        )


def _decoration(*operands: Operand) -> Instruction:
    return Instruction(op.OpDecorate, 0, 0, list(operands))
