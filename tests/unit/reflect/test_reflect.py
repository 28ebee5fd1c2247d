"""Reflection of a module: resources, block members, constants, entry points and their inputs and outputs."""

from __future__ import annotations

import json
from typing import Any

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.emit_json import reflection_json
from hlsl_tool.reflection.extract import reflect
from tests.passes.assembler import assemble

SHADER = """
struct Light { float3 color; float range; float3x4 world; };
cbuffer Frame : register(b2, space1) { row_major float4x4 view; float2x3 uv[3]; Light lights[2]; };
Texture2D<float4> albedo[4] : register(t0);
TextureCube sky;
SamplerState linearClamp : register(s3);
RWStructuredBuffer<uint> hits;
StructuredBuffer<Light> all_lights;
[[vk::push_constant]] struct { uint id; float scale; } draw;
[[vk::constant_id(7)]] const int QUALITY = 3;
struct Input { float4 position : SV_Position; nointerpolation uint material : MATERIAL; float2 uv : TEXCOORD0; };
float4 PSMain(Input i) : SV_Target1
{
    InterlockedAdd(hits[draw.id], i.material);
    float3 l = all_lights[i.material].color + lights[1].color + sky.Sample(linearClamp, float3(i.uv, 1)).rgb;
    return albedo[2].Sample(linearClamp, mul(uv[1], float3(i.uv, QUALITY))) * draw.scale + mul(view, float4(l, 1));
}
"""


def _reflection() -> dict[str, Any]:
    options = CompileOptions(target_env="vulkan1.1", optimize="none", validate="no")
    result = compile_shader(SHADER, entry="PSMain", profile="ps_6_0", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    loaded: dict[str, Any] = json.loads(reflection_json(result.spirv, result.interface))
    return loaded


def test_resources() -> None:
    found = {r["name"]: r for r in _reflection()["resources"]}
    assert (found["Frame"]["set"], found["Frame"]["binding"], found["Frame"]["kind"]) == (1, 2, "uniform_buffer")
    assert found["Frame"]["hlsl"]["register"] == "b2"
    assert (found["albedo"]["kind"], found["albedo"]["count"], found["albedo"]["type"]["name"]) == (
        "sampled_image",
        4,
        "Texture2D",
    )
    assert found["sky"]["type"]["dim"] == "Cube"
    assert (found["linearClamp"]["kind"], found["linearClamp"]["binding"]) == ("sampler", 3)
    assert (found["hits"]["kind"], found["hits"]["access"]) == ("storage_buffer", "read_write")
    assert found["all_lights"]["access"] == "read"


def test_block_members() -> None:
    frame = next(r for r in _reflection()["resources"] if r["name"] == "Frame")["type"]
    view, uv, lights = frame["members"]
    assert (view["name"], view["offset"], view["size"]) == ("view", 0, 64)
    assert (view["type"]["name"], view["type"]["majorness"], view["type"]["stride"]) == ("float4x4", "row_major", 16)
    # column_major float2x3 in std140: three columns of two rows, 16 bytes each
    assert (uv["offset"], uv["type"]["stride"], uv["type"]["count"]) == (64, 48, 3)
    assert (uv["type"]["element"]["rows"], uv["type"]["element"]["columns"]) == (2, 3)
    assert uv["type"]["element"]["majorness"] == "column_major"
    color, reach, world = lights["type"]["element"]["members"]
    assert (lights["offset"], color["offset"], reach["offset"], world["offset"]) == (208, 0, 12, 16)


def test_push_and_specialization_constants() -> None:
    found = _reflection()
    draw = found["push_constants"][0]
    assert [(m["name"], m["offset"]) for m in draw["type"]["members"]] == [("id", 0), ("scale", 4)]
    assert [(c["name"], c["id"], c["default"]) for c in found["specialization_constants"]] == [("QUALITY", 7, 3)]


def test_entry_point() -> None:
    (entry,) = _reflection()["entry_points"]
    assert (entry["name"], entry["model"]) == ("PSMain", "Fragment")
    inputs = {v["semantic"]: v for v in entry["inputs"]}
    assert inputs["MATERIAL"]["location"] == 0
    assert inputs["MATERIAL"]["interpolation"] == ["nointerpolation"]
    assert inputs["SV_Position"]["builtin"] == "FragCoord"
    assert [(v["semantic"], v["location"]) for v in entry["outputs"]] == [("SV_Target1", 1)]


def test_system_values_have_their_own_semantics() -> None:
    source = """struct O { float4 p : SV_Position; uint layer : SV_ViewportArrayIndex; bool2 flags : FLAGS; };
    O main(uint v : SV_VertexID, uint i : SV_InstanceID, bool b : B) {
        O o; o.p = v; o.layer = i; o.flags = b; return o; }"""
    options = CompileOptions(target_env="vulkan1.1", optimize="none", validate="no")
    result = compile_shader(source, profile="vs_6_0", options=options)
    (entry,) = result.reflect().entry_points
    inputs = {v.builtin: (v.semantic, v.hlsl.get("type")) for v in entry.inputs}
    assert inputs == {"VertexIndex": ("SV_VertexID", None), "InstanceIndex": ("SV_InstanceID", None), "": ("B", "bool")}
    outputs = {v.semantic: (v.builtin, v.hlsl.get("type")) for v in entry.outputs}
    assert outputs == {
        "SV_Position": ("Position", None),
        "SV_ViewportArrayIndex": ("ViewportIndex", None),
        "FLAGS": ("", "bool2"),
    }


def test_a_module_without_its_source_has_less_reflection() -> None:
    result = compile_shader("[numthreads(8, 4, 1)] void main() {}", profile="cs_6_0")
    entry = json.loads(reflection_json(result.spirv))["entry_points"][0]
    assert entry["workgroup_size"] == [8, 4, 1]


def test_the_space_of_a_register() -> None:
    source = (
        "Texture2D a : register(t0, space0); Texture2D b : register(t1, space3); Texture2D c;"
        "float4 main() : SV_Target { return a[uint2(0, 0)] + b[uint2(0, 0)] + c[uint2(0, 0)]; }"
    )
    result = compile_shader(source, profile="ps_6_0")
    facts = {resource.name: resource.hlsl for resource in result.reflect().resources}
    assert facts["a"].get("space") == 0
    assert facts["b"].get("space") == 3
    assert "space" not in facts["c"]


def test_the_stride_of_a_pointee_is_that_of_any_pointer() -> None:
    """Reflection reads the stride of pointed-to data from any pointer type that has one, not only from the first."""
    module = assemble(
        """
               OpCapability Shader
               OpCapability PhysicalStorageBufferAddresses
               OpMemoryModel PhysicalStorageBuffer64 GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %T "T"
               OpDecorate %Block Block
               OpMemberDecorate %Block 0 Offset 0
               OpMemberDecorate %Block 1 Offset 8
               OpMemberDecorate %T 0 Offset 0
               OpDecorate %strided ArrayStride 16
       %void = OpTypeVoid
     %fnvoid = OpTypeFunction %void
      %float = OpTypeFloat 32
          %T = OpTypeStruct %float
      %plain = OpTypePointer PhysicalStorageBuffer %T
    %strided = OpTypePointer PhysicalStorageBuffer %T
      %Block = OpTypeStruct %plain %strided
    %pointer = OpTypePointer PushConstant %Block
       %push = OpVariable %pointer PushConstant
       %main = OpFunction %void None %fnvoid
      %entry = OpLabel
               OpReturn
               OpFunctionEnd
"""
    ).module
    assert [(pointee.name, pointee.stride) for pointee in reflect(module).pointees] == [("T", 16)]
