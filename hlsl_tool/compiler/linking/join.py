"""Join modules into one: equal declarations become one, and imports become the functions of other modules.

Before: modules with ids of their own, whose calls may lead to declarations without a body. After: one module. If it has
entry points, it is a program: all imports are resolved, and nothing is exported. Otherwise it is a library again.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.codegen.lower.core.function_names import signature_text
from hlsl_tool.compiler.linking.declarations import Declarations
from hlsl_tool.compiler.linking.entries import (
    call_initializers,
    complete_interfaces,
    complete_modes,
    join_initializers,
)
from hlsl_tool.compiler.linking.functions import check_recursion, drop_unreached, resolve
from hlsl_tool.compiler.linking.stages import check_stages
from hlsl_tool.compiler.linking.unit import Unit, is_linkage
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ungrouped
from hlsl_tool.spirv.enums import AddressingModel, Capability, MemoryModel
from hlsl_tool.spirv.ir import Instruction, Module


def join(units: Sequence[Unit], sink: Sink, entry: str = "") -> Module | None:
    """Return the joined module, or ``None`` after an error.

    ``entry`` names the entry point to retain; all are retained if it is empty.
    """
    if not _check_models(units, sink) or not _check_entries(units, entry, sink):
        return None
    declared = Declarations(units, sink)
    module = declared.module
    for unit in units:
        _join_heads(module, unit)
    for number in range(len(units)):
        declared.add(number)
    _add_entry_points(declared, units, entry)
    resolution = resolve(declared, units, sink)
    if module.entry_points and not sink.error_count:
        drop_unreached(declared, units, resolution, sink)
    if sink.error_count:
        return None
    _add_annotations(declared, units)
    for number, unit in enumerate(units):
        _add_functions(declared, number, unit)
    check_recursion(module, sink)
    check_stages(declared, units, sink)
    module.functions.sort(key=lambda function: bool(function.blocks))  # declarations come first
    if module.entry_points:
        _make_program(module)
        call_initializers(module, resolution.inits)
    else:
        join_initializers(module, list(resolution.inits))
        _add_signatures(declared, units)
    complete_interfaces(module)
    complete_modes(module)
    return module


def _add_signatures(declared: Declarations, units: Sequence[Unit]) -> None:
    """Add the strings with the signatures of a library's functions, in the order of their linkages."""
    module = declared.module
    signatures = {
        ids[number]: signature
        for unit, ids in zip(units, declared.ids, strict=True)
        for number, signature in unit.signatures.items()
    }
    linked = ((inst.id(0), inst.text(2)) for inst in module.annotations if is_linkage(inst))
    texts = [signature_text(name, signatures[number]) for number, name in linked if number in signatures]
    module.sources[:0] = [Instruction(op.OpString, 0, module.take_id(), [text]) for text in dict.fromkeys(texts)]


def _check_models(units: Sequence[Unit], sink: Sink) -> bool:
    """Return whether the modules' memory models can be joined, else report an error."""
    first = units[0]
    for unit in units[1:]:
        if _memory_model(first.module, unit.module) is None:
            models = {one.module.memory_model[0].id(1) for one in (first, unit)}
            is_mixed = models == {MemoryModel.GLSL450, MemoryModel.Vulkan}
            hint = "compile both with `-fspv-use-vulkan-memory-model`" if is_mixed else None
            sink.error(codes.LINK_MODEL, None, hint=hint, first=first.name, second=unit.name)
            return False
    return True


def _memory_model(one: Module, other: Module) -> Instruction | None:
    """Return the memory model of two modules: of their addressing models one may be that of pointers to buffers."""
    first, second = one.memory_model[0], other.memory_model[0]
    has_pointers = AddressingModel.PhysicalStorageBuffer64 in (first.id(0), second.id(0))
    is_known = {first.id(0), second.id(0)} <= {AddressingModel.Logical, AddressingModel.PhysicalStorageBuffer64}
    if first.id(1) != second.id(1) or not (is_known or first == second):
        return None
    addressing = AddressingModel.PhysicalStorageBuffer64 if has_pointers else first.id(0)
    return Instruction(first.op, 0, 0, [addressing, first.id(1)])


def _check_entries(units: Sequence[Unit], entry: str, sink: Sink) -> bool:
    """Return whether no entry point is defined twice, and the one to retain exists, else report errors."""
    owners: dict[tuple[int, str], tuple[Unit, int]] = {}
    for unit in units:
        for inst in unit.entry_points:
            number, name = inst.id(1), inst.text(2)
            first, other = owners.setdefault((inst.id(0), name), (unit, number))
            if first is not unit and entry in ("", name):
                notes = first.notes(name, other, sink)
                place = unit.place(name, number)
                sink.error(codes.LINK_REPEATED, place, notes=notes, name=name, first=first.name, second=unit.name)
    names = sorted({name for _, name in owners})
    if entry and entry not in names:
        hint = f"the modules have {', '.join(f'`{name}`' for name in names)}" if names else "no module has entry points"
        sink.error(codes.LINK_ENTRY, None, name=entry, hint=hint)
    return not sink.error_count


def _join_heads(module: Module, unit: Unit) -> None:
    """Add the version, capabilities, extensions and memory model of a module."""
    source = unit.module
    module.version = max(module.version, source.version)
    module.capabilities += [inst.copy() for inst in source.capabilities if inst not in module.capabilities]
    module.extensions += [inst.copy() for inst in source.extensions if inst not in module.extensions]
    module.processed += [inst.copy() for inst in source.processed if inst not in module.processed]
    model = _memory_model(module if module.memory_model else source, source)
    module.memory_model = [model] if model is not None else []


def _add_entry_points(declared: Declarations, units: Sequence[Unit], entry: str) -> None:
    """Add the entry points to retain, with their execution modes."""
    for unit, ids in zip(units, declared.ids, strict=True):
        retained = [inst for inst in unit.entry_points if entry in ("", inst.text(2))]
        wrappers = {inst.id(1) for inst in retained}
        declared.module.entry_points += [ids.instruction(inst) for inst in retained]
        modes = [inst for inst in unit.module.execution_modes if inst.id(0) in wrappers]
        declared.module.execution_modes += [ids.instruction(inst) for inst in modes]


def _add_annotations(declared: Declarations, units: Sequence[Unit]) -> None:
    """Add names and annotations of all ids that the joined module takes from their module."""
    module = declared.module
    for unit, ids, own in zip(units, declared.ids, declared.own, strict=True):
        for source, section in (
            (unit.module.names, module.names),
            (ungrouped(unit.module.annotations), module.annotations),
        ):
            section += [ids.instruction(inst) for inst in source if inst.id(0) in own]


def _add_functions(declared: Declarations, number: int, unit: Unit) -> None:
    """Add the functions of a module, except for those to leave out."""
    rename = declared.ids[number].function
    declared.module.functions += [rename(f) for f in unit.module.functions if (number, f.id) not in declared.dropped]


def _make_program(module: Module) -> None:
    """Remove the exports: a program is complete."""
    module.annotations = [inst for inst in module.annotations if not is_linkage(inst)]
    module.capabilities = [inst for inst in module.capabilities if inst.operands[0] != Capability.Linkage]
