"""Resolve the imports of modules: find the exported function that each of them means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.codegen.lower.core.function_names import Signature
from hlsl_tool.codegen.lower.global_variables.module_init import LIBRARY_INIT
from hlsl_tool.compiler.linking.declarations import Declarations
from hlsl_tool.compiler.linking.descriptions import struct_difference, type_text
from hlsl_tool.compiler.linking.unit import Unit
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Module


class Candidate(NamedTuple):
    """A function that a module imports or exports."""

    number: int
    """The number of the module."""
    function: Function
    name: str
    signature: Signature | None
    """The signature in HLSL; ``None`` for a function of a module."""

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions of the parameters; empty if they are not known."""
        return self.signature.directions if self.signature is not None else ()

    def is_overload_of(self, other: Candidate) -> bool:
        """Return whether two functions of one name and type are different ones in HLSL."""
        return None not in (self.signature, other.signature) and self.signature != other.signature

    def text(self, unit: Unit) -> str:
        """Return the type in HLSL, as the source has it or as the module's types show it."""
        if self.signature is not None:
            return self.signature.text
        return type_text(unit.index, self.function.definition.id(1))

    def type_id(self, declared: Declarations) -> int:
        """Return the id of the function's type in the joined module."""
        return declared.ids[self.number][self.function.definition.id(1)]


class Resolution(NamedTuple):
    """The result of `resolve`."""

    inits: dict[int, set[int]]
    """Id of the initialisation of a module's variables → the ids of the module's functions."""
    exports: dict[str, list[Candidate]]
    """Name → the functions that modules export."""
    undefined: list[Candidate]
    """The imports of a program that no module defines."""


def resolve(declared: Declarations, units: Sequence[Unit], sink: Sink) -> Resolution:
    """Give each import the id of the exported function; report functions defined twice or declared differently.

    In a library, imports without a definition are retained, equal ones once.
    """
    undefined: list[Candidate] = []
    exports: dict[str, list[Candidate]] = {}
    inits: dict[int, set[int]] = {}
    for candidate in _linked(units, is_export=True):
        ids = declared.ids[candidate.number]
        if candidate.name == LIBRARY_INIT:
            inits[ids[candidate.function.id]] = {ids[f.id] for f in units[candidate.number].module.functions}
            continue
        equals = exports.setdefault(candidate.name, [])
        for other in equals:
            if other.type_id(declared) == candidate.type_id(declared) and not other.is_overload_of(candidate):
                _report_repeated(units, other, candidate, sink)
        equals.append(candidate)
    for candidate in _linked(units, is_export=False):
        definition = _definition(declared, units, candidate, exports.get(candidate.name, []), sink)
        if definition is None and not declared.module.entry_points:
            exports.setdefault(candidate.name, []).append(candidate)  # further imports become this one
        elif definition is None:
            if candidate.name not in exports:
                undefined.append(candidate)
        else:
            ids = declared.ids[candidate.number]
            ids.ids[candidate.function.id] = declared.ids[definition.number][definition.function.id]
            _drop(declared, candidate.number, candidate.function)
    return Resolution(inits, exports, undefined)


def _linked(units: Sequence[Unit], *, is_export: bool) -> Iterator[Candidate]:
    """Yield the functions that modules export, or those that they import."""
    for number, unit in enumerate(units):
        for function in unit.module.functions:
            linkage = unit.linkages.get(function.id)
            if linkage is not None and linkage.is_export == is_export:
                yield Candidate(number, function, linkage.name, unit.signatures.get(function.id))


def _drop(declared: Declarations, number: int, function: Function) -> None:
    """Leave out a function of a module, with the names and annotations of its ids."""
    own = declared.own[number]
    own.discard(function.id)
    own.difference_update(inst.result_id for inst in (*function.parameters, *function.instructions()))
    own.difference_update(block.label for block in function.blocks)
    declared.dropped.add((number, function.id))


def _definition(
    declared: Declarations, units: Sequence[Unit], wanted: Candidate, exports: Sequence[Candidate], sink: Sink
) -> Candidate | None:
    """Return the function that an import means: that of its type; report an error if there are only others.

    Of several, which differ in HLSL alone, it is that of its signature.
    """
    type_id = wanted.type_id(declared)
    equals = [candidate for candidate in exports if candidate.type_id(declared) == type_id]
    for candidate in equals:
        if not candidate.is_overload_of(wanted):
            return candidate
    if len(equals) == 1 and equals[0].directions == wanted.directions:
        return equals[0]
    definitions = [candidate for candidate in equals or exports if candidate.function.blocks]
    if definitions:
        _report_signature(units, wanted, definitions[0], sink)
    return None


