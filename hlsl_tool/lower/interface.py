"""What SPIR-V cannot say: the interface record, plain data handed on beside the module."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.diagnostics.model import Location
from hlsl_tool.layout.blocks import Block
from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.system.dataclass import dataclass, field

Declared = tuple[int, SourceChunk | None]
"""Where something is declared: a token, counted from the first of its chunk."""


@dataclass(slots=True)
class ResourceRecord:
    """A resource or block as the source declares it and as it was bound."""

    name: str
    kind: str
    """HLSL's name of the type: ``Texture2D``, ``cbuffer``, ``ConstantBuffer``, ``$Globals``, ``push_constant``."""
    variable: int
    """Provisional id of the SPIR-V variable; after finalising, the variable is found by its name and binding."""
    type: str = ""
    """As HLSL writes it: ``Texture2D<float4>[4]``."""
    set: int | None = None
    binding: int | None = None
    register: str | None = None
    space: int | None = None
    rule: str = ""
    """Which rule gave the binding: ``attribute``, ``register``, ``shift``, ``bind-register``, ``bind-globals``,
    ``heap``, ``automatic``."""
    shift: int = 0
    """What ``-fvk-*-shift`` added to the register's number, or where the search of a free binding began."""
    layout: str = ""
    token: Declared | None = field(default=None, compare=False, repr=False)
    place: Location | None = None
    """The declaration, once `InterfaceRecord.locate` has been called; what belongs to several, such as ``$Globals``, is
    at the first of them."""
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
    token: Declared | None = field(default=None, compare=False, repr=False)
    place: Location | None = None


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
    majorness: str = ""
    """``column_major`` for a matrix of integers that is an array of its columns; SPIR-V has no decoration for it."""
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

    find: Callable[[Declared], Location | None] | None = field(default=None, compare=False, repr=False)
    """Token → place; gone when `locate` has asked it."""

    def locate(self) -> None:
        """Turn tokens into lines and columns: that costs, so it is done when somebody wants them."""
        find, self.find = self.find, None
        if find is None:
            return
        for r in self.resources:
            if r.token is not None:
                r.place, r.token = find(r.token), None
        for v in self.stage_variables:
            if v.token is not None:
                v.place, v.token = find(v.token), None
