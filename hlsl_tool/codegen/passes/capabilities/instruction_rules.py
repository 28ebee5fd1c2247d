"""Capabilities and extensions that instructions need."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hlsl_tool.codegen.passes.capabilities.declared import Declared
from hlsl_tool.codegen.passes.capabilities.tables import (
    COOPERATIVE_VECTOR_OPCODES,
    FLOAT_ATOMIC_FEATURES,
    HALF_VECTOR_ATOMICS,
    OPCODE_ALTERNATIVES,
    OPCODE_CAPABILITIES,
    OPCODE_FEATURES,
    RAY_OPCODES,
    WORK_GRAPH_OPCODES,
)
from hlsl_tool.codegen.passes.capabilities.type_rules import TypeRules
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, FLOAT_ATOMICS, IMAGE_READS, SPARSE_READS
from hlsl_tool.spirv.analysis.module_index import ungrouped
from hlsl_tool.spirv.enums import Capability, Decoration, ImageOperands, MemorySemantics, StorageClass
from hlsl_tool.spirv.ir import Instruction

_Cap = Capability
_ATOMICS = ATOMICS | FLOAT_ATOMICS
_IMAGE_ACCESSES = IMAGE_READS | {op.OpImageWrite}
_WITH_THIRD = frozenset(
    (
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleDrefExplicitLod,
        op.OpImageSampleProjDrefImplicitLod,
        op.OpImageSampleProjDrefExplicitLod,
        op.OpImageGather,
        op.OpImageDrefGather,
        op.OpImageWrite,
        op.OpImageSparseSampleDrefImplicitLod,
        op.OpImageSparseSampleDrefExplicitLod,
        op.OpImageSparseGather,
        op.OpImageSparseDrefGather,
    )
)
"""Image instructions with a third operand before the image operands."""


class InstructionRules:
    """Declares the capabilities and extensions of instructions and of their result types."""

    def __init__(self, declared: Declared, types: TypeRules) -> None:
        self.declared = declared
        self.types = types
        self.index = declared.index
        self._types_of: dict[int, int] = {}
        self._declared_types = {0}
        """Types of values whose capabilities are declared; 0 for none."""
        self._non_uniform = {
            inst.operands[0]
            for inst in ungrouped(declared.module.annotations)
            if inst.op == op.OpDecorate and inst.operands[1] == Decoration.NonUniform
        }

    def declare_all(self, instructions: Iterable[Instruction]) -> None:
        """Declare what a sequence of instructions needs; skip instructions whose needs are declared already."""
        types, non_uniform, demanding = self._declared_types, self._non_uniform, _DEMANDING
        for inst in instructions:
            if inst.op in demanding or inst.result_id in non_uniform:
                self.declare(inst)
            elif inst.type_id not in types:
                self.declare(inst)
                types.add(inst.type_id)

    def declare(self, inst: Instruction) -> None:
        """Declare the capabilities and extensions that an instruction needs."""
        number, result = inst.op, inst.result_id
        if inst.type_id:
            if number == op.OpIsHelperInvocationEXT:
                self.declared.cap(_Cap.DemoteToHelperInvocation)
                self.declared.ext("SPV_EXT_demote_to_helper_invocation", "[[vk::HelperInvocation]]", result)
                return
            if number in _ATOMICS:
                self._atomic(inst)
                return
            storage = inst.id(0) if number == op.OpVariable else -1
            if (inst.type_id, storage) not in self.types.seen:
                self.types.declare(inst.type_id, storage, result)
            if result in self._non_uniform:
                self.types.declare_non_uniform(inst.type_id)
        capabilities = OPCODE_CAPABILITIES.get(number)
        if capabilities is not None:
            self.declared.cap(*capabilities)
        handler = _HANDLERS.get(number)
        if handler is not None:
            handler(self, inst)

    def _atomic(self, inst: Instruction) -> None:
        value = inst.operands[-1]
        if len(inst.operands) > 3 and isinstance(value, int):
            type_id = self._type_of(value)
            if self.index.contains_width(type_id, 64, ints_only=True):
                self.declared.cap(_Cap.Int64Atomics)
            else:
                self._float_atomic(inst, type_id)

    def _float_atomic(self, inst: Instruction, type_id: int) -> None:
        """Declare the capabilities and extensions that an atomic on a float or a vector of halves needs.

        Exchanges of floats need none.
        """
        value = self.index.definitions[type_id]
        if value.op == op.OpTypeVector:
            feature: tuple[int, str] | None = HALF_VECTOR_ATOMICS
        else:
            feature = FLOAT_ATOMIC_FEATURES.get((inst.op, value.id(0)))
        if feature is not None:
            self.declared.cap(feature[0])
            self.declared.ext(feature[1], "atomics on floats", inst.result_id)

    def _type_of(self, value: int) -> int:
        """Return the type of a value; the mapping is built at the first call, because few modules have atomics."""
        if not self._types_of:
            module = self.declared.module
            self._types_of.update((inst.result_id, inst.type_id) for inst in module.globals)
            for function in module.functions:
                self._types_of.update((inst.result_id, inst.type_id) for inst in function.parameters)
                self._types_of.update((inst.result_id, inst.type_id) for inst in function.instructions())
        return self._types_of.get(value, 0)

    def _variable(self, inst: Instruction) -> None:
        result = inst.result_id
        if inst.operands[0] == StorageClass.NodePayloadAMDX:
            self.declared.work_graph(result)
        if self.index.has_decoration(result, Decoration.UserTypeGOOGLE):
            self.declared.ext("SPV_GOOGLE_user_type", "HLSL User Type", result)
            self.declared.ext("SPV_GOOGLE_hlsl_functionality1", "HLSL User Type", result)

    def _ray_tracing(self, inst: Instruction) -> None:
        self.declared.ray_tracing()

    def _mesh(self, inst: Instruction) -> None:
        features = self.declared.features
        if features.is_enabled("SPV_EXT_mesh_shader"):
            features.request_env("universal1.4", "MeshShader")
            self.declared.cap(_Cap.MeshShadingEXT)
            self.declared.ext("SPV_EXT_mesh_shader", "SPV_EXT_mesh_shader")

    def _work_graph(self, inst: Instruction) -> None:
        self.declared.work_graph(inst.result_id)

    def _barrier(self, inst: Instruction) -> None:
        semantics = self.index.constant(inst.id(len(inst.operands) - 1)) or 0
        if semantics & MemorySemantics.OutputMemory:
            self.declared.features.request_env("vulkan1.3", "NODE_OUTPUT_MEMORY")
            self.declared.cap(_Cap.VulkanMemoryModel)

    def _bitcast(self, inst: Instruction) -> None:
        """Declare what the element type of a bitcast pointer needs: ``typed_views`` later creates a buffer of it."""
        pointer = self.index.definitions[inst.type_id]
        storage = (StorageClass.Uniform, StorageClass.StorageBuffer)
        is_view = pointer.op == op.OpTypePointer and pointer.id(0) in storage
        if is_view and self.index.contains_width(pointer.id(1), 8):
            self.declared.ext("SPV_KHR_8bit_storage", "8-bit types in resource", inst.result_id)
            in_uniform = pointer.id(0) == StorageClass.Uniform
            self.declared.cap(_Cap.UniformAndStorageBuffer8BitAccess if in_uniform else _Cap.StorageBuffer8BitAccess)
        if is_view and self.index.contains_width(pointer.id(1), 16):
            self.declared.ext("SPV_KHR_16bit_storage", "16-bit types in resource", inst.result_id)
            self.declared.cap(_Cap.StorageUniformBufferBlock16)

    def _alternatives(self, inst: Instruction) -> None:
        self.declared.one_of(*OPCODE_ALTERNATIVES[inst.op], inst.result_id)

    def _demote(self, inst: Instruction) -> None:
        self.declared.cap(_Cap.DemoteToHelperInvocation)
        if not self.declared.features.vulkan_1_3:
            self.declared.ext("SPV_EXT_demote_to_helper_invocation", "discard")

    def _feature(self, inst: Instruction) -> None:
        capability, extension, what = OPCODE_FEATURES[inst.op]
        self.declared.cap(capability)
        self.declared.ext(extension, what, inst.result_id)

    def _cooperative_vector(self, inst: Instruction) -> None:
        """Declare cooperative vectors together with the Vulkan memory model."""
        self._feature(inst)
        self.declared.cap(_Cap.CooperativeVectorNV, _Cap.VulkanMemoryModel)
        if not self.declared.features.vulkan_1_2:
            self.declared.ext("SPV_KHR_vulkan_memory_model", "dx::linalg", inst.result_id)

    def _clock(self, inst: Instruction) -> None:
        self.declared.cap(_Cap.ShaderClockKHR)
        self.declared.ext("SPV_KHR_shader_clock", "ReadClock", inst.result_id)

    def _image_access(self, inst: Instruction) -> None:
        at = 3 if inst.op in _WITH_THIRD else 2
        if len(inst.operands) > at:
            mask = inst.id(at)
            if mask & (ImageOperands.Offset | ImageOperands.ConstOffsets):
                self.declared.cap(_Cap.ImageGatherExtended)
        if inst.op in SPARSE_READS:
            self.declared.cap(_Cap.SparseResidency)


_HANDLERS: dict[int, Callable[[InstructionRules, Instruction], None]] = {
    **dict.fromkeys(WORK_GRAPH_OPCODES, InstructionRules._work_graph),
    **dict.fromkeys(OPCODE_ALTERNATIVES, InstructionRules._alternatives),
    **dict.fromkeys(OPCODE_FEATURES, InstructionRules._feature),
    **dict.fromkeys(COOPERATIVE_VECTOR_OPCODES, InstructionRules._cooperative_vector),
    **dict.fromkeys(RAY_OPCODES, InstructionRules._ray_tracing),
    **dict.fromkeys(_IMAGE_ACCESSES, InstructionRules._image_access),
    op.OpAtomicStore: InstructionRules._atomic,
    op.OpVariable: InstructionRules._variable,
    op.OpSetMeshOutputsEXT: InstructionRules._mesh,
    op.OpEmitMeshTasksEXT: InstructionRules._mesh,
    op.OpControlBarrier: InstructionRules._barrier,
    op.OpMemoryBarrier: InstructionRules._barrier,
    op.OpBitcast: InstructionRules._bitcast,
    op.OpDemoteToHelperInvocation: InstructionRules._demote,
    op.OpReadClockKHR: InstructionRules._clock,
}

_DEMANDING = frozenset((*_ATOMICS, *OPCODE_CAPABILITIES, *_HANDLERS, op.OpIsHelperInvocationEXT))
"""Opcodes that need a capability themselves, or whose operands decide which ones their type needs."""
