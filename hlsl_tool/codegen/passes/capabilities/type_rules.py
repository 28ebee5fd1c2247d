"""Capabilities and extensions that types need."""

from __future__ import annotations

from hlsl_tool.codegen.passes.capabilities.declared import Declared
from hlsl_tool.codegen.passes.capabilities.tables import EXTENDED_FORMATS, OPCODE_ALTERNATIVES, OPCODE_FEATURES
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import OPAQUE, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability, Decoration, Dim, FPEncoding, StorageClass
from hlsl_tool.spirv.ir import Instruction

_Cap = Capability
_SC = StorageClass


class TypeRules:
    """Declares the capabilities of types, once for each pair of type and storage class."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.index = declared.index
        self.seen: set[tuple[int, int]] = set()
        """(type, storage class) whose capabilities are declared."""
        numbers = (op.OpTypeInt, op.OpTypeFloat)
        self.has_bytes = any(inst.op in numbers and inst.operands[0] == 8 for inst in declared.module.globals)

    def declare(self, type_id: int, storage: int, target: int) -> None:
        """Declare what a type, and the types in it, need.

        ``storage`` is the storage class of the variable, or -1; ``target`` is the id that errors refer to.
        """
        todo = [(type_id, storage)]
        while todo:
            item = todo.pop()
            inst = self.index.definitions.get(item[0])
            if inst is None or item in self.seen:
                continue
            self.seen.add(item)
            storage = item[1]
            number = inst.op
            if number in (op.OpTypeInt, op.OpTypeFloat):
                self._number(inst, storage, target)
            elif number == op.OpTypePointer:
                self._pointer(inst, target)
                todo.append((inst.id(1), inst.id(0)))
            elif number == op.OpTypeStruct:
                self._struct(inst, storage, target)
                todo += [(member, storage) for member in reversed(inst.ints())]
            elif number == op.OpTypeImage:
                self._image(inst, storage, target)
            else:
                self._other(inst, target)
                element = self.index.element(inst)
                if element is not None:
                    todo.append((element.result_id, storage))

    def _pointer(self, inst: Instruction, target: int) -> None:
        if inst.operands[0] == _SC.PhysicalStorageBuffer:
            self.declared.ext("SPV_KHR_physical_storage_buffer", "SPV_KHR_physical_storage_buffer", target)
            self.declared.cap(_Cap.PhysicalStorageBufferAddresses)

    def _matrix(self, inst: Instruction) -> None:
        """Declare the additional capability that a cooperative matrix type with BFloat16 or Float8 components needs.

        Do nothing for other components: ``vk/khr/cooperative_matrix.h`` requests the capability of the type itself.
        """
        component = self.index.definitions[inst.id(0)]
        if component.op == op.OpTypeFloat and len(component.operands) > 1:
            is_b = component.operands[1] == FPEncoding.BFloat16KHR
            self.declared.cap(_Cap.BFloat16CooperativeMatrixKHR if is_b else _Cap.Float8CooperativeMatrixEXT)

    def _other(self, inst: Instruction, target: int) -> None:
        if inst.op == op.OpTypeCooperativeMatrixKHR:
            self._matrix(inst)
        if inst.op == op.OpTypeRuntimeArray and is_resource(self.index, inst.id(0)):
            self.declared.ext("SPV_EXT_descriptor_indexing", "runtime array of resources", target)
            self.declared.cap(_Cap.RuntimeDescriptorArray)
        elif inst.op in OPCODE_FEATURES:
            capability, extension, what = OPCODE_FEATURES[inst.op]
            self.declared.cap(capability)
            self.declared.ext(extension, what, target)
        elif inst.op in OPCODE_ALTERNATIVES:
            self.declared.one_of(*OPCODE_ALTERNATIVES[inst.op], target)
        elif inst.op == op.OpTypeNodePayloadArrayAMDX:
            self.declared.work_graph(target)

    def _encoded(self, inst: Instruction, storage: int, target: int) -> None:
        """Declare the capabilities and extensions that a float type with a special encoding (BFloat16, Float8) needs.

        ``storage`` is the storage class of the variable, or -1; errors refer to the id ``target``.
        """
        declared = self.declared
        if inst.operands[1] == FPEncoding.BFloat16KHR:
            declared.ext("SPV_KHR_bfloat16", "bfloat16", target)
            declared.cap(_Cap.BFloat16TypeKHR)
        else:
            declared.ext("SPV_EXT_float8", "float8", target)
            declared.cap(_Cap.Float8EXT)
        if storage == _SC.PhysicalStorageBuffer:
            self._in_physical_storage(inst.id(0), target)

    def _in_physical_storage(self, width: int, target: int) -> None:
        declared = self.declared
        if width == 8:
            declared.ext("SPV_KHR_8bit_storage", "8-bit types in resource", target)
            declared.cap(_Cap.StorageBuffer8BitAccess)
        elif width == 16:
            declared.ext("SPV_KHR_16bit_storage", "16-bit types in resource", target)
            declared.cap(_Cap.StorageUniformBufferBlock16)

    def _number(self, inst: Instruction, storage: int, target: int) -> None:
        declared, width = self.declared, inst.id(0)
        if len(inst.operands) > 1 and inst.op == op.OpTypeFloat:
            self._encoded(inst, storage, target)
            return
        if storage == _SC.PhysicalStorageBuffer:
            self._in_physical_storage(width, target)
        is_int = inst.op == op.OpTypeInt
        if width == 8 and is_int:
            declared.cap(_Cap.Int8)
        elif width == 64:
            declared.cap(_Cap.Int64 if is_int else _Cap.Float64)
        elif width == 16:
            declared.cap(_Cap.Int16 if is_int else _Cap.Float16)
            if storage in (_SC.Input, _SC.Output):
                declared.ext("SPV_KHR_16bit_storage", "16-bit stage IO variables", target)
                declared.cap(_Cap.StorageInputOutput16)

    def _struct(self, inst: Instruction, storage: int, target: int) -> None:
        declared, index = self.declared, self.index
        if self.has_bytes and index.contains_width(inst.result_id, 8, behind_pointers=False):
            self._bytes(inst, storage, target)
        if not index.contains_width(inst.result_id, 16, behind_pointers=False):
            return
        declared.ext("SPV_KHR_16bit_storage", "16-bit types in resource", target)
        if storage == _SC.PushConstant:
            declared.cap(_Cap.StoragePushConstant16)
        elif index.has_decoration(inst.result_id, Decoration.BufferBlock):
            declared.cap(_Cap.StorageUniformBufferBlock16)
        elif index.has_decoration(inst.result_id, Decoration.Block):
            in_uniform = storage == _SC.Uniform
            declared.cap(_Cap.StorageUniform16 if in_uniform else _Cap.StorageUniformBufferBlock16)

    def _bytes(self, inst: Instruction, storage: int, target: int) -> None:
        """Declare the capability and the extension that a block with 8-bit numbers needs.

        ``storage`` is the block's storage class; errors refer to the id ``target``.
        """
        if not self.index.is_block(inst.result_id):
            return
        self.declared.ext("SPV_KHR_8bit_storage", "8-bit types in resource", target)
        if storage == _SC.PushConstant:
            self.declared.cap(_Cap.StoragePushConstant8)
        elif storage == _SC.Uniform:
            self.declared.cap(_Cap.UniformAndStorageBuffer8BitAccess)
        else:
            self.declared.cap(_Cap.StorageBuffer8BitAccess)

    def _image(self, inst: Instruction, storage: int, target: int) -> None:
        declared = self.declared
        declared.cap(*image_capabilities(inst))
        if inst.id(6) in EXTENDED_FORMATS:
            declared.cap(_Cap.StorageImageExtendedFormats)
        self.declare(inst.id(0), storage, target)
        if has_wide_texels(self.index, inst):
            declared.cap(_Cap.Int64ImageEXT)
            declared.ext("SPV_EXT_shader_image_int64", "64-bit image types in resource", target)

    def declare_non_uniform(self, type_id: int) -> None:
        """Declare what a value of this type needs if it is decorated NonUniform."""
        self.declared.ext("SPV_EXT_descriptor_indexing", "NonUniformEXT")
        self.declared.cap(_Cap.ShaderNonUniform, *non_uniform_capabilities(self.index, type_id))


def image_capabilities(inst: Instruction) -> tuple[int, ...]:
    """Return the capabilities that an image type needs because of its dimension and its use."""
    dim, has_sampler = inst.id(1), inst.id(5) != 2
    if dim == Dim.Buffer:
        return (_Cap.SampledBuffer,) if has_sampler else (_Cap.SampledBuffer, _Cap.ImageBuffer)
    if dim == Dim.Dim1D:
        return (_Cap.Sampled1D if has_sampler else _Cap.Image1D,)
    if dim == Dim.SubpassData:
        return (_Cap.InputAttachment,)
    if inst.id(4) and not has_sampler:
        return (_Cap.StorageImageMultisample, _Cap.ImageMSArray) if inst.id(3) else (_Cap.StorageImageMultisample,)
    return ()


def has_wide_texels(index: ModuleIndex, inst: Instruction) -> bool:
    """Return whether an image type has texels of 64-bit integers."""
    sampled = index.definitions.get(inst.id(0))
    return sampled is not None and sampled.op == op.OpTypeInt and sampled.operands[0] == 64


def is_resource(index: ModuleIndex, type_id: int) -> bool:
    """Return whether a type, or its pointee, is bound to a descriptor."""
    inst = index.definitions.get(type_id)
    while inst is not None and inst.op == op.OpTypePointer:
        inst = index.definitions.get(inst.id(1))
    if inst is None:
        return False
    if inst.op == op.OpTypeStruct:
        return index.is_block(inst.result_id)
    if inst.op == op.OpTypeUntypedPointerKHR:
        return inst.operands[0] in RESOURCE_STORAGE
    return inst.op in OPAQUE


def non_uniform_capabilities(index: ModuleIndex, type_id: int) -> tuple[int, ...]:
    """Return the capabilities, besides ShaderNonUniform, that a NonUniform value of a type needs."""
    inst = index.definitions.get(type_id)
    while inst is not None and inst.op == op.OpTypeArray:
        inst = index.definitions.get(inst.id(0))
    if inst is None:
        return ()
    if inst.op in (op.OpTypeSampler, op.OpTypeSampledImage):
        return (_Cap.SampledImageArrayNonUniformIndexing,)
    if inst.op != op.OpTypeImage:
        return ()
    dim, is_sampled = inst.id(1), inst.id(5) == 1
    if dim == Dim.SubpassData:
        return (_Cap.InputAttachmentArrayNonUniformIndexing,)
    if dim == Dim.Buffer:
        uniform = _Cap.UniformTexelBufferArrayNonUniformIndexing
        return (uniform if is_sampled else _Cap.StorageTexelBufferArrayNonUniformIndexing,)
    return (_Cap.SampledImageArrayNonUniformIndexing if is_sampled else _Cap.StorageImageArrayNonUniformIndexing,)
