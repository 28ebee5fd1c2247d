"""Methods of built-in objects: their overloads, with concrete types.

Trailing parameters may be optional (``offset``, ``clamp``, ``status``); each number of parameters is an overload of its
own.  Manual: *HLSL Methods*.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.builtin_types import ray_desc, triangle_positions
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Type, Vector

ANY_STRUCT = ty.Struct("any struct")
"""Placeholder for the type of any struct argument."""
ANY_VALUE = ty.Struct("any value")
"""Placeholder for the template argument, or for the argument's type if there is none."""
ANY_QUERY = ty.object_type("RayQuery", (0, 0))
"""Matches ray queries with any flags."""


@dataclass(slots=True)
class Method:
    """One overload of a method."""

    name: str
    result: Type
    params: tuple[Type, ...]
    """A coordinate is a vector even where it has one component: unlike a number it may be given a longer vector."""
    directions: tuple[str, ...]
    is_static: bool = False
    takes_template: bool = False


SAMPLER = ty.object_type("SamplerState")
COMPARISON = ty.object_type("SamplerComparisonState")

# texture shape -> (coordinate components, array?, components of an offset; 0 if offsets are not allowed)
_SHAPES: dict[str, tuple[int, bool, int]] = {
    "1D": (1, False, 1),
    "1DArray": (1, True, 1),
    "2D": (2, False, 2),
    "2DArray": (2, True, 2),
    "3D": (3, False, 3),
    "Cube": (3, False, 0),
    "CubeArray": (3, True, 0),
    "CUBE": (3, False, 0),
    "CUBEArray": (3, True, 0),
    "2DMS": (2, False, 2),
    "2DMSArray": (2, True, 2),
}
_CHANNELS = ("", "Red", "Green", "Blue", "Alpha")


def _vec(t: Scalar, n: int) -> Type:
    return ty.vector(t, n) if n > 1 else t


class _Table:
    def __init__(self) -> None:
        self.methods: dict[str, list[Method]] = {}

    def add(
        self, name: str, result: Type, *params: Type | tuple[str, Type], static: bool = False, template: bool = False
    ) -> None:
        ps = [p if isinstance(p, tuple) else ("in", p) for p in params]
        m = Method(name, result, tuple(p[1] for p in ps), tuple(p[0] for p in ps), static, template)
        self.methods.setdefault(name, []).append(m)

    def optional(
        self, name: str, result: Type, required: list[Type], tail: list[Type | tuple[str, Type]], start: int = 0
    ) -> None:
        """Add an overload for every prefix of the optional parameters ``tail`` that has at least ``start`` of them."""
        for n in range(start, len(tail) + 1):
            self.add(name, result, *required, *tail[:n])


STATUS = ("out", ty.UINT)


def _texture(t: _Table, shape: str, element: Type, *, combined: bool) -> None:
    dims, is_array, n_offset = _SHAPES[shape]
    scalar = ty.element_of(element) or ty.FLOAT
    four = ty.vector(scalar, 4)
    coord, plain = ty.vector(ty.FLOAT, dims + is_array), ty.vector(ty.FLOAT, dims)
    offset: list[Type | tuple[str, Type]] = [ty.vector(ty.INT, n_offset)] if n_offset else []
    clamp_status: list[Type | tuple[str, Type]] = [*offset, ty.FLOAT, STATUS]
    status: list[Type | tuple[str, Type]] = [*offset, STATUS]
    s: list[Type] = [] if combined else [SAMPLER]
    c: list[Type] = [] if combined else [COMPARISON]
    if not shape.startswith("2DMS"):
        t.optional("Sample", element, [*s, coord], clamp_status)
        t.optional("SampleBias", element, [*s, coord, ty.FLOAT], clamp_status)
        t.optional("SampleGrad", element, [*s, coord, plain, plain], clamp_status)
        t.optional("SampleLevel", element, [*s, coord, ty.FLOAT], status)
        if shape != "3D":
            t.optional("SampleCmp", ty.FLOAT, [*c, coord, ty.FLOAT], clamp_status)
            t.optional("SampleCmpBias", ty.FLOAT, [*c, coord, ty.FLOAT, ty.FLOAT], clamp_status)
            t.optional("SampleCmpGrad", ty.FLOAT, [*c, coord, ty.FLOAT, plain, plain], clamp_status)
            t.optional("SampleCmpLevel", ty.FLOAT, [*c, coord, ty.FLOAT, ty.FLOAT], status)
            t.optional("SampleCmpLevelZero", ty.FLOAT, [*c, coord, ty.FLOAT], status)
        for name in ("CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped"):
            t.add(name, ty.FLOAT, *s, plain)
            if not combined:
                t.add(name, ty.FLOAT, COMPARISON, plain)
    if shape in ("2D", "2DArray", "Cube", "CubeArray", "CUBE", "CUBEArray"):
        _gathers(t, s, c, coord, four, n_offset)
    if shape in ("1D", "1DArray", "2D", "2DArray", "3D"):
        t.optional("Load", element, [_vec(ty.INT, dims + is_array + 1)], status)
    elif shape.startswith("2DMS"):
        t.optional("Load", element, [_vec(ty.INT, dims + is_array), ty.INT], status)
        t.add("GetSamplePosition", ty.vector(ty.FLOAT, 2), ty.INT)
    _dimensions(t, shape, dims, is_array)


