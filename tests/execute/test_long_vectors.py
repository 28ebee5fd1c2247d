"""Vectors of more than four components: every operation compared with that on scalars, and offsets in memory."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner, floats, words
from tests.execute.vulkan import storage

SIZES = (5, 8, 33)

BESIDE = """
RWStructuredBuffer<uint> result : register(u0);
StructuredBuffer<float> input : register(t1);
typedef vector<TYPE, N> V;
[numthreads(1, 1, 1)] void main() {{
    V a, b, c;
    TYPE x[N], y[N], z[N];
    for (uint i = 0; i < N; i++) {{
        a[i] = x[i] = (TYPE)input[i];
        b[i] = y[i] = (TYPE)input[N + i];
        c[i] = z[i] = (TYPE)input[2 * N + i];
    }}
    {checks}
}}
"""
"""Each check counts the components that differ from the scalar expression."""

CHECK = """
    {{
        vector<{result}, N> v = {vector};
        uint wrong = 0;
        for (uint i = 0; i < N; i++) {{
            TYPE p = x[i], q = y[i], r = z[i];
            {result} wanted = {scalar};
            {result} got = v[i];
            if (got != wanted) wrong++;
        }}
        result[{number}] = wrong;
    }}"""


def beside(run: Runner, element: str, size: int, rows: list[tuple[str, str, str]], **options: object) -> None:
    """Check that each vector expression equals a scalar expression, component by component.

    A row is (expression of the vectors a, b, c; expression of their components p, q, r; result type).
    """
    checks = [
        CHECK.format(result=result, vector=vector, scalar=scalar, number=i)
        for i, (vector, scalar, result) in enumerate(rows)
    ]
    source = BESIDE.format(checks="".join(checks)).replace("TYPE", element)
    values = [
        ((i * 37) % 23 - 11) * (0.5 if element in ("float", "half", "double") else 1) or 3 for i in range(3 * size)
    ]
    resources = {(0, 0): storage(words(*[99] * len(rows))), (0, 1): storage(floats(*values))}
    source = source.replace("N]", f"{size}]").replace(", N>", f", {size}>").replace("< N", f"< {size}")
    source = source.replace("[N + i", f"[{size} + i").replace("* N +", f"* {size} +")
    out = struct.unpack(f"<{len(rows)}I", run(source, resources, profile="cs_6_9", **options)[0, 0])
    wrong = {vector: count for (vector, _, _), count in zip(rows, out, strict=True) if count}
    assert not wrong


ARITHMETIC = [
    ("a + b", "p + q"), ("a - b", "p - q"), ("a * b", "p * q"), ("a / b", "p / q"), ("-a", "-p"), ("a + 1", "p + 1"),
    ("2 * a", "2 * p"), ("a * b + c", "p * q + r"), ("max(a, b)", "max(p, q)"), ("min(a, 2)", "min(p, 2)"),
    ("clamp(a, b, c)", "clamp(p, q, r)"), ("abs(a)", "abs(p)"), ("mad(a, b, c)", "mad(p, q, r)"),
    ("select(a > b, a, c)", "p > q ? p : r"), ("(V)a[3]", "x[3]"),
]  # fmt: skip
COMPARISONS = [
    ("a < b", "p < q"), ("a <= b", "p <= q"), ("a == b", "p == q"), ("a != b", "p != q"), ("a >= 0", "p >= 0"),
    ("!a", "!p"), ("and(a > 0, b > 0)", "p > 0 && q > 0"), ("or(a > 0, b > 0)", "p > 0 || q > 0"),
]  # fmt: skip
FLOATS = [
    ("sin(a)", "sin(p)"), ("floor(a)", "floor(p)"), ("lerp(a, b, 0.25)", "lerp(p, q, 0.25)"),
    ("saturate(a)", "saturate(p)"), ("step(a, b)", "step(p, q)"), ("smoothstep(a, b, c)", "smoothstep(p, q, r)"),
    ("sqrt(abs(a))", "sqrt(abs(p))"), ("exp2(a)", "exp2(p)"), ("frac(a)", "frac(p)"), ("trunc(a)", "trunc(p)"),
    ("round(a)", "round(p)"), ("rcp(b)", "rcp(q)"), ("pow(abs(a), b)", "pow(abs(p), q)"),
    ("fmod(a, b)", "fmod(p, q)"), ("a % b", "p % q"), ("ldexp(a, b)", "ldexp(p, q)"), ("radians(a)", "radians(p)"),
    ("tanh(a)", "tanh(p)"), ("atan2(a, b)", "atan2(p, q)"),
]  # fmt: skip
INTEGERS = [
    ("a & b", "p & q"), ("a | b", "p | q"), ("a ^ b", "p ^ q"), ("~a", "~p"), ("a << (b & 7)", "p << (q & 7)"),
    ("a >> 1", "p >> 1"), ("a % b", "p % q"), ("reversebits(a)", "reversebits(p)"),
]  # fmt: skip


def typed(rows: list[tuple[str, str]], result: str) -> list[tuple[str, str, str]]:
    return [(vector, scalar, result) for vector, scalar in rows]


@pytest.mark.parametrize("size", SIZES)
def test_floats(run: Runner, size: int) -> None:
    beside(run, "float", size, typed(ARITHMETIC + FLOATS, "float") + typed(COMPARISONS, "bool"))


@pytest.mark.parametrize("size", SIZES)
def test_integers(run: Runner, size: int) -> None:
    rows = typed([*ARITHMETIC, *INTEGERS, ("sign(a)", "sign(p)")], "int") + typed(COMPARISONS, "bool")
    beside(run, "int", size, rows)
    counts = [
        ("countbits(a)", "countbits(p)"),
        ("firstbithigh(a)", "firstbithigh(p)"),
        ("firstbitlow(a)", "firstbitlow(p)"),
    ]
    rows = typed([*(r for r in ARITHMETIC if r[0] not in ("-a", "abs(a)")), *INTEGERS, *counts], "uint")
    beside(run, "uint", size, rows)


def test_wide_and_narrow_components(run: Runner) -> None:
    run.needs("shaderFloat64", "shaderInt64", "shaderInt16", "shaderFloat16")
    common = [row for row in ARITHMETIC if row[0] not in ("-a", "abs(a)")]
    for element in ("double", "int64_t", "uint64_t", "half", "int16_t", "uint16_t"):
        floats_only = [("sqrt(abs(a))", "sqrt(abs(p))")] if element == "half" else []
        beside(
            run, element, 7, typed(common + floats_only, element) + typed(COMPARISONS, "bool"), enable_16bit_types=True
        )


def test_bytes(run: Runner) -> None:
    run.needs("shaderInt8")
    options = {"enable_8bit_types": True, "target_env": "vulkan1.2"}
    beside(run, "int8_t", 6, typed(ARITHMETIC + INTEGERS, "int8_t") + typed(COMPARISONS, "bool"), **options)


def test_conversions(run: Runner) -> None:
    rows = [
        ("(vector<int, N>)a", "(int)p", "int"), ("(vector<bool, N>)a", "(bool)p", "bool"),
        ("(vector<float, N>)(vector<int, N>)a", "(float)(int)p", "float"), ("asuint(a)", "asuint(p)", "uint"),
        ("asfloat(asint(a))", "p", "float"), ("isnan(a)", "isnan(p)", "bool"),
        ("f16tof32(f32tof16(a))", "f16tof32(f32tof16(p))", "float"),
    ]  # fmt: skip
    beside(run, "float", 8, rows)


def test_functions_loops_and_components(run: Runner) -> None:
    source = """
