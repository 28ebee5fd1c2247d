"""Textures and images: loads, stores, samples, gathers, sizes."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats, as_ints, as_words, floats, words
from tests.execute.vulkan import Resource, image, sampler, storage, texture

WIDTH, HEIGHT = 4, 3
PLANE = [float(y * 10 + x) for y in range(HEIGHT) for x in range(WIDTH)]


def texel(*place: int) -> float:
    return float(sum(n * 10**i for i, n in enumerate(place)))


def test_loads(run: Runner) -> None:
    source = """
Texture2D<float> t : register(t0);
Texture2D<float4> m : register(t1);
Texture3D<float> v : register(t2);
Texture2DArray<int> a : register(t3);
Texture1D<uint2> l : register(t4);
RWStructuredBuffer<float> o : register(u5);
[numthreads(1, 1, 1)] void main() {
    o[0] = t.Load(int3(2, 1, 0)); o[1] = t[uint2(3, 2)]; o[2] = t.Load(int3(0, 0, 0), int2(1, 2));
    o[3] = m.Load(int3(1, 0, 1)).y; o[4] = m.mips[1][uint2(0, 1)].w;
    o[5] = v.Load(int4(1, 0, 1, 0)); o[6] = v[uint3(0, 1, 0)];
    o[7] = a.Load(int4(1, 0, 1, 0)); o[8] = a[uint3(0, 1, 0)];
    o[9] = l.Load(int2(2, 0)).y; o[10] = l[1].x;
}"""
    level0 = [0.0] * 4 * 16
    level1 = [float(100 + i) for i in range(16)]
    resources = {
        (0, 0): texture(floats(*PLANE), "r32f", (WIDTH, HEIGHT)),
        (0, 1): texture(floats(*level0, *level1), "rgba32f", (4, 4), levels=2),
        (0, 2): texture(floats(*range(8)), "r32f", (2, 2, 2), "3d"),
        (0, 3): texture(words(*range(-4, 4)), "r32i", (2, 2), "2d_array", layers=2),
        (0, 4): texture(words(*range(6)), "rg32u", (3,), "1d"),
        (0, 5): storage(44),
    }
    out = as_floats(run(source, resources)[0, 5])
    assert out == (12, 23, 21, 105, 111, 5, 2, 1, -2, 5, 2)


def test_loads_with_computed_offsets(run: Runner) -> None:
    source = """
Texture2D<float> t : register(t0);
Texture2DArray<int> a : register(t1);
Texture1D<uint2> l : register(t2);
RWStructuredBuffer<float> o : register(u3);
[numthreads(1, 1, 1)] void main() {
    [unroll] for (int k = 0; k < 3; k++) o[k] = t.Load(int3(1, 1, 0), int2(k - 1, 1 - k));
    int one = int(o[3]);
    o[3] = t.Load(int3(0, 0, 0), int2(one + 2, one)); o[4] = a.Load(int4(1, 0, 1, 0), int2(-one, one));
    o[5] = l.Load(int2(0, 0), 2 * one).y; o[6] = t.Load(int3(20, 0, 0), int2(-19 * one, one));
}"""
    resources = {
        (0, 0): texture(floats(*PLANE), "r32f", (WIDTH, HEIGHT)),
        (0, 1): texture(words(*range(-4, 4)), "r32i", (2, 2), "2d_array", layers=2),
        (0, 2): texture(words(*range(6)), "rg32u", (3,), "1d"),
        (0, 3): storage(floats(0, 0, 0, 1, 0, 0, 0)),
    }
    assert as_floats(run(source, resources)[0, 3]) == (20, 11, 2, 13, 2, 5, 11)


def test_sampling(run: Runner) -> None:
    source = """
