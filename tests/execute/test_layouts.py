"""Offsets in buffers under each layout rule, as a shader reads and writes them.

The expected offsets were computed by hand from the rules in the manual (*Memory Layout*).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import pytest

from tests.execute.tables import Runner, as_floats, as_words, floats
from tests.execute.vulkan import storage, uniform

STRUCTS = """
struct S { float3 f; };
struct T {
    float a;
    float3 b;
    S c;
    float2x3 d;
    row_major float2x3 e;
    int f[3];
    float2 g[2];
};
"""
FLATTEN = """
void flatten(T t, RWStructuredBuffer<float> o) {
    o[0] = t.a;
    [unroll] for (uint i = 0; i < 3; i++) { o[1 + i] = t.b[i]; o[4 + i] = t.c.f[i]; o[19 + i] = t.f[i]; }
    [unroll] for (uint r = 0; r < 2; r++)
        [unroll] for (uint c = 0; c < 3; c++) { o[7 + r * 3 + c] = t.d[r][c]; o[13 + r * 3 + c] = t.e[r][c]; }
    [unroll] for (uint k = 0; k < 4; k++) o[22 + k] = t.g[k / 2][k % 2];
}
"""
COUNT = 26
# rule -> (offset of each member, stride of a column of d, of a row of e, of f, of g, size of T)
Places = tuple[tuple[int, ...], int, int, int, int, int]
UNIFORM: dict[str, Places] = {
    "vulkan": ((0, 4, 16, 32, 80, 112, 160), 16, 16, 16, 16, 192),
    "dx": ((0, 4, 16, 32, 80, 112, 160), 16, 16, 16, 16, 192),
    "gl": ((0, 16, 32, 48, 96, 128, 176), 16, 16, 16, 16, 208),
    "scalar": ((0, 4, 16, 28, 52, 76, 88), 8, 12, 4, 8, 104),
}
STORAGE: dict[str, Places] = {
    "vulkan": ((0, 4, 16, 32, 64, 96, 112), 8, 16, 4, 8, 128),
    "dx": ((0, 4, 16, 28, 52, 76, 88), 8, 12, 4, 8, 104),
    "gl": ((0, 16, 32, 48, 80, 112, 128), 8, 16, 4, 8, 144),
    "scalar": ((0, 4, 16, 28, 52, 76, 88), 8, 12, 4, 8, 104),
}


def value_places(places: Places) -> list[tuple[int, str]]:
    """Return (offset, struct format) for each value that `flatten` writes, in its order."""
    (a, b, c, d, e, f, g), d_stride, e_stride, f_stride, g_stride, _ = places
    out = [(a, "f")]
    out += [(b + 4 * i, "f") for i in range(3)]
    out += [(c + 4 * i, "f") for i in range(3)]
    out += [(d + d_stride * col + 4 * row, "f") for row in range(2) for col in range(3)]
    out += [(e + e_stride * row + 4 * col, "f") for row in range(2) for col in range(3)]
    out += [(f + f_stride * i, "i") for i in range(3)]
    out += [(g + g_stride * i + 4 * j, "f") for i in range(2) for j in range(2)]
    return out


def fill(places: Places, values: Sequence[int]) -> bytes:
    data = bytearray(b"\xcc" * places[5])
    for (offset, form), value in zip(value_places(places), values, strict=True):
        struct.pack_into("<" + form, data, offset, value)
    return bytes(data)


VALUES = [*range(1, COUNT + 1)]


@pytest.mark.parametrize("rule", UNIFORM)
def test_constant_buffer(run: Runner, rule: str) -> None:
    if rule in ("dx", "scalar"):
        run.needs("scalarBlockLayout")
    source = f"""{STRUCTS}
ConstantBuffer<T> b : register(b0);
RWStructuredBuffer<float> o : register(u1);
{FLATTEN}
[numthreads(1, 1, 1)] void main() {{ flatten(b, o); }}"""
    out = run(source, {(0, 0): uniform(fill(UNIFORM[rule], VALUES)), (0, 1): storage(4 * COUNT)}, layout=rule)
    assert as_floats(out[0, 1]) == tuple(VALUES)


@pytest.mark.parametrize("rule", STORAGE)
def test_structured_buffer(run: Runner, rule: str) -> None:
    if rule in ("dx", "scalar"):
        run.needs("scalarBlockLayout")
    source = f"""{STRUCTS}
