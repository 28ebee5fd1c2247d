"""Literals, gathers, atomics and structs work in WGSL as on Vulkan, where WGSL expresses them differently."""

from __future__ import annotations

import struct

import pytest

from hlsl_tool.wgsl import convert
from tests.execute.tables import Runner, as_floats, as_words, floats, words
from tests.execute.vulkan import Unavailable, Vulkan, WebGpu, sampler, storage, texels, texture, uniform
from tests.execute.wgsl import for_naga, same_results
from tests.unit.wgsl.conversion import assemble, compute

WIDTH, HEIGHT = 6, 5

GATHER = """
OpCapability Shader
OpCapability ImageGatherExtended
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %texels ArrayStride 16
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 2
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
OpDecorate %s DescriptorSet 0
OpDecorate %s Binding 1
%void = OpTypeVoid
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v4float = OpTypeVector %float 4
%v2int = OpTypeVector %int 2
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%n1 = OpConstant %int -1
%n2 = OpConstant %int -2
%u4 = OpConstant %uint 4
%f0 = OpConstant %float 0
%half = OpConstant %float 0.5
%offsets = OpTypeArray %v2int %u4
%a = OpConstantComposite %v2int %i0 %i1
%b = OpConstantComposite %v2int %n1 %i2
%c = OpConstantComposite %v2int %i2 %n2
%d = OpConstantComposite %v2int %i1 %i1
%four = OpConstantComposite %offsets %a %b %c %d
%none = OpConstantNull %offsets
%centre = OpConstantComposite %v2float %half %half
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%ptr_image = OpTypePointer UniformConstant %image
%ptr_sampler = OpTypePointer UniformConstant %sampler
%texels = OpTypeRuntimeArray %v4float
%Out = OpTypeStruct %texels
%ptr_out = OpTypePointer StorageBuffer %Out
%ptr_texel = OpTypePointer StorageBuffer %v4float
%t = OpVariable %ptr_image UniformConstant
%s = OpVariable %ptr_sampler UniformConstant
%out = OpVariable %ptr_out StorageBuffer
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%entry = OpLabel
%i = OpLoad %image %t
%j = OpLoad %sampler %s
%k = OpSampledImage %sampled %i %j
%g0 = OpImageGather %v4float %k %centre %i0 ConstOffsets %four
%g1 = OpImageGather %v4float %k %centre %i1 ConstOffsets %four
%g2 = OpImageGather %v4float %k %centre %i2 ConstOffsets %none
%p0 = OpAccessChain %ptr_texel %out %i0 %i0
OpStore %p0 %g0
%p1 = OpAccessChain %ptr_texel %out %i0 %i1
OpStore %p1 %g1
%p2 = OpAccessChain %ptr_texel %out %i0 %i2
OpStore %p2 %g2
OpReturn
OpFunctionEnd
"""


