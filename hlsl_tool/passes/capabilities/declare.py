"""Declare the capabilities and extensions that a module needs.

Before: ``module.capabilities`` and ``module.extensions`` hold what the lowering asked for by name (inline SPIR-V,
features that leave no other trace).  After: they hold that and then everything derived, in the order in which DXC
finds it (entry points, modes, decorations, constants, variables, functions), which is also its order of output.  A few
are declared on suspicion, as DXC does; ``trim_capabilities`` removes those that nothing uses.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.diagnostics.sink import Place
from hlsl_tool.passes.capabilities.tables import (
    ALWAYS,
    BUILTIN_RULES,
    EXTENDED_FORMATS,
    FLOAT_CONTROLS,
    IF_ENABLED,
    MODE_EXTENSIONS,
    OPCODE_CAPABILITIES,
    RAY_OPCODES,
    WORK_GRAPH_DECORATIONS,
    WORK_GRAPH_MODES,
    WORK_GRAPH_OPCODES,
)
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import (
    DECORATES,
    IMAGE_READS,
    OPAQUE,
    RAY_TRACING,
    RESOURCE_STORAGE,
    SPARSE_READS,
    SUBGROUP_INPUTS,
)
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Instruction, Module

_Cap = e.Capability
_Model = e.ExecutionModel
_SC = e.StorageClass

PlaceOf = Callable[[int], Place]


def _nowhere(_: int) -> Place:
    return None


def derive_capabilities(module: Module, features: Features, *, place_of: PlaceOf = _nowhere) -> None:
    """Declare the capabilities and extensions that the module needs.

    ``place_of`` returns the source position of an id, for errors about features that may not be used.
    """
    _Deriver(module, features, place_of).run()


class _Deriver:
    def __init__(self, module: Module, features: Features, place_of: PlaceOf) -> None:
        self.module = module
        self.features = features
        self.place_of = place_of
        self.index = ModuleIndex(module)
        self.caps: dict[int, None] = dict.fromkeys(inst.id(0) for inst in module.capabilities)
        self.exts: dict[str, None] = dict.fromkeys(inst.text(0) for inst in module.extensions)
        self.model: int | None = None
        self.seen_types: set[tuple[int, int]] = set()
        self.types_of: dict[int, int] = {}

    def run(self) -> None:
        module = self.module
        self._suspected()
        for inst in module.ext_inst_imports:
            self._import(inst)
        for inst in module.entry_points:
            self._entry_point(inst)
        for inst in module.execution_modes:
            self._mode(inst)
        for inst in ungrouped(module.annotations):
            if inst.op in DECORATES:
                self._decoration(inst)
        undefs: list[Instruction] = []
        variables: list[Instruction] = []
        for inst in module.globals:
            if inst.op in (op.OpVariable, op.OpUntypedVariableKHR):
                variables.append(inst)
            elif inst.op == op.OpUndef:
                undefs.append(inst)
            elif inst.type_id:
                self._instruction(inst)
        for inst in undefs + variables:
            self._instruction(inst)
        for function in module.functions:
            for inst in function.parameters:
                self._instruction(inst)
            for inst in function.instructions():
                self._instruction(inst)
        if self.model is None:
            self.cap(_Cap.Shader)
        module.capabilities = [Instruction(op.OpCapability, 0, 0, [number]) for number in self.caps]
        module.extensions = [Instruction(op.OpExtension, 0, 0, [name]) for name in self.exts]

    # ---- bookkeeping

    def cap(self, *capabilities: int) -> None:
        for number in capabilities:
            self.caps[number] = None

    def ext(self, name: str, what: str, target: int = 0) -> None:
        if name not in self.exts and self.features.request_extension(
            name, what, self.place_of(target) if target else None
        ):
            self.exts[name] = None

    def _if_enabled(self, name: str, capabilities: tuple[int, ...]) -> bool:
        if not self.features.is_enabled(name):
            return False
        self.ext(name, "")
        self.cap(*capabilities)
        return True

    def _suspected(self) -> None:
        """What is declared first and trimmed later."""
        self.cap(*ALWAYS)
        for name, capabilities in IF_ENABLED[:3]:
            self._if_enabled(name, capabilities)
        # Acceleration structures come with either; ray queries are preferred.
        if not self._if_enabled("SPV_KHR_ray_query", (_Cap.RayQueryKHR,)):
            self._if_enabled("SPV_KHR_ray_tracing", (_Cap.RayTracingKHR,))
        self._if_enabled(*IF_ENABLED[3])
        self.cap(_Cap.InterpolationFunction)
        self._if_enabled(*IF_ENABLED[4])

    # ---- preamble

    def _import(self, inst: Instruction) -> None:
        name = inst.text(0)
        if name.startswith("NonSemantic."):
            self.ext("SPV_KHR_non_semantic_info", name.removeprefix("NonSemantic."))

    def _ray_tracing(self) -> None:
        if self.features.is_enabled("SPV_NV_ray_tracing"):
            self.cap(_Cap.RayTracingNV)
            self.ext("SPV_NV_ray_tracing", "SPV_NV_ray_tracing")
        else:
            self.features.request_env("vulkan1.1spirv1.4", "Raytracing")
            self.cap(_Cap.RayTracingKHR)
            self.ext("SPV_KHR_ray_tracing", "SPV_KHR_ray_tracing")

    def _entry_point(self, inst: Instruction) -> None:
        model = self.model = inst.id(0)
        if model in (_Model.Fragment, _Model.Vertex, _Model.GLCompute):
            self.cap(_Cap.Shader)
        elif model == _Model.Geometry:
            self.cap(_Cap.Geometry)
        elif model in (_Model.TessellationControl, _Model.TessellationEvaluation):
            self.cap(_Cap.Tessellation)
        elif model in RAY_TRACING:
            self._ray_tracing()
        elif model in (_Model.MeshNV, _Model.TaskNV):
            self.cap(_Cap.MeshShadingNV)
            self.ext("SPV_NV_mesh_shader", "SPV_NV_mesh_shader")
        elif model in (_Model.MeshEXT, _Model.TaskEXT):
            self.cap(_Cap.MeshShadingEXT)
            self.ext("SPV_EXT_mesh_shader", "SPV_EXT_mesh_shader")

    def _work_graph(self, target: int = 0) -> None:
        self.features.request_env("vulkan1.3", "WorkGraphs", self.place_of(target) if target else None)
        self.cap(_Cap.ShaderEnqueueAMDX)
        self.ext("SPV_AMDX_shader_enqueue", "Vulkan 1.3", target)

    def _mode(self, inst: Instruction) -> None:
        entry, mode = inst.id(0), inst.id(1)
        if mode in WORK_GRAPH_MODES:
            self._work_graph(entry)
        elif mode == e.ExecutionMode.SubgroupSize:
            self.cap(_Cap.SubgroupDispatch)
        elif mode in FLOAT_CONTROLS:
            if not self.features.vulkan_1_2:
                self.ext("SPV_KHR_float_controls", "SPV_KHR_float_controls", entry)
            self.cap(FLOAT_CONTROLS[mode])
        else:
            capabilities, extensions, what = MODE_EXTENSIONS.get(mode, ((), (), ""))
            self.cap(*capabilities)
            for name in extensions:
                self.ext(name, what, entry)

    # ---- decorations

    def _decoration(self, inst: Instruction) -> None:
        target, decoration = inst.id(0), inst.id(1)
        deco = e.Decoration
        if decoration == deco.BuiltIn:
            self._builtin(target, inst.id(2))
        elif decoration == deco.Sample:
            self.cap(_Cap.SampleRateShading)
        elif decoration in (deco.UserSemantic, deco.CounterBuffer):
            self.ext("SPV_GOOGLE_hlsl_functionality1", "SPIR-V reflection", target)
        elif decoration == deco.PerVertexKHR:
            self.ext("SPV_KHR_fragment_shader_barycentric", "PerVertexKHR", target)
            self.cap(_Cap.FragmentBarycentricKHR)
        elif decoration == deco.LinkageAttributes:
            self.cap(_Cap.Linkage)
        elif decoration in WORK_GRAPH_DECORATIONS:
            self._work_graph(target)

    def _builtin(self, target: int, builtin: int) -> None:
        self._volatile(target, builtin)
        rule = BUILTIN_RULES.get(builtin)
        if rule is not None:
            capability, extension, what = rule
            if extension:
                self.ext(extension, what, target)
            self.cap(capability)
            return
        has_primitives = self.model in (_Model.Fragment, _Model.MeshNV, _Model.MeshEXT)
        before_raster = (_Model.Vertex, _Model.TessellationControl, _Model.TessellationEvaluation)
        bi = e.BuiltIn
        if builtin == bi.PrimitiveId:
            if has_primitives:
                self.cap(_Cap.Geometry)
        elif builtin in (bi.Layer, bi.ViewportIndex):
            is_layer = builtin == bi.Layer
            if self.model in before_raster:
                if self.features.vulkan_1_2:
                    self.cap(_Cap.ShaderLayer if is_layer else _Cap.ShaderViewportIndex)
                else:
                    what = "SV_RenderTargetArrayIndex" if is_layer else "SV_ViewPortArrayIndex"
                    self.ext("SPV_EXT_shader_viewport_index_layer", what, target)
                    self.cap(_Cap.ShaderViewportIndexLayerEXT)
            elif has_primitives:
                self.cap(_Cap.Geometry if is_layer else _Cap.MultiViewport)
            elif self.model == _Model.Geometry and not is_layer:
                self.cap(_Cap.MultiViewport)

    def _volatile(self, target: int, builtin: int) -> None:
        """Built-ins that change during a ray tracing shader are Volatile, which takes the Vulkan memory model."""
        if self.features.vulkan_1_3:
            return
        needed = (builtin in SUBGROUP_INPUTS and self.model in RAY_TRACING and self.model != _Model.AnyHitKHR) or (
            builtin == e.BuiltIn.RayTmaxKHR and self.model == _Model.IntersectionKHR
        )
        if needed:
            if not self.features.vulkan_1_2:
                self.ext("SPV_KHR_vulkan_memory_model", "Volatile builtin variable in raytracing", target)
            self.cap(_Cap.VulkanMemoryModel)

    # ---- types

    def _type(self, type_id: int, storage: int, target: int) -> None:
        """Capabilities of a type and everything in it; ``storage`` is that of the pointer met last."""
        todo = [(type_id, storage)]
        while todo:
            item = todo.pop()
            inst = self.index.definitions.get(item[0])
            if inst is None or item in self.seen_types:
                continue
            self.seen_types.add(item)
            storage = item[1]
            number = inst.op
            if number in (op.OpTypeInt, op.OpTypeFloat):
                self._number(inst, storage, target)
            elif number == op.OpTypePointer:
                if inst.operands[0] == _SC.PhysicalStorageBuffer:
                    self.ext("SPV_KHR_physical_storage_buffer", "SPV_KHR_physical_storage_buffer", target)
                    self.cap(_Cap.PhysicalStorageBufferAddresses)
                todo.append((inst.id(1), inst.id(0)))
            elif number == op.OpTypeStruct:
                self._struct(inst, storage, target)
                todo += [(member, storage) for member in reversed(inst.ints())]
            elif number == op.OpTypeImage:
                self._image(inst)
                self._type(inst.id(0), storage, target)
                sampled = self.index.definitions.get(inst.id(0))
                if sampled is not None and sampled.op == op.OpTypeInt and sampled.operands[0] == 64:
                    self.cap(_Cap.Int64ImageEXT)
                    self.ext("SPV_EXT_shader_image_int64", "64-bit image types in resource", target)
            else:
                if number == op.OpTypeRuntimeArray and self._is_resource(inst.id(0)):
                    self.ext("SPV_EXT_descriptor_indexing", "runtime array of resources", target)
                    self.cap(_Cap.RuntimeDescriptorArray)
                elif number == op.OpTypeNodePayloadArrayAMDX:
                    self._work_graph(target)
                element = self.index.element(inst)
                if element is not None:
                    todo.append((element.result_id, storage))

    def _number(self, inst: Instruction, storage: int, target: int) -> None:
        width = inst.id(0)
        is_int = inst.op == op.OpTypeInt
        if width == 8 and is_int:
            self.cap(_Cap.Int8)
        elif width == 64:
            self.cap(_Cap.Int64 if is_int else _Cap.Float64)
        elif width == 16:
            self.cap(_Cap.Int16 if is_int else _Cap.Float16)
            if storage in (_SC.Input, _SC.Output):
                self.ext("SPV_KHR_16bit_storage", "16-bit stage IO variables", target)
                self.cap(_Cap.StorageInputOutput16)

    def _struct(self, inst: Instruction, storage: int, target: int) -> None:
        if not self.index.contains_width(inst.result_id, 16):
            return
        self.ext("SPV_KHR_16bit_storage", "16-bit types in resource", target)
        if storage == _SC.PushConstant:
            self.cap(_Cap.StoragePushConstant16)
        elif self.index.has_decoration(inst.result_id, e.Decoration.BufferBlock):
            self.cap(_Cap.StorageUniformBufferBlock16)
        elif self.index.has_decoration(inst.result_id, e.Decoration.Block):
            in_uniform = storage == _SC.Uniform
            self.cap(_Cap.StorageUniform16 if in_uniform else _Cap.StorageUniformBufferBlock16)

    def _image(self, inst: Instruction) -> None:
        dim, has_sampler, image_format = inst.id(1), inst.id(5) != 2, inst.id(6)
        if dim == e.Dim.Buffer:
            self.cap(_Cap.SampledBuffer)
            if not has_sampler:
                self.cap(_Cap.ImageBuffer)
        elif dim == e.Dim.Dim1D:
            self.cap(_Cap.Sampled1D if has_sampler else _Cap.Image1D)
        elif dim == e.Dim.SubpassData:
            self.cap(_Cap.InputAttachment)
        elif inst.id(4) and not has_sampler:
            self.cap(_Cap.StorageImageMultisample)
            if inst.id(3):
                self.cap(_Cap.ImageMSArray)
        if image_format in EXTENDED_FORMATS:
            self.cap(_Cap.StorageImageExtendedFormats)

    def _is_resource(self, type_id: int) -> bool:
        inst = self.index.definitions.get(type_id)
        while inst is not None and inst.op == op.OpTypePointer:
            inst = self.index.definitions.get(inst.id(1))
        if inst is None:
            return False
        if inst.op == op.OpTypeStruct:
            return self.index.is_block(inst.result_id)
        if inst.op == op.OpTypeUntypedPointerKHR:
            return inst.operands[0] in RESOURCE_STORAGE
        return inst.op in OPAQUE

    def _non_uniform(self, type_id: int) -> None:
        self.ext("SPV_EXT_descriptor_indexing", "NonUniformEXT")
        self.cap(_Cap.ShaderNonUniform)
        inst = self.index.definitions.get(type_id)
        while inst is not None and inst.op == op.OpTypeArray:
            inst = self.index.definitions.get(inst.id(0))
        if inst is None:
            return
        if inst.op in (op.OpTypeSampler, op.OpTypeSampledImage):
            self.cap(_Cap.SampledImageArrayNonUniformIndexing)
        elif inst.op == op.OpTypeImage:
            dim, sampled = inst.id(1), inst.id(5)
            if dim == e.Dim.SubpassData:
                self.cap(_Cap.InputAttachmentArrayNonUniformIndexing)
            elif dim == e.Dim.Buffer:
                uniform = _Cap.UniformTexelBufferArrayNonUniformIndexing
                self.cap(uniform if sampled == 1 else _Cap.StorageTexelBufferArrayNonUniformIndexing)
            elif sampled == 1:
                self.cap(_Cap.SampledImageArrayNonUniformIndexing)
            else:
                self.cap(_Cap.StorageImageArrayNonUniformIndexing)

    # ---- instructions

    def _instruction(self, inst: Instruction) -> None:
        number, result = inst.op, inst.result_id
        if inst.type_id:
            if number == op.OpIsHelperInvocationEXT:
                self.cap(_Cap.DemoteToHelperInvocation)
                self.ext("SPV_EXT_demote_to_helper_invocation", "[[vk::HelperInvocation]]", result)
                return
            if op.OpAtomicLoad <= number <= op.OpAtomicXor or number in (op.OpAtomicFAddEXT, op.OpAtomicFMinEXT):
                self._atomic(inst)
                return
            storage = _storage_of(inst)
            if (inst.type_id, storage) not in self.seen_types:
                self._type(inst.type_id, storage, result)
            if result in self.index.decorations and self.index.has_decoration(result, e.Decoration.NonUniform):
                self._non_uniform(inst.type_id)
        capabilities = OPCODE_CAPABILITIES.get(number)
        if capabilities is not None:
            self.cap(*capabilities)
        if number in _SPECIAL:
            self._special(inst)

    def _atomic(self, inst: Instruction) -> None:
        value = inst.operands[-1]
        if len(inst.operands) > 3 and isinstance(value, int):
            type_id = self._type_of(value)
            if self.index.contains_width(type_id, 64, ints_only=True):
                self.cap(_Cap.Int64Atomics)

    def _typed_view(self, inst: Instruction) -> None:
        """A pointer bitcast, which ``typed_views`` turns into a storage buffer of the type it points to."""
        pointer = self.index.definitions[inst.type_id]
        in_buffer = pointer.op == op.OpTypePointer and pointer.id(0) in (_SC.Uniform, _SC.StorageBuffer)
        if in_buffer and self.index.contains_width(pointer.id(1), 16):
            self.ext("SPV_KHR_16bit_storage", "16-bit types in resource", inst.result_id)
            self.cap(_Cap.StorageUniformBufferBlock16)

    def _type_of(self, value: int) -> int:
        """The type of a value; worked out at the first question, as only atomics ask."""
        if not self.types_of:
            self.types_of.update((inst.result_id, inst.type_id) for inst in self.module.globals)
            for function in self.module.functions:
                self.types_of.update((inst.result_id, inst.type_id) for inst in function.parameters)
                self.types_of.update((inst.result_id, inst.type_id) for inst in function.instructions())
        return self.types_of.get(value, 0)

    def _special(self, inst: Instruction) -> None:
        number, result = inst.op, inst.result_id
        if number in _IMAGE_ACCESSES:
            self._image_operands(inst)
        elif number == op.OpAtomicStore:
            self._atomic(inst)
        elif number == op.OpVariable:
            if inst.operands[0] == _SC.NodePayloadAMDX:
                self._work_graph(result)
            if self.index.has_decoration(result, e.Decoration.UserTypeGOOGLE):
                self.ext("SPV_GOOGLE_user_type", "HLSL User Type", result)
                self.ext("SPV_GOOGLE_hlsl_functionality1", "HLSL User Type", result)
        elif number in RAY_OPCODES:
            self._ray_tracing()
        elif number in (op.OpSetMeshOutputsEXT, op.OpEmitMeshTasksEXT):
            if self.features.is_enabled("SPV_EXT_mesh_shader"):
                self.features.request_env("universal1.4", "MeshShader")
                self.cap(_Cap.MeshShadingEXT)
                self.ext("SPV_EXT_mesh_shader", "SPV_EXT_mesh_shader")
        elif number in WORK_GRAPH_OPCODES:
            self._work_graph(result)
        elif number in (op.OpControlBarrier, op.OpMemoryBarrier):
            semantics = self.index.constant(inst.id(len(inst.operands) - 1)) or 0
            if semantics & e.MemorySemantics.OutputMemory:
                self.features.request_env("vulkan1.3", "NODE_OUTPUT_MEMORY")
                self.cap(_Cap.VulkanMemoryModel)
        elif number == op.OpBitcast:
            self._typed_view(inst)
        elif number == op.OpDemoteToHelperInvocation:
            self.cap(_Cap.DemoteToHelperInvocation)
            if not self.features.vulkan_1_3:
                self.ext("SPV_EXT_demote_to_helper_invocation", "discard")
        elif number == op.OpReadClockKHR:
            self.cap(_Cap.ShaderClockKHR)
            self.ext("SPV_KHR_shader_clock", "ReadClock", result)

    def _image_operands(self, inst: Instruction) -> None:
        at = 3 if inst.op in _WITH_THIRD else 2
        if len(inst.operands) > at:
            mask = inst.id(at)
            if mask & (e.ImageOperands.Offset | e.ImageOperands.ConstOffsets):
                self.cap(_Cap.ImageGatherExtended)
        if inst.op in SPARSE_READS:
            self.cap(_Cap.SparseResidency)


def _storage_of(inst: Instruction) -> int:
    """The storage class that a value itself has: a variable's; others know it by their pointer type."""
    return inst.id(0) if inst.op == op.OpVariable else -1


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
_OTHER_SPECIAL = frozenset(
    (
        op.OpAtomicStore,
        op.OpVariable,
        op.OpSetMeshOutputsEXT,
        op.OpEmitMeshTasksEXT,
        op.OpControlBarrier,
        op.OpMemoryBarrier,
        op.OpDemoteToHelperInvocation,
        op.OpReadClockKHR,
        op.OpBitcast,
    )
)
_SPECIAL = _IMAGE_ACCESSES | RAY_OPCODES | WORK_GRAPH_OPCODES | _OTHER_SPECIAL
