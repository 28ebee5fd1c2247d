"""Coherent resources carry data between invocations, under the memory model of GLSL and under Vulkan's own."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_words, words
from tests.execute.vulkan import Resource, Vulkan, image, storage, texels

GROUPS, THREADS = 4, 8
CELLS = GROUPS * THREADS


def _texels(kind: str) -> Resource:
    return texels(bytes(4 * CELLS), kind, writable=True)


def _image(kind: str, *size: int, view: str = "2d", layers: int = 1) -> Resource:
    texel = {"r32u": 4, "r32f": 4, "rgba32f": 16}[kind]
    return image(bytes(texel * CELLS), kind, size, view, layers=layers)


RESOURCES = {
    "RWBuffer<uint>": (_texels("r32u"), "data[i]"),
    "RWBuffer<float>": (_texels("r32f"), "data[i]"),
    "RWTexture1D<uint>": (_image("r32u", CELLS, view="1d"), "data[i]"),
    "RWTexture2D<uint>": (_image("r32u", THREADS, GROUPS), "data[uint2(i % 8, i / 8)]"),
    "RWTexture2D<float>": (_image("r32f", THREADS, GROUPS), "data[uint2(i % 8, i / 8)]"),
    "RWTexture2D<float4>": (_image("rgba32f", THREADS, GROUPS), "data[uint2(i % 8, i / 8)].y"),
    "RWTexture2DArray<uint>": (
        _image("r32u", THREADS, 2, view="2d_array", layers=2),
        "data[uint3(i % 8, i / 8 % 2, i / 16)]",
    ),
    "RWTexture3D<uint>": (_image("r32u", THREADS, 2, 2, view="3d"), "data[uint3(i % 8, i / 8 % 2, i / 16)]"),
    "RWStructuredBuffer<uint>": (storage(4 * CELLS), "data[i]"),
}
"""Type → (the resource, its cell number ``i``)."""

MODELS = {"of GLSL": {}, "of Vulkan": {"target_env": "vulkan1.3", "vulkan_memory_model": True}}


@pytest.mark.parametrize("optimize", ["none", "performance"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", RESOURCES)
def test_threads_of_a_group(vulkan: Vulkan, name: str, model: str, optimize: str) -> None:
    """In each of four rounds, every thread reads the value that another thread wrote in the round before."""
    resource, cell = RESOURCES[name]
    source = f"""
globallycoherent {name} data : register(u0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads({CELLS}, 1, 1)] void main(uint thread : SV_GroupIndex) {{
    uint i = thread;
    {cell} = thread * 3;
    for (uint round = 0; round < 4; round++) {{
        DeviceMemoryBarrierWithGroupSync();
        i = (thread * 5 + 7) % {CELLS};
        uint x = (uint){cell};
        DeviceMemoryBarrierWithGroupSync();
        i = thread;
        {cell} = x + 1;
    }}
    DeviceMemoryBarrierWithGroupSync();
    o[thread] = (uint){cell};
}}"""
    cells = [n * 3 for n in range(CELLS)]
    for _ in range(4):
        cells = [cells[(n * 5 + 7) % CELLS] + 1 for n in range(CELLS)]
    out = Runner(vulkan, optimize)(source, {(0, 0): resource, (0, 1): storage(4 * CELLS)}, **MODELS[model])
    assert list(as_words(out[0, 1])) == cells


@pytest.mark.parametrize("optimize", ["none", "performance"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", RESOURCES)
def test_groups(vulkan: Vulkan, name: str, model: str, optimize: str) -> None:
    """The last group to finish reads and sums the values that all groups have written."""
    resource, cell = RESOURCES[name]
    source = f"""
globallycoherent {name} data : register(u0);
globallycoherent RWStructuredBuffer<uint> o : register(u1);
groupshared uint arrived;
[numthreads({THREADS}, 1, 1)] void main(uint i : SV_DispatchThreadID, uint thread : SV_GroupIndex) {{
    {cell} = i * i + 1;
    DeviceMemoryBarrierWithGroupSync();
    if (thread == 0) InterlockedAdd(o[0], 1, arrived);
    GroupMemoryBarrierWithGroupSync();
    if (arrived == {GROUPS - 1} && thread == 0) {{
        DeviceMemoryBarrier();
        uint total = 0;
        for (uint i = 0; i < {CELLS}; i++) total += (uint){cell};
        o[1] = total;
    }}
}}"""
    resources = {(0, 0): resource, (0, 1): storage(words(0, 0))}
    out = Runner(vulkan, optimize)(source, resources, (GROUPS, 1, 1), **MODELS[model])
    assert as_words(out[0, 1]) == (GROUPS, sum(n * n + 1 for n in range(CELLS)))
