"""Capabilities and extensions that decorations need."""

from __future__ import annotations

from hlsl_tool.codegen.passes.capabilities.declared import Declared
from hlsl_tool.codegen.passes.capabilities.tables import BUILTIN_RULES, WORK_GRAPH_DECORATIONS
from hlsl_tool.spirv.analysis.kinds import RAY_TRACING, SUBGROUP_INPUTS
from hlsl_tool.spirv.enums import BuiltIn, Capability, Decoration, ExecutionModel
from hlsl_tool.spirv.ir import Instruction

_Cap = Capability
_WITH_PRIMITIVES = (ExecutionModel.Fragment, ExecutionModel.MeshNV, ExecutionModel.MeshEXT)
_BEFORE_RASTERISATION = (
    ExecutionModel.Vertex,
    ExecutionModel.TessellationControl,
    ExecutionModel.TessellationEvaluation,
)


_OF_RAYS = frozenset(
    (
        BuiltIn.LaunchIdKHR,
        BuiltIn.LaunchSizeKHR,
        BuiltIn.WorldRayOriginKHR,
        BuiltIn.WorldRayDirectionKHR,
        BuiltIn.ObjectRayOriginKHR,
        BuiltIn.ObjectRayDirectionKHR,
        BuiltIn.RayTminKHR,
        BuiltIn.RayTmaxKHR,
        BuiltIn.InstanceCustomIndexKHR,
        BuiltIn.ObjectToWorldKHR,
        BuiltIn.WorldToObjectKHR,
        BuiltIn.HitTNV,
        BuiltIn.HitKindKHR,
        BuiltIn.IncomingRayFlagsKHR,
        BuiltIn.RayGeometryIndexKHR,
    )
)
"""Built-ins of ray tracing pipelines; functions that a library exports read them without an entry point."""


def declare_decoration(declared: Declared, inst: Instruction) -> None:
    """Declare the capabilities and extensions that the decoration of an id needs."""
    target, decoration = inst.id(0), inst.id(1)
    if decoration == Decoration.BuiltIn:
        _builtin(declared, target, inst.id(2))
    elif decoration == Decoration.Sample:
        declared.cap(_Cap.SampleRateShading)
    elif decoration in (Decoration.UserSemantic, Decoration.CounterBuffer):
        declared.ext("SPV_GOOGLE_hlsl_functionality1", "SPIR-V reflection", target)
    elif decoration == Decoration.PerVertexKHR:
        declared.ext("SPV_KHR_fragment_shader_barycentric", "PerVertexKHR", target)
        declared.cap(_Cap.FragmentBarycentricKHR)
    elif decoration == Decoration.LinkageAttributes:
        declared.cap(_Cap.Linkage)
    elif decoration in WORK_GRAPH_DECORATIONS:
        declared.work_graph(target)


def _builtin(declared: Declared, target: int, builtin: int) -> None:
    _volatile(declared, target, builtin)
    rule = BUILTIN_RULES.get(builtin)
    if rule is not None:
        capability, extension, what = rule
        if extension:
            declared.ext(extension, what, target)
        declared.cap(capability)
    elif builtin in _OF_RAYS:
        declared.ray_tracing()
    elif builtin == BuiltIn.PrimitiveId:
        if declared.model in _WITH_PRIMITIVES:
            declared.cap(_Cap.Geometry)
    elif builtin in (BuiltIn.Layer, BuiltIn.ViewportIndex):
        _layer(declared, target, is_layer=builtin == BuiltIn.Layer)


def _layer(declared: Declared, target: int, *, is_layer: bool) -> None:
    """Declare the capabilities that the built-in Layer (or else ViewportIndex) needs in the current stage."""
    model = declared.model
    if model in _BEFORE_RASTERISATION:
        if declared.features.vulkan_1_2:
            declared.cap(_Cap.ShaderLayer if is_layer else _Cap.ShaderViewportIndex)
        else:
            what = "SV_RenderTargetArrayIndex" if is_layer else "SV_ViewPortArrayIndex"
            declared.ext("SPV_EXT_shader_viewport_index_layer", what, target)
            declared.cap(_Cap.ShaderViewportIndexLayerEXT)
    elif model in _WITH_PRIMITIVES:
        declared.cap(_Cap.Geometry if is_layer else _Cap.MultiViewport)
    elif model == ExecutionModel.Geometry and not is_layer:
        declared.cap(_Cap.MultiViewport)


def _volatile(declared: Declared, target: int, builtin: int) -> None:
    """Declare the Vulkan memory model in ray tracing shaders, for built-ins that are Volatile because they change."""
    features, model = declared.features, declared.model
    if features.vulkan_1_3:
        return
    is_changing = builtin in SUBGROUP_INPUTS and model in RAY_TRACING and model != ExecutionModel.AnyHitKHR
    if is_changing or (builtin == BuiltIn.RayTmaxKHR and model == ExecutionModel.IntersectionKHR):
        if not features.vulkan_1_2:
            declared.ext("SPV_KHR_vulkan_memory_model", "Volatile builtin variable in raytracing", target)
        declared.cap(_Cap.VulkanMemoryModel)
