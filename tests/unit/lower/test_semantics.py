"""The manual's table of HLSL semantics, row by row: at each signature point a built-in, a location, or an error."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.options import CompileOptions
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
    "VSIn": ("vs_6_4", "void main({VSIn}) {{}}"), "PSIn": ("ps_6_4", "void main({PSIn}) {{}}"),
    "VSOut": ("vs_6_4", "struct V {{ float4 w : WORLD; {VSOut} }}; V main() {{ return (V)0; }}"),
    "PSOut": ("ps_6_4", "struct V {{ float4 w : SV_Target; {PSOut} }}; V main() {{ return (V)0; }}"),
    "CSIn": ("cs_6_0", "[numthreads(1, 1, 1)] void main({CSIn}) {{}}"),
    "ASIn": ("as_6_5", "struct L {{ uint x; }}; groupshared L l; [numthreads(1, 1, 1)] void main({ASIn})"
             " {{ DispatchMesh(1, 1, 1, l); }}"),
    **dict.fromkeys(("HSCPIn", "HSCPOut", "HSIn", "PCIn", "PCOut"), ("hs_6_4", HULL)),
    **dict.fromkeys(("DSCPIn", "DSOut", "DSIn"), ("ds_6_4", DOMAIN)),
    **dict.fromkeys(("GSVIn", "GSOut", "GSIn"), ("gs_6_4", GEOMETRY)),
    **dict.fromkeys(("MSIn", "MSOut", "MSPOut"), ("ms_6_5", MESH)),
}  # fmt: skip
"""Signature point → profile, and a shader with a hole for a declaration there."""

FIRST = ("VSIn", "PSIn", "CSIn", "ASIn")
FURTHER = ("HSIn", "PCIn", "GSIn", "MSIn")
"""Points where the declaration is a parameter, the only one or behind others; else it is the member of a structure."""

VERTICES = "VSOut HSCPIn HSCPOut DSCPIn DSOut GSVIn GSOut"
THREADS = "CSIn MSIn ASIn"
LOCATION = ""

# semantic, its type, {built-in or location: points}
ROWS: list[tuple[str, str, dict[str, str]]] = [
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
    ("SV_RenderTargetArrayIndex", "uint", {"Layer": "VSOut DSOut GSOut PSIn MSPOut",
                                           LOCATION: "VSIn HSCPIn HSCPOut PCOut DSIn DSCPIn GSVIn"}),
    ("SV_ViewportArrayIndex", "uint", {"ViewportIndex": "VSOut DSOut GSOut PSIn MSPOut",
                                       LOCATION: "VSIn HSCPIn HSCPOut PCOut DSIn DSCPIn GSVIn"}),
    ("SV_Coverage", "uint", {"SampleMask": "PSIn PSOut"}),
    ("SV_InnerCoverage", "uint", {"FullyCoveredEXT": "PSIn"}),
    ("SV_ViewID", "uint", {"ViewIndex": "VSIn PCIn HSIn DSIn GSIn MSIn PSIn"}),
    ("SV_ShadingRate", "uint", {"ShadingRateKHR": "PSIn", "PrimitiveShadingRateKHR": "VSOut GSOut MSPOut"}),
    ("SV_CullPrimitive", "bool", {"CullPrimitiveEXT": "PSIn MSPOut"}),
]  # fmt: skip

USED = {("SV_OutputControlPointID", "PCIn"), ("SV_OutputControlPointID", "HSIn")}
"""What the shader of these points has already."""


def compiled(semantic: str, kind: str, point: str) -> list[str] | None:
    """The decorations of variables that the shader without the declaration has not; ``None`` after an error."""
    profile, shader = SHADERS[point]
    holes = dict.fromkeys(SHADERS, "")
    found: list[set[str]] = []
    for declaration in (f"{kind} x : {semantic}", ""):
        text = declaration
        if declaration and point not in FIRST:
            text = f", {declaration}" if point in FURTHER else f"{declaration};"
        source = shader.format(**{**holes, point: text})
        options = CompileOptions(target_env="vulkan1.3", codegen_only=True)
        result = compile_shader(source, entry="main", profile=profile, options=options)
        if not result.ok:
            assert declaration, [d.message for d in result.diagnostics]
            why = "patch constant function parameter" if point == "PCIn" else "semantic"
            assert any(why in d.message for d in result.diagnostics), [d.message for d in result.diagnostics]
            return None
        lines = disassemble(decode(result.spirv)).split("\n")
        found.append({line for line in lines if "OpDecorate" in line and ("BuiltIn" in line or "Location" in line)})
    return [line.partition("OpDecorate")[2].strip() for line in found[0] - found[1]]


@pytest.mark.parametrize(("semantic", "kind", "where"), ROWS, ids=[row[0] for row in ROWS])
def test_row(semantic: str, kind: str, where: dict[str, str]) -> None:
    wanted = {point: builtin for builtin, points in where.items() for point in points.split()}
    for point in SHADERS:
        if (semantic, point) in USED:
            continue
        made = compiled(semantic, kind, point)
        if point not in wanted:
            assert made is None, f"{semantic} at {point}"
            continue
        assert made is not None, f"{semantic} at {point} is refused"
        builtin = wanted[point]
        assert any(line.endswith(f" BuiltIn {builtin}") if builtin else " Location " in line for line in made), (
            f"{semantic} at {point}: {made}"
        )
