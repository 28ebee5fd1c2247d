"""Run the enabled lints over a program."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.frontend.lints.bank_conflicts import check_bank_conflicts
from hlsl_tool.frontend.lints.divergence import check_divergence
from hlsl_tool.frontend.lints.loops import LOOP_WORDS, check_loops
from hlsl_tool.frontend.lints.precision import HALF_WORDS, check_precision
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.scope.context import BodySource, findings_of


def check_program(program: Program, stage: str, sink: Sink) -> list[Raw]:
    """Return the findings of all lints that the warning flags enable; ``stage`` is the profile's: ``ps``, ``lib``."""
    findings: list[Raw] = []
    flow = any(map(sink.may_warn, codes.FLOW))
    indices = sink.may_warn(codes.MISSING_NON_UNIFORM)
    if flow or indices:
        findings += check_divergence(program, stage, flow=flow, indices=indices)
    if sink.may_warn(codes.BANK_CONFLICT):
        for f in filter(_has_shared_memory, program.entries):
            findings += check_bank_conflicts(f)
    if any(map(sink.may_warn, (*codes.LOOPS, *codes.PRECISION))):
        for f in program.reachable:
            findings += findings_of(f, _check_body)
    return findings


def _has_shared_memory(f: Function) -> bool:
    return isinstance(f.source, BodySource) and any(var.storage == "groupshared" for var in f.source.variables)


def _check_body(f: Function) -> list[Raw]:
    """Return the findings of the lints that examine one function in isolation."""
    if f.chunk is None:
        return []
    tokens = f.chunk.tokens
    findings = [] if LOOP_WORDS.isdisjoint(tokens) else check_loops(f)
    return findings if HALF_WORDS.isdisjoint(tokens) else findings + check_precision(f)
