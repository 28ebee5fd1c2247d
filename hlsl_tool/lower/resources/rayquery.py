"""Ray queries: tracing inside any shader (manual: *RayQuery Mapping to SPIR-V*)."""

from __future__ import annotations

from hlsl_tool.lower.core import constants, memory
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.registry import METHODS, method
from hlsl_tool.lower.core.values import Value
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.builtin_types import RAY_FLAGS
from hlsl_tool.sema.types import ObjectType
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Capability

INTERSECTION: dict[str, int] = {
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

_CULLS = RAY_FLAGS["RAY_FLAG_SKIP_TRIANGLES"] | RAY_FLAGS["RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES"]


def _query(ctx: Lowering, c: hir.MethodCall) -> Value | None:
    """Lower to one instruction; matrices of three rows are transposed, since SPIR-V has only those of four."""
    b, t = ctx.b, c.type
    opcode, intersection = OPCODES[c.name]
    operands = [ctx.expr(c.object).id, *(memory.load(ctx, ctx.expr(a)).id for a in c.args)]
    if intersection is not None:
        operands.append(b.const_uint(intersection))
    if t is ty.VOID:
        b.emit_void(opcode, *operands)
        return None
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
    """Begin a query with the flags of the type and those of the call."""
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    always = t.args[0] if isinstance(t.args[0], int) else 0
    query = ctx.expr(c.object).id
    scene = memory.load(ctx, ctx.expr(c.args[0])).id
    folded = constants.folded(ctx, c.args[1])
    flags = folded if folded is not None else memory.load(ctx, ctx.expr(c.args[1])).id
    flags_of_call = b.constant_value(flags) if folded is not None else 0
    if (always | (flags_of_call if isinstance(flags_of_call, int) else 0)) & _CULLS:
        b.capability(Capability.RayTraversalPrimitiveCullingKHR)
    flags = b.binary(op.OpBitwiseOr, b.u32(), b.const_uint(always), flags)
    mask = memory.load(ctx, ctx.expr(c.args[2])).id
    ray = memory.load(ctx, ctx.expr(c.args[3])).id
    origin, t_min, direction, t_max = (b.extract(ray, i) for i in range(4))
    b.emit_void(op.OpRayQueryInitializeKHR, query, scene, flags, mask, origin, t_min, direction, t_max)
