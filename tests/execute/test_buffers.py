"""Buffers: raw memory, structured buffers and their counters, typed buffers."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from tests.execute.tables import Runner, as_floats, as_ints, as_words, floats, words
from tests.execute.vulkan import storage, texels, uniform


def test_raw_loads_and_stores(run: Runner) -> None:
    source = """
ByteAddressBuffer i : register(t0);
RWByteAddressBuffer o : register(u1);
[numthreads(1, 1, 1)] void main() {
    o.Store(0, i.Load(4));
    o.Store2(4, i.Load2(0));
    o.Store3(12, i.Load3(8));
    o.Store4(24, i.Load4(4));
    uint size, size2; i.GetDimensions(size); o.GetDimensions(size2);
    o.Store2(40, uint2(size, size2));
    o.Store(48, asuint(asfloat(o.Load(40)) * 1));
}"""
    data = [11, 22, 33, 44, 55, 66]
    out = as_words(run(source, {(0, 0): storage(words(*data)), (0, 1): storage(64)})[0, 1])
    assert out[:13] == (22, 11, 22, 33, 44, 55, 22, 33, 44, 55, 24, 64, 24)


def test_raw_loads_and_stores_of_types(run: Runner) -> None:
    source = """
struct S { float2 a; uint b; float3x2 m; bool c; int d[2]; };
ByteAddressBuffer i : register(t0);
RWByteAddressBuffer o : register(u1);
[numthreads(1, 1, 1)] void main() {
    S s = i.Load<S>(4);
    s.a *= 2; s.b += 1; s.m[2] = -s.m[0]; s.c = !s.c; s.d[1] = s.d[0] - s.d[1];
    o.Store<S>(8, s);
    o.Store(64, i.Load<float3>(4).zyx);
    o.Store<int>(76, i.Load<int>(0));
    o.Store(80, i.Load<float2x2>(4));
}"""
    body = struct.pack(
        "<2fI6fI2i", 1.5, 2.5, 7, 1, 2, 3, 4, 5, 6, 1, 100, 30
    )  # a column-major 3x2: two columns of three
    data = struct.pack("<i", -5) + body + bytes(8)
    out = run(source, {(0, 0): storage(data), (0, 1): storage(96)}, layout="scalar")[0, 1]
    # columns (1, 2, 3) and (4, 5, 6): row 0 is (1, 4), which replaces row 2 with its sign turned
    assert struct.unpack_from("<2fI6fI2i", out, 8) == (3, 5, 8, 1, 2, -1, 4, 5, -4, 0, 100, 70)
    assert struct.unpack_from("<f", out, 68) == (2.5,)
    assert struct.unpack_from("<2f", out, 68) == (2.5, 1.5)
    assert struct.unpack_from("<i", out, 76) == (-5,)
    assert as_words(out[80:]) == as_words(body[:16])


def test_raw_64_and_16_bit(run: Runner) -> None:
    run.needs("shaderInt64", "shaderFloat64", "shaderInt16", "shaderFloat16")
    source = """
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {
    b.Store<uint64_t>(16, b.Load<uint64_t>(0) + 1);
    b.Store<double>(24, b.Load<double>(8) * 2);
    b.Store<half4>(40, b.Load<half4>(32) + 1.0h);
    b.Store<uint16_t>(48, uint16_t(b.Load<uint16_t>(32) + 1));
}"""
    data = struct.pack("<Qd16x4e16x", 0xFFFFFFFF, 1.25, 0.5, 1.5, 2.5, 3.5)
    out = run(source, {(0, 0): storage(data)}, enable_16bit_types=True)[0, 0]
    assert struct.unpack_from("<Qd", out, 16) == (1 << 32, 2.5)
    assert struct.unpack_from("<4e", out, 40) == (1.5, 2.5, 3.5, 4.5)
    assert struct.unpack_from("<H", out, 48) == (struct.unpack("<H", struct.pack("<e", 0.5))[0] + 1,)


RAW_STRUCTS = """
struct Inner { float16_t a; float16_t b[3]; };
struct S { uint first; float3 v; Inner inner[2]; double d; float2x3 m; bool last; };
"""
RAW_MEMBERS = (("I", 1), ("3f", 3), ("8e", 8), ("d", 1), ("6f", 6), ("I", 1))


@pytest.mark.parametrize(
    ("layout", "places", "size"),
    [
        ("vulkan", (0, 4, 16, 32, 40, 64), 80),
        ("dx", (0, 4, 16, 32, 40, 64), 72),
        ("gl", (0, 16, 28, 48, 56, 80), 96),
    ],
)
def test_raw_structs_lie_as_in_structured_buffers(run: Runner, layout: str, places: tuple[int, ...], size: int) -> None:
    """In a byte-address buffer, struct members have the offsets that the layout rule gives in structured buffers.

    The second struct of an array starts at a multiple of the struct's alignment. The address is only known at run time.
    """
    run.needs("shaderFloat64", "shaderInt16", "shaderFloat16")
    source = (
        RAW_STRUCTS
        + """
