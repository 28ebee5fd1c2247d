"""Divergent control flow and indices: exactly the lines with `// !` are reported."""

from __future__ import annotations

import re

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.options.compile_options import CompileOptions

PIXEL = """\
Texture2D tex; Texture2D array_of[4]; SamplerState smp; StructuredBuffer<uint> data;
bool flag; uint count; uint table[8];
struct Surface {{ float3 color; uint flags; float height; }};
Surface load(float2 uv) {{ Surface s; s.color = uv.xyx; s.flags = table[0]; s.height = uv.y; return s; }}
float shade(float2 uv, bool lit) {{ return lit ? 1 : 0; }}
float early(float x) {{ if (x > 0) return 1; return 2; }}
void write(out float a, out float b, float x) {{ a = x; b = count; }}
float4 main(float4 pos : SV_Position, float2 uv : TEXCOORD0, nointerpolation float flat_value : FLAT,
            uint id : ID, uint prim : SV_PrimitiveID, bool front : SV_IsFrontFace) : SV_Target {{
    float r = 0;
{body}
    return r;
}}
"""

COMPUTE = """\
groupshared uint shared_data[256]; RWByteAddressBuffer raw; RWStructuredBuffer<uint> buffer; uint count;
[numthreads({threads})]
void main(uint3 thread : SV_GroupThreadID, uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID,
          uint lane : SV_GroupIndex) {{
{body}
}}
"""

SYNC = "GroupMemoryBarrierWithGroupSync();"

