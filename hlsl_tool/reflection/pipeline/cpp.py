"""Write the values for a pipeline as a C++17 header of constants, based on ``vulkan_core.h``.

The preprocessor omits structs of extensions that an older ``vulkan_core.h`` lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.reflection.cpp.identifiers import Scope, identifier, in_comment, in_string
from hlsl_tool.reflection.pipeline.pipeline_tables import Binding, PipelineTables, SetLayout, Stage

from .cpp_heaps import heaps_cpp
from .cpp_text import array, binding_comment, flags

_PREAMBLE = """\
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

/// The capacity of arrays of descriptors without a size; define it before the header is included.
#ifndef HLSL_TOOL_UNBOUNDED_DESCRIPTORS
#define HLSL_TOOL_UNBOUNDED_DESCRIPTORS 1024
#endif
"""


def pipeline_cpp(tables: PipelineTables, *, namespace: str = "pipeline") -> str:
    """Return a C++ header with Vulkan's create infos of one pipeline in ``namespace`` (``a::b``)."""
    full = "::".join(_namespace(part) for part in namespace.split("::"))
    body = pipeline_body(tables)
    return f"{_PREAMBLE}\nnamespace {full} {{\n\n{body}\n}}  // namespace {full}\n"


def project_cpp(pipelines: Iterable[tuple[str, PipelineTables]], *, namespace: str) -> str:
    """Return a header with all pipelines of a project, each in a namespace with its name.

    A pipeline with the same values as an earlier one, such as another permutation, is an alias of it.
    """
    full = _namespace(namespace)
    scope = Scope()
    first: dict[str, str] = {}
    parts = []
    for name, tables in pipelines:
        inner, body = scope.add(name), pipeline_body(tables)
        shaders = ", ".join(dict.fromkeys(stage.shader for stage in tables.stages))
        if first.setdefault(body, inner) != inner:
            parts.append(f"namespace {inner} = {first[body]};  // {in_comment(shaders)}\n")
        else:
            parts.append(
                f"// {in_comment(name)}: {in_comment(shaders)}\n"
                f"namespace {inner} {{\n\n{body}\n}}  // namespace {inner}\n"
            )
    body = "\n".join(parts)
    return f"{_PREAMBLE}\nnamespace {full} {{\n\n{body}\n}}  // namespace {full}\n"


def _namespace(name: str) -> str:
    """Return a namespace for a pipeline; it must differ from `main`, which is a global function."""
    word = identifier(name)
    return f"{word}_" if word == "main" else word


def pipeline_body(tables: PipelineTables) -> str:
    """Return the declarations of one pipeline, without preamble and namespace."""
    if tables.descriptor_heaps:
        layouts = [heaps_cpp(tables)]
    else:
        layouts = [*map(_set_layout, tables.set_layouts), _all_sets(tables.set_layouts), _push_constants(tables)]
    parts = [*layouts, *_vertex_input(tables), _patches(tables), _attachments(tables), *_stages(tables)]
    return "\n".join(part for part in parts if part)


# ---------------------------------------------------------------------------------------------------------- layouts


def _set_layout(layout: SetLayout) -> str:
    name, count = f"set{layout.set}", len(layout.bindings)
    if not layout.bindings:
        info = "{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 0, nullptr}"
        return f"/// Descriptor set {layout.set}: nothing is bound.\n{_info(name, info)}"
    rows = [_binding(binding) for binding in layout.bindings]
    text = f"/// Descriptor set {layout.set}.\n" + array("VkDescriptorSetLayoutBinding", f"{name}_bindings", rows)
    next_info = "nullptr"
    if any(binding.flags for binding in layout.bindings):
        flag_rows = [f"{flags(binding.flags)},  // {in_comment(binding.name)}" for binding in layout.bindings]
        kind = "VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO"
        extended = f"{{{kind}, nullptr, {count}, {name}_binding_flags}}"
        text += array("VkDescriptorBindingFlags", f"{name}_binding_flags", flag_rows)
        text += f"inline constexpr VkDescriptorSetLayoutBindingFlagsCreateInfo {name}_flags_info = {extended};\n"
        next_info = f"&{name}_flags_info"
    info = f"{{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, {next_info}, 0, {count}, {name}_bindings}}"
    return text + _info(name, info)


def _info(name: str, info: str) -> str:
    return f"inline constexpr VkDescriptorSetLayoutCreateInfo {name}_info = {info};\n"


