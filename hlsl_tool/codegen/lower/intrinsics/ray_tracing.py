"""Intrinsic functions of ray tracing shaders (manual: *Ray Tracing Shader Stages*, *Intrinsics*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import INTRINSICS, intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import hit_objects, rayquery
from hlsl_tool.codegen.lower.resources.ray_data import ray_variable, variable_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, StorageClass

_B, _SC = BuiltIn, StorageClass
NV = "SPV_NV_ray_tracing"

BUILTINS: dict[str, int] = {
    "DispatchRaysIndex": _B.LaunchIdKHR, "DispatchRaysDimensions": _B.LaunchSizeKHR, "RayTMin": _B.RayTminKHR,
    "RayTCurrent": _B.RayTmaxKHR, "HitKind": _B.HitKindKHR, "WorldRayDirection": _B.WorldRayDirectionKHR,
    "WorldRayOrigin": _B.WorldRayOriginKHR, "ObjectRayDirection": _B.ObjectRayDirectionKHR,
    "ObjectRayOrigin": _B.ObjectRayOriginKHR, "GeometryIndex": _B.RayGeometryIndexKHR,
    "InstanceIndex": _B.InstanceId, "PrimitiveIndex": _B.PrimitiveId, "InstanceID": _B.InstanceCustomIndexKHR,
    "RayFlags": _B.IncomingRayFlagsKHR, "ObjectToWorld4x3": _B.ObjectToWorldKHR,
    "WorldToObject4x3": _B.WorldToObjectKHR, "ObjectToWorld3x4": _B.ObjectToWorldKHR,
    "WorldToObject3x4": _B.WorldToObjectKHR, "ObjectToWorld": _B.ObjectToWorldKHR,
    "WorldToObject": _B.WorldToObjectKHR, "ClusterID": _B.ClusterIDNV,
}  # fmt: skip
"""Function without arguments → built-in."""


_HIT = frozenset(("intersection", "anyhit", "closesthit"))
_RAY = _HIT | {"miss"}
STAGES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("WorldRayOrigin", "WorldRayDirection", "RayTMin", "RayTCurrent", "RayFlags"), _RAY),
    **dict.fromkeys(("ObjectRayOrigin", "ObjectRayDirection", "InstanceIndex", "InstanceID", "GeometryIndex"), _HIT),
    **dict.fromkeys(("ObjectToWorld", "ObjectToWorld3x4", "ObjectToWorld4x3"), _HIT),
    **dict.fromkeys(("WorldToObject", "WorldToObject3x4", "WorldToObject4x3"), _HIT),
    **dict.fromkeys(("HitKind", "ClusterID", "TriangleObjectPositions"), frozenset(("anyhit", "closesthit"))),
    "TraceRay": frozenset(("raygeneration", "closesthit", "miss")),
    "CallShader": frozenset(("raygeneration", "closesthit", "miss", "callable")),
    "ReportHit": frozenset(("intersection",)),
    **dict.fromkeys(("IgnoreHit", "AcceptHitAndEndSearch"), frozenset(("anyhit",))),
    **dict.fromkeys(("DispatchRaysIndex", "DispatchRaysDimensions"), _RAY | {"raygeneration", "callable"}),
}
"""Function → stages in which Vulkan has it (manual: *Ray Tracing*, table of intrinsics).

``PrimitiveIndex`` is missing, because it is an input of other stages, too."""


_ENDS = frozenset(("IgnoreHit", "AcceptHitAndEndSearch"))
"""Functions that write the payload of their entry point."""


def _check_stage(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Report a call in a stage without the intrinsic, unless validation is off: spirv-val would reject it.

    The stages that call an exported function are not known before the link.
    """
    allowed = STAGES.get(c.name)
    is_judged = ctx.options.validate != "no" and not ctx.options.codegen_only
    if ctx.stage == "lib" and c.name not in _ENDS:
        return
    if allowed is not None and ctx.stage not in allowed and is_judged:
        where = ", ".join(f"'{stage}'" for stage in sorted(allowed))
        ctx.error(codes.FUNCTION_STAGE, c.pos, name=c.name, stage=ctx.stage, hint=f"{c.name} is there in {where}")


