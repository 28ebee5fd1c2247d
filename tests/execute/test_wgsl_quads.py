"""Quad operations in workgroups with several dimensions use workgroup memory in WGSL."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats, as_words
from tests.execute.vulkan import Vulkan, WebGpu, storage
from tests.execute.wgsl import WgslRunner
from tests.wgsl_limits import Limit

SOURCE = """
RWStructuredBuffer<float4> o;
RWStructuredBuffer<uint4> votes;
[numthreads(%d, %d, %d)] void main(uint t : SV_GroupIndex, uint3 id : SV_GroupThreadID) {
    float2 v = float2(t * t, id.y);
    float2 x = QuadReadAcrossX(v);
    o[t] = float4(x.x, QuadReadAcrossY(v).x, QuadReadAcrossDiagonal(v.x), QuadReadLaneAt(v.x, 2) + x.y - id.y);
    votes[t] = uint4(QuadAny(t == 5), QuadAll(id.x != 3), QuadReadAcrossX(t & 1), QuadReadLaneAt(t, 3));
}"""


@pytest.fixture
def runners(vulkan: Vulkan, webgpu: WebGpu, limit: Limit) -> list[Runner]:
    """Return runners that convert shaders to WGSL, with and without optimisation."""
    return [WgslRunner(vulkan, optimize, webgpu=webgpu, limit=limit) for optimize in ("performance", "none")]


@pytest.mark.parametrize(("width", "height", "depth"), [(8, 4, 1), (2, 6, 2), (4, 2, 3)])
def test_quads_of_two_by_two(width: int, height: int, depth: int, runners: list[Runner]) -> None:
    lanes = range(width * height * depth)
    first = [t & ~1 & ~width for t in lanes]
    quads = [(n, n + 1, n + width, n + width + 1) for n in first]
    reads = [(t ^ 1, t ^ width, t ^ 1 ^ width, n + width) for t, n in zip(lanes, first, strict=True)]
    votes = [
        (int(5 in quad), int(all(t % width != 3 for t in quad)), t & 1 ^ 1, quad[3])
        for t, quad in zip(lanes, quads, strict=True)
    ]
    for run in runners:
        given = {(0, 0): storage(16 * len(lanes)), (0, 1): storage(16 * len(lanes))}
        out = run(SOURCE % (width, height, depth), given, profile="cs_6_7", target_env="vulkan1.3")
        assert as_floats(out[0, 0]) == tuple(float(t * t) for row in reads for t in row)
        assert as_words(out[0, 1]) == tuple(number for row in votes for number in row)


def test_quads_with_a_place_that_is_computed(runners: list[Runner], vulkan: Vulkan) -> None:
    if vulkan.features >= {"computeDerivativeGroupQuads", "subgroupQuad"}:
        runners.append(Runner(vulkan, "performance"))
    source = """
RWStructuredBuffer<uint> o;
[numthreads(4, 4, 1)] void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < 4; i++) o[t * 4 + i] = QuadReadLaneAt(t, i);
}"""
    for run in runners:
        out = as_words(run(source, {(0, 0): storage(256)}, profile="cs_6_6", target_env="vulkan1.3")[0, 0])
        assert out == tuple((t & ~5) + place for t in range(16) for place in (0, 1, 4, 5))
