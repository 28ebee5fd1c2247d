"""Write descriptor heaps in C++: strides, mappings of bindings, push data."""

from __future__ import annotations

from hlsl_tool.reflection.cpp.identifiers import in_comment
from hlsl_tool.reflection.pipeline.pipeline_tables import Heap, PipelineTables

from .cpp_text import array, binding_comment, flags

_PROPERTIES = "const VkPhysicalDeviceDescriptorHeapPropertiesEXT&"


def heaps_cpp(tables: PipelineTables) -> str:
    """Return the declarations that replace set layouts in a pipeline with descriptor heaps."""
    create_flags = (
        "/// The pipeline has no layout: it takes descriptors from heaps.\n"
        f"inline constexpr VkPipelineCreateFlags2KHR pipeline_create_flags = {flags(tables.create_flags)};\n"
    )
    parts = [create_flags, *map(_heap, tables.descriptor_heaps), _mappings(tables), _push_data(tables)]
    body = "\n".join(part for part in parts if part)
    return f"#ifdef VK_EXT_descriptor_heap\n{body}#endif\n"


def _heap(heap: Heap) -> str:
    kinds = ", ".join(dict.fromkeys(f"{d.name} ({d.type})" if d.name else d.type for d in heap.descriptors))
    text = f"/// The {heap.kind} heap, with {in_comment(kinds)}." if kinds else f"/// The {heap.kind} heap."
    text += (
        f"\n/// A descriptor is at its index times the stride; reserve `{heap.reserved_range_property}` bytes"
        " where no index leads.\n"
    )
    text += f"inline constexpr VkShaderStageFlags {heap.kind}_heap_stages = {flags(heap.stages)};\n"
    stride, parameter = (str(heap.stride), "") if heap.stride is not None else (_largest(heap), " properties")
    text += f"constexpr VkDeviceSize {heap.kind}_heap_stride({_PROPERTIES}{parameter})\n{{\n    return {stride};\n}}\n"
    if heap.stride is None:
        return text
    fits = [f"{heap.stride} >= properties.{name}" for name in heap.stride_properties]
    fits += [f"{heap.stride} % properties.{name} == 0" for name in heap.alignment_properties]
    return text + (
        "/// Whether the descriptors of the device fit the stride that the shaders were compiled for.\n"
        f"constexpr bool {heap.kind}_heap_stride_fits({_PROPERTIES} properties)\n"
        f"{{\n    return {' && '.join(fits)};\n}}\n"
    )


def _largest(heap: Heap) -> str:
    """Return a C++ expression for the maximum of the device properties that determine a heap's stride."""
    first, *rest = (f"properties.{name}" for name in heap.stride_properties)
    for other in rest:
        first = f"{first} > {other} ? {first} : {other}"
    return first


def _mappings(tables: PipelineTables) -> str:
    bindings = [(layout.set, binding) for layout in tables.set_layouts for binding in layout.bindings]
    if not bindings:
        return ""
    kind = "VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT, nullptr"
    source = "VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT, {}"
    rows = [
        f"{{{kind}, {number}, {binding.binding}, 1, {flags(binding.resource_mask)}, {source}}},"
        f"  // {_count(binding.count)}{binding_comment(binding)}"
        for number, binding in bindings
    ]
    text = "/// The bindings; copy them and set `source` and `sourceData`, then chain them to the stages.\n"
    return text + array("VkDescriptorSetAndBindingMappingEXT", "binding_mappings", rows)


def _count(count: int | None) -> str:
    return "" if count == 1 else "any number of " if count is None else f"{count} of "


def _push_data(tables: PipelineTables) -> str:
    if not tables.push_constants:
        return ""
    (used,) = tables.push_constants
    return (
        "/// Push constants are push data: the offset and the bytes for vkCmdPushDataEXT.\n"
        f"inline constexpr std::uint32_t push_data_offset = {used.offset};\n"
        f"inline constexpr std::uint32_t push_data_size = {used.size};\n"
    )
