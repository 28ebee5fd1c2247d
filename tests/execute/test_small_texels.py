"""Textures and texel buffers with 16-bit elements: images have 32 bits, and every access converts."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner, as_floats, as_ints, as_words, floats, words
from tests.execute.vulkan import image, sampler, storage, texels, texture

HALF_THIRD = 0.333251953125
"""The half nearest to a third."""


def halves(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}e", *values)


def as_halves(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 2}e", data)


def shorts(*values: int) -> bytes:
    """Return the bytes of 16-bit integers, signed or unsigned."""
    return struct.pack(f"<{len(values)}H", *(value & 0xFFFF for value in values))


def as_signed(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 2}h", data)


def as_unsigned(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 2}H", data)


def test_loads_from_buffers(run: Runner) -> None:
    source = """
Buffer<half4> f : register(t0);
Buffer<int16_t2> i : register(t1);
Buffer<uint16_t> u : register(t2);
Buffer<half3> p : register(t3);
RWStructuredBuffer<float4> o : register(u4);
RWStructuredBuffer<int4> n : register(u5);
[numthreads(1, 1, 1)] void main() {
    half third = f[0].y; half3 q = p[0];
    o[0] = f[1]; o[1] = float4(asuint16(third), f.Load(0).wz, third * 3); o[2] = float4(q, p[1].y);
    n[0] = int4(i[1], i.Load(0).yx); n[1] = int4(u[0], u.Load(1), u[0] + u[1], i[0].x * i[0].y);
}"""
    resources = {
        (0, 0): texels(floats(1, 1 / 3, 3, 4, 5, 6, 7, -8), "rgba32f"),
        (0, 1): texels(shorts(-1, 300, -300, 32767), "rg16i"),
        (0, 2): texels(shorts(65535, 3), "r16u"),
        (0, 3): texels(halves(1, 2, 3, 4, 5, 6, 7, 8), "rgba16f"),
        (0, 4): storage(48),
        (0, 5): storage(32),
    }
    out = run(source, resources, enable_16bit_types=True)
    assert as_floats(out[0, 4]) == (5, 6, 7, -8, 0x3555, 4, 3, pytest.approx(1, abs=1e-3), 1, 2, 3, 6)
    assert as_ints(out[0, 5])[:4] == (-300, 32767, 300, -1)
    assert as_ints(out[0, 5])[4:] == (65535, 3, 2, -300)


def test_stores_to_buffers(run: Runner) -> None:
    source = """
RWBuffer<half> f : register(u0);
RWBuffer<int16_t2> i : register(u1);
RWBuffer<uint16_t4> u : register(u2);
RWBuffer<int16_t2> p : register(u3);
[numthreads(1, 1, 1)] void main() {
    f[0] = half(1) / half(3); f[1] = f[2] * half(2); f[3] += half(0.5); f[2]++;
    i[0] = int16_t2(-5, 300); i[1].yx = i[2]; i[2].x *= int16_t(-3); i[3].y--;
    u[0] = uint16_t4(1, 2, 65535, 4); u[1].xz = u[2].ww; u[2] += uint16_t(65535); u[3].w = u[0].z + uint16_t(2);
    int16_t2 q = p[1]; q.x = -q.y; p[0] = q;
}"""
    resources = {
        (0, 0): texels(halves(9, 9, 2.5, 4), "r16f", writable=True),
        (0, 1): texels(shorts(9, 9, 9, 9, 7, -8, 9, -32768), "rg16i", writable=True),
        (0, 2): texels(shorts(*range(16)), "rgba16u", writable=True),
        (0, 3): texels(shorts(9, 9, 1, 21), "rg16i", writable=True),
    }
    out = run(source, resources, enable_16bit_types=True)
    assert as_halves(out[0, 0]) == (HALF_THIRD, 5, 3.5, 4.5)
    assert as_signed(out[0, 1]) == (-5, 300, -8, 7, -21, -8, 9, 32767)
    assert as_unsigned(out[0, 2]) == (1, 2, 65535, 4, 11, 5, 11, 7, 7, 8, 9, 10, 12, 13, 14, 1)
    assert as_signed(out[0, 3]) == (-21, 21, 1, 21)


def test_loads_from_textures(run: Runner) -> None:
    source = """