def _binding(binding: Binding) -> str:
    count = "HLSL_TOOL_UNBOUNDED_DESCRIPTORS" if binding.count is None else str(binding.count)
    stages = flags(binding.stages)
    return f"{{{binding.binding}, {binding.type}, {count}, {stages}, nullptr}},  // {binding_comment(binding)}"


def _all_sets(layouts: Sequence[SetLayout]) -> str:
    if not layouts:
        return ""
    rows = [f"&set{layout.set}_info," for layout in layouts]
    text = "/// The layouts by number; those for descriptor buffers need their flag in `flags`.\n"
    return text + array("const VkDescriptorSetLayoutCreateInfo*", "set_infos", rows)


def _push_constants(tables: PipelineTables) -> str:
    if not tables.push_constants:
        return ""
    rows = [f"{{{flags(r.stages)}, {r.offset}, {r.size}}}," for r in tables.push_constants]
    return "/// Push constants: one range for all stages that use some.\n" + array(
        "VkPushConstantRange", "push_constants", rows
    )


# ---------------------------------------------------------------------------------------------- inputs and outputs


def _vertex_input(tables: PipelineTables) -> list[str]:
    vertex = tables.vertex_input
    if vertex is None or not vertex.attributes:
        return []
    stride = vertex.stride
    plain = [f"{{{a.location}, 0, {a.format}, {a.offset}}},  // {in_comment(a.name)}" for a in vertex.attributes]
    kind = "VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, nullptr"
    dynamic = [f"{{{kind}, {a.location}, 0, {a.format}, {a.offset}}}," for a in vertex.attributes]
    per_vertex = f"0, {stride}, VK_VERTEX_INPUT_RATE_VERTEX"
    whole = f"{{VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, nullptr, {per_vertex}, 1}},"
    return [
        "/// The vertex attributes, in one interleaved buffer.\n"
        + array("VkVertexInputBindingDescription", "vertex_bindings", [f"{{{per_vertex}}},"])
        + array("VkVertexInputAttributeDescription", "vertex_attributes", plain),
        "#ifdef VK_EXT_vertex_input_dynamic_state\n/// The same for vkCmdSetVertexInputEXT.\n"
        + array("VkVertexInputBindingDescription2EXT", "dynamic_vertex_bindings", [whole])
        + array("VkVertexInputAttributeDescription2EXT", "dynamic_vertex_attributes", dynamic)
        + "#endif\n",
    ]


def _patches(tables: PipelineTables) -> str:
    if tables.patch_control_points is None:
        return ""
    text = "/// The control points of a patch, for VkPipelineTessellationStateCreateInfo.\n"
    return f"{text}inline constexpr std::uint32_t patch_control_points = {tables.patch_control_points};\n"


def _attachments(tables: PipelineTables) -> str:
    if not any(stage.stage == "VK_SHADER_STAGE_FRAGMENT_BIT" for stage in tables.stages):
        return ""
    locations = [a.location for a in tables.color_attachments]
    count = max(locations, default=-1) + 1
    text = "/// Dynamic rendering: the colours, by location, and whether the shader writes depth and stencil itself.\n"
    text += f"inline constexpr std::uint32_t color_attachment_count = {count};\n"
    for word in ("depth", "stencil"):
        value = "true" if getattr(tables, f"writes_{word}") else "false"
        text += f"inline constexpr bool writes_{word} = {value};\n"
    first = {a.location: a for a in reversed(tables.color_attachments) if a.index == 0}
    rows = []
    for location in range(count):
        at = first.get(location)
        words = f"{at.components} x {at.type}" if at else "not written"
        rows.append(f"{at.format if at else 'VK_FORMAT_UNDEFINED'},  // {words}")
    if rows:
        text += "/// Formats with all bits of the colours; any others of the same types will do.\n"
        text += array("VkFormat", "color_attachment_formats", rows)
    if any(a.index == 1 for a in tables.color_attachments):
        text += "// The colour of index 1 is the second source of blending.\n"
    return text


# ----------------------------------------------------------------------------------------------------------- stages


