"""The WebGPU limits that a converted shader requires of the device, above the defaults."""

from __future__ import annotations

import json

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.wgsl import bindings_json, convert_module

COMPUTE = """
RWStructuredBuffer<float4> o;
%s
[numthreads(%s)] void main(uint i : SV_GroupIndex) { %s }
"""
TEXTURES = "".join(f"Texture2D<float4> t{n} : register(t{n}); " for n in range(18))
PIXEL = TEXTURES + "float4 main(uint2 p : P) : SV_Target { return %s; }"


def limits(source: str, profile: str) -> dict[str, int]:
    result = compile_shader(source, profile=profile, options=CompileOptions(target_env="vulkan1.1"))
    assert result.ok
    converted = convert_module(result.spirv)
    content = json.loads(bindings_json(converted.bindings, converted.features, converted.limits))
    assert content.get("requiredLimits", {}) == converted.limits
    return converted.limits


@pytest.mark.parametrize(
    ("declared", "threads", "body", "expected"),
    [
        ("groupshared float4 s[256];", "64, 1, 1", "s[i] = i; o[i] = s[0];", {}),
        (
            "groupshared float4 s[2048];",
            "64, 1, 1",
            "s[i] = i; o[i] = s[0];",
            {"maxComputeWorkgroupStorageSize": 32768},
        ),
        (
            "groupshared float3 s[1024]; groupshared struct { float a; bool b; float3x3 m; } t;",
            "64, 1, 1",
            "s[i] = i; t.b = i; t.m[0][0] = 1; o[i] = s[0].x + t.b + t.m[0][0];",
            {"maxComputeWorkgroupStorageSize": 1024 * 16 + 64},
        ),
        (
            "",
            "512, 2, 1",
            "o[i] = 1;",
            {"maxComputeInvocationsPerWorkgroup": 1024, "maxComputeWorkgroupSizeX": 512},
        ),
        ("", "1, 1, 65", "o[i] = 1;", {"maxComputeWorkgroupSizeZ": 65}),
        (
            "".join(f"RWStructuredBuffer<float> b{n}; " for n in range(9)),
            "64, 1, 1",
            "o[i] = " + " + ".join(f"b{n}[i]" for n in range(9)) + ";",
            {"maxStorageBuffersPerShaderStage": 10},
        ),
        (
            "struct S { float4 a[4097]; }; ConstantBuffer<S> c;",
            "64, 1, 1",
            "o[i] = c.a[i];",
            {"maxUniformBufferBindingSize": 65552},
        ),
        ("RWStructuredBuffer<float> far : register(u1, space5);", "64, 1, 1", "o[i] = far[i];", {"maxBindGroups": 6}),
    ],
)  # fmt: skip
def test_compute_shaders(declared: str, threads: str, body: str, expected: dict[str, int]) -> None:
    assert limits(COMPUTE % (declared, threads, body), "cs_6_0") == expected


@pytest.mark.parametrize(("count", "expected"), [(16, {}), (18, {"maxSampledTexturesPerShaderStage": 18})])
def test_textures_of_a_stage(count: int, expected: dict[str, int]) -> None:
    """Textures that nothing reads do not count."""
    assert limits(PIXEL % " + ".join(f"t{n}[p]" for n in range(count)), "ps_6_0") == expected
