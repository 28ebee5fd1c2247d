"""Checks of entry points of ray tracing stages."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Param
from hlsl_tool.frontend.sema.model.types import Struct, is_plain_record

PARAMETERS: dict[str, tuple[tuple[str, ...], str]] = {
    "raygeneration": ((), "no parameters"),
    "intersection": ((), "no parameters"),
    "miss": (("payload",), "one payload parameter"),
    "anyhit": (("payload", "attributes"), "two parameters for payload and attributes"),
    "closesthit": (("payload", "attributes"), "two parameters for payload and attributes"),
    "callable": (("callable",), "one argument parameter"),
}
"""Stage → the kinds of its parameters, and their number in words."""


def check(report: Reporter, stage: str) -> None:
    """Report a return value, and parameters of the wrong number, direction or type."""
    f = report.function
    kinds, wanted = PARAMETERS[stage]
    if f.return_type not in (ty.VOID, ty.INVALID):
        report.error(lower_codes.RAY_RESULT, f.pos, stage=stage)
    if len(f.params) != len(kinds):
        report.error(lower_codes.RAY_PARAMETERS, f.pos, stage=stage, count=len(f.params), wanted=wanted)
        if stage != "closesthit":
            return
    for p, kind in zip(f.params, kinds, strict=False):
        is_right = _has_direction(report, p, kind)
        if not is_right and stage in ("anyhit", "miss"):
            return
    for p, kind in zip(f.params, kinds, strict=False):
        _check_type(report, p, kind)


def _has_direction(report: Reporter, p: Param, kind: str) -> bool:
    direction = "in" if kind == "attributes" else "inout"
    if p.direction == direction:
        return True
    report.error(lower_codes.RAY_DIRECTION, p.pos, name=p.name, direction=direction)
    return False


def _check_type(report: Reporter, p: Param, kind: str) -> None:
    if isinstance(p.type, Struct) and not p.type.is_complete:
        report.error(sema_codes.INCOMPLETE_TYPE, p.pos, type=ty.display(p.type))
    elif p.type is not ty.INVALID and not is_plain_record(p.type):
        report.error(codes.RAY_PARAMETER_TYPE, p.pos, kind=kind, name=p.name)
