"""Atomics on floats, doubles, 16-bit floats and vectors of these, in buffers, groupshared memory and images.

Each needs a feature of VK_EXT_shader_atomic_float, VK_EXT_shader_atomic_float2 or VK_NV_shader_atomic_float16_vector; a
device without it skips the row and names the feature.
"""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import Resource, image, storage, texels

pytestmark = pytest.mark.parametrize("run", ["performance", "none"], indirect=True)

CODES = {"float": "f", "double": "d", "float16_t": "e"}
BITS = {"float": 32, "double": 64, "float16_t": 16}
THREADS = 64
VALUES = [float((n * 37) % 61 - 20) for n in range(THREADS)]
"""Whole numbers: their sums are exact in every order and type."""
MODELS = {"Add": lambda start: start + sum(VALUES), "Min": lambda start: min(start, *VALUES), "Max": lambda start: max(
    start, *VALUES)}  # fmt: skip
FEATURE = {"Add": "AtomicAdd", "Min": "AtomicMinMax", "Max": "AtomicMinMax", "Exchange": "Atomics"}


def pack(kind: str, *values: float) -> bytes:
    return struct.pack(f"<{len(values)}{CODES[kind]}", *values)


def unpack(kind: str, data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // struct.calcsize(CODES[kind])}{CODES[kind]}", data)


def needs(run: Runner, where: str, kind: str, *names: str) -> None:
    if kind != "float":
        run.needs({"double": "shaderFloat64", "float16_t": "shaderFloat16"}[kind])
    run.needs(*(f"shader{where}Float{BITS[kind]}{FEATURE[name]}" for name in names))


def options(kind: str) -> dict[str, object]:
    return {"profile": "cs_6_6", "enable_16bit_types": kind == "float16_t", "target_env": "vulkan1.2"}


def check(name: str, kind: str, start: float, data: bytes, originals: bytes) -> None:
    """Compare the memory with the expected contents.

    The old values that the atomics returned must form a chain from the start to the final value.
    """
    (end,) = unpack(kind, data)
    assert end == MODELS[name](start)
    before = unpack(kind, originals)
    assert len(before) == THREADS
    assert start in before
    if name == "Add":  # each value before is one that some order of sums leads to: the next begins where one ends
        after = sorted(b + v for b, v in zip(before, VALUES, strict=True))
        assert sorted([*before, end]) == sorted([*after, start])


@pytest.mark.parametrize("name", ["Add", "Min", "Max"])
@pytest.mark.parametrize("kind", list(CODES))
def test_buffers(run: Runner, kind: str, name: str) -> None:
    needs(run, "Buffer", kind, name)
    source = f"""
StructuredBuffer<{kind}> i : register(t0);
RWStructuredBuffer<{kind}> m : register(u1);
RWStructuredBuffer<{kind}> o : register(u2);
[numthreads(16, 1, 1)] void main(uint t : SV_DispatchThreadID) {{
    {kind} before;
    Interlocked{name}(m[0], i[t], before);
    Interlocked{name}(m[1], i[t]);
    o[t] = before;
}}"""
    resources = {
        (0, 0): storage(pack(kind, *VALUES)),
        (0, 1): storage(pack(kind, 3.5, 2.0)),
        (0, 2): storage(pack(kind, *[0.0] * THREADS)),
    }
    out = run(source, resources, (THREADS // 16, 1, 1), **options(kind))
    size = struct.calcsize(CODES[kind])
    check(name, kind, 3.5, out[0, 1][:size], out[0, 2])
    assert unpack(kind, out[0, 1][size:]) == (MODELS[name](2.0),)


@pytest.mark.parametrize("name", ["Add", "Min", "Max"])
@pytest.mark.parametrize("kind", list(CODES))
def test_groupshared_memory(run: Runner, kind: str, name: str) -> None:
    needs(run, "Shared", kind, name)
    source = f"""
StructuredBuffer<{kind}> i : register(t0);
RWStructuredBuffer<{kind}> m : register(u1);
RWStructuredBuffer<{kind}> o : register(u2);
groupshared {kind} cell[2];
[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{
    if (t == 0) cell[1] = m[0];
    GroupMemoryBarrierWithGroupSync();
    {kind} before;
    Interlocked{name}(cell[1], i[t], before);
    o[t] = before;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) m[0] = cell[1];
}}"""
    resources = {
        (0, 0): storage(pack(kind, *VALUES)),
        (0, 1): storage(pack(kind, 3.5)),
        (0, 2): storage(pack(kind, *[0.0] * THREADS)),
    }
    out = run(source, resources, **options(kind))
    check(name, kind, 3.5, out[0, 1], out[0, 2])


def texels_of(where: str, start: float) -> Resource:
    data = pack("float", 0.0, start)
    if where == "RWBuffer<float>":
        return texels(data, "r32f", writable=True)
    return image(data, "r32f", (2, 1), "2d")


@pytest.mark.parametrize("name", ["Add", "Min", "Max"])
@pytest.mark.parametrize(("where", "place"), [("RWTexture2D<float>", "uint2(1, 0)"), ("RWBuffer<float>", "1")])
def test_images(run: Runner, where: str, place: str, name: str) -> None:
    needs(run, "Image", "float", name)
    source = f"""
StructuredBuffer<float> i : register(t0);
[[vk::image_format("r32f")]] {where} m : register(u1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(16, 1, 1)] void main(uint t : SV_DispatchThreadID) {{
    float before;
    Interlocked{name}(m[{place}], i[t], before);
    o[t] = before;
}}"""
    resources = {
        (0, 0): storage(pack("float", *VALUES)),
        (0, 1): texels_of(where, 3.5),
        (0, 2): storage(4 * THREADS),
    }
    out = run(source, resources, (THREADS // 16, 1, 1), **options("float"))
    check(name, "float", 3.5, out[0, 1][4:8], out[0, 2])


@pytest.mark.parametrize("kind", list(CODES))
def test_exchanges(run: Runner, kind: str) -> None:
    """Each value occurs once afterwards: in memory or as an old value."""
    needs(run, "Buffer", kind, "Exchange")
    needs(run, "Shared", kind, "Exchange")
    source = f"""
StructuredBuffer<{kind}> i : register(t0);
RWStructuredBuffer<{kind}> m : register(u1);
RWStructuredBuffer<{kind}> o : register(u2);
groupshared {kind} cell;
[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{
    if (t == 0) cell = m[1];
    GroupMemoryBarrierWithGroupSync();
    {kind} before;
    InterlockedExchange(m[0], i[t], before);
    o[t] = before;
    InterlockedExchange(cell, i[t], before);
    o[{THREADS} + t] = before;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) m[1] = cell;
}}"""
    resources = {
        (0, 0): storage(pack(kind, *VALUES)),
        (0, 1): storage(pack(kind, 100.0, 200.0)),
        (0, 2): storage(pack(kind, *[0.0] * 2 * THREADS)),
    }
    out = run(source, resources, **options(kind))
    ends, before = unpack(kind, out[0, 1]), unpack(kind, out[0, 2])
    assert sorted([ends[0], *before[:THREADS]]) == sorted([*VALUES, 100.0])
    assert sorted([ends[1], *before[THREADS:]]) == sorted([*VALUES, 200.0])


@pytest.mark.parametrize(("kind", "suffix"), [("float", "Float"), ("double", "Double"), ("float16_t", "Float16")])
def test_byte_address_buffers(run: Runner, kind: str, suffix: str) -> None:
    """Atomic methods access the buffer as floats, while loads and stores access it as words."""
    needs(run, "Buffer", kind, "Add", "Min", "Max", "Exchange")
    size = struct.calcsize(CODES[kind])
    source = f"""
RWByteAddressBuffer m : register(u0);
RWStructuredBuffer<{kind}> o : register(u1);
[numthreads(1, 1, 1)] void main() {{
    {kind} before;
    m.InterlockedAdd{suffix}({size}, ({kind})1.5);
    m.InterlockedAdd{suffix}({size}, ({kind})2.5, before); o[0] = before;
    m.InterlockedMin{suffix}({2 * size}, ({kind})-4.0, before); o[1] = before;
    m.InterlockedMax{suffix}({3 * size}, ({kind})9.0, before); o[2] = before;
    m.InterlockedExchange{suffix}({4 * size}, ({kind})7.0, before); o[3] = before;
    o[4] = m.Load<{kind}>({size});
}}"""
    start = pack(kind, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0)
    out = run(source, {(0, 0): storage(start), (0, 1): storage(pack(kind, *[0.0] * 6))}, **options(kind))
    assert unpack(kind, out[0, 0]) == (1.0, 6.0, -4.0, 9.0, 7.0, 6.0, 0.0, 0.0)
    assert unpack(kind, out[0, 1]) == (3.5, 3.0, 4.0, 5.0, 6.0, 0.0)


@pytest.mark.parametrize("size", [2, 4])
def test_vectors_of_halves(run: Runner, size: int) -> None:
    run.needs("shaderFloat16", "shaderFloat16VectorAtomics")
    kind = f"float16_t{size}"
    source = f"""
RWStructuredBuffer<{kind}> m : register(u0);
groupshared {kind} cell;
[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{
    if (t == 0) cell = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(m[0], ({kind})((float16_t)(t & 3)));
    InterlockedMax(m[1], ({kind})((float16_t)t));
    InterlockedAdd(cell, ({kind})1);
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {{ InterlockedExchange(m[2], cell, cell); m[3] = cell; }}
}}"""
    start = pack("float16_t", *(float(n) for n in range(4 * size)))
    out = unpack("float16_t", run(source, {(0, 0): storage(start)}, **options("float16_t"))[0, 0])
    begin = [float(n) for n in range(4 * size)]
    assert out[:size] == tuple(b + THREADS // 4 * 6 for b in begin[:size])
    assert out[size : 2 * size] == (float(THREADS - 1),) * size
    assert out[2 * size : 3 * size] == (float(THREADS),) * size
    assert out[3 * size :] == tuple(begin[2 * size : 3 * size])


def test_64_bit_images(run: Runner) -> None:
    """Atomics work on images of 64-bit integers, signed and unsigned."""
    run.needs("shaderInt64", "shaderImageInt64Atomics")
    source = f"""
RWTexture2D<uint64_t> m : register(u0);
RWTexture2D<int64_t> s : register(u1);
[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{
    InterlockedAdd(m[uint2(0, 0)], (uint64_t)t << 32);
    InterlockedMax(m[uint2(1, 0)], (uint64_t)t << 33);
    InterlockedMin(s[uint2(0, 0)], -(int64_t)t * 10000000000LL);
}}"""
    resources = {
        (0, 0): image(struct.pack("<2Q", 5, 6), "r64u", (2, 1), "2d"),
        (0, 1): image(struct.pack("<2q", 7, 8), "r64i", (2, 1), "2d"),
    }
    out = run(source, resources, profile="cs_6_6", target_env="vulkan1.2")
    assert struct.unpack("<2Q", out[0, 0]) == (5 + (sum(range(THREADS)) << 32), (THREADS - 1) << 33)
    assert struct.unpack("<2q", out[0, 1])[0] == -(THREADS - 1) * 10000000000


def test_halves_without_16_bit_types(run: Runner) -> None:
    """Without 16-bit types ``half`` has 32 bits, for which atomics on floats exist."""
    run.needs("shaderBufferFloat32AtomicAdd")
    source = """
RWStructuredBuffer<half> m : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) { InterlockedAdd(m[0], (half)t); }"""
    out = run(source, {(0, 0): storage(pack("float", 0.5))})
    assert unpack("float", out[0, 0]) == (28.5,)
