"""Stores to nested elements in buffers and in shared memory, directly and through parameters."""

from __future__ import annotations

from tests.execute.tables import Row, Runner, as_floats, as_ints, floats, words
from tests.execute.vulkan import storage, uniform


def test_elements_of_buffers_as_arguments(run: Runner) -> None:
    source = """
struct S { float2 a; float m[3]; float2x2 t; };
RWStructuredBuffer<S> s : register(u0);
groupshared float g[4];
groupshared float3 h;
RWByteAddressBuffer o : register(u1);
void add(inout float x, float by) { x += by; }
void swap(inout float2 v) { v = v.yx; }
void set(out float x) { x = 9; }
float bump(inout uint i) { return i++; }
[numthreads(1, 1, 1)] void main() {
    add(s[0].a.y, 10); add(s[0].m[1], 20); swap(s[0].a); add(s[0].t[1][0], 30); swap(s[0].t[0]); set(s[0].t._m11);
    g[2] = 1; add(g[2], 2); h = float3(1, 2, 3); add(h.z, 4); swap(h.xy); set(h.x);
    uint i = 0; float k[4] = { 1, 2, 3, 4 }; k[bump(i)] += 5; k[bump(i)] = k[bump(i)]; add(k[i], 7);
    s[0].a.xy += s[0].a.yx; s[0].t *= 2; s[0].t._m00_m01 = s[0].t._m01_m00;
    o.Store4(0, asuint(float4(g[2], h))); o.Store4(16, asuint(float4(k[0], k[1], k[2], k[3]))); o.Store(32, i);
}"""
    data = floats(1, 2, 3, 4, 5, 0, 6, 7, 8, 9)
    # a 0, m 8, t 24 in columns: (6, 7), (8, 9), so its rows are (6, 8) and (7, 9)
    out = run(source, {(0, 0): storage(data[:20] + data[24:]), (0, 1): storage(36)}, layout="scalar")
    values = as_floats(out[0, 0])
    assert values[0:5] == (13, 13, 3, 24, 5)
    # rows (8, 6) and (37, 9), doubled, then the first row swapped
    assert values[5:9] == (12, 74, 16, 18)
    other = as_floats(out[0, 1])
    assert other[0:4] == (3, 9, 1, 7)
    assert other[4:7] == (6, 2, 2)  # the right side of an assignment comes first, as in DXC
    assert other[7] == 11


def test_matrix_arrays_in_constant_buffers(run: Runner) -> None:
    source = """
struct L { float3 p; row_major float3x2 r[2]; float3x2 c[2]; };
cbuffer C : register(b0) { L l[2]; };
RWStructuredBuffer<float> o : register(u1);
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[i] = l[i].p.z; o[2 + i] = l[i].r[i][2].y; o[4 + i] = l[1 - i].c[i][i + 1][1 - i];
    L whole = l[i]; o[6 + i] = mul(float3(1, 10, 100), whole.r[1]).x; o[8 + i] = mul(whole.c[0], float2(1, 10)).z;
}"""
    # each L: p 0; r 16: 2 x 3 rows of 16 bytes; c 112: 2 x 2 columns of 16 bytes; size 176
    one = [1.0, 2.0, 3.0, 0.0]
    for m in range(2):
        for row in range(3):
            one += [10.0 * m + row, 10.0 * m + row + 0.5, 0.0, 0.0]
    for m in range(2):
        for col in range(2):
            one += [100.0 * m + 10 * col + row for row in range(3)] + [0.0]
    two = [value * 2 for value in one]
    out = as_floats(run(source, {(0, 0): uniform(floats(*one, *two)), (0, 1): storage(40)})[0, 1])
    assert out[0:2] == (3, 6)
    assert out[2:4] == (2.5, 25)
    # thread 0: l[1].c[0] row 1, column 1; thread 1: l[0].c[1] row 2, column 0
    assert out[4:6] == (22, 102)
    assert out[6:8] == (10 + 110 + 1200, 2 * (10 + 110 + 1200))
    assert out[8:10] == (2 + 10 * 12, 2 * (2 + 10 * 12))


