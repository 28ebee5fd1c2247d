"""Ray queries, and instructions of ray tracing pipelines, which are in the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..errors import ExecutionError
from ..rays.query import RayQuery
from ..rays.scene import Scene
from ..runtime.cells import CellPointer
from ..runtime.code import Step
from ..runtime.handles import for_each
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, choose
from .context import Context, add_rows, builds, pure, with_state


def _initialize(pointer: CellPointer, scenes: Any, flags: Array, mask: Array, *ray: Any) -> None:
    origin, nearest, direction, farthest, s = ray
    parts = {"origin": origin, "direction": direction, "nearest": nearest, "farthest": farthest}
    arrays = {name: wide(part, s.shape.lanes).astype(np.float64) for name, part in parts.items()}
    arrays |= {name: wide(part, s.shape.lanes).astype(np.int64) for name, part in (("flags", flags), ("mask", mask))}
    query = for_each(scenes, s.mask, lambda scene, _: RayQuery(scene or Scene([]), arrays))
    cell = pointer.node
    cell.value = choose(s.mask.bits, query, cell.value) if isinstance(cell.value, RayQuery) else query


def _query(pointer: CellPointer) -> RayQuery:
    query = pointer.node.value
    if not isinstance(query, RayQuery):
        raise ExecutionError("a ray query is used before it is initialised")
    return query


add_rows(
    {
        op.OpRayQueryInitializeKHR: _initialize,
        op.OpRayQueryProceedKHR: lambda pointer, s: _query(pointer).proceed(s.mask.bits),
        op.OpRayQueryTerminateKHR: lambda pointer, s: _query(pointer).terminate(s.mask.bits),
        op.OpRayQueryConfirmIntersectionKHR: lambda pointer, s: _query(pointer).confirm(s.mask.bits),
        op.OpRayQueryGenerateIntersectionKHR: lambda pointer, distance, s: _query(pointer).generate(
            s.mask.bits, distance.astype(np.float64)
        ),
    },
    with_state,
)

Getter = Callable[[RayQuery, bool], Any]
_GETTERS: dict[int, Getter] = {
    op.OpRayQueryGetIntersectionTypeKHR: lambda q, c: q.intersection(committed=c),
    op.OpRayQueryGetIntersectionTKHR: lambda q, c: q.t(committed=c),
    op.OpRayQueryGetIntersectionInstanceCustomIndexKHR: lambda q, c: q.of_instance("custom", committed=c),
    op.OpRayQueryGetIntersectionInstanceIdKHR: lambda q, c: q.of_instance("numbers", committed=c),
    op.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: lambda q, c: q.of_instance(
        "records", committed=c
    ),
    op.OpRayQueryGetIntersectionGeometryIndexKHR: lambda q, c: q.of_hit("geometry", committed=c),
    op.OpRayQueryGetIntersectionPrimitiveIndexKHR: lambda q, c: q.of_hit("primitive", committed=c),
    op.OpRayQueryGetIntersectionBarycentricsKHR: lambda q, c: q.of_hit("weights", committed=c),
    op.OpRayQueryGetIntersectionFrontFaceKHR: lambda q, c: q.of_hit("is_front", committed=c),
    op.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR: lambda q, _: q.of_hit("is_opaque", committed=False),
    op.OpRayQueryGetIntersectionObjectRayDirectionKHR: lambda q, c: q.object_ray(committed=c, origin=False),
    op.OpRayQueryGetIntersectionObjectRayOriginKHR: lambda q, c: q.object_ray(committed=c, origin=True),
    op.OpRayQueryGetIntersectionObjectToWorldKHR: lambda q, c: q.matrix("to_world", committed=c),
    op.OpRayQueryGetIntersectionWorldToObjectKHR: lambda q, c: q.matrix("to_object", committed=c),
    op.OpRayQueryGetIntersectionTriangleVertexPositionsKHR: lambda q, c: q.corners(committed=c),
    op.OpRayQueryGetWorldRayDirectionKHR: lambda q, _: q.ray["direction"],
    op.OpRayQueryGetWorldRayOriginKHR: lambda q, _: q.ray["origin"],
    op.OpRayQueryGetRayTMinKHR: lambda q, _: q.ray["nearest"],
    op.OpRayQueryGetRayFlagsKHR: lambda q, _: q.ray["flags"],
}


@builds(*_GETTERS)
def _get(context: Context, inst: Instruction) -> Step:
    getter, (query, *chosen), dtype = _GETTERS[inst.op], inst.ints(), context.types.of(inst).dtype
    committed = bool(chosen) and bool(context.constant(chosen[0]))

    def get(pointer: CellPointer) -> Array:
        value: Array = getter(_query(pointer), committed).astype(dtype, copy=False)
        return value

    return pure(get, inst.result_id, [query])


# -------------------------------------------------------------------------------------------------------- pipelines

_CALLS: dict[int, Any] = {
    op.OpTraceRayKHR: lambda tracer, r, s, *operands: tracer.trace(r, s, list(operands)),
    op.OpExecuteCallableKHR: lambda tracer, r, s, *operands: tracer.execute_callable(r, s, *operands),
    op.OpReportIntersectionKHR: lambda tracer, r, s, *operands: tracer.report(r, s, *operands),
}


@builds(*_CALLS)
def _call(_: Context, inst: Instruction) -> Step:
    function, result, operands = _CALLS[inst.op], inst.result_id, inst.ints()

    def step(r: Registers, s: State) -> None:
        r[result] = function(s.extra["tracer"], r, s, *(r[operand] for operand in operands))

    return step


def _ignore_intersection(s: State) -> None:
    """End the lanes of the mask; their candidate is not accepted."""
    s.extra["tracer"].ignored |= s.mask.bits
    s.end_lanes()


def _terminate_ray(s: State) -> None:
    """End the lanes of the mask and the search; their candidate is accepted."""
    s.extra["tracer"].ended |= s.mask.bits
    s.end_lanes()


add_rows(
    {op.OpIgnoreIntersectionKHR: _ignore_intersection, op.OpTerminateRayKHR: _terminate_ray},
    with_state,
)