def test_gathers_with_four_offsets(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """A gather with four offsets, which becomes four gathers in WGSL, has the same result as on Vulkan."""
    texels = [10 * y + x + 100 * channel for y in range(HEIGHT) for x in range(WIDTH) for channel in range(4)]
    given = {
        (0, 0): texture(floats(*texels), "rgba32f", (WIDTH, HEIGHT)),
        (0, 1): sampler(),
        (0, 2): storage(48),
    }
    out = as_floats(same_results(assemble(GATHER), given, vulkan, webgpu)[0, 2])
    x, y = WIDTH // 2 - 1, (HEIGHT - 1) // 2  # 0.5 * 6 - 0.5 = 2.5, 0.5 * 5 - 0.5 = 2
    corners = [10 * (y + dy) + x + dx for dx, dy in ((0, 1), (-1, 2), (2, -2), (1, 1))]
    assert out == (*corners, *[corner + 100 for corner in corners], *[10 * y + x + 200] * 4)


BITS = (
    0x7F7FFFFF,
    0xFF7FFFFF,
    0x7F7FFFFE,
    0x00800000,
    0x3F800001,
    0x3EAAAAAB,
    0x7F000000,
    0x80000000,
    0x4B7FFFFF,
    0x3DCCCCCD,
    0x00FFFFFF,
    0xC2F6E979,
)


def test_literals(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Constants have the right bits, including the largest and the smallest normal numbers."""
    numbers = [struct.unpack("<f", struct.pack("<I", bits))[0].hex() for bits in BITS]
    constants = "".join(
        f"%c{k} = OpConstant %float {number}\n%n{k} = OpConstant %uint {k}\n" for k, number in enumerate(numbers)
    )
    body = "".join(
        f"%p{k} = OpAccessChain %ptr_word %out %i0 %n{k}\n%b{k} = OpBitcast %uint %c{k}\nOpStore %p{k} %b{k}\n"
        for k in range(len(BITS))
    )
    spirv = assemble(compute(body + "OpReturn", constants))
    out = same_results(spirv, {(0, 0): storage(4 * len(BITS))}, vulkan, webgpu)
    assert as_words(out[0, 0]) == BITS


def test_atomics_on_components_of_vectors(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Atomics on components and accesses to the whole vector observe each other, in buffers and workgroup memory."""
    source = """
struct Cell { float3 place; int3 counts; uint2 flags[2]; };
[[vk::binding(0)]] RWStructuredBuffer<uint4> u;
[[vk::binding(1)]] RWStructuredBuffer<Cell> cells;
[[vk::binding(2)]] RWStructuredBuffer<uint> o;
groupshared uint4 g[2];
groupshared int2 h;
[numthreads(8, 1, 1)] void main(uint id : SV_GroupIndex) {
    if (id == 0) { g[0] = uint4(1, 2, 3, 4); g[1] = 0; h = int2(100, -100); }
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(u[0].y, id + 1);
    InterlockedMax(u[1][id & 3], id * 10);
    InterlockedMin(cells[1].counts.z, -int(id));
    InterlockedOr(cells[0].flags[id & 1].y, 1u << id);
    InterlockedAdd(g[0].z, id);
    InterlockedXor(g[id >> 2][id & 3], 1u << (id + 8));
    InterlockedMin(h.x, int(id) - 3);
    InterlockedMax(h.y, int(id) - 5);
    GroupMemoryBarrierWithGroupSync();
    if (id != 0) return;
    uint4 whole = g[0] + g[1];
    o[0] = whole.x; o[1] = whole.y; o[2] = whole.z; o[3] = whole.w;
    o[4] = uint(h.x); o[5] = uint(h.y);
    uint old, before;
    InterlockedExchange(u[2].w, 77, old);
    InterlockedCompareExchange(u[2].x, 5, 9, before);
    o[6] = old; o[7] = before;
    u[3] = u[0] + u[2];
    cells[2] = cells[1];
    cells[2].place.y += 1;
}"""
    cell = struct.pack("<3f3i4I", 0.5, 1.5, 2.5, 7, 8, 9, 0, 0, 0, 0)
    spirv = Runner(vulkan, "performance").compile(source)
    given = {
        (0, 0): storage(words(1, 2, 3, 4, *[0] * 4, 5, 6, 7, 8, *[0] * 4)),
        (0, 1): storage(cell * 4),
        (0, 2): storage(32),
    }
    out = same_results(spirv, given, vulkan, webgpu)
    assert as_words(out[0, 0]) == (1, 38, 3, 4, 40, 50, 60, 70, 9, 6, 7, 77, 10, 44, 10, 81)
    shared = [1 ^ 1 << 8, 2 ^ 1 << 9, 0, 4 ^ 1 << 11]
    more = [1 << 12, 1 << 13, 1 << 14, 1 << 15]
    result = as_words(out[0, 2])
    assert [result[k] for k in (0, 1, 3)] == [shared[k] + more[k] for k in (0, 1, 3)]
    assert result[4:] == (0xFFFFFFFD, 2, 8, 5)


def test_a_component_of_a_vector_decides_about_a_barrier(vulkan: Vulkan, webgpu: WebGpu) -> None:
    source = """
[[vk::binding(0)]] RWStructuredBuffer<uint> o;
groupshared uint4 v;
groupshared uint w[4];
[numthreads(4, 1, 1)] void main(uint id : SV_GroupIndex) {
    if (id == 3) v = uint4(1, 5, 2, 7);
    w[id] = id;
    GroupMemoryBarrierWithGroupSync();
    if (v.y > 3) {
        w[id] += 10;
        GroupMemoryBarrierWithGroupSync();
        o[id] = w[3 - id];
    }
}"""
    spirv = Runner(vulkan, "performance").compile(source)
    assert "workgroupUniformLoad(&v).y" in convert(spirv)
    out = same_results(spirv, {(0, 0): storage(16)}, vulkan, webgpu)
    assert as_words(out[0, 0]) == (13, 12, 11, 10)


def test_structs_without_members(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Structs without members take no memory, wherever they are in a type."""
    source = """
struct Tag { };
struct Item { Tag first; float3 place; Tag middle; float size; Tag last; };
struct Nested { Tag a; Tag b; };
struct Outer { Item item; Nested nested; uint n; };
[[vk::binding(0)]] RWStructuredBuffer<Outer> data;
[[vk::binding(1)]] ConstantBuffer<Item> item;
groupshared Outer kept;
[numthreads(1, 1, 1)] void main() {
    Outer one = data[0];
    one.item.place += item.place;
    one.item.size += item.size;
    kept = one;
    GroupMemoryBarrierWithGroupSync();
    data[1] = kept;
    data[1].n = one.n * 2;
}"""
    given = {
        (0, 0): storage(struct.pack("<4fI12x", 1, 2, 3, 4, 21) + bytes(32)),
        (0, 1): uniform(struct.pack("<3f4xf12x", 10, 20, 30, 40)),
    }
    spirv = Runner(vulkan, "performance").compile(source)
    out = same_results(spirv, given, vulkan, webgpu)
    assert out[0, 0][32:52] == struct.pack("<4fI", 11, 22, 33, 44, 42)


def test_texel_buffers(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Texel buffers are storage buffers in WGSL: read, written, with atomics, and in arrays."""
    source = """
[[vk::binding(0)]] Buffer<float> a;
[[vk::binding(1)]] Buffer<int2> b;
[[vk::binding(2)]] RWBuffer<float4> c;
[[vk::binding(3)]] RWBuffer<uint> d;
[[vk::binding(4)]] RWBuffer<int> e;
[[vk::binding(5)]] RWBuffer<float2> f;
[[vk::binding(6)]] Buffer<uint4> g[2];
[[vk::binding(7)]] RWBuffer<uint> h[2];
[numthreads(8, 1, 1)] void main(uint id : SV_GroupIndex) {
    uint n, old;
    a.GetDimensions(n);
    c[id] = float4(a[id], b[id & 3].y, c[8].z, n);
    InterlockedAdd(d[id & 1], id + 1, old);
    InterlockedMin(e[1], -int(id));
    InterlockedExchange(d[2 + id], id * 3, old);
    InterlockedAdd(h[NonUniformResourceIndex(id & 1)][id >> 1], id);
    InterlockedOr(h[1][4], 1u << id);
    AllMemoryBarrierWithGroupSync();
    f[id] = float2(old, f[8].y) + float2(g[NonUniformResourceIndex(id & 1)][0].w, g[1][id >> 2].x);
    if (id == 0) { e[0] = e[1] + 1; d[10] = d[0] + d[1]; }
}"""
    given = {
        (0, 0): texels(floats(*[k + 0.5 for k in range(8)]), "r32f"),
        (0, 1): texels(words(*range(100, 108)), "rg32i"),
        (0, 2): texels(floats(*[0.0] * 34, 7.0, 0.0), "rgba32f", writable=True),
        (0, 3): texels(words(*range(11)), "r32u", writable=True),
        (0, 4): texels(words(0, 5), "r32i", writable=True),
        (0, 5): texels(floats(*[0.0] * 17, 0.25), "rg32f", writable=True),
        (0, 6, 0): texels(words(1, 2, 3, 4, 5, 6, 7, 8), "rgba32u"),
        (0, 6, 1): texels(words(10, 20, 30, 40, 50, 60, 70, 80), "rgba32u"),
        (0, 7, 0): texels(words(*[100] * 5), "r32u", writable=True),
        (0, 7, 1): texels(words(*[0] * 5), "r32u", writable=True),
    }
    out = same_results(Runner(vulkan, "performance").compile(source), given, vulkan, webgpu)
    assert as_floats(out[0, 2])[:8] == (0.5, 101, 7, 8, 1.5, 103, 7, 8)
    assert as_words(out[0, 3]) == (16, 21, 0, 3, 6, 9, 12, 15, 18, 21, 37)
    assert as_words(out[0, 4]) == (0xFFFFFFFA, 0xFFFFFFF9)
    assert as_floats(out[0, 5])[:4] == (2 + 4, 10.25, 3 + 40, 10.25)
    assert as_words(out[0, 7, 0]) == (100, 102, 104, 106, 100)
    assert as_words(out[0, 7, 1]) == (1, 3, 5, 7, 255)


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_words_between_members(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Members at offsets that WGSL types cannot have are read from an array of words; the others remain members.

    The results equal those on Vulkan, also with variable indices.
    """
    source = """
struct Item { float4 first; float3x3 matrix; uint number; float4 last[2]; float2 pair; float3 far; };
[[vk::binding(0)]] cbuffer Items { Item item; float2 more; float3 end; };
[[vk::binding(1)]] RWStructuredBuffer<float4> o;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = float4(mul(item.matrix, float3(1, 2, 3)), item.number) + item.last[i & 1] * item.first[i];
    if (i == 3) o[3] = float4(item.matrix[i - 2][i - 1], item.pair.y, item.far.z, end[i - 2] + more.x);
}"""
    spirv = Runner(vulkan, optimize).compile(source, layout="dx")
    assert "words: array<vec4u" in convert(spirv)
    data = struct.pack("<64f", *map(float, range(64)))
    data = data[:60] + struct.pack("<I", 7) + data[64:]
    same_results(spirv, {(0, 0): uniform(data), (0, 1): storage(64)}, vulkan, webgpu)


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_members_of_wide_types_are_padding(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    source = """
struct Item { uint64_t address; float first; int16_t small; double exact; float4 last; };
[[vk::binding(0)]] cbuffer Items { Item item; uint16_t one; uint two; };
[[vk::binding(1)]] StructuredBuffer<Item> items;
[[vk::binding(2)]] RWStructuredBuffer<float4> o;
[numthreads(3, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = items[i].last * items[i].first + item.last + item.first + two;
}"""
    spirv = Runner(vulkan, optimize).compile(source, enable_16bit_types=True, target_env="vulkan1.2")
    numbers = struct.pack("<64f", *map(float, range(64)))
    given = {(0, 0): uniform(numbers), (0, 1): storage(numbers), (0, 2): storage(48)}
    try:
        same_results(spirv, given, vulkan, webgpu)
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_barriers_that_order_memory(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    source = """
[[vk::binding(0)]] RWStructuredBuffer<uint> o;
groupshared uint g[64];
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    g[i] = i * 3;
    GroupMemoryBarrierWithGroupSync();
    o[i] = g[63 - i];
    DeviceMemoryBarrier();
    AllMemoryBarrier();
    o[i] += 1;
}"""
    spirv = Runner(vulkan, optimize).compile(source)
    out = same_results(spirv, {(0, 0): storage(256)}, vulkan, webgpu)
    assert as_words(out[0, 0]) == tuple((63 - i) * 3 + 1 for i in range(64))


def test_votes_of_quads(vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Quad votes have HLSL's results; not every Vulkan driver implements them."""
    source = """
[[vk::binding(0)]] RWStructuredBuffer<uint> o;
[numthreads(16, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = (QuadAny(i % 7 == 1) ? 1 : 0) + (QuadAll(i < 6 || i > 11) ? 2 : 0);
}"""
    spirv = Runner(vulkan, "performance").compile(source, profile="cs_6_7", target_env="vulkan1.1")
    text = for_naga(convert(spirv))
    out = webgpu.run_wgsl(text, {(0, 0): storage(64)}, (1, 1, 1))
    wanted = [sum(i % 7 == 1 for i in range(q, q + 4)) > 0 for q in range(0, 16, 4)]
    every = [all(i < 6 or i > 11 for i in range(q, q + 4)) for q in range(0, 16, 4)]
    assert as_words(out[0, 0]) == tuple(wanted[i // 4] + 2 * every[i // 4] for i in range(16))


@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_vectors_as_numbers(optimize: str, vulkan: Vulkan, webgpu: WebGpu) -> None:
    """Packed vectors after a scalar in a cbuffer, which WGSL would align differently, are read correctly."""
    source = """
[[vk::binding(0)]] cbuffer Items { float a; float3 b; float2 c; int2 d; uint e; uint3 f; float4 g; };
[[vk::binding(1)]] RWStructuredBuffer<float4> o;
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = float4(b * a, c.y) + float4(c, d) * g + float4(f, e) + b[i];
}"""
    spirv = Runner(vulkan, optimize).compile(source)
    assert "b_y: f32" in convert(spirv)
    data = struct.pack("<6f2i4I12f", *map(float, range(6)), -7, 8, *range(9, 13), *map(float, range(13, 25)))
    same_results(spirv, {(0, 0): uniform(data), (0, 1): storage(32)}, vulkan, webgpu)
