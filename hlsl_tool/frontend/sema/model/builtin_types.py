"""Built-in types by name: ``float3x4``, ``Texture2D<float4>``, ``vector<int, 2>``.

An object type without template arguments gets its default ones: ``Texture2D`` is ``Texture2D<float4>``.
"""

from __future__ import annotations

import re
from functools import cache

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar, Type

SCALARS: dict[str, Scalar] = {
    "void": ty.VOID, "bool": ty.BOOL, "int": ty.INT, "uint": ty.UINT, "dword": ty.UINT, "float": ty.FLOAT,
    "double": ty.DOUBLE, "half": ty.HALF, "min16float": ty.MIN16FLOAT, "min10float": ty.MIN10FLOAT,
    "min16int": ty.MIN16INT, "min12int": ty.MIN12INT, "min16uint": ty.MIN16UINT, "int64_t": ty.INT64,
    "uint64_t": ty.UINT64, "int32_t": ty.INT, "uint32_t": ty.UINT, "float32_t": ty.FLOAT, "float64_t": ty.DOUBLE,
    "float16_t": ty.FLOAT16, "int16_t": ty.INT16, "uint16_t": ty.UINT16, "string": ty.STRING,
    "int8_t": ty.INT8, "uint8_t": ty.UINT8,
    "int8_t4_packed": ty.INT8X4_PACKED, "uint8_t4_packed": ty.UINT8X4_PACKED,
    "unsigned": ty.UINT, "size_t": ty.UINT,
}

ONLY_16BIT = ("float16_t", "int16_t", "uint16_t")
"""Types that need ``-enable-16bit-types``, which also maps the ``min16`` types to them."""
ONLY_8BIT = re.compile(r"u?int8_t(?:[1-4](?:x[1-4])?)?$")
"""Names of types that need ``-enable-8bit-types``; without it they are free."""


def is_free_8bit(name: str, enable_8bit: bool) -> bool:
    """Return whether a name is an 8-bit type name that the options do not enable, so that shaders may declare it."""
    return not enable_8bit and name.startswith(("int8_t", "uint8_t")) and ONLY_8BIT.match(name) is not None


_AS_16BIT: dict[Scalar, Scalar] = {
    ty.HALF: ty.FLOAT16, ty.MIN16FLOAT: ty.FLOAT16, ty.MIN10FLOAT: ty.FLOAT16, ty.MIN16INT: ty.INT16,
    ty.MIN12INT: ty.INT16, ty.MIN16UINT: ty.UINT16,
}

_SHAPED = re.compile(r"([a-z]\w*?)([1-4])(?:x([1-4]))?$")
_WIDE = re.compile(r"((?:u?int|float)(?:8|16|32|64)_t)([1-4])(?:x([1-4]))?$")


@cache
def numeric(name: str, enable_16bit: bool) -> Type | None:
    """Return the scalar, vector or matrix type with this name; ``None`` if there is none."""
    if name.startswith("unsigned "):
        return _unsigned(numeric(name.removeprefix("unsigned "), enable_16bit))
    scalar = SCALARS.get(name)
    if scalar is not None:
        return _AS_16BIT.get(scalar, scalar) if enable_16bit else scalar
    if name == "vector":
        return ty.vector(ty.FLOAT, 4)
    if name == "matrix":
        return ty.matrix(ty.FLOAT, 4, 4)
    m = _WIDE.match(name) or _SHAPED.match(name)
    if not m:
        return None
    element = SCALARS.get(m.group(1))
    if element is None or element.category in ("void", "string") or "packed" in m.group(1) or " " in m.group(1):
        return None
    if enable_16bit:
        element = _AS_16BIT.get(element, element)
    if m.group(3):
        return ty.matrix(element, int(m.group(2)), int(m.group(3)))
    return ty.vector(element, int(m.group(2)))


_UNSIGNED = {ty.INT: ty.UINT, ty.INT64: ty.UINT64, ty.INT16: ty.UINT16, ty.INT8: ty.UINT8, ty.MIN16INT: ty.MIN16UINT}


def _unsigned(t: Type | None) -> Type | None:
    """Return the unsigned variant of an integer type; ``None`` for other types."""
    element = ty.element_of(t) if t is not None else None
    if t is None or element is None or element is ty.MIN12INT or not element.is_integer:
        return None
    return ty.with_element(t, _UNSIGNED.get(element, element))


F4 = ty.vector(ty.FLOAT, 4)

