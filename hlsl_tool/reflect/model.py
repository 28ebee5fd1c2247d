"""The reflection of one module as plain data; field names are those of the JSON.

Sizes, offsets and strides are bytes.  A matrix has ``rows`` and ``columns`` as HLSL counts them; ``majorness`` says
which of them lies contiguously in memory (``000``: HLSL's word is the opposite of SPIR-V's decoration).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

FORMAT = 1
"""Raised when a field changes its meaning or goes."""

TypeKind = Literal[
    "void", "bool", "int", "uint", "float", "vector", "matrix", "array", "struct", "image", "sampler", "sampled_image",
    "acceleration_structure", "pointer", "other",
]


@dataclass(slots=True)
class Type:
    """A type; which fields count depends on ``kind``."""

    kind: TypeKind
    name: str = ""
    """As HLSL writes it (``float4x3``, ``Texture2D``), or the struct's name."""
    bits: int = 0
    component: str = ""
    """Component type of vectors, matrices and images: ``float``, ``uint16``."""
    rows: int = 0
    columns: int = 0
    """Of vectors and matrices; a vector is one row."""
    element: Type | None = None
    count: int | None = None
    """Elements of an array; ``None`` for an unbounded one."""
    stride: int | None = None
    """Bytes from one array element, or one row or column of a matrix, to the next."""
    majorness: str = ""
    """``row_major`` or ``column_major``, of matrices in memory."""
    members: list[Member] = field(default_factory=list)
    size: int | None = None
    dim: str = ""
    arrayed: bool = False
    multisampled: bool = False
    format: str = ""


@dataclass(slots=True)
class Member:
    """A member of a struct in memory."""

    name: str
    type: Type
    offset: int | None = None
    size: int | None = None


@dataclass(slots=True)
class Resource:
    """Something bound from outside."""

    name: str
    kind: str
    """``uniform_buffer storage_buffer sampled_image storage_image sampler combined_image_sampler uniform_texel_buffer
    storage_texel_buffer input_attachment acceleration_structure push_constant shader_record``: the Vulkan
    descriptor."""
    type: Type
    set: int | None = None
    binding: int | None = None
    count: int | None = 1
    """Descriptors in the binding; ``None`` for an unbounded array."""
    access: str = ""
    """``read``, ``write`` or ``read_write``."""
    input_attachment_index: int | None = None
    hlsl: dict[str, Any] = field(default_factory=dict)
    """From the source: ``type``, ``register``, ``space``, ``rule`` (how the binding was chosen), ``layout``."""


@dataclass(slots=True)
class StageVariable:
    """An input or output of an entry point."""

    name: str
    type: Type
    location: int | None = None
    component: int | None = None
    index: int | None = None
    builtin: str = ""
    interpolation: list[str] = field(default_factory=list)
    semantic: str = ""


@dataclass(slots=True)
class EntryPoint:
    name: str
    model: str
    modes: list[str] = field(default_factory=list)
    workgroup_size: list[int] | None = None
    inputs: list[StageVariable] = field(default_factory=list)
    outputs: list[StageVariable] = field(default_factory=list)


@dataclass(slots=True)
class SpecConstant:
    name: str
    id: int
    type: Type
    default: bool | int | float


@dataclass(slots=True)
class Reflection:
    version: str
    capabilities: list[str]
    extensions: list[str]
    entry_points: list[EntryPoint] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    push_constants: list[Resource] = field(default_factory=list)
    specialization_constants: list[SpecConstant] = field(default_factory=list)
