"""Arrays of resources, which WGSL lacks, have the same effect on WebGPU as on Vulkan."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.execute.tables import Runner, as_floats, as_words, floats, words
from tests.execute.vulkan import Place, Resource, Unavailable, Vulkan, WebGpu, image, sampler, storage, texture, uniform
from tests.execute.wgsl import same_results

Form = Mapping[str, object]


@pytest.fixture(params=["switch", "binding_array"])
def form(request: pytest.FixtureRequest) -> Form:
    """Return the option for arrays of resources (a parameter)."""
    return {"arrays": request.param, "naga": True}


def both(
    source: str, given: Mapping[Place, Resource], vulkan: Vulkan, webgpu: WebGpu, form: Form
) -> dict[Place, bytes]:
    """Run a shader on Vulkan and WebGPU, and return the results, which must be equal."""
    spirv = Runner(vulkan, "performance").compile(source)
    try:
        return same_results(spirv, given, vulkan, webgpu, form)
    except Unavailable as error:
        pytest.skip(f"not on this WebGPU: {error}")


def elements(binding: int, *resources: Resource) -> dict[Place, Resource]:
    return {(0, binding, index): resource for index, resource in enumerate(resources)}


def texel(value: float) -> Resource:
    return texture(floats(value), "r32f", (1, 1))


def test_every_kind_of_resource(vulkan: Vulkan, webgpu: WebGpu, form: Form) -> None:
    source = """
struct Numbers { uint4 n[2]; };
Texture2D<float> t[3] : register(t0);
SamplerState s[2] : register(s1);
RWStructuredBuffer<uint> b[2] : register(u2);
RWTexture2D<uint> image[2] : register(u3);
ConstantBuffer<Numbers> c[2] : register(b4, space1);
StructuredBuffer<float> f[2] : register(t5);
RWByteAddressBuffer raw[2] : register(u6);
RWStructuredBuffer<float> o : register(u7);
float at(Texture2D<float> x[3], uint i) { return x[i].Load(int3(0, 0, 0)); }
[numthreads(1, 1, 1)] void main() {
    uint n = b[0][0];
    for (uint i = 0; i < n; i++) {
        o[i] = at(t, i) + t[i].SampleLevel(s[i & 1], float2(0, 0), 0) / 100;
        b[i & 1][2] += i + 1;
        image[i & 1][uint2(0, 0)] = 5 + i;
        uint old;
        raw[i % 2].InterlockedAdd(4, c[i & 1].n[1].y, old);
        o[3 + i] = old + f[i & 1][i];
    }
    uint count, stride, w, h;
    f[n - 2].GetDimensions(count, stride);
    t[n - 1].GetDimensions(w, h);
    o[6] = count; o[7] = w; o[8] = t[1].Load(int3(0, 0, 0));
}"""
    given = {
        **elements(0, texel(10), texel(20), texture(floats(30, 31), "r32f", (2, 1))),
        **elements(1, sampler(), sampler()),
        **elements(2, storage(words(3, 0, 100)), storage(words(7, 7, 200))),
        **elements(3, *[image(words(0), "r32u", (1, 1))] * 2),
        (1, 4, 0): uniform(words(*[0] * 5, 11, 0, 0)),
        (1, 4, 1): uniform(words(*[0] * 5, 22, 0, 0)),
        **elements(5, storage(floats(0.5, 1.5, 2.5)), storage(floats(0.25, 1.25, 2.25, 3.25))),
        **elements(6, storage(words(0, 1)), storage(words(0, 2))),
        (0, 7): storage(36),
    }
    out = both(source, given, vulkan, webgpu, form)
    assert as_floats(out[0, 7]) == pytest.approx((10.1, 20.2, 30.3, 1.5, 3.25, 14.5, 4, 2, 20))
    assert [as_words(out[0, 2, k])[2] for k in (0, 1)] == [104, 202]
    assert [as_words(out[0, 3, k])[0] for k in (0, 1)] == [7, 6]
    assert [as_words(out[0, 6, k])[1] for k in (0, 1)] == [23, 24]


def test_indices_in_the_conditions_of_loops(vulkan: Vulkan, webgpu: WebGpu, form: Form) -> None:
    """A loop condition may read a texture array at a variable index, even if the loop has only one block.

    The converter splits the loop header, because it selects the texture by a switch.
    """
    source = """
