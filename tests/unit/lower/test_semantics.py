"""The manual's table of HLSL semantics: at each signature point a built-in, a location, or an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.lower.stage_io.semantics import TABLE
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble

HULL = """
struct I {{ float4 w : WORLD; {HSCPIn} }}; struct O {{ float4 w : WORLD; {HSCPOut} }};
struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; {PCOut} }};
C constants(InputPatch<I, 3> p{PCIn}) {{ return (C)0; }}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("constants")] O main(InputPatch<I, 3> p, uint id : SV_OutputControlPointID{HSIn}) {{ return (O)0; }}
"""
DOMAIN = """
struct O {{ float4 w : WORLD; {DSCPIn} }}; struct V {{ float4 w : WORLD; {DSOut} }};
struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; {DSIn} }};
[domain("tri")] V main(C c, const OutputPatch<O, 3> p) {{ return (V)0; }}
"""
GEOMETRY = """
struct I {{ float4 w : WORLD; {GSVIn} }}; struct O {{ float4 w : WORLD; {GSOut} }};
[maxvertexcount(1)] void main(point I i[1]{GSIn}, inout PointStream<O> s) {{ s.Append((O)0); }}
"""
MESH = """
struct V {{ float4 w : SV_Position; {MSOut} }}; struct P {{ uint w : MARK; {MSPOut} }};
[outputtopology("point")] [numthreads(1, 1, 1)]
void main(out vertices V v[1], out indices uint t[1], out primitives P p[1]{MSIn}) {{ SetMeshOutputCounts(1, 1); }}
"""
SHADERS: dict[str, tuple[str, str]] = {
    "VSIn": ("vs_6_4", "void main({VSIn}) {{}}"),
    "PSIn": ("ps_6_4", "void main({PSIn}) {{}}"),
    "VSOut": ("vs_6_4", "struct V {{ float4 w : WORLD; {VSOut} }}; V main() {{ return (V)0; }}"),
    "PSOut": ("ps_6_4", "struct V {{ float4 w : SV_Target; {PSOut} }}; V main() {{ return (V)0; }}"),
    "CSIn": ("cs_6_0", "[numthreads(1, 1, 1)] void main({CSIn}) {{}}"),
    "ASIn": (
        "as_6_5",
        "struct L {{ uint x; }}; groupshared L l; [numthreads(1, 1, 1)] void main({ASIn})"
        " {{ DispatchMesh(1, 1, 1, l); }}",
    ),
    **dict.fromkeys(("HSCPIn", "HSCPOut", "HSIn", "PCIn", "PCOut"), ("hs_6_4", HULL)),
    **dict.fromkeys(("DSCPIn", "DSOut", "DSIn"), ("ds_6_4", DOMAIN)),
    **dict.fromkeys(("GSVIn", "GSOut", "GSIn"), ("gs_6_4", GEOMETRY)),
    **dict.fromkeys(("MSIn", "MSOut", "MSPOut"), ("ms_6_5", MESH)),
}
"""Signature point → profile, and a shader with a hole for a declaration there."""

FIRST = ("VSIn", "PSIn", "CSIn", "ASIn")
FURTHER = ("HSIn", "PCIn", "GSIn", "MSIn")
"""Points where the declaration is a parameter; at other points it is the member of a struct."""

VERTICES = "VSOut HSCPIn HSCPOut DSCPIn DSOut GSVIn GSOut"
THREADS = "CSIn MSIn ASIn"
LOCATION = ""

# semantic, its type, {built-in or location: points}
ROWS: list[tuple[str, str, dict[str, str]]] = [
    ("SV_Position", "float4", {LOCATION: "VSIn PCOut DSIn", "Position": f"{VERTICES} MSOut", "FragCoord": "PSIn"}),
    ("SV_Target", "float4", {LOCATION: "PSOut"}),
    ("SV_TessFactor", "float", {"TessLevelOuter": "PCOut DSIn"}),
    ("SV_InsideTessFactor", "float", {"TessLevelInner": "PCOut DSIn"}),
    ("SV_ClipDistance", "float", {LOCATION: "VSIn PCOut DSIn", "ClipDistance": f"{VERTICES} PSIn MSOut"}),
    ("SV_CullDistance", "float", {LOCATION: "VSIn PCOut DSIn", "CullDistance": f"{VERTICES} PSIn MSOut"}),
    ("SV_VertexID", "uint", {"VertexIndex": "VSIn"}),
    ("SV_InstanceID", "uint", {"InstanceIndex": "VSIn", LOCATION: f"{VERTICES} PSIn"}),
    ("SV_StartVertexLocation", "int", {"BaseVertex": "VSIn"}),
    ("SV_StartInstanceLocation", "uint", {"BaseInstance": "VSIn"}),
    ("SV_Depth", "float", {"FragDepth": "PSOut"}),
    ("SV_DepthGreaterEqual", "float", {"FragDepth": "PSOut"}),
    ("SV_DepthLessEqual", "float", {"FragDepth": "PSOut"}),
    ("SV_IsFrontFace", "bool", {"FrontFacing": "PSIn", LOCATION: "GSOut"}),
    ("SV_DispatchThreadID", "uint3", {"GlobalInvocationId": THREADS}),
    ("SV_GroupID", "uint3", {"WorkgroupId": THREADS}),
    ("SV_GroupThreadID", "uint3", {"LocalInvocationId": THREADS}),
    ("SV_GroupIndex", "uint", {"LocalInvocationIndex": THREADS}),
    ("SV_OutputControlPointID", "uint", {"InvocationId": "HSIn"}),
    ("SV_GSInstanceID", "uint", {"InvocationId": "GSIn"}),
    ("SV_DomainLocation", "float3", {"TessCoord": "DSIn"}),
    ("SV_PrimitiveID", "uint", {"PrimitiveId": "HSIn PCIn DSIn GSIn GSOut PSIn MSPOut"}),
    ("SV_SampleIndex", "uint", {"SampleId": "PSIn"}),
    ("SV_StencilRef", "uint", {"FragStencilRefEXT": "PSOut"}),
    ("SV_Barycentrics", "float3", {"BaryCoordKHR": "PSIn"}),
    (
        "SV_RenderTargetArrayIndex",
        "uint",
        {"Layer": "VSOut DSOut GSOut PSIn MSPOut", LOCATION: "VSIn HSCPIn HSCPOut PCOut DSIn DSCPIn GSVIn"},
    ),
    (
        "SV_ViewportArrayIndex",
        "uint",
        {"ViewportIndex": "VSOut DSOut GSOut PSIn MSPOut", LOCATION: "VSIn HSCPIn HSCPOut PCOut DSIn DSCPIn GSVIn"},
    ),
    ("SV_Coverage", "uint", {"SampleMask": "PSIn PSOut"}),
    ("SV_InnerCoverage", "uint", {"FullyCoveredEXT": "PSIn"}),
    ("SV_ViewID", "uint", {"ViewIndex": "VSIn PCIn HSIn DSIn GSIn MSIn PSIn"}),
    ("SV_ShadingRate", "uint", {"ShadingRateKHR": "PSIn", "PrimitiveShadingRateKHR": "VSOut GSOut MSPOut"}),
    ("SV_CullPrimitive", "bool", {"CullPrimitiveEXT": "MSPOut"}),
]

PRESENT = {
    ("SV_Position", "MSOut"),
    ("SV_Target", "PSOut"),
    ("SV_OutputControlPointID", "HSIn"),
    ("SV_TessFactor", "PCOut"),
    ("SV_TessFactor", "DSIn"),
    ("SV_InsideTessFactor", "PCOut"),
    ("SV_InsideTessFactor", "DSIn"),
}
"""(semantic, point) that the shader without the declaration has already."""

OF_THE_CONTROL_POINT = ("SV_OutputControlPointID", "PCIn")
"""The patch constant function reads it from the hull shader's own parameter."""

