"""Ray queries: tracing inside any shader (manual: *RayQuery Mapping to SPIR-V*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import METHODS, method
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.builtin_types import RAY_FLAGS
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import CULLING_FLAGS
from hlsl_tool.spirv.enums import Capability, ExecutionMode

INTERSECTION: dict[str, int] = {
    "ClusterID": op.OpRayQueryGetIntersectionClusterIdNV,
    "TriangleObjectPositions": op.OpRayQueryGetIntersectionTriangleVertexPositionsKHR,
    "GeometryIndex": op.OpRayQueryGetIntersectionGeometryIndexKHR,
    "InstanceContributionToHitGroupIndex": op.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
    "InstanceID": op.OpRayQueryGetIntersectionInstanceCustomIndexKHR,
    "InstanceIndex": op.OpRayQueryGetIntersectionInstanceIdKHR,
    "ObjectRayDirection": op.OpRayQueryGetIntersectionObjectRayDirectionKHR,
    "ObjectRayOrigin": op.OpRayQueryGetIntersectionObjectRayOriginKHR,
    "ObjectToWorld3x4": op.OpRayQueryGetIntersectionObjectToWorldKHR,
    "ObjectToWorld4x3": op.OpRayQueryGetIntersectionObjectToWorldKHR,
    "PrimitiveIndex": op.OpRayQueryGetIntersectionPrimitiveIndexKHR,
    "TriangleBarycentrics": op.OpRayQueryGetIntersectionBarycentricsKHR,
    "TriangleFrontFace": op.OpRayQueryGetIntersectionFrontFaceKHR,
    "WorldToObject3x4": op.OpRayQueryGetIntersectionWorldToObjectKHR,
    "WorldToObject4x3": op.OpRayQueryGetIntersectionWorldToObjectKHR,
}
"""NAME in ``CandidateNAME`` and ``CommittedNAME`` → instruction."""

OPCODES: dict[str, tuple[int, int | None]] = {
    **{f"Candidate{name}": (opcode, 0) for name, opcode in INTERSECTION.items()},
    **{f"Committed{name}": (opcode, 1) for name, opcode in INTERSECTION.items()},
    "CandidateTriangleRayT": (op.OpRayQueryGetIntersectionTKHR, 0),
    "CommittedRayT": (op.OpRayQueryGetIntersectionTKHR, 1),
    "CandidateType": (op.OpRayQueryGetIntersectionTypeKHR, 0),
    "CommittedStatus": (op.OpRayQueryGetIntersectionTypeKHR, 1),
    "CandidateProceduralPrimitiveNonOpaque": (op.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR, None),
    "Proceed": (op.OpRayQueryProceedKHR, None),
    "Abort": (op.OpRayQueryTerminateKHR, None),
    "CommitNonOpaqueTriangleHit": (op.OpRayQueryConfirmIntersectionKHR, None),
    "CommitProceduralPrimitiveHit": (op.OpRayQueryGenerateIntersectionKHR, None),
    "RayFlags": (op.OpRayQueryGetRayFlagsKHR, None),
    "RayTMin": (op.OpRayQueryGetRayTMinKHR, None),
    "WorldRayDirection": (op.OpRayQueryGetWorldRayDirectionKHR, None),
    "WorldRayOrigin": (op.OpRayQueryGetWorldRayOriginKHR, None),
}
"""Method → (instruction, intersection: 0 the candidate, 1 the committed one)."""

_EXTENSIONS = {
    op.OpRayQueryGetIntersectionClusterIdNV: "SPV_NV_cluster_acceleration_structure",
    op.OpRayQueryGetIntersectionTriangleVertexPositionsKHR: "SPV_KHR_ray_tracing_position_fetch",
}

_MICROMAPS = "SPV_KHR_opacity_micromap"
_ALLOW_MICROMAPS = 1
"""``RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS``."""


def positions(ctx: Lowering, corners: int, t: Type) -> Value:
    """Return the struct ``BuiltInTrianglePositions`` for an array of three vectors."""
    b = ctx.b
    return ctx.rvalue(b.construct(ctx.type(t), [b.extract(corners, n) for n in range(3)]), t)


def declare_micromaps(ctx: Lowering, flags: int, always: int = 0) -> None:
    """Declare the capability of opacity micromaps if the constant ray flags include ``RAY_FLAG_FORCE_OMM_2_STATE``.

    ``flags`` is the id of a value, whose flags count only if it is constant; ``always`` has the flags of the query's
    type.
    """
    value = ctx.b.constant_value(flags)
    if (always | (value if isinstance(value, int) else 0)) & RAY_FLAGS["RAY_FLAG_FORCE_OMM_2_STATE"]:
        extension = _MICROMAPS if ctx.is_enabled(_MICROMAPS) else "SPV_EXT_opacity_micromap"
        ctx.require_extension(extension, "RAY_FLAG_FORCE_OMM_2_STATE")
        ctx.b.capability(Capability.RayTracingOpacityMicromapEXT)
        ctx.b.extension(extension)


def declare_culling(ctx: Lowering, flags: int, always: int = 0) -> None:
    """Declare the capability for ray flags that skip triangles or boxes, unless constant flags do not include them.

    It is removed if the optimised module does not use such flags. DXC declares it for constant flags of queries only.
    """
    value = ctx.b.constant_value(flags)
    suspected = 0 if ctx.options.codegen_only else CULLING_FLAGS
    if (always | (value if isinstance(value, int) else suspected)) & CULLING_FLAGS:
        ctx.b.capability(Capability.RayTraversalPrimitiveCullingKHR)


def declare_pipeline_flags(ctx: Lowering, flags: int) -> None:
    """Declare the capabilities that the flags of ``TraceRay`` need."""
    declare_micromaps(ctx, flags)
    if not ctx.options.codegen_only:
        declare_culling(ctx, flags)


def _allow_micromaps(ctx: Lowering) -> None:
    """Write the execution mode with which queries traverse opacity micromaps; only the KHR extension requires it."""
    ctx.entry_mode(_write_micromap_mode)


def _write_micromap_mode(ctx: Lowering) -> None:
    if ctx.is_enabled(_MICROMAPS):
        ctx.b.execution_mode_id(ctx.wrapper, ExecutionMode.OpacityMicromapIdKHR, ctx.b.const_bool(True))
        ctx.b.capability(Capability.RayTracingOpacityMicromapExecutionModeKHR)
        ctx.b.extension(_MICROMAPS)


def _object(ctx: Lowering, e: hir.Expr) -> int:
    """Return the pointer to a ray query; report one that is not an l-value, since queries cannot be copied."""
    v = ctx.expr(e)
    if v.is_rvalue:
        ctx.fail(codes.QUERY_COPY, e.pos)
    return v.id


def _query(ctx: Lowering, c: hir.MethodCall) -> Value | None:
    """Lower a method of a ray query to one instruction; a 3x4 matrix is the transpose of SPIR-V's 4x3 result."""
    b, t = ctx.b, c.type
    opcode, intersection = OPCODES[c.name]
    if opcode in _EXTENSIONS:
        ctx.require_extension(_EXTENSIONS[opcode], c.name, c.pos)
    operands = [_object(ctx, c.object), *(memory.load(ctx, ctx.expr(a)).id for a in c.args)]
    if intersection is not None:
        operands.append(b.const_uint(intersection))
    if t is ty.VOID:
        b.emit_void(opcode, *operands)
        return None
    if isinstance(t, ty.Struct):
        return positions(ctx, b.emit(opcode, b.array(b.vector(b.f32(), 3), 3), *operands), t)
    transposed = isinstance(t, ty.Matrix) and t.rows == 3
    value = b.emit(opcode, ctx.type(ty.matrix(ty.FLOAT, 4, 3) if transposed else t), *operands)
    if transposed:
        value = b.unary(op.OpTranspose, ctx.type(t), value)
    if c.name == "CandidateProceduralPrimitiveNonOpaque":  # SPIR-V has the opposite query
        value = b.unary(op.OpLogicalNot, ctx.type(t), value)
    return ctx.rvalue(value, t)