RWStructuredBuffer<T> b : register(u0);
RWStructuredBuffer<float> o : register(u1);
{FLATTEN}
[numthreads(1, 1, 1)] void main() {{
    flatten(b[1], o); b[0] = b[1]; b[2].d = b[1].d; b[2].e = b[1].d; b[2].g = b[1].g;
}}"""
    places = STORAGE[rule]
    blank, filled = fill(places, [0] * COUNT), fill(places, VALUES)
    out = run(source, {(0, 0): storage(blank + filled + blank), (0, 1): storage(4 * COUNT)}, layout=rule)
    assert as_floats(out[0, 1]) == tuple(VALUES)
    written = out[0, 0]
    size = places[5]
    first = [struct.unpack_from("<" + form, written, offset)[0] for offset, form in value_places(places)]
    third = [struct.unpack_from("<" + form, written, 2 * size + offset)[0] for offset, form in value_places(places)]
    assert first == VALUES
    assert third == [*[0] * 7, *range(8, 14), *range(8, 14), 0, 0, 0, *range(23, 27)]


MATRICES = ("float2x2", "float2x4", "float3x2", "float3x3", "float4x3", "float4x4")


@pytest.mark.parametrize("default", ["row_major", "column_major"])
def test_matrices_in_structured_buffers(run: Runner, default: str) -> None:
    """A shader reads and writes matrix elements at the offsets of the default majorness, for every shape."""
    for text in MATRICES:
        rows, cols = int(text[5]), int(text[7])
        inner, count = (cols, rows) if default == "row_major" else (rows, cols)
        stride = 4 * (4 if inner == 3 else inner)
        data = bytearray(stride * count)
        for row in range(rows):
            for col in range(cols):
                at = row * stride + 4 * col if default == "row_major" else col * stride + 4 * row
                struct.pack_into("<f", data, at, row * 10 + col)
        wanted = tuple(float(row * 10 + col) for row in range(rows) for col in range(cols))
        source = f"""
RWStructuredBuffer<{text}> m : register(u0);
RWStructuredBuffer<float> o : register(u1);
[numthreads(1, 1, 1)] void main() {{
    for (uint r = 0; r < {rows}; r++) for (uint c = 0; c < {cols}; c++) o[r * {cols} + c] = m[0][r][c];
    {text} t = m[0]; m[1] = t; m[1][1].x = 77; m[1]._m01 = t[0][0] + 5;
}}"""
        resources = {(0, 0): storage(bytes(data) * 2), (0, 1): storage(4 * rows * cols)}
        out = run(source, resources, matrix_layout=default)
        assert as_floats(out[0, 1]) == wanted, text
        at_10, at_01 = (stride, 4) if default == "row_major" else (4, stride)
        struct.pack_into("<f", data, at_10, 77)
        struct.pack_into("<f", data, at_01, 5)
        assert out[0, 0][len(data) :] == bytes(data), text


def test_cbuffer_members_and_packoffset(run: Runner) -> None:
    source = """
cbuffer A : register(b0) { float2 p; float q; float3 r; bool s; float4 t[2]; float u; float v[2]; };
cbuffer B : register(b1) { float4 w : packoffset(c2); float x : packoffset(c0.z); float2 y : packoffset(c1.y); };
RWStructuredBuffer<float> o : register(u2);
[numthreads(1, 1, 1)] void main() {
    float all[15] = { p, q, r, s ? 5 : 6, t[1].zw, u, v, x, y };
    for (uint i = 0; i < 15; i++) o[i] = all[i];
    o[15] = w.z;
}"""
    a = floats(1, 2, 3, 0, 4, 5, 6)  # q at 8, r would straddle: 16
    a += struct.pack("<I", 1)  # s
    a += floats(0, 0, 0, 0, 7, 8, 9, 10)  # t at 32
    a += floats(11, 0, 0, 0)  # u at 64
    a += floats(12, 0, 0, 0, 13, 0, 0, 0)  # v at 80, a slot each
    b = floats(0, 0, 14, 0, 0, 15, 16, 0, 17, 18, 19, 20)
    out = run(source, {(0, 0): uniform(a), (0, 1): uniform(b), (0, 2): storage(64)})
    assert as_floats(out[0, 2]) == (1, 2, 3, 4, 5, 6, 5, 9, 10, 11, 12, 13, 14, 15, 16, 19)


def test_globals_cbuffer(run: Runner) -> None:
    source = """