MODES = {
    "SV_Depth": {"DepthReplacing"},
    "SV_DepthGreaterEqual": {"DepthReplacing", "DepthGreater"},
    "SV_DepthLessEqual": {"DepthReplacing", "DepthLess"},
}
"""Semantic → execution modes; other semantics add none."""

MESH_EXT = "MeshShadingEXT"
CAPABILITIES: dict[str, dict[str, str]] = {
    "SV_ClipDistance": {"": "ClipDistance"}, "SV_CullDistance": {"": "CullDistance"},
    "SV_StartVertexLocation": {"": "DrawParameters"}, "SV_StartInstanceLocation": {"": "DrawParameters"},
    "SV_PrimitiveID": {"HSIn": "Tessellation", "PCIn": "Tessellation", "DSIn": "Tessellation", "GSIn": "Geometry",
                       "GSOut": "Geometry", "PSIn": "Geometry", "MSPOut": MESH_EXT},
    "SV_SampleIndex": {"": "SampleRateShading"}, "SV_StencilRef": {"": "StencilExportEXT"},
    "SV_Barycentrics": {"": "FragmentBarycentricKHR"},
    "SV_RenderTargetArrayIndex": {"GSOut": "Geometry", "PSIn": "Geometry", "MSPOut": MESH_EXT, "VSOut": "ShaderLayer",
                                  "DSOut": "ShaderLayer"},
    "SV_ViewportArrayIndex": {"GSOut": "MultiViewport", "PSIn": "MultiViewport", "MSPOut": MESH_EXT,
                              "VSOut": "ShaderViewportIndex", "DSOut": "ShaderViewportIndex"},
    "SV_InnerCoverage": {"": "FragmentFullyCoveredEXT"}, "SV_ViewID": {"": "MultiView"},
    "SV_ShadingRate": {"": "FragmentShadingRateKHR"}, "SV_CullPrimitive": {"": MESH_EXT},
    "SV_TessFactor": {"": "Tessellation"}, "SV_InsideTessFactor": {"": "Tessellation"},
    "SV_DomainLocation": {"": "Tessellation"}, "SV_OutputControlPointID": {"": "Tessellation"},
    "SV_GSInstanceID": {"": "Geometry"},
}  # fmt: skip
"""Semantic → signature point ("": all with a built-in) → capability in Vulkan 1.3; else that of the stage."""

