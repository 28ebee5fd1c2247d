"""Unusual pipelines: correct values, or an error that names what Vulkan cannot express."""

from __future__ import annotations

import struct

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.reflection.pipeline import PipelineError, pipeline_cpp, pipeline_of, pipelines_of_module, project_cpp
from hlsl_tool.reflection.reflection import EntryPoint, Reflection, StageVariable, Type


def reflected(source: str, profile: str, entry: str = "main", **options: object) -> Reflection:
    settings = CompileOptions(target_env="vulkan1.3", **options)  # type: ignore[arg-type]
    result = compile_shader(source, entry=entry, profile=profile, options=settings)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.reflect()


RAYS = """
struct P { float4 c; }; struct A { float2 b; };
RWStructuredBuffer<float4> o : register(u1); RaytracingAccelerationStructure scene : register(t0);
[[vk::push_constant]] struct { uint n; } pc;
[[vk::shader_record_ext]] cbuffer Rec { float4 albedo; uint tex; };
[shader("raygeneration")] void Gen() {
    P p; RayDesc r = { float3(0, 0, 0), 0, float3(0, 0, 1), 10 };
    TraceRay(scene, 0, 0xff, 0, 0, 0, r, p); o[pc.n] = p.c;
}
[shader("miss")] void Miss(inout P p) { p.c = 0; }
[shader("closesthit")] void Hit(inout P p, A a) { p.c = albedo * tex; }
[shader("closesthit")] void Other(inout P p, A a) { p.c = 1; }
[shader("callable")] void Call(inout P p) { p.c = 1; }
"""


def test_a_ray_tracing_library_is_one_pipeline() -> None:
    module = reflected(RAYS, "lib_6_3")
    assert pipelines_of_module(module) == [()]
    tables = pipeline_of([module])
    assert [(stage.entry_point, stage.shader_record_size) for stage in tables.stages] == [
        ("Gen", 0),
        ("Hit", 20),
        ("Other", 0),
        ("Miss", 0),
        ("Call", 0),
    ]
    (used,) = tables.push_constants  # not the shader record
    assert (used.offset, used.size, used.stages) == (0, 4, ["VK_SHADER_STAGE_RAYGEN_BIT_KHR"])
    text = pipeline_cpp(tables)
    assert "Hit_shader_record_size = 20;" in text
    assert "VkShaderCreateInfoEXT" not in text  # shader objects have no ray tracing stages


MIXED = """
RWStructuredBuffer<float4> o : register(u1); cbuffer C { float4 x; };
[shader("compute")] [numthreads(1, 1, 1)] void A() { o[0] = 1; }
[shader("compute")] [numthreads(2, 1, 1)] void B() { o[0] = x; }
[shader("vertex")] float4 V(float4 p : P) : SV_Position { return p * x; }
[shader("pixel")] float4 F() : SV_Target { return x; }
"""


def test_a_module_with_several_pipelines() -> None:
    module = reflected(MIXED, "lib_6_3")
    assert pipelines_of_module(module) == [("A",), ("B",), ("V", "F")]
    with pytest.raises(PipelineError, match=r"`A` and `B` are both compute stages; .*--entry"):
        pipeline_of([module])
    with pytest.raises(PipelineError, match="`V` is for graphics and `B` for compute pipelines"):
        pipeline_of([module], entries=["V", "B"])
    with pytest.raises(PipelineError, match="no entry point `Z`; there are `A`, `B`, `V`, `F`"):
        pipeline_of([module], entries=["Z"])
    tables = pipeline_of([module], entries=["V", "F"])
    assert [stage.entry_point for stage in tables.stages] == ["V", "F"]
    assert [binding.name for layout in tables.set_layouts for binding in layout.bindings] == ["C"]
    alone = pipeline_of([module], entries=["A"])
    assert [binding.name for layout in alone.set_layouts for binding in layout.bindings] == ["o"]


def test_a_library_of_functions_has_no_pipeline() -> None:
    module = reflected("export float f(float x) { return x * 2; }", "lib_6_3")
    assert pipelines_of_module(module) == []
    with pytest.raises(PipelineError, match="there is no entry point"):
        pipeline_of([module])


def test_mesh_and_vertex_stages_do_not_mix() -> None:
    mesh = """
struct V { float4 p : SV_Position; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void Mesh(out vertices V v[3], out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); v[0].p = 0; t[0] = uint3(0, 1, 2); }
"""
    stages = [reflected(mesh, "ms_6_5", "Mesh"), reflected("float4 V() : SV_Position { return 0; }", "vs_6_0", "V")]
    with pytest.raises(PipelineError, match=r"no vertex stage \(`V`\) beside a mesh stage \(`Mesh`\)"):
        pipeline_of(stages)