Texture2D<half> t : register(t0);
Texture2DArray<int16_t4> a : register(t1);
Texture3D<uint16_t2> v : register(t2);
Texture2D<half4> l : register(t3);
RWStructuredBuffer<float4> o : register(u4);
RWStructuredBuffer<int4> n : register(u5);
half2 pick(Texture2D<half4> from, uint2 at) { return from.mips[1][at].yw; }
[numthreads(1, 1, 1)] void main() {
    o[0] = float4(t.Load(int3(1, 0, 0)), t[uint2(0, 1)], t.Load(int3(0, 0, 0), int2(1, 1)), t[uint2(0, 0)] * 3);
    o[1] = float4(pick(l, uint2(0, 0)), l[uint2(1, 1)].xz);
    n[0] = a.Load(int4(0, 0, 1, 0)); n[1] = int4(v[uint3(0, 0, 1)], v.Load(int4(0, 0, 0, 0)).yx);
}"""
    level0 = [0.0] * 12 + [10.0, 11.0, 12.0, 13.0]
    resources = {
        (0, 0): texture(floats(1 / 3, 2, 3, 4), "r32f", (2, 2)),
        (0, 1): texture(shorts(1, 2, 3, 4, -5, 6, -32768, 8), "rgba16i", (1, 1), "2d_array", layers=2),
        (0, 2): texture(shorts(1, 65535, 3, 40000), "rg16u", (1, 1, 2), "3d"),
        (0, 3): texture(halves(*level0, 20, 21, 22, 23), "rgba16f", (2, 2), levels=2),
        (0, 4): storage(32),
        (0, 5): storage(32),
    }
    out = run(source, resources, enable_16bit_types=True)
    assert as_floats(out[0, 4]) == (2, 3, 4, pytest.approx(1, abs=1e-3), 21, 23, 10, 12)
    assert as_ints(out[0, 5]) == (-5, 6, -32768, 8, 3, 40000, 65535, 1)


def test_samples_and_gathers(run: Runner) -> None:
    source = """
Texture2D<half2> t : register(t0);
SamplerState s : register(s1);
Texture2D<half> d : register(t2);
SamplerComparisonState c : register(s3);
TextureCube<half4> cube : register(t4);
RWStructuredBuffer<float4> o : register(u5);
[numthreads(1, 1, 1)] void main() {
    half2 near = t.SampleLevel(s, float2(0.75, 0.25), 0);
    o[0] = float4(near, t.SampleLevel(s, float2(0.25, 0.25), 0, int2(1, 1)));
    o[1] = t.GatherRed(s, 0.5); o[2] = t.GatherGreen(s, 0.5);
    half passes = d.SampleCmpLevelZero(c, float2(0.75, 0.25), 0.3);
    o[3] = float4(passes, d.SampleCmpLevelZero(c, float2(0.25, 0.25), 0.3), t.SampleGrad(s, 0.25, 0, 0));
    o[4] = d.GatherCmp(c, 0.5, 0.3); o[5] = cube.SampleLevel(s, float3(1, 0, 0), 0);
}"""
    resources = {
        (0, 0): texture(halves(1, 10, 2, 20, 3, 30, 4, 40), "rg16f", (2, 2)),
        (0, 1): sampler(),
        (0, 2): texture(floats(0.25, 0.5, 0, 1), "d32", (2, 2)),
        (0, 3): sampler(compare="less"),
        (0, 4): texture(halves(*range(24)), "rgba16f", (1, 1), "cube"),
        (0, 5): storage(96),
    }
    run.needs("shaderImageGatherExtended")
    out = as_floats(run(source, resources, enable_16bit_types=True)[0, 5])
    assert out[:4] == (2, 20, 4, 40)
    assert out[4:12] == (3, 4, 2, 1, 30, 40, 20, 10)
    assert out[12:16] == (1, 0, 1, 10)
    assert out[16:] == (0, 1, 1, 0, 0, 1, 2, 3)


def test_images(run: Runner) -> None:
    source = """