OF_THE_STAGE = {"hs": "Tessellation", "ds": "Tessellation", "gs": "Geometry", "ms": MESH_EXT, "as": MESH_EXT}
"""Capabilities that imply Shader, which the other stages have."""

DECORATED = re.compile(r"OpDecorate %\S+ (.*)")
MODE = re.compile(r"OpExecutionMode(?:Id)? %\S+ (\w+)")


@dataclass
class Made:
    """The decorations and execution modes that a declaration adds to a module, and all capabilities of the module."""

    decorations: list[str]
    modes: set[str]
    capabilities: set[str]


class Refused(Exception):
    """Raised with the compiler's error messages."""


def lines_of(point: str, text: str) -> list[str]:
    profile, shader = SHADERS[point]
    source = shader.format(**{**dict.fromkeys(SHADERS, ""), point: text})
    options = CompileOptions(target_env="vulkan1.3", codegen_only=True)
    result = compile_shader(source, entry="main", profile=profile, options=options)
    if not result.ok:
        raise Refused("; ".join(d.message for d in result.diagnostics))
    return disassemble(decode(result.spirv)).split("\n")


def declaration(semantic: str, kind: str, point: str) -> str:
    if (semantic, point) in PRESENT:
        return ""
    text = f"{kind} x : {semantic}"
    return text if point in FIRST else f", {text}" if point in FURTHER else f"{text};"


@cache
def without(point: str) -> frozenset[str]:
    return frozenset(lines_of(point, ""))


