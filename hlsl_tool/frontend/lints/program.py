"""Analyse the divergence in one entry point: a summary for each called function, causes, and findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.frontend.lints.divergence_sets import ALL, CAUSE_SHIFT, Divergence, bits_of, flat, join
from hlsl_tool.frontend.sema.checks.reachable.graph import callees
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Field, Struct

MOST_STATEMENTS = 50_000
"""Limit on the statements that the analysis of one entry point visits; beyond it, it reports nothing more."""

_MOST_NOTES = 3
"""Calls under the condition of a finding that it names besides the first."""


class GaveUp(Exception):
    """Raised if the analysis of an entry point visits more statements than the limit."""


class Cause(NamedTuple):
    """The reason for a divergence: the input or call whose values differ, and the condition that depends on it."""

    source: str
    """The input or call that differs, for messages."""
    pos: int = -1
    """The condition that makes control flow differ; -1 for a value."""
    chunk: SourceChunk | None = None


class Summary(NamedTuple):
    """The divergences after a call: of the result, of each parameter's contents, and of the method's object."""

    result: Divergence
    outputs: tuple[Divergence, ...]
    """For each parameter, its contents at the end."""
    this: Divergence


Walk = Callable[["Analysis", Function, tuple[Divergence, ...], Divergence, int], Summary]


class Analysis:
    """State of the analysis of one entry point."""

    def __init__(
        self, program: Program, stage: str, threads: tuple[int, int, int], walk: Walk, with_sites: set[Function]
    ) -> None:
        self.program = program
        self.stage = stage
        self.threads = threads
        self.findings: dict[tuple[str, SourceChunk | None, int], Raw] = {}
        self.steps = 0
        self._sites: set[tuple[str, SourceChunk | None, int]] = set()
        self._walk = walk
        self._with_sites = with_sites
        """Functions that contain, or whose callees contain, a call that must not be in divergent control flow."""
        self._causes: list[Cause] = [Cause("")]
        self._numbers: dict[Cause, int] = {}
        self._summaries: dict[object, Summary] = {}
        self._active: set[Function] = set()
        self._fields: dict[Struct, dict[Field, int]] = {}

    # ---- causes

    def cause(self, source: str, pos: int = -1, chunk: SourceChunk | None = None) -> int:
        """Store a reason for divergence, and return the bits that represent it in the upper part of a divergence.

        ``source`` names the input or call whose values differ; ``pos`` and ``chunk`` locate the condition.
        """
        cause = Cause(source, pos, chunk)
        number = self._numbers.get(cause)
        if number is None:
            number = self._numbers[cause] = len(self._causes)
            self._causes.append(cause)
        return number << CAUSE_SHIFT

    def cause_of(self, divergence: int) -> Cause:
        return self._causes[divergence >> CAUSE_SHIFT]

    # ---- functions

    def call(self, function: Function, arguments: tuple[Divergence, ...], this: Divergence, flow: int) -> Summary:
        """Return the divergences after a call of a function in control flow with divergence ``flow``; cached."""
        function = self.program.definitions.get(function, function)
        if function.body is None or function in self._active:
            total = flat(this)
            for argument in arguments:
                total = join(total, flat(argument))
            return Summary(total, (total,) * len(arguments), total)
        if function not in self._with_sites:
            flow = 0
        key = function, tuple([bits_of(one) for one in arguments]), bits_of(this), flow & ALL
        summary = self._summaries.get(key)
        if summary is None:
            self._active.add(function)
            summary = self._summaries[key] = self._walk(self, function, arguments, this, flow)
            self._active.discard(function)
        return summary

    def step(self) -> None:
        """Count a statement; raise `GaveUp` beyond the limit."""
        self.steps += 1
        if self.steps > MOST_STATEMENTS:
            raise GaveUp

    def field_index(self, struct: Struct, field: Field) -> int:
        """Return the index of a field among all fields of the accessed struct, inherited ones included."""
        numbers = self._fields.get(struct)
        if numbers is None:
            numbers = self._fields[struct] = {f: n for n, f in enumerate(struct.all_fields())}
        return numbers.get(field, len(numbers))

    # ---- findings

    def report_flow(self, code: Code, pos: int, chunk: SourceChunk | None, flow: int, hint: str, name: str) -> None:
        """Report a call in divergent control flow.

        Further calls under the same condition become notes of the first finding.
        """
        site = code.id, chunk, pos
        if site in self._sites:
            return
        self._sites.add(site)
        cause = self.cause_of(flow)
        key = code.id, cause.chunk, cause.pos
        finding = self.findings.get(key)
        if finding is None:
            notes = [Raw(codes.DIVERGES_HERE, cause.pos, {"source": cause.source}, cause.chunk)]
            self.findings[key] = Raw(code, pos, {"name": name}, chunk, notes, hint)
        elif len(finding.notes) <= _MOST_NOTES:
            finding.notes.append(Raw(codes.SAME_CONDITION, pos, {"name": name}, chunk))

    def report_index(self, pos: int, chunk: SourceChunk | None, divergence: int, name: str) -> None:
        """Report a divergent index without `NonUniformResourceIndex`."""
        code = codes.MISSING_NON_UNIFORM
        key = code.id, chunk, pos
        if key not in self.findings:
            fmt: dict[str, object] = {"name": name, "source": self.cause_of(divergence).source}
            self.findings[key] = Raw(code, pos, fmt, chunk, [], "write NonUniformResourceIndex(…) around the index")


def functions_with(program: Program, functions: list[Function], wanted: frozenset[str]) -> set[Function]:
    """Return the functions whose tokens contain one of these words, or that call such a function."""
    found = {f for f in functions if f.chunk is not None and not wanted.isdisjoint(f.chunk.tokens)}
    while True:
        more = {f for f in functions if f not in found and any(g in found for g in callees(program, f))}
        if not more:
            return found
        found |= more
