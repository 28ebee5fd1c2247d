"""Payloads, attributes and other structs that calls hand to other shaders: structs of numbers."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Struct, Type, is_plain_record
from hlsl_tool.frontend.sema.rules import object_elements
from hlsl_tool.frontend.sema.scope.context import Context

_PAYLOADS = {"TraceRay": 7, "Invoke": 1}
"""Method of ``dx::HitObject`` → the argument that is its payload."""

RECORDS = {
    "TraceRay": (7, "user-defined struct parameter"),
    "CallShader": (1, "user-defined struct parameter"),
    "DispatchMesh": (3, "user-defined struct parameter"),
    "ReportHit": (2, "attributes"),
}
"""Intrinsic → (the argument that is a struct for another shader, its place in messages)."""


def check_intrinsic(ctx: Context, call: hir.IntrinsicCall) -> None:
    """Report hit objects, and vectors of more than four components, in a struct that a call hands to a shader."""
    number, place = RECORDS[call.name]
    argument = call.args[number]
    object_elements.check_place(ctx, argument.pos, argument.type, place)


def check(ctx: Context, call: hir.MethodCall) -> None:
    """Report a payload, or hit attributes, that do not consist of numbers."""
    if call.name in _PAYLOADS:
        argument = call.args[_PAYLOADS[call.name]]
        name, pos = "", argument.pos
        if isinstance(argument, hir.VarRef):
            name = argument.var.name
            pos = argument.var.pos if argument.var.storage == "local" else pos
        _check_type(ctx, argument.type, "payload", name, pos)
    elif call.name == "FromRayQuery" and len(call.args) > 2:
        _check_type(ctx, call.args[2].type, "attributes", "", call.args[2].pos)
    elif call.name == "GetAttributes":
        t = call.args[0].type if call.args else call.type
        _check_type(ctx, t, "attributes", "", call.args[0].pos if call.args else call.pos)


def _check_type(ctx: Context, t: Type, kind: str, name: str, pos: int) -> None:
    if isinstance(t, Struct) and not t.is_complete:
        return  # reported where it is used
    place = "payload parameters" if kind == "payload" else kind
    object_elements.check_place(ctx, pos, t, place)
    if is_plain_record(t):
        return
    if kind == "payload":
        ctx.error(codes.RAY_PARAMETER_TYPE, pos, kind=kind, name=name)
    else:
        ctx.error(codes.ATTRIBUTES_TYPE, pos)
