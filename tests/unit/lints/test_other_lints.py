"""Loops, groupshared memory and 16-bit floats: exactly the lines with `// !` are reported."""

from __future__ import annotations

import pytest

from tests.unit.lints.test_divergence import expected, reported

LOOPS = """\
Texture2D tex; RWTexture2D<float> image; SamplerState smp; uint count; float scale; static float counter;
float next(inout float x) {{ x += 1; return x; }}
float4 main(float2 uv : TEXCOORD0) : SV_Target {{
float r = 0, a = uv.x, b = uv.y;
{body}
return r;
}}
"""
LOOP_BODIES = {
    "root": "for (uint i = 0; i < count; i++)\nr += sqrt(a) * i;  // !",
    "while": "while (r < a)\nr += sqrt(b);  // !",
    "do": "do {\nr += sqrt(b);  // !\n} while (r < a);",
    "varies": "for (uint i = 0; i < count; i++) { r += sqrt(a + i) + sqrt(r); float t = i; r += sqrt(t); }",
    "assigned": "for (uint i = 0; i < count; i++) { r += sqrt(a); a += 1; }",
    "stepped": "for (; a < scale; a++) r += sqrt(a);",
    "passed": "for (uint i = 0; i < count; i++) { r += sqrt(a); next(a); }",
    "static": "for (uint i = 0; i < count; i++) { r += sqrt(counter); }",
    "call": "for (uint i = 0; i < count; i++) r += sqrt(next(b)) ;",
    "constant": "for (uint i = 0; i < count; i++) r += sqrt(2.0);",
    "unrolled": "[unroll] for (uint i = 0; i < count; i++) r += sqrt(a);\nfor (uint k = 0; k < 8; k++) r += sqrt(a);",
    "conditional": "for (uint i = 0; i < count; i++) { if (i > 3) r += sqrt(a); r += i > 4 ? sqrt(b) : 0; }",
    "after a way out": "for (uint i = 0; i < count; i++) { if (r > i) break; r += sqrt(a); }",
    "before a way out": "for (uint i = 0; i < count; i++) {\nr += sqrt(a);  // !\nif (r > i) break; }",
    "division": "for (uint i = 0; i < count; i++) { r += a / 2 + i / scale;\nr += a / scale;  // !\n}",
    "cheap": "for (uint i = 0; i < count; i++) r += max(a, b) * dot(uv, uv);",
    "largest": "for (uint i = 0; i < count; i++)\nr += sqrt(sin(a) / b);  // !",
    "fetch": "for (uint i = 0; i < count; i++) { r += tex.SampleLevel(smp, uv, i).x;\nr += tex.Load(int3(0, 0, 0)).x"
    " + tex.SampleLevel(smp, uv, 0).x;  // !\n}",
    "image": "for (uint i = 0; i < count; i++) { r += image[uint2(uv)]; image[uint2(uv)] = r; }",
    "inner": "for (uint i = 0; i < count; i++) for (uint k = 0; k < count; k++)\nr += sqrt(float(i)) * k;  // !",
}

SHARED = """\
groupshared float tile[32][32]; groupshared float odd[32][33]; groupshared float row[8192];
groupshared float3 three[99]; groupshared float4 four[512]; RWStructuredBuffer<float> o; uint count;
[numthreads({threads}, 8, 1)]
void main(uint3 thread : SV_GroupThreadID, uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID,
          uint lane : SV_GroupIndex) {{
{body}
}}
"""
SHARED_BODIES = {
    "rows": "tile[thread.y][thread.x] = 1;\ntile[thread.x][thread.y] = 1;  // !",
    "padded": "odd[thread.x][thread.y] = 1;",
    "stride": "row[lane * 3] = 1; row[lane * 33] = 1;\nrow[lane * 64 + 1] = 1;  // !",
    "shift": "row[lane << 4] = 1;\nrow[lane << 5] = 1;  // !",
    "local": "uint start = lane * 32; for (uint k = 0; k < 4; k++)\nrow[start + k] = 1;  // !",
    "changed local": "uint start = lane * 32; start += lane; row[start] = 1;",
    "unknown stride": "row[lane * count] = 1;",
    "uniform": "row[group.x * 32 + count] = 1;",
    "one invocation": "if (lane < count) row[lane * 32] = 1;",
    "vector": "four[lane] = 1; three[lane * 32] = 1;\nfour[lane * 8] = 1;  // !",
    "number of the thread": "row[id.x + id.y] = 1;\nrow[id.x * 32] = 1;  // !",
}

HALF = """\
Texture2D tex; TextureCube cube; SamplerState smp; float scale;
float4 main(float4 pos : SV_Position, float2 uv : TEXCOORD0, half2 h : H, uint id : SV_PrimitiveID) : SV_Target {{
float4 r = 0;
{body}
return r;
}}
"""
HALF_BODIES = {
    "position": "half2 p = pos.xy;  // !",
    "depth": "half p = pos.z;",
    "explicit": "half2 p = half2(pos.xy);",
    "number": "half p = id;  // !",
    "scaled": "half2 p = pos.xy * scale;",
    "coordinate": "half2 c = uv * scale;\nr = tex.Sample(smp, c);  // !",
    "assigned": "half2 c; c = uv;\nr = tex.Sample(smp, c);  // !",
    "input": "r = tex.Sample(smp, h);",
    "direction": "half3 c = uv.xyx; r = cube.Sample(smp, c);",
    "color": "half2 c = uv; r = float4(c, c);",
}


@pytest.mark.parametrize("body", LOOP_BODIES.values(), ids=LOOP_BODIES)
def test_loops(body: str) -> None:
    text = LOOPS.format(body=body)
    assert reported(text, "ps_6_0") == expected(text)


@pytest.mark.parametrize("body", SHARED_BODIES.values(), ids=SHARED_BODIES)
def test_groupshared_memory(body: str) -> None:
    text = SHARED.format(body=body, threads=32)
    assert reported(text, "cs_6_0") == expected(text)


def test_short_rows_of_threads_are_not_followed() -> None:
    assert reported(SHARED.format(body="tile[thread.x][thread.y] = 1;", threads=16), "cs_6_0") == []


@pytest.mark.parametrize("body", HALF_BODIES.values(), ids=HALF_BODIES)
def test_halves(body: str) -> None:
    text = HALF.format(body=body)
    warnings = ("lint", "no-conversion")
    assert reported(text, "ps_6_2", enable_16bit_types=True, warnings=warnings) == expected(text)


def test_halves_of_32_bits_lose_nothing() -> None:
    text = HALF.format(body="half2 p = pos.xy; half2 c = uv * scale; r = tex.Sample(smp, c) + p.x;")
    assert reported(text, "ps_6_0") == []