RWTexture2D<half4> f : register(u0);
RWTexture2D<int16_t> i : register(u1);
RWTexture2DArray<uint16_t2> u : register(u2);
[[vk::image_format("rgba32f")]] RWTexture2D<half4> wide : register(u3);
RWTexture1D<half3> three : register(u4);
RWStructuredBuffer<uint> o : register(u5);
[numthreads(1, 1, 1)] void main() {
    f[uint2(0, 0)] = f[uint2(1, 0)] * half(2); f[uint2(1, 0)].zx = half2(-1, 0.25); f[uint2(0, 1)] /= half(3);
    f[uint2(1, 1)].y += f.Load(uint2(0, 0)).w;
    i[uint2(0, 0)] = int16_t(-7); i[uint2(1, 0)] -= int16_t(1); ++i[uint2(0, 1)]; i[uint2(1, 1)] <<= 4;
    u[uint3(0, 0, 1)] = u[uint3(0, 0, 0)].yx; u[uint3(0, 0, 0)].y = 9;
    wide[uint2(0, 0)] = half(1) / half(3); three[0].xy = three[1].zz;
    uint w, h; f.GetDimensions(w, h); o[0] = w; o[1] = h;
}"""
    resources = {
        (0, 0): image(halves(*range(16)), "rgba16f", (2, 2)),
        (0, 1): image(shorts(1, -32768, 65535, 0x1234), "r16i", (2, 2)),
        (0, 2): image(shorts(1, 65535, 3, 4), "rg16u", (1, 1), "2d_array", layers=2),
        (0, 3): image(floats(0, 0, 0, 0), "rgba32f", (1, 1)),
        (0, 4): image(floats(1, 2, 3, 4, 5, 6, 7, 8), "rgba32f", (2,), "1d"),
        (0, 5): storage(8),
    }
    out = run(source, resources, enable_16bit_types=True)
    thirds = as_halves(halves(8 / 3, 3, 10 / 3, 11 / 3))
    assert as_halves(out[0, 0]) == (8, 10, 12, 14, 0.25, 5, -1, 7, *(pytest.approx(x, rel=2e-3) for x in thirds),
                                    12, 27, 14, 15)  # fmt: skip
    assert as_signed(out[0, 1]) == (-7, 32767, 0, 0x2340)
    assert as_unsigned(out[0, 2]) == (1, 9, 65535, 1)
    assert as_floats(out[0, 3]) == (HALF_THIRD,) * 4
    assert as_floats(out[0, 4])[:3] == (7, 7, 3)
    assert as_words(out[0, 5]) == (2, 2)


def test_integers_are_cut_to_16_bits(run: Runner) -> None:
    """Loads drop the upper bits of texels, which a 32-bit image may contain."""
    source = """
Buffer<uint16_t> u : register(t0);
Buffer<int16_t> i : register(t1);
RWStructuredBuffer<int> o : register(u2);
[numthreads(1, 1, 1)] void main() { o[0] = u[0]; o[1] = i[0]; }"""
    resources = {
        (0, 0): texels(words(0x12345), "r32u"),
        (0, 1): texels(words(0x1FFFE), "r32i"),
        (0, 2): storage(8),
    }
    options = {"enable_16bit_types": True, "unknown_image_format": True}
    assert as_ints(run(source, resources, **options)[0, 2]) == (0x2345, -2)


def test_booleans(run: Runner) -> None:
    """Images store booleans as unsigned integers."""
    source = """
Buffer<bool2> q : register(t0);
RWBuffer<bool2> w : register(u1);
RWStructuredBuffer<uint4> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    bool2 first = q[0]; w[0] = q[1].yx; o[0] = uint4(first, w[1]);
}"""
    resources = {
        (0, 0): texels(words(0, 5, 1, 0), "rg32u"),
        (0, 1): texels(words(9, 9, 0, 7), "rg32u", writable=True),
        (0, 2): storage(16),
    }
    out = run(source, resources)
    assert as_words(out[0, 1])[:2] == (0, 1)
    assert as_words(out[0, 2]) == (0, 1, 0, 1)
