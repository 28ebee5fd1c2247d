"""Resources: descriptor kind, binding and access of a variable (manual: *Reflection*)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from hlsl_tool.reflection.reflection import (
    Access,
    HlslAccess,
    MemberFacts,
    Reference,
    Resource,
    ResourceFacts,
    ResourceKind,
)
from hlsl_tool.reflection.spirv_types import WORDS, StructKey, TypeReader, first, in_source, listed
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, Dim, StorageClass
from hlsl_tool.spirv.ir import Instruction, Operand

UNBOUND = frozenset((StorageClass.PushConstant, StorageClass.ShaderRecordBufferKHR))
_READ_WRITE = 2
"""The Sampled operand of an image that is read and written without a sampler."""
_WRITABLE = ("storage_buffer", "storage_image", "storage_texel_buffer")
_MEMORY = (
    Decoration.Coherent,
    Decoration.Volatile,
    Decoration.Restrict,
    Decoration.NonWritable,
    Decoration.NonReadable,
    Decoration.Aliased,
)


class ResourceRecord(Protocol):
    """Information of the HLSL source about a resource (implemented by ``codegen.lower.interface.ResourceRecord``)."""

    name: str
    kind: str
    set: int | None
    binding: int | None
    register: str | None
    space: int | None
    rule: str
    layout: str
    counter_of: str
    declared: str


class StageVariableRecord(Protocol):
    """Information of the HLSL source about a stage variable."""

    name: str
    semantic: str
    direction: str
    type: str
    builtin: str | None


class BitFieldRecord(Protocol):
    """Information of the HLSL source about a bit-field."""

    name: str
    type: str
    offset: int
    bits: int


class MemberRecord(Protocol):
    """Information of the HLSL source about a member of a struct."""

    type: str
    majorness: str

    @property
    def bit_fields(self) -> Sequence[BitFieldRecord]: ...


class StructRecord(Protocol):
    """Information of the HLSL source about a struct in memory."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def offsets(self) -> tuple[int, ...]: ...
    @property
    def members(self) -> Sequence[MemberRecord]: ...


class InterfaceRecord(Protocol):
    """The part of the compiler's interface record that reflection uses."""

    @property
    def resources(self) -> Sequence[ResourceRecord]: ...
    @property
    def stage_variables(self) -> Sequence[StageVariableRecord]: ...
    @property
    def structs(self) -> Sequence[StructRecord]: ...
    @property
    def wave_sizes(self) -> Mapping[str, Sequence[int]]: ...


def member_facts(structs: Sequence[StructRecord]) -> dict[StructKey, list[MemberFacts]]:
    """Return a map from structs (names and offsets of members) to information of the HLSL source about each member.

    If several structs of the source have equal names and offsets, members in which they differ get no information.
    """
    members: dict[StructKey, list[MemberFacts]] = {}
    for record in structs:
        facts = [_member_facts(member) for member in record.members]
        first_facts = members.setdefault((record.names, record.offsets), facts)
        for i, (one, other) in enumerate(zip(first_facts, facts, strict=True)):
            if one != other:
                first_facts[i] = {}
    return members


def _member_facts(record: MemberRecord) -> MemberFacts:
    facts: MemberFacts = {"type": record.type}
    if record.majorness == "column_major":
        facts["majorness"] = "column_major"
    if record.bit_fields:
        facts["bit_fields"] = [
            {"name": b.name, "type": b.type, "offset": b.offset, "bits": b.bits} for b in record.bit_fields
        ]
    return facts


def resource(types: TypeReader, variable: Instruction, records: Mapping[str, ResourceRecord]) -> Resource:
    """Return the reflection of a bound variable; ``records`` maps names to information of the HLSL source."""
    inner = types.definitions[types.definitions[variable.type_id].id(1)]
    dimensions: list[int | None] = []
    constants: set[int] = set()
    while inner.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        dimensions.append(None if inner.op == op.OpTypeRuntimeArray else types.length(inner))
        if inner.op == op.OpTypeArray:
            constants.update(types.constants.depends_on(inner.id(1)))
        inner = types.definitions[inner.id(0)]
    number, storage = variable.result_id, variable.id(0)
    name, kind = types.names.get(number, ""), kind_of(types, storage, inner)
    if not name and inner.op == op.OpTypeStruct:  # GLSL's blocks without an instance name
        name = types.names.get(inner.result_id, "")
    bound = Resource(
        name,
        kind,
        types.type(inner.result_id),
        types.decoration(number, Decoration.DescriptorSet),
        types.decoration(number, Decoration.Binding),
        _product(dimensions),
        access_of(types, kind, number, inner),
        types.decoration(number, Decoration.InputAttachmentIndex),
        hlsl_access=hlsl_access(types, storage, number, inner),
        dimensions=dimensions,
        count_constants=sorted(constants),
        user_type=types.text(number, Decoration.UserTypeGOOGLE),
        decorations=[WORDS[d] for d in _MEMORY if d in _all_decorations(types, number, inner)],
    )
    record = records.get(name)
    if record is not None:
        bound.hlsl = _facts(record)
        _join_elements(bound)
    return bound


ELEMENT = re.compile(r"\w*StructuredBuffer<(.+)>(?:\[\d*\])*$")
"""The type of a structured buffer, with the type of its elements."""