ByteAddressBuffer i : register(t0);
RWByteAddressBuffer o : register(u1);
[numthreads(1, 1, 1)] void main() {
    uint at = i.Load(0);
    S s[2] = i.Load<S[2]>(at);
    S swapped[2] = { s[1], s[0] };
    o.Store<S[2]>(at, swapped);
}"""
    )
    data, wanted = bytearray(8 + 2 * size), bytearray(b"\xcc" * (8 + 2 * size))
    struct.pack_into("<I", data, 0, 8)
    for k in range(2):
        n = 20 * k + 1
        for offset, (form, count) in zip(places, RAW_MEMBERS, strict=True):
            values = [1] if offset == places[-1] else range(n, n + count)
            struct.pack_into("<" + form, data, 8 + k * size + offset, *values)
            struct.pack_into("<" + form, wanted, 8 + (1 - k) * size + offset, *values)
            n += count
    out = run(
        source,
        {(0, 0): storage(bytes(data)), (0, 1): storage(b"\xcc" * len(wanted))},
        enable_16bit_types=True,
        layout=layout,
    )[0, 1]
    assert out[:8] == wanted[:8]
    for k in range(2):
        for offset, (form, _) in zip(places, RAW_MEMBERS, strict=True):
            at = 8 + k * size + offset
            assert struct.unpack_from("<" + form, out, at) == struct.unpack_from("<" + form, wanted, at), (k, offset)


def test_raw_store_of_half_a_word_leaves_the_other(run: Runner) -> None:
    run.needs("shaderInt16")
    source = """
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {
    b.Store<uint16_t>(b.Load(8), (uint16_t)0x1234);
    b.Store<uint16_t>(b.Load(12), (uint16_t)0x5678);
}"""
    out = run(source, {(0, 0): storage(words(0xAAAABBBB, 0xCCCCDDDD, 2, 4))}, enable_16bit_types=True)[0, 0]
    assert as_words(out)[:2] == (0x1234BBBB, 0xCCCC5678)


@pytest.mark.parametrize("legacy", [False, True])
def test_matrix_order_in_raw_buffers(run: Runner, legacy: bool) -> None:
    """Matrices are in the default order, or in rows with the legacy option."""
    source = """
