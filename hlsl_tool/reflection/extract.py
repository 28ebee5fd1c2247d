"""Extract the reflection from final SPIR-V (SPIR-V specification 2.16; Vulkan's *Shader Interfaces*)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hlsl_tool.reflection.reflection import MslSlots, Reflection, Resource, Source, SpecConstant
from hlsl_tool.reflection.spirv_types import TypeReader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import RESOURCE_STORAGE
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .check import check
from .entry_points import INPUT_OUTPUT, PAYLOADS, by_place, entry_point
from .float_atomics import with_float_atomics
from .heaps import descriptor_heaps
from .requirements import requirements
from .resources import UNBOUND, InterfaceRecord, StageVariableRecord, link_counters, member_facts, resource
from .uses import uses_of_entries

_PASSED = PAYLOADS.union(INPUT_OUTPUT)
"""The storage classes of stage inputs, outputs and payloads."""


def reflect(
    module: Module, interface: InterfaceRecord | None = None, *, msl: Mapping[int, MslSlots] | None = None
) -> Reflection:
    """Return the reflection of a module; ``interface`` adds information of the HLSL source about its variables.

    ``msl`` has the indices of variables, by their ids, in the Metal Shading Language.

    Raises ``ReflectError`` for a module that is not valid.
    """
    check(module)
    types = TypeReader(module, member_facts(interface.structs) if interface is not None else None)
    major, minor = module.version_tuple
    capabilities = [enum_name("Capability", inst.id(0)) or str(inst.id(0)) for inst in module.capabilities]
    extensions = [inst.text(0) for inst in module.extensions]
    out = Reflection(f"{major}.{minor}", capabilities, extensions)
    _module(out, module)
    out.requirements = requirements((major, minor), capabilities, extensions)
    out.requirements.features = with_float_atomics(out.requirements.features, module)
    records = {r.name: r for r in interface.resources} if interface is not None else {}
    stage_records = by_place(interface.stage_variables) if interface is not None else {}
    variables = {inst.result_id: inst for inst in module.globals if inst.op == op.OpVariable}
    reflected: dict[int, Resource] = {}
    for number, variable in variables.items():
        if variable.id(0) in RESOURCE_STORAGE:
            described = resource(types, variable, records)
            reflected[number] = _merge_view(out.resources, described)
        elif variable.id(0) in UNBOUND:
            reflected[number] = resource(types, variable, records)
            out.push_constants.append(reflected[number])
        if msl and number in msl and number in reflected:
            reflected[number].msl = reflected[number].msl or msl[number]
    link_counters(types, reflected)
    out.resources.sort(key=lambda r: (r.set or 0, r.binding or 0, r.name))
    out.descriptor_heaps = descriptor_heaps(module, types)
    _entry_points(out, module, types, variables, stage_records, reflected)
    if interface is not None:
        for entry in out.entry_points:
            entry.wave_size = list(interface.wave_sizes.get(entry.name, ()))
    _specialization_constants(out, types)
    types.add_pointees()
    out.pointees = types.finish()
    return out


def _merge_view(resources: list[Resource], described: Resource) -> Resource:
    """Return the resource in ``resources`` that has the same descriptor as ``described``.

    If there is none, append ``described`` and return it. A buffer that is accessed as several types has a variable for
    each type, but only one descriptor.
    """
    if "aliased" in described.decorations:
        for other in resources:
            if "aliased" in other.decorations and _descriptor(other) == _descriptor(described):
                return other
    resources.append(described)
    return described


def _descriptor(r: Resource) -> tuple[str, str, int | None, int | None]:
    return r.name, r.kind, r.set, r.binding


def _module(out: Reflection, module: Module) -> None:
    for inst in module.memory_model:
        if inst.op == op.OpMemoryModel:
            out.addressing = enum_name("AddressingModel", inst.id(0)) or str(inst.id(0))
            out.memory_model = enum_name("MemoryModel", inst.id(1)) or str(inst.id(1))
    for inst in module.sources:
        if inst.op == op.OpSource:
            language = enum_name("SourceLanguage", inst.id(0)) or str(inst.id(0))
            source = Source(language, inst.id(1))
            if source not in out.sources:  # one for each file
                out.sources.append(source)


def _entry_points(
    out: Reflection,
    module: Module,
    types: TypeReader,
    variables: Mapping[int, Instruction],
    records: Mapping[str, StageVariableRecord],
    reflected: Mapping[int, Resource],
) -> None:
    blocks = {number: r.type for number, r in reflected.items() if r.set is None and r.kind in _UNBOUND_KINDS}
    stage = [number for number, variable in variables.items() if variable.id(0) in _PASSED]
    uses = uses_of_entries(module, types, [*reflected, *stage], blocks)
    for inst in module.entry_points:
        entry = entry_point(types, module, inst, variables, records, uses[inst.id(1)], reflected)
        out.entry_points.append(entry)
        for number in uses[inst.id(1)].effects:
            if number in reflected and entry.name not in reflected[number].used_by:
                reflected[number].used_by.append(entry.name)


_UNBOUND_KINDS = ("push_constant", "shader_record")


_SPEC_CONSTANTS = (op.OpSpecConstant, op.OpSpecConstantTrue, op.OpSpecConstantFalse)


def _specialization_constants(out: Reflection, types: TypeReader) -> None:
    for number, spec_id in types.constants.spec_ids.items():
        inst = types.definitions.get(number)
        if inst is None or inst.op not in _SPEC_CONSTANTS:  # inline SPIR-V may decorate anything
            continue
        value = types.constant(number)
        default: bool | int | float | str = value
        if isinstance(value, float) and not math.isfinite(value):
            default = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        constant = SpecConstant(types.names.get(number, ""), spec_id, types.type(inst.type_id), default)
        out.specialization_constants.append(constant)
    out.specialization_constants.sort(key=lambda c: (c.id, c.name))
