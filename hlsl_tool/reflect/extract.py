"""From the final SPIR-V to its reflection (SPIR-V specification 2.16; Vulkan's *Shader Interfaces*)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .model import EntryPoint, Reflection, Resource, SpecConstant, StageVariable, Type
from .types import Types

_SC = e.StorageClass
_D = e.Decoration
_RESOURCES = frozenset((_SC.Uniform, _SC.UniformConstant, _SC.StorageBuffer))
_INTERPOLATION = {
    _D.Flat: "nointerpolation", _D.NoPerspective: "noperspective", _D.Centroid: "centroid", _D.Sample: "sample",
}  # fmt: skip


class ResourceFacts(Protocol):
    """What the source knows of a resource (``lower.interface.ResourceRecord``)."""

    name: str
    kind: str
    set: int | None
    binding: int | None
    register: str | None
    space: int | None
    rule: str
    layout: str
    counter_of: str


class StageVariableFacts(Protocol):
    """What the source knows of a stage variable."""

    name: str
    semantic: str


class InterfaceFacts(Protocol):
    """The compiler's interface record, as far as it is wanted here."""

    @property
    def resources(self) -> Sequence[ResourceFacts]: ...
    @property
    def stage_variables(self) -> Sequence[StageVariableFacts]: ...


def reflect(module: Module, interface: InterfaceFacts | None = None) -> Reflection:
    """The reflection of a module; ``interface`` adds the HLSL side of what is still there."""
    types = Types(module)
    major, minor = module.version_tuple
    out = Reflection(
        f"{major}.{minor}",
        [enum_name("Capability", inst.id(0)) or str(inst.id(0)) for inst in module.capabilities],
        [inst.text(0) for inst in module.extensions],
    )
    facts = {r.name: r for r in interface.resources} if interface is not None else {}
    semantics = {v.name: v.semantic for v in interface.stage_variables} if interface is not None else {}
    variables = {inst.result_id: inst for inst in module.globals if inst.op == op.OpVariable}
    for variable in variables.values():
        storage = variable.id(0)
        if storage in _RESOURCES:
            out.resources.append(_resource(types, variable, facts))
        elif storage in (_SC.PushConstant, _SC.ShaderRecordBufferKHR):
            out.push_constants.append(_resource(types, variable, facts))
    out.resources.sort(key=lambda r: (r.set or 0, r.binding or 0, r.name))
    for inst in module.entry_points:
        out.entry_points.append(_entry_point(types, module, inst, variables, semantics))
    for inst in module.globals:
        number = types.decoration(inst.result_id, _D.SpecId) if inst.result_id else None
        if number is not None:
            name = types.names.get(inst.result_id, "")
            out.specialization_constants.append(
                SpecConstant(name, number, types.type(inst.type_id), types.constant(inst.result_id))
            )
    out.specialization_constants.sort(key=lambda c: c.id)
    return out


# --------------------------------------------------------------------------------------------------------- resources


def _resource(types: Types, variable: Instruction, facts: dict[str, ResourceFacts]) -> Resource:
    pointee = types.definitions[variable.type_id].id(1)
    count: int | None = 1
    inner = types.definitions[pointee]
    while inner.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        if inner.op == op.OpTypeRuntimeArray:
            count = None
        elif count is not None:
            count *= int(types.constant(inner.id(1)))
        inner = types.definitions[inner.id(0)]
    number = variable.result_id
    name = types.names.get(number, "")
    found = Resource(
        name, _kind(types, variable.id(0), inner), types.type(inner.result_id),
        types.decoration(number, _D.DescriptorSet), types.decoration(number, _D.Binding), count,
        _access(types, variable, inner), types.decoration(number, _D.InputAttachmentIndex),
    )  # fmt: skip
    fact = facts.get(name)
    if fact is not None:
        found.hlsl = {"type": fact.kind, "register": fact.register, "space": fact.space, "rule": fact.rule,
                      "layout": fact.layout, "counter_of": fact.counter_of}  # fmt: skip
        found.hlsl = {key: value for key, value in found.hlsl.items() if value not in (None, "")}
    return found