PIXEL_BODIES = {
    "uniform": "if (flag) r = ddx(uv.x); if (count == 3) r = ddx(uv.x);",
    "flat inputs": "if (flat_value > 0) r = ddx(uv.x); if (id == 1) r = ddx(uv.x); if (front) r = ddx(uv.x);",
    "flat primitive": "if (prim > 1) r = ddx(uv.x);",
    "interpolated": "if (uv.x > 0) r = ddx(uv.x);  // !",
    "else": "if (uv.x > 0) r = 1; else r = ddx(uv.x);  // !",
    "flatten": "[flatten] if (uv.x > 0) r = ddx(uv.x);",
    "literal": "if (0) { if (uv.x > 0) r = ddx(uv.x); }",
    "after": "if (uv.x > 0) r = 1;\nr += ddx(uv.x);",
    "value of a branch": "if (uv.x > 0) r = 1;\nif (r > 0) r = ddx(uv.x);  // !",
    "same value": "float q = 0; if (uv.x > 0) r = 1;\nif (q > 0) r = ddx(uv.x);",
    "overwritten": "r = uv.x; r = count;\nif (r > 0) r = ddx(uv.x);",
    "nested": "if (flag) { if (uv.x > 0) { if (flag) {\nr = ddx(uv.x);  // !\n} } }",
    "return": "if (uv.x > 0) return 1;\nr = ddx(uv.x);  // !",
    "uniform return": "if (flag) return 1;\nr = ddx(uv.x);",
    "discard": "if (uv.x > 0) discard;\nr = ddx(uv.x);",
    "clip": "clip(uv.x);\nr = ddx(uv.x);",
    "field": "Surface s = load(uv);\nif (s.flags & 1) r = ddx(uv.x);\nif (s.height > 0) r = ddx(uv.x);  // !",
    "field written": "Surface s = load(uv); s.height = count; s.flags = pos.x;\nif (s.height > 0) r = ddx(uv.x);\n"
    "if (s.flags > 0) r = ddx(uv.x);  // !",
    "component": "float2 v = float2(count, uv.x);\nif (v.x > 0) r = ddx(uv.x);\nif (v.y > 0) r = ddx(uv.x);  // !",
    "component written": "float3 v = 0; v.yz = uv;\nif (v.x > 0) r = ddx(uv.x);\nif (v.z > 0) r = ddx(uv.x);  // !",
    "swizzle": "float2 v = float2(count, uv.x).yx;\nif (v.y > 0) r = ddx(uv.x);\nif (v.x > 0) r = ddx(uv.x);  // !",
    "out": "float a, b; write(a, b, uv.x);\nif (b > 0) r = ddx(uv.x);\nif (a > 0) r = ddx(uv.x);  // !",
    "result": "if (early(count) > 1) r = ddx(uv.x);\nif (early(uv.x) > 1) r = ddx(uv.x);  // !",
    "return in a call": "r = early(uv.x);\nr += ddx(uv.x);",
    "uniform loop": "for (uint i = 0; i < count; i++) r += ddx(uv.x);",
    "counted by an input": "for (uint i = 0; i < uint(uv.x * 9); i++)\nr += ddx(uv.x);  // !",
    "break": "for (uint i = 0; i < count; i++) {\nr += ddx(uv.x);  // !\nif (uv.x > r) break; }",
    "after break": "for (uint i = 0; i < count; i++) { if (uv.x > i) break; }\nr += ddx(uv.x);",
    "number of rounds": "uint i = 0;\nwhile (i < uv.x) i++;\nif (i > 3) r = ddx(uv.x);  // !",
    "continue": "for (uint i = 0; i < count; i++) { if (uv.x > i) continue;\nr += ddx(uv.x);  // !\n}",
    "before continue": "for (uint i = 0; i < count; i++) {\nr += ddx(uv.x);\nif (uv.x > i) continue; }",
    "do": "do { r += 1; } while (r < uv.x);\nr += ddx(uv.x);",
    "strided": "for (float t = uv.x; t < 1; t += 0.1) r += ddx(uv.x);",
    "second round": "float t = 0; for (uint i = 0; i < count; i++) { if (t > 0)\nr += ddx(uv.x);  // !\nt = uv.x; }",
    "switch": "switch (count) { case 0: r = ddx(uv.x); break; default: r = 2; }",
    "divergent switch": "switch (int(uv.x)) { case 0:\nr = ddx(uv.x);  // !\nbreak; default: r = 2; }",
    "break in a case": "switch (count) { case 0: if (uv.x > 0) break;\nr = ddx(uv.x);  // !\nbreak; default: r = 2; }\n"
    "r += ddx(uv.y);",
    "ternary": "r = flag ? ddx(uv.x) : 0;\nr += uv.y > 0 ? ddx(uv.x) : 0;  // !",
    "and": "if (flag && ddx(uv.x) > 0) r = 1;\nif (uv.x > 0 && ddx(uv.x) > 0) r = 1;  // !",
    "sampling": "if (uv.x > 0) r =\ntex.Sample(smp, uv).x;  // !\nif (uv.x > 0) r = tex.SampleLevel(smp, uv, 0).x;",
    "sampled": "if (tex.Sample(smp, uv).x > 0) r = ddx(uv.x);  // !",
    "sampled at one place": "if (tex.SampleLevel(smp, 0.5, 0).x > 0) r = ddx(uv.x);",
    "level": "if (uv.x > 0)\nr = tex.CalculateLevelOfDetail(smp, uv);  // !",
    "wave": "if (WaveActiveAnyTrue(uv.x > 0)) r = ddx(uv.x);\nif (WaveReadLaneFirst(uv.x) > 0) r = ddx(uv.x);",
    "first lane": "if (WaveIsFirstLane()) r = ddx(uv.x);  // !",
    "quad": "if (QuadReadLaneAt(uv.x, 0) > 0) r = ddx(uv.x);\nif (QuadReadAcrossX(uv.x) > 0) r = ddx(uv.x);  // !",
    "tile": "uint tile = uint(pos.x) / 16; uint other = uint(pos.x) >> 4;\nif (data[tile + other] > 0) r = ddx(uv.x);",
    "checkerboard": "uint odd = uint(pos.x) & 1;\nif (odd) r = ddx(uv.x);  // !",
    "derivative": "if (fwidth(uv.x) > 0.1) r = ddx(uv.x);",
    "index": "r = array_of[prim][uint2(0, 0)].x;  // !",
    "marked index": "uint n = NonUniformResourceIndex(prim); r = array_of[NonUniformResourceIndex(prim)][uint2(0, 0)].x"
    "+ array_of[n][uint2(0, 0)].x;",
    "uniform index": "r = array_of[count][uint2(0, 0)].x + array_of[id][uint2(0, 0)].x;",
    "first lane's index": "r = array_of[WaveReadLaneFirst(prim)][uint2(0, 0)].x;",
    "equal index": "if (prim == count) r = array_of[prim][uint2(0, 0)].x;\nr += array_of[prim][uint2(0, 0)].x;  // !",
    "element": "r = array_of[data[prim]][uint2(0, 0)].x;  // !",
}  # fmt: skip