def _gathers(t: _Table, s: list[Type], c: list[Type], coord: Type, four: Type, n_offset: int) -> None:
    o: list[Type] = [_vec(ty.INT, n_offset)] if n_offset else []
    for channel in _CHANNELS:
        for name, head in ((f"Gather{channel}", [*s, coord]), (f"GatherCmp{channel}", [*c, coord, ty.FLOAT])):
            t.optional(name, four, head, [*o, STATUS])
            if n_offset and channel:
                t.optional(name, four, head, [*o * 4, STATUS], start=4)
    t.add("GatherRaw", four, *s, coord)
    if o:
        t.add("GatherRaw", four, *s, coord, *o)
        t.add("GatherRaw", four, *s, coord, *o, STATUS)


def _dimensions(t: _Table, shape: str, dims: int, is_array: bool) -> None:
    n = (2 if dims == 3 and shape != "3D" else dims) + is_array
    for kind in (ty.UINT, ty.FLOAT, ty.INT):
        out = ("out", kind)
        if shape.startswith("2DMS"):
            t.add("GetDimensions", ty.VOID, *[out] * n, out)
        else:
            t.add("GetDimensions", ty.VOID, *[out] * n)
            t.add("GetDimensions", ty.VOID, ty.UINT, *[out] * n, out)


def _rw_texture(t: _Table, shape: str, element: Type) -> None:
    dims, is_array, _ = _SHAPES[shape]
    coord = ty.vector(ty.INT, dims + is_array)
    for kind in (ty.UINT, ty.FLOAT, ty.INT):
        out = ("out", kind)
        t.add("GetDimensions", ty.VOID, *[out] * (dims + is_array + shape.startswith("2DMS")))
    if shape.startswith("2DMS"):
        t.optional("Load", element, [coord, ty.INT], [STATUS])
        t.add("GetSamplePosition", ty.vector(ty.FLOAT, 2), ty.INT)
    else:
        t.optional("Load", element, [coord], [STATUS])


def _buffer(t: _Table, element: Type, *, writable: bool) -> None:
    place = ty.INT if writable else ty.vector(ty.INT, 1)  # as in DXC
    t.optional("Load", element, [place], [STATUS])
    t.add("GetDimensions", ty.VOID, ("out", ty.UINT))


FLOAT_ATOMICS = {"Float": ty.FLOAT, "Double": ty.DOUBLE, "Float16": ty.FLOAT16}
"""End of the names of atomic methods of byte-address buffers on floats → the type."""