Texture2D<float> t : register(t0);
SamplerState near : register(s1);
SamplerState mix : register(s2);
SamplerState wrap : register(s3);
Texture2D<float4> m : register(t4);
RWStructuredBuffer<float> o : register(u5);
[numthreads(1, 1, 1)] void main() {
    float2 texel = 1 / float2(4, 3);
    o[0] = t.SampleLevel(near, float2(2.5, 1.5) * texel, 0);
    o[1] = t.SampleLevel(mix, float2(2, 1) * texel, 0);
    o[2] = t.SampleLevel(wrap, float2(5.5, -0.5) * texel, 0);
    o[3] = t.SampleLevel(near, float2(9, 0.5) * texel, 0);
    o[4] = t.SampleLevel(near, float2(0.5, 0.5) * texel, 0, int2(1, 2));
    o[5] = m.SampleLevel(near, 0.25, 1).z;
    o[6] = m.SampleLevel(mix, 0.25, 0.5).x;
    o[7] = t.SampleGrad(near, float2(1.5, 0.5) * texel, 0, 0);
}"""
    level0 = [8.0, 0.0, 0.0, 0.0] * 16
    level1 = [2.0, 0.0, 5.0, 0.0] * 4
    resources = {
        (0, 0): texture(floats(*PLANE), "r32f", (WIDTH, HEIGHT)),
        (0, 1): sampler(),
        (0, 2): sampler("linear"),
        (0, 3): sampler(address="wrap"),
        (0, 4): texture(floats(*level0, *level1), "rgba32f", (4, 4), levels=2),
        (0, 5): storage(32),
    }
    out = as_floats(run(source, resources)[0, 5])
    assert out == pytest.approx((12, (1 + 2 + 11 + 12) / 4, 21, 3, 21, 5, 5, 1), abs=1e-3)


def test_gathers(run: Runner) -> None:
    source = """
Texture2D<float4> t : register(t0);
SamplerState s : register(s1);
RWStructuredBuffer<float4> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    float2 at = float2(2, 1) / float2(4, 3);
    o[0] = t.Gather(s, at); o[1] = t.GatherGreen(s, at); o[2] = t.GatherAlpha(s, at, int2(-1, 1));
}"""
    four = [value + 100 * channel for value in PLANE for channel in range(4)]
    resources = {
        (0, 0): texture(floats(*four), "rgba32f", (WIDTH, HEIGHT)),
        (0, 1): sampler(),
        (0, 2): storage(48),
    }
    run.needs("shaderImageGatherExtended")
    out = as_floats(run(source, resources)[0, 2])
    # counter-clockwise from the lower left: (1, 1), (2, 1), (2, 0), (1, 0)
    assert out[0:4] == (11, 12, 2, 1)
    assert out[4:8] == (111, 112, 102, 101)
    assert out[8:12] == (320, 321, 311, 310)


def gathered(
    run: Runner, kind: str, texels: Resource, gathers: list[str], compare: str = ""
) -> list[tuple[float, ...]]:
    """Return the results of several gathers from one texture."""
    lines = "".join(f"o[{i}] = t.{gather};" for i, gather in enumerate(gathers))
    source = f"""
{kind} t : register(t0);
Sampler{"Comparison" if compare else ""}State s : register(s1);
RWStructuredBuffer<float4> o : register(u2);
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{
    int2 zero = int2(id.xy);
    {lines}
}}"""
    run.needs("shaderImageGatherExtended")
    resources = {(0, 0): texels, (0, 1): sampler(compare=compare), (0, 2): storage(16 * len(gathers))}
    out = as_floats(run(source, resources)[0, 2])
    return [out[at : at + 4] for at in range(0, len(out), 4)]


def test_gathers_with_four_offsets(run: Runner) -> None:
    """Component i is that of a gather with offset i, whether the offsets are constant or not."""
    four = [value + 100 * channel for value in PLANE for channel in range(4)]
    out = gathered(
        run,
        "Texture2D<float4>",
        texture(floats(*four), "rgba32f", (WIDTH, HEIGHT)),
        [
            "GatherRed(s, float2(0.5, 1 / 3.0), int2(0, 0), int2(-1, 0), int2(0, 1), int2(1, 1))",
            "GatherGreen(s, float2(0.5, 1 / 3.0), int2(0, 0), int2(-1, 0), int2(0, 1) + zero, int2(1, 1))",
            "GatherBlue(s, float2(0.5, 1 / 3.0), 0, 1, int2(0, 7), int2(-8, 0))",
            "GatherAlpha(s, float2(0.5, 1 / 3.0), int2(0, 7), int2(-1, 0), int2(0, 1), int2(1, 1))",
        ],
    )
    # without offsets: (1, 1), (2, 1), (2, 0), (1, 0); x has offset 0, y offset 1 …
    assert out == [(11, 11, 12, 12), (111, 111, 112, 112), (211, 223, 222, 200), (321, 311, 312, 312)]


def test_gathers_with_four_offsets_of_an_array(run: Runner) -> None:
    layers = [value + 100 * channel + 1000 * layer for layer in range(2) for value in PLANE for channel in range(4)]
    array = texture(floats(*layers), "rgba32f", (WIDTH, HEIGHT), "2d_array", layers=2)
    out = gathered(
        run,
        "Texture2DArray<float4>",
        array,
        [
            "GatherAlpha(s, float3(0.5, 1 / 3.0, 1), int2(0, 0), int2(-1, 0), int2(0, 1), int2(1, 1))",
            "GatherAlpha(s, float3(0.5, 1 / 3.0, 1), zero, int2(-1, 0), int2(0, 1), int2(1, 1))",
        ],
    )
    assert out == [(1311, 1311, 1312, 1312)] * 2


def test_comparing_gathers_with_four_offsets(run: Runner) -> None:
    depth = texture(floats(0.25, 0.75, 0.4, 0.9), "d32", (4, 1))
    out = gathered(
        run,
        "Texture2D<float>",
        depth,
        [
            "GatherCmpRed(s, float2(0.5, 0.5), 0.5, int2(0, 0), int2(-1, 0), int2(1, 0), int2(-1, 0))",
            "GatherCmpRed(s, float2(0.5, 0.5), 0.5, zero, int2(-1, 0), int2(1, 0), int2(-1, 0))",
        ],
        compare="less",
    )
    # x and y see depths 1 and 2 of the row, displaced by 0 and -1; z and w those displaced by 1 and -1
    assert out == [(1, 1, 1, 0)] * 2


def test_depth_comparisons(run: Runner) -> None:
    source = """
