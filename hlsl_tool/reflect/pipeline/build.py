"""Merge the reflections of a pipeline's stages into tables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

from ..model import EntryPoint, Reflection, Resource, SpecConstant, StageVariable, Type
from .model import (
    Attribute,
    Binding,
    ColorAttachment,
    MapEntry,
    PipelineTables,
    PushRange,
    SetLayout,
    Stage,
    VertexInput,
)

STAGES = {
    "Vertex": "VERTEX",
    "TessellationControl": "TESSELLATION_CONTROL",
    "TessellationEvaluation": "TESSELLATION_EVALUATION",
    "Geometry": "GEOMETRY",
    "TaskEXT": "TASK",
    "MeshEXT": "MESH",
    "Fragment": "FRAGMENT",
    "GLCompute": "COMPUTE",
    "RayGenerationKHR": "RAYGEN",
    "AnyHitKHR": "ANY_HIT",
    "ClosestHitKHR": "CLOSEST_HIT",
    "MissKHR": "MISS",
    "IntersectionKHR": "INTERSECTION",
    "CallableKHR": "CALLABLE",
}
"""Execution model → stage, in the order in which stages follow each other."""
_EXTENSIONS = {"TASK": "EXT", "MESH": "EXT", **dict.fromkeys(list(STAGES.values())[8:], "KHR")}
_GRAPHICS = list(STAGES.values())[:7]

DESCRIPTORS = {
    "uniform_buffer": "UNIFORM_BUFFER",
    "storage_buffer": "STORAGE_BUFFER",
    "sampled_image": "SAMPLED_IMAGE",
    "storage_image": "STORAGE_IMAGE",
    "sampler": "SAMPLER",
    "combined_image_sampler": "COMBINED_IMAGE_SAMPLER",
    "uniform_texel_buffer": "UNIFORM_TEXEL_BUFFER",
    "storage_texel_buffer": "STORAGE_TEXEL_BUFFER",
    "input_attachment": "INPUT_ATTACHMENT",
    "acceleration_structure": "ACCELERATION_STRUCTURE_KHR",
}
_COMPONENTS = ("R", "RG", "RGB", "RGBA")
_CHANNELS = "RGBA"


class PipelineError(Exception):
    """Raised for stages that do not fit together, or that Vulkan has no pipeline for."""


def stage_bit(stage: str) -> str:
    """Return the enumerant of a stage: ``VK_SHADER_STAGE_MESH_BIT_EXT``."""
    extension = _EXTENSIONS.get(stage)
    return f"VK_SHADER_STAGE_{stage}_BIT" + (f"_{extension}" if extension else "")


def pipeline_of(reflections: Sequence[Reflection]) -> PipelineTables:
    """Return the tables of a pipeline of these modules, each with its entry points; raise `PipelineError`."""
    shaders = [(reflection, entry) for reflection in reflections for entry in reflection.entry_points]
    unknown = next((entry.model for _, entry in shaders if entry.model not in STAGES), None)
    if unknown is not None:
        raise PipelineError(f"Vulkan has no pipeline stage for the execution model {unknown}")
    if not shaders:
        raise PipelineError("there is no entry point")
    order = list(STAGES)
    shaders.sort(key=lambda pair: order.index(pair[1].model))
    present = [STAGES[entry.model] for _, entry in shaders]
    tables = PipelineTables([_stage(reflection, entry, present) for reflection, entry in shaders])
    tables.set_layouts = _set_layouts(shaders)
    tables.push_constants = _push_constants(entry for _, entry in shaders)
    for _, entry in shaders:
        if entry.model == "Vertex":
            tables.vertex_input = _vertex_input(entry)
        elif entry.model == "Fragment":
            tables.color_attachments = list(_color_attachments(entry))
            builtins = {variable.builtin for variable in entry.outputs}
            tables.writes_depth = "FragDepth" in builtins
            tables.writes_stencil = "FragStencilRefEXT" in builtins
    return tables


# ---------------------------------------------------------------------------------------------------------- stages


def _stage(reflection: Reflection, entry: EntryPoint, present: list[str]) -> Stage:
    stage = STAGES[entry.model]
    out = Stage(stage_bit(stage), entry.name, workgroup_size=entry.workgroup_size)
    if entry.wave_size:
        low, high, *preferred = entry.wave_size if len(entry.wave_size) > 1 else entry.wave_size * 2
        out.subgroup_size = low if low == high else next(iter(preferred), None)
        out.subgroup_sizes = [low, high] if low != high else []
    if stage in _GRAPHICS:
        later = [s for s in _GRAPHICS[_GRAPHICS.index(stage) + 1 :] if s in present]
        out.next_stages = [stage_bit(later[0])] if later else []
        if stage == "MESH" and "TASK" not in present:
            out.create_flags.append("VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT")
    data = b""
    for constant in reflection.specialization_constants:
        value = _bytes(constant)
        data += bytes(-len(data) % len(value))
        out.specialization.append(MapEntry(constant.id, len(data), len(value), constant.name, constant.default))
        data += value
    out.specialization_data = data.hex()
    return out


def _bytes(constant: SpecConstant) -> bytes:
    """Return the default value of a constant in memory; a boolean is a ``VkBool32``."""
    default, bits = constant.default, constant.type.bits or 32
    if constant.type.kind == "bool":
        return struct.pack("<I", bool(default))
    if constant.type.kind == "float":
        return struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], float(default))
    return (int(default) & ((1 << bits) - 1)).to_bytes(bits // 8, "little")


# ------------------------------------------------------------------------------------------------------- resources


def _set_layouts(shaders: Sequence[tuple[Reflection, EntryPoint]]) -> list[SetLayout]:
    merged: dict[tuple[int, int], Binding] = {}
    for reflection, entry in shaders:
        for resource in reflection.resources:
            if entry.name in resource.used_by and resource.binding is not None:
                key = (resource.set or 0, resource.binding)
                merged[key] = _merged(merged.get(key), _binding(resource, entry), key)
    last = max((number for number, _ in merged), default=-1)
    layouts = [SetLayout(number) for number in range(last + 1)]
    for key in sorted(merged):
        layouts[key[0]].bindings.append(merged[key])
    for layout in layouts:
        for binding in layout.bindings:
            if binding.count is None:
                binding.flags.append("VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT")
                if binding is layout.bindings[-1]:
                    binding.flags.append("VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT")
    return layouts


def _binding(resource: Resource, entry: EntryPoint) -> Binding:
    kind = DESCRIPTORS.get(resource.kind)
    if kind is None:
        raise PipelineError(f"`{resource.name}` is no descriptor of Vulkan")
    assert resource.binding is not None
    bit = stage_bit(STAGES[entry.model])
    return Binding(resource.binding, f"VK_DESCRIPTOR_TYPE_{kind}", resource.count, [bit], [], resource.name)


def _merged(first: Binding | None, second: Binding, key: tuple[int, int]) -> Binding:
    if first is None:
        return second
    if first.type != second.type:
        place = f"binding {key[1]} of set {key[0]}"
        raise PipelineError(f"{place} is {first.type} (`{first.name}`) and {second.type} (`{second.name}`)")
    count = None if None in (first.count, second.count) else max(first.count or 0, second.count or 0)
    stages = [*first.stages, *(stage for stage in second.stages if stage not in first.stages)]
    return Binding(first.binding, first.type, count, stages, [], first.name)


def _push_constants(entries: Iterable[EntryPoint]) -> list[PushRange]:
    """Return one range for all stages: every call of ``vkCmdPushConstants`` may name them all."""
    start, end, stages = None, 0, []
    for entry in entries:
        for used in entry.push_constants:
            start = used.offset if start is None else min(start, used.offset)
            end = max(end, used.offset + used.size)
            bit = stage_bit(STAGES[entry.model])
            if bit not in stages:
                stages.append(bit)
    if start is None:
        return []
    start -= start % 4
    return [PushRange(start, -(-(end - start) // 4) * 4, stages)]


# ------------------------------------------------------------------------------------------------ inputs and outputs


def _vertex_input(entry: EntryPoint) -> VertexInput:
    out = VertexInput()
    variables = [variable for variable in entry.inputs if variable.location is not None]
    for variable in sorted(variables, key=lambda v: (v.location or 0, v.component or 0)):
        location = variable.location or 0
        for part in _parts(variable.type):
            form, size = vertex_format(part)
            align = min(4, size)
            offset = -(-out.stride // align) * align
            out.attributes.append(Attribute(location, form, offset, size, _name(variable)))
            out.stride = offset + size
            location += 2 if part.bits == 64 and part.columns > 2 else 1
    out.stride = -(-out.stride // 4) * 4
    return out


def _parts(t: Type) -> Iterator[Type]:
    """Yield the vectors and scalars of a vertex input, one for each attribute."""
    if t.kind == "array" and t.element is not None:
        for _ in range(t.count or 0):
            yield from _parts(t.element)
    elif t.kind == "matrix":
        for _ in range(t.rows):
            yield Type("vector", bits=t.bits, component=t.component, rows=1, columns=t.columns)
    else:
        yield t


def vertex_format(t: Type) -> tuple[str, int]:
    """Return the format of a scalar or vector as it is in the shader, and its size."""
    count = t.columns or 1
    word = t.component or t.kind
    kind = "SFLOAT" if word.startswith(("float", "half", "double")) else "UINT" if word.startswith("u") else "SINT"
    channels = "".join(f"{channel}{t.bits}" for channel in _CHANNELS[:count])
    return f"VK_FORMAT_{channels}_{kind}", count * t.bits // 8


def _color_attachments(entry: EntryPoint) -> Iterator[ColorAttachment]:
    variables = [variable for variable in entry.outputs if variable.location is not None]
    for variable in sorted(variables, key=lambda v: (v.location or 0, v.index or 0)):
        location = variable.location or 0
        for part in _parts(variable.type):
            word = part.component or part.kind
            kind = "float" if word.startswith(("float", "half")) else "uint" if word.startswith("u") else "sint"
            yield ColorAttachment(location, variable.index or 0, kind, part.columns or 1)
            location += 1


def _name(variable: StageVariable) -> str:
    return variable.semantic or variable.name.removeprefix("in.var.").removeprefix("out.var.")
