"""Each operand is evaluated once, in the order of DXC: calls append their digit to a trace.

DXC evaluates some operands more often: the angle of `sincos`, swizzles, matrices and texels that are read and written.
"""

from __future__ import annotations

import pathlib
import struct

import pytest

from hlsl_tool.cli import dxc
from tests.execute.vulkan import Vulkan, image, storage, uniform

HELPERS = """
RWStructuredBuffer<int> traces : register(u0);
RWStructuredBuffer<float4> b : register(u1);
RWByteAddressBuffer raw : register(u2);
RWTexture2D<float4> tx : register(u3);
cbuffer C : register(b7) { float4 cv[4]; row_major float2x2 cm[4]; }
struct S {
    float x; float2 v; int n; float a[3];
    float get() { return x; }
    float add(float y) { x += y; return x; }
};
struct Bits { int a : 4; int b : 6; };
typedef float A3[3];
static int trace;
static float l1[5]; static float4 l4[5]; static float2x2 lm[5]; static S ls[5]; static int li[5]; static Bits lb[5];
groupshared int gi[5];
int mark(int k) { trace = trace * 10 + k; return k; }
int m(int k) { return mark(k); }
uint mu(int k) { return mark(k); }
int zero(int k) { return mark(k) * 0; }
float mf(int k) { return mark(k) * 0.125; }
bool t(int k) { return mark(k) != 0; }
bool f(int k) { return mark(k) == 0; }
bool2 b2(int k) { mark(k); return bool2(true, false); }
float2 m2(int k) { return float2(mark(k), 2); }
float3 m3(int k) { return float3(mark(k), 2, 3); }
float4 m4(int k) { return float4(mark(k), 2, 3, 4); }
float2x2 mx(int k) { return float2x2(mark(k), 2, 3, 4); }
float2x3 mx23(int k) { return float2x3(mark(k), 2, 3, 4, 5, 6); }
int2x2 ix(int k) { return int2x2(mark(k), 2, 3, 4); }
S ms(int k) { S s = (S)0; s.x = mark(k); return s; }
A3 ma(int k) { A3 a = { mark(k), 2, 3 }; return a; }
RWStructuredBuffer<float4> pick(int k) { mark(k); return b; }
float given(float x = m(1), float y = m(2)) { return x + y; }
void both(inout float x, inout float y) { x += 1; y += 2; }
void one(inout float2 x) { x += 1; }
void whole(inout float2x2 x) { x += 1; }
"""

