"""Cooperation of threads: groupshared memory, barriers and wave operations."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce

import pytest

from hlsl_tool.base.options.compile_options import HLSL_202X
from tests.execute.tables import Runner, as_floats, as_ints, as_words, floats, words
from tests.execute.vulkan import storage

WaveModel = Callable[[Sequence[int], int], int]
"""(values of the wave's lanes, one lane) → that lane's result"""


def test_reduction(run: Runner) -> None:
    source = """
StructuredBuffer<float> i : register(t0);
RWStructuredBuffer<float> o : register(u1);
groupshared float cells[64];
[numthreads(64, 1, 1)] void main(uint3 g : SV_GroupID, uint t : SV_GroupIndex) {
    cells[t] = i[g.x * 64 + t];
    GroupMemoryBarrierWithGroupSync();
    for (uint step = 32; step > 0; step >>= 1) {
        if (t < step) cells[t] += cells[t + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (t == 0) o[g.x] = cells[0];
}"""
    data = [float(n * n % 17) for n in range(128)]
    out = run(source, {(0, 0): storage(floats(*data)), (0, 1): storage(8)}, (2, 1, 1))
    assert as_floats(out[0, 1]) == (sum(data[:64]), sum(data[64:]))


def test_groupshared_structs_and_matrices(run: Runner) -> None:
    source = """
struct Cell { float3 a; row_major float2x2 m; uint n[2]; bool b; };
groupshared Cell cells[4];
groupshared float2x3 shared_matrix;
RWStructuredBuffer<float> o : register(u0);
void put(uint i, float x) {
    cells[i].a = x; cells[i].a.y *= 2; cells[i].m = float2x2(x, 1, 2, 3); cells[i].n[1] = i; cells[i].b = x > 1;
}
[numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) {
    put(t, t + 0.5);
    if (t < 2) shared_matrix[t] = float3(t, 10, 20);
    GroupMemoryBarrierWithGroupSync();
    Cell c = cells[3 - t];
    o[t] = c.a.y + c.m[0][0] * 10 + c.m[1].y * 100 + c.n[1] * 1000 + (c.b ? 0.25 : 0) + shared_matrix[t & 1].x;
}"""
    out = as_floats(run(source, {(0, 0): storage(16)})[0, 0])

    def model(t: int) -> float:
        i = 3 - t
        x = i + 0.5
        return 2 * x + 10 * x + 300 + 1000 * i + (0.25 if x > 1 else 0) + (t & 1)

    assert out == tuple(model(t) for t in range(4))


def test_prefix_sum(run: Runner) -> None:
    source = """
RWStructuredBuffer<uint> io : register(u0);
groupshared uint a[2][16];
[numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex) {
    uint from = 0;
    a[0][t] = io[t];
    GroupMemoryBarrierWithGroupSync();
    [unroll] for (uint d = 1; d < 16; d *= 2) {
        a[1 - from][t] = t >= d ? a[from][t] + a[from][t - d] : a[from][t];
        from = 1 - from;
        GroupMemoryBarrierWithGroupSync();
    }
    io[t] = a[from][t];
}"""
    data = [n * 7 % 5 for n in range(16)]
    out = run(source, {(0, 0): storage(words(*data))})
    assert as_words(out[0, 0]) == tuple(sum(data[: n + 1]) for n in range(16))


def test_barriers_between_groups_of_memory(run: Runner) -> None:
    source = """
globallycoherent RWStructuredBuffer<uint> b : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    b[t] = t * 3;
    DeviceMemoryBarrierWithGroupSync();
    uint x = b[7 - t];
    AllMemoryBarrierWithGroupSync();
    b[t] = x; DeviceMemoryBarrier(); GroupMemoryBarrier(); AllMemoryBarrier();
}"""
    assert as_words(run(source, {(0, 0): storage(32)})[0, 0]) == tuple((7 - t) * 3 for t in range(8))


def _fold(function: Callable[[int, int], int], start: int) -> WaveModel:
    return lambda wave, lane: reduce(function, wave, start)


WAVE: dict[str, WaveModel] = {
    "WaveActiveSum(v)": lambda wave, lane: sum(wave),
    "WaveActiveProduct(v)": _fold(operator.mul, 1),
    "WaveActiveMin(v)": lambda wave, lane: min(wave),
    "WaveActiveMax(v)": lambda wave, lane: max(wave),
    "WavePrefixSum(v)": lambda wave, lane: sum(wave[:lane]),
    "WavePrefixProduct(v)": lambda wave, lane: reduce(operator.mul, wave[:lane], 1),
    "WaveActiveAllTrue(v > -5)": lambda wave, lane: 1,
    "WaveActiveAllTrue(v > 0)": lambda wave, lane: min(wave) > 0,
    "WaveActiveAnyTrue(v > 5)": lambda wave, lane: max(wave) > 5,
    "WaveActiveAllEqual(v)": lambda wave, lane: len({*wave}) == 1,
    "WaveActiveCountBits(v > 0)": lambda wave, lane: sum(x > 0 for x in wave),
    "WavePrefixCountBits(v > 0)": lambda wave, lane: sum(x > 0 for x in wave[:lane]),
    "WaveActiveBitOr(uint(v))": _fold(operator.or_, 0),
    "WaveActiveBitAnd(uint(v))": _fold(operator.and_, -1),
    "WaveActiveBitXor(uint(v))": _fold(operator.xor, 0),
    "WaveActiveBallot(v > 0).x": lambda wave, lane: sum(1 << i for i, x in enumerate(wave[:32]) if x > 0),
    "WaveReadLaneFirst(v)": lambda wave, lane: wave[0],
    "WaveIsFirstLane()": lambda wave, lane: lane == 0,
}


@pytest.mark.parametrize("expression", WAVE)
def test_wave_operations(run: Runner, expression: str) -> None:
    """Each thread writes its lane and the results of its wave; the checks hold for any wave size."""
    run.needs("subgroupVote", "subgroupArithmetic", "subgroupBallot")
    source = f"""
RWStructuredBuffer<int4> o : register(u0);
[numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {{
    int v = int(t * 7 % 11) - 4;
    o[t] = int4(WaveGetLaneIndex(), WaveGetLaneCount(), t, {expression});
}}"""
    out = as_ints(run(source, {(0, 0): storage(32 * 16)})[0, 0])
    values = [t * 7 % 11 - 4 for t in range(32)]
    for t in range(32):
        lane, lanes, _, got = out[4 * t : 4 * t + 4]
        first = t - lane
        if first != t // lanes * lanes:
            pytest.skip("lanes are not in the order of threads")
        assert (got - WAVE[expression](values[first : min(first + lanes, 32)], lane)) & 0xFFFFFFFF == 0


def test_reading_other_lanes(run: Runner) -> None:
    run.needs("subgroupShuffle")
    source = """
RWStructuredBuffer<uint2> o : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    uint last = min(WaveGetLaneCount(), 8) - 1;
    o[t] = uint2(WaveReadLaneAt(t, last - WaveGetLaneIndex()), WaveReadLaneFirst(t) + last - WaveGetLaneIndex());
}"""
    out = as_words(run(source, {(0, 0): storage(64)})[0, 0])
    assert out[0::2] == out[1::2]


def test_quads(run: Runner) -> None:
    run.needs("subgroupQuad")
    source = """
RWStructuredBuffer<float4> o : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    float v = t * t;
    o[t] = float4(QuadReadAcrossX(v), QuadReadAcrossY(v), QuadReadAcrossDiagonal(v), QuadReadLaneAt(v, 2));
}"""
    out = as_floats(run(source, {(0, 0): storage(128)})[0, 0])
    wanted = [
        (float((t ^ 1) ** 2), float((t ^ 2) ** 2), float((t ^ 3) ** 2), float((t & ~3 | 2) ** 2)) for t in range(8)
    ]
    assert out == tuple(x for row in wanted for x in row)


def test_a_count_in_groupshared_memory_decides_over_barriers(run: Runner) -> None:
    """A loop whose number of iterations is in groupshared memory may contain barriers.

    WGSL needs ``workgroupUniformLoad`` there, because it does not consider such memory uniform.
    """
    source = """
groupshared uint count, steps;
groupshared uint data[8];
RWStructuredBuffer<uint> o : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    if (t == 0) { count = 0; steps = o[0]; }
    data[t] = t;
    GroupMemoryBarrierWithGroupSync();
    if (t & 1) InterlockedAdd(count, 1);
    GroupMemoryBarrierWithGroupSync();
    for (uint k = 0; k < count; k++) {
        uint next = data[(t + 1) & 7];
        GroupMemoryBarrierWithGroupSync();
        data[t] = next + k;
        GroupMemoryBarrierWithGroupSync();
    }
    if (steps > 2) {
        uint other = data[7 - t];
        AllMemoryBarrierWithGroupSync();
        data[t] += 100 * other;
    }
    o[t] = data[t];
}"""
    out = run(source, {(0, 0): storage(words(3, *[0] * 7))})
    values = [(t + 4) % 8 + 6 for t in range(8)]
    assert as_words(out[0, 0]) == tuple(value + 100 * values[7 - t] for t, value in enumerate(values))


def test_groupshared_parameters(run: Runner) -> None:
    """A ``groupshared`` parameter denotes the argument's memory itself, through any number of calls."""
    source = """
struct Cell { float a; uint b[4]; float2x3 m; };
groupshared uint2 row[64];
groupshared uint total;
groupshared Cell cells[2];
groupshared float2x2 m;
groupshared bool flags[3];
RWStructuredBuffer<uint> o : register(u0);
void fill(groupshared uint2 a[64], uint i) { a[i] = i; a[i].y += 200; }
void deeper(groupshared uint x, uint i) { InterlockedAdd(x, i); }
void add(groupshared uint x, uint i) { deeper(x, i); }
template <typename T, int N> void set(groupshared T a[N], uint i, T v) { if (i < N) a[i] = v; }
float change(groupshared Cell c, uint i) {
    c.a = 3; c.m[1][2] = 5;
    add(c.b[i & 3], 40); set(c.b, i + 1, 77u); set(c.b, i + 2, 78u);
    return c.m[1][2] + c.a;
}
void turn(groupshared float2x2 v) { v[0][1] = 9; v._m11 = v._m01 + 1; v = transpose(v); }
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    if (i == 0) { total = 0; m = 0; cells[0] = (Cell)0; cells[1] = (Cell)0; }
    set(flags, i, i != 1);
    GroupMemoryBarrierWithGroupSync();
    fill(row, i);
    add(total, i);
    if (i == 2) { o[66] = (uint)change(cells[1], i); turn(m); }
    GroupMemoryBarrierWithGroupSync();
    o[i] = row[63 - i].x * 1000 + row[i].y;
    if (i > 0) return;
    o[64] = total;
    o[65] = cells[1].b[2] * 100 + cells[1].b[3];
    o[67] = (uint)(m[1][0] * 1000 + m[1][1] * 10 + m[0][1]);
    o[68] = (uint)(cells[0].a + cells[0].b[2] + cells[0].b[3]);
    o[69] = flags[0] * 100 + flags[1] * 10 + flags[2];
}"""
    out = as_words(run(source, {(0, 0): storage(70 * 4)}, hlsl_version=HLSL_202X)[0, 0])
    assert out[:64] == tuple((63 - i) * 1000 + i + 200 for i in range(64))
    assert out[64:] == (2016, 4077, 8, 9100, 0, 101)


def test_groupshared_parameters_of_earlier_versions_are_copies(run: Runner) -> None:
    """Before HLSL 202x the parameter qualifier has no effect, and a warning reports it."""
    source = """
groupshared uint total;
RWStructuredBuffer<uint> o : register(u0);
uint more(groupshared uint x) { x += 5; return x; }
[numthreads(1, 1, 1)] void main() { total = 1; o[0] = more(total) + more(2); o[1] = total; }"""
    out = run(source, {(0, 0): storage(2 * 4)}, hlsl_version=2021)
    assert as_words(out[0, 0]) == (6 + 7, 1)