Texture2D<float> d : register(t0);
SamplerComparisonState c : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    for (uint i = 0; i < 4; i++) o[i] = d.SampleCmpLevelZero(c, float2((i + 0.5) / 4, 0.5), 0.5);
    float4 g = d.GatherCmp(c, float2(0.5, 0.5), 0.5); o[4] = g.x; o[5] = g.y;
}"""
    depth = texture(floats(0.25, 0.75, 0.4, 0.9), "d32", (4, 1))
    out = run(source, {(0, 0): depth, (0, 1): sampler(compare="less"), (0, 2): storage(24)})
    assert as_floats(out[0, 2]) == (0, 1, 0, 1, 1, 0)


def test_comparisons_at_a_level_of_gradients(run: Runner) -> None:
    source = """
Texture2D<float> d : register(t0);
SamplerComparisonState c : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    for (uint i = 0; i < 4; i++) o[i] = d.SampleCmpGrad(c, float2((i + 0.5) / 4, 0.5), 0.5, 0, 0);
}"""
    depth = texture(floats(0.25, 0.75, 0.4, 0.9), "d32", (4, 1))
    resources = {(0, 0): depth, (0, 1): sampler(compare="less"), (0, 2): storage(16)}
    assert as_floats(run(source, resources, profile="cs_6_8")[0, 2]) == (0, 1, 0, 1)


def test_cube_and_3d_sampling(run: Runner) -> None:
    source = """
TextureCube<float> c : register(t0);
Texture3D<float> v : register(t1);
Texture2DArray<float> a : register(t2);
SamplerState s : register(s3);
RWStructuredBuffer<float> o : register(u4);
[numthreads(1, 1, 1)] void main() {
    o[0] = c.SampleLevel(s, float3(1, 0, 0), 0); o[1] = c.SampleLevel(s, float3(-1, 0, 0), 0);
    o[2] = c.SampleLevel(s, float3(0, 1, 0), 0); o[3] = c.SampleLevel(s, float3(0, -1, 0), 0);
    o[4] = c.SampleLevel(s, float3(0, 0, 1), 0); o[5] = c.SampleLevel(s, float3(0, 0, -1), 0);
    o[6] = v.SampleLevel(s, float3(0.75, 0.25, 0.75), 0); o[7] = a.SampleLevel(s, float3(0.25, 0.75, 1), 0);
}"""
    resources = {
        (0, 0): texture(floats(*range(1, 7)), "r32f", (1, 1), "cube"),
        (0, 1): texture(floats(*range(8)), "r32f", (2, 2, 2), "3d"),
        (0, 2): texture(floats(*range(8)), "r32f", (2, 2), "2d_array", layers=2),
        (0, 3): sampler(),
        (0, 4): storage(32),
    }
    assert as_floats(run(source, resources)[0, 4]) == (1, 2, 3, 4, 5, 6, 5, 6)


def test_sizes(run: Runner) -> None:
    source = """