ByteAddressBuffer i : register(t0);
RWByteAddressBuffer o : register(u1);
RWStructuredBuffer<float> rows : register(u2);
[numthreads(1, 1, 1)] void main() {
    float2x3 m = i.Load<float2x3>(0);
    for (uint r = 0; r < 2; r++) for (uint c = 0; c < 3; c++) rows[r * 3 + c] = m[r][c];
    o.Store(0, m);
}"""
    data = floats(1, 2, 3, 4, 5, 6)
    for majorness in ("column_major", "row_major"):
        out = run(
            source,
            {(0, 0): storage(data), (0, 1): storage(24), (0, 2): storage(24)},
            legacy_buffer_matrix_order=legacy,
            matrix_layout=majorness,
        )
        assert as_floats(out[0, 2]) == (
            (1, 2, 3, 4, 5, 6) if legacy or majorness == "row_major" else (1, 3, 5, 2, 4, 6)
        )
        assert out[0, 1] == data


def test_raw_atomics_are_signed_as_their_operand(run: Runner) -> None:
    source = """
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {
    int old; int five = b.Load<int>(16);
    b.InterlockedMin(0, -1); b.InterlockedMax(4, -1, old); b.InterlockedMax(8, 7);
    b.InterlockedMin(12, five);
    b.Store(16, old);
}"""
    out = run(source, {(0, 0): storage(words(3, 0xFFFFFFF0, 0xFFFFFFF0, 0xFFFFFFF0, 5))})[0, 0]
    assert as_words(out) == (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFF0, 0xFFFFFFF0, 0xFFFFFFF0)


ATOMICS: dict[str, Callable[[int, int], int]] = {
    "InterlockedAdd": lambda a, b: a + b,
    "InterlockedAnd": lambda a, b: a & b,
    "InterlockedOr": lambda a, b: a | b,
    "InterlockedXor": lambda a, b: a ^ b,
    "InterlockedMax": max,
    "InterlockedMin": min,
    "InterlockedExchange": lambda a, b: b,
}


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        *[(where, kind) for where in ("structured", "groupshared", "texels") for kind in ("int", "uint")],
        ("raw", "uint"),
    ],
)
def test_atomics(run: Runner, where: str, kind: str) -> None:
    """Each atomic operation, called once on a word of its own, returns the old value and stores the new one."""
    first = -6 if kind == "int" else 0xFFFFFFFA
    lines, wanted = [], []
    for number, (name, model) in enumerate(ATOMICS.items()):
        value = 9 if number % 2 else 5
        if where == "raw":
            lines.append(f"o.{name}({4 * number}, {value}, old); r[{number}] = old;")
        else:
            lines.append(f"{name}(o[{number}], {value}, old); r[{number}] = old;")
        wanted.append(model(first, value) & 0xFFFFFFFF)
    n = len(lines)
    if where == "raw":
        lines.append(f"o.InterlockedCompareExchange({4 * n}, {first}, 77, old); r[{n}] = old;")
        lines.append(f"o.InterlockedCompareStore({4 * n + 4}, 1, 77); o.InterlockedAdd({4 * n + 4}, 1);")
    else:
        lines.append(f"InterlockedCompareExchange(o[{n}], {first}, 77, old); r[{n}] = old;")
        lines.append(f"InterlockedCompareStore(o[{n + 1}], 1, 77); InterlockedAdd(o[{n + 1}], 1);")
    wanted += [77, first + 1 & 0xFFFFFFFF]
    declaration = {
        "structured": f"RWStructuredBuffer<{kind}> o : register(u0);",
        "raw": "RWByteAddressBuffer o : register(u0);",
        "groupshared": f"groupshared {kind} o[16]; RWStructuredBuffer<{kind}> g : register(u0);",
        "texels": f"RWBuffer<{kind}> o : register(u0);",
    }[where]
    before = f"for (uint i = 0; i < {n + 2}; i++) o[i] = g[i];" if where == "groupshared" else ""
    after = f"for (uint j = 0; j < {n + 2}; j++) g[j] = o[j];" if where == "groupshared" else ""
    source = f"""{declaration}
RWStructuredBuffer<{kind}> r : register(u1);
[numthreads(1, 1, 1)] void main() {{ {kind} old; {before} {" ".join(lines)} {after} }}"""
    data = words(*[first] * (n + 2))
    target = texels(data, "r32i" if kind == "int" else "r32u", writable=True) if where == "texels" else storage(data)
    out = run(source, {(0, 0): target, (0, 1): storage(4 * n + 4)})
    assert as_words(out[0, 0]) == tuple(wanted)
    assert as_words(out[0, 1]) == (first & 0xFFFFFFFF,) * (n + 1)


def test_atomics_of_many_threads(run: Runner) -> None:
    source = """
struct Cell { uint total; int least; };
RWStructuredBuffer<Cell> cells : register(u0);
groupshared uint local;
[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) {
    if (i == 0) local = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(local, id.x);
    InterlockedMin(cells[1].least, -int(id.x));
    GroupMemoryBarrierWithGroupSync();
    if (i == 0) InterlockedAdd(cells[0].total, local);
}"""
    out = as_ints(run(source, {(0, 0): storage(16)}, (4, 1, 1))[0, 0])
    assert out == (sum(range(128)), 0, 0, -127)


def test_64_bit_atomics(run: Runner) -> None:
    run.needs("shaderBufferInt64Atomics", "shaderInt64")
    source = """