# name -> default template arguments (a type, an int); None for a required argument
OBJECTS: dict[str, tuple[object, ...]] = {
    "Buffer": (F4,), "RWBuffer": (F4,), "RasterizerOrderedBuffer": (F4,),
    "Texture1D": (F4,), "Texture1DArray": (F4,), "Texture2D": (F4,), "Texture2DArray": (F4,), "Texture3D": (F4,),
    "TextureCube": (F4,), "TextureCubeArray": (F4,), "Texture2DMS": (F4, 0), "Texture2DMSArray": (F4, 0),
    "RWTexture1D": (F4,), "RWTexture1DArray": (F4,), "RWTexture2D": (F4,), "RWTexture2DArray": (F4,),
    "RWTexture3D": (F4,), "RWTexture2DMS": (F4, 0), "RWTexture2DMSArray": (F4, 0),
    "RasterizerOrderedTexture1D": (F4,), "RasterizerOrderedTexture1DArray": (F4,),
    "RasterizerOrderedTexture2D": (F4,), "RasterizerOrderedTexture2DArray": (F4,),
    "RasterizerOrderedTexture3D": (F4,),
    "FeedbackTexture2D": (None,), "FeedbackTexture2DArray": (None,),
    "StructuredBuffer": (None,), "RWStructuredBuffer": (None,), "AppendStructuredBuffer": (None,),
    "ConsumeStructuredBuffer": (None,), "RasterizerOrderedStructuredBuffer": (None,),
    "ByteAddressBuffer": (), "RWByteAddressBuffer": (), "RasterizerOrderedByteAddressBuffer": (),
    "ConstantBuffer": (None,), "TextureBuffer": (None,),
    "SamplerState": (), "SamplerComparisonState": (),
    "SubpassInput": (F4,), "SubpassInputMS": (F4,),
    "PointStream": (None,), "LineStream": (None,), "TriangleStream": (None,),
    "InputPatch": (None, None), "OutputPatch": (None, None),
    "RaytracingAccelerationStructure": (), "RayQuery": (None, 0),
    "DispatchNodeInputRecord": (None,), "RWDispatchNodeInputRecord": (None,), "GroupNodeInputRecords": (None,),
    "RWGroupNodeInputRecords": (None,), "ThreadNodeInputRecord": (None,), "RWThreadNodeInputRecord": (None,),
    "EmptyNodeInput": (), "NodeOutput": (None,), "NodeOutputArray": (None,), "EmptyNodeOutput": (),
    "EmptyNodeOutputArray": (), "ThreadNodeOutputRecords": (None,), "GroupNodeOutputRecords": (None,),
    "vk::BufferPointer": (None, 0), "vk::SpirvType": (None, None, None), "vk::SpirvOpaqueType": (None,),
    "vk::integral_constant": (None, None), "vk::Literal": (None,), "vk::ext_type": (None,),
    "vk::ext_result_id": (None,),
    "vk::SampledTexture1D": (F4,), "vk::SampledTexture1DArray": (F4,), "vk::SampledTexture2D": (F4,),
    "vk::SampledTexture2DArray": (F4,), "vk::SampledTexture2DMS": (F4, 0), "vk::SampledTexture2DMSArray": (F4, 0),
    "vk::SampledTexture3D": (F4,), "vk::SampledTextureCUBE": (F4,), "vk::SampledTextureCUBEArray": (F4,),
    "dx::HitObject": (), "dx::MaybeReorderThread": (), "__builtin_LinAlgMatrix": (),
}

EXPLICIT = frozenset((
    "RWBuffer", "RWTexture1D", "RWTexture1DArray", "RWTexture2D", "RWTexture2DArray", "RWTexture3D",
    "Texture2DMS", "Texture2DMSArray",
))  # fmt: skip
"""Objects whose element must be written."""

FLAGS = frozenset((
    "RAY_FLAG", "RAYQUERY_FLAG", "COMMITTED_STATUS", "CANDIDATE_TYPE", "MEMORY_TYPE_FLAG", "BARRIER_SEMANTIC_FLAG",
))  # fmt: skip
"""Types of the predeclared constants, which are ``uint``."""

ALIASES: dict[str, str] = {
    "texture1D": "Texture1D", "texture2D": "Texture2D", "texture3D": "Texture3D",
    "textureCUBE": "TextureCube", "sampler": "SamplerState", "sampler1D": "SamplerState", "sampler2D": "SamplerState",
    "sampler3D": "SamplerState", "samplerCUBE": "SamplerState", "sampler_state": "SamplerState",
    "SampledTexture1D": "vk::SampledTexture1D", "SampledTexture1DArray": "vk::SampledTexture1DArray",
    "SampledTexture2D": "vk::SampledTexture2D", "SampledTexture2DArray": "vk::SampledTexture2DArray",
    "SampledTexture2DMS": "vk::SampledTexture2DMS", "SampledTexture2DMSArray": "vk::SampledTexture2DMSArray",
    "SampledTexture3D": "vk::SampledTexture3D", "SampledTextureCUBE": "vk::SampledTextureCUBE",
    "SampledTextureCUBEArray": "vk::SampledTextureCUBEArray",
}
"""Alternative spelling → name; a name without ``vk::`` is visible in that namespace only."""


