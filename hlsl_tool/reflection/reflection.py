"""The reflection of one module as plain data, with the field names of the JSON (``docs/how-to/reflection.md``).

Sizes, offsets and strides are bytes.  A matrix has ``rows`` and ``columns`` as HLSL counts them; ``majorness`` is the
direction that is contiguous in memory in HLSL's terms, which is the opposite of SPIR-V's decoration.

``schema.py`` generates the JSON schema from these classes; the string after a field is its description there.  The JSON
omits a field with its default value, unless its metadata are ``WRITTEN``.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from hlsl_tool.base.system.dataclass import dataclass, field

FORMAT = 1
"""Version of the format, incremented when a field is removed or changes its meaning."""

WRITTEN = {"written": True}
"""Metadata of fields that are written even at their defaults."""


TypeKind = Literal[
    "void", "bool", "int", "uint", "float", "vector", "matrix", "array", "struct", "image", "sampler", "sampled_image",
    "acceleration_structure", "pointer", "other",
]  # fmt: skip
ResourceKind = Literal[
    "uniform_buffer",
    "storage_buffer",
    "sampled_image",
    "storage_image",
    "sampler",
    "combined_image_sampler",
    "uniform_texel_buffer",
    "storage_texel_buffer",
    "input_attachment",
    "acceleration_structure",
    "push_constant",
    "shader_record",
    "other",
]
Access = Literal["read", "write", "read_write"]
HlslAccess = Literal["read_only", "read_write"]
Majorness = Literal["", "row_major", "column_major"]


class BitField(TypedDict, total=False):
    """A bit-field that shares a member with others; ``offset`` counts bits from the lowest."""

    name: str
    type: str
    offset: int
    bits: int


class MemberFacts(TypedDict, total=False):
    """Information of the HLSL source about a member that SPIR-V lacks."""

    type: str
    """The type in HLSL, such as ``bool3`` for ``uint3`` in memory, ``min16float``, an enumeration, ``int2x3``."""
    majorness: Majorness
    """``column_major`` for a matrix of integers or booleans that is an array of its columns in memory."""
    bit_fields: list[BitField]


class ResourceFacts(TypedDict, total=False):
    """Information of the HLSL source about a resource that SPIR-V lacks."""

    type: str
    """The kind in HLSL: ``Texture2D``, ``cbuffer``, ``ConstantBuffer``, ``$Globals``, ``push_constant``."""
    register: str
    space: int
    rule: str
    """The rule that chose the binding: ``attribute``, ``register``, ``shift``, ``bind-register``, ``automatic``."""
    layout: str
    """The layout rule that placed the members."""
    counter_of: str
    """The buffer whose counter this is."""
    declared: str
    """The type with its arguments and dimensions: ``StructuredBuffer<Light>[4]``."""


class MslSlots(TypedDict, total=False):
    """Indices of a resource in the Metal Shading Language, in the output ``msl`` of a build."""

    buffer: int
    texture: int
    sampler: int


class StageFacts(TypedDict, total=False):
    """Information of the HLSL source about a stage variable that SPIR-V lacks."""

    type: str
    """The type in HLSL, such as ``bool`` for SPIR-V's ``uint``, ``min16float``, ``int2x3``."""


class Reference(TypedDict, total=False):
    """A reference to another resource of the module."""

    name: str
    set: int
    binding: int


