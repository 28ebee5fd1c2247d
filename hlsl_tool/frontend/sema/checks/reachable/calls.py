"""Checks of calls that some stages or shader models do not support."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability as codes
from hlsl_tool.frontend.sema.checks.reachable import barriers
from hlsl_tool.frontend.sema.checks.reachable.root import Root
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import BodySource

_HIT_OBJECT_STAGES = ("raygeneration", "closesthit", "miss")


def check(root: Root, f: Function) -> None:
    """Report calls and names in the body of ``f`` that the entry point ``root`` does not support."""
    source = f.source
    if not isinstance(source, BodySource):
        return
    root.chunk = f.chunk
    for call in source.watched:
        if isinstance(call, hir.IntrinsicCall):
            _check_function(root, call)
        else:
            _check_method(root, call)
    for name, pos in source.built_in:
        _check_name(root, name, pos)
    if root.stage in _WITHOUT_GROUPS:
        for variable in source.variables:
            _check_shared(root, variable)


_WITHOUT_GROUPS = ("vertex", "hull", "domain", "geometry", "pixel")


def _check_shared(root: Root, variable: Variable) -> None:
    if variable.storage != "groupshared":
        return
    root.chunk = variable.chunk
    if root.is_new(codes.GROUPSHARED_STAGE, variable.pos):
        root.error(codes.GROUPSHARED_STAGE, variable.pos, name=variable.name, stage=root.stage)


def _check_name(root: Root, name: str, pos: int) -> None:
    if name == "RayQuery":
        if root.model < watched.QUERY_FLAGS and root.is_new(codes.QUERY_FLAGS_MODEL, pos):
            root.error(codes.QUERY_FLAGS_MODEL, pos, model=_dotted(watched.QUERY_FLAGS))
        return
    model = watched.CONSTANTS.get(name, watched.HIT_OBJECT)
    code = codes.CONSTANT_MODEL if name in watched.CONSTANTS else codes.TYPE_MODEL
    if root.model >= model or not root.is_new(code, pos):
        return
    root.error(code, pos, name=name, profile=root.profile, model=_dotted(model))


def _dotted(model: tuple[int, int]) -> str:
    return f"{model[0]}.{model[1]}"


def _check_function(root: Root, call: hir.IntrinsicCall) -> None:
    if call.name == "Barrier":
        barriers.check(root, call)
        return
    if call.name.startswith(watched.LINEAR_ALGEBRA):
        _check_linear_algebra(root, call)
        return
    _check_model(root, call.name, call.pos, watched.FUNCTIONS[call.name])
    if call.name == "dx::MaybeReorderThread" and root.stage != "raygeneration":
        root.error(codes.REORDER_STAGE, call.pos, stage=root.stage or "library")


def _check_linear_algebra(root: Root, call: hir.IntrinsicCall) -> None:
    _check_model(root, call.name, call.pos, watched.LINEAR_ALGEBRA_MODEL)
    has_groups = root.stage in ("compute", "mesh", "amplification", "")
    if not has_groups and not call.name.endswith(watched.ANY_STAGE) and root.model >= watched.LINEAR_ALGEBRA_MODEL:
        root.error(codes.MATRIX_STAGE, call.pos, stage=root.stage)


def _check_model(root: Root, name: str, pos: int, model: tuple[int, int] | None) -> None:
    if model is not None and root.model < model and root.is_new(codes.FUNCTION_MODEL, pos):
        root.error(codes.FUNCTION_MODEL, pos, name=name, entry=root.name, model=_dotted(model))


def _check_method(root: Root, call: hir.MethodCall) -> None:
    t = call.object.type
    assert isinstance(t, ObjectType)
    if t.name == "dx::HitObject":
        _check_model(root, f"dx::HitObject::{call.name}", call.pos, watched.HIT_OBJECT)
        if call.name in watched.METHODS and root.stage not in _HIT_OBJECT_STAGES:
            root.error(codes.HIT_OBJECT_STAGE, call.pos, stage=root.stage or "library")
    elif call.name == "TraceRayInline":
        _check_query(root, call, t)
    elif call.name.startswith("CalculateLevelOfDetail"):
        _check_level(root, call)


def _check_query(root: Root, call: hir.MethodCall, t: ObjectType) -> None:
    flags = evaluate_int(call.args[1])
    allowed = t.args[1] if len(t.args) > 1 and isinstance(t.args[1], int) else 0
    if flags is not None and flags & watched.FORCE_OMM_2_STATE and not allowed & watched.ALLOW_MICROMAPS:
        root.error(codes.QUERY_FLAGS, call.pos)


def _check_level(root: Root, call: hir.MethodCall) -> None:
    """Report ``CalculateLevelOfDetail`` with a comparison sampler in a stage or thread group without derivatives."""
    sampler = call.param_types[0] if call.param_types else None
    if not isinstance(sampler, ObjectType) or sampler.name != "SamplerComparisonState":
        return
    if root.model < (6, 8):
        if root.is_new(codes.OVERLOAD_MODEL, call.pos):
            root.error(codes.OVERLOAD_MODEL, call.pos, name=f"{call.name} with SamplerComparisonState", model="6.8")
        return
    has_derivatives = root.stage in ("pixel", "compute", "amplification", "mesh", "")
    if not has_derivatives and (root.stage, root.launch) != ("node", "broadcasting"):
        root.error(codes.DERIVATIVES_STAGE, call.pos, name=call.name, entry=root.name)
    threads = root.threads
    if threads is not None and not _are_quads(threads):
        root.error(codes.DERIVATIVES_THREADS, call.pos, name=call.name, entry=root.name)


def _are_quads(threads: tuple[int, int, int]) -> bool:
    """Return whether a thread group can be divided into quads: of 2 by 2 threads, or of 4 threads in a row."""
    x, y, z = threads
    if y != 1:
        return x % 2 == 0 and y % 2 == 0
    return x % 4 == 0 and z == 1
