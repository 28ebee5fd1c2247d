"""Resources of one shader that have the same set and binding, after everything that is not used is gone.

Vulkan lets variables share a binding where one descriptor fits all of them (*Shader Resource and Descriptor Type
Correspondence*).  Where each of them says so by ``vk::binding`` that is what was meant, and only reported on request;
where registers or shifts led there it is not: ``b0`` and ``t0`` are two registers in DX, and one binding in Vulkan.  A
texture and a sampler of one number, ``t1`` and ``s1``, are a combined image sampler.
"""

from __future__ import annotations

from hlsl_tool.diagnostics import Sink
from hlsl_tool.diagnostics.catalogue import linking as codes
from hlsl_tool.linking.bindings import Binding, binding_table, rule_words
from hlsl_tool.linking.usage import used_by_entry
from hlsl_tool.lower.interface import InterfaceRecord
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.ir import Module

_D = e.Decoration
_COMBINED = frozenset(("sampled_image", "sampler", "combined_image_sampler"))
_MEANT = ("attribute", "bind-register")


def check(module: Module, interface: InterfaceRecord, sink: Sink) -> None:
    """Warn of each binding that a shader uses for several resources."""
    crowded = _crowded(module)
    if not crowded:
        return
    together = used_by_entry(module, frozenset(number for numbers in crowded.values() for number in numbers))
    crowded = {
        place: numbers
        for place, numbers in crowded.items()
        if any(len(used.intersection(numbers)) > 1 for used in together.values())
    }
    if not crowded:
        return
    # What follows costs more than the rest of a short compilation, so it is done for what may be told.
    names = ModuleIndex(module).names
    only = frozenset(number for numbers in crowded.values() for number in numbers)
    rows = {(row.resource, row.set, row.binding): row for row in binding_table(module, interface, only=only)}
    declared: dict[str, int] = {}
    for number, resource in enumerate(interface.resources):
        declared.setdefault(resource.name, number)
    told: set[tuple[str, ...]] = set()
    for (set_no, binding), numbers in sorted(crowded.items()):
        for used in together.values():
            # the views of a buffer share its name: they are one resource
            names_used = list(dict.fromkeys(names.get(number, "") for number in numbers if number in used))
            found = [rows[name, set_no, binding] for name in names_used if (name, set_no, binding) in rows]
            found = [row for row in found if row.rule != "heap"]
            found.sort(key=lambda row: declared.get(_base(row.resource), 0))
            key = (str(set_no), str(binding), *(row.resource for row in found))
            if len(found) < 2 or key in told:
                continue
            told.add(key)
            code = codes.ALIAS if is_meant(found) else codes.COLLISION
            if not sink.may_warn(code):
                continue
            interface.locate()
            places = {r.name: r.place for r in interface.resources}
            first, *others = found
            notes = [
                sink.note(
                    codes.BOUND_HERE,
                    places.get(_base(row.resource)),
                    name=row.resource,
                    kind=words(row),
                    rule=rule_words(row),
                )
                for row in found[:-1]
            ]
            last = others[-1]
            sink.warning(
                code,
                places.get(_base(last.resource)),
                notes=notes,
                name=last.resource,
                kind=words(last),
                binding=binding,
                set=set_no,
                rule=rule_words(last),
                other=first.resource,
            )


def is_meant(rows: list[Binding]) -> bool:
    """One descriptor fits all, and each of them asks for it."""
    return fits_one_descriptor(rows) and (all(row.rule in _MEANT for row in rows) or _is_combined(rows))


def _is_combined(rows: list[Binding]) -> bool:
    """Whether these are a texture and a sampler whose registers have one number."""
    kinds = sorted(row.descriptor for row in rows)
    registers = {(row.register or "")[1:] for row in rows}
    return kinds == ["sampled_image", "sampler"] and len(registers) == 1 and len({row.shift for row in rows}) == 1


def fits_one_descriptor(rows: list[Binding]) -> bool:
    kinds = {row.descriptor for row in rows}
    return len(kinds) == 1 or kinds <= _COMBINED


def words(row: Binding) -> str:
    return row.descriptor.replace("_", " ")


def _base(name: str) -> str:
    """The declaration behind `textures[2]` or `material.albedo`."""
    return name.split("[")[0].split(".")[0] if not name.startswith("counter.var.") else name.split("[")[0]


def _crowded(module: Module) -> dict[tuple[int, int], list[int]]:
    """(set, binding) → variables, where there is more than one."""
    sets: dict[int, int] = {}
    bindings: dict[int, int] = {}
    for inst in ungrouped(module.annotations):
        if inst.op == op.OpDecorate:
            if inst.id(1) == _D.DescriptorSet:
                sets[inst.id(0)] = inst.id(2)
            elif inst.id(1) == _D.Binding:
                bindings[inst.id(0)] = inst.id(2)
    if len(bindings) == len({(sets.get(number, 0), binding) for number, binding in bindings.items()}):
        return {}
    found: dict[tuple[int, int], list[int]] = {}
    for number, binding in bindings.items():
        found.setdefault((sets.get(number, 0), binding), []).append(number)
    return {place: sorted(numbers) for place, numbers in found.items() if len(numbers) > 1}