RWStructuredBuffer<float> o : register(u0);
typedef vector<float, 12> V;
static V kept = 1;
static const V weights = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
struct S { int first; V v; };
V twice(V x) { return x + x; }
void add(inout V x, V y) { x += y; x[2] = 7; }
S pack(V v) { S s; s.first = 3; s.v = v; return s; }
[numthreads(1, 1, 1)] void main() {
    V v = weights;
    uint at = (uint)o[0];
    v[at] = 100;
    v = twice(v);
    add(v, kept);
    for (uint i = 0; i < 3; i++) { if (i & 1) v += weights; else v[i] -= 1; }
    kept = v;
    S s = pack(kept), t[2];
    t[0] = s; t[1] = s; t[at - 4].v[at] += 1;
    float4 cut = (float4)t[1].v;
    V again = { cut, t[1].v[4], 0, 1, 2, 3, 4, 5, 6 };
    o[0] = t[1].v[at]; o[1] = cut.z; o[2] = again[4]; o[3] = again[11];
    o[4] = dot(v, weights); o[5] = any(v == 105) ? 1 : 0; o[6] = all(v > 1) ? 1 : 0; o[7] = s.v[at];
}"""
    out = struct.unpack("<8f", run(source, {(0, 0): storage(floats(5, *[0] * 7))}, profile="cs_6_9")[0, 0])
    v = [1.0, 2, 3, 4, 5, 100, 7, 8, 9, 10, 11, 12]
    w = [float(i + 1) for i in range(12)]
    v = [x + x + 1 for x in v]
    v[2] = 7
    v[0] -= 1
    v = [x + y for x, y in zip(v, w, strict=True)]
    v[2] -= 1
    dot = sum(x * y for x, y in zip(v, w, strict=True))
    assert out == (v[5] + 1, v[2], v[4], 6, dot, 105 in v, all(x > 1 for x in v), v[5])


def test_geometry(run: Runner) -> None:
    source = """