def _kind(types: Types, storage: int, inner: Instruction) -> str:
    if storage == _SC.PushConstant:
        return "push_constant"
    if storage == _SC.ShaderRecordBufferKHR:
        return "shader_record"
    if inner.op == op.OpTypeStruct:
        buffer = storage == _SC.StorageBuffer or types.has(inner.result_id, _D.BufferBlock)
        return "storage_buffer" if buffer else "uniform_buffer"
    if inner.op == op.OpTypeSampler:
        return "sampler"
    if inner.op == op.OpTypeAccelerationStructureKHR:
        return "acceleration_structure"
    if inner.op == op.OpTypeSampledImage:
        return "combined_image_sampler"
    if inner.op == op.OpTypeImage:
        dim, is_storage = inner.id(1), inner.id(5) == 2
        if dim == e.Dim.SubpassData:
            return "input_attachment"
        if dim == e.Dim.Buffer:
            return "storage_texel_buffer" if is_storage else "uniform_texel_buffer"
        return "storage_image" if is_storage else "sampled_image"
    return "other"


def _access(types: Types, variable: Instruction, inner: Instruction) -> str:
    """``read``, ``write`` or ``read_write``; images without a sampler and storage buffers can be written."""
    kind = _kind(types, variable.id(0), inner)
    if kind not in ("storage_buffer", "storage_image", "storage_texel_buffer"):
        return "read"
    number = variable.result_id
    reads, writes = not types.has(number, _D.NonReadable), not types.has(number, _D.NonWritable)
    if inner.op == op.OpTypeStruct:
        members = types.on_members(inner.result_id, _D.NonWritable)
        writes = writes and not (members and all(members))
    return {(True, True): "read_write", (True, False): "read", (False, True): "write"}.get((reads, writes), "read")


# ------------------------------------------------------------------------------------------------------ entry points


def _entry_point(
    types: Types, module: Module, inst: Instruction, variables: dict[int, Instruction], semantics: dict[str, str]
) -> EntryPoint:
    model = enum_name("ExecutionModel", inst.id(0)) or str(inst.id(0))
    found = EntryPoint(inst.text(2), model)
    for mode in module.execution_modes:
        if mode.id(0) != inst.id(1):
            continue
        if mode.id(1) == e.ExecutionMode.LocalSize:
            found.workgroup_size = [mode.id(i) for i in (2, 3, 4)]
        elif mode.id(1) == e.ExecutionMode.LocalSizeId:
            found.workgroup_size = [int(types.constant(mode.id(i))) for i in (2, 3, 4)]
        else:
            found.modes.append(enum_name("ExecutionMode", mode.id(1)) or str(mode.id(1)))
    for operand in inst.operands[3:]:
        variable = variables.get(operand) if isinstance(operand, int) else None
        if variable is None:
            continue
        if variable.id(0) == _SC.Input:
            found.inputs.append(_stage_variable(types, variable, semantics))
        elif variable.id(0) == _SC.Output:
            found.outputs.append(_stage_variable(types, variable, semantics))
    for listed in (found.inputs, found.outputs):
        listed.sort(key=lambda v: (bool(v.builtin), v.location or 0, v.component or 0, v.index or 0, v.builtin, v.name))
    return found


def _stage_variable(types: Types, variable: Instruction, semantics: dict[str, str]) -> StageVariable:
    number = variable.result_id
    name = types.names.get(number, "")
    pointee: Type = types.type(types.definitions[variable.type_id].id(1))
    builtin = types.decoration(number, _D.BuiltIn)
    return StageVariable(
        name, pointee, types.decoration(number, _D.Location), types.decoration(number, _D.Component),
        types.decoration(number, _D.Index),
        "" if builtin is None else enum_name("BuiltIn", builtin) or str(builtin),
        [word for decoration, word in _INTERPOLATION.items() if types.has(number, decoration)],
        semantics.get(name, ""),
    )  # fmt: skip