def _byte_address(t: _Table, writable: bool) -> None:
    t.add("GetDimensions", ty.VOID, ("out", ty.UINT))
    for n in ("", "2", "3", "4"):
        result = _vec(ty.UINT, int(n or 1))
        t.add(f"Load{n}", result if n else ANY_VALUE, ty.UINT, template=not n)
        t.add(f"Load{n}", result if n else ANY_VALUE, ty.UINT, STATUS, template=not n)
        if writable:
            t.add(f"Store{n}", ty.VOID, ty.UINT, result if n else ANY_VALUE, template=not n)
    if not writable:
        return
    for suffix, value, signed in (("", ty.UINT, ty.INT), ("64", ty.UINT64, ty.INT64)):
        for name in ("Add", "And", "Or", "Xor", "Min", "Max", "Exchange"):
            for v in (value, signed) if name in ("Min", "Max") else (value,):
                if name != "Exchange":
                    t.add(f"Interlocked{name}{suffix}", ty.VOID, ty.UINT, v)
                for o in (value, signed):
                    t.add(f"Interlocked{name}{suffix}", ty.VOID, ty.UINT, v, ("out", o))
        t.add(f"InterlockedCompareStore{suffix}", ty.VOID, ty.UINT, value, value)
        for o in (value, signed):
            t.add(f"InterlockedCompareExchange{suffix}", ty.VOID, ty.UINT, value, value, ("out", o))
    for suffix, value in FLOAT_ATOMICS.items():
        for name in ("Add", "Min", "Max"):
            t.optional(f"Interlocked{name}{suffix}", ty.VOID, [ty.UINT, value], [("out", value)])
        t.add(f"InterlockedExchange{suffix}", ty.VOID, ty.UINT, value, ("out", value))
    t.add("InterlockedCompareStoreFloatBitwise", ty.VOID, ty.UINT, ty.FLOAT, ty.FLOAT)
    t.add("InterlockedCompareExchangeFloatBitwise", ty.VOID, ty.UINT, ty.FLOAT, ty.FLOAT, ("out", ty.FLOAT))


def _structured(t: _Table, name: str, element: Type) -> None:
    t.add("GetDimensions", ty.VOID, ("out", ty.UINT), ("out", ty.UINT))
    if name == "AppendStructuredBuffer":
        t.add("Append", ty.VOID, element)
    elif name == "ConsumeStructuredBuffer":
        t.add("Consume", element)
    else:
        t.optional("Load", element, [ty.INT], [STATUS])
        if name != "StructuredBuffer":
            t.add("IncrementCounter", ty.UINT)
            t.add("DecrementCounter", ty.UINT)


_QUERY: dict[Type, str] = {
    ty.UINT: "CommittedStatus CandidateType RayFlags CandidateInstanceIndex CandidateInstanceID CandidateGeometryIndex "
    "CandidatePrimitiveIndex CommittedInstanceIndex CommittedInstanceID CommittedGeometryIndex CommittedPrimitiveIndex "
    "CandidateInstanceContributionToHitGroupIndex CommittedInstanceContributionToHitGroupIndex CandidateClusterID "
    "CommittedClusterID",
    triangle_positions(): "CandidateTriangleObjectPositions CommittedTriangleObjectPositions",
    ty.BOOL: "Proceed CandidateProceduralPrimitiveNonOpaque CandidateTriangleFrontFace CommittedTriangleFrontFace",
    ty.VOID: "Abort CommitNonOpaqueTriangleHit",
    ty.FLOAT: "RayTMin CandidateTriangleRayT CommittedRayT",
    ty.vector(ty.FLOAT, 2): "CandidateTriangleBarycentrics CommittedTriangleBarycentrics",
    ty.vector(ty.FLOAT, 3): "WorldRayOrigin WorldRayDirection CandidateObjectRayOrigin CandidateObjectRayDirection "
    "CommittedObjectRayOrigin CommittedObjectRayDirection",
    ty.matrix(ty.FLOAT, 3, 4): "CandidateObjectToWorld3x4 CandidateWorldToObject3x4 CommittedObjectToWorld3x4 "
    "CommittedWorldToObject3x4",
    ty.matrix(ty.FLOAT, 4, 3): "CandidateObjectToWorld4x3 CandidateWorldToObject4x3 CommittedObjectToWorld4x3 "
    "CommittedWorldToObject4x3",
}

_HIT: dict[Type, str] = {
    ty.BOOL: "IsMiss IsHit IsNop",
    ty.UINT: "GetRayFlags GetGeometryIndex GetInstanceIndex GetInstanceID GetPrimitiveIndex GetHitKind "
    "GetShaderTableIndex GetClusterID",
    ty.FLOAT: "GetRayTMin GetRayTCurrent",
    ty.vector(ty.FLOAT, 3): "GetWorldRayOrigin GetWorldRayDirection GetObjectRayOrigin GetObjectRayDirection",
    ty.matrix(ty.FLOAT, 3, 4): "GetObjectToWorld3x4 GetWorldToObject3x4",
    ty.matrix(ty.FLOAT, 4, 3): "GetObjectToWorld4x3 GetWorldToObject4x3",
    triangle_positions(): "TriangleObjectPositions",
}

