"""Descriptor heaps of a pipeline's stages, with the Vulkan device properties that determine their strides."""

from __future__ import annotations

from hlsl_tool.reflection.pipeline.pipeline_stages import PipelineError, stage_bit
from hlsl_tool.reflection.pipeline.pipeline_tables import Heap, HeapDescriptor, unite
from hlsl_tool.reflection.reflection import DescriptorHeap, EntryPoint, Reflection

from .resources import Shader, descriptor_type

_KINDS = {"ResourceHeapEXT": "resource", "SamplerHeapEXT": "sampler"}
_SIZES = {
    "image": "imageDescriptorSize",
    "buffer": "bufferDescriptorSize",
    "acceleration_structure": "bufferDescriptorSize",  # a buffer's descriptor, as to Vulkan
    "sampler": "samplerDescriptorSize",
}
_BUFFERS = ("uniform_buffer", "storage_buffer", "acceleration_structure")


def descriptor_heaps(shaders: list[Shader]) -> list[Heap]:
    """Return the heaps that any stage uses, resources first; raise `PipelineError` if stages need different strides."""
    merged: dict[str, Heap] = {}
    for reflection, entry, _ in shaders:
        for used in reflection.descriptor_heaps:
            if entry.name in used.used_by:
                heap = _heap(reflection, used, entry)
                merged[heap.kind] = _merged(merged.get(heap.kind), heap)
    return [merged[kind] for kind in _KINDS.values() if kind in merged]


def _heap(reflection: Reflection, used: DescriptorHeap, entry: EntryPoint) -> Heap:
    kind = _KINDS[used.builtin]
    if used.stride is None:
        sizes = [size for size in used.stride_of_largest if size in _SIZES]
    else:
        taken = {size for descriptor in used.descriptors for size in _sizes(descriptor.kind)}
        sizes = [size for size in _SIZES if size in taken]
    properties = list(dict.fromkeys(_SIZES[size] for size in sizes))
    descriptors = [HeapDescriptor(descriptor_type(d.kind, used.name), d.type.name) for d in used.descriptors]
    return Heap(
        kind,
        used.stride,
        properties,
        [name.replace("Size", "Alignment") for name in properties],
        f"{kind}HeapAlignment",
        f"min{kind.capitalize()}HeapReservedRange",
        [stage_bit(entry.model)],
        list({(d.type, d.name): d for d in descriptors}.values()),
    )


def _sizes(kind: str) -> tuple[str, ...]:
    """Return the device's descriptor sizes (`sampler`, `image`, `buffer`) that the heap's stride must not be less than.

    They depend on the kind of descriptor in the heap. A texel buffer may be an image or a buffer descriptor.
    """
    if kind == "sampler":
        return ("sampler",)
    return ("buffer",) if kind in _BUFFERS else ("image", "buffer") if "texel_buffer" in kind else ("image",)


def _merged(first: Heap | None, second: Heap) -> Heap:
    if first is None:
        return second
    computed = first.stride is None and first.stride_properties != second.stride_properties
    if first.stride != second.stride or computed:
        strides = " and ".join(f"{_stride(heap)} in {heap.stages[0]}" for heap in (first, second))
        raise PipelineError(f"the stages have different strides of the {first.kind} heap: {strides}")
    unite(first, second, "stride_properties", "alignment_properties", "stages", "descriptors")
    return first


def _stride(heap: Heap) -> str:
    return "that of the device" if heap.stride is None else str(heap.stride)
