"""The reflection of one module as plain data; field names are those of the JSON (``docs/how-to/reflection.md``).

Sizes, offsets and strides are bytes.  A matrix has ``rows`` and ``columns`` as HLSL counts them; ``majorness`` says
which of them lies contiguously in memory (``000``: HLSL's word is the opposite of SPIR-V's decoration).

The JSON schema is made from these classes (``schema.py``): the string behind a field is its description there.  A field
at its default is left out of the JSON, unless its metadata are ``WRITTEN``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypedDict

FORMAT = 1
"""Raised when a field changes its meaning or goes."""

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
    """What the source says of a member, where that is more than SPIR-V does."""

    type: str
    """HLSL's type: ``bool3`` where memory holds ``uint3``, ``min16float``, an enumeration, ``int2x3``."""
    majorness: Majorness
    """``column_major`` for a matrix of integers or booleans whose columns are the elements of the array in memory."""
    bit_fields: list[BitField]


class ResourceFacts(TypedDict, total=False):
    """What the source says of a resource."""

    type: str
    """``Texture2D``, ``cbuffer``, ``ConstantBuffer``, ``$Globals``, ``push_constant``."""
    register: str
    space: int
    rule: str
    """How the binding was chosen: ``attribute``, ``register``, ``shift``, ``bind-register``, ``automatic``."""
    layout: str
    """The rule that placed the members."""
    counter_of: str
    """The buffer whose counter this is."""
    declared: str
    """The type with its arguments and dimensions: ``StructuredBuffer<Light>[4]``."""


class StageFacts(TypedDict, total=False):
    """What the source says of a stage variable, where that is more than SPIR-V does."""

    type: str
    """HLSL's type: ``bool`` where SPIR-V has ``uint``, ``min16float``, ``int2x3``."""


class Reference(TypedDict, total=False):
    """A resource of the same module."""

    name: str
    set: int
    binding: int


@dataclass(slots=True)
class Type:
    """A type; which fields count depends on ``kind``."""

    kind: TypeKind
    name: str = field(default="", metadata=WRITTEN)
    """As HLSL writes it (``float4x3``, ``Texture2D``), or the struct's name."""
    bits: int = 0
    """Of a scalar, or of a component."""
    component: str = ""
    """Component type of vectors, matrices and images: ``float``, ``uint16_t``."""
    rows: int = 0
    """Of vectors and matrices, as HLSL counts them; a vector is one row."""
    columns: int = 0
    """Of vectors and matrices, as HLSL counts them."""
    element: Type | None = None
    """Of an array."""
    count: int | None = None
    """Elements of an array; ``null`` for an unbounded one. A length that depends on specialisation constants is that of
    their defaults."""
    count_constants: list[int] = field(default_factory=list)
    """The ids of the specialisation constants that the length of an array depends on."""
    stride: int | None = None
    """Bytes from one array element, or one row or column of a matrix, to the next."""
    majorness: Majorness = ""
    """Of matrices in memory: ``row_major`` where the components of a row lie together."""
    members: list[Member] = field(default_factory=list)
    """Of a struct."""
    size: int | None = None
    """Bytes from the first to the end of the last component. What lies behind the last element, row or column is not
    part of it, nor an unbounded array at the end."""
    dim: str = ""
    """Of images: ``1D``, ``2D``, ``3D``, ``Cube``, ``Rect``, ``Buffer``, ``SubpassData``."""
    arrayed: bool = False
    """Of images."""
    multisampled: bool = False
    """Of images."""
    depth: bool = False
    """An image that is declared to be used with comparisons."""
    format: str = ""
    """Of storage images, as SPIR-V names it."""
    storage: str = ""
    """The storage class that a pointer points into, as SPIR-V names it."""
    pointee: str = ""
    """Of a pointer into memory: the ``name`` of an entry in ``pointees``."""


