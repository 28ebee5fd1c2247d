"""Check stage variables: ``vk::builtin``, dual-source blending, types of system values.

Manual: *Vulkan specific attributes*, *HLSL semantic and Vulkan Location*.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.catalogue import availability
from hlsl_tool.base.diagnostics.catalogue import vulkan as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.core.context import Lowering, Unsupported
from hlsl_tool.codegen.lower.core.spans import Spans
from hlsl_tool.codegen.lower.stage_io.semantics import IO, TABLE, Semantic
from hlsl_tool.codegen.lower.stage_io.stage_items import Item
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute, vk_attribute
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Array, Scalar, Type, Vector


def _is_bool(t: Type) -> bool:
    return t is ty.BOOL


def _is_float(t: Type) -> bool:
    return isinstance(t, Scalar) and t.category == "float"


def _is_int(t: Type) -> bool:
    return t in (ty.INT, ty.UINT)


def _is_int_array(t: Type) -> bool:
    return isinstance(t, Array) and t.element is ty.INT


@dataclass(slots=True, frozen=True)
class Rule:
    """The type and signature points that a ``vk::builtin`` allows; ``only`` describes the points in diagnostics."""

    fits: Callable[[Type], bool]
    type_words: str
    points: frozenset[str]
    only: str = ""


def _points(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INTEGER = "32-bit scalar integer"
_INPUTS = _points("VSIn HSIn HSCPIn PCIn DSIn DSCPIn GSIn GSVIn PSIn CSIn MSIn ASIn")

BUILTINS: dict[str, Rule] = {
    "HelperInvocation": Rule(_is_bool, "boolean", _points("PSIn"), "pixel shader input"),
    "PointSize": Rule(_is_float, "float", _points("VSOut HSCPIn HSCPOut DSCPIn DSOut GSVIn GSOut PSIn MSOut")),
    "BaseVertex": Rule(_is_int, _INTEGER, _points("VSIn")),
    "BaseInstance": Rule(_is_int, _INTEGER, _points("VSIn")),
    "DrawIndex": Rule(_is_int, _INTEGER, _points("VSIn MSIn ASIn")),
    "DeviceIndex": Rule(_is_int, _INTEGER, _INPUTS, "shader input"),
    "ViewportMaskNV": Rule(_is_int_array, "", _points("MSPOut"), "'primitives' output in MS"),
}
"""Name in ``[[vk::builtin("...")]]`` → its rule."""


@dataclass(slots=True, frozen=True)
class Shape:
    """The types that a system value may have if it is a built-in in SPIR-V."""

    words: str
    """The type for diagnostics."""
    categories: tuple[str, ...]
    components: tuple[int, ...] = (1,)
    is_array: bool = False
    """Whether it may also be an array of scalars."""


_INDEX = Shape("uint", ("int", "uint", "bool"))
_NUMBER = Shape("uint", ("int", "uint"))
_PLACE = Shape("uint3", ("int", "uint"), (1, 2, 3))
_BOOL = Shape("bool", ("bool",))
_DEPTH = Shape("float", ("float",))
SHAPES: dict[str, Shape] = {
    "POSITION": Shape("float4", ("float",), (4,)),
    "BARYCENTRICS": Shape("float3", ("float",), (3,)),
    "DOMAINLOCATION": Shape("float3", ("float",), (2, 3)),
    "TESSFACTOR": Shape("float[4]", ("float",), (1, 2, 3, 4), is_array=True),
    "INSIDETESSFACTOR": Shape("float[2]", ("float",), (1, 2), is_array=True),
    **dict.fromkeys(("DISPATCHTHREADID", "GROUPID", "GROUPTHREADID"), _PLACE),
    **dict.fromkeys(("ISFRONTFACE", "CULLPRIMITIVE"), _BOOL),
    **dict.fromkeys(("DEPTH", "DEPTHGREATEREQUAL", "DEPTHLESSEQUAL"), _DEPTH),
    **dict.fromkeys(("STENCILREF", "OUTPUTCONTROLPOINTID", "GSINSTANCEID", "COVERAGE"), _NUMBER),
    **dict.fromkeys(
        ("VERTEXID", "INSTANCEID", "STARTVERTEXLOCATION", "STARTINSTANCELOCATION", "GROUPINDEX", "PRIMITIVEID",
         "RENDERTARGETARRAYINDEX", "VIEWPORTARRAYINDEX", "SAMPLEINDEX", "SHADINGRATE", "VIEWID"),
        _INDEX,
    ),
}  # fmt: skip
"""System value → its type in Vulkan; elements have 32 bits."""

POINT_FIRST = ("DeviceIndex", "ViewportMaskNV")
"""Built-ins for which DXC reports a wrong signature point before a wrong type."""


def check(
    ctx: Lowering,
    attributes: tuple[Attribute, ...],
    t: Type,
    semantic: Semantic,
    point: str,
    pos: int,
    chunk: SourceChunk | None,
) -> None:
    """Report a wrong type of a stage variable, or a wrong ``vk::index`` or ``vk::builtin`` on it.

    Wrong types are those that a system value does not allow, 8-bit integers, bfloat16 and float8. Raise `Unsupported`
    after an error.
    """
    before = len(ctx.messages)
    _check_index(ctx, attributes, chunk)
    _check_builtin(ctx, attributes, t, point, chunk)
    if TABLE.get(semantic.system, {}).get(point, IO) != IO:
        _check_system_value(ctx, t, semantic, pos, chunk)
    element = ty.element_of(ty.innermost(t))
    if element is not None and element.bits == 8:
        ctx.error(availability.BYTE_STAGE_IO, pos, chunk=chunk, name=semantic.text)
    small_float = ty.small_float(ty.innermost(t))
    if small_float and not ctx.options.codegen_only:
        ctx.error(availability.SMALL_FLOAT_STAGE_IO, pos, chunk=chunk, name=semantic.text, type=small_float)
    if any(m.code.severity == "error" for m in ctx.messages[before:]):
        raise Unsupported


def _check_system_value(ctx: Lowering, t: Type, semantic: Semantic, pos: int, chunk: SourceChunk | None) -> None:
    """Report a system value whose type its built-in in SPIR-V does not allow.

    A system value with a location, such as a vertex position, is not checked.
    """
    if semantic.system == "INNERCOVERAGE" and t is not ty.UINT:
        ctx.error(codes.INNER_COVERAGE_TYPE, pos, chunk=chunk)
    shape = SHAPES.get(semantic.system)
    for_vulkan = ctx.options.target_env.startswith("vulkan") and not ctx.options.codegen_only
    if semantic.system == "CULLPRIMITIVE" and not for_vulkan:
        shape = None  # DXC takes any type; only Vulkan requires a Boolean
    if shape is not None and not _has_shape(ctx, t, shape):
        ctx.error(codes.SYSTEM_VALUE_TYPE, pos, chunk=chunk, name=semantic.spelled, wanted=shape.words)


def _has_shape(ctx: Lowering, t: Type, shape: Shape) -> bool:
    if isinstance(t, Array) and shape.is_array:
        element, count = t.element, t.size or 0
    else:
        element, count = (t.element, t.size) if isinstance(t, Vector) else (t, 1)
    if not isinstance(element, Scalar) or element.category not in shape.categories or count not in shape.components:
        return False
    return element.category == "bool" or ctx.b.types[ctx.types.scalar(element)].width == 32


def _check_index(ctx: Lowering, attributes: tuple[Attribute, ...], chunk: SourceChunk | None) -> None:
    """Check ``vk::index`` of dual-source blending: pixel shaders only, index 0 or 1, with location 0."""
    index, location = vk_attribute(attributes, "index"), vk_attribute(attributes, "location")
    if index is None:
        return
    if ctx.stage != "ps":
        ctx.error(codes.INDEX_STAGE, index.pos, chunk=chunk)
    if location is None:
        ctx.error(codes.INDEX_ALONE, index.pos, chunk=chunk)
    elif location.args != (0,):
        ctx.error(codes.INDEX_LOCATION, location.pos, chunk=chunk)
    if index.args not in ((0,), (1,)):
        ctx.error(codes.INDEX_RANGE, index.pos, chunk=chunk)


def _check_builtin(
    ctx: Lowering, attributes: tuple[Attribute, ...], t: Type, point: str, chunk: SourceChunk | None
) -> None:
    a = vk_attribute(attributes, "builtin")
    if a is None or not a.args or not isinstance(a.args[0], str):
        return
    if vk_attribute(attributes, "location") is not None:
        ctx.error(codes.BUILTIN_LOCATION, a.pos, chunk=chunk)
    name = a.args[0]
    rule = BUILTINS.get(name)
    if rule is None:
        return

    def check_type() -> None:
        if rule.fits(t):
            return
        if rule.type_words:
            ctx.error(codes.BUILTIN_TYPE, a.pos, chunk=chunk, name=name, wanted=rule.type_words)
        else:
            ctx.error(codes.BUILTIN_ARRAY, a.pos, chunk=chunk, name=name)

    def check_point() -> None:
        if point in rule.points:
            return
        if rule.only:
            ctx.error(codes.BUILTIN_ONLY, a.pos, chunk=chunk, name=name, wanted=rule.only)
        else:
            ctx.error(codes.BUILTIN_POINT, a.pos, chunk=chunk, name=name, point=point)

    for step in (check_point, check_type) if name in POINT_FIRST else (check_type, check_point):
        step()


def check_barycentrics(ctx: Lowering, item: Item, semantic: Semantic, indices: dict[str, int]) -> None:
    """Report a third barycentric input, or a second one with the same interpolation or semantic index.

    ``indices`` maps the interpolations of earlier inputs, `perspective-correct` and `noperspective`, to the semantic
    indices; the input is added to it.
    """

    def report(code: Code, count: int | str = 0) -> None:
        ctx.error(code, item.pos, chunk=item.chunk, count=count)

    if "nointerpolation" in item.quals:
        report(codes.BARYCENTRICS_FLAT)
    own = "noperspective" if "noperspective" in item.quals else "perspective-correct"
    if semantic.index > 1:
        report(codes.BARYCENTRICS_INDEX)
    elif len(indices) == 2:
        report(codes.BARYCENTRICS_COUNT, count=2)
    elif own in indices or semantic.index in indices.values():
        report(codes.BARYCENTRICS_COUNT, count=f"1 {own}")
    else:
        indices[own] = semantic.index


DISTANCES = {"CLIPDISTANCE": "SV_ClipDistance", "CULLDISTANCE": "SV_CullDistance"}


def check_distance(ctx: Lowering, t: Type, semantic: Semantic, name: str, pos: int, chunk: SourceChunk | None) -> None:
    """Check that a clip or cull distance is a float, a vector of floats, or an array of either."""
    words = DISTANCES.get(semantic.system)
    if words is None:
        return
    t = ty.innermost(t)
    element = ty.element_of(t) if isinstance(t, (Scalar, Vector)) else None
    is_float = element is not None and element.category == "float" and element.bits == 32
    if not is_float or (ctx.options.codegen_only and element is not ty.FLOAT):  # DXC refuses `half` of 32 bits
        tokens = chunk or ctx.chunk
        if tokens is not None:
            pos = Spans(tokens.tokens).declaration(pos)
        ctx.error(codes.DISTANCE_TYPE, pos, chunk=chunk, semantic=words, name=name)
        raise Unsupported
