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
    Late squared = (Late)(i + 1); int number(i); float4 vector_of(v, f); int braced{i}; int zero{};
    Plain aggregate = {8, 9};
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
        ("int3(late.n, squared.n, shared_range.high)", "int3", (9, 16, 8)),
        ("pair.sum()", "float", 7.5),
        ("int4(number, braced, zero, int(vector_of.w * 2))", "int4", (3, 3, 0, 5)),
        ("int2(made(i).high, listed(i).high)", "int2", (4, 5)),
        ("int2(Range().high, Range(i).high)", "int2", (2, 4)),
        ("int2(aggregate.a, aggregate.b)", "int2", (8, 9)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_constructors_convert_arguments(run: Runner) -> None:
    """A conversion by a constructor is worse than any other, and there is one for each argument at most."""
    declarations = """
    struct Sum { int n; Sum(int x) : n(x) { } Sum(float2 v) : n(v.x + v.y) { } int plus(Sum o) { return n + o.n; } };
    Sum operator*(Sum a, Sum b) { return Sum(a.n * b.n); }
    struct Derived : Sum { Derived(int x) : Sum(x * 2) { } };
    struct Other { int m; Other(Sum s) : m(s.n + 100) { } };
    int read(Sum s) { return s.n; }
    int read_reference(const Sum &s) { return s.n; }
    int chosen(Sum s) { return 1; }
    int chosen(float x) { return 2; }
    int other(Other o) { return o.m; }
    template <typename T> int added(T x, Sum s = 50) { return s.n + x; }
    int changed(Sum s) { s.n += 1; return s.n; }
    """
    prologue = "Sum s = 3; Derived derived = i; int count = i;"
    rows: list[Row] = [
        ("int2(read(i), read(v.xy))", "int2", (3, 3)),
        ("int2(read_reference(i + 1), read(2.5))", "int2", (4, 5)),
        ("int2(chosen(i), chosen(s))", "int2", (2, 1)),
        ("int2(read(derived), other(s))", "int2", (6, 103)),
        ("int2(s.plus(i), (s * i).n)", "int2", (6, 9)),
        ("int2(added(i, 4), added(i))", "int2", (7, 53)),
        ("int2(changed(count++), count)", "int2", (4, 4)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_loops_over_arrays(run: Runner) -> None:
    declarations = """
    static const int table[4] = { 1, 2, 3, 4 };
    static int calls = 0;
    struct Three { int items[3]; };
    Three three() { calls++; Three t; for (int &x : t.items) x = 5; return t; }
    """
    prologue = """
    int a[3] = { i, i + 1, i + 2 }; int sum = 0, products = 0;
    for (int x : a) { x *= 2; sum += x; }
    for (const auto x : a) for (int y : table) { if (y == 4) continue; products += x * y; }
    int fives = 0; for (int x : three().items) fives += x;
    int grid[2][2] = { 1, 2, 3, 4 }, row = 0, first = 0; for (int x : grid[row]) { row = 1; first += x; }
    """
    rows: list[Row] = [
        ("int2(sum, products)", "int2", (24, 72)),
        ("a[0]", "int", 3),
        ("int3(fives, calls, first)", "int3", (15, 1, 3)),
    ]
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
    union Low { uint whole; uint low : 4; };
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
    b[i - 2].v = v.xy; Low l; l.whole = 0xf0; l.low = 5;
    """
    rows: list[Row] = [
        ("uint2(one, kept)", "uint2", (0x3F800000, 6)),
        ("float3(c.values[0], c.values[1], c.values[2])", "float3", (3.5, 4.0, 8.0)),
        ("float2(c.sum(), c.packed.rgb.x)", "float2", (15.5, 3.5)),
        ("uint4(w.whole, high, l.whole, l.low)", "uint4", (0x123456AB, 0x123456, 0xF5, 5)),
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


def test_matrices_in_unions(run: Runner) -> None:
    """Matrices of integers have the order of those of floats, and that of buffers."""
    source = """
    struct Inner { uint first; int2x3 m; };
    union Entry {
        uint words[7]; float2x3 floats; int2x3 integers; Inner inner; struct { uint2x3 last[1]; } nested; bool2x2 truth;
    };
    RWStructuredBuffer<Entry> entries : register(u0);
    RWStructuredBuffer<int> o : register(u1);
    [numthreads(1, 1, 1)] void main() {
        Entry e = entries[0];
        o[0] = asint(e.floats[1][0]) * 100 + e.integers[1][0] * 10 + e.nested.last[0]._m02;
        o[1] = e.inner.m[0][2] * 10 + e.inner.first;
        e.integers[0][1] = 9;
        e.inner.m._m12 = 8;
        o[2] = e.truth[1][0] + 2 * e.truth[0][1];
        entries[1] = e;
    }"""
    data = struct.pack("<14I", 1, 2, 3, 4, 5, 6, 7, *bytes(7))
    out = run(source, {(0, 0): storage(data), (0, 1): storage(12)}, hlsl_version=HLSL_202X)
    assert struct.unpack("<3i", out[0, 1]) == (225, 61, 3)
    assert struct.unpack("<14I", out[0, 0])[7:] == (1, 2, 9, 4, 5, 6, 8)


def test_atomics_on_unions(run: Runner) -> None:
    """The memory is a word of the union, whatever the member is."""
    source = """
    union Entry {
        uint whole; int number; float real; uint words[6];
        struct { int x; int2 y; } parts;
        uint2x3 matrix;
        union { float4 vector_of; int4 integers; } inner;
    };
    struct Holder { int first; Entry entry; };
    RWStructuredBuffer<Entry> entries : register(u0);
    RWStructuredBuffer<Holder> holders : register(u1);
    RWStructuredBuffer<int> results : register(u2);
    groupshared Entry shared_entry;
    [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
        int before; uint old; float real;
        if (i == 0) { shared_entry.number = 3; shared_entry.words[2] = 7; }
        GroupMemoryBarrierWithGroupSync();
        InterlockedAdd(shared_entry.parts.y.y, -2);
        InterlockedMax(entries[0].whole, i + 3);
        InterlockedAdd(entries[0].words[i + 1], 10 + i);
        InterlockedAdd(entries[1].matrix[i & 1][2], 1);
        InterlockedAdd(entries[1].matrix._m12, i & 1);
        InterlockedAdd(holders[0].entry.inner.integers.w, 5);
        GroupMemoryBarrierWithGroupSync();
        if (i == 3) {
            InterlockedExchange(holders[0].entry.real, 2.5, real);
            results[0] = (int)real;
            InterlockedCompareExchangeFloatBitwise(holders[0].entry.inner.vector_of.y, 4, 8, real);
            results[1] = (int)real;
            InterlockedCompareExchange(holders[0].entry.words[2], 70, 80, old);
            results[2] = (int)old;
            results[3] = shared_entry.number * 100 + shared_entry.words[2];
        }
    }"""
    holder = struct.pack("<i2f4i", -1, 1.5, 4, 70, 100, 0, 0)
    given = {(0, 0): storage(48), (0, 1): storage(holder), (0, 2): storage(16)}
    out = run(source, given, hlsl_version=HLSL_202X)
    assert struct.unpack("<12I", out[0, 0]) == (6, 10, 11, 12, 13, 0, 0, 0, 0, 0, 2, 4)
    assert struct.unpack("<i2f4i", out[0, 1]) == (-1, 2.5, 8, 80, 120, 0, 0)
    assert struct.unpack("<4i", out[0, 2]) == (1, 4, 70, 299)


def test_signed_atomics_on_unions(run: Runner) -> None:
    source = """
    union Entry { uint whole; int number; };
    RWStructuredBuffer<Entry> entries : register(u0);
    [numthreads(1, 1, 1)] void main() {
        int old;
        InterlockedMax(entries[0].number, -3, old);
        InterlockedMin(entries[1].number, old);
    }"""
    out = run(source, {(0, 0): storage(struct.pack("<2i", -5, 2))}, hlsl_version=HLSL_202X)[0, 0]
    assert struct.unpack("<2i", out) == (-3, -5)


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


def test_references(run: Runner) -> None:
    """A local reference keeps its element; those of parameters alias each other; results can be assigned to."""
    declarations = """
    groupshared int shared_number, shared_numbers[2];
    static int global_number;
    int &shared_at(groupshared int a[2], int n) { return a[n]; }
    RWStructuredBuffer<int> numbers : register(u2);
    void both(int &a, int &b) { a = 2; b = 3; a += b; }
    void add(inout int sum, const int &x) { sum += x; }
    template <typename T> void swap(T &a, T &b) { T t = a; a = b; b = t; }
    int read(int &a) { global_number = 50; return a; }
    struct Stack {
        float data[4]; int reads;
        float &at(int n) { reads++; return data[n]; }
        float &operator[](int n) { return data[n]; }
        Stack &operator+=(float x) { data[0] += x; return this; }
        Stack &operator=(float x) { data[0] = x; return this; }
        float operator[](int n) const { return -1; }
    };
    int &global_reference() { return global_number; }
    int &chosen(int &a) { return a; }
    struct Plain { int n; };
    Plain &operator++(Plain &p) { p.n++; return p; }
    """
    prologue = """
    int a = 1; int &b = a; b = 3; b++;
    int table[3] = {1, 2, 3}; int n = 1; int &element = table[n]; n = 2; element += 5; const int &kept = table[n];
    const int &temporary = i * 10; auto &whole = table; whole[0] = 9; int &again = element; again *= 2;
    for (int &x : table) x += 100;
    int same = 0; both(same, same); int c = 4, d = 5; swap(c, d); add(c, 10);
    shared_number = 6; both(shared_number, d); numbers[0] = 7; int &stored = numbers[n - 2]; stored++;
    global_number = 1; int seen = read(global_number);
    Stack s; s.reads = 0; s.at(1) = 3; s[2] = 4; s[3] = 1; s[3] += 2; (s = 1) += 2; (s += 1) += 2;
    int k = 0; s.at(k++) += 100; float &second = s.at(k); second++; const Stack frozen = s;
    global_reference() = 70; chosen(global_reference()) += 7; int q = 1; chosen(chosen(q)) = 8;
    Plain p = {1}; (++p).n += 10; shared_numbers[1] = 0; shared_at(shared_numbers, i - 2) = 6;
    float2x2 m = {1, 2, 3, 4}; float &corner = m._m10; corner = 8; m = m * 2;
    """
    rows: list[Row] = [
        ("int4(a, temporary, kept, n)", "int4", (4, 30, 103, 2)),
        ("int3(table[0], table[1], table[2])", "int3", (109, 114, 103)),
        ("int4(same, c, d, shared_number)", "int4", (6, 15, 3, 5)),
        ("int2(numbers[0], seen)", "int2", (8, 50)),
        ("float4(s.data[0], s.data[1], s.data[2], s.data[3])", "float4", (106.0, 4.0, 4.0, 3.0)),
        ("float3(s.reads, k, frozen[0])", "float3", (3.0, 1.0, -1.0)),
        ("int3(global_number, q, p.n)", "int3", (77, 8, 12)),
        ("int2(shared_numbers[1], corner)", "int2", (6, 16)),
    ]
    resources = {(0, 2): storage(4)}
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, resources=resources, hlsl_version=HLSL_202X)


def test_references_to_the_same_memory(run: Runner) -> None:
    """A write through one reference is seen through another one to the same variable, or to a part of it."""
    declarations = """
    struct P { int a, b; void raise(int &x) { a += 10; x += 20; } };
    static int shared_number = 1;
    void raise(int &x, int &y) { y += 10; x += 20; }
    void inner(int &x, int &y) { raise(y, x); }
    void part(P &p, int &x) { x += 10; p.a += 20; }
    void component(float &x, float &y) { y += 10; x += 20; }
    int seen(const int &x, int &y) { y = 3; return x; }
    int seen_global(const int &x) { shared_number = 31; return x; }
    """
    prologue = """
    int s = 1; raise(s, s); int deep = 1; inner(deep, deep); int t[3] = {1, 1, 1}; raise(t[i - 2], t[i / 3]);
    P p = {1, 2}; part(p, p.a); P q = {1, 2}; q.raise(q.a); float2 w = float2(1, 1); component(w.y, w[i - 2]);
    int captured = 1; auto add = [&](int &x) { captured += 10; x += 20; }; add(captured);
    int k = 1; int third = seen(k, k); int global_seen = seen_global(shared_number);
    """
    rows: list[Row] = [
        ("int4(s, deep, t[1], captured)", "int4", (31, 31, 31, 31)),
        ("int3(p.a, q.a, w.y)", "int3", (31, 31, 31)),
        ("int2(third, global_seen)", "int2", (3, 31)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_numeric_limits(run: Runner) -> None:
    declarations = """
    typedef hlsl::numeric_limits<float> Floats;
    template <typename T> T largest() { return hlsl::numeric_limits<T>::max(); }
    static const int big = hlsl::numeric_limits<int>::max() - 1;
    typedef numeric_limits<uint> Bare;
    using Aliased = numeric_limits<int>;
    namespace other { template <typename T> struct numeric_limits { static T max() { return 7; } }; }
    struct Holder { numeric_limits<int> limits; };
    template <typename T, typename Limits = numeric_limits<T> > T top(T x) { return Limits::max() - x; }
    constexpr float smallest = numeric_limits<float>::min();
    """
    rows: list[Row] = [
        ("float2(Floats::max(), Floats::lowest())", "float2", (3.4028234663852886e38, -3.4028234663852886e38)),
        ("asuint(hlsl::numeric_limits<float>::infinity())", "uint", 0x7F800000),
        ("asuint(Floats::negative_infinity())", "uint", 0xFF800000),
        ("asuint(Floats::min())", "uint", 0x00800000),
        ("isnan(Floats::quiet_NaN() * f)", "bool", True),
        ("int2(hlsl::numeric_limits<int>::min(), big)", "int2", (-(2**31), 2**31 - 2)),
        ("uint2(largest<uint>(), hlsl::numeric_limits<uint>::lowest())", "uint2", (2**32 - 1, 0)),
        ("uint2(Bare::max(), asuint(smallest))", "uint2", (2**32 - 1, 0x00800000)),
        ("int2(Aliased::min(), top(i))", "int2", (-(2**31), 2**31 - 4)),
        ("int2(holder.limits.max(), limits.lowest())", "int2", (2**31 - 1, -(2**31))),
        ("int2(other::numeric_limits<int>::max(), numeric_limits<bool>::max())", "int2", (7, 1)),
    ]
    prologue = "Holder holder; numeric_limits<int> limits;"
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_constexpr(run: Runner) -> None:
    declarations = """
    constexpr int square(int x) { return x * x; }
    constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
    constexpr uint bits(uint v) { uint n = 0; for (; v; v >>= 1) { if (!(v & 1)) continue; ++n; } return n; }
    constexpr int first(int n) {
        int x = 0;
        while (true) { x += n; if (x > 10) break; }
        do { x--; } while (x > 20);
        return x;
    }
    constexpr int size = square(3);
    struct S { static constexpr float half_of_it = 0.5; };
    static_assert(factorial(5) == 120, "folded");
    static_assert(bits(0xF0F) == 8, "folded");
    static_assert(first(4) == 11, "folded");
    enum E { nine = square(3) };
    """
    prologue = (
        "int table[size]; table[size - 1] = 5; constexpr auto local = factorial(4); decltype(local) same = local;"
    )
    rows: list[Row] = [
        ("int4(table[8], local, same, nine)", "int4", (5, 24, 24, 9)),
        ("float2(S::half_of_it, square(i))", "float2", (0.5, 9.0)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_parameter_packs(run: Runner) -> None:
    declarations = """
    template <typename T> T sum(T a) { return a; }
    template <typename T, typename... R> T sum(T a, R... rest) { return a + sum(rest...); }
    template <typename... A> int count(A... a) { return sizeof...(A) * 10 + sizeof...(a); }
    template <typename... A> float3 doubled(A... a) { float3 v = {2 * a...}; return v; }
    """
    rows: list[Row] = [
        ("sum(1, 2, i)", "int", 6),
        ("int3(count(), count(1), count(1, f, true))", "int3", (0, 11, 33)),
        ("doubled(f, i, 1)", "float3", (5.0, 6.0, 2.0)),
        ("sum(f, f, f, f)", "float", 10.0),
    ]
    run.table(rows, INPUTS, declarations=declarations, hlsl_version=HLSL_202X)


def test_lambda_expressions(run: Runner) -> None:
    declarations = "template <typename F> int twice(F f, int x) { return f(x) + f(x + 1); }"
    prologue = """
    int k = 2; auto times = [k](int a) { return a * k; }; k = 100; int sum = 0;
    auto add = [&](int a) { sum += a * k; }; add(2); add(3);
    auto sign = [](float a) -> int { if (a > 1) return 2; return 3; };
    const float2 ones = float2(1, 1); auto scaled = [&](float a) { return ones * a; };
    auto stop = [&](int a) { if (a > 1) return; sum += 1000; }; stop(2);
    const int fixed = 4; auto constant = [] { return fixed + 1; };
    auto set = [&sum, k](int a) { sum += a + k; return sum; }; int seen = set(7);
    int inner = [=](int q) { auto deeper = [=](int r) { return r * q + i; }; return deeper(10); }(5);
    """
    rows: list[Row] = [
        ("int3(times(3), twice(times, 1), sum)", "int3", (6, 6, 607)),
        ("int4(sign(f), sign(0), constant(), seen)", "int4", (2, 3, 5, 607)),
        ("inner", "int", 53),
        ("scaled(f)", "float2", (2.5, 2.5)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_destructors(run: Runner) -> None:
    """Objects are destroyed in reverse order where their block ends, and before a jump leaves it."""
    declarations = """
    static int log = 0;
    struct Guard { int id; Guard(int n) : id(n) { } Guard() : id(9) { } ~Guard() { log = log * 10 + id; } };
    struct Pair { Guard a; Guard b; Pair() : a(1), b(2) { } };
    int early(int n) {
        Guard g(3);
        if (n > 2) return log;
        Guard h(4);
        return log + 1000;
    }
    int loops() {
        log = 0;
        for (int n = 0; n < 3; n++) {
            Guard g(n + 1);
            if (n == 1) { Guard inner(7); continue; }
            if (n == 2) break;
        }
        return log;
    }
    int switches() {
        log = 0;
        for (int n = 0; n < 2; n++) {
            Guard outer(1);
            switch (n) {
                case 0: { Guard g(2); continue; }
                case 1: { Guard h(3); break; }
            }
            Guard last(4);
        }
        return log;
    }
    int heads() { log = 0; for (Guard g(5); g.id < 8; g.id++) { Guard inner(2); if (g.id == 6) break; } return log; }
    """
    prologue = """
    { Guard a(1); Guard b(2); } int order = log; log = 0;
    { Pair p; } int members = log; log = 0;
    { Guard two[2]; two[1].id = 5; } int elements = log; log = 0;
    int before = early(i); int after = log; log = 0; int longer = early(1); int rest = log;
    """
    rows: list[Row] = [
        ("int3(order, members, elements)", "int3", (21, 21, 59)),
        ("int4(before, after, longer, rest)", "int4", (0, 3, 1000, 43)),
        ("int3(loops(), switches(), heads())", "int3", (1723, 21341, 226)),
    ]
    run.table(rows, INPUTS, declarations=declarations, prologue=prologue, hlsl_version=HLSL_202X)


def test_default_values_of_stage_inputs(run: Runner) -> None:
    """A member of an entry point's parameter has the value of its constructor unless a semantic sets it."""
    source = """
    struct Input {
        uint index : SV_GroupIndex;
        float scale;
        uint2 more;
        Input() : index(100), scale(2.5), more(uint2(3, 4)) { }
    };
    RWStructuredBuffer<float> o : register(u0);
    [numthreads(2, 1, 1)] void main(Input input) {
        Input other;
        o[input.index] = input.scale * 100 + input.more.y * 10 + other.index / 100;
    }"""
    out = run(source, {(0, 0): storage(8)}, hlsl_version=HLSL_202X)[0, 0]
    assert struct.unpack("<2f", out) == (291.0, 291.0)


def test_slices(run: Runner) -> None:
    """``slice`` takes a part of a vector, and evaluates the vector once."""
    source = """
    RWStructuredBuffer<float> o : register(u0);
    static int calls;
    typedef vector<float, 9> Nine;
    Nine counted(uint n) { calls++; Nine v; for (int i = 0; i < 9; i++) v[i] = n * i; return v; }
    [numthreads(1, 1, 1)] void main(uint n : SV_GroupIndex) {
        vector<float, 5> five = slice<4, 5>(counted(n + 2));
        float2 two = slice<2>(counted(n + 3) + 1);
        int4 short_one = int4(5, 6, 7, 8);
        o[0] = five[0] + five[4]; o[1] = two.x * 10 + two.y; o[2] = calls; o[3] = slice<3, 1>(short_one).x;
        o[4] = slice<1, 2>(short_one).y;
    }"""
    out = run(source, {(0, 0): storage(20)}, hlsl_version=HLSL_202X, profile="cs_6_9")[0, 0]
    assert struct.unpack("<5f", out) == (24.0, 14.0, 2.0, 8.0, 7.0)