def _stages(tables: PipelineTables) -> list[str]:
    scope = Scope()
    parts = []
    names = [stage.entry_point for stage in tables.stages]
    for stage in tables.stages:
        is_shared = names.count(stage.entry_point) > 1  # `main` in each module
        name = scope.add(f"{stage.entry_point}_{_stage_word(stage)}" if is_shared else stage.entry_point)
        record = _shader_record(stage, name)
        objects = "" if stage.stage.endswith("_KHR") else _shader_object(stage, name, tables)
        parts.append(_specialization(stage, name) + record + _stage(stage, name) + objects)
    return parts


def _stage_word(stage: Stage) -> str:
    """Return the stage in an enumerant: `vertex` for `VK_SHADER_STAGE_VERTEX_BIT`."""
    return stage.stage.removeprefix("VK_SHADER_STAGE_").partition("_BIT")[0].lower()


def _default(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _specialization(stage: Stage, name: str) -> str:
    if not stage.specialization:
        return ""
    data = bytes.fromhex(stage.specialization_data)
    words = ", ".join(f"0x{byte:02x}" for byte in data)
    rows = [
        f"{{{e.constant_id}, {e.offset}, {e.size}}},  // {in_comment(e.name)}, default {_default(e.default)}"
        for e in stage.specialization
    ]
    info = f"{{{len(rows)}, {name}_map_entries, {len(data)}, {name}_defaults}}"
    return (
        f"/// The specialisation constants of {name}; copy the defaults and change them.\n"
        + array("VkSpecializationMapEntry", f"{name}_map_entries", rows)
        + f"alignas(8) inline constexpr std::uint8_t {name}_defaults[{len(data)}] = {{{words}}};\n"
        + f"inline constexpr VkSpecializationInfo {name}_specialization = {info};\n"
    )


def _shader_record(stage: Stage, name: str) -> str:
    if not stage.shader_record_size:
        return ""
    text = "/// The bytes of the shader record behind the handle of the group in a shader binding table.\n"
    return f"{text}inline constexpr std::uint32_t {name}_shader_record_size = {stage.shader_record_size};\n"


def _pointer(stage: Stage, name: str) -> str:
    return f"&{name}_specialization" if stage.specialization else "nullptr"


def _stage(stage: Stage, name: str) -> str:
    entry = in_string(stage.entry_point)
    size = ""
    next_info = "nullptr"
    if stage.subgroup_size is not None:
        kind = "VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO"
        size = (
            f"inline VkPipelineShaderStageRequiredSubgroupSizeCreateInfo {name}_subgroup_size = "
            f"{{{kind}, nullptr, {stage.subgroup_size}}};\n"
        )
        next_info = f"&{name}_subgroup_size"
    fields = f"VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, {next_info}, 0, {stage.stage}, VK_NULL_HANDLE"
    info = f'{{{fields}, "{entry}", {_pointer(stage, name)}}}'
    return (
        f"/// The stage of a pipeline; set `module`.\n{size}"
        f"inline const VkPipelineShaderStageCreateInfo {name}_stage = {info};\n"
    )


def _shader_object(stage: Stage, name: str, tables: PipelineTables) -> str:
    ranges, sets, rest = "0, nullptr", 0, "`codeSize` and `pCode`"
    if not tables.descriptor_heaps:
        ranges = f"{len(tables.push_constants)}, push_constants" if tables.push_constants else ranges
        sets = len(tables.set_layouts)
    elif any(layout.bindings for layout in tables.set_layouts):
        rest = "`codeSize`, `pCode` and the mapping of bindings in `pNext`"
    rest = "`codeSize`, `pCode` and `pSetLayouts`" if sets else rest
    next_info = f"&{name}_subgroup_size" if stage.subgroup_size is not None else "nullptr"
    fields = ", ".join(
        (
            "VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT",
            next_info,
            flags(stage.create_flags),
            stage.stage,
            flags(stage.next_stages),
            "VK_SHADER_CODE_TYPE_SPIRV_EXT",
            "0, nullptr",
            f'"{in_string(stage.entry_point)}"',
            f"{sets}, nullptr",
            ranges,
            _pointer(stage, name),
        )
    )
    guard = "#ifdef VK_EXT_shader_object\n"
    if tables.descriptor_heaps:
        guard = "#if defined(VK_EXT_shader_object) && defined(VK_EXT_descriptor_heap)\n"
    return (
        f"{guard}/// The shader object; set {rest}.\n"
        f"inline const VkShaderCreateInfoEXT {name}_shader = {{{fields}}};\n"
        "#endif\n"
    )