@dataclass(slots=True)
class Member:
    """A member of a struct."""

    name: str
    type: Type
    offset: int | None = field(default=None, metadata=WRITTEN)
    """From the beginning of the struct; ``null`` where the struct does not lie in memory."""
    size: int | None = None
    """The size of its type."""
    builtin: str = ""
    """Of a block of stage variables."""
    location: int | None = None
    """Of a block of stage variables."""
    component: int | None = None
    """Of a block of stage variables."""
    interpolation: list[str] = field(default_factory=list)
    """Of a block of stage variables."""
    decorations: list[str] = field(default_factory=list)
    """Others that matter to a host: ``coherent``, ``volatile``, ``restrict``, ``non_writable``, ``non_readable``,
    ``relaxed_precision``, ``patch``, ``per_primitive``."""
    semantic: str = ""
    """HLSL's semantic of a stage variable, where the module has it."""
    hlsl: MemberFacts = field(default_factory=MemberFacts)
    """From the source."""


@dataclass(slots=True)
class Resource:
    """Something bound from outside."""

    name: str
    """Of the variable; of the block's type, where the variable has none."""
    kind: ResourceKind
    """The Vulkan descriptor."""
    type: Type
    """Of one descriptor: the block, the image, the sampler."""
    set: int | None = None
    binding: int | None = None
    count: int | None = field(default=1, metadata=WRITTEN)
    """Descriptors in the binding; ``null`` for an unbounded array."""
    access: Access = field(default="read", metadata=WRITTEN)
    """What the shader may do with it, by the decorations."""
    input_attachment_index: int | None = None
    hlsl: ResourceFacts = field(default_factory=ResourceFacts)
    """From the source."""
    hlsl_access: HlslAccess = field(default="read_only", metadata=WRITTEN)
    """Whether it is an HLSL resource for reading (``Buffer``, ``StructuredBuffer``, ``cbuffer``) or for reading and
    writing (``RWBuffer``, ``AppendStructuredBuffer``): the manual's rules, from SPIR-V alone."""
    dimensions: list[int | None] = field(default_factory=list)
    """The lengths of an array of resources, outermost first; ``count`` is their product."""
    count_constants: list[int] = field(default_factory=list)
    """The ids of the specialisation constants that ``count`` depends on."""
    counter: Reference = field(default_factory=Reference)
    """The counter of a structured buffer."""
    counter_of: Reference = field(default_factory=Reference)
    """The buffer that this is the counter of."""
    user_type: str = ""
    """The type as ``-fspv-reflect`` has it in the module: ``rwstructuredbuffer:<uint>``."""
    decorations: list[str] = field(default_factory=list)
    """``coherent``, ``volatile``, ``restrict``, ``non_writable``, ``non_readable``, ``aliased``."""
    used_by: list[str] = field(default_factory=list, metadata=WRITTEN)
    """The entry points whose call graph touches it."""


@dataclass(slots=True)
class StageVariable:
    """An input or output of an entry point, or a payload of ray tracing."""

    name: str
    type: Type
    location: int | None = None
    component: int | None = None
    index: int | None = None
    """Of two sources for blending."""
    builtin: str = ""
    """SPIR-V's name: ``Position``, ``FragCoord``."""
    interpolation: list[str] = field(default_factory=list)
    """``nointerpolation``, ``noperspective``, ``centroid``, ``sample``, ``linear`` being what says nothing."""
    semantic: str = ""
    """HLSL's semantic, where it is known."""
    decorations: list[str] = field(default_factory=list)
    """``patch``, ``per_primitive``, ``per_vertex``, ``invariant``, ``relaxed_precision``, ``passthrough``."""
    stream: int | None = None
    """Of geometry shaders."""
    xfb_buffer: int | None = None
    """Transform feedback."""
    xfb_stride: int | None = None
    xfb_offset: int | None = None
    storage: str = ""
    """The storage class of payloads: ``RayPayloadKHR``, ``HitAttributeKHR``, ``TaskPayloadWorkgroupEXT``."""
    hlsl: StageFacts = field(default_factory=StageFacts)
    """From the source."""


@dataclass(slots=True)
class ExecutionMode:
    """An execution mode with its operands; ids are replaced by the constants that they stand for."""

    name: str
    operands: list[int | str] = field(default_factory=list)


@dataclass(slots=True)
class Use:
    """What the call graph of an entry point touches of a resource."""

    name: str
    set: int | None = None
    binding: int | None = None
    access: Literal["read", "write", "read_write", "unknown"] = "unknown"
    """What instructions do; ``unknown`` where the resource is handed to something that may do either."""


@dataclass(slots=True)
class Range:
    """Bytes of a block of push constants, or of a shader record, that an entry point touches."""

    name: str
    offset: int
    size: int


