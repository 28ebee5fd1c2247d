"""Types of system values: what Vulkan allows gives valid SPIR-V, everything else an error at its location."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory

TYPES = (
    "bool", "int", "uint", "half", "float", "double", "uint16_t", "int64_t", "uint2", "uint3", "uint4", "float2",
    "float3", "float4", "float3x3", "uint[2]", "float[2]", "float[3]", "float[4]", "float[5]",
)  # fmt: skip
INDEX = {"bool", "int", "uint"}
PLACE = {"int", "uint", "uint2", "uint3"}
FACTORS = {"float", "float2", "float3", "float4", "float[2]", "float[3]", "float[4]"}
PATCH = '[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]'
HULL = (
    "struct C { FACTORS }; struct P { float4 p : P; }; C pc() { return (C)0; }" + PATCH + '[patchconstantfunc("pc")]'
    " P main(INPUTS InputPatch<P, 3> i) { P p; p.p = USE; return p; }"
)
DOMAIN = '[domain("tri")] float4 main(VALUE) : SV_Position { return USE; }'
GEOMETRY = (
    "struct O { OUTPUT }; [maxvertexcount(1)] void main(point float4 q[1] : P, INPUTS inout PointStream<O> s)"
    " { O o = (O)0; s.Append(o); }"
)
SHADERS = {
    "vs": ("vs_6_8", "float4 main(VALUE) : SV_Position { return USE; }"),
    "vs out": ("vs_6_8", "struct O { float4 p : SV_Position; VALUE; }; O main() { return (O)0; }"),
    "ps": ("ps_6_8", "float4 main(VALUE) : SV_Target { return USE; }"),
    "ps out": ("ps_6_8", "struct O { VALUE; }; O main() { return (O)0; }"),
    "cs": ("cs_6_8", "RWBuffer<float> b; [numthreads(1, 1, 1)] void main(VALUE) { b[0] = USE; }"),
    "gs": ("gs_6_8", GEOMETRY.replace("OUTPUT", "float4 p : SV_Position;").replace("INPUTS", "VALUE,")),
    "gs out": ("gs_6_8", GEOMETRY.replace("OUTPUT", "VALUE;").replace("INPUTS", "")),
    "hs": (
        "hs_6_8",
        HULL.replace("FACTORS", "float e[3] : SV_TessFactor; float i : SV_InsideTessFactor;").replace(
            "INPUTS", "VALUE,"
        ),
    ),
    "hs outer": ("hs_6_8", HULL.replace("FACTORS", "VALUE; float i : SV_InsideTessFactor;").replace("INPUTS", "")),
    "hs inner": ("hs_6_8", HULL.replace("FACTORS", "float e[3] : SV_TessFactor; VALUE;").replace("INPUTS", "")),
    "ds": ("ds_6_8", DOMAIN),
}
ALLOWED = {
    ("ps", "SV_Position"): {"float4"}, ("gs out", "SV_Position"): {"float4"},
    ("vs", "SV_VertexID"): INDEX, ("vs", "SV_InstanceID"): INDEX, ("vs", "SV_StartVertexLocation"): INDEX,
    ("vs", "SV_StartInstanceLocation"): INDEX, ("vs out", "SV_RenderTargetArrayIndex"): INDEX,
    ("vs out", "SV_ViewportArrayIndex"): INDEX, ("vs out", "SV_ShadingRate"): INDEX,
    ("gs out", "SV_RenderTargetArrayIndex"): INDEX, ("gs out", "SV_PrimitiveID"): INDEX,
    ("gs", "SV_PrimitiveID"): INDEX, ("gs", "SV_GSInstanceID"): {"int", "uint"},
    ("ps", "SV_IsFrontFace"): {"bool"}, ("ps", "SV_SampleIndex"): INDEX, ("ps", "SV_Coverage"): {"int", "uint"},
    ("ps out", "SV_Coverage"): {"int", "uint"}, ("ps", "SV_Barycentrics"): {"float3"}, ("ps", "SV_ViewID"): INDEX,
    ("ps", "SV_PrimitiveID"): INDEX, ("ps", "SV_ShadingRate"): INDEX, ("ps", "SV_InnerCoverage"): {"uint"},
    ("ps out", "SV_Depth"): {"float"}, ("ps out", "SV_StencilRef"): {"int", "uint"},
    ("cs", "SV_DispatchThreadID"): PLACE, ("cs", "SV_GroupID"): PLACE, ("cs", "SV_GroupThreadID"): PLACE,
    ("cs", "SV_GroupIndex"): INDEX, ("hs", "SV_OutputControlPointID"): {"int", "uint"}, ("hs", "SV_PrimitiveID"): INDEX,
    ("hs outer", "SV_TessFactor"): FACTORS, ("hs inner", "SV_InsideTessFactor"): {"float", "float2", "float[2]"},
    ("ds", "SV_TessFactor"): FACTORS, ("ds", "SV_InsideTessFactor"): {"float", "float2", "float[2]"},
    ("ds", "SV_DomainLocation"): {"float2", "float3"}, ("ds", "SV_PrimitiveID"): INDEX,
}  # fmt: skip


def shader(point: str, semantic: str, name: str) -> tuple[str, str]:
    """Return (profile, text) of a shader that declares the system value and uses all its components."""
    profile, text = SHADERS[point]
    base, _, dims = name.partition("[")
    value = f"{base} v{'[' + dims if dims else ''} : {semantic}"
    use = "(float)v[0]" if dims else "(float)v._m00" if "x" in name else "(float)v.x"
    text = text.replace("USE", "0") if point in ("hs outer", "hs inner") else text
    return profile, text.replace("VALUE", value).replace("USE", use if "VALUE" in text.split("USE")[0] else "0")


@pytest.mark.parametrize(("point", "semantic"), ALLOWED)
def test_types(point: str, semantic: str) -> None:
    memory = Memory()
    options = CompileOptions(target_env="vulkan1.3", enable_16bit_types=True, optimize="none")
    for name in TYPES:
        profile, text = shader(point, semantic, name)
        allowed = name in ALLOWED[point, semantic]
        # Whether the validator agrees is asked for what is allowed only: it takes its time.
        result = compile_shader(text, profile=profile, options=options, memory=memory)
        assert result.ok == allowed, (name, [d.message for d in result.diagnostics])
        if not allowed:
            error = next(d for d in result.diagnostics if d.severity == "error")
            assert error.code.id != "HLSL0735", (name, error.message)
            assert error.location is not None and error.location.line == 1


def test_vectors_of_tessellation_levels() -> None:
    text = DOMAIN.replace("VALUE", "float4 v : SV_TessFactor").replace("USE", "v * 2 + v.wzyx")
    assert compile_shader(text, profile="ds_6_8").ok


def test_relaxed_position() -> None:
    text = "float4 main(min16float4 v : SV_Position) : SV_Target { return v; }"
    assert compile_shader(text, profile="ps_6_2").ok
    assert not compile_shader(text, profile="ps_6_2", options=CompileOptions(enable_16bit_types=True)).ok


@pytest.mark.parametrize(("type_", "is_accepted"), [("float2", True), ("S", False), ("half", False)])
def test_types_of_clip_distances_with_code_generation_only(type_: str, is_accepted: bool) -> None:
    """A struct with the semantic of a clip distance has no member that could be one; `half` is no `float`."""
    source = f"struct S {{ float a; }}; float4 main({type_} c : SV_ClipDistance) : SV_Target {{ return 1; }}"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(codegen_only=True))
    assert result.ok == is_accepted
    assert is_accepted or "must be scalar, vector, or array with float type" in result.diagnostics[0].message
