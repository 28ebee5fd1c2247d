"""Checks of all entry points: functions with ``[shader("...")]``, and the one that the command line names."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.frontend.sema.checks.entries import hull, nodes, rays
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter, check_elements
from hlsl_tool.frontend.sema.model.annotations import Attribute, find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.rules.modern import unions
from hlsl_tool.frontend.sema.scope.context import Language

STAGES = {
    "vs": "vertex",
    "ps": "pixel",
    "gs": "geometry",
    "hs": "hull",
    "ds": "domain",
    "cs": "compute",
    "ms": "mesh",
    "as": "amplification",
    "lib": "",
}
"""Prefix of a profile → the stage as ``[shader("...")]`` names it."""
_REQUIRED = {
    "amplification": ("numthreads",),
    "mesh": ("numthreads", "outputtopology"),
    "hull": ("patchconstantfunc", "outputtopology", "outputcontrolpoints"),
    "geometry": ("maxvertexcount",),
    "compute": ("numthreads",),
}
_NODES_ONLY = frozenset((
    "nodelaunch", "nodeisprogramentry", "nodeid", "nodelocalrootargumentstableindex", "nodeshareinputof",
    "nodedispatchgrid", "nodemaxdispatchgrid", "nodemaxrecursiondepth",
))  # fmt: skip
_STAGES_OF = {
    **dict.fromkeys(_NODES_ONLY, (("node",), "node")),
    "wavesize": (("compute", "node"), "compute or node"),
    "groupsharedlimit": (("compute", "mesh", "amplification", "node"), ""),
}
"""Attribute → the stages that have it, and their names in a message."""
ENTRY_ATTRIBUTES = frozenset((
    "clipplanes", "domain", "earlydepthstencil", "instance", "maxtessfactor", "numthreads", "rootsignature",
    "outputcontrolpoints", "outputtopology", "partitioning", "patchconstantfunc", "maxvertexcount", "wavesize",
    *_NODES_ONLY,
))  # fmt: skip
"""Attributes without a meaning on functions that are no entry points."""


def check_entries(program: Program, language: Language, profile: str) -> list[Raw]:
    """Return the diagnostics about attributes, parameters and results of all entry points of a program."""
    messages: list[Raw] = []
    stage = STAGES.get(language.stage, "")
    active = set(program.entries) if language.stage != "lib" else set()
    for f in program.functions:
        if not f.attributes and f not in active:
            continue
        written = written_stage(f)
        report = Reporter(f, messages)
        if f in active and written and stage and written != stage:
            a = find_attribute(f.attributes, "shader")
            report.error(
                codes.STAGE_CONFLICT, a.pos if a else f.pos, stage=stage, profile=profile, written=written, name=f.name
            )
        if written or f in active:
            is_active = f in active or language.stage == "lib"
            _check(report, written or stage, shader_model(profile), is_active=is_active)
        elif language.stage == "lib" and f.has_body:
            _warn_without_shader(report)
    return messages


def shader_model(profile: str) -> tuple[int, int]:
    """Return the shader model of a profile as (major, minor).

    ``lib_6_x`` and profiles without numbers have the newest one.
    """
    _, major, minor = (*profile.split("_"), "", "")[:3]
    return (int(major) if major.isdigit() else 6, int(minor) if minor.isdigit() else 99)


def _check_wave_size(report: Reporter, model: tuple[int, int], *, is_active: bool) -> None:
    a = find_attribute(report.function.attributes, "wavesize")
    if a is None or not is_active:
        return
    if model < (6, 6):
        report.error(codes.ATTRIBUTE_MODEL, a.pos, name="wavesize", model="6.6", needed="cs_6_6")
    elif model < (6, 8) and len(a.args) > 1:
        report.error(codes.WAVE_SIZE_RANGE_MODEL, a.pos)


def written_stage(f: Function) -> str:
    """Return the stage in the attribute ``[shader("...")]``; ``""`` without the attribute."""
    a = find_attribute(f.attributes, "shader")
    return str(a.args[0]).lower() if a is not None and a.args else ""


def _check(report: Reporter, stage: str, model: tuple[int, int], *, is_active: bool) -> None:
    f = report.function
    for p in f.params:
        check_elements(report, p.pos, p.type, "entry function parameters")
        if unions.is_in(p.type):
            report.error(modifier_codes.UNION_PLACE, p.pos, place="inputs of an entry function")
    check_elements(report, f.pos, f.return_type, "entry function return type")
    for a in f.attributes:
        stages, words = _STAGES_OF.get(a.name, ((), "")) if a.scope is None else ((), "")
        if stages and stage not in stages and a.name == "groupsharedlimit":
            report.error(declaration_codes.GROUP_SHARED_STAGE, a.pos)
        elif stages and stage not in stages:
            report.error(codes.ATTRIBUTE_STAGE, a.pos, name=a.name, stages=words)
    _check_wave_size(report, model, is_active=is_active)
    for required in _REQUIRED.get(stage, ()):
        if find_attribute(f.attributes, required) is None:
            report.error(lower_codes.ATTRIBUTE_MISSING, f.pos, stage=stage, attribute=required)
    if stage in rays.PARAMETERS:
        rays.check(report, stage)
    elif stage == "node":
        nodes.check(report)
    elif stage == "hull" and is_active and find_attribute(f.attributes, "outputcontrolpoints"):
        hull.check(report)
    elif stage == "vertex" and f.semantic is not None and f.semantic.name.lower() in ("position", "position0"):
        report.error(codes.POSITION_SEMANTIC, f.pos, name=f.semantic.name)


def _warn_without_shader(report: Reporter) -> None:
    a: Attribute
    for a in report.function.attributes:
        if a.scope is None and a.name in ENTRY_ATTRIBUTES:
            report.error(codes.ATTRIBUTE_WITHOUT_SHADER, a.pos, name=a.name)