RWStructuredBuffer<float> o : register(u0);
typedef vector<float, 6> V;
[numthreads(1, 1, 1)] void main() {
    V v, n; for (uint i = 0; i < 6; i++) { v[i] = o[i]; n[i] = o[6 + i]; }
    V u = normalize(v), m = normalize(n);
    o[12] = length(v); o[13] = distance(v, n); o[14] = length(u) ; o[15] = u[3] * o[12];
    V r = reflect(u, m); o[16] = dot(r, m) + dot(u, m);
    V f = faceforward(m, u, m); o[17] = dot(f, u) <= 0 ? 1 : 0;
    V t = refract(u, f, 0.5); o[18] = length(t); o[19] = dot(refract(u, f, 50.0), (V)1);
    V whole; V part = modf(v * 1.25, whole); o[20] = whole[4] + part[4]; o[21] = whole[4];
    V e; V ma = frexp(v, e); o[22] = ma[4] * exp2(e[4]);
}"""
    v, n = [1.0, -2, 3, 4, 5.5, -6], [2.0, 1, 0, -1, 3, 2]
    out = struct.unpack("<23f", run(source, {(0, 0): storage(floats(*v, *n, *[0] * 11))}, profile="cs_6_9")[0, 0])[12:]
    length = sum(x * x for x in v) ** 0.5
    distance = sum((x - y) ** 2 for x, y in zip(v, n, strict=True)) ** 0.5
    wanted = (length, distance, 1, 4, 0, 1, 1, 0, 6.875, 6, 5.5)
    assert out == pytest.approx(wanted, abs=1e-4)


def test_memory(run: Runner) -> None:
    source = """
typedef vector<float, 9> V;
struct S { uint first; V v; vector<uint16_t, 5> h; vector<bool, 6> b; };
RWStructuredBuffer<S> s : register(u0);
RWStructuredBuffer<vector<int, 5> > ints : register(u1);
RWByteAddressBuffer raw : register(u2);
groupshared V shared[4];
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    shared[i] = s[0].v * i;
    GroupMemoryBarrierWithGroupSync();
    if (i == 0) {
        S t = s[0];
        t.v = shared[1] + shared[2] + shared[3];
        t.v[s[0].first] = -1;
        t.h += (uint16_t)5;
        t.b = !t.b;
        s[1] = t;
        s[1].v[8] += 0.5;
        ints[1] = ints[0].yxyxy.x + ints[0];
        raw.Store<V>(40, raw.Load<V>(0) * 2);
        raw.Store<vector<uint16_t, 5> >(80, raw.Load<vector<uint16_t, 5> >(36));
    }
}"""
    source = source.replace("ints[0].yxyxy.x", "ints[0][1]")
    size = 4 + 36 + 12 + 24
    first = struct.pack("<I9f5H2x6I", 3, *range(1, 10), 1, 2, 3, 4, 5, 0, 1, 0, 1, 1, 0)
    assert len(first) == size
    run.needs("shaderInt16")
    out = run(
        source,
        {
            (0, 0): storage(first + bytes(size)),
            (0, 1): storage(words(1, 2, 3, 4, 5, *[0] * 5)),
            (0, 2): storage(floats(*range(1, 10)) + struct.pack("<H2x", 7) + bytes(60)),
        },
        profile="cs_6_9",
        enable_16bit_types=True,
    )
    wanted = [6.0 * i for i in range(1, 10)]
    wanted[3] = -1
    wanted[8] += 0.5
    assert struct.unpack("<I9f5H2x6I", out[0, 0][size:]) == (3, *wanted, 6, 7, 8, 9, 10, 1, 0, 1, 0, 0, 1)
    assert struct.unpack("<5i", out[0, 1][20:]) == (3, 4, 5, 6, 7)
    assert struct.unpack("<9f", out[0, 2][40:76]) == tuple(2.0 * i for i in range(1, 10))
    assert struct.unpack("<5H", out[0, 2][80:90]) == (7, 0, 0, 0x4000, 0)[:3] + struct.unpack("<2H", out[0, 2][42:46])


@pytest.mark.parametrize("size", [100, pytest.param(1024, marks=pytest.mark.nightly, id="the largest")])
def test_a_large_vector(run: Runner, size: int) -> None:
    source = f"""
RWByteAddressBuffer b : register(u0);
[numthreads(1, 1, 1)] void main() {{
    vector<uint, {size}> v = b.Load<vector<uint, {size}> >(0);
    v = v * 3 + 1;
    b.Store<vector<uint, {size}> >(0, v);
}}"""
    out = run(source, {(0, 0): storage(words(*range(size)))}, profile="cs_6_9")[0, 0]
    assert struct.unpack(f"<{size}I", out) == tuple(3 * i + 1 for i in range(size))


def test_waves(run: Runner) -> None:
    run.needs("subgroupArithmetic")
    source = """
RWStructuredBuffer<uint> o : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    vector<uint, 6> v = i; v[5] = 7;
    vector<uint, 6> sum = WaveActiveSum(v), first = WaveReadLaneAt(v, 2);
    o[i] = sum[1] + sum[5] * 100 + first[0] * 10000;
}"""
    assert struct.unpack("<4I", run(source, {(0, 0): storage(16)}, profile="cs_6_9")[0, 0]) == (22806,) * 4
