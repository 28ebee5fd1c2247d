"""The interface record: properties of the source that reflection needs and SPIR-V lacks, as plain data."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Declared = tuple[int, SourceChunk | None]
"""A declaration's position: (index of its token in the top-level declaration, that declaration)."""


@dataclass(slots=True)
class ResourceRecord:
    """A resource or block: its HLSL declaration and its binding."""

    name: str
    kind: str
    """The kind in HLSL: ``Texture2D``, ``cbuffer``, ``ConstantBuffer``, ``$Globals``, ``push_constant``."""
    variable: int
    """Provisional id of the SPIR-V variable; in the finished module it is identified by name and binding."""
    type: str = ""
    """The type in HLSL: ``Texture2D<float4>[4]``."""
    set: int | None = None
    binding: int | None = None
    register: str | None = None
    space: int | None = None
    rule: str = ""
    """The rule that chose the binding: ``attribute``, ``register``, ``shift``, ``bind-register``, ``bind-globals``,
    ``heap``, ``automatic``."""
    shift: int = 0
    """The number that ``-fvk-*-shift`` added to the register, or the start of the search for a free binding."""
    layout: str = ""
    token: Declared | None = field(default=None, compare=False, repr=False)
    place: Location | None = None
    """The place of the declaration, after `InterfaceRecord.locate`; for several declarations (``$Globals``) that of the
    first."""
    counter_of: str = ""
    declared: str = ""
    """The type with its arguments and dimensions: ``StructuredBuffer<Light>[4]``."""


@dataclass(slots=True)
class StageVariableRecord:
    """An input or output of the entry point: its semantic, HLSL type, location and source location."""

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
    """A bit-field; ``offset`` is the number of bits below it in its member."""

    name: str
    type: str
    offset: int
    bits: int


@dataclass(slots=True)
class MemberRecord:
    """Properties of a struct member that SPIR-V lacks."""

    type: str
    """The type in HLSL."""
    majorness: str = ""
    """``column_major`` for a matrix of integers that is an array of its columns; SPIR-V has no decoration for it."""
    bit_fields: list[BitFieldRecord] = field(default_factory=list)


@dataclass(slots=True)
class StructRecord:
    """A struct with a memory layout; member names and offsets identify its type in SPIR-V."""

    names: tuple[str, ...]
    offsets: tuple[int, ...]
    members: list[MemberRecord]


@dataclass(slots=True)
class InterfaceRecord:
    """The properties of one module's source that reflection needs and SPIR-V lacks."""

    resources: list[ResourceRecord] = field(default_factory=list)
    stage_variables: list[StageVariableRecord] = field(default_factory=list)
    blocks: list[BlockLayout] = field(default_factory=list)
    """Blocks with a memory layout, used or not, in order of declaration."""
    entry: str = ""
    stage: str = ""
    workgroup_size: tuple[int, int, int] | None = None
    structs: list[StructRecord] = field(default_factory=list)
    """Structs in memory, possibly repeated."""
    wave_sizes: dict[str, list[int]] = field(default_factory=dict)
    """Entry point → the numbers of its ``[WaveSize]``."""

    find: Callable[[Declared], Location | None] | None = field(default=None, compare=False, repr=False)
    """Returns the source location of a token; ``None`` after `locate`."""

    def locate(self) -> None:
        """Replace the tokens of all records by source locations; expensive, so callers call it on demand."""
        find, self.find = self.find, None
        if find is None:
            return
        for r in self.resources:
            if r.token is not None:
                r.place, r.token = find(r.token), None
        for v in self.stage_variables:
            if v.token is not None:
                v.place, v.token = find(v.token), None
