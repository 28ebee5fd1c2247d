"""8-bit integers: arithmetic, conversions, and their offsets in memory."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Inputs, Row, Runner, words
from tests.execute.vulkan import image, storage, uniform

BYTES = {"enable_8bit_types": True, "target_env": "vulkan1.2"}


def test_arithmetic_wraps_at_8_bits(run: Runner) -> None:
    run.needs("shaderInt8")
    inputs: Inputs = {
        "a": ("int8_t", 100),
        "b": ("int8_t", -7),
        "u": ("uint8_t", 250),
        "n": ("uint8_t", 3),
        "v": ("int8_t4", (-128, 127, 5, -1)),
        "w": ("uint8_t3", (255, 128, 1)),
    }
    rows: list[Row] = [
        ("a + a", "int8_t", -56),
        ("u + u", "uint8_t", 244),
        ("n - u", "uint8_t", 9),
        ("a * b", "int8_t", 68),
        ("a / b", "int8_t", -14),
        ("u / n", "uint8_t", 83),
        ("u % n", "uint8_t", 1),
        ("a << n", "int8_t", 32),
        ("v >> 1", "int8_t4", (-64, 63, 2, -1)),
        ("w >> 1", "uint8_t3", (127, 64, 0)),
        ("a >> (n + 8)", "int8_t", 12),
        ("-v", "int8_t4", (-128, -127, -5, 1)),
        ("~w", "uint8_t3", (0, 127, 254)),
        ("(a & b) | n ^ u", "uint8_t", 249),
        ("a < b", "bool", False),
        ("u > n", "bool", True),
        ("v == v.wzyx", "bool4", (False, False, False, False)),
        ("v < 0", "bool4", (True, False, False, True)),
        ("a > b ? a : b", "int8_t", 100),
        ("a + 1", "int8_t", 101),
        ("u + 1u", "uint", 251),
    ]
    run.table(rows, inputs, **BYTES)


def test_conversions_of_bytes(run: Runner) -> None:
    run.needs("shaderInt8", "shaderInt16", "shaderInt64", "shaderFloat16")
    inputs: Inputs = {
        "a": ("int8_t", -100),
        "u": ("uint8_t", 200),
        "i": ("int", 0x1234_5681),
        "f": ("float", -77.9),
        "z": ("int8_t", 0),
        "b": ("bool", True),
        "v": ("uint8_t4", (1, 0, 255, 128)),
    }
    rows: list[Row] = [
        ("(int)a", "int", -100),
        ("(uint)a", "uint", 2**32 - 100),
        ("(int)u", "int", 200),
        ("(int8_t)u", "int8_t", -56),
        ("(uint8_t)a", "uint8_t", 156),
        ("(int8_t)i", "int8_t", -127),
        ("(uint8_t)i", "uint8_t", 0x81),
        ("(int8_t)f", "int8_t", -77),
        ("(float)a", "float", -100.0),
        ("(float4)v", "float4", (1.0, 0.0, 255.0, 128.0)),
        ("(half)u", "half", 200.0),
        ("(int16_t)a", "int16_t", -100),
        ("(uint16_t)u", "uint16_t", 200),
        ("(int64_t)a", "int64_t", -100),
        ("(uint64_t)v.z", "uint64_t", 255),
        ("(bool)z", "bool", False),
        ("(bool4)v", "bool4", (True, False, True, True)),
        ("(uint8_t)b", "uint8_t", 1),
        ("(int4)v", "int4", (1, 0, 255, 128)),
        ("a + i", "int", 0x1234_5681 - 100),
        ("a + f", "float", -100.0 + struct.unpack("<f", struct.pack("<f", -77.9))[0]),
        ("int8_t2x2(a, 1, 2, 3)[0]", "int8_t2", (-100, 1)),
    ]
    run.table(rows, inputs, enable_16bit_types=True, **BYTES)


def test_intrinsics_of_bytes(run: Runner) -> None:
    run.needs("shaderInt8")
    inputs: Inputs = {
        "a": ("int8_t", -100),
        "u": ("uint8_t", 200),
        "v": ("int8_t4", (-128, 127, 5, -1)),
        "w": ("uint8_t4", (255, 128, 1, 0)),
    }
    rows: list[Row] = [
        ("abs(a)", "int8_t", 100),
        ("sign(v)", "int4", (-1, 1, 1, -1)),
        ("min(v, (int8_t)4)", "int8_t4", (-128, 4, 4, -1)),
        ("max(w, u)", "uint8_t4", (255, 200, 200, 200)),
        ("clamp(v, (int8_t)-5, (int8_t)5)", "int8_t4", (-5, 5, 5, -1)),
        ("countbits(w)", "uint4", (8, 1, 1, 0)),
        ("countbits(a)", "uint", 4),
        ("reversebits(u)", "uint8_t", 0b00010011),
        ("firstbithigh(u)", "uint", 7),
        ("firstbithigh(v)", "uint4", (6, 6, 2, 0xFFFFFFFF)),
        ("firstbitlow(w)", "uint4", (0, 7, 0, 0xFFFFFFFF)),
        ("mad(a, (int8_t)2, (int8_t)1)", "int8_t", 57),
        ("dot(v, v)", "int8_t", 27),
        ("any(w)", "bool", True),
        ("all(w)", "bool", False),
        ("select(w > 0, w, (uint8_t4)7)", "uint8_t4", (255, 128, 1, 7)),
    ]
    run.table(rows, inputs, **BYTES)


LAYOUT = """
struct S { int8_t a; uint8_t2 b; uint8_t4 c; uint d; uint8_t e[3]; };
"""


@pytest.mark.parametrize("layout", ["vulkan", "gl", "scalar"])
def test_bytes_in_structured_buffers(run: Runner, layout: str) -> None:
    run.needs("shaderInt8", "storageBuffer8BitAccess")
    source = (
        LAYOUT
        + """
