"""Find used resources of one shader that share a set and binding.

Vulkan lets variables share a binding if one descriptor fits all of them (*Shader Resource and Descriptor Type
Correspondence*).  If all of them have ``vk::binding``, sharing is intended and reported only on request.  If registers
or shifts led to it, it is not intended: ``b0`` and ``t0`` are two registers in DX, and one binding in Vulkan.  A
texture and a sampler with registers of the same number, ``t1`` and ``s1``, are a combined image sampler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Code, Location, Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, ungrouped
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Module

if TYPE_CHECKING:
    from hlsl_tool.reflection.linking.binding_table import Binding

_COMBINED = frozenset(("sampled_image", "sampler", "combined_image_sampler"))
_MEANT = ("attribute", "bind-register")


def check(module: Module, interface: InterfaceRecord, sink: Sink) -> None:
    """Warn about each binding that one entry point uses for several resources."""
    crowded = _crowded(module)
    if not crowded:
        return
    from hlsl_tool.reflection.linking.usage import used_by_entry  # start-up time

    together = used_by_entry(module, frozenset(number for numbers in crowded.values() for number in numbers))
    crowded = {
        place: numbers
        for place, numbers in crowded.items()
        if any(len(used.intersection(numbers)) > 1 for used in together.values())
    }
    if crowded:
        _check(module, interface, sink, crowded, together)


_SHIFTS = {"s": 16, "t": 32, "u": 48}
"""Letter of a register → the shift that hints propose; the first letter of a collision stays."""


def _check(
    module: Module,
    interface: InterfaceRecord,
    sink: Sink,
    crowded: dict[tuple[int, int], list[int]],
    together: dict[str, set[int]],
) -> None:
    """Report the bindings that an entry point uses for several resources.

    ``crowded`` maps each (set, binding) with several variables to their ids; ``together`` maps entry points to the ids
    of the variables that they use.
    """
    from hlsl_tool.reflection.linking.binding_table import binding_table  # start-up time

    # The binding table costs more than the rest of a short compilation, so it has only the rows that may collide.
    names = ModuleIndex(module).names
    only = frozenset[int]().union(*together.values())
    rows = {(row.resource, row.set, row.binding): row for row in binding_table(module, interface, only=only)}
    declared: dict[str, int] = {}
    for number, resource in enumerate(interface.resources):
        declared.setdefault(resource.name, number)
    reported: set[tuple[str, ...]] = set()
    for (set_no, binding), numbers in sorted(crowded.items()):
        for used in together.values():
            # the views of a buffer share its name: they are one resource
            names_used = list(dict.fromkeys(names.get(number, "") for number in numbers if number in used))
            sharing = [rows[name, set_no, binding] for name in names_used if (name, set_no, binding) in rows]
            sharing = [row for row in sharing if row.rule != "heap"]
            sharing.sort(key=lambda row: declared.get(_base(row.resource), 0))
            key = (str(set_no), str(binding), *(row.resource for row in sharing))
            if len(sharing) < 2 or key in reported:
                continue
            reported.add(key)
            code = codes.ALIAS if is_intended(sharing) else codes.COLLISION
            if not sink.may_warn(code):
                continue
            interface.locate()
            _report(sink, code, sharing, {r.name: r.place for r in interface.resources})


def _report(sink: Sink, code: Code, sharing: list[Binding], places: dict[str, Location | None]) -> None:
    """Report resources that share a binding, at the last one's declaration, with notes at the others."""
    from hlsl_tool.reflection.linking.binding_table import rule_words  # start-up time

    notes = [
        sink.note(
            codes.BOUND_HERE,
            places.get(_base(row.resource)),
            name=row.resource,
            kind=words(row),
            rule=rule_words(row),
        )
        for row in sharing[:-1]
    ]
    last = sharing[-1]
    sink.warning(
        code,
        places.get(_base(last.resource)),
        notes=notes,
        hint=_remedy(sharing),
        name=last.resource,
        kind=words(last),
        binding=last.binding,
        set=last.set,
        rule=rule_words(last),
        other=sharing[0].resource,
    )


def _remedy(sharing: list[Binding]) -> str | None:
    """Return a hint about options that separate the bindings of registers with different letters (`-fvk-t-shift`).

    ``None`` if the resources do not share a binding because their registers differ only in the letter.
    """
    letters = sorted({(row.register or " ")[0].lower() for row in sharing})
    shifts = [f"-fvk-{letter}-shift {_SHIFTS[letter]} all" for letter in letters[1:] if letter in _SHIFTS]
    if not shifts or any(row.rule != "register" for row in sharing):
        return None
    return f"keep registers of different letters apart, such as by `{' '.join(shifts)}`"


def is_intended(rows: list[Binding]) -> bool:
    """Return whether the source gives the resources one binding on purpose, and one descriptor fits all of them.

    The purpose is a ``vk::binding`` on each, or a texture and a sampler with registers of the same number.
    """
    return fits_one_descriptor(rows) and (all(row.rule in _MEANT for row in rows) or _is_combined(rows))


def _is_combined(rows: list[Binding]) -> bool:
    """Return whether the resources are a texture and a sampler whose registers have the same number."""
    kinds = sorted(row.descriptor for row in rows)
    registers = {(row.register or "")[1:] for row in rows}
    return kinds == ["sampled_image", "sampler"] and len(registers) == 1 and len({row.shift for row in rows}) == 1


def fits_one_descriptor(rows: list[Binding]) -> bool:
    """Return whether resources at one binding can share a descriptor: of one kind, or an image with a sampler."""
    kinds = {row.descriptor for row in rows}
    return len(kinds) == 1 or kinds <= _COMBINED


def words(row: Binding) -> str:
    """Return the kind of descriptor as words, such as `storage buffer`."""
    return row.descriptor.replace("_", " ")


def _base(name: str) -> str:
    """Return the declared name: `textures` for `textures[2]`, `material` for `material.albedo`."""
    return name.split("[")[0].split(".")[0] if not name.startswith("counter.var.") else name.split("[")[0]


def _crowded(module: Module) -> dict[tuple[int, int], list[int]]:
    """Return the bindings with several variables, as (set, binding) → ids."""
    sets: dict[int, int] = {}
    bindings: dict[int, int] = {}
    for inst in ungrouped(module.annotations):
        if inst.op == op.OpDecorate:
            if inst.id(1) == Decoration.DescriptorSet:
                sets[inst.id(0)] = inst.id(2)
            elif inst.id(1) == Decoration.Binding:
                bindings[inst.id(0)] = inst.id(2)
    if len(bindings) == len({(sets.get(number, 0), binding) for number, binding in bindings.items()}):
        return {}
    variables: dict[tuple[int, int], list[int]] = {}
    for number, binding in bindings.items():
        variables.setdefault((sets.get(number, 0), binding), []).append(number)
    return {place: sorted(numbers) for place, numbers in variables.items() if len(numbers) > 1}
