"""Runs the lints that are enabled over a program."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import lints as codes
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.lints.divergence import check_divergence
from hlsl_tool.sema.hir import Program
from hlsl_tool.sema.instances import Raw


def check_program(program: Program, stage: str, sink: Sink) -> list[Raw]:
    """Return the findings of the lints that the flags enable.  ``stage`` is that of the profile: ``ps``, ``lib``."""
    findings: list[Raw] = []
    flow = any(map(sink.may_warn, codes.FLOW))
    indices = sink.may_warn(codes.MISSING_NON_UNIFORM)
    if flow or indices:
        findings += check_divergence(program, stage, flow=flow, indices=indices)
    return findings