ACCELERATION = ty.object_type("RaytracingAccelerationStructure")


def _ray_query(t: _Table) -> None:
    t.add("TraceRayInline", ty.VOID, ACCELERATION, ty.UINT, ty.UINT, ray_desc())
    t.add("CommitProceduralPrimitiveHit", ty.VOID, ty.FLOAT)
    for result, names in _QUERY.items():
        for name in names.split():
            t.add(name, result)


def _hit_object(t: _Table, this: ObjectType) -> None:
    t.add("MakeNop", this, static=True)
    t.add("MakeMiss", this, ty.UINT, ty.UINT, ray_desc(), static=True)
    t.add("TraceRay", this, ACCELERATION, *[ty.UINT] * 5, ray_desc(), ("inout", ANY_STRUCT), static=True)
    t.add("FromRayQuery", this, ANY_QUERY, static=True)
    t.add("FromRayQuery", this, ANY_QUERY, ty.UINT, ANY_STRUCT, static=True)
    t.add("Invoke", ty.VOID, this, ("inout", ANY_STRUCT), static=True)
    t.add("GetAttributes", ty.VOID, ("out", ANY_STRUCT))
    t.add("GetAttributes", ANY_VALUE, template=True)
    t.add("SetShaderTableIndex", ty.VOID, ty.UINT)
    t.add("LoadLocalRootTableConstant", ty.UINT, ty.UINT)
    for result, names in _HIT.items():
        for name in names.split():
            t.add(name, result)


def _feedback(t: _Table, name: str) -> None:
    dims = 3 if name.endswith("Array") else 2
    texture = ty.object_type(name.replace("Feedback", ""), (ty.vector(ty.FLOAT, 4),))
    x, d = ty.vector(ty.FLOAT, dims), ty.vector(ty.FLOAT, 2)
    t.optional("WriteSamplerFeedback", ty.VOID, [texture, SAMPLER, x], [ty.FLOAT])
    t.optional("WriteSamplerFeedbackBias", ty.VOID, [texture, SAMPLER, x, ty.FLOAT], [ty.FLOAT])
    t.optional("WriteSamplerFeedbackGrad", ty.VOID, [texture, SAMPLER, x, d, d], [ty.FLOAT])
    t.add("WriteSamplerFeedbackLevel", ty.VOID, texture, SAMPLER, x, ty.FLOAT)


def _node(t: _Table, obj: ObjectType) -> None:
    name, args = obj.name, obj.args
    if name.endswith(("NodeInputRecord", "NodeInputRecords", "NodeOutputRecords")):
        element = args[0]
        if isinstance(element, ty.Struct):  # other records are reported when the entry point is lowered
            t.add("Get", element)
            t.add("Get", element, ty.UINT)
    if name in ("EmptyNodeInput", "GroupNodeInputRecords", "RWGroupNodeInputRecords"):
        t.add("Count", ty.UINT)
    if name == "RWDispatchNodeInputRecord":
        t.add("FinishedCrossGroupSharing", ty.BOOL)
    if name in ("NodeOutput", "NodeOutputArray"):
        t.add("GetThreadNodeOutputRecords", ty.object_type("ThreadNodeOutputRecords", args), ty.UINT)
        t.add("GetGroupNodeOutputRecords", ty.object_type("GroupNodeOutputRecords", args), ty.UINT)
        t.add("IsValid", ty.BOOL)
    if name in ("EmptyNodeOutput", "EmptyNodeOutputArray"):
        t.add("GroupIncrementOutputCount", ty.VOID, ty.UINT)
        t.add("ThreadIncrementOutputCount", ty.VOID, ty.UINT)
        t.add("IsValid", ty.BOOL)
    if name in ("ThreadNodeOutputRecords", "GroupNodeOutputRecords"):
        t.add("OutputComplete", ty.VOID)


def _element(obj: ObjectType) -> Type:
    return obj.element if obj.args and not isinstance(obj.args[0], int) else ty.vector(ty.FLOAT, 4)