Texture2D t : register(t0);
Texture3D v : register(t1);
Texture2DArray a : register(t2);
RWTexture2D<float4> i : register(u3);
RWStructuredBuffer<uint> o : register(u4);
[numthreads(1, 1, 1)] void main() {
    uint w, h, d, n; float fw, fh;
    t.GetDimensions(w, h); o[0] = w; o[1] = h;
    t.GetDimensions(1, w, h, n); o[2] = w; o[3] = h; o[4] = n;
    v.GetDimensions(w, h, d); o[5] = w * 100 + h * 10 + d;
    a.GetDimensions(w, h, d); o[6] = w * 100 + h * 10 + d;
    i.GetDimensions(fw, fh); o[7] = uint(fw * 10 + fh);
}"""
    resources = {
        (0, 0): texture(b"", "rgba32f", (8, 4), levels=3),
        (0, 1): texture(b"", "rgba32f", (3, 2, 4), "3d"),
        (0, 2): texture(b"", "rgba32f", (5, 6), "2d_array", layers=7),
        (0, 3): image(b"", "rgba32f", (3, 2)),
        (0, 4): storage(32),
    }
    assert as_words(run(source, resources)[0, 4]) == (8, 4, 4, 2, 3, 324, 567, 32)


def test_images(run: Runner) -> None:
    source = """
RWTexture2D<float4> a : register(u0);
RWTexture2D<uint> b : register(u1);
RWTexture3D<int> c : register(u2);
RWTexture2DArray<float2> d : register(u3);
RWTexture1D<float> e : register(u4);
[numthreads(2, 2, 1)] void main(uint2 id : SV_DispatchThreadID) {
    a[id] = a[id] * 2 + float4(id, 0, 1);
    InterlockedAdd(b[uint2(0, 0)], id.x + 10 * id.y + 1);
    c[uint3(id, 1)] = -int(id.x + 2 * id.y);
    d[uint3(id, 1)] = d[uint3(id, 0)].yx;
    if (id.y == 0) { e[id.x] = a.Load(int2(id.x, 0)).w; e[id.x] += 0.5; }
    if (all(id == 1)) a[id].y = 77;
}"""
    resources = {
        (0, 0): image(floats(*range(16)), "rgba32f", (2, 2)),
        (0, 1): image(words(0, 5), "r32u", (2, 1)),
        (0, 2): image(words(*[9] * 8), "r32i", (2, 2, 2), "3d"),
        (0, 3): image(floats(*range(16)), "rg32f", (2, 2), "2d_array", layers=2),
        (0, 4): image(floats(0, 0), "r32f", (2,), "1d"),
    }
    out = run(source, resources)
    wanted = [2.0 * i for i in range(16)]
    for number in range(4):
        wanted[4 * number] += number % 2
        wanted[4 * number + 1] += number // 2
        wanted[4 * number + 3] += 1
    wanted[13] = 77
    assert as_floats(out[0, 0]) == tuple(wanted)
    assert as_words(out[0, 1]) == (1 + 2 + 11 + 12, 5)
    assert as_ints(out[0, 2]) == (9, 9, 9, 9, 0, -1, -2, -3)
    assert as_floats(out[0, 3])[8:] == (1, 0, 3, 2, 5, 4, 7, 6)
    assert as_floats(out[0, 4]) == (7.5, 15.5)


def test_image_formats(run: Runner) -> None:
    source = """
[[vk::image_format("rgba8")]] RWTexture2D<float4> a : register(u0);
[[vk::image_format("rgba16f")]] RWTexture2D<float4> b : register(u1);
[numthreads(1, 1, 1)] void main() {
    a[uint2(0, 0)] = float4(0, 1, 0.2, 2);
    b[uint2(0, 0)] = float4(0.5, -2, 65504, a[uint2(1, 0)].x);
}"""
    out = run(source, {(0, 0): image(words(0, 255), "rgba8", (2, 1)), (0, 1): image(b"", "rgba16f", (1, 1))})
    assert out[0, 0][:4] == bytes((0, 255, 51, 255))
    assert out[0, 1] == bytes.fromhex("0038 00c0 ff7b 003c")