def test_vertex_attributes_of_every_type() -> None:
    source = """
struct V { half3 h : H; double d : D; double3 e[2] : E; float3x2 m : M; int16_t2 s : S; bool2 b : B; uint64_t l : L;
           uint id : SV_VertexID; };
float4 main(V v) : SV_Position { return v.h.x + v.d + v.e[1].z + v.m[2].y + v.s.y + v.b.y + v.l + v.id; }
"""
    vertex = pipeline_of([reflected(source, "vs_6_2", enable_16bit_types=True)]).vertex_input
    assert vertex is not None
    rows = [(a.location, a.format.removeprefix("VK_FORMAT_"), a.offset) for a in vertex.attributes]
    assert rows == [
        (0, "R16G16B16_SFLOAT", 0),
        (1, "R64_SFLOAT", 8),
        (2, "R64G64B64_SFLOAT", 16),
        (4, "R64G64B64_SFLOAT", 40),
        (6, "R32G32_SFLOAT", 64),
        (7, "R32G32_SFLOAT", 72),
        (8, "R32G32_SFLOAT", 80),
        (9, "R16G16_SINT", 88),
        (10, "R32G32_UINT", 92),
        (11, "R64_UINT", 104),
    ]
    assert vertex.stride == 112


def shared_location(*parts: tuple[str, int, int]) -> Reflection:
    inputs = [
        StageVariable(name, Type("vector", bits=32, component=kind, rows=1, columns=columns), 3, component)
        for name, kind, component, columns in ((f"v{c}", k, c, n) for k, c, n in parts)
    ]
    return Reflection("1.6", [], [], [EntryPoint("main", "Vertex", inputs=inputs)])


def test_variables_that_share_a_location_are_one_attribute() -> None:
    vertex = pipeline_of([shared_location(("float", 0, 1), ("float", 2, 2))]).vertex_input
    assert vertex is not None
    assert [(a.location, a.format, a.name) for a in vertex.attributes] == [
        (3, "VK_FORMAT_R32G32B32A32_SFLOAT", "v0, v2")
    ]
    with pytest.raises(PipelineError, match="`v0` and `v1` share location 3 with different types"):
        pipeline_of([shared_location(("float", 0, 1), ("uint", 1, 1))])


def test_specialisation_constants_of_every_type() -> None:
    types = {
        "bool": ("true", "<I", 1),
        "int": ("-7", "<i", -7),
        "uint": ("4294967295u", "<I", 4294967295),
        "float": ("1.5", "<f", 1.5),
        "double": ("2.25", "<d", 2.25),
        "int64_t": ("-5000000000ll", "<q", -5000000000),
        "uint64_t": ("18446744073709551615ull", "<Q", 18446744073709551615),
        "float16_t": ("0.5h", "<e", 0.5),
        "int16_t": ("-3", "<h", -3),
        "uint16_t": ("65535", "<H", 65535),
    }
    lines = [f"[[vk::constant_id({i})]] const {t} c{i} = {text};" for i, (t, (text, _, _)) in enumerate(types.items())]
    total = " + ".join(f"c{i}" for i in range(len(types)))
    source = "\n".join(
        [*lines, f"RWStructuredBuffer<double> o; [numthreads(1, 1, 1)] void main() {{ o[0] = {total}; }}"]
    )
    (stage,) = pipeline_of([reflected(source, "cs_6_2", enable_16bit_types=True)]).stages
    data = bytes.fromhex(stage.specialization_data)
    for entry, (_, form, value) in zip(stage.specialization, types.values(), strict=True):
        assert entry.offset % entry.size == 0
        assert struct.unpack_from(form, data, entry.offset) == (value,)
        assert entry.size == struct.calcsize(form)


def test_push_constants_with_offsets() -> None:
    source = """
struct P { [[vk::offset(16)]] float4 a; [[vk::offset(60)]] float c; };
[[vk::push_constant]] P p; RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = p.c; }
"""
    (used,) = pipeline_of([reflected(source, "cs_6_0")]).push_constants
    assert (used.offset, used.size) == (16, 48)  # the whole block, though only its last member is used


def test_arrays_of_descriptors() -> None:
    source = """
Texture2D a[4][3] : register(t0); Texture2D b[] : register(t20); RWStructuredBuffer<uint> o[3] : register(u50);
[numthreads(1, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    o[i][0] = a[i][1][uint2(0, 0)].x + b[NonUniformResourceIndex(i)][uint2(0, 0)].x;
}
"""
    (layout,) = pipeline_of([reflected(source, "cs_6_0")]).set_layouts
    assert [(b.name, b.count) for b in layout.bindings] == [("a", 12), ("b", None), ("o", 3)]
    assert layout.bindings[1].flags == ["VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT"]  # no variable count: not the last


def test_a_set_that_no_device_has() -> None:
    source = (
        "[[vk::binding(1, 4000000000)]] RWStructuredBuffer<uint> o; [numthreads(1, 1, 1)] void main() { o[0] = 1; }"
    )
    with pytest.raises(PipelineError, match="`o` is in set 4000000000"):
        pipeline_of([reflected(source, "cs_6_0")])


