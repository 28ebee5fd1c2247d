"""Checks of hull shaders: their attributes and their patch parameters."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.types import ObjectType

_TRIANGLES = frozenset(("triangle_cw", "triangle_ccw"))
_TOPOLOGIES = {
    "isoline": frozenset(("point", "line")),
    "tri": _TRIANGLES | {"point"},
    "quad": _TRIANGLES | {"point"},
}
"""Domain → the output topologies that the tessellator can generate in it."""


def check(report: Reporter) -> None:
    """Report parameters of type ``OutputPatch``, which only patch constant functions may have."""
    for p in report.function.params:
        if isinstance(p.type, ObjectType) and p.type.name == "OutputPatch":
            report.error(codes.HULL_OUTPUT_PATCH, p.pos)


def check_tessellation(report: Reporter) -> None:
    """Report a missing ``domain`` or ``partitioning``, and an ``outputtopology`` that does not fit the domain.

    Only called for programs without errors.
    """
    f = report.function
    for name in ("domain", "partitioning"):
        if find_attribute(f.attributes, name) is None:
            report.error(codes.TESSELLATION_MISSING, f.pos, name=name)
    domain, topology = (find_attribute(f.attributes, name) for name in ("domain", "outputtopology"))
    if domain is not None and topology is not None and domain.args and topology.args:
        shape, primitive = str(domain.args[0]).lower(), str(topology.args[0]).lower()
        is_known = primitive in _TRIANGLES or primitive in ("point", "line")
        if is_known and shape in _TOPOLOGIES and primitive not in _TOPOLOGIES[shape]:
            report.error(codes.TESSELLATION_TOPOLOGY, topology.pos, domain=shape, topology=primitive)