Texture2D<float> t[3] : register(t0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)] void main() {
    uint i = o[0], steps = 0, k;
    while (t[i % 3].Load(int3(0, 0, 0)) < 30) { i++; steps++; }
    do { steps += 10; } while (t[steps % 3].Load(int3(0, 0, 0)) > 10);
    for (k = 0; t[k].Load(int3(0, 0, 0)) < 25; k += 1 + t[k].Load(int3(0, 0, 0)) / 100) {
        if (t[(k + steps) % 3].Load(int3(0, 0, 0)) > 25) continue;
        steps += 100;
    }
    o[1] = i; o[2] = steps; o[3] = k;
}"""
    given = {**elements(0, texel(10), texel(20), texel(30)), (0, 1): storage(words(0, 0, 0, 0))}
    assert as_words(both(source, given, vulkan, webgpu, form)[0, 1]) == (0, 2, 112, 2)


def test_textures_and_samplers_chosen_apart(vulkan: Vulkan, webgpu: WebGpu, form: Form) -> None:
    """A function chooses the texture and passes it to one that chooses the sampler."""
    source = """
Texture2D<float> t[3] : register(t0);
SamplerState s[2] : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    uint n = (uint)o[0];
    for (uint i = 0; i < n; i++) {
        o[i] = t[i / 2].SampleLevel(s[i % 2], float2(1.2, 0.5), 0);
        o[6 + i] = t[i / 2].Gather(s[i % 2], float2(0.9, 0.5)).x;
    }
}"""
    two = [texture(floats(k, k + 0.5), "r32f", (2, 1)) for k in (1, 2, 3)]
    given = {
        **elements(0, *two),
        **elements(1, sampler("nearest", "wrap"), sampler("nearest", "clamp")),
        (0, 2): storage(floats(6, *[0] * 11)),
    }
    out = as_floats(both(source, given, vulkan, webgpu, form)[0, 2])
    assert out[:6] == (1, 1.5, 2, 2.5, 3, 3.5)
    assert out[6:] == pytest.approx([1.5, 1.5, 2.5, 2.5, 3.5, 3.5], abs=0.51)


def test_offsets_chosen_by_number(vulkan: Vulkan, webgpu: WebGpu, form: Form) -> None:
    """One function has the operation with all constant offsets, which WGSL wants to be constants."""
    source = """
Texture2D<float> t[2] : register(t0);
SamplerState s[2] : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    uint i = (uint)o[0], k = (uint)o[1];
    float2 uv = float2(0.5 / 4, 0.5);
    o[0] = t[i].SampleLevel(s[k], uv, 0, int2(0, 0));
    o[1] = t[i].SampleLevel(s[k], uv, 0, int2(1, 0));
    o[2] = t[i].SampleLevel(s[0], uv, 0, int2(2, 0));
    o[3] = t[1 - i].SampleLevel(s[0], uv, 0, int2(3, 0));
    o[4] = t[1 - i].SampleLevel(s[k], uv, 0, int2(2, 0));
}"""
    rows = [texture(floats(*[k + x / 4 for x in range(4)]), "r32f", (4, 1)) for k in (1, 2)]
    given = {
        **elements(0, *rows),
        **elements(1, sampler("nearest", "wrap"), sampler("nearest", "clamp")),
        (0, 2): storage(floats(1, 1, 0, 0, 0)),
    }
    assert as_floats(both(source, given, vulkan, webgpu, form)[0, 2]) == (2, 2.25, 2.5, 1.75, 1.5)


def test_buffers_of_several_types_with_one_binding(vulkan: Vulkan, webgpu: WebGpu, form: Form) -> None:
    """Loads of all types share a function that returns a word."""
    source = """
struct Part { float weight; int2 place; };
struct Material { float3 colour; row_major float2x3 m; float3x2 n; Part parts[2]; uint flags; };
[[vk::binding(0)]] StructuredBuffer<Material> materials[2];
[[vk::binding(0)]] StructuredBuffer<uint3> triples[2];
[[vk::binding(0)]] ByteAddressBuffer raw[2];
[[vk::binding(1)]] RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    uint b = (uint)o[0];
    int k = (int)o[1];
    Material whole = materials[b][k];
    o[0] = whole.colour.y; o[1] = whole.m[1].z; o[2] = whole.n[2].y; o[3] = whole.parts[1].place.x; o[4] = whole.flags;
    o[5] = materials[b][k].parts[k].place[b]; o[6] = materials[b][k].m[k][k + 1]; o[7] = materials[b][0].n[k].x;
    o[8] = asfloat(triples[b ^ 1][k].z); o[9] = asfloat(raw[b].Load3(4 * k).y);
    o[10] = materials[b ^ 1][k - 1].colour[k];
    uint size; raw[b].GetDimensions(size); o[11] = size;
}"""
    data = [storage(floats(*[1.25 * word + 100 * buffer for word in range(96)])) for buffer in (0, 1)]
    given = {**elements(0, *data), (0, 1): storage(floats(1, 1, *[0] * 10))}
    out = as_floats(both(source, given, vulkan, webgpu, form)[0, 1])
    assert len(set(out)) > 9
    assert out[8:10] == (1.25 * 6, 100 + 1.25 * 2)
    assert out[11] == 4 * 96