for _name in OPCODES:
    METHODS["ray_query", _name] = _query


@method("ray_query", "TraceRayInline")
def _trace(ctx: Lowering, c: hir.MethodCall) -> None:
    """Lower ``TraceRayInline``: initialise the query with the flags of its type and of the call."""
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    always = t.args[0] if isinstance(t.args[0], int) else 0
    query = _object(ctx, c.object)
    scene = memory.load(ctx, ctx.expr(c.args[0])).id
    folded = constants.folded(ctx, c.args[1])
    flags = folded if folded is not None else memory.load(ctx, ctx.expr(c.args[1])).id
    declare_culling(ctx, flags, always)
    declare_micromaps(ctx, flags, always)
    if len(t.args) > 1 and isinstance(t.args[1], int) and t.args[1] & _ALLOW_MICROMAPS:
        _allow_micromaps(ctx)
    flags = b.binary(op.OpBitwiseOr, b.u32(), b.const_uint(always), flags)
    mask = memory.load(ctx, ctx.expr(c.args[2])).id
    ray = memory.load(ctx, ctx.expr(c.args[3])).id
    origin, t_min, direction, t_max = (b.extract(ray, i) for i in range(4))
    b.emit_void(op.OpRayQueryInitializeKHR, query, scene, flags, mask, origin, t_min, direction, t_max)
