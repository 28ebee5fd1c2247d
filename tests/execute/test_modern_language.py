"""HLSL 202x and 202y: constructors, references, unions, overloaded operators and the rest of what they add."""

from __future__ import annotations

import struct

from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from tests.execute.tables import Inputs, Row, Runner
from tests.execute.vulkan import storage

INPUTS: Inputs = {"i": ("int", 3), "f": ("float", 2.5), "v": ("float3", (1.0, 2.0, 3.0))}


def test_constructors(run: Runner) -> None:
    """Members are initialised in order of declaration; a constructor may return early and call methods."""
    declarations = """
    struct Range {
        int low, high;
        int width = low + 100;
        Range() : low(1), high(2) { }
        Range(int x) : high(x), low(high = 5) { if (x == 9) { low = 90; return; } grow(); }
        Range(int a, int b) : Range(a) { high += b; }
        void grow() { high++; }
    };
    struct Labelled : Range { Range inner; float weight = 0.5; Labelled(int n) : Range(n, n), inner(n) { } };
    struct Plain { int a = 4; float b; };
    struct Outer { Plain plain; Range ranges[2]; };
    template <typename T> struct Pair { T a, b; Pair(T x) : a(x), b(x * 2) { } T sum(); };
    template <typename T> T Pair<T>::sum() { return a + b; }
    struct Late { int n; Late(int x); };
    Late::Late(int x) : n(x * x) { }
    static Range shared_range(7);
    Range made(int n) { return n; }
    Range listed(int n) { return {n, 1}; }
    """
    prologue = """
    Range none; Range one(i); Range nine = 9; Range two{i, 10}; Range three = {i}; Range four = Range(i + 1);
    Labelled labelled(i); Plain plain; plain.b = 1; Outer outer; Range many[3]; Late late(i); Pair<float> pair(f);
    int number(i); float4 vector_of(v, f); int braced{i}; int zero{}; Plain aggregate = {8, 9};
    """
    rows: list[Row] = [
        ("int2(none.low, none.high)", "int2", (1, 2)),
        ("one.high", "int", 4),
        ("int2(nine.low, nine.high)", "int2", (90, 9)),
        ("two.high", "int", 14),
        ("int2(three.high, four.high)", "int2", (4, 5)),
        ("int3(labelled.high, labelled.inner.high, labelled.weight * 10)", "int3", (7, 4, 5)),
        ("int2(plain.a, outer.plain.a)", "int2", (4, 4)),
        ("int2(outer.ranges[1].high, many[2].width)", "int2", (2, 101)),
        ("int2(late.n, shared_range.high)", "int2", (9, 8)),
        ("pair.sum()", "float", 7.5),
        ("int4(number, braced, zero, int(vector_of.w * 2))", "int4", (3, 3, 0, 5)),
        ("int2(made(i).high, listed(i).high)", "int2", (4, 5)),
        ("int2(Range().high, Range(i).high)", "int2", (2, 4)),
        ("int2(aggregate.a, aggregate.b)", "int2", (8, 9)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_loops_over_arrays(run: Runner) -> None:
    declarations = "static const int table[4] = { 1, 2, 3, 4 };"
    prologue = """
    int a[3] = { i, i + 1, i + 2 }; int sum = 0, products = 0;
    for (int x : a) { x *= 2; sum += x; }
    for (const auto x : a) for (int y : table) { if (y == 4) continue; products += x * y; }
    """
    rows: list[Row] = [("int2(sum, products)", "int2", (24, 72)), ("a[0]", "int", 3)]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_namespace_of_what_is_built_in(run: Runner) -> None:
    declarations = """
    using namespace hlsl;
    namespace hlsl { float twice(float x) { return 2 * x; } }
    float sin(float x) { return x + 10; }
    """
    rows: list[Row] = [
        ("hlsl::float2(f, hlsl::abs(-f))", "float2", (2.5, 2.5)),
        ("hlsl::dot(v, hlsl::vector<hlsl::float, 3>(1, 1, 1))", "float", 6.0),
        ("float2(hlsl::twice(f), ::hlsl::sin(0))", "float2", (5.0, 0.0)),
        ("sin(f)", "float", 12.5),
    ]
    run.table(rows, INPUTS, declarations=declarations, hlsl_version=HLSL_202Y)


def test_operators_outside_of_structs(run: Runner) -> None:
    """Operators are found in scope and beside their operands' types; the best of all candidates is called."""
    declarations = """
    struct P { int x; P operator+(P o) { return made(x + o.x); } static P made(int n) { P p = {n}; return p; } };
    P operator+(P a, int b) { return P::made(a.x + b * 100); }
    P operator*(int a, P b) { return P::made(a * b.x); }
    P operator-(P a) { return P::made(-a.x); }
    P operator+=(inout P a, int b) { a.x += b; return a; }
    bool operator==(P a, P b) { return a.x % 10 == b.x % 10; }
    namespace other {
        struct Q { float2 v; };
        enum Direction { left, right };
        Q operator/(float a, Q b) { Q q = {a / b.v}; return q; }
        template <typename T> Q operator<<(Q a, T b) { Q q = {a.v * b}; return q; }
        Q operator++(inout Q a) { a.v++; return a; }
        Q operator++(inout Q a, int) { Q old = a; a.v += 10; return old; }
        Direction operator!(Direction d) { return d == left ? right : left; }
    }
    """
    prologue = """
    P p = {i}, total = {0}; total += 7; other::Q q = {float2(1, 2)}; other::Q before = q++; other::Q after = ++q;
    """
    rows: list[Row] = [
        ("int3((p + p).x, (p + 2).x, (4 * p).x)", "int3", (6, 203, 12)),
        ("int3((-p).x, total.x, operator*(2, p).x)", "int3", (-3, 7, 6)),
        ("p == P::made(13)", "bool", True),
        ("(2.0 / before).v", "float2", (2.0, 1.0)),
        ("(after << f).v", "float2", (30.0, 32.5)),
        ("int(!other::left)", "int", 1),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_methods_that_differ_by_const(run: Runner) -> None:
    declarations = """
    struct S { int n; int get() { return n; } int get() const { return n * 10; } int both() const { return get(); } };
    """
    prologue = "S s = {i}; const S c = {i + 1};"
    rows: list[Row] = [("int3(s.get(), c.get(), s.both())", "int3", (3, 40, 30))]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_unions(run: Runner) -> None:
    """Members share their bytes: whole, in parts, through parameters and methods, in buffers and groupshared memory."""
    declarations = """
    union Bits { float f; uint u; int2 pair; float2 v; };
    struct Color {
        union {
            struct { float r, g, b; };
            struct { float3 rgb; } packed;
            float values[3];
        };
        float sum() { return r + g + b; }
    };
    struct Fields { uint low : 8; uint high : 24; };
    union Word { uint whole; Fields parts; bool flag; };
    struct Tagged { enum Kind { none, number, flag } kind; union { float number_value; bool flag_value; }; };
    groupshared Bits shared_bits;
    void grow(inout float x) { x *= 2; }
    Bits made(float x) { Bits b = {x}; return b; }
    """
    prologue = """
    Bits a; a.pair = int2(5, 6); a.f = 1.0; uint one = a.u; int kept = a.pair.y;
    Color c; c.r = f; c.g = 2; c.values[2] = 7; c.values[i - 3] += 1; grow(c.g); c.packed.rgb.z++;
    Word w; w.whole = 0x12345678; w.parts.low = 0xab; uint high = w.parts.high;
    Tagged t; t.kind = Tagged::number; t.number_value = 0; bool off = t.flag_value; t.flag_value = true;
    shared_bits = made(f); shared_bits.v.y = 3; Bits copied = shared_bits; Bits empty = {}; Bits b[2];
    b[i - 2].v = v.xy;
    """
    rows: list[Row] = [
        ("uint2(one, kept)", "uint2", (0x3F800000, 6)),
        ("float3(c.values[0], c.values[1], c.values[2])", "float3", (3.5, 4.0, 8.0)),
        ("float2(c.sum(), c.packed.rgb.x)", "float2", (15.5, 3.5)),
        ("uint2(w.whole, high)", "uint2", (0x123456AB, 0x123456)),
        ("uint2(off, t.flag_value)", "uint2", (0, 1)),
        ("float2(copied.v.yx)", "float2", (3.0, 2.5)),
        ("uint3(empty.u, empty.pair)", "uint3", (0, 0, 0)),
        ("float2(made(4).f, b[1].v.y)", "float2", (4.0, 2.0)),
        ("uint2(sizeof(Bits), sizeof(Color))", "uint2", (8, 12)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_unions_in_buffers(run: Runner) -> None:
    source = """
    union Entry { struct { float x; uint id; }; uint words[2]; };
    RWStructuredBuffer<Entry> entries : register(u0);
    [numthreads(1, 1, 1)] void main() {
        entries[1].x = 2.0;
        entries[1].id = entries[0].words[1] + 1;
        Entry e = entries[0];
        e.words[0] = 9;
        entries[2] = e;
    }"""
    data = struct.pack("<fI4I", 1.0, 41, 0, 0, 0, 0)
    out = run(source, {(0, 0): storage(data)}, hlsl_version=HLSL_202X)[0, 0]
    assert struct.unpack("<fIfI2I", out) == (1.0, 41, 2.0, 42, 9, 41)


def test_initialiser_lists_of_202y(run: Runner) -> None:
    """The nesting follows the type, braces may be left out, and members without an initialiser are zero."""
    declarations = """
    struct Inner { int a; float b; };
    struct Outer { Inner inner[2]; int c; int d = 8; };
    struct Based : Inner { int e; };
    """
    prologue = """
    Outer nested = {{{1, 2}, {3}}, 5}; Outer flat = {1, 2, 3, 4, 5, 6}; Outer zero = {}; Based based = {{i, f}, 7};
    int grid[3][2] = {{1, 2}, {3}, {4}}; int rows[2][2] = {1, 2, 3, 4}; int sized[] = {5, 6, 7};
    float2x2 m = {{1, 2}, {3, 4}}; Inner one = {i, f}; Inner pair[2] = {one};
    """
    rows: list[Row] = [
        ("int4(nested.inner[0].b, nested.inner[1].a, nested.inner[1].b, nested.c)", "int4", (2, 3, 0, 5)),
        ("int4(flat.inner[1].b, flat.c, flat.d, nested.d)", "int4", (4, 5, 6, 8)),
        ("int3(zero.c, zero.d, based.e)", "int3", (0, 8, 7)),
        ("int4(grid[1][0], grid[1][1], grid[2][0], rows[1][0])", "int4", (3, 0, 4, 3)),
        ("int2(sized[2], pair[1].a)", "int2", (7, 0)),
        ("float3(m[1], pair[0].b)", "float3", (3.0, 4.0, 2.5)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202Y)