def _read_builtin(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Load a built-in; a 3x4 matrix is the transpose of SPIR-V's 4x3 built-in."""
    _check_stage(ctx, c)
    if c.name == "ClusterID":
        ctx.require_extension("SPV_NV_cluster_acceleration_structure", c.name, c.pos)
    b, builtin, t = ctx.b, BUILTINS[c.name], c.type
    if c.name == "RayTCurrent" and ctx.is_enabled(NV):
        builtin = _B.HitTNV
    ctx.needs_legalization()
    transposed = isinstance(t, ty.Matrix) and t.rows == 3
    held: Type = ty.matrix(ty.FLOAT, 4, 3) if transposed else t
    value = b.load(ctx.input_builtin(builtin, ctx.type(held), ""))
    return ctx.rvalue(b.unary(op.OpTranspose, ctx.type(t), value) if transposed else value, t)


for _name in BUILTINS:
    INTRINSICS[_name] = _read_builtin


@intrinsic("TriangleObjectPositions")
def _positions(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Load the triangle's corners: SPIR-V's array becomes HLSL's struct."""
    _check_stage(ctx, c)
    ctx.require_extension("SPV_KHR_ray_tracing_position_fetch", c.name, c.pos)
    b = ctx.b
    corners = b.array(b.vector(b.f32(), 3), 3)
    value = b.load(ctx.input_builtin(_B.HitTriangleVertexPositionsKHR, corners, ""))
    return rayquery.positions(ctx, value, c.type)


@intrinsic("TraceRay")
def _trace_ray(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    _check_stage(ctx, c)
    b = ctx.b
    payload = ctx.expr(c.args[7])
    variable, location = ray_variable(ctx, _SC.RayPayloadKHR, c.args[7].type, variable_name(c.args[7]))
    ray = memory.load(ctx, ctx.expr(c.args[6])).id
    origin, t_min, direction, t_max = (b.extract(ray, i) for i in range(4))
    b.store(variable, memory.load(ctx, payload).id)
    arguments = [memory.load(ctx, ctx.expr(a)).id for a in c.args[:6]]
    rayquery.declare_pipeline_flags(ctx, arguments[1])
    arguments += [origin, t_min, direction, t_max]
    if ctx.is_enabled(NV):
        b.emit_void(op.OpTraceNV, *arguments, b.const_uint(location))
    else:
        b.emit_void(op.OpTraceRayKHR, *arguments, variable)
    memory.store(ctx, payload, Value(b.load(variable), payload.type, True))


@intrinsic("CallShader")
def _call_shader(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    _check_stage(ctx, c)
    b = ctx.b
    data = ctx.expr(c.args[1])
    variable, location = ray_variable(ctx, _SC.CallableDataKHR, c.args[1].type, variable_name(c.args[1]))
    b.store(variable, memory.load(ctx, data).id)
    index = memory.load(ctx, ctx.expr(c.args[0])).id
    if ctx.is_enabled(NV):
        b.emit_void(op.OpExecuteCallableNV, index, b.const_uint(location))
    else:
        b.emit_void(op.OpExecuteCallableKHR, index, variable)
    memory.store(ctx, data, Value(b.load(variable), data.type, True))


@intrinsic("ReportHit")
def _report_hit(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    _check_stage(ctx, c)
    b = ctx.b
    attributes = memory.load(ctx, ctx.expr(c.args[2])).id
    variable, _ = ray_variable(ctx, _SC.HitAttributeKHR, c.args[2].type, variable_name(c.args[2]))
    b.store(variable, attributes)
    hit, kind = (memory.load(ctx, ctx.expr(a)).id for a in c.args[:2])
    return ctx.rvalue(b.emit(op.OpReportIntersectionKHR, b.bool_type(), hit, kind), c.type)


@intrinsic("IgnoreHit", "AcceptHitAndEndSearch")
def _end_any_hit(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``IgnoreHit`` and ``AcceptHitAndEndSearch``: store the payload and end the any-hit shader."""
    _check_stage(ctx, c)
    b = ctx.b
    if ctx.function is not None:
        for p in ctx.function.params:
            if p in ctx.incoming_payloads:
                b.store(ctx.incoming_payloads[p], b.load(ctx.locals[p].id))
    accepts = c.name == "AcceptHitAndEndSearch"
    if ctx.is_enabled(NV):
        b.emit_void(op.OpTerminateRayNV if accepts else op.OpIgnoreIntersectionNV)
        return
    b.emit_void(op.OpTerminateRayKHR if accepts else op.OpIgnoreIntersectionKHR)
    b.set_insert_point(b.new_block())  # the instructions of KHR end the block


@intrinsic("dx::MaybeReorderThread")
def _reorder(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``dx::MaybeReorderThread``: by a hit object, by a hint, or by both."""
    hit_objects.require(ctx, c.name, c.pos)
    takes_object = isinstance(c.args[0].type, ty.ObjectType)
    hints = [memory.load(ctx, ctx.expr(a)).id for a in c.args[takes_object:]]
    if takes_object:
        ctx.b.emit_void(
            hit_objects.opcode(ctx, "OpReorderThreadWithHitObject"), hit_objects.pointer(ctx, c.args[0]), *hints
        )
    else:
        ctx.b.emit_void(hit_objects.opcode(ctx, "OpReorderThreadWithHint"), *hints)