def _join_elements(bound: Resource) -> None:
    """Set the element type of a structured buffer to the float type of its declaration, in place.

    The compiler represents the elements by integers if the shader compares the bits of floats.
    """
    declared = ELEMENT.match(bound.hlsl.get("declared", ""))
    if declared is not None and bound.type.members:
        tail = bound.type.members[0]
        tail.type = in_source(tail.type, f"{declared[1]}[]")


def _product(dimensions: Sequence[int | None]) -> int | None:
    count = 1
    for n in dimensions:
        if n is None:
            return None
        count *= n
    return count


def _facts(record: ResourceRecord) -> ResourceFacts:
    """Return the information of the HLSL source about a resource, without empty fields."""
    facts: ResourceFacts = {"type": record.kind}
    if record.register:
        facts["register"] = record.register
    if record.space is not None:
        facts["space"] = record.space
    if record.rule:
        facts["rule"] = record.rule
    if record.layout:
        facts["layout"] = record.layout
    if record.declared:
        facts["declared"] = record.declared
    if record.counter_of:
        facts["counter_of"] = record.counter_of
    return facts


_OF_TYPE: dict[int, ResourceKind] = {
    op.OpTypeSampler: "sampler",
    op.OpTypeAccelerationStructureKHR: "acceleration_structure",
    op.OpTypeSampledImage: "combined_image_sampler",
}


def kind_of(types: TypeReader, storage: int, inner: Instruction) -> ResourceKind:
    """Return the kind of a descriptor, from its type and storage class."""
    if storage == StorageClass.PushConstant:
        return "push_constant"
    if storage == StorageClass.ShaderRecordBufferKHR:
        return "shader_record"
    if inner.op == op.OpTypeStruct:
        buffer = storage == StorageClass.StorageBuffer or types.has(inner.result_id, Decoration.BufferBlock)
        return "storage_buffer" if buffer else "uniform_buffer"
    if inner.op == op.OpTypeImage:
        dim, is_storage = inner.id(1), inner.id(5) == _READ_WRITE
        if dim == Dim.SubpassData:
            return "input_attachment"
        if dim == Dim.Buffer:
            return "storage_texel_buffer" if is_storage else "uniform_texel_buffer"
        return "storage_image" if is_storage else "sampled_image"
    return _OF_TYPE.get(inner.op, "other")


def _all_decorations(types: TypeReader, number: int, inner: Instruction) -> dict[int, list[Operand]]:
    """Return the decorations of a variable, including memory decorations that all members of its block have."""
    decorations = dict(types.decorations.get(number, {}))
    if inner.op == op.OpTypeStruct:
        for decoration in _MEMORY:
            members = types.on_members(inner.result_id, decoration)
            if members and all(members):
                decorations.setdefault(decoration, [])
    return decorations


def access_of(types: TypeReader, kind: ResourceKind, number: int, inner: Instruction) -> Access:
    """Return the access that the decorations permit; only storage images and storage buffers are writable."""
    if kind not in _WRITABLE:
        return "read"
    decorations = _all_decorations(types, number, inner)
    reads, writes = Decoration.NonReadable not in decorations, Decoration.NonWritable not in decorations
    table: dict[tuple[bool, bool], Access] = {(True, True): "read_write", (False, True): "write"}
    return table.get((reads, writes), "read")


def hlsl_access(types: TypeReader, storage: int, number: int, inner: Instruction) -> HlslAccess:
    """Return ``read_write`` for an HLSL resource that can be written, such as ``RWBuffer``, else ``read_only``.

    The manual has a check for each kind.  Samplers are read only.  An image is read only if its operand ``Sampled`` is
    1, and read-write if it is 2, except for an input attachment.  A uniform buffer (``Block``) is read only.  A storage
    buffer (``BufferBlock``, since SPIR-V 1.3 a ``Block`` in the storage class ``StorageBuffer``) is read only if all
    its members are ``NonWritable``.
    """
    if inner.op == op.OpTypeImage:
        return "read_write" if inner.id(5) == _READ_WRITE and inner.id(1) != Dim.SubpassData else "read_only"
    if inner.op == op.OpTypeStruct and kind_of(types, storage, inner) == "storage_buffer":
        return "read_only" if Decoration.NonWritable in _all_decorations(types, number, inner) else "read_write"
    return "read_only"


def link_counters(types: TypeReader, resources: Mapping[int, Resource]) -> None:
    """Link structured buffers to their counters, according to decorations in the module, else to the source."""
    by_name = {r.name: r for r in resources.values() if r.name}
    pairs: list[tuple[Resource, Resource]] = []
    for number, owner in resources.items():
        target = first(types.decorations.get(number, {}).get(Decoration.CounterBuffer))
        counter = resources.get(target) if target is not None else None
        if counter is not None:
            pairs.append((owner, counter))
    decorated = {id(counter) for _, counter in pairs}
    for counter in resources.values():
        named = by_name.get(counter.hlsl.get("counter_of", ""))
        if named is not None and id(counter) not in decorated:
            pairs.append((named, counter))
    for owner, counter in pairs:
        owner.counter, counter.counter_of = reference(counter), reference(owner)


def reference(to: Resource) -> Reference:
    """Return name and binding of the resource ``to``, for a reference to it."""
    link: Reference = {"name": to.name}
    if to.set is not None:
        link["set"] = to.set
    if to.binding is not None:
        link["binding"] = to.binding
    return link


def decorations_of(types: TypeReader, number: int) -> list[str]:
    """Return the names of those decorations of a variable that reflection lists."""
    return listed(types.decorations.get(number, {}), WORDS)