SINCE_2021 = {
    "operators": [
        ("r = m(2) - mf(1);", 21),
        ("r = dot(m4(2) % mf(1), 1);", 21),
        ("r = (mx(2) * mx(1))[1][0];", 21),
        ("r = (m(2) | m(1)) << m(3);", 213),
        ("r = all(mx(2) < mf(1));", 21),
        ("r = (-mx(1))[0][1] + (~ix(2))[1][0];", 12),
        ("r = (m(1), m(2)) + m(3);", 123),
        ("r = t(1) && f(2);", 12),
        ("r = f(1) && t(2);", 1),
        ("r = t(1) || t(2);", 1),
        ("r = (f(1) && t(2)) || (t(3) && t(4));", 134),
        ("r = t(1) ? m(2) : m(3);", 12),
        ("r = (f(1) ? mx(2) : mx(3))[1][0];", 13),
        ("r = (t(1) ? ms(2) : ms(3)).x;", 12),
        ("r = f(1) ? (f(2) ? m(3) : m(4)) : m(5);", 15),
        ("r = select(b2(1), m2(2), m2(3)).y;", 123),
        ("r = and(f(1), t(2));", 12),
    ],
    "conversions": [
        ("r = ((float2x2)mx23(1))[0][1];", 1),
        ("r = ((int2x2)mx23(8))[1][0];", 8),
        ("r = ((bool2x2)mx(8))[1][1];", 8),
        ("r = ((float4)ix(3)).w;", 3),
        ("r = ((S)mf(3)).a[2];", 3),
        ("r = ((float3)ma(3)).y;", 3),
        ("r = ((float[3])m3(3))[1];", 3),
        ("r = (float)mx(2);", 2),
        ("r = float4(m(1), mf(2), m2(3)).w;", 123),
        ("r = float2x2(m2(1), m2(2))[1][0];", 12),
        ("r = mf(2).xxxx.z + mx(3)._m01_m10.y;", 23),
    ],
    "l-values": [
        ("l1[m(1)] = mf(2);", 21),
        ("l4[m(1)].yx += m2(2);", 21),
        ("l4[m(1)][m(2)]--;", 12),
        ("l4[m(1)].wzyx.yx *= m2(2);", 21),
        ("lm[m(1)] /= mx(2);", 21),
        ("lm[m(1)] *= mf(2);", 21),
        ("lm[m(1)][zero(2)].yx += m2(3);", 312),
        ("++lm[m(1)]._m01_m10;", 1),
        ("ls[m(1)].a[m(2)] -= mf(3);", 312),
        ("lb[m(1)].b += m(2);", 21),
        ("lb[m(1)].a++;", 1),
        ("li[m(1)] <<= m(2);", 21),
        ("li[m(1)] += mf(8);", 81),
        ("b[m(1)].wz += m2(2);", 21),
        ("b[m(1)][m(2)]++;", 12),
        ("tx[uint2(m(1), zero(2))] += m4(3);", 312),
        ("tx[uint2(m(1), zero(2))].yx = m2(3);", 312),
        ("tx[uint2(m(1), zero(2))].y++;", 12),
        ("r = l1[m(1)] = l1[m(2)] = mf(3);", 321),
        ("(l1[m(1)] += 1) += mf(2);", 21),
        ("li[m(1)] = li[m(2)]++ + ++li[m(3)];", 231),
        ("r = cm[m(1)][zero(2)][zero(3)] + cv[m(1)].y;", 1231),
        ("r = ms(1).a[m(2)] + ma(1)[m(2)];", 1212),
    ],
    "initial values": [
        ("float a[3] = { m(1), mf(2), m(3) };", 123),
        ("S q = { m(1), m2(2), m(3), ma(4) };", 1234),
        ("float2x2 q = { m4(1) };", 1),
        ("float a[2][2] = { mx(1) };", 1),
        ("S q[2] = { ms(1), m(2), m2(3), m(4), ma(5) };", 12345),
        ("int4 q = { mx(8) };", 8),
        ("float2x2 q = mf(1);", 1),
        ("int x = m(1), y = x + m(2);", 12),
    ],
    "statements": [
        ("if (f(1) || t(2)) m(3); else m(4);", 123),
        ("for (int i = zero(1); i < m(2); i += m(1)) m(3);", 12312312),
        ("int i = 0; do { i++; if (i == 1) continue; m(3); } while (i < m(2));", 232),
        ("int i = 0; while (true) { if (i++ >= m(2)) break; m(1); }", 21212),
        ("switch (m(2)) { case 1: m(3); break; case 2: m(4); case 3: m(5); break; default: m(6); }", 245),
        ("[branch] switch (m(2)) { case 1: m(3); break; case 2: m(4); break; default: m(6); }", 24),
        ("[flatten] switch (li[m(1)]++) { case 8: m(3); break; default: m(4); break; }", 14),
        ("m(1) ? m(2) : m(3);", 12),
        ("[unroll] for (int i = 0; i < m(2); i++) m(3);", 23232),
        ("int i = 0; [unroll] while (i++ < 3) m(2); mark(i);", 2224),
        ("int i = 2; [unroll] while (i-- > 0) mark(i); mark(3 - i);", 104),
        ("int i = 0; [unroll(2)] while (i++ < 3) m(2); mark(i);", 2224),
        ("int last, i = 0; [unroll] while ((last = 9 - i++ * 2) > 4) m(2); mark(last);", 2223),
        ("float j, i = 1; int k = 0; [unroll] while (j = k / i, k++ < 3) { i++; m(2); } mark(int(j * 4));", 2223),
        ("mx(1)[zero(2)];", 21),
    ],
    "calls": [
        ("r = given() + given(m(3));", 1232),
        ("both(l1[m(1)], l4[m(2)].z);", 12),
        ("both(li[m(1)], gi[m(2)]);", 12),
        ("both(tx[uint2(m(1), zero(2))].y, b[m(3)][m(4)]);", 1234),
        ("one(l4[m(1)].yx);", 1),
        ("one(lm[m(1)]._m01_m10);", 1),
        ("one(tx[uint2(m(1), zero(2))].yx);", 12),
        ("whole(lm[m(1)]);", 1),
        ("r = ls[m(1)].add(m(2)) + ms(3).get();", 123),
        ("pick(1)[m(2)].y += mf(3);", 321),
    ],
    "memory": [
        ("raw.Store<S>(m(4), ms(2));", 42),
        ("raw.Store<float2x2>(m(4), mx(2));", 42),
        ("r = raw.Load<S>(m(4)).a[m(1)];", 41),
        ("int old; raw.InterlockedAdd(m(4), m(2), old);", 42),
        ("InterlockedCompareExchange(gi[m(1)], m(2), m(3), li[m(4)]);", 1234),
        ("InterlockedExchange(gi[m(1)], m(2), l1[m(3)]);", 123),
    ],
    "intrinsics": [
        ("sincos(mf(1), l1[m(2)], l1[m(3)]);", 123),
        ("sincos(m2(1), l4[m(2)].xy, l4[m(3)].wz);", 123),
        ("sincos(mx(1), lm[m(2)], lm[m(3)]);", 123),
        ("r = modf(mx(9), lm[m(2)])[0][1];", 92),
        ("r = frexp(m2(3), l4[m(1)].yx).y;", 31),
        ("r = lit(mf(1), mf(2), mf(3)).z;", 123),
        ("r = dst(m4(1), m4(2)).y;", 12),
        ("r = clamp(m4(1), mf(2), mf(3)).y;", 123),
        ("r = lerp(mx(1), mx(2), mx(3))[0][1];", 123),
        ("r = smoothstep(mf(1), mf(2), m4(3)).y;", 123),
        ("r = mad(m(1), m(2), m(3));", 123),
        ("r = mul(m2(1), mx(2)).y + mul(mx23(3), m3(4)).y;", 1234),
        ("r = mul(mf(1), mx(2))[0][1];", 12),
        ("r = refract(m3(1), m3(2), mf(3)).y;", 123),
        ("r = faceforward(m3(1), m3(2), m3(3)).y;", 123),
        ("r = fmod(mx(2), mx(1))[0][1] + pow(m4(3), m4(4)).y;", 2134),
        ("r = distance(m4(1), m4(2)) + length(m4(3)) + normalize(m4(4)).y;", 1234),
        ("r = sign(m(1)) + rcp(m4(2)).y + log10(m4(3)).y + isfinite(mf(4));", 1234),
        ("r = any(mx(1)) + all(m4(2)) + determinant(mx(3)) + transpose(mx23(4))[0][1];", 1234),
        ("r = msad4(mu(1), uint2(mu(2), mu(3)), uint4(mu(4), 2, 3, 4)).y;", 1234),
        ("r = ldexp(mx(1), mx(2))[1][1] + saturate(-mf(3)) + abs(-m(4));", 1234),
    ],
}

