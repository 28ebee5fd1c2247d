"""Heaps of SPV_EXT_descriptor_heap: every kind of descriptor, at strides that the shader computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hlsl_tool.reflection.extract import reflect
from hlsl_tool.spirv.decode import decode
from tests.execute.tables import Runner, as_floats, as_words, floats, words
from tests.execute.vulkan import (
    Instance,
    Place,
    Resource,
    Vulkan,
    image,
    sampler,
    scene,
    storage,
    texels,
    texture,
    uniform,
)

EXTENSIONS = ("SPV_EXT_descriptor_heap", "SPV_EXT_descriptor_indexing", "SPV_KHR_untyped_pointers")


@pytest.fixture(params=["performance", "none"])
def run(request: pytest.FixtureRequest, vulkan: Vulkan) -> Runner:
    runner = Runner(vulkan, request.param)
    runner.needs("descriptorHeap", "shaderUntypedPointers")
    return runner


def heaps(
    run: Runner,
    source: str,
    resources: Mapping[Place, Resource],
    *,
    strides: tuple[int, int] = (0, 0),
    mapped: Mapping[Place, int] | None = None,
    **options: Any,
) -> dict[Place, bytes]:
    spirv = run.compile(source, profile="cs_6_6", target_env="vulkan1.3", descriptor_heap=True, **options)
    return run.vulkan.run_heaps(spirv, resources, strides=strides, mapped=mapped)


def test_buffers(run: Runner) -> None:
    """Structured, byte-address and constant buffers work with constant and variable indices."""
    source = """
struct S { uint a; float3 b; };
struct C { float4 scale; uint4 at; };
[numthreads(1, 1, 1)] void main() {
    ConstantBuffer<C> c = ResourceDescriptorHeap[4];
    StructuredBuffer<S> s = ResourceDescriptorHeap[c.at.x];
    ByteAddressBuffer raw = ResourceDescriptorHeap[c.at.y];
    RWStructuredBuffer<float> o = ResourceDescriptorHeap[0];
    RWByteAddressBuffer sums = ResourceDescriptorHeap[c.at.z];
    uint count, stride, size;
    s.GetDimensions(count, stride);
    raw.GetDimensions(size);
    o[0] = s[1].b.z * c.scale.y;
    o[1] = s[0].a;
    o[2] = count * 100 + stride;
    o[3] = size;
    sums.Store3(4, raw.Load3(4));
    sums.InterlockedAdd(0, raw.Load(0));
}"""
    resources = {
        (0, 0): storage(16),
        (0, 1): storage(words(5, 6, 7, 8)),
        (0, 2): storage(words(3) + floats(1, 2, 3) + words(4) + floats(5, 6, 7)),
        (0, 4): uniform(floats(1, 10, 100, 1000) + words(2, 1, 7, 0)),
        (0, 7): storage(words(40, 0, 0, 0)),
    }
    out = heaps(run, source, resources)
    assert as_floats(out[0, 0]) == (70, 3, 216, 16)
    assert as_words(out[0, 7]) == (45, 6, 7, 8)


def test_values_through_untyped_pointers(run: Runner) -> None:
    source = """
struct S { float3 a; uint2 b; };
[numthreads(1, 1, 1)] void main() {
    RWByteAddressBuffer o = ResourceDescriptorHeap[0];
    ByteAddressBuffer raw = ResourceDescriptorHeap[NonUniformResourceIndex(o.Load(0))];
    S s = raw.Load<S>(4);
    o.Store(0, s.b);
    o.Store(8, s.a.zy);
}"""
    resources = {(0, 0): storage(words(1, 0, 0, 0)), (0, 1): storage(words(0) + floats(1, 2, 3) + words(4, 5))}
    out = heaps(run, source, resources, layout="scalar", extensions=EXTENSIONS)[0, 0]
    assert out == words(4, 5) + floats(3, 2)


def test_textures_and_samplers(run: Runner) -> None:
    source = """