RWStructuredBuffer<uint64_t> o : register(u0);
[numthreads(1, 1, 1)] void main() {
    uint64_t old; InterlockedAdd(o[0], 0x100000001ull, old); o[1] = old; InterlockedMax(o[2], 5ull);
}"""
    out = run(source, {(0, 0): storage(struct.pack("<3Q", 0xFFFFFFFF, 0, 3))}, profile="cs_6_6")[0, 0]
    assert struct.unpack("<3Q", out) == (0x200000000, 0xFFFFFFFF, 5)


def test_counters(run: Runner) -> None:
    source = """
struct P { float2 a; uint b; };
[[vk::binding(0), vk::counter_binding(1)]] RWStructuredBuffer<P> p;
[[vk::binding(2), vk::counter_binding(3)]] AppendStructuredBuffer<float4> a;
[[vk::binding(4), vk::counter_binding(5)]] ConsumeStructuredBuffer<float4> c;
[[vk::binding(6)]] RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() {
    uint i = p.IncrementCounter(); uint j = p.IncrementCounter(); uint k = p.DecrementCounter();
    p[i].a = float2(1, 2); p[i].b = 3; P q = { 4, 5, 6 }; p[j] = q;
    float4 first = c.Consume(); float4 second = c.Consume();
    a.Append(first + second); a.Append(first);
    uint n, stride; p.GetDimensions(n, stride);
    o[0] = i; o[1] = j; o[2] = k; o[3] = n; o[4] = stride;
}"""
    resources = {
        (0, 0): storage(16 * 4),
        (0, 1): storage(words(1)),
        (0, 2): storage(64),
        (0, 3): storage(words(1)),
        (0, 4): storage(floats(*range(16))),
        (0, 5): storage(words(3)),
        (0, 6): storage(20),
    }
    out = run(source, resources)
    assert as_words(out[0, 6]) == (1, 2, 2, 4, 16)
    assert as_words(out[0, 1]) == (2,)
    assert as_words(out[0, 3]) == (3,)
    assert as_words(out[0, 5]) == (1,)
    assert as_floats(out[0, 2]) == (0, 0, 0, 0, 12, 14, 16, 18, 8, 9, 10, 11, 0, 0, 0, 0)
    assert struct.unpack_from("<2fI4x2fI", out[0, 0], 16) == (1, 2, 3, 4, 5, 6)


def test_counter_of_a_buffer_that_a_call_chooses(run: Runner) -> None:
    """The call is evaluated once, and the counter of the buffer that it returns is incremented."""
    source = """
[[vk::binding(0), vk::counter_binding(1)]] RWStructuredBuffer<uint> first;
[[vk::binding(2), vk::counter_binding(3)]] RWStructuredBuffer<uint> second;
[[vk::binding(4)]] RWStructuredBuffer<uint> o;
RWStructuredBuffer<uint> counted(RWStructuredBuffer<uint> buffer) { o[0] += 1; return buffer; }
RWStructuredBuffer<uint> other(RWStructuredBuffer<uint> buffer) { o[1] += 1; return buffer; }
[numthreads(1, 1, 1)] void main() {
    uint i = counted(first).IncrementCounter(); uint j = other(second).IncrementCounter();
    o[2] = i; o[3] = j; first[0] = 1; second[0] = 1;
}"""
    resources = {
        (0, 0): storage(16),
        (0, 1): storage(words(5)),
        (0, 2): storage(16),
        (0, 3): storage(words(7)),
        (0, 4): storage(16),
    }
    out = run(source, resources)
    assert as_words(out[0, 4]) == (1, 1, 5, 7)
    assert as_words(out[0, 1]) == (6,)
    assert as_words(out[0, 3]) == (8,)


def test_structured_buffer_of_every_kind(run: Runner) -> None:
    source = """