@dataclass(slots=True)
class Type:
    """A type; its kind determines which fields are used."""

    kind: TypeKind
    name: str = field(default="", metadata=WRITTEN)
    """HLSL's spelling (``float4x3``, ``Texture2D``), or the struct's name."""
    bits: int = 0
    """The bits of a scalar, or of a component."""
    component: str = ""
    """Component type of vectors, matrices and images: ``float``, ``uint16_t``."""
    rows: int = 0
    """The rows of a vector or matrix, as HLSL counts them; a vector has one row."""
    columns: int = 0
    """The columns of a vector or matrix, as HLSL counts them."""
    element: Type | None = None
    """The element type of an array."""
    count: int | None = None
    """The length of an array; ``null`` for an unbounded one. A length that depends on specialisation constants is
    computed from their defaults."""
    count_constants: list[int] = field(default_factory=list)
    """The ids of the specialisation constants that the length of an array depends on."""
    stride: int | None = None
    """Bytes from one array element, or one row or column of a matrix, to the next."""
    majorness: Majorness = ""
    """The order of a matrix in memory: ``row_major`` if the components of a row are contiguous."""
    members: list[Member] = field(default_factory=list)
    """The members of a struct."""
    size: int | None = None
    """Bytes from the first to the end of the last component, without the padding behind the last element, row or
    column, and without an unbounded array at the end."""
    dim: str = ""
    """The dimensionality of an image: ``1D``, ``2D``, ``3D``, ``Cube``, ``Rect``, ``Buffer``, ``SubpassData``."""
    arrayed: bool = False
    """Whether an image has array layers."""
    multisampled: bool = False
    """Whether an image is multisampled."""
    depth: bool = False
    """Whether an image is declared for depth comparisons."""
    format: str = ""
    """The texel format of a storage image, as SPIR-V names it."""
    storage: str = ""
    """The storage class that a pointer points into, as SPIR-V names it."""
    pointee: str = ""
    """The target of a pointer into memory: the ``name`` of an entry in ``pointees``."""


@dataclass(slots=True)
class Member:
    """A member of a struct."""

    name: str
    type: Type
    offset: int | None = field(default=None, metadata=WRITTEN)
    """Bytes from the beginning of the struct; ``null`` for a struct that is not in memory."""
    size: int | None = None
    """The size of its type."""
    builtin: str = ""
    """The system value of a member of a stage variable, as SPIR-V names it: ``Position``."""
    location: int | None = None
    """The location of a member of a stage variable."""
    component: int | None = None
    """The first component of a member of a stage variable."""
    interpolation: list[str] = field(default_factory=list)
    """The interpolation modifiers of a member of a stage variable."""
    decorations: list[str] = field(default_factory=list)
    """Other decorations that matter to a host: ``coherent``, ``volatile``, ``restrict``, ``non_writable``,
    ``non_readable``, ``relaxed_precision``, ``patch``, ``per_primitive``."""
    semantic: str = ""
    """The HLSL semantic of a stage variable, if the module has it."""
    hlsl: MemberFacts = field(default_factory=MemberFacts)
    """Information of the HLSL source that SPIR-V lacks."""


@dataclass(slots=True)
class Resource:
    """A variable that the host binds: a descriptor, push constants, or a shader record."""

    name: str
    """The name of the variable, or of the block's type if the variable has no name."""
    kind: ResourceKind
    """The kind of Vulkan descriptor."""
    type: Type
    """The type of one descriptor: the block, the image, the sampler."""
    set: int | None = None
    binding: int | None = None
    count: int | None = field(default=1, metadata=WRITTEN)
    """The number of descriptors in the binding; ``null`` for an unbounded array."""
    access: Access = field(default="read", metadata=WRITTEN)
    """The access that the decorations allow."""
    input_attachment_index: int | None = None
    hlsl: ResourceFacts = field(default_factory=ResourceFacts)
    """Information of the HLSL source that SPIR-V lacks."""
    hlsl_access: HlslAccess = field(default="read_only", metadata=WRITTEN)
    """The access of the HLSL type: ``read_only`` (``Buffer``, ``StructuredBuffer``, ``cbuffer``) or ``read_write``
    (``RWBuffer``, ``AppendStructuredBuffer``), by the manual's rules, from SPIR-V alone."""
    dimensions: list[int | None] = field(default_factory=list)
    """The lengths of an array of resources, outermost first; ``count`` is their product."""
    count_constants: list[int] = field(default_factory=list)
    """The ids of the specialisation constants that ``count`` depends on."""
    counter: Reference = field(default_factory=Reference)
    """The counter of a structured buffer."""
    counter_of: Reference = field(default_factory=Reference)
    """The structured buffer of a counter."""
    user_type: str = ""
    """The type that ``-fspv-reflect`` stores in the module: ``rwstructuredbuffer:<uint>``."""
    decorations: list[str] = field(default_factory=list)
    """Decorations for memory: ``coherent``, ``volatile``, ``restrict``, ``non_writable``, ``non_readable``,
    ``aliased``."""
    msl: MslSlots = field(default_factory=MslSlots)
    """The indices ``[[buffer(n)]]``, ``[[texture(n)]]`` and ``[[sampler(n)]]`` in the output ``msl``."""
    used_by: list[str] = field(default_factory=list, metadata=WRITTEN)
    """The entry points whose call graph uses the resource."""


