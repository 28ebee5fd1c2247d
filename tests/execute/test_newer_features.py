"""Features of newer devices: offsets that are not constant, raw gathers, maximal reconvergence, barriers by flags."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner, as_floats, floats, words
from tests.execute.vulkan import sampler, storage, texture

WIDTH, HEIGHT = 4, 3
PLANE = [float(y * 10 + x) for y in range(HEIGHT) for x in range(WIDTH)]


def test_offsets_that_are_not_constant(run: Runner) -> None:
    run.needs("VK_KHR_maintenance8")
    source = """
Texture2D<float> t : register(t0);
SamplerState near : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(6, 1, 1)] void main(uint i : SV_GroupIndex) {
    int2 offset = int2(i % 3, i / 3);
    o[i] = t.Load(int3(1, 1, 0), offset) * 100 + t.SampleLevel(near, float2(0.5, 0.5) / float2(4, 3), 0, offset);
}"""
    resources = {(0, 0): texture(floats(*PLANE), "r32f", (WIDTH, HEIGHT)), (0, 1): sampler(), (0, 2): storage(24)}
    out = as_floats(run(source, resources, variable_offsets=True)[0, 2])
    assert out == tuple(((1 + y) * 10 + 1 + x) * 100 + y * 10 + x for y in range(2) for x in range(3))


def test_raw_gathers(run: Runner) -> None:
    source = """
Texture2D<uint> t : register(t0);
SamplerState near : register(s1);
RWStructuredBuffer<uint4> o : register(u2);
[numthreads(1, 1, 1)] void main() { o[0] = t.GatherRaw(near, float2(2, 1) / float2(4, 3)); }"""
    texels = [0x80000000 + i for i in range(12)]
    resources = {(0, 0): texture(words(*texels), "r32u", (WIDTH, HEIGHT)), (0, 1): sampler(), (0, 2): storage(16)}
    out = struct.unpack("<4I", run(source, resources, profile="cs_6_7")[0, 2])
    assert out == (texels[5], texels[6], texels[2], texels[1])


@pytest.mark.parametrize(
    "flags",
    ["GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC", "UAV_MEMORY | GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC"],
)
def test_barriers_by_flags(run: Runner, flags: str) -> None:
    source = f"""
groupshared uint shared[64];
RWStructuredBuffer<uint> o : register(u0);
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {{
    shared[i] = i * 3;
    Barrier({flags});
    o[i] = shared[63 - i];
    Barrier(UAV_MEMORY, 0);
    Barrier(o, DEVICE_SCOPE);
}}"""
    out = struct.unpack("<64I", run(source, {(0, 0): storage(256)}, profile="cs_6_8")[0, 0])
    assert out == tuple((63 - i) * 3 for i in range(64))


def test_maximal_reconvergence(run: Runner) -> None:
    """Threads that leave a loop at different times reconverge after it; those that stay do so in each iteration."""
    run.needs("VK_KHR_shader_maximal_reconvergence", "subgroupBallot")
    source = """
RWStructuredBuffer<uint> o : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    uint turns = 0;
    for (uint turn = 0; turn <= i; turn++) {
        if ((turn + i) % 2 == 0) turns += 1;
        turns += WaveActiveCountBits(true) << 4;
    }
    o[i] = turns | WaveActiveCountBits(true) << 16;
}"""
    out = struct.unpack("<4I", run(source, {(0, 0): storage(16)}, maximal_reconvergence=True)[0, 0])
    wanted = []
    for i in range(4):
        even = sum((turn + i) % 2 == 0 for turn in range(i + 1))
        active = sum(4 - turn for turn in range(i + 1))
        wanted.append(even + (active << 4) | 4 << 16)
    assert out == tuple(wanted)