RWStructuredBuffer<S> s : register(u0);
[numthreads(1, 1, 1)] void main() {
    S t = s[0];
    t.a = t.a - 1; t.b = t.b.yx; t.c += t.c; t.d = t.e[t.d]; t.e[1] = 99;
    s[1] = t;
    s[1].c.w = 1;
}"""
    )
    at_b, at_c, size = (2, 4, 16) if layout == "gl" else (1, 3, 16)
    data = bytearray(2 * size)
    struct.pack_into("<b", data, 0, -128)
    struct.pack_into("<2B", data, at_b, 1, 2)
    struct.pack_into("<4B", data, at_c, 10, 200, 3, 4)
    struct.pack_into("<I3B", data, 8, 2, 7, 8, 9)
    out = run(source, {(0, 0): storage(bytes(data))}, layout=layout, **BYTES)[0, 0]
    assert struct.unpack_from("<b", out, size) == (127,)
    assert struct.unpack_from("<2B", out, size + at_b) == (2, 1)
    assert struct.unpack_from("<4B", out, size + at_c) == (20, 144, 6, 1)
    assert struct.unpack_from("<I3B", out, size + 8) == (9, 7, 99, 9)


def test_bytes_in_constants(run: Runner) -> None:
    run.needs("shaderInt8", "uniformAndStorageBuffer8BitAccess")
    source = """
struct C { uint8_t a; int8_t4 b; uint8_t4x2 m; };
ConstantBuffer<C> c : register(b1);
RWStructuredBuffer<int> o : register(u0);
[numthreads(1, 1, 1)] void main() {
    o[0] = c.a; o[1] = c.b.w; o[2] = c.m[3][1]; o[3] = c.m[0][0];
}"""
    data = bytearray(48)
    data[0], data[1:5] = 200, struct.pack("<4b", 1, 2, 3, -4)
    data[16:20], data[32:36] = bytes((1, 2, 3, 4)), bytes((5, 6, 7, 8))
    out = run(source, {(0, 0): storage(16), (0, 1): uniform(bytes(data))}, **BYTES)[0, 0]
    assert struct.unpack("<4i", out) == (200, -4, 8, 1)


def test_raw_bytes(run: Runner) -> None:
    run.needs("shaderInt8", "storageBuffer8BitAccess")
    source = (
        LAYOUT
        + """
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {
    b.Store<uint8_t>(b.Load(0), b.Load<uint8_t>(9) + (uint8_t)1);
    b.Store<int8_t3>(6, (int8_t3)b.Load<uint8_t4>(9).wzy);
    b.Store<uint8_t2x2>(20, uint8_t2x2(1, 2, 3, 4));
}"""
    )
    data = words(5, 0xAAAAAAAA, 0x03020100, 0x07060504, 0, 0xBBBBBBBB, 0xCCCCCCCC)
    out = run(source, {(0, 0): storage(data)}, **BYTES)[0, 0]
    assert out[4:12] == bytes((0xAA, 2, 4, 3, 2, 1, 2, 3))
    assert out[20:28] == bytes((1, 3, 2, 4)) + b"\xcc" * 4


def test_neighbouring_bytes_are_stored_without_a_race(run: Runner) -> None:
    """Each invocation stores one byte without losing the bytes of its neighbours."""
    run.needs("shaderInt8", "storageBuffer8BitAccess")
    source = """