float scale; float3 offset; static const float twice = 2; int count = 7;
RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)] void main() { o[0] = float4(offset * scale * twice, count); }"""
    spirv = run.compile(source, bind_globals=(5, 0))
    out = run.vulkan.run_compute(
        spirv, {(0, 0): storage(16), (0, 5): uniform(floats(3, 1, 2, 4) + struct.pack("<i", -9) + bytes(12))}
    )
    assert as_floats(out[0, 0]) == (6, 12, 24, -9)


def test_booleans_in_buffers_are_words(run: Runner) -> None:
    source = """
struct F { bool a; bool3 b; bool c[2]; };
RWStructuredBuffer<F> f : register(u0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)] void main() {
    F x = f[0];
    o[0] = x.a + 2 * x.b.x + 4 * x.b.y + 8 * x.b.z + 16 * x.c[0] + 32 * x.c[1];
    f[1] = x; f[1].b.y = !x.b.y; f[1].c[0] = true;
}"""
    data = struct.pack("<6I", 1, 0, 1, 1, 0, 1)
    out = run(source, {(0, 0): storage(data + bytes(32)), (0, 1): storage(4)}, layout="scalar")
    assert as_words(out[0, 1]) == (1 + 4 + 8 + 32,)
    assert as_words(out[0, 0][24:48]) == (1, 0, 0, 1, 1, 1)


@pytest.mark.parametrize(
    ("rule", "offsets"), [("vulkan", (0, 8, 16, 32)), ("dx", (0, 8, 16, 24)), ("scalar", (0, 8, 16, 24))]
)
def test_64_bit_members(run: Runner, rule: str, offsets: Sequence[int]) -> None:
    run.needs("shaderInt64", "shaderFloat64", "scalarBlockLayout")
    source = """
struct D { float a; double b; uint c; uint64_t2 d; };
RWStructuredBuffer<D> d : register(u0);
[numthreads(1, 1, 1)] void main() { D x = d[0]; x.b *= 2; x.d += x.c; d[1] = x; }"""
    size = offsets[3] + 16
    data = bytearray(size)
    for form, offset, value in zip("fdI", offsets, (1.5, -2.25, 5), strict=False):
        struct.pack_into("<" + form, data, offset, value)
    struct.pack_into("<2Q", data, offsets[3], 1 << 40, 7)
    out = run(source, {(0, 0): storage(bytes(data) + bytes(size))}, layout=rule)[0, 0][size:]
    assert struct.unpack_from("<d", out, offsets[1]) == (-4.5,)
    assert struct.unpack_from("<2Q", out, offsets[3]) == ((1 << 40) + 5, 12)


def test_16_bit_members(run: Runner) -> None:
    run.needs("storageBuffer16BitAccess", "shaderFloat16", "shaderInt16")
    source = """
struct H { half a; half3 b; int16_t c; float d; uint16_t e[2]; };
RWStructuredBuffer<H> h : register(u0);
[numthreads(1, 1, 1)] void main() { H x = h[0]; x.b += x.a; x.c = -x.c; x.e[1] += 1; h[1] = x; }"""
    # a 0, b 2, c 8, d 12, e 16, size 20
    data = struct.pack("<4eh2xf2H", 0.5, 1, 2, 3, 77, 2.5, 8, 65535)
    out = run(source, {(0, 0): storage(data + bytes(20))}, layout="scalar", enable_16bit_types=True)[0, 0]
    assert struct.unpack("<4eh2xf2H", out[20:]) == (0.5, 1.5, 2.5, 3.5, -77, 2.5, 8, 0)


def test_bit_fields(run: Runner) -> None:
    source = """