@cache
def ray_desc() -> ty.Struct:
    """Return a new ``RayDesc`` (manual: *Ray Tracing*)."""
    s = ty.Struct("RayDesc", is_complete=True, is_final=True)
    f3 = ty.vector(ty.FLOAT, 3)
    s.fields = [ty.Field("Origin", f3, owner=s), ty.Field("TMin", ty.FLOAT, owner=s),
                ty.Field("Direction", f3, owner=s), ty.Field("TMax", ty.FLOAT, owner=s)]
    return s


@cache
def triangle_attributes() -> ty.Struct:
    """Return a new ``BuiltInTriangleIntersectionAttributes``: the attributes of a hit on a triangle."""
    s = ty.Struct("BuiltInTriangleIntersectionAttributes", is_complete=True, is_final=True)
    s.fields = [ty.Field("barycentrics", ty.vector(ty.FLOAT, 2), owner=s)]
    return s


@cache
def triangle_positions() -> ty.Struct:
    """Return a new ``BuiltInTrianglePositions``: the corners of the triangle that a ray hits."""
    s = ty.Struct("BuiltInTrianglePositions", is_complete=True, is_final=True)
    s.fields = [ty.Field(name, ty.vector(ty.FLOAT, 3), owner=s) for name in ("p0", "p1", "p2")]
    return s


STRUCTS = {
    "RayDesc": ray_desc,
    "BuiltInTriangleIntersectionAttributes": triangle_attributes,
    "BuiltInTrianglePositions": triangle_positions,
}

def plain(name: str) -> Type | None:
    """Return the built-in struct ``name``, or ``uint`` if it names a type of flags; ``None`` for other names."""
    if name in FLAGS:
        return ty.UINT
    return STRUCTS[name]() if name in STRUCTS else None


RAY_FLAGS = {
    "RAY_FLAG_NONE": 0, "RAY_FLAG_FORCE_OPAQUE": 1, "RAY_FLAG_FORCE_NON_OPAQUE": 2,
    "RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH": 4, "RAY_FLAG_SKIP_CLOSEST_HIT_SHADER": 8,
    "RAY_FLAG_CULL_BACK_FACING_TRIANGLES": 0x10, "RAY_FLAG_CULL_FRONT_FACING_TRIANGLES": 0x20,
    "RAY_FLAG_CULL_OPAQUE": 0x40, "RAY_FLAG_CULL_NON_OPAQUE": 0x80, "RAY_FLAG_SKIP_TRIANGLES": 0x100,
    "RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES": 0x200, "RAY_FLAG_FORCE_OMM_2_STATE": 0x400,
}

CONSTANTS: dict[str, int] = {
    **RAY_FLAGS,
    "STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS": 1,
    "STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS": 2,
    "STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS": 4,
    "RAYTRACING_PIPELINE_FLAG_NONE": 0, "RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES": 0x100,
    "RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES": 0x200,
    "RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS": 0x400,
    "RAYTRACING_PIPELINE_FLAG_ALLOW_CLUSTERED_GEOMETRY": 0x800,
    "COMMITTED_NOTHING": 0, "COMMITTED_TRIANGLE_HIT": 1, "COMMITTED_PROCEDURAL_PRIMITIVE_HIT": 2,
    "CANDIDATE_NON_OPAQUE_TRIANGLE": 0, "CANDIDATE_PROCEDURAL_PRIMITIVE": 1,
    "HIT_KIND_NONE": 0, "HIT_KIND_TRIANGLE_FRONT_FACE": 254, "HIT_KIND_TRIANGLE_BACK_FACE": 255,
    "RAYQUERY_FLAG_NONE": 0, "RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS": 1,
    "RAYQUERY_FLAG_ALLOW_CLUSTERED_GEOMETRY": 2, "CLUSTER_ID_INVALID": 0xFFFFFFFF,
    "UAV_MEMORY": 1, "GROUP_SHARED_MEMORY": 2, "NODE_INPUT_MEMORY": 4, "NODE_OUTPUT_MEMORY": 8, "ALL_MEMORY": 15,
    "GROUP_SYNC": 1, "GROUP_SCOPE": 2, "DEVICE_SCOPE": 4, "REORDER_SCOPE": 8,
    "SAMPLER_FEEDBACK_MIN_MIP": 0, "SAMPLER_FEEDBACK_MIP_REGION_USED": 1,
    "vk::CrossDeviceScope": 0, "vk::DeviceScope": 1, "vk::WorkgroupScope": 2, "vk::SubgroupScope": 3,
    "vk::InvocationScope": 4, "vk::QueueFamilyScope": 5,
}
"""Predeclared constants of type ``uint``."""