BEFORE_2021 = {
    "operators": [
        ("r = f(1) && t(2);", 12),
        ("r = t(1) || (f(2) && t(3));", 123),
        ("r = f(1) ? m(2) : m(3);", 123),
        ("r = (b2(1) && b2(2)).x;", 12),
        ("r = (b2(1) ? m2(2) : mf(3)).y;", 123),
        ("r = (mx(1) && mx(2))[0][0];", 12),
        ("if (f(1) && t(2)) m(3); else m(4);", 124),
    ]
}

GROUPS = [("2021", name, cases) for name, cases in SINCE_2021.items()]
GROUPS += [("2018", name, cases) for name, cases in BEFORE_2021.items()]


@pytest.mark.parametrize("level", ["-O0", "-O3", "-fspv-debug=vulkan-with-source"])
@pytest.mark.parametrize(("version", "name", "cases"), GROUPS, ids=[f"{name}, {hv}" for hv, name, _ in GROUPS])
def test_operands_are_evaluated_once(
    vulkan: Vulkan, version: str, name: str, cases: list[tuple[str, int]], level: str, tmp_path: pathlib.Path
) -> None:
    lines = [f"{{ trace = 0; {text} }} traces[{n}] = trace;" for n, (text, _) in enumerate(cases)]
    body = "\n".join(["float r;", *lines, "traces[100] = asint(r);"])
    (tmp_path / "x.hlsl").write_text(f"{HELPERS}[numthreads(1, 1, 1)] void main() {{\n{body}\n}}\n")
    options = ["-T", "cs_6_2", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.1", "-HV", version, level]
    status, _, messages = dxc.run([*options, "x.hlsl", "-Fo", "x.spv"], str(tmp_path))
    assert status == 0, messages
    memory = {
        (0, 0): storage(512),
        (0, 1): storage(256),
        (0, 2): storage(256),
        (0, 3): image(bytes(16 * 64), "rgba32f", (8, 8)),
        (0, 7): uniform(bytes(1024)),
    }
    out = vulkan.run_compute((tmp_path / "x.spv").read_bytes(), memory)
    traces = struct.unpack_from(f"<{len(cases)}i", out[0, 0])
    assert list(zip((text for text, _ in cases), traces, strict=True)) == cases