struct B { uint a : 5; uint b : 11; uint c : 16; int d : 4; int e : 12; uint f; };
RWStructuredBuffer<B> b : register(u0);
RWStructuredBuffer<int> o : register(u1);
[numthreads(1, 1, 1)] void main() {
    B x = b[0];
    o[0] = x.a; o[1] = x.b; o[2] = x.c; o[3] = x.d; o[4] = x.e; o[5] = x.f;
    b[1].f = 9; b[1].b = 1234; b[1].e = -7; b[1].a = 33; b[1].d = 5; b[1].c++;
}"""
    word = 21 | 1500 << 5 | 0xBEEF << 16
    signed = (-3 & 0xF) | (-1000 & 0xFFF) << 4
    data = struct.pack("<3I", word, signed, 42)
    out = run(source, {(0, 0): storage(data + bytes(12)), (0, 1): storage(24)})
    assert struct.unpack("<6i", out[0, 1]) == (21, 1500, 0xBEEF, -3, -1000, 42)
    assert as_words(out[0, 0][12:]) == (1 | 1234 << 5 | 1 << 16, 5 | (-7 & 0xFFF) << 4, 9)


EXPLICIT: Mapping[str, int] = {"a": 4, "b": 32, "c": 36}


def test_explicit_offsets(run: Runner) -> None:
    source = """
struct E { [[vk::offset(4)]] float a; [[vk::offset(32)]] float b; float c; };
[[vk::binding(0)]] ConstantBuffer<E> e;
[[vk::binding(1)]] RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = e.a; o[1] = e.b; o[2] = e.c; }"""
    data = bytearray(48)
    for number, offset in enumerate(EXPLICIT.values()):
        struct.pack_into("<f", data, offset, number + 1)
    out = run(source, {(0, 0): uniform(bytes(data)), (0, 1): storage(12)})
    assert as_floats(out[0, 1]) == (1, 2, 3)


@pytest.mark.parametrize("block", ["cbuffer", "ConstantBuffer", "$Globals", "array"])
def test_matrices_of_one_column_in_directx_layout(run: Runner, block: str) -> None:
    """In a constant buffer with a matrix of one column, every kind of member is read from its correct offset.

    Each number of such a matrix takes a register of 16 bytes. The compiler reads these buffers through a copy.
    """
    run.needs("scalarBlockLayout")
    members = """
    float first; float1x3 row; float end; bool flag; bool3 flags; row_major int2x3 integers; float2x2 square;
    row_major float3x1 column; I nested[2]; min16float half_like;"""
    declared = {
        "cbuffer": f"cbuffer C {{ {members} }};",
        "ConstantBuffer": f"struct C {{ {members} }}; ConstantBuffer<C> c;",
        "array": f"struct C {{ {members} }}; ConstantBuffer<C> c[1];",
        "$Globals": members,
    }[block]
    at = {"cbuffer": "", "$Globals": "", "ConstantBuffer": "c.", "array": "c[0]."}[block]
    source = f"""
