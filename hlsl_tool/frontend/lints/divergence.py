"""Lints about divergent control flow and divergent indices."""

from __future__ import annotations

from hlsl_tool.frontend.lints import intrinsics
from hlsl_tool.frontend.lints.control import walk_function
from hlsl_tool.frontend.lints.program import Analysis, GaveUp, functions_with
from hlsl_tool.frontend.lints.sources import Inputs, threads_of
from hlsl_tool.frontend.sema.checks.entries.stage_checks import STAGES, written_stage
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Array, ObjectType
from hlsl_tool.frontend.sema.scope.context import BodySource


def check_divergence(program: Program, stage: str, *, flow: bool, indices: bool) -> list[Raw]:
    """Return the findings about divergent control flow (``flow``) and indices (``indices``) of all entry points.

    ``indices`` selects the lint about a missing `NonUniformResourceIndex`. ``stage`` is that of the profile.
    """
    findings: list[Raw] = []
    for entry in program.entries:
        functions = reach(program, [entry])
        with_sites = functions_with(program, functions, intrinsics.SITES) if flow else set()
        is_flow_relevant = entry in with_sites and any(_has_word(f, intrinsics.BRANCHES) for f in functions)
        if not is_flow_relevant and not (indices and any(map(_has_descriptor_array, functions))):
            continue
        kind = written_stage(entry) if stage == "lib" else STAGES.get(stage, "")
        threads = threads_of(entry)
        analysis = Analysis(program, kind, threads, walk_function, with_sites)
        inputs = Inputs(kind, threads, analysis.cause)
        try:
            analysis.call(entry, tuple(map(inputs.of_parameter, entry.params)), 0, 0)
        except (GaveUp, RecursionError):
            continue
        findings += analysis.findings.values()
    return findings


def _has_word(f: Function, words: frozenset[str]) -> bool:
    return f.chunk is not None and not words.isdisjoint(f.chunk.tokens)


def _has_descriptor_array(f: Function) -> bool:
    """Return whether a function names an array of resources or a descriptor heap."""
    if _has_word(f, intrinsics.HEAPS):
        return True
    if not isinstance(f.source, BodySource):
        return False
    for var in f.source.variables:
        t = var.type
        if isinstance(t, Array) and var.storage == "global":
            while isinstance(t, Array):
                t = t.element
            if isinstance(t, ObjectType):
                return True
    return False
