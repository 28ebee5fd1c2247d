"""Textures that options convert to buffers, or split, have the same effect on WebGPU as on Vulkan."""

from __future__ import annotations

import pytest

from hlsl_tool.wgsl import convert_module
from tests.execute.tables import Runner, as_floats, as_words, floats, words
from tests.execute.vulkan import Place, Resource, Vulkan, WebGpu, image, sampler, storage, texture
from tests.execute.wgsl import for_naga

ATOMICS = """
RWTexture2D<uint> flat;
RWTexture3D<int> deep;
RWTexture2DArray<uint> layers;
RWTexture1D<uint> row;
RWTexture2D<uint> two[2];
RWStructuredBuffer<uint> o;
[numthreads(4, 2, 1)] void main(uint3 id : SV_DispatchThreadID, uint t : SV_GroupIndex) {
    uint old, w, h, n;
    int2 outside = int2(id.x == 0 ? -1 : 4, id.y);
    InterlockedAdd(flat[id.xy], t + 1);
    InterlockedAdd(flat[outside], 100);
    InterlockedMin(deep[uint3(id.xy, 1)], -int(t));
    InterlockedMax(layers[uint3(id.xy, id.y)], t * 3);
    InterlockedOr(row[id.x], 1u << t);
    InterlockedExchange(two[NonUniformResourceIndex(id.x & 1)][id.xy], t + 7, old);
    flat.GetDimensions(w, h);
    layers.GetDimensions(w, h, n);
    DeviceMemoryBarrierWithGroupSync();
    o[t] = flat[id.xy] + flat[id.xy + uint2(4, 0)] + old + 1000 * w + 10000 * h + 100000 * n;
    deep[uint3(id.xy, 0)] = deep[uint3(id.xy, 1)] * 2;
}"""
SIZES: dict[Place, tuple[int, int, int]] = {
    (0, 0): (4, 2, 1),
    (0, 1): (4, 2, 2),
    (0, 2): (4, 2, 2),
    (0, 3): (4, 1, 1),
    (0, 4, 0): (4, 2, 1),
    (0, 4, 1): (4, 2, 1),
}


def on_webgpu(spirv: bytes, given: dict[Place, Resource], webgpu: WebGpu, **options: object) -> dict[Place, bytes]:
    """Convert a module to WGSL with these options and run it on WebGPU.

    Return the contents of its writable resources by their bindings in SPIR-V.
    """
    found = convert_module(spirv, {"immediates": "uniform", **options})
    places: dict[Place, Place] = {}
    for binding in found.bindings:
        assert binding.source is not None
        source = tuple(binding.source[key] for key in ("set", "binding", "element") if key in binding.source)
        places[binding.group, binding.binding] = source
    got = webgpu.run_wgsl(for_naga(found.text), {here: given[there] for here, there in places.items()})
    return {places[here]: data for here, data in got.items()}


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_textures_with_atomics_as_buffers(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    spirv = Runner(vulkan, optimize).compile(ATOMICS)
    data = {place: words(*range(5, 5 + size[0] * size[1] * size[2])) for place, size in SIZES.items()}
    images = {
        (0, 0): image(data[0, 0], "r32u", (4, 2)),
        (0, 1): image(data[0, 1], "r32i", (4, 2, 2), "3d"),
        (0, 2): image(data[0, 2], "r32u", (4, 2), "2d_array", layers=2),
        (0, 3): image(data[0, 3], "r32u", (4,), "1d"),
        (0, 4, 0): image(data[0, 4, 0], "r32u", (4, 2)),
        (0, 4, 1): image(data[0, 4, 1], "r32u", (4, 2)),
    }
    buffers = {place: storage(words(*size, 0) + data[place]) for place, size in SIZES.items()}
    wanted = vulkan.run_compute(spirv, {**images, (0, 5): storage(32)})
    got = on_webgpu(spirv, {**buffers, (0, 5): storage(32)}, webgpu, atomic_textures="buffers")
    assert as_words(got[0, 5]) == tuple(5 + t + t + 1 + 5 + t + 224000 for t in range(8))
    assert as_words(got[0, 0])[:3] == (4, 2, 1)
    assert wanted == {place: value[16:] if place in SIZES else value for place, value in got.items()}


SPLIT = """
Texture2D<float4> t[2];
SamplerState s;
SamplerComparisonState c;
RWStructuredBuffer<float4> o;
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    float2 at = float2(0.25 + 0.5 * i, 0.5);
    float4 read = t[NonUniformResourceIndex(i)].SampleGrad(s, at, 0.01, 0.01);
    o[i] = float4(read.xyz, t[1].SampleCmpLevelZero(c, at, 0.5 * (i + 1)));
}"""


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_textures_that_are_compared_and_read_are_split(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    spirv = Runner(vulkan, optimize).compile(SPLIT)
    found = convert_module(spirv, {"depth_textures": "split"})
    bindings = {binding.name: binding for binding in found.bindings}
    assert bindings["t_1"].layout["texture"]["sampleType"] == "float"
    assert bindings["t_depth_1"].layout["texture"]["sampleType"] == "depth"
    assert bindings["t_1"].source == bindings["t_depth_1"].source
    colours = texture(floats(1, 2, 3, 4, 5, 6, 7, 8), "rgba32f", (2, 1))
    depths = texture(floats(0.75, 0.75), "d32", (2, 1))
    given = {(0, 1): sampler(), (0, 2): sampler(compare="less"), (0, 3): storage(32)}
    wanted = vulkan.run_compute(spirv, {**given, (0, 0, 0): colours, (0, 0, 1): depths})
    assert as_floats(wanted[0, 3]) == (1, 2, 3, 1, 0.75, 0, 0, 0)
    by_name = {"t_0": colours, "t_1": texture(floats(0.75, 0.75), "r32f", (2, 1)), "t_depth_1": depths}
    places = {"s": (0, 1), "c": (0, 2), "o": (0, 3)}
    resources = {
        (binding.group, binding.binding): by_name[name] if name in by_name else given[places[name]]
        for name, binding in bindings.items()
    }
    got = webgpu.run_wgsl(for_naga(found.text), resources)
    assert list(got.values()) == [wanted[0, 3]]