struct I {{ float1x2 a; float b; }};
{declared}
RWStructuredBuffer<float> o : register(u9);
static float base = {at}first;
float nested_sum(I i) {{ return i.a[0][1] + i.b; }}
[numthreads(1, 1, 1)] void main()
{{
    float1x3 r = {at}row;
    uint pick = uint({at}first);
    float all[12] = {{
        base, r._13, {at}row[0][pick], {at}end, {at}flag ? 1 : 0, {at}flags.y ? 1 : 0, {at}integers[1][2],
        {at}square[1][0], {at}column[2][0], {at}nested[1].a._12, nested_sum({at}nested[1]), {at}half_like }};
    for (uint i = 0; i < 12; i++) o[i] = all[i];
}}"""
    data = bytearray(512)

    def put(offset: int, form: str, *values: float) -> None:
        struct.pack_into(f"<{len(values)}{form}", data, offset, *values)

    put(0, "f", 1)
    for n in range(3):
        put(16 + 16 * n, "f", 11 + n)  # row: ends at 52
    put(52, "f", 2)
    put(56, "I", 1)  # flag
    put(64, "I", 0, 1, 0)  # flags would straddle
    put(80, "i", -1, -2, -3)
    put(96, "i", -4, -5, -6)  # integers: ends at 108
    put(112, "f", 31, 32)
    put(128, "f", 33, 34)  # square, by columns: ends at 136
    for n in range(3):
        put(144 + 16 * n, "f", 41 + n)  # column: ends at 180
    for n in range(2):
        put(192 + 32 * n, "f", 51 + n)
        put(208 + 32 * n, "f", 61 + n, 71 + n)  # nested: b behind a's last number
    put(248, "f", 9)
    spirv = run.compile(source, layout="dx", bind_globals=(0, 0))
    out = run.vulkan.run_compute(spirv, {(0, 0): uniform(bytes(data)), (0, 9): storage(48)})
    assert as_floats(out[0, 9]) == (1, 13, 12, 2, 1, 1, -6, 32, 43, 62, 134, 9)


def test_64_bit_matrices_in_directx_layout(run: Runner) -> None:
    """A column of a 64-bit matrix takes two registers; the next member starts in the unused part of the last one."""
    run.needs("shaderFloat64", "scalarBlockLayout")
    source = """
cbuffer C : register(b0) { double3x2 m; float behind; row_major double2x4 n; float last; };
RWStructuredBuffer<float> o : register(u1);
[numthreads(1, 1, 1)] void main() {
    o[0] = float(m[2][0]); o[1] = float(m[2][1]); o[2] = behind; o[3] = float(n[1][3]); o[4] = last;
}"""
    data = struct.pack("<3d8x3dfI", 1, 2, 3, 4, 5, 6, 7.5, 0)  # m: 0 and 32; behind: 56
    data += struct.pack("<8df12x", *range(10, 18), 8.5)  # n: 64 and 96; last: 128
    out = run(source, {(0, 0): uniform(data), (0, 1): storage(20)}, layout="dx")
    assert as_floats(out[0, 1]) == (3, 6, 7.5, 17, 8.5)


@pytest.mark.parametrize("block", ["cbuffer K : register(b0) { T t; };", "ConstantBuffer<T> t : register(b0);"])
def test_members_behind_the_last_row_of_a_matrix(run: Runner, block: str) -> None:
    run.needs("scalarBlockLayout")
    source = f"""
struct N {{ row_major float2x3 n; float p; }};
struct T {{ N a; row_major float2x2 b[2]; float c; float2 d; row_major float3x2 e; float2 f; N g[2]; }};
{block}
RWStructuredBuffer<float> o : register(u1);
float of(N x, uint i) {{ return x.n[1][i] + 100 * x.p; }}
[numthreads(1, 1, 1)] void main() {{
    uint one = uint(t.a.n._11);
    o[0] = t.a.n[one].z; o[1] = t.a.p; o[2] = t.b[one][one].y; o[3] = t.c; o[4] = t.d.y; o[5] = t.e[2][one];
    o[6] = t.f.x; o[7] = of(t.a, one); o[8] = of(t.g[one], 2); float2x2 m = t.b[0];
    o[9] = mul(m, float2(1, 10)).y;
    N w = t.g[0]; o[10] = w.p; T whole = (T)t; o[11] = whole.e._31; o[12] = mul(float2(1, 10), whole.g[1].n).z;
}}"""
    a = (1, 2, 3, 0, 4, 5, 6, 7)
    b = (8, 9, 0, 0, 10, 11, 0, 0, 12, 13, 0, 0, 14, 15)
    e = (19, 20, 0, 0, 21, 22, 0, 0, 23, 24)
    g = (27, 28, 29, 0, 30, 31, 32, 33, 34, 35, 36, 0, 37, 38, 39, 40)
    data = floats(*a, *b, 16, 0, 17, 18, 0, 0, *e, 25, 26, *g)
    out = as_floats(run(source, {(0, 0): uniform(data), (0, 1): storage(52)}, layout="dx")[0, 1])
    assert out == (6, 7, 15, 16, 18, 24, 25, 705, 4039, 120, 33, 23, 426)
