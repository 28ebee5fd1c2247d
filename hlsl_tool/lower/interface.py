"""What SPIR-V cannot say: the interface record, plain data handed on beside the module."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.layout.blocks import Block


@dataclass(slots=True)
class ResourceRecord:
    """A resource or block as the source declares it and as it was bound."""

    name: str
    kind: str
    """HLSL's name of the type: ``Texture2D``, ``cbuffer``, ``ConstantBuffer``, ``$Globals``, ``push_constant``."""
    variable: int
    """Provisional id of the SPIR-V variable; after finalising, the variable is found by its name and binding."""
    set: int | None = None
    binding: int | None = None
    register: str | None = None
    space: int | None = None
    rule: str = ""
    """Which rule gave the binding: ``attribute``, ``register``, ``shift``, ``bind-register``, ``automatic``."""
    layout: str = ""
    file: str = ""
    line: int = 0
    counter_of: str = ""
    declared: str = ""
    """The type with its arguments and dimensions: ``StructuredBuffer<Light>[4]``."""


@dataclass(slots=True)
class StageVariableRecord:
    """An input or output of the entry point."""

    name: str
    semantic: str
    direction: str
    type: str
    location: int | None = None
    component: int | None = None
    index: int | None = None
    builtin: str | None = None
    interpolation: tuple[str, ...] = ()


@dataclass(slots=True)
class BitFieldRecord:
    """A bit-field; ``offset`` counts bits from the lowest of the member it lies in."""

    name: str
    type: str
    offset: int
    bits: int


@dataclass(slots=True)
class MemberRecord:
    """What SPIR-V does not say of a member."""

    type: str
    """As HLSL writes it."""
    bit_fields: list[BitFieldRecord] = field(default_factory=list)


@dataclass(slots=True)
class StructRecord:
    """A struct as it lies in memory; its members' names and offsets tell which it is in SPIR-V."""

    names: tuple[str, ...]
    offsets: tuple[int, ...]
    members: list[MemberRecord]


@dataclass(slots=True)
class InterfaceRecord:
    """Everything of one module."""

    resources: list[ResourceRecord] = field(default_factory=list)
    stage_variables: list[StageVariableRecord] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    """What has a memory layout, in order of declaration, used or not."""
    entry: str = ""
    stage: str = ""
    workgroup_size: tuple[int, int, int] | None = None
    structs: list[StructRecord] = field(default_factory=list)
    """Structs in memory; one may be there several times."""