struct N { float a[2]; int2 b; };
StructuredBuffer<float3> v : register(t0);
StructuredBuffer<N> n : register(t1);
RWStructuredBuffer<N> w : register(u2);
[numthreads(1, 1, 1)] void main() {
    N x = n.Load(1); x.a[1] = v[1].z; x.b.yx = int2(v[0].xy);
    w[0] = x; w[1] = n[0]; w[1].b[1] += 5; w[1].a = x.a; w[1].b.x--;
}"""
    data = struct.pack("<2f2i2f2i", 1, 2, 3, 4, 5, 6, 7, 8)
    vectors = floats(10, 11, 12, 0, 20, 21, 22, 0)
    out = run(source, {(0, 0): storage(vectors), (0, 1): storage(data), (0, 2): storage(32)})[0, 2]
    assert struct.unpack("<2f2i2f2i", out) == (5, 22, 11, 10, 5, 22, 2, 9)


def test_typed_buffers(run: Runner) -> None:
    source = """
Buffer<float4> a : register(t0);
Buffer<uint2> b : register(t1);
RWBuffer<float> c : register(u2);
RWBuffer<int4> d : register(u3);
RWStructuredBuffer<uint> o : register(u4);
[numthreads(1, 1, 1)] void main() {
    c[0] = a[1].y; c[1] = a.Load(0).w + b[2].x; c[2] = c[1] * 2; c[3] += 1.5;
    d[1] = int4(-1, b[1], 7); d[0] = d[1].wzyx; d[2].z = 9;
    uint n; a.GetDimensions(n); o[0] = n; c.GetDimensions(n); o[1] = n;
}"""
    resources = {
        (0, 0): texels(floats(*range(8)), "rgba32f"),
        (0, 1): texels(words(10, 20, 30, 40, 50, 60), "rg32u"),
        (0, 2): texels(floats(0, 0, 0, 4), "r32f", writable=True),
        (0, 3): texels(words(*[0] * 8, 1, 2, 3, 4), "rgba32i", writable=True),
        (0, 4): storage(8),
    }
    out = run(source, resources)
    assert as_floats(out[0, 2]) == (5, 53, 106, 5.5)
    assert as_ints(out[0, 3]) == (7, 40, 30, -1, -1, 30, 40, 7, 1, 2, 9, 4)
    assert as_words(out[0, 4]) == (2, 4)


def test_constant_arrays_by_thread(run: Runner) -> None:
    source = """
cbuffer A : register(b0) { float2 x[3]; row_major float2x3 m; };
RWStructuredBuffer<float> o : register(u1);
[numthreads(3, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = dot(x[i], float2(1, 10)) + m[i % 2][i]; }"""
    data = floats(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 100, 200, 300, 0, 400, 500, 600, 0)
    out = run(source, {(0, 0): uniform(data), (0, 1): storage(12)})
    assert as_floats(out[0, 1]) == (121, 543, 365)


def test_raw_16_bit_loads_anywhere_in_a_word(run: Runner) -> None:
    run.needs("shaderInt16")
    source = """
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {
    uint at = b.Load(0);
    uint16_t3 v = b.Load<uint16_t3>(at);
    b.Store4(12, uint4(v, b.Load<uint16_t>(at + 4)));
}"""
    out = run(source, {(0, 0): storage(struct.pack("<I4H16x", 6, 11, 22, 33, 44))}, enable_16bit_types=True)[0, 0]
    assert struct.unpack_from("<4I", out, 12) == (22, 33, 44, 44)


def test_elements_of_arrays_of_buffers(run: Runner) -> None:
    """Each access reaches its buffer in the array, and an index with a side effect is evaluated once."""
    source = """
RWStructuredBuffer<uint> many[2] : register(u0);
RWStructuredBuffer<uint> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    int i = 0;
    many[i++][1] = 7;
    many[i][0] = many[0][1] + many[1][1];
    o[0] = i;
    o[1] = many[1][0];
    o[2] = many[0].Load(1);
}"""
    out = as_words(
        run(
            source,
            {
                (0, 0): storage(words(1, 2)),
                (0, 1): storage(words(3, 4)),
                (0, 2): storage(16),
            },
            flatten_resource_arrays=True,
        )[0, 2]
    )
    assert out[:3] == (1, 11, 7)


def test_neighbouring_16_bit_stores_do_not_race(run: Runner) -> None:
    """Each invocation stores to one half of a word that it shares with its neighbour."""
    run.needs("shaderInt16", "storageBuffer16BitAccess")
    source = """
