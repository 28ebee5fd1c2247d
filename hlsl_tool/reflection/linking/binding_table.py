"""The binding table of a module: HLSL declarations joined with the resources of the final SPIR-V."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import asdict, dataclass, field
from hlsl_tool.codegen.lower.interface import InterfaceRecord, ResourceRecord
from hlsl_tool.reflection.linking.usage import used_by_entry
from hlsl_tool.reflection.reflection import MslSlots, Resource, Type
from hlsl_tool.reflection.resources import UNBOUND, resource
from hlsl_tool.reflection.spirv_types import TypeReader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import RESOURCE_STORAGE
from hlsl_tool.spirv.ir import Module

_WITH_RESOURCES = RESOURCE_STORAGE | UNBOUND
"""The storage classes of resources."""


@dataclass(slots=True)
class Binding:
    """An entry of the binding table: a resource with its binding."""

    resource: str
    type: str
    """The type in HLSL; without a source the reflected type."""
    register: str | None = None
    space: int | None = None
    rule: str = ""
    """``attribute``, ``register``, ``shift``, ``bind-register``, ``bind-globals``, ``heap``, ``automatic``,
    ``push_constant``, ``shader_record``; empty without a source."""
    shift: int = 0
    set: int | None = None
    binding: int | None = None
    count: int | None = 1
    """The number of descriptors; ``None`` for an unbounded array."""
    descriptor: str = ""
    """The kind of descriptor in Vulkan; empty for a resource that the final module lacks."""
    used: bool = True
    """Whether a function of the final module uses the resource."""
    place: str = ""
    """``file:line`` of the declaration."""
    msl: MslSlots = field(default_factory=MslSlots)
    """The indices in the output `msl` of a build."""
    block: list[str] = field(default_factory=list, repr=False)
    """For a buffer: `path offset type` of every remaining member, by which blocks are compared."""

    def plain(self) -> dict[str, Any]:
        """Return the entry as JSON data, without the contents of the block."""
        content = asdict(self)
        del content["block"]
        if not self.msl:
            del content["msl"]
        return content


def binding_table(
    module: Module,
    interface: InterfaceRecord | None = None,
    *,
    only: frozenset[int] | None = None,
    msl: Mapping[int, MslSlots] | None = None,
) -> list[Binding]:
    """Return the entries for a module, sorted by set and binding; resources that optimisation removed come last.

    With ``only``, a set of ids of variables in use, there are only the entries of these, without source locations.
    ``msl`` has the indices of variables, by their ids, in the Metal Shading Language.
    """
    if interface is not None and only is None:
        interface.locate()
    types = TypeReader(module)
    resources = [
        (inst.result_id, resource(types, inst, {}))
        for inst in module.globals
        if inst.op == op.OpVariable and inst.id(0) in _WITH_RESOURCES and (only is None or inst.result_id in only)
    ]
    everything = frozenset(number for number, _ in resources)
    used: Collection[int] = everything
    if only is None and module.entry_points:
        used = set().union(*used_by_entry(module, everything).values())
    rows: list[Binding] = []
    left = dict(resources)
    by_name: dict[str, list[tuple[int, Resource]]] = {}
    for number, r in resources:
        by_name.setdefault(_base(r.name), []).append((number, r))
    combined = [(n, r) for n, r in resources if r.kind == "combined_image_sampler"]
    for record in interface.resources if interface is not None else ():
        named = by_name.get(_base(record.name), ())
        mine = [(n, r) for n, r in named if n in left and _is_of(r, record)] or [
            (n, r) for n, r in combined if (r.set, r.binding) == (record.set, record.binding)
        ]
        for number, _ in mine:
            left.pop(number, None)
        for number, r in mine:
            row = _from_record(record)
            row.resource = record.name if r.kind == "combined_image_sampler" else r.name
            _fill(row, r)
            row.used, row.msl = number in used, (msl or {}).get(number, MslSlots())
            rows.append(row)
        if not mine and only is None:
            row = _from_record(record)
            row.used, row.count = False, None
            rows.append(row)
    for number, r in left.items():
        row = Binding(r.name, r.type.name or r.type.kind)
        _fill(row, r)
        row.used, row.msl = number in used, (msl or {}).get(number, MslSlots())
        rows.append(row)
    rows.sort(key=order)
    return rows


def order(row: Binding) -> tuple[bool, int, int, str]:
    """Return a key that sorts entries by set and binding.

    Entries without a binding (push constants) come first, unused resources last.
    """
    return (not row.used, -1 if row.set is None else row.set, -1 if row.binding is None else row.binding, row.resource)


def file_and_line(place: Location | None) -> str:
    """Return ``file:line`` of a source location; ``""`` without one."""
    return f"{place.file}:{place.line}" if place is not None else ""


def _base(name: str) -> str:
    """Return the declared name of a flattened resource: `name` for `name[1].member`."""
    return name.partition("[")[0].partition(".")[0]


def _is_of(r: Resource, record: ResourceRecord) -> bool:
    """Return whether a resource belongs to a declaration, possibly as an element or member after flattening."""
    if r.name == record.name:
        return r.set == record.set and (r.binding == record.binding or record.binding is None)
    return r.set == record.set and r.name.startswith((f"{record.name}[", f"{record.name}."))


def _from_record(record: ResourceRecord) -> Binding:
    rule = record.rule or (record.kind if record.kind in ("push_constant", "shader_record") else "")
    return Binding(
        record.name,
        record.type,
        record.register,
        record.space,
        rule,
        record.shift,
        record.set,
        record.binding,
        place=file_and_line(record.place),
    )


def _fill(row: Binding, r: Resource) -> None:
    row.set, row.binding, row.count, row.descriptor = r.set, r.binding, r.count, r.kind
    if r.type.kind == "struct":
        row.block = list(_leaves(r.type, "", 0))


def _leaves(t: Type, path: str, offset: int) -> Iterator[str]:
    """Yield a text for each member, at any depth, that is not a struct: its path with array strides, offset and type.

    ``path`` and ``offset`` are those of the type ``t`` in its block.
    """
    if t.kind == "struct":
        for m in t.members:
            yield from _leaves(m.type, f"{path}.{m.name}", offset + (m.offset or 0))
    elif t.kind == "array" and t.element is not None:
        yield from _leaves(t.element, f"{path}[{t.stride}]", offset)
    else:
        yield f"{path} {offset} {t.name}{t.majorness}{t.stride or ''}"


def blocks_agree(one: list[str], other: list[str]) -> bool:
    """Return whether two blocks may describe the same buffer.

    Optimisation removes unused members, so only the members that both have must be equal, and members at the same
    offset must have the same name.
    """
    members: list[dict[str, tuple[str, str]]] = []
    offsets: list[dict[str, str]] = []
    for block in (one, other):
        rows = [line.rsplit(" ", 2) for line in block]
        members.append({_bare(path): (offset, path + kind) for path, offset, kind in rows})
        offsets.append({offset: path for path, offset, _ in rows if "[" not in path})
    if any(members[1][path] != place for path, place in members[0].items() if path in members[1]):
        return False
    return all(offsets[1][offset] == path for offset, path in offsets[0].items() if offset in offsets[1])


def _bare(path: str) -> str:
    """Return the path of a member with empty brackets instead of array strides: `.a[].b` for `.a[16].b`."""
    return re.sub(r"\[[^]]*\]", "[]", path)


# -------------------------------------------------------------------------------------------------------------- text


def rule_words(row: Binding) -> str:
    """Return the rule that chose a binding as tables show it: `register + 20`."""
    if row.rule == "shift":
        return f"register + {row.shift}"
    if row.rule == "attribute":
        return "vk::counter_binding" if row.type == "counter" else "vk::binding"
    words = {
        "bind-register": "-fvk-bind-register",
        "bind-globals": "-fvk-bind-globals",
        "push_constant": "push constant",
        "shader_record": "shader record",
    }
    text = words.get(row.rule, row.rule)
    return f"{text}, from {row.shift} on" if row.rule == "automatic" and row.shift else text


@dataclass(slots=True)
class Shared:
    """An entry of a binding table, with the shaders that have it."""

    row: Binding
    used_by: list[str]


def merged(tables: Iterable[tuple[str, list[Binding]]]) -> list[Shared]:
    """Merge the used entries of several tables; equal ones become one, with the names of all tables that have it."""
    rows_by_key: dict[tuple[object, ...], Shared] = {}
    for name, rows in tables:
        for row in rows:
            key = (row.set, row.binding, row.resource, row.type, row.descriptor if row.used else "")
            if not row.used:
                continue
            shared = rows_by_key.get(key)
            if shared is None:
                shared = rows_by_key[key] = Shared(row, [])
            if name not in shared.used_by:
                shared.used_by.append(name)
    return sorted(rows_by_key.values(), key=lambda shared: order(shared.row))