[numthreads(1, 1, 1)] void main() {
    RWStructuredBuffer<float> o = ResourceDescriptorHeap[5];
    for (uint i = 0; i < 3; i++) {
        Texture2D<float> t = ResourceDescriptorHeap[i];
        o[i] = t.Load(int3(1, 0, 0));
    }
    Texture2D<float> t = ResourceDescriptorHeap[(uint)o[3]];
    SamplerState nearest = SamplerDescriptorHeap[0], linearly = SamplerDescriptorHeap[(uint)o[4]];
    o[3] = t.SampleLevel(nearest, float2(0.6, 0.5), 0);
    o[4] = t.SampleLevel(linearly, float2(0.5, 0.5), 0);
}"""
    resources: dict[Place, Resource] = {
        (0, i): texture(floats(10.0 * i, 10.0 * i + 1), "r32f", (2, 1)) for i in range(3)
    }
    resources |= {(0, 5): storage(floats(0, 0, 0, 2, 3)), (1, 0): sampler(), (1, 3): sampler("linear")}
    out = heaps(run, source, resources)
    assert as_floats(out[0, 5]) == (1, 11, 21, 21, 20.5)


def test_images_and_texel_buffers(run: Runner) -> None:
    """Loads, stores and atomics work on images and texel buffers from the heap."""
    source = """
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RWTexture2D<uint> w = ResourceDescriptorHeap[0];
    Buffer<uint> b = ResourceDescriptorHeap[1];
    RWBuffer<uint> o = ResourceDescriptorHeap[2];
    uint old;
    InterlockedAdd(w[uint2(0, 0)], b[id.x], old);
    InterlockedMax(o[4], b[id.x]);
    w[uint2(1, 0)] = 17;
    o[id.x] = b[id.x] + 1;
}"""
    resources = {
        (0, 0): image(words(100, 0), "r32u", (2, 1)),
        (0, 1): texels(words(1, 20, 300, 4000), "r32u"),
        (0, 2): texels(words(0, 0, 0, 0, 7), "r32u", writable=True),
    }
    out = heaps(run, source, resources)
    assert as_words(out[0, 0]) == (4421, 17)
    assert as_words(out[0, 2]) == (2, 21, 301, 4001, 4000)


def test_index_that_differs_between_threads(run: Runner) -> None:
    source = """
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RWStructuredBuffer<uint> o = ResourceDescriptorHeap[NonUniformResourceIndex(3 - id.x % 4)];
    Texture2D<float> t = ResourceDescriptorHeap[NonUniformResourceIndex(4 + id.x % 2)];
    o[id.x / 4] = id.x * 10 + (uint)t.Load(int3(0, 0, 0));
}"""
    resources: dict[Place, Resource] = {(0, i): storage(8) for i in range(4)}
    resources |= {(0, 4 + i): texture(floats(i + 1.0), "r32f", (1, 1)) for i in range(2)}
    out = heaps(run, source, resources)
    assert [as_words(out[0, 3 - i]) for i in range(4)] == [(10 * i + 1 + i % 2, 10 * i + 41 + i % 2) for i in range(4)]


def test_resources_of_functions_and_structs(run: Runner) -> None:
    """Resources from the heap work as results of functions, as members, and in an array that a loop reads."""
    source = """