RWByteAddressBuffer o : register(u0);
void put(RWByteAddressBuffer target, uint at, uint16_t v) { target.Store(at, v); }
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    put(o, 2 * i, uint16_t(i + 1));
    o.Store<uint16_t3>(128 + 6 * i, uint16_t3(i, 2 * i, 3 * i));
}"""
    out = run(source, {(0, 0): storage(512)}, enable_16bit_types=True)[0, 0]
    assert struct.unpack_from("<64H", out) == tuple(range(1, 65))
    assert struct.unpack_from("<192H", out, 128) == tuple(n * i for i in range(64) for n in (1, 2, 3))


@pytest.mark.parametrize("target", ["o", "many[1]", "chosen(true)"])
def test_64_bit_atomics_on_raw_buffers(run: Runner, target: str) -> None:
    """All 64-bit atomic methods work on a buffer that other accesses read as words."""
    run.needs("shaderInt64", "shaderBufferInt64Atomics")
    source = """
RWByteAddressBuffer o : register(u0), many[2] : register(u1), r : register(u3);
RWByteAddressBuffer chosen(bool first) { return o; }
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    RWByteAddressBuffer b = TARGET;
    uint64_t bit = 1ull << i, old;
    int64_t signed_old;
    b.InterlockedAdd64(0, 0x100000001ull);
    b.InterlockedOr64(8, bit);
    b.InterlockedXor64(16, bit);
    b.InterlockedAnd64(24, ~bit, old);
    b.InterlockedMin64(32, -int64_t(i));
    b.InterlockedMax64(40, uint64_t(i) << 40);
    if (i == 5) {
        b.InterlockedExchange64(48, 0xABCDEF0123456789ull, old);
        r.Store<uint64_t>(0, old);
        b.InterlockedCompareExchange64(56, 7, 1ull << 63, old);
        r.Store<uint64_t>(8, old);
        b.InterlockedCompareStore64(64, 8, 9);
        b.InterlockedAdd64(72, 1, signed_old);
        r.Store<int64_t>(16, signed_old);
    }
    b.Store<uint64_t>(80 + 8 * i, bit);
}""".replace("TARGET", target)
    before = struct.pack("<4QqQ4Q", 0, 0, 0, 2**64 - 1, 2**62, 0, 11, 7, 8, 2**64 - 2) + bytes(8 * 64)
    place = {"o": (0, 0), "chosen(true)": (0, 0), "many[1]": (0, 1, 1)}[target]
    buffers = {(0, 0): storage(before), (0, 1, 0): storage(before), (0, 1, 1): storage(before), (0, 3): storage(24)}
    out = run(source, buffers)
    numbers = struct.unpack_from("<4QqQ4Q64Q", out[place])
    assert numbers[:4] == (64 * 0x100000001, 2**64 - 1, 2**64 - 1, 0)
    assert numbers[4:10] == (-63, 63 << 40, 0xABCDEF0123456789, 2**63, 9, 2**64 - 1)
    assert numbers[10:] == tuple(1 << i for i in range(64))
    assert struct.unpack("<2Qq", out[0, 3]) == (11, 7, -2)


def test_effects_leave_declarations_as_they_are(run: Runner) -> None:
    source = """
RWByteAddressBuffer o : register(u2) < string s = "out"; > { A = 1; }, p : register(u3) < int k = 3 > 2; > { A = b; };
Texture ignored < int k = 1; > { state = foo; };
Technique { pass { } }
static int factor { state = foo; }, table[2] = { 5, 6 };
[numthreads(1, 1, 1)] void main() {
    RenderTargetView ignored { state = foo; };
    int a = 3, b { state = foo; };
    b = a + table[1];
    factor = 2;
    o.Store(0, factor * b);
    p.Store(0, b);
}"""
    out = run(source, {(0, 2): storage(4), (0, 3): storage(4)})
    assert as_words(out[0, 2]) == (18,)
    assert as_words(out[0, 3]) == (9,)