def drop_unreached(declared: Declarations, units: Sequence[Unit], resolution: Resolution, sink: Sink) -> None:
    """Leave out the functions that no entry point reaches; report undefined ones among the others."""
    inits = resolution.inits
    calls: dict[int, list[int]] = {}
    for number, unit in enumerate(units):
        ids = declared.ids[number]
        for f in unit.module.functions:
            if (number, f.id) not in declared.dropped:
                calls[ids[f.id]] = [ids[inst.id(0)] for inst in f.instructions() if inst.op == op.OpFunctionCall]
    reached: set[int] = set()
    todo = [inst.id(1) for inst in declared.module.entry_points]
    while todo:
        function = todo.pop()
        if function not in reached:
            reached.add(function)
            todo += calls[function]
            todo += [init for init, own in inits.items() if function in own]
    for candidate in resolution.undefined:
        if declared.ids[candidate.number][candidate.function.id] in reached:
            _report_undefined(units, candidate, resolution.exports, sink)
    for init in [init for init in inits if init not in reached]:
        del inits[init]
    for number, unit in enumerate(units):
        for f in unit.module.functions:
            if declared.ids[number][f.id] not in reached and (number, f.id) not in declared.dropped:
                _drop(declared, number, f)


def check_recursion(module: Module, sink: Sink) -> None:
    """Report a function that calls itself through functions of other modules."""
    names = {inst.id(0): inst.text(1) for inst in module.names if inst.op == op.OpName}
    calls = {
        function.id: [inst.id(0) for inst in function.instructions() if inst.op == op.OpFunctionCall]
        for function in module.functions
    }
    finished: set[int] = set()
    for root in calls:
        path, todo = {root: None}, [(root, iter(calls[root]))]
        while todo:
            caller, rest = todo[-1]
            callee = next((number for number in rest if number not in finished), None)
            if callee is None:
                finished.add(caller)
                del path[caller]
                todo.pop()
            elif callee in path:
                name = names.get(callee, "")
                sink.error(sema_codes.RECURSION, None, caller=names.get(caller, ""), name=name)
                return
            else:
                path[callee] = None
                todo.append((callee, iter(calls[callee])))


# ---- diagnostics

_HLSL_OVERLOADS = (
    "these overloads have one type in SPIR-V, as those of `half` and `float` or of enumerations: link the sources"
)


def _report_signature(units: Sequence[Unit], wanted: Candidate, definition: Candidate, sink: Sink) -> None:
    importer, exporter = units[wanted.number], units[definition.number]
    one, other = wanted.function.definition.id(1), definition.function.definition.id(1)
    difference = struct_difference(importer.index, one, exporter.index, other)
    code = codes.LINK_TYPE if difference else codes.LINK_SIGNATURE
    sink.error(
        code,
        importer.place(wanted.name, wanted.function.id),
        notes=exporter.notes(definition.name, definition.function.id, sink),
        hint=difference or "declare it in a header that both include",
        name=wanted.name,
        importer=importer.name,
        expected=wanted.text(importer),
        exporter=exporter.name,
        found=definition.text(exporter),
    )


def _report_repeated(units: Sequence[Unit], first: Candidate, second: Candidate, sink: Sink) -> None:
    one, other = units[first.number], units[second.number]
    sink.error(
        codes.LINK_REPEATED,
        other.place(second.name, second.function.id),
        notes=one.notes(first.name, first.function.id, sink),
        hint="define it in one module, and only declare it in the other" if one is not other else _HLSL_OVERLOADS,
        name=second.name,
        first=one.name,
        second=other.name,
    )


def _report_undefined(
    units: Sequence[Unit], wanted: Candidate, exports: dict[str, list[Candidate]], sink: Sink
) -> None:
    unit = units[wanted.number]
    bare = wanted.name.rpartition("::")[2]
    holder = next((other for other in units if wanted.name in other.hidden), None)
    if holder is not None:
        hint: str | None = f"{holder.name} has a function of this name: declare it `export` there"
    else:
        hint = did_you_mean(bare, exports) or "add the module that has its body"
    sink.error(
        codes.LINK_UNDEFINED, unit.place(wanted.name, wanted.function.id), hint=hint, name=wanted.name, module=unit.name
    )