def made(semantic: str, kind: str, point: str) -> Made:
    lines = lines_of(point, declaration(semantic, kind, point))
    new = lines if (semantic, point) in PRESENT else [line for line in lines if line not in without(point)]
    decorations = [m[1] for line in new if (m := DECORATED.search(line)) and m[1].startswith(("BuiltIn", "Location"))]
    modes = {m[1] for line in new if (m := MODE.search(line))}
    return Made(decorations, modes, {line.split()[1] for line in lines if "OpCapability " in line})


CELLS = [
    (semantic, kind, point, builtin)
    for semantic, kind, where in ROWS
    for builtin, points in where.items()
    for point in points.split()
]
ALLOWED = {(semantic, point) for semantic, _, point, _ in CELLS} | {OF_THE_CONTROL_POINT}
FORBIDDEN = [(row[0], row[1], point) for row in ROWS for point in SHADERS if (row[0], point) not in ALLOWED]


@pytest.mark.parametrize(("semantic", "kind", "point", "builtin"), CELLS, ids=[f"{c[0]}-{c[2]}" for c in CELLS])
def test_allowed(semantic: str, kind: str, point: str, builtin: str) -> None:
    """A semantic at an allowed signature point gives the table's built-in (or a location), modes and capability."""
    module = made(semantic, kind, point)
    if builtin:
        assert f"BuiltIn {builtin}" in module.decorations
        row = CAPABILITIES.get(semantic, {})
        stage = OF_THE_STAGE.get(SHADERS[point][0][:2], "Shader")
        assert row.get(point, row.get("", stage)) in module.capabilities
    else:
        assert any(d.startswith("Location ") for d in module.decorations)
    if (semantic, point) not in PRESENT:
        assert module.modes == MODES.get(semantic, set())


@pytest.mark.parametrize(("semantic", "kind", "point"), FORBIDDEN, ids=[f"{c[0]}-{c[2]}" for c in FORBIDDEN])
def test_forbidden(semantic: str, kind: str, point: str) -> None:
    """A semantic at another signature point is an error that names the stage and the semantic, or the parameter."""
    with pytest.raises(Refused) as refused:
        made(semantic, kind, point)
    text = str(refused.value)
    if point == "PCIn" and "semantic" not in text:
        assert "patch constant function parameter 'x'" in text
    else:
        assert semantic in text
        assert SHADERS[point][0] in text


def test_control_point_of_the_patch_constant_function() -> None:
    """`SV_OutputControlPointID` in the patch constant function adds no variable.

    It uses the variable of the hull shader's parameter.
    """
    module = made("SV_OutputControlPointID", "uint", "PCIn")
    assert module.decorations == []


def test_every_semantic_has_a_row() -> None:
    """The table contains every semantic that the compiler supports."""
    rows = {semantic.upper().removeprefix("SV_") for semantic, _, _ in ROWS}
    assert rows == set(TABLE)
    assert {point for row in TABLE.values() for point in row} <= set(SHADERS)


@pytest.mark.parametrize(
    ("semantic", "quals", "builtin"),
    [
        ("SV_Barycentrics", "", "BaryCoordKHR"),
        ("SV_Barycentrics", "linear", "BaryCoordKHR"),
        ("SV_Barycentrics", "noperspective", "BaryCoordNoPerspKHR"),
    ],
)
def test_barycentrics_follow_the_interpolation(semantic: str, quals: str, builtin: str) -> None:
    assert f"BuiltIn {builtin}" in made(semantic, f"{quals} float3", "PSIn").decorations


@pytest.mark.parametrize("number", [0, 1, 5])
def test_targets_have_the_location_of_their_number(number: int) -> None:
    lines = lines_of("PSOut", f"float4 x : SV_Target{number};") if number else lines_of("PSOut", "")
    variable = f"%out_var_SV_Target{number}" if number else "%out_var_SV_Target"
    assert any(line.strip() == f"OpDecorate {variable} Location {number}" for line in lines)
