"""The modules that are linked, with what is known of their sources."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.codegen.lower.core.function_names import Signature, read_signatures
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.spirv import op, shader_debug
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration, LinkageType
from hlsl_tool.spirv.ir import Function, Instruction, Module


class Linkage(NamedTuple):
    """The name under which a module imports or exports a function."""

    name: str
    is_export: bool


class Unit:
    """One module of a link; the module is not changed."""

    def __init__(
        self,
        name: str,
        module: Module,
        requirements: Requirements,
        interface: InterfaceRecord | None = None,
        locate: Callable[[str], Location | None] | None = None,
        hidden: Collection[str] = (),
        signatures: Mapping[int, Signature] | None = None,
    ) -> None:
        """``locate`` returns the place of a function or resource by name; without it debug information is searched.

        ``hidden`` are the functions that the source defines and does not export; ``signatures`` has those of HLSL by
        the functions' ids, by default those that the module has as strings.
        """
        self.name = name
        self.module = module
        self.requirements = requirements
        self.interface = interface or InterfaceRecord()
        self.locate = locate
        self.hidden = hidden
        self.entry_points = module.entry_points
        """The entry points that the joined module may retain."""
        self.index = ModuleIndex(module)
        self.signatures = self._read_signatures() if signatures is None else signatures

    def leave_out_entry_points(self) -> None:
        """Take only functions from this module."""
        self.entry_points = []
        self.interface.stage_variables = []

    def _read_signatures(self) -> dict[int, Signature]:
        """Return the signatures of the functions by id; without those of a name whose strings are not complete."""
        found = read_signatures(self.index.strings.values())
        numbers: dict[str, list[int]] = {}
        for number, linkage in self.linkages.items():
            numbers.setdefault(linkage.name, []).append(number)
        return {
            number: signature
            for name, signatures in found.items()
            if len(numbers.get(name, ())) == len(signatures)
            for number, signature in zip(numbers[name], signatures, strict=True)
        }

    @cached_property
    def linkages(self) -> dict[int, Linkage]:
        """Id of a function or variable → its linkage."""
        return {
            inst.id(0): Linkage(inst.text(2), inst.operands[3] != LinkageType.Import)
            for inst in self.module.annotations
            if is_linkage(inst)
        }

    def place(self, name: str, number: int) -> Location | None:
        """Return the place of the function or variable with an id: in HLSL, or by debug information."""
        if self.locate is not None:
            return self.locate(name)
        for function in self.module.functions:
            for at, inst in _with_lines(function):
                is_use = inst.op == op.OpFunctionCall and inst.operands[0] == number
                if (function.id == number or is_use) and (location := self._location(at)) is not None:
                    return location
        return None

    def notes(self, name: str, number: int, sink: Sink) -> list[Diagnostic]:
        """Return a note about the place of a function or variable; none if the place is not known."""
        place = self.place(name, number)
        return [] if place is None else [sink.note(codes.LINK_HERE, place, name=name, module=self.name)]

    def _location(self, inst: Instruction | None) -> Location | None:
        """Return the place that an OpLine or DebugLine names."""
        if inst is None:
            return None
        strings = self.index.strings
        if inst.op == op.OpLine:
            return Location(strings.get(inst.id(0), ""), inst.id(1), inst.id(2))
        source = self.index.definitions.get(inst.id(2))
        line, column = self.index.constant(inst.id(3)), self.index.constant(inst.id(5))
        if source is None or line is None:
            return None
        return Location(strings.get(source.id(2), ""), line, column or 0)


def is_linkage(inst: Instruction) -> bool:
    """Return whether an annotation is that of an import or export."""
    return inst.op == op.OpDecorate and inst.operands[1] == Decoration.LinkageAttributes


def _with_lines(function: Function) -> Iterator[tuple[Instruction | None, Instruction]]:
    """Yield (the line in effect, instruction) for a function's definition and the instructions of its blocks."""
    line: Instruction | None = None
    for inst in (*function.prelude, function.definition, *function.instructions()):
        if inst.op == op.OpLine or (inst.op == op.OpExtInst and inst.operands[1] == shader_debug.DebugLine):
            line = inst
        elif inst.op == op.OpNoLine:
            line = None
        yield line, inst
