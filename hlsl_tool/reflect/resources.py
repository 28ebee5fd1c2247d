"""Resources: which descriptor a variable is, and what may be done with it (manual: *Reflection*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Operand

from .model import Access, HlslAccess, MemberFacts, Reference, Resource, ResourceFacts, ResourceKind
from .types import WORDS, StructKey, Types, first, listed

_SC = e.StorageClass
_D = e.Decoration
BOUND = frozenset((_SC.Uniform, _SC.UniformConstant, _SC.StorageBuffer))
UNBOUND = frozenset((_SC.PushConstant, _SC.ShaderRecordBufferKHR))
_READ_WRITE = 2
"""The Sampled operand of an image that is read and written without a sampler."""
_WRITABLE = ("storage_buffer", "storage_image", "storage_texel_buffer")
_MEMORY = (_D.Coherent, _D.Volatile, _D.Restrict, _D.NonWritable, _D.NonReadable, _D.Aliased)


class ResourceRecord(Protocol):
    """What the compiler hands on of a resource (``lower.interface.ResourceRecord``)."""

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
    """What the compiler hands on of a stage variable."""

    name: str
    semantic: str
    direction: str
    type: str
    builtin: str | None


class BitFieldRecord(Protocol):
    """What the compiler hands on of a bit-field."""

    name: str
    type: str
    offset: int
    bits: int


class MemberRecord(Protocol):
    """What the compiler hands on of a member of a struct."""

    type: str
    majorness: str

    @property
    def bit_fields(self) -> Sequence[BitFieldRecord]: ...


class StructRecord(Protocol):
    """What the compiler hands on of a struct in memory."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def offsets(self) -> tuple[int, ...]: ...
    @property
    def members(self) -> Sequence[MemberRecord]: ...


class InterfaceRecord(Protocol):
    """The compiler's interface record, as far as it is wanted here."""

    @property
    def resources(self) -> Sequence[ResourceRecord]: ...
    @property
    def stage_variables(self) -> Sequence[StageVariableRecord]: ...
    @property
    def structs(self) -> Sequence[StructRecord]: ...


def member_facts(structs: Sequence[StructRecord]) -> dict[StructKey, list[MemberFacts]]:
    """What the source says of the members of structs, as far as structs that look the same agree on it."""
    found: dict[StructKey, list[MemberFacts]] = {}
    for record in structs:
        facts = [_member_facts(member) for member in record.members]
        known = found.setdefault((record.names, record.offsets), facts)
        for i, (one, other) in enumerate(zip(known, facts, strict=True)):
            if one != other:
                known[i] = {}
    return found


def _member_facts(record: MemberRecord) -> MemberFacts:
    facts: MemberFacts = {"type": record.type}
    if record.majorness == "column_major":
        facts["majorness"] = "column_major"
    if record.bit_fields:
        facts["bit_fields"] = [
            {"name": b.name, "type": b.type, "offset": b.offset, "bits": b.bits} for b in record.bit_fields
        ]
    return facts


def resource(types: Types, variable: Instruction, records: Mapping[str, ResourceRecord]) -> Resource:
    """The resource that a variable is."""
    inner = types.definitions[types.definitions[variable.type_id].id(1)]
    dimensions: list[int | None] = []
    constants: set[int] = set()
    while inner.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        dimensions.append(None if inner.op == op.OpTypeRuntimeArray else types.length(inner))
        if inner.op == op.OpTypeArray:
            constants.update(types.constants.depends_on(inner.id(1)))
        inner = types.definitions[inner.id(0)]
    number, storage = variable.result_id, variable.id(0)
    name, kind = types.names.get(number, ""), _kind(types, storage, inner)
    if not name and inner.op == op.OpTypeStruct:  # GLSL's blocks without an instance name
        name = types.names.get(inner.result_id, "")
    found = Resource(
        name,
        kind,
        types.type(inner.result_id),
        types.decoration(number, _D.DescriptorSet),
        types.decoration(number, _D.Binding),
        _product(dimensions),
        _access(types, kind, number, inner),
        types.decoration(number, _D.InputAttachmentIndex),
        hlsl_access=hlsl_access(types, storage, number, inner),
        dimensions=dimensions,
        count_constants=sorted(constants),
        user_type=types.text(number, _D.UserTypeGOOGLE),
        decorations=[WORDS[d] for d in _MEMORY if d in _all_decorations(types, number, inner)],
    )
    record = records.get(name)
    if record is not None:
        found.hlsl = _facts(record)
    return found


