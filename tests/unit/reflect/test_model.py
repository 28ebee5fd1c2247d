"""Reflection of rarely used features: stages, execution modes, specialised sizes, buffer addresses, requirements."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.reflection.requirements import requirements
from hlsl_tool.spirv.decode import decode


def reflected(source: str, profile: str, *, env: str = "vulkan1.2", facts: bool = True, **options: Any) -> Reflection:
    chosen = CompileOptions(target_env=env, validate="no", **options)
    result = compile_shader(source, entry="" if profile.startswith("lib") else "main", profile=profile, options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return reflect(decode(result.spirv), result.interface if facts else None)


def modes(found: Reflection) -> dict[str, list[int]]:
    return {mode.name: mode.operands for mode in found.entry_points[0].execution_modes}


def test_geometry_shaders() -> None:
    found = reflected(
        """struct V { float4 p : SV_Position; float2 uv : UV; };
        [maxvertexcount(6)] [instance(2)]
        void main(triangle V i[3], uint n : SV_GSInstanceID, inout TriangleStream<V> o) { o.Append(i[n]); }""",
        "gs_6_0",
    )
    assert modes(found) == {"Triangles": [], "Invocations": [2], "OutputTriangleStrip": [], "OutputVertices": [6]}
    (entry,) = found.entry_points
    uv = next(v for v in entry.inputs if v.location == 0)
    assert (uv.type.name, uv.type.kind, uv.semantic) == ("float2[3]", "array", "UV")
    assert {v.builtin for v in entry.inputs} == {"", "Position", "InvocationId"}


def test_tessellation() -> None:
    hull = """struct C { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float k : K; };
    struct P { float3 p : POINT; };
    C constants(InputPatch<P, 3> i) { C c; c.edges[0] = c.edges[1] = c.edges[2] = 1; c.inside = 2; c.k = 3; return c; }
    [domain("tri")] [partitioning("fractional_odd")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
    [patchconstantfunc("constants")]
    P main(InputPatch<P, 3> i, uint n : SV_OutputControlPointID) { return i[n]; }"""
    found = reflected(hull, "hs_6_0")
    assert modes(found) == {"Triangles": [], "SpacingFractionalOdd": [], "VertexOrderCw": [], "OutputVertices": [3]}
    outputs = {v.semantic or v.builtin: v for v in found.entry_points[0].outputs}
    assert "patch" in outputs["K"].decorations
    assert "patch" not in outputs["POINT"].decorations
    assert found.requirements is not None
    assert [f.name for f in found.requirements.features] == ["Tessellation"]


def test_mesh_shaders() -> None:
    found = reflected(
        """struct V { float4 p : SV_Position; float2 uv : UV; }; struct T { nointerpolation uint m : MATERIAL; };
        struct Payload { uint first; };
        [outputtopology("triangle")] [numthreads(32, 1, 1)]
        void main(uint i : SV_GroupIndex, in payload Payload load, out vertices V v[64], out indices uint3 t[126],
                  out primitives T p[126]) {
            SetMeshOutputCounts(3, 1); v[i].p = i; v[i].uv = load.first; t[0] = uint3(0, 1, 2); p[0].m = i; }""",
        "ms_6_5",
    )
    wanted = {"LocalSize": [32, 1, 1], "OutputVertices": [64], "OutputPrimitivesEXT": [126], "OutputTrianglesEXT": []}
    assert modes(found) == wanted
    (entry,) = found.entry_points
    material = next(v for v in entry.outputs if v.semantic == "MATERIAL")
    assert "per_primitive" in material.decorations
    assert [(v.storage, v.type.name) for v in entry.payloads] == [("TaskPayloadWorkgroupEXT", "Payload")]
    assert found.requirements is not None
    assert ["VK_EXT_mesh_shader"] in [e.needs_one_of for e in found.requirements.extensions]


def test_interpolation_and_two_sources() -> None:
    found = reflected(
        """struct I { nointerpolation uint a : A; noperspective centroid float2 b : B; sample float c : C;
                   float d : D; };
        struct O { [[vk::location(0), vk::index(0)]] float4 x : SV_Target0;
                   [[vk::location(0), vk::index(1)]] float4 y : SV_Target1; };
        O main(I i) { O o; o.x = i.a + i.c; o.y = i.b.x + i.d; return o; }""",
        "ps_6_0",
    )
    (entry,) = found.entry_points
    assert {v.semantic: v.interpolation for v in entry.inputs} == {
        "A": ["nointerpolation"],
        "B": ["noperspective", "centroid"],
        "C": ["sample"],
        "D": [],
    }
    assert [(v.location, v.index) for v in entry.outputs] == [(0, 0), (0, 1)]


def test_ray_tracing_library() -> None:
    found = reflected(
        """struct P { float4 c; }; struct R { uint material; float3 tint; };
        [[vk::shader_record_ext]] ConstantBuffer<R> record;
        RaytracingAccelerationStructure scene; RWTexture2D<float4> image;
        [shader("raygeneration")] void Rays() {
            P p = (P)0; RayDesc r; r.Origin = 0; r.Direction = 1; r.TMin = 0; r.TMax = 1;
            TraceRay(scene, 0, 1, 0, 1, 0, r, p); image[uint2(0, 0)] = p.c; }
        [shader("closesthit")] void Hit(inout P p, in BuiltInTriangleIntersectionAttributes a) {
            p.c = float4(record.tint, a.barycentrics.x); }
        [shader("miss")] void Miss(inout P p) { p.c = RayTMin(); }""",
        "lib_6_3",
    )
    entries = {entry.name: entry for entry in found.entry_points}
    assert {name: entry.model for name, entry in entries.items()} == {
        "Rays": "RayGenerationKHR",
        "Hit": "ClosestHitKHR",
        "Miss": "MissKHR",
    }
    uses = {name: [(u.name, u.access) for u in entry.resources] for name, entry in entries.items()}
    assert uses == {"Rays": [("scene", "read"), ("image", "write")], "Hit": [], "Miss": []}
    inputs = {name: [v.builtin for v in entry.inputs] for name, entry in entries.items()}
    assert inputs == {"Rays": [], "Hit": [], "Miss": ["RayTminKHR"]}
    assert {v.storage for v in entries["Hit"].payloads} == {"IncomingRayPayloadKHR", "HitAttributeKHR"}
    assert [(r.offset, r.size) for r in entries["Hit"].push_constants] == [(4, 12)]
    (record,) = found.push_constants
    assert (record.kind, record.used_by) == ("shader_record", ["Hit"])


def test_specialised_sizes() -> None:
    found = reflected(
        """[[vk::constant_id(4)]] const int X = 8; [[vk::constant_id(5)]] const bool FLAG = true;
        [[vk::constant_id(6)]] const float F = 0.5;
        RWStructuredBuffer<float> o;
        [numthreads(16, 2, 1)] void main() { o[0] = X + FLAG + F; }""",
        "cs_6_0",
    )
    assert [(c.name, c.id, c.type.name, c.default) for c in found.specialization_constants] == [
        ("X", 4, "int", 8),
        ("FLAG", 5, "bool", True),
        ("F", 6, "float", 0.5),
    ]
    assert found.entry_points[0].workgroup_size == [16, 2, 1]


def test_buffer_addresses() -> None:
    found = reflected(
        """struct Node; typedef vk::BufferPointer<Node, 16> NodePointer;
        struct Node { float4 value; uint64_t next; NodePointer child; };
        struct Push { NodePointer root; uint count; };
        [[vk::push_constant]] Push push; RWStructuredBuffer<float4> o;
        [numthreads(1, 1, 1)] void main() { o[0] = push.root.Get().child.Get().value * push.count; }""",
        "cs_6_6",
        env="vulkan1.3",
    )
    (push,) = found.push_constants
    root, count = push.type.members
    assert (root.offset, root.type.kind, root.type.size, count.offset) == (0, "pointer", 8, 8)
    node = find_block(found, root.type.pointee)
    assert node.type is not None
    assert [(m.name, m.offset, m.type.kind) for m in node.type.members] == [
        ("value", 0, "vector"),
        ("next", 16, "uint"),
        ("child", 24, "pointer"),
    ]
    assert node.type.members[2].type.pointee == root.type.pointee
    assert found.addressing == "PhysicalStorageBuffer64"


@pytest.mark.parametrize("facts", [True, False])
def test_image_formats_arrays_and_attachments(facts: bool) -> None:
    found = reflected(
        """[[vk::image_format("rgba16f")]] RWTexture2D<float4> image; Texture2DArray<uint4> layers[2][3];
        TextureCube<float> cubes[]; [[vk::combinedImageSampler]] [[vk::binding(9)]] Texture2D<float4> both;
        [[vk::combinedImageSampler]] [[vk::binding(9)]] SamplerState sampling; SamplerState other;
        [[vk::input_attachment_index(2)]] SubpassInputMS<float4> previous; Texture2DMS<float4, 4> many;
        globallycoherent RWBuffer<uint> shared_words;
        float4 main(float4 p : SV_Position) : SV_Target {
            uint i = p.x; image[uint2(0, 0)] = both.Sample(sampling, p.xy);
            shared_words[0] = layers[1][2][uint3(1, 2, 3)].x;
            return cubes[NonUniformResourceIndex(i)].Sample(other, p.xyz).x + previous.SubpassLoad(1)
                + many.Load(uint2(0, 1), 1); }""",
        "ps_6_0",
        facts=facts,
    )
    r = {r.name: r for r in found.resources}
    assert (r["image"].type.format, r["image"].access) == ("Rgba16f", "read_write")
    assert (r["layers"].dimensions, r["layers"].count) == ([6], 6)  # Vulkan has no arrays of arrays
    assert (r["layers"].type.name, r["layers"].type.component) == ("Texture2DArray", "uint")
    assert (r["cubes"].dimensions, r["cubes"].count) == ([None], None)
    assert r["both"].kind == "combined_image_sampler"
    assert (r["previous"].kind, r["previous"].input_attachment_index) == ("input_attachment", 2)
    assert r["previous"].type.multisampled
    assert r["many"].type.multisampled
    assert r["shared_words"].decorations == ["coherent"]
    needed = {f.name: f.needs_one_of for f in (found.requirements or requirements((1, 0), [], [])).features}
    assert needed["RuntimeDescriptorArray"] == ["VkPhysicalDeviceVulkan12Features::runtimeDescriptorArray"]


def test_requirements() -> None:
    found = requirements((1, 4), ["Shader", "Int64", "GroupNonUniformVote", "NoSuchThing"], ["SPV_KHR_ray_query"])
    assert (found.vulkan, found.unknown) == ("1.1", ["NoSuchThing"])
    assert [(f.name, f.needs_one_of) for f in found.features] == [
        ("Int64", ["VkPhysicalDeviceFeatures::shaderInt64"]),
        (
            "GroupNonUniformVote",
            ["VkPhysicalDeviceVulkan11Properties::subgroupSupportedOperations=VK_SUBGROUP_FEATURE_VOTE_BIT"],
        ),
    ]
    assert [(f.name, f.needs_one_of) for f in found.extensions] == [
        ("SPIR-V 1.4", ["VK_VERSION_1_2", "VK_KHR_spirv_1_4"]),
        ("SPV_KHR_ray_query", ["VK_KHR_ray_query"]),
    ]
    assert requirements((1, 6), [], []).vulkan == "1.3"


def test_source() -> None:
    found = reflected("[numthreads(1, 1, 1)] void main() {}", "cs_6_6")
    assert [(s.language, s.version) for s in found.sources] == [("HLSL", 660)]