@dataclass(slots=True)
class EntryPoint:
    """An entry point, and what it reaches."""

    name: str
    model: str
    """SPIR-V's execution model: ``Vertex``, ``Fragment``, ``GLCompute``."""
    modes: list[str] = field(default_factory=list)
    """The names of the execution modes but the workgroup's size."""
    workgroup_size: list[int] | None = None
    """Three numbers; where specialisation constants decide, their defaults."""
    inputs: list[StageVariable] = field(default_factory=list, metadata=WRITTEN)
    """By location, then system values. In a module of several entry points those that the call graph touches."""
    outputs: list[StageVariable] = field(default_factory=list, metadata=WRITTEN)
    execution_modes: list[ExecutionMode] = field(default_factory=list)
    """All execution modes, with operands."""
    workgroup_size_ids: list[int | None] = field(default_factory=list)
    """The specialisation constants that are the three numbers, where there are any."""
    payloads: list[StageVariable] = field(default_factory=list)
    """Ray payloads, hit attributes, callable data, payloads of task and mesh shaders."""
    resources: list[Use] = field(default_factory=list, metadata=WRITTEN)
    """What the call graph touches."""
    push_constants: list[Range] = field(default_factory=list)
    """The bytes of push constants, and of shader records, that the call graph touches."""


@dataclass(slots=True)
class SpecConstant:
    """A specialisation constant."""

    name: str
    id: int
    type: Type
    default: bool | int | float | str
    """A string for what JSON has no number for: ``Infinity``, ``-Infinity``, ``NaN``."""


@dataclass(slots=True)
class Pointee:
    """What buffer addresses point to."""

    name: str
    """Unique; where the struct has no name of its own, or shares it, it is numbered."""
    type: Type
    stride: int | None = None
    """From one to the next, where the pointer is used as that of an array."""


@dataclass(slots=True)
class Source:
    """``OpSource``: the language and its version; HLSL's is that of the profile: 660 for ``*s_6_6``."""

    language: str
    version: int


@dataclass(slots=True)
class Feature:
    """What a capability, or a SPIR-V extension, needs of the device; one of ``needs_one_of`` is enough."""

    name: str
    """As SPIR-V has it: ``Int64``, ``SPV_KHR_ray_query``."""
    needs_one_of: list[str]
    """``VkPhysicalDeviceFeatures::shaderInt64``, ``VK_VERSION_1_1``, ``VK_KHR_ray_query``,
    ``VkPhysicalDeviceVulkan11Properties::subgroupSupportedOperations=VK_SUBGROUP_FEATURE_VOTE_BIT``."""
    provided_by: list[str] = field(default_factory=list)
    """The versions and extensions of Vulkan that bring the structs named there."""


@dataclass(slots=True)
class Requirements:
    """What a device has to offer, by Vulkan's tables of capabilities and SPIR-V extensions."""

    vulkan: str
    """The lowest version of Vulkan that takes this version of SPIR-V."""
    features: list[Feature] = field(default_factory=list)
    extensions: list[Feature] = field(default_factory=list)
    """The SPIR-V extensions of the module."""
    unknown: list[str] = field(default_factory=list)
    """Capabilities and extensions that Vulkan's tables do not have."""


@dataclass(slots=True)
class Reflection:
    """What a module wants from its host."""

    version: str
    """Of SPIR-V: ``1.3``."""
    capabilities: list[str]
    """As SPIR-V names them."""
    extensions: list[str]
    """SPIR-V extensions."""
    entry_points: list[EntryPoint] = field(default_factory=list, metadata=WRITTEN)
    resources: list[Resource] = field(default_factory=list, metadata=WRITTEN)
    """By set and binding."""
    push_constants: list[Resource] = field(default_factory=list, metadata=WRITTEN)
    """Blocks of push constants, and shader records."""
    specialization_constants: list[SpecConstant] = field(default_factory=list, metadata=WRITTEN)
    """By id."""
    pointees: list[Pointee] = field(default_factory=list)
    """The types that buffer addresses point to."""
    addressing: str = ""
    """The addressing model: ``Logical``, ``PhysicalStorageBuffer64``."""
    memory_model: str = ""
    """``GLSL450``, ``Vulkan``."""
    sources: list[Source] = field(default_factory=list)
    requirements: Requirements | None = None