def test_side_effects_happen_once_and_in_order(run: Runner) -> None:
    declarations = """
    static int log = 0;
    int note(int x) { log = log * 10 + x; return x; }
    """
    prologue = """
    int a[4] = { 0, 0, 0, 0 };
    a[note(1)] += note(2); int l0 = log; log = 0;
    int b = note(1) + note(2) * note(3); int l1 = log; log = 0;
    int c = i > 0 ? note(4) : note(5); int l2 = log; log = 0;
    int2 d = int2(note(6), note(7)); int l3 = log; log = 0;
    int n = 0; do { n++; } while (note(n) < 3); int l4 = log; log = 0;
    for (int k = note(1); note(k) < 3; k += note(1)) { if (k == 1) continue; n += 10; } int l5 = log;
    int e = 5; e = e++ + e; int f = (note(1), note(2), i);
    """
    rows: list[Row] = [
        ("int2(a[1], l0 == 12 || l0 == 21)", "int2", (2, 1)),
        ("int2(b, l1)", "int2", (7, 123)),
        ("int2(c, l2)", "int2", (4, 4)),
        ("int3(d, l3)", "int3", (6, 7, 67)),
        ("int2(n, l4)", "int2", (13, 123)),
        ("l5", "int", 111213),
        ("f", "int", 1),
    ]
    run.table(rows, {"i": ("int", 1)}, declarations=declarations, prologue=prologue)


def test_shadowing(run: Runner) -> None:
    declarations = "static int x = 1; int get() { return x; } int param(int x) { { int x = 5; x++; } return x; }"
    prologue = "int a = x; int x = 10; { int x = 20; a += x; } a += x; for (int x = 0; x < 3; x++) a += 100; x++;"
    rows: list[Row] = [("int4(a, x, get(), param(7))", "int4", (1 + 20 + 10 + 300, 11, 1, 7))]
    run.table(rows, {}, declarations=declarations, prologue=prologue)


def test_places_behind_a_comma(run: Runner) -> None:
    source = """
RWStructuredBuffer<int> o : register(u0);
groupshared int total;
[numthreads(1, 1, 1)] void main() {
    int k = 0, a[3] = { 4, 5, 6 };
    total = 0;
    (k = 3, a)[1] = 2;
    InterlockedAdd((k += 1, total), 7);
    (k += 1, o)[2] = (k, a[1], a)[2];
    o[0] = k;
    o[1] = a[1] + 10 * total;
}"""
    assert as_ints(run(source, {(0, 0): storage(12)})[0, 0]) == (5, 72, 6)


def test_methods_that_change_their_object(run: Runner) -> None:
    source = """
struct S {
    int a, b;
    void add(int k) { a += k; b = next(); }
    int next() { return ++a; }
};
RWStructuredBuffer<S> o : register(u0);
StructuredBuffer<S> i : register(t1);
RWByteAddressBuffer bytes : register(u2);
groupshared S shared_one;
S made() { S s = { 5, 6 }; return s; }
[numthreads(1, 1, 1)] void main() {
    o[0].add(3);
    S copy = i[0]; copy.add(2); o[1] = copy;
    shared_one = made(); shared_one.add(1); o[2] = shared_one;
    bytes.Load<S>(0).add(7);
    o[3].a = made().next(); o[3].b = bytes.Load<S>(0).a;
}"""
    data = {
        (0, 0): storage(words(1, 2, 0, 0, 0, 0, 0, 0)),
        (0, 1): storage(words(10, 20)),
        (0, 2): storage(words(4, 0)),
    }
    assert as_ints(run(source, data)[0, 0]) == (5, 5, 13, 13, 7, 7, 6, 4)
