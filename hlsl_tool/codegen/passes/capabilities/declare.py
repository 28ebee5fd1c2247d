"""Declare the capabilities and extensions that a module needs.

Before: ``module.capabilities`` and ``module.extensions`` contain those that the lowering requested by name (inline
SPIR-V, features that cannot be derived from instructions). After: they also contain the derived ones, in the order in
which DXC finds them (entry points, modes, decorations, constants, variables, functions), which is also the order of its
output. Some may turn out to be unused, as in DXC; ``trim_capabilities`` removes these.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.sink import Place
from hlsl_tool.codegen.passes.capabilities.declared import Declared, PlaceOf
from hlsl_tool.codegen.passes.capabilities.decoration_rules import declare_decoration
from hlsl_tool.codegen.passes.capabilities.instruction_rules import InstructionRules
from hlsl_tool.codegen.passes.capabilities.tables import (
    ALWAYS,
    FLOAT_CONTROLS,
    IF_ENABLED,
    MODE_ALTERNATIVES,
    MODE_EXTENSIONS,
    WORK_GRAPH_MODES,
)
from hlsl_tool.codegen.passes.capabilities.type_rules import TypeRules
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import DECORATES, RAY_TRACING
from hlsl_tool.spirv.analysis.module_index import ungrouped
from hlsl_tool.spirv.enums import Capability, ExecutionMode, ExecutionModel
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Instruction, Module

_Cap = Capability
_Model = ExecutionModel


def _nowhere(_: int) -> Place:
    return None


def derive_capabilities(module: Module, features: Features, *, place_of: PlaceOf = _nowhere) -> None:
    """Declare the capabilities and extensions that the module needs, in place.

    ``place_of`` returns the source position of an id, for errors about features that may not be used.
    """
    declared = Declared(module, features, place_of)
    _declare_suspected(declared)
    for inst in module.ext_inst_imports:
        _declare_import(declared, inst)
    for inst in module.entry_points:
        _declare_entry_point(declared, inst)
    for inst in module.execution_modes:
        _declare_mode(declared, inst)
    for inst in ungrouped(module.annotations):
        if inst.op in DECORATES:
            declare_decoration(declared, inst)
    rules = InstructionRules(declared, TypeRules(declared))
    rules.declare_all(_values_in_order(module))
    for function in module.functions:
        rules.declare_all(function.parameters)
        for block in function.blocks:
            rules.declare_all(block.instructions)
    if declared.model is None:
        declared.cap(_Cap.Shader)
    module.capabilities = [Instruction(op.OpCapability, 0, 0, [number]) for number in declared.capabilities]
    module.extensions = [Instruction(op.OpExtension, 0, 0, [name]) for name in declared.extensions]


def _values_in_order(module: Module) -> list[Instruction]:
    """Return the module's constants, then its undefined values, then its variables."""
    constants: list[Instruction] = []
    undefs: list[Instruction] = []
    variables: list[Instruction] = []
    for inst in module.globals:
        if inst.op in (op.OpVariable, op.OpUntypedVariableKHR):
            variables.append(inst)
        elif inst.op == op.OpUndef:
            undefs.append(inst)
        elif inst.type_id:
            constants.append(inst)
    return constants + undefs + variables


def _declare_suspected(declared: Declared) -> None:
    """Declare the capabilities that are always declared here, and removed later if nothing uses them."""
    declared.cap(*ALWAYS)
    for name, capabilities in IF_ENABLED[:3]:
        declared.if_enabled(name, capabilities)
    # Acceleration structures come with either; ray queries are preferred.
    if not declared.if_enabled("SPV_KHR_ray_query", (_Cap.RayQueryKHR,)):
        declared.if_enabled("SPV_KHR_ray_tracing", (_Cap.RayTracingKHR,))
    for row in IF_ENABLED[3:5]:
        declared.if_enabled(*row)
    declared.cap(_Cap.InterpolationFunction)
    declared.if_enabled(*IF_ENABLED[5])


def _declare_import(declared: Declared, inst: Instruction) -> None:
    name = inst.text(0)
    if name.startswith("NonSemantic."):
        declared.ext("SPV_KHR_non_semantic_info", name.removeprefix("NonSemantic."))


def _declare_entry_point(declared: Declared, inst: Instruction) -> None:
    model = declared.model = inst.id(0)
    if model in (_Model.Fragment, _Model.Vertex, _Model.GLCompute):
        declared.cap(_Cap.Shader)
    elif model == _Model.Geometry:
        declared.cap(_Cap.Geometry)
    elif model in (_Model.TessellationControl, _Model.TessellationEvaluation):
        declared.cap(_Cap.Tessellation)
    elif model in RAY_TRACING:
        declared.ray_tracing()
    elif model in (_Model.MeshNV, _Model.TaskNV):
        declared.cap(_Cap.MeshShadingNV)
        declared.ext("SPV_NV_mesh_shader", "SPV_NV_mesh_shader")
    elif model in (_Model.MeshEXT, _Model.TaskEXT):
        declared.cap(_Cap.MeshShadingEXT)
        declared.ext("SPV_EXT_mesh_shader", "SPV_EXT_mesh_shader")


def _declare_mode(declared: Declared, inst: Instruction) -> None:
    entry, mode = inst.id(0), inst.id(1)
    if mode in WORK_GRAPH_MODES:
        declared.work_graph(entry)
    elif mode == ExecutionMode.SubgroupSize:
        declared.cap(_Cap.SubgroupDispatch)
    elif mode in FLOAT_CONTROLS:
        if not declared.features.vulkan_1_2:
            declared.ext("SPV_KHR_float_controls", "SPV_KHR_float_controls", entry)
        declared.cap(FLOAT_CONTROLS[mode])
    elif mode in MODE_ALTERNATIVES:
        declared.one_of(*MODE_ALTERNATIVES[mode], entry)
    else:
        capabilities, extensions, what = MODE_EXTENSIONS.get(mode, ((), (), ""))
        declared.cap(*capabilities)
        for name in extensions:
            declared.ext(name, what, entry)
