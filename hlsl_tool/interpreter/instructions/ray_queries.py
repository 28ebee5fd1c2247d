"""Ray queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..errors import ExecutionError
from ..rays.query import RayQuery
from ..rays.scene import Scene
from ..runtime.code import Step
from ..runtime.handles import for_each
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import choose
from .context import Context, builds


@builds(op.OpRayQueryInitializeKHR)
def _initialize(_: Context, inst: Instruction) -> Step:
    query, handle, flags, mask, origin, nearest, direction, farthest = inst.ints()

    def step(r: Registers, s: State) -> None:
        lanes = s.shape.lanes
        ray: dict[str, Any] = {
            "origin": wide(r[origin], lanes).astype(np.float64),
            "direction": wide(r[direction], lanes).astype(np.float64),
            "nearest": wide(r[nearest], lanes).astype(np.float64),
            "farthest": wide(r[farthest], lanes).astype(np.float64),
            "flags": wide(r[flags], lanes).astype(np.int64),
            "mask": wide(r[mask], lanes).astype(np.int64),
        }
        made = for_each(r[handle], s.mask, lambda scene, _: RayQuery(scene or Scene([]), ray))
        cell = r[query].node
        cell.value = made if not isinstance(cell.value, RayQuery) else choose(s.mask.bits, made, cell.value)

    return step


def _query(r: Registers, number: int) -> RayQuery:
    query = r[number].node.value
    if not isinstance(query, RayQuery):
        raise ExecutionError("a ray query is used before it is initialised")
    return query


@builds(op.OpRayQueryProceedKHR)
def _proceed(_: Context, inst: Instruction) -> Step:
    result, query = inst.result_id, inst.id(0)

    def step(r: Registers, s: State) -> None:
        r[result] = _query(r, query).proceed(s.mask.bits)

    return step


@builds(op.OpRayQueryTerminateKHR, op.OpRayQueryConfirmIntersectionKHR)
def _decide(_: Context, inst: Instruction) -> Step:
    query, confirms = inst.id(0), inst.op == op.OpRayQueryConfirmIntersectionKHR

    def step(r: Registers, s: State) -> None:
        found = _query(r, query)
        (found.confirm if confirms else found.terminate)(s.mask.bits)

    return step


@builds(op.OpRayQueryGenerateIntersectionKHR)
def _generate(_: Context, inst: Instruction) -> Step:
    query, distance = inst.ints()

    def step(r: Registers, s: State) -> None:
        _query(r, query).generate(s.mask.bits, r[distance].astype(np.float64))

    return step


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
    getter, result, words = _GETTERS[inst.op], inst.result_id, inst.ints()
    query = words[0]
    committed = bool(context.constant(words[1])) if len(words) > 1 else False
    dtype = context.types.of(inst).dtype

    def step(r: Registers, _: State) -> None:
        value = getter(_query(r, query), committed)
        r[result] = value if value.dtype == dtype else value.astype(dtype)

    return step