def test_tessellation() -> None:
    source = """
struct C { float3 p : POS; }; struct T { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
T pf(InputPatch<C, 5> p) { T t; t.e[0] = t.e[1] = t.e[2] = t.i = 1; return t; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("pf")] C main(InputPatch<C, 5> p, uint i : SV_OutputControlPointID) { return p[i]; }
"""
    tables = pipeline_of([reflected(source, "hs_6_0")])
    assert tables.patch_control_points == 5
    assert "patch_control_points = 5;" in pipeline_cpp(tables)


def test_attachments() -> None:
    source = """
[[vk::input_attachment_index(2)]] SubpassInput<float4> si;
struct O { float3 a : SV_Target0; uint b : SV_Target3; uint st : SV_StencilRef; };
O main() { O o; o.a = si.SubpassLoad().xyz; o.b = 1; o.st = 1; return o; }
"""
    tables = pipeline_of([reflected(source, "ps_6_0")])
    assert tables.set_layouts[0].bindings[0].input_attachment_index == 2
    assert (tables.writes_depth, tables.writes_stencil) == (False, True)
    text = pipeline_cpp(tables)
    assert "color_attachment_count = 4;" in text
    rows = [line.strip() for line in text.splitlines() if line.startswith("    VK_FORMAT")]
    assert rows == [
        "VK_FORMAT_R32G32B32A32_SFLOAT,  // 3 x float",
        "VK_FORMAT_UNDEFINED,  // not written",
        "VK_FORMAT_UNDEFINED,  // not written",
        "VK_FORMAT_R32_UINT,  // 1 x uint",
    ]
    dual = """
struct O {
    [[vk::location(0), vk::index(0)]] float4 a : SV_Target0;
    [[vk::location(0), vk::index(1)]] float4 b : SV_Target1;
};
O main() { O o; o.a = 1; o.b = 2; return o; }
"""
    text = pipeline_cpp(pipeline_of([reflected(dual, "ps_6_0")]))
    assert "color_attachment_count = 1;" in text and "second source of blending" in text


def test_names_in_cpp() -> None:
    vertex = reflected("float4 main() : SV_Position { return 0; }", "vs_6_0")
    pixel = reflected("float4 main() : SV_Target { return 0; }", "ps_6_0")
    tables = pipeline_of([vertex, pixel], ["lit.main", "paint.main"])
    text = pipeline_cpp(tables, namespace="main")
    assert "namespace main_ {" in text  # `main` is a function
    assert "main_vertex_stage =" in text and "main_fragment_stage =" in text
    text = project_cpp([("a", tables), ("a.b", tables), ("class", tables)], namespace="all")
    assert "// a: lit.main, paint.main\nnamespace a {" in text
    assert "namespace a_b = a;  // lit.main, paint.main\n" in text and "namespace class_ = a;" in text


def test_nameless_variables_are_described_in_messages() -> None:
    struct_input = StageVariable("", Type("struct", "S"), 2)
    with pytest.raises(PipelineError, match="the variable at location 2 is a struct, which is no vertex attribute"):
        pipeline_of([Reflection("1.6", [], [], [EntryPoint("main", "Vertex", inputs=[struct_input])])])
    source = "Texture2D t : register(t0); SamplerState s : register(s0);"
    source += "float4 main(float2 u : U) : SV_Target { return t.Sample(s, u); }"
    with pytest.raises(PipelineError, match=r"SAMPLER .*SAMPLED_IMAGE .*`.*combinedImageSampler.*` on both"):
        pipeline_of([reflected(source, "ps_6_0")])


def test_a_library_with_mesh_and_vertex_stages_has_several_pipelines() -> None:
    module = reflected(
        """
struct V { float4 p : SV_Position; };
[shader("mesh")] [outputtopology("triangle")] [numthreads(1, 1, 1)]
void Mesh(out vertices V v[3], out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); v[0].p = 0; t[0] = uint3(0, 1, 2); }
[shader("vertex")] float4 Vertex() : SV_Position { return 0; }
""",
        "lib_6_5",
    )
    assert sorted(pipelines_of_module(module)) == [("Mesh",), ("Vertex",)]


@pytest.mark.parametrize(("entry", "kinds"), [("Reads", ["resource"]), ("Filters", ["sampler", "resource"])])
def test_heaps_of_the_entry_points_of_a_pipeline_only(entry: str, kinds: list[str]) -> None:
    module = reflected(
        """
RWByteAddressBuffer o;
[shader("compute")] [numthreads(1, 1, 1)] void Reads() {
    ByteAddressBuffer b = ResourceDescriptorHeap[0]; o.Store(0, b.Load(0));
}
[shader("compute")] [numthreads(1, 1, 1)] void Filters() {
    Texture2D<float> t = ResourceDescriptorHeap[1]; SamplerState s = SamplerDescriptorHeap[2];
    o.Store(0, (uint)t.SampleLevel(s, 0, 0));
}
""",
        "lib_6_6",
        descriptor_heap=True,
    )
    for heap in module.descriptor_heaps:
        if heap.builtin == "SamplerHeapEXT":
            heap.used_by = ["Filters"]
    tables = pipeline_of([module], ["lib"], (entry,))
    assert {heap.kind for heap in tables.descriptor_heaps} == set(kinds)