COMPUTE_BODIES = {
    "uniform": f"if (count > 3) {SYNC}\nif (group.x > 3) {SYNC}",
    "thread": f"if (lane < 3)\n{SYNC}  // !",
    "all threads": f"if (lane < 64 && thread.x <= 63) {SYNC} if (lane >= 64 || thread.x > 63) return;\n{SYNC}",
    "all but one": f"if (lane < 63)\n{SYNC}  // !",
    "at least one": f"if (lane >= 1)\n{SYNC}  // !",
    "component of size one": f"if (thread.y == 0 && id.z < count) {SYNC}",
    "strided loop": f"for (uint i = lane; i < 512; i += 64) {{ shared_data[i] = 0; {SYNC} }}",
    "tree": f"for (uint n = 32; n > 0; n >>= 1) {{ if (lane < n) shared_data[lane] += 1; {SYNC} }}",
    "shared": f"if (shared_data[0] > 3) {SYNC}\nif (shared_data[lane] > 3)\n{SYNC}  // !",
    "atomic": f"uint old; raw.InterlockedAdd(0, 1, old);\nif (old == 3)\n{SYNC}  // !",
    "atomic read": f"uint old; InterlockedAdd(shared_data[0], 0, old);\nif (old == 3) {SYNC}",
    "group number": f"if (lane / 32 == 0) {SYNC}",
    "fence": "if (lane < 3) GroupMemoryBarrier();",
    "early": f"if (id.x >= count) return;\n{SYNC}  // !",
    "condition again": f"if (id.x < count) shared_data[lane] = 1;\n{SYNC}\nif (id.x < count) buffer[id.x] = 1;",
}


def reported(text: str, profile: str, **more: object) -> list[int]:
    """Return the lines that lints report."""
    more = {"warnings": ("lint",), **more}
    options = CompileOptions(target_env="vulkan1.3", validate="no", codegen_only=True, **more)  # type: ignore[arg-type]
    result = compile_shader(text, profile=profile, options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    return sorted({d.location.line for d in result.diagnostics if d.location is not None})


def expected(text: str) -> list[int]:
    """Return the lines with `// !`."""
    return [number for number, line in enumerate(text.splitlines(), 1) if re.search(r"// !", line)]


@pytest.mark.parametrize("body", PIXEL_BODIES.values(), ids=PIXEL_BODIES)
def test_pixel_shaders(body: str) -> None:
    text = PIXEL.format(body=body)
    assert reported(text, "ps_6_0") == expected(text)


@pytest.mark.parametrize("body", COMPUTE_BODIES.values(), ids=COMPUTE_BODIES)
def test_compute_shaders(body: str) -> None:
    text = COMPUTE.format(body=body, threads="64, 1, 1")
    assert reported(text, "cs_6_0") == expected(text)


def test_a_group_of_one_does_not_diverge() -> None:
    assert reported(COMPUTE.format(body=f"if (lane > 0 || id.x > 3) {SYNC}", threads="1, 1, 1"), "cs_6_0") == []


def test_the_second_dimension_of_a_long_row_is_uniform_in_a_wave() -> None:
    text = """Texture2D<float> t[8]; RWBuffer<float> o;
[numthreads({}, 4, 1)] void main(uint3 i : SV_GroupThreadID) {{
o[0] = t[i.y][i.xy]; }}"""
    assert reported(text.format(32), "cs_6_0") == []
    assert reported(text.format(8), "cs_6_0") == [3]


def test_ternaries_of_old_versions_evaluate_both_sides() -> None:
    body = "r = uv.x > 0 ? ddx(uv.x) : 0; if (uv.x > 0 && ddx(uv.x) > 0) r = 1;"
    assert reported(PIXEL.format(body=body), "ps_6_0", hlsl_version=2018) == []


def test_hit_shaders_have_values_of_their_own() -> None:
    text = """Texture2D<float4> t[8];
struct Payload { float4 color; };
[shader("closesthit")] void hit(inout Payload p, BuiltInTriangleIntersectionAttributes a) {
p.color = t[InstanceID()][uint2(0, 0)];
p.color += t[NonUniformResourceIndex(InstanceID())][uint2(0, 0)]; }"""
    assert reported(text, "lib_6_3") == [4]


def test_recursion_of_calls_and_long_shaders_are_no_problem() -> None:
    calls = "".join(f"float f{n + 1}(float x) {{ return f{n}(x) + f{n}(x + 1); }}\n" for n in range(40))
    main = "float4 main(float x : X) : SV_Target { if (x > 0) return f40(x); return 0; }"
    text = f"float f0(float x) {{ return ddx(x); }}\n{calls}{main}"
    assert reported(text, "ps_6_0") == [1]


def test_nothing_is_reported_by_default() -> None:
    result = compile_shader(PIXEL.format(body="if (uv.x > 0) r = ddx(uv.x);"), profile="ps_6_0")
    assert result.diagnostics == []


@pytest.mark.parametrize(("calls", "notes"), [(1, 0), (2, 1), (4, 3), (5, 3), (9, 3)])
def test_further_calls_under_a_condition_are_notes_up_to_three(calls: int, notes: int) -> None:
    body = "if (uv.x > 0) {\n" + "r += ddx(uv.x);\n" * calls + "}"
    result = compile_shader(PIXEL.format(body=body), profile="ps_6_0", options=CompileOptions(warnings=("lint",)))
    (lint,) = [d for d in result.diagnostics if d.notes]
    assert len([note for note in lint.notes if "same condition" in note.message]) == notes