@dataclass(slots=True)
class HeapDescriptor:
    """A kind of descriptor that shaders load from a heap by index."""

    kind: ResourceKind
    """The kind of Vulkan descriptor."""
    type: Type
    """The block, the image, the sampler."""
    access: Access = field(default="read", metadata=WRITTEN)
    """The access that the decorations allow."""
    hlsl_access: HlslAccess = field(default="read_only", metadata=WRITTEN)
    """The access of the HLSL type, as of resources."""


@dataclass(slots=True)
class DescriptorHeap:
    """A heap of ``VK_EXT_descriptor_heap``; the byte offset of a descriptor is its index times the stride."""

    name: str
    """The name of the variable: ``resource_heap``, ``sampler_heap``."""
    builtin: str
    """``ResourceHeapEXT`` or ``SamplerHeapEXT``."""
    stride: int | None = None
    """Bytes from one descriptor to the next; ``null`` if the device's sizes of descriptors decide."""
    stride_of_largest: list[str] = field(default_factory=list)
    """The kinds of descriptors among whose sizes the largest is the stride: ``image``, ``buffer``, ``sampler``,
    ``acceleration_structure``."""
    descriptors: list[HeapDescriptor] = field(default_factory=list, metadata=WRITTEN)
    used_by: list[str] = field(default_factory=list, metadata=WRITTEN)
    """The entry points that list the heap."""


@dataclass(slots=True)
class StageVariable:
    """An input or output of an entry point, or a payload of ray tracing."""

    name: str
    type: Type
    location: int | None = None
    component: int | None = None
    index: int | None = None
    """The index of a source for dual-source blending."""
    builtin: str = ""
    """The system value, as SPIR-V names it: ``Position``, ``FragCoord``."""
    interpolation: list[str] = field(default_factory=list)
    """Interpolation modifiers: ``nointerpolation``, ``noperspective``, ``centroid``, ``sample``; empty for
    ``linear``."""
    semantic: str = ""
    """The HLSL semantic, if the module or the source has it."""
    decorations: list[str] = field(default_factory=list)
    """Other decorations: ``patch``, ``per_primitive``, ``per_vertex``, ``invariant``, ``relaxed_precision``,
    ``passthrough``."""
    stream: int | None = None
    """The vertex stream of a geometry shader's output."""
    xfb_buffer: int | None = None
    """The buffer of transform feedback."""
    xfb_stride: int | None = None
    xfb_offset: int | None = None
    storage: str = ""
    """The storage class of payloads: ``RayPayloadKHR``, ``HitAttributeKHR``, ``TaskPayloadWorkgroupEXT``."""
    hlsl: StageFacts = field(default_factory=StageFacts)
    """Information of the HLSL source that SPIR-V lacks."""


@dataclass(slots=True)
class ExecutionMode:
    """An execution mode with its operands; ids of constants are replaced by their values."""

    name: str
    operands: list[int | str] = field(default_factory=list)


@dataclass(slots=True)
class Use:
    """The use of a resource by the call graph of an entry point."""

    name: str
    set: int | None = None
    binding: int | None = None
    access: Literal["read", "write", "read_write", "unknown"] = "unknown"
    """The accesses of the instructions; ``unknown`` if the resource is an argument of a call, which may read and
    write."""


@dataclass(slots=True)
class Range:
    """A range of bytes, of push constants or of a shader record, that an entry point accesses."""

    name: str
    offset: int
    size: int