_EXACT: dict[str, Callable[[_Table, ObjectType], None]] = {
    "RayQuery": lambda t, o: _ray_query(t),
    "dx::HitObject": _hit_object,
    "SubpassInput": lambda t, o: t.add("SubpassLoad", _element(o)),
    "SubpassInputMS": lambda t, o: t.add("SubpassLoad", _element(o), ty.INT),
    "vk::BufferPointer": lambda t, o: t.add("Get", _element(o)),
}


def methods(obj: ObjectType) -> dict[str, list[Method]]:
    """Return method name → overloads of a built-in object."""
    if obj.methods is None:
        obj.methods = _methods(obj)
    return obj.methods


def _methods(obj: ObjectType) -> dict[str, list[Method]]:
    t, name = _Table(), obj.name.replace("RasterizerOrdered", "RW")
    if name in _EXACT:
        _EXACT[name](t, obj)
    elif name.startswith("Texture") and name != "TextureBuffer":
        _texture(t, name[7:], _element(obj), combined=False)
    elif name.startswith("vk::SampledTexture"):
        _texture(t, name[18:], _element(obj), combined=True)
    elif name.startswith("RWTexture"):
        _rw_texture(t, name[9:], _element(obj))
    elif name.startswith("FeedbackTexture"):
        _feedback(t, name)
    elif name in ("Buffer", "RWBuffer"):
        _buffer(t, _element(obj), writable=name.startswith("RW"))
    elif name.endswith("ByteAddressBuffer"):
        _byte_address(t, name.startswith("RW"))
    elif name.endswith("StructuredBuffer"):
        _structured(t, name, _element(obj))
    elif name.endswith("Stream"):
        t.add("Append", ty.VOID, _element(obj))
        t.add("RestartStrip", ty.VOID)
    elif "Node" in name:
        _node(t, obj)
    return t.methods


def subscript(obj: ObjectType) -> tuple[Type, Type, bool] | None:
    """Return (index type, element type, whether it is writable) of ``object[i]``; ``None`` if it has no subscript."""
    name = obj.name
    rw = name.startswith(("RW", "RasterizerOrdered"))
    base = name.removeprefix("RW").removeprefix("RasterizerOrdered")
    if base.startswith("Texture") and base != "TextureBuffer" and not base.startswith("TextureCube"):
        dims, is_array, _ = _SHAPES[base[7:]]
        return _vec(ty.UINT, dims + is_array), _element(obj), rw
    if name.startswith("vk::SampledTexture") and "CUBE" not in name:
        dims, is_array, _ = _SHAPES[name[18:]]
        return _vec(ty.UINT, dims + is_array), _element(obj), False
    if base in ("Buffer", "StructuredBuffer"):
        return ty.UINT, _element(obj), rw
    if name in ("InputPatch", "OutputPatch"):
        return ty.UINT, _element(obj), False
    if name in (".Resource", ".Sampler"):
        return ty.UINT, obj, False
    if name in (
        "GroupNodeInputRecords",
        "RWGroupNodeInputRecords",
        "ThreadNodeOutputRecords",
        "GroupNodeOutputRecords",
    ):
        return ty.UINT, _element(obj), not name.startswith("GroupNodeInput")
    if name == "NodeOutputArray":
        return ty.UINT, ty.object_type("NodeOutput", obj.args), False
    if name == "EmptyNodeOutputArray":
        return ty.UINT, ty.object_type("EmptyNodeOutput"), False
    return None


def two_level_subscript(obj: ObjectType, member: str) -> tuple[Type, Type] | None:
    """Return (location type, element type) of ``texture.mips[level][location]`` or ``texture.sample[i][location]``."""
    name = obj.name.removeprefix("RW").removeprefix("vk::Sampled")
    if not name.startswith("Texture") or name == "TextureBuffer" or "ube" in name.lower():
        return None
    is_ms = "MS" in name
    if (member == "sample") != is_ms or (member == "mips" and obj.name.startswith("RW")):
        return None
    dims, is_array, _ = _SHAPES[name[7:]]
    return _vec(ty.UINT, dims + is_array), _element(obj)


__all__ = ["ANY_QUERY", "ANY_STRUCT", "ANY_VALUE", "Method", "Vector", "methods", "subscript", "two_level_subscript"]
