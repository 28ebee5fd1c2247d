"""The values for a pipeline's create infos as plain data, with the field names of their JSON.

Enumerants have Vulkan's names.  Sizes and offsets are bytes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field

FORMAT = 1
"""Version of the JSON."""


@dataclass(slots=True)
class Binding:
    """A binding of a descriptor set layout; ``count`` is ``None`` for an unbounded array."""

    binding: int
    type: str
    count: int | None
    stages: list[str]
    flags: list[str] = field(default_factory=list)
    name: str = ""
    count_constants: list[int] = field(default_factory=list)
    """The ids of the specialisation constants that ``count`` depends on: it holds for their defaults."""
    input_attachment_index: int | None = None
    resource_mask: list[str] = field(default_factory=list)
    """The kinds of variables at the binding, for ``VkDescriptorSetAndBindingMappingEXT``."""


@dataclass(slots=True)
class SetLayout:
    """A descriptor set layout; the layout of an unused set number has no bindings."""

    set: int
    bindings: list[Binding] = field(default_factory=list)


@dataclass(slots=True)
class PushRange:
    """The byte range of the push constant blocks of all stages, with the stages that use any of it."""

    offset: int
    size: int
    stages: list[str]


@dataclass(slots=True)
class MapEntry:
    """An entry of the specialisation map, with the default value of the constant."""

    constant_id: int
    offset: int
    size: int
    name: str
    default: bool | int | float | str


@dataclass(slots=True)
class Stage:
    """A shader stage; ``next_stages`` are the stages that follow it in this pipeline, for ``VkShaderCreateInfoEXT``."""

    stage: str
    entry_point: str
    shader: str = ""
    """The name of the module."""
    next_stages: list[str] = field(default_factory=list)
    create_flags: list[str] = field(default_factory=list)
    workgroup_size: list[int] | None = None
    subgroup_size: int | None = None
    """The subgroup size to require, from ``[WaveSize]``: the only or the preferred one."""
    subgroup_sizes: list[int] = field(default_factory=list)
    """The least and the greatest size of a ``[WaveSize]`` with a range: the host may require any between them."""
    specialization: list[MapEntry] = field(default_factory=list)
    specialization_data: str = ""
    """The default values in hexadecimal, as ``pData`` of ``VkSpecializationInfo``."""
    shader_record_size: int = 0
    """The bytes of the shader record behind the group's handle in a shader binding table."""


@dataclass(slots=True)
class Attribute:
    """A vertex attribute in a single interleaved buffer."""

    location: int
    format: str
    offset: int
    size: int
    name: str


@dataclass(slots=True)
class VertexInput:
    """The attributes of the vertex stage; ``stride`` is that of a buffer with all of them."""

    stride: int = 0
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class ColorAttachment:
    """A colour output of the fragment stage; its format must have this type and these components."""

    location: int
    index: int
    type: str
    """``float``, ``sint`` or ``uint``."""
    components: int
    format: str
    """A format with all bits of the shader's value; any with its type will do."""


@dataclass(slots=True)
class HeapDescriptor:
    """A kind of descriptor that a stage loads from a heap."""

    type: str
    name: str
    """The type in HLSL, or the name of the block."""


@dataclass(slots=True)
class Heap:
    """A descriptor heap; the byte offset of a descriptor from the start of the heap is its index times the stride."""

    kind: str
    """``resource`` or ``sampler``."""
    stride: int | None
    """The stride that the shaders were compiled for; ``None`` if the device decides."""
    stride_properties: list[str]
    """Members of ``VkPhysicalDeviceDescriptorHeapPropertiesEXT``: the largest is the stride, where the device
    decides; a stride of the shaders must be at least as large as each."""
    alignment_properties: list[str]
    """Members of the same struct: a stride of the shaders must be a multiple of each."""
    heap_alignment_property: str
    """The member that the address of the heap must be a multiple of."""
    reserved_range_property: str
    """The member with the least size of the range that the host reserves for the implementation."""
    stages: list[str]
    descriptors: list[HeapDescriptor] = field(default_factory=list)


@dataclass(slots=True)
class PipelineTables:
    """All values that a host needs to create a Vulkan pipeline: stages, set layouts, push constants, attachments."""

    stages: list[Stage] = field(default_factory=list)
    set_layouts: list[SetLayout] = field(default_factory=list)
    push_constants: list[PushRange] = field(default_factory=list)
    descriptor_heaps: list[Heap] = field(default_factory=list)
    """If there are any, the pipeline has no layout: bindings are mapped to heaps, push constants are push data."""
    create_flags: list[str] = field(default_factory=list)
    """Flags for ``VkPipelineCreateFlags2CreateInfo``."""
    patch_control_points: int | None = None
    """The control points of the patches that the tessellation stages take."""
    vertex_input: VertexInput | None = None
    color_attachments: list[ColorAttachment] = field(default_factory=list)
    writes_depth: bool = False
    writes_stencil: bool = False


def unite(first: Binding | Heap, second: Binding | Heap, *lists: str) -> None:
    """Append to the list fields ``lists`` of ``first`` the values that only ``second`` has."""
    for name in lists:
        values = getattr(first, name)
        values += [value for value in getattr(second, name) if value not in values]


def tables_json(tables: PipelineTables) -> str:
    """Return the JSON text for one pipeline, with the version of the format."""
    content: dict[str, Any] = {"format": FORMAT, **dataclasses.asdict(tables)}
    return json.dumps(content, indent=2) + "\n"


def project_json(pipelines: Iterable[tuple[str, PipelineTables]]) -> str:
    """Return the JSON text for all pipelines of a project, by name."""
    rows = [{"name": name, **dataclasses.asdict(tables)} for name, tables in pipelines]
    return json.dumps({"format": FORMAT, "pipelines": rows}, indent=2) + "\n"
