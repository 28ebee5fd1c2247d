"""Descriptor set layouts and push constant ranges of a pipeline's stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlsl_tool.reflection.pipeline.pipeline_stages import PipelineError, stage_bit
from hlsl_tool.reflection.pipeline.pipeline_tables import Binding, PushRange, SetLayout, unite
from hlsl_tool.reflection.reflection import EntryPoint, Reflection, Resource

Shader = tuple[Reflection, EntryPoint, str]
"""(its module, the entry point, the name of the module)"""

_DESCRIPTORS = {
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
_MASKS = {
    "uniform_buffer": "UNIFORM_BUFFER",
    "sampled_image": "SAMPLED_IMAGE",
    "sampler": "SAMPLER",
    "combined_image_sampler": "COMBINED_SAMPLED_IMAGE",
    "uniform_texel_buffer": "SAMPLED_IMAGE",
    "acceleration_structure": "ACCELERATION_STRUCTURE",
}
"""Kinds of resources → kinds of variables in SPIR-V; others depend on the access, too."""
_PAIR = {"VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE", "VK_DESCRIPTOR_TYPE_SAMPLER"}
_MOST_SETS = 256
"""More sets than any device binds at once."""


def descriptor_type(kind: str, name: str) -> str:
    """Return Vulkan's descriptor type for a kind of resource.

    Raise `PipelineError`, which names the resource, for others.
    """
    if kind not in _DESCRIPTORS:
        raise PipelineError(f"`{name}` is no descriptor of Vulkan")
    return f"VK_DESCRIPTOR_TYPE_{_DESCRIPTORS[kind]}"


def set_layouts(shaders: Sequence[Shader]) -> list[SetLayout]:
    """Return the layouts of sets 0 to the last used one.

    Raise `PipelineError` for bindings that differ between stages.
    """
    merged: dict[tuple[int, int], Binding] = {}
    for reflection, entry, _ in shaders:
        for resource in reflection.resources:
            if entry.name in resource.used_by:
                number, binding = resource.set or 0, _binding(resource, entry)
                if number >= _MOST_SETS:
                    raise PipelineError(f"`{resource.name}` is in set {number}: no device binds that many sets")
                key = (number, binding.binding)
                merged[key] = _merged(merged.get(key), binding, key)
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
    kind = descriptor_type(resource.kind, resource.name)
    if resource.binding is None:
        raise PipelineError(f"`{resource.name}` has no binding")
    out = Binding(resource.binding, kind, resource.count, [stage_bit(entry.model)], [], resource.name)
    out.count_constants = list(resource.count_constants)
    out.input_attachment_index = resource.input_attachment_index
    out.resource_mask = [f"VK_SPIRV_RESOURCE_TYPE_{mask}_BIT_EXT" for mask in _masks(resource)]
    return out


def _masks(resource: Resource) -> list[str]:
    if resource.kind in _MASKS:
        masks = [_MASKS[resource.kind]]
        is_pair = resource.kind == "combined_image_sampler" and resource.type.kind != "sampled_image"
        return ["SAMPLER", "SAMPLED_IMAGE"] if is_pair else masks
    what = "STORAGE_BUFFER" if resource.kind == "storage_buffer" else "IMAGE"
    return [f"READ_ONLY_{what}" if resource.access == "read" else f"READ_WRITE_{what}"]


def _merged(first: Binding | None, second: Binding, key: tuple[int, int]) -> Binding:
    if first is None:
        return second
    if first.type != second.type:
        kinds = f"{_described(first)} and {_described(second)}"
        is_pair = {first.type, second.type} == _PAIR
        hint = "; `[[vk::combinedImageSampler]]` on both makes them one descriptor" if is_pair else ""
        raise PipelineError(f"binding {key[1]} of set {key[0]} is {kinds}{hint}")
    if first.input_attachment_index != second.input_attachment_index:
        indices = f"{first.input_attachment_index} and {second.input_attachment_index}"
        raise PipelineError(f"binding {key[1]} of set {key[0]} has the input attachment indices {indices}")
    first.count = None if None in (first.count, second.count) else max(first.count or 0, second.count or 0)
    unite(first, second, "stages", "count_constants", "resource_mask")
    return first


def _described(binding: Binding) -> str:
    return f"{binding.type} (`{binding.name}`)" if binding.name else binding.type


def push_constants(shaders: Sequence[Shader]) -> list[PushRange]:
    """Return a list with one range for all stages, so that every call of ``vkCmdPushConstants`` may name all of them.

    The range includes the whole block of each stage, as Vulkan requires of layouts.  [] if there are no push constants.
    """
    blocks = [(entry, *block) for reflection, entry, _ in shaders for block in _blocks(reflection, entry)]
    if not blocks:
        return []
    start = min(offset for _, offset, _ in blocks) // 4 * 4
    end = max(end for _, _, end in blocks)
    stages = list(dict.fromkeys(stage_bit(entry.model) for entry, _, _ in blocks))
    return [PushRange(start, -(-(end - start) // 4) * 4, stages)]


def _blocks(reflection: Reflection, entry: EntryPoint) -> Iterator[tuple[int, int]]:
    """Yield (offset, end) in bytes of each push constant block that an entry point uses."""
    used = {use.name for use in entry.push_constants}
    for block in reflection.push_constants:
        if block.kind == "push_constant" and (block.name in used and entry.name in block.used_by):
            offsets = [member.offset or 0 for member in block.type.members]
            if block.type.size is None:
                raise PipelineError(f"the push constants `{block.name}` have no size")
            yield min(offsets, default=0), block.type.size


def shader_record_size(reflection: Reflection, entry: EntryPoint) -> int:
    """Return the size in bytes of the shader records that an entry point uses."""
    records = [r for r in reflection.push_constants if r.kind == "shader_record" and entry.name in r.used_by]
    return max((record.type.size or 0 for record in records), default=0)