@dataclass(slots=True)
class EntryPoint:
    """An entry point with its stage variables, execution modes and used resources."""

    name: str
    model: str
    """SPIR-V's execution model: ``Vertex``, ``Fragment``, ``GLCompute``."""
    modes: list[str] = field(default_factory=list)
    """The names of the execution modes, except for the workgroup's size."""
    workgroup_size: list[int] | None = None
    """Three numbers; for specialisation constants their defaults."""
    inputs: list[StageVariable] = field(default_factory=list, metadata=WRITTEN)
    """Inputs by location, then system values. In a module with several entry points only those that the call graph
    uses."""
    outputs: list[StageVariable] = field(default_factory=list, metadata=WRITTEN)
    execution_modes: list[ExecutionMode] = field(default_factory=list)
    """All execution modes, with operands."""
    workgroup_size_ids: list[int | None] = field(default_factory=list)
    """The ids of the specialisation constants behind the three numbers, ``null`` for a fixed number; empty if all are
    fixed."""
    payloads: list[StageVariable] = field(default_factory=list)
    """Ray payloads, hit attributes, callable data, payloads of task and mesh shaders."""
    resources: list[Use] = field(default_factory=list, metadata=WRITTEN)
    """The resources that the call graph uses."""
    push_constants: list[Range] = field(default_factory=list)
    """The bytes of push constants, and of shader records, that the call graph uses."""
    wave_size: list[int] = field(default_factory=list)
    """The numbers of ``[WaveSize]``, from the source: the only size, or the least, the greatest and perhaps the
    preferred one."""


@dataclass(slots=True)
class SpecConstant:
    """A specialisation constant."""

    name: str
    id: int
    type: Type
    default: bool | int | float | str
    """The default value; a string for numbers that JSON lacks: ``Infinity``, ``-Infinity``, ``NaN``."""


@dataclass(slots=True)
class Pointee:
    """A type that buffer addresses point to."""

    name: str
    """A unique name: that of the struct, with a number if it is shared or missing."""
    type: Type
    stride: int | None = None
    """Bytes from one element to the next, for a pointer that is used as an array."""


@dataclass(slots=True)
class Source:
    """``OpSource``: the language and its version; for HLSL the shader model of the profile, 660 for ``*s_6_6``."""

    language: str
    version: int


@dataclass(slots=True)
class Feature:
    """The requirements of a capability or SPIR-V extension; the device needs one of ``needs_one_of``."""

    name: str
    """The name in SPIR-V: ``Int64``, ``SPV_KHR_ray_query``; ``OpAtomicExchange`` for exchanges of floats."""
    needs_one_of: list[str]
    """Alternatives: ``VkPhysicalDeviceFeatures::shaderInt64``, ``VK_VERSION_1_1``, ``VK_KHR_ray_query``,
    ``VkPhysicalDeviceVulkan11Properties::subgroupSupportedOperations=VK_SUBGROUP_FEATURE_VOTE_BIT``."""
    provided_by: list[str] = field(default_factory=list)
    """The versions and extensions of Vulkan that provide the structs in ``needs_one_of``."""


@dataclass(slots=True)
class Requirements:
    """The requirements of a module on a device, by Vulkan's tables of capabilities and SPIR-V extensions."""

    vulkan: str
    """The lowest version of Vulkan that accepts the module's version of SPIR-V."""
    features: list[Feature] = field(default_factory=list)
    extensions: list[Feature] = field(default_factory=list)
    """The SPIR-V extensions of the module."""
    unknown: list[str] = field(default_factory=list)
    """Capabilities and extensions that are not in Vulkan's tables."""


@dataclass(slots=True)
class Reflection:
    """The reflection of a module: everything that a host must provide."""

    version: str
    """The version of SPIR-V: ``1.3``."""
    capabilities: list[str]
    """The capabilities that the module declares, as SPIR-V names them."""
    extensions: list[str]
    """The SPIR-V extensions that the module declares."""
    entry_points: list[EntryPoint] = field(default_factory=list, metadata=WRITTEN)
    resources: list[Resource] = field(default_factory=list, metadata=WRITTEN)
    """The bound resources, by set and binding."""
    descriptor_heaps: list[DescriptorHeap] = field(default_factory=list)
    """The heaps of ``SPV_EXT_descriptor_heap``."""
    push_constants: list[Resource] = field(default_factory=list, metadata=WRITTEN)
    """The blocks of push constants, and the shader records."""
    specialization_constants: list[SpecConstant] = field(default_factory=list, metadata=WRITTEN)
    """The specialisation constants, by id."""
    pointees: list[Pointee] = field(default_factory=list)
    """The types that buffer addresses point to."""
    addressing: str = ""
    """The addressing model: ``Logical``, ``PhysicalStorageBuffer64``."""
    memory_model: str = ""
    """The memory model: ``GLSL450``, ``Vulkan``."""
    sources: list[Source] = field(default_factory=list)
    requirements: Requirements | None = None
