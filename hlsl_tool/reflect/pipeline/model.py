"""The tables of a pipeline as plain data, with the field names of their JSON.

Enumerants have Vulkan's names.  Sizes and offsets are bytes.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from hlsl_tool.system.dataclass import dataclass, field

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


@dataclass(slots=True)
class SetLayout:
    """A descriptor set layout; those of unused numbers have no bindings."""

    set: int
    bindings: list[Binding] = field(default_factory=list)


@dataclass(slots=True)
class PushRange:
    """The bytes of push constants that some stage uses, with all stages that use some."""

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
    """A shader stage; ``next_stages`` are those that follow it here, for ``VkShaderCreateInfoEXT``."""

    stage: str
    entry_point: str
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


@dataclass(slots=True)
class Attribute:
    """A vertex attribute, in one interleaved buffer."""

    location: int
    format: str
    offset: int
    size: int
    name: str


@dataclass(slots=True)
class VertexInput:
    """The attributes of the vertex stage; ``stride`` is that of one buffer with all of them."""

    stride: int = 0
    attributes: list[Attribute] = field(default_factory=list)


@dataclass(slots=True)
class ColorAttachment:
    """A colour that the fragment stage writes: the formats that fit have this type and these components."""

    location: int
    index: int
    type: str
    """``float``, ``sint`` or ``uint``."""
    components: int


@dataclass(slots=True)
class PipelineTables:
    """All tables of a pipeline."""

    stages: list[Stage] = field(default_factory=list)
    set_layouts: list[SetLayout] = field(default_factory=list)
    push_constants: list[PushRange] = field(default_factory=list)
    vertex_input: VertexInput | None = None
    color_attachments: list[ColorAttachment] = field(default_factory=list)
    writes_depth: bool = False
    writes_stencil: bool = False


def tables_json(tables: PipelineTables) -> str:
    """Return the tables as JSON."""
    content: dict[str, Any] = {"format": FORMAT, **dataclasses.asdict(tables)}
    return json.dumps(content, indent=2) + "\n"