def _product(dimensions: Sequence[int | None]) -> int | None:
    count = 1
    for n in dimensions:
        if n is None:
            return None
        count *= n
    return count


def _facts(record: ResourceRecord) -> ResourceFacts:
    """What the source says, without what it does not."""
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


def _kind(types: Types, storage: int, inner: Instruction) -> ResourceKind:
    if storage == _SC.PushConstant:
        return "push_constant"
    if storage == _SC.ShaderRecordBufferKHR:
        return "shader_record"
    if inner.op == op.OpTypeStruct:
        buffer = storage == _SC.StorageBuffer or types.has(inner.result_id, _D.BufferBlock)
        return "storage_buffer" if buffer else "uniform_buffer"
    if inner.op == op.OpTypeImage:
        dim, is_storage = inner.id(1), inner.id(5) == _READ_WRITE
        if dim == e.Dim.SubpassData:
            return "input_attachment"
        if dim == e.Dim.Buffer:
            return "storage_texel_buffer" if is_storage else "uniform_texel_buffer"
        return "storage_image" if is_storage else "sampled_image"
    return _OF_TYPE.get(inner.op, "other")


def _all_decorations(types: Types, number: int, inner: Instruction) -> dict[int, list[Operand]]:
    """Those of the variable, and those that all members of its block have."""
    found = dict(types.decorations.get(number, {}))
    if inner.op == op.OpTypeStruct:
        for decoration in _MEMORY:
            members = types.on_members(inner.result_id, decoration)
            if members and all(members):
                found.setdefault(decoration, [])
    return found


def _access(types: Types, kind: ResourceKind, number: int, inner: Instruction) -> Access:
    """What the decorations leave; images without a sampler and storage buffers can be written."""
    if kind not in _WRITABLE:
        return "read"
    decorations = _all_decorations(types, number, inner)
    reads, writes = _D.NonReadable not in decorations, _D.NonWritable not in decorations
    table: dict[tuple[bool, bool], Access] = {(True, True): "read_write", (False, True): "write"}
    return table.get((reads, writes), "read")


def hlsl_access(types: Types, storage: int, number: int, inner: Instruction) -> HlslAccess:
    """Whether the HLSL type is one for reading or for reading and writing.

    The manual has a check for each kind. Samplers are for reading. Of images the operand ``Sampled`` tells: 1 for
    reading, 2 for both (an input attachment has 2 as well, but cannot be written). A buffer that is a ``Block`` is for
    reading, one that is a ``BufferBlock`` as well if its members are ``NonWritable``; all others are for both. Since
    SPIR-V 1.3 a buffer may be a ``Block`` in the storage class ``StorageBuffer``, which counts as ``BufferBlock``.
    """
    if inner.op == op.OpTypeImage:
        return "read_write" if inner.id(5) == _READ_WRITE and inner.id(1) != e.Dim.SubpassData else "read_only"
    if inner.op == op.OpTypeStruct and _kind(types, storage, inner) == "storage_buffer":
        return "read_only" if _D.NonWritable in _all_decorations(types, number, inner) else "read_write"
    return "read_only"


def link_counters(types: Types, found: Mapping[int, Resource]) -> None:
    """Structured buffers and their counters: from the module's decorations, else from the source."""
    by_name = {r.name: r for r in found.values() if r.name}
    pairs: list[tuple[Resource, Resource]] = []
    for number, owner in found.items():
        target = first(types.decorations.get(number, {}).get(_D.CounterBuffer))
        counter = found.get(target) if target is not None else None
        if counter is not None:
            pairs.append((owner, counter))
    decorated = {id(counter) for _, counter in pairs}
    for counter in found.values():
        named = by_name.get(counter.hlsl.get("counter_of", ""))
        if named is not None and id(counter) not in decorated:
            pairs.append((named, counter))
    for owner, counter in pairs:
        owner.counter, counter.counter_of = reference(counter), reference(owner)


def reference(to: Resource) -> Reference:
    made: Reference = {"name": to.name}
    if to.set is not None:
        made["set"] = to.set
    if to.binding is not None:
        made["binding"] = to.binding
    return made


def decorations_of(types: Types, number: int) -> list[str]:
    """The listed decorations of a variable."""
    return listed(types.decorations.get(number, {}), WORDS)
