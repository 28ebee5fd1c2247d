"""Intrinsic functions on packed numbers, pairs of words and addresses."""

from __future__ import annotations

from tests.execute.tables import Inputs, Row, Runner, as_floats, floats, words
from tests.execute.vulkan import storage

U64 = 1 << 32


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def test_dot_products_of_packed_bytes(run: Runner) -> None:
    x, y = 0x807F01FF, 0x02FF7F80
    xs, ys = ([n >> 8 * i & 255 for i in range(4)] for n in (x, y))
    unsigned = sum(a * b for a, b in zip(xs, ys, strict=True))
    signed = sum(_signed(a) * _signed(b) for a, b in zip(xs, ys, strict=True))
    inputs: Inputs = {"x": ("uint", x), "y": ("uint", y), "big": ("uint", 0xFFFFFFFF), "i": ("int", -7)}
    rows: list[Row] = [
        ("dot4add_u8packed(x, y, 5u)", "uint", unsigned + 5),
        ("dot4add_u8packed(x, y, big)", "uint", unsigned - 1),
        ("dot4add_i8packed(x, y, i)", "int", signed - 7),
        ("dot4add_i8packed(x, x, 0)", "int", sum(_signed(a) ** 2 for a in xs)),
    ]
    run.table(rows, inputs)


def test_dot_product_of_halves(run: Runner) -> None:
    inputs: Inputs = {"a": ("float2", (1.5, -2.0)), "b": ("float2", (4.0, 0.25)), "f": ("float", 1000.125)}
    rows: list[Row] = [("dot2add(half2(a), half2(b), f)", "float", 1005.625)]
    run.table(rows, inputs, profile="cs_6_4", enable_16bit_types=True)


def test_packing(run: Runner) -> None:
    inputs: Inputs = {
        "i": ("int4", (-1, 300, -200, 5)),
        "u": ("uint4", (0x1FF, 2, 0x380, 255)),
        "w": ("uint", 0x80FF017F),
    }
    rows: list[Row] = [
        ("(uint)pack_s8(i)", "uint", 0x05382CFF),
        ("(uint)pack_u8(u)", "uint", 0xFF8002FF),
        ("(uint)pack_clamp_s8(i)", "uint", 0x05807FFF),
        ("(uint)pack_clamp_u8(i)", "uint", 0x0500FF00),
        ("unpack_s8s32((int8_t4_packed)w)", "int4", (127, 1, -1, -128)),
        ("unpack_u8u32((uint8_t4_packed)w)", "uint4", (127, 1, 255, 128)),
    ]
    run.table(rows, inputs, profile="cs_6_6")


def test_packing_of_16_bits(run: Runner) -> None:
    inputs: Inputs = {"i": ("int16_t4", (-1, 300, -200, 5)), "w": ("uint", 0x80FF017F)}
    rows: list[Row] = [
        ("(uint)pack_s8(i)", "uint", 0x05382CFF),
        ("(uint)pack_clamp_s8(i)", "uint", 0x05807FFF),
        ("(uint)pack_clamp_u8(i)", "uint", 0x0500FF00),
        ("unpack_s8s16((int8_t4_packed)w)", "int16_t4", (127, 1, -1, -128)),
        ("unpack_u8u16((uint8_t4_packed)w)", "uint16_t4", (127, 1, 255, 128)),
    ]
    run.table(rows, inputs, profile="cs_6_6", enable_16bit_types=True)


def test_sums_of_pairs_of_words(run: Runner) -> None:
    pairs = ((0xFFFFFFFF, 3, 7, 0xFFFFFFFF), (2, 4, 0xFFFFFFFF, 1))
    inputs: Inputs = {"a": ("uint4", pairs[0]), "b": ("uint4", pairs[1])}
    wanted: list[int] = []
    for k in (0, 2):
        total = sum(p[k] | p[k + 1] << 32 for p in pairs) % (U64 * U64)
        wanted += [total % U64, total // U64]
    rows: list[Row] = [("AddUint64(a, b)", "uint4", wanted), ("AddUint64(a.xy, b.xy)", "uint2", wanted[:2])]
    run.table(rows, inputs)


def test_atomics_on_floats_in_bytes(run: Runner) -> None:
    source = """
        RWByteAddressBuffer data : register(u0);
        [numthreads(1, 1, 1)]
        void main() {
            float a, b, c;
            data.InterlockedExchangeFloat(0, 2.5, a);
            data.InterlockedCompareExchangeFloatBitwise(4, 7.0, -1.5, b);
            data.InterlockedCompareExchangeFloatBitwise(8, 7.0, -1.5, c);
            data.InterlockedCompareStoreFloatBitwise(12, 0.5, 0.25);
            data.Store3(16, asuint(float3(a, b, c)));
        }
        """
    data = floats(1.0, 7.0, 8.0, 0.5) + bytes(12)
    out = run(source, {(0, 0): storage(data)}, profile="cs_6_6")[0, 0]
    assert as_floats(out) == (2.5, -1.5, 8.0, 0.25, 1.0, 7.0, 8.0)


def test_comparisons_of_the_bits_of_floats(run: Runner) -> None:
    """Bitwise comparing atomics on members of a struct replace only those members.

    The other members keep their values through other atomics, and through loads and stores of the whole struct.
    """
    source = """
        struct S { float a; uint n; float4 v; float2x2 m; float list[3]; };
        groupshared S shared_record;
        RWStructuredBuffer<S> data : register(u0);
        RWStructuredBuffer<float> o : register(u1);
        [numthreads(1, 1, 1)]
        void main() {
            float a, b, c;
            S s = data[0];
            s.a += 0.5;
            shared_record = s;
            InterlockedCompareExchangeFloatBitwise(shared_record.list[1], 12.0, -1.0, a);
            InterlockedCompareExchangeFloatBitwise(shared_record.list[2], 12.0, -1.0, b);
            InterlockedCompareStoreFloatBitwise(data[1].v.y, 0.0, 21.0);
            InterlockedAdd(data[1].n, 5);
            InterlockedExchange(data[1].a, 30.0, c);
            shared_record.v.zw *= 2;
            data[2] = shared_record;
            o[0] = a; o[1] = b; o[2] = c; o[3] = data[1].v.y;
        }
        """
    run.needs("shaderBufferFloat32Atomics")
    record = (1.0, *as_floats(words(7)), 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0)
    assert len(record) == 13
    out = run(source, {(0, 0): storage(floats(*record) + bytes(2 * 52)), (0, 1): storage(16)}, layout="scalar")
    first, second, third = (out[0, 0][at : at + 52] for at in (0, 52, 104))
    assert first == floats(*record)
    assert second == floats(30.0) + words(5) + floats(0, 21.0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert third == floats(1.5, record[1], 3, 4, 10, 12, 7, 8, 9, 10, 11, -1, 13)
    assert as_floats(out[0, 1]) == (12.0, 13.0, 0.0, 21.0)