RWByteAddressBuffer raw : register(u0);
RWStructuredBuffer<uint8_t> typed : register(u1);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    for (uint round = 0; round < 8; round++) {
        raw.Store<uint8_t>(id.x, (uint8_t)(id.x + round));
        typed[id.x] = (uint8_t)(id.x * 3 + round);
    }
}"""
    out = run(source, {(0, 0): storage(1024), (0, 1): storage(1024)}, (16, 1, 1), **BYTES)
    assert out[0, 0] == bytes((i + 7) % 256 for i in range(1024))
    assert out[0, 1] == bytes((i * 3 + 7) % 256 for i in range(1024))


def test_bytes_of_the_group(run: Runner) -> None:
    run.needs("shaderInt8")
    source = """
groupshared uint8_t shared[64];
groupshared int8_t4 quads[16];
RWStructuredBuffer<int> o : register(u0);
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    shared[i] = (uint8_t)(i * 5);
    quads[i / 4][i % 4] = (int8_t)-i;
    GroupMemoryBarrierWithGroupSync();
    o[i] = (int)shared[63 - i] + quads[i / 4].wzyx[i % 4];
}"""
    out = struct.unpack("<64i", run(source, {(0, 0): storage(256)}, **BYTES)[0, 0])
    assert out == tuple((63 - i) * 5 % 256 - (i // 4 * 4 + 3 - i % 4) for i in range(64))


def test_texels_of_bytes(run: Runner) -> None:
    """Images of 8-bit components have 32 bits in the shader and the 8-bit format in memory."""
    run.needs("shaderInt8")
    source = """
RWTexture2D<uint8_t4> t : register(u0);
[numthreads(1, 1, 1)] void main() { t[uint2(1, 0)] = t[uint2(0, 0)] + uint8_t4(1, 2, 3, 250); }"""
    picture = image(bytes((10, 20, 30, 40, 0, 0, 0, 0)), "rgba8u", (2, 1))
    assert run(source, {(0, 0): picture}, **BYTES)[0, 0][4:] == bytes((11, 22, 33, 34))


def test_specialisation_constants_of_bytes(run: Runner) -> None:
    run.needs("shaderInt8")
    source = """
[[vk::constant_id(1)]] const int8_t a = -3;
[[vk::constant_id(2)]] const uint8_t b = 255;
RWStructuredBuffer<int> o : register(u0);
[numthreads(1, 1, 1)] void main() { o[0] = a; o[1] = b; o[2] = (int8_t)(a + b); }"""
    assert struct.unpack("<3i", run(source, {(0, 0): storage(12)}, **BYTES)[0, 0]) == (-3, 255, -4)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("WaveActiveMin(x)", (-60,) * 4),
        ("WaveActiveMax((uint8_t)x)", (236,) * 4),
        ("WaveActiveSum(x)", (0,) * 4),
        ("WavePrefixSum(x)", (0, -60, -80, -60)),
        ("WaveReadLaneFirst(x)", (-60,) * 4),
        ("WaveReadLaneAt(x, 3)", (60,) * 4),
        ("QuadReadAcrossX(x)", (-20, -60, 60, 20)),
    ],
)
def test_waves_of_bytes(run: Runner, expression: str, wanted: tuple[int, ...]) -> None:
    run.needs("shaderInt8", "shaderSubgroupExtendedTypes", "subgroupArithmetic")
    source = f"""
RWStructuredBuffer<int> o : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {{
    int8_t x = (int8_t)(i * 40 - 60);
    o[i] = {expression};
}}"""
    assert struct.unpack("<4i", run(source, {(0, 0): storage(16)}, **BYTES)[0, 0]) == wanted