struct Pair { RWStructuredBuffer<uint> to; StructuredBuffer<uint> from; };
RWStructuredBuffer<uint> open(uint i) { return ResourceDescriptorHeap[i]; }
Pair pair(uint i) {
    Pair p;
    p.to = open(i);
    p.from = ResourceDescriptorHeap[i + 1];
    return p;
}
void copy(Pair p, uint n) { for (uint i = 0; i < n; i++) p.to[i] = p.from[i] * 2; }
static RWStructuredBuffer<uint> log_ = ResourceDescriptorHeap[6];
[numthreads(1, 1, 1)] void main() {
    uint n = log_[0];
    copy(pair(0), n);
    Pair p = pair(2 * n - 2);
    copy(p, 1);
    p.to[1] = p.from[1] + 100;
    InterlockedAdd(log_[1], p.to[0]);
    globallycoherent RWStructuredBuffer<uint> shared_ = ResourceDescriptorHeap[n + 4];
    shared_[2] = 8;
}"""
    resources = {
        (0, 0): storage(8),
        (0, 1): storage(words(1, 2)),
        (0, 2): storage(8),
        (0, 3): storage(words(30, 40)),
        (0, 6): storage(words(2, 7, 0)),
    }
    out = heaps(run, source, resources)
    assert as_words(out[0, 0]) == (2, 4)
    assert as_words(out[0, 2]) == (60, 140)
    assert as_words(out[0, 6]) == (2, 67, 8)


def test_strides_of_the_command_line(run: Runner) -> None:
    source = """
[numthreads(1, 1, 1)] void main() {
    RWStructuredBuffer<float> o = ResourceDescriptorHeap[3];
    Texture2D<float> t = ResourceDescriptorHeap[1];
    SamplerState linearly = SamplerDescriptorHeap[2];
    o[0] = t.SampleLevel(linearly, float2(0.5, 0.5), 0);
}"""
    resources = {(0, 3): storage(4), (0, 1): texture(floats(4, 5), "r32f", (2, 1)), (1, 2): sampler("linear")}
    strides = {"resource_heap_stride": 512, "sampler_heap_stride": 256}
    out = heaps(run, source, resources, strides=(512, 256), **strides)
    assert as_floats(out[0, 3]) == (4.5,)


def test_beside_bindings(run: Runner) -> None:
    """The host maps resources with bindings, including counters, to descriptors in the heap."""
    source = """
[[vk::binding(2, 1)]] RWStructuredBuffer<uint> o;
[[vk::binding(3, 1)]] Texture2D<float> t;
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RWStructuredBuffer<uint> queue = ResourceDescriptorHeap[1];
    ByteAddressBuffer raw = ResourceDescriptorHeap[0];
    queue[queue.IncrementCounter()] = 9;
    o[id.x] = raw.Load(4 * id.x) + (uint)t.Load(int3(0, 0, 0));
}"""
    spirv = run.compile(source, profile="cs_6_6", target_env="vulkan1.3", descriptor_heap=True)
    counters = next(r for r in reflect(decode(spirv)).resources if "counter" in r.name)
    resources = {
        (0, 0): storage(words(1, 2, 3, 4)),
        (0, 1): storage(20),
        (0, 4): storage(16),
        (0, 5): texture(floats(30), "r32f", (1, 1)),
        (0, 6): storage(4),
        (0, 7): storage(words(1)),
    }
    mapped: dict[Place, int] = {(1, 2): 4, (1, 3): 5, (counters.set, counters.binding): 6}
    out = run.vulkan.run_heaps(spirv, resources, mapped=mapped)
    assert as_words(out[0, 4]) == (31, 32, 33, 34)
    assert as_words(out[0, 7]) == (5,)
    assert as_words(out[0, 1]) == (0, 9, 9, 9, 9)


def test_acceleration_structures(run: Runner) -> None:
    run.needs("rayQuery")
    source = """
[numthreads(1, 1, 1)] void main() {
    RWStructuredBuffer<uint> o = ResourceDescriptorHeap[0];
    RaytracingAccelerationStructure s = ResourceDescriptorHeap[2];
    RayDesc ray = { float3(0.2, 0.2, -1), 0, float3(0, 0, 1), 10 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(s, RAY_FLAG_NONE, 0xFF, ray);
    q.Proceed();
    o[0] = q.CommittedStatus() == COMMITTED_TRIANGLE_HIT ? q.CommittedInstanceID() : 99;
}"""
    there = scene(Instance(triangles=(0, 0, 0, 1, 0, 0, 0, 1, 0), number=5))
    out = heaps(run, source, {(0, 0): storage(4), (0, 2): there})
    assert as_words(out[0, 0]) == (5,)
