"""Objects in buffers as objects of methods and as ``inout`` arguments; widths of bit-fields and of literals."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats, as_ints, floats, words
from tests.execute.vulkan import storage, uniform


def ran(run: Runner, source: str, words: tuple[int, ...], **options: object) -> list[int]:
    """Return the words of the ``RWStructuredBuffer`` at ``u0`` after one invocation."""
    data = b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in words)
    return list(as_ints(run(source, {(0, 0): storage(data)}, (1, 1, 1), **options)[0, 0]))


@pytest.mark.parametrize("member", ["int a; int b[2];", "int2 a; int2 b[1];", "int a; struct { int x[2]; } b;"])
def test_a_method_changes_the_element_of_a_buffer_it_is_called_on(run: Runner, member: str) -> None:
    first = "b.x[1]" if "struct" in member else "b[0].y" if "int2" in member else "b[1]"
    source = f"""
struct S {{ {member} void bump(int n) {{ a += n; {first} -= n; }} }};
RWStructuredBuffer<S> io : register(u0);
[numthreads(1, 1, 1)] void main() {{ io[1].bump(5); io[0].bump(1); }}"""
    size = 4 if "int2" in member else 3
    expected = [0] * (2 * size)
    for i, n in ((0, 1), (1, 5)):
        expected[i * size] += n
        if size == 4:
            expected[i * size + 1] += n
        expected[i * size + size - 1] -= n
    assert ran(run, source, (0,) * (2 * size)) == expected


def test_a_method_changes_booleans_of_a_buffer(run: Runner) -> None:
    source = """
struct S { bool on; int n; void flip() { on = !on; n++; } bool get() { return on; } };
RWStructuredBuffer<S> io : register(u0);
[numthreads(1, 1, 1)] void main() { io[0].flip(); io[1].flip(); if (io[1].get()) io[1].n += 10; }"""
    assert ran(run, source, (1, 5, 0, 7)) == [0, 6, 1, 18]


def test_an_element_of_a_buffer_is_an_inout_argument(run: Runner) -> None:
    source = """
struct S { bool on; int n; };
struct T { int n; int m; };
RWStructuredBuffer<S> io : register(u0);
RWStructuredBuffer<T> other : register(u0);
void twice(inout S s) { s.on = !s.on; s.n *= 2; }
void thrice(inout T t) { t.m *= 3; }
[numthreads(1, 1, 1)] void main() { twice(io[0]); thrice(other[1]); }"""
    assert ran(run, source, (1, 5, 4, 7)) == [0, 10, 4, 21]


def test_bit_fields_of_64_bits(run: Runner) -> None:
    source = """
struct S { uint64_t a : 45; uint64_t b : 10; int64_t c : 7; };
RWStructuredBuffer<int> io : register(u0);
[numthreads(1, 1, 1)] void main() {
  S s = (S)0;
  s.a = 0x155500000001ull; s.b = io[0]; s.c = io[1];
  s.b += 1;
  io[2] = int(s.a); io[3] = int(s.a >> 32); io[4] = int(s.b); io[5] = int(s.c);
}"""
    assert ran(run, source, (1000, -3, 0, 0, 0, 0)) == [1000, -3, 1, 0x1555, 1001, -3]


def test_a_literal_of_a_conditional_has_the_width_of_what_it_is_for(run: Runner) -> None:
    source = """
RWStructuredBuffer<int> io : register(u0);
[numthreads(1, 1, 1)] void main() {
  int64_t v = io[0] > 0 ? 0x1234567890 : -1;
  uint64_t w = io[0] > 1 ? 0 : 0xF000000000000000;
  switch (v) { case 0x1234567890: io[1] = 1; break; case 0x34567890: io[1] = 2; break; default: io[1] = 3; }
  io[2] = int(v >> 32); io[3] = int(w >> 60);
}"""
    assert ran(run, source, (1, 0, 0, 0)) == [1, 1, 0x12, 15]


def test_a_flat_conversion_takes_the_bits_of_a_bit_field(run: Runner) -> None:
    source = """
struct Colour { uint r : 8; uint g : 8; };
RWStructuredBuffer<int> io : register(u0);
[numthreads(1, 1, 1)] void main() {
  Colour c; c = (Colour)0; c.r = 0x12; c.g = 0x34;
  io[0] = (uint) c;
}"""
    assert ran(run, source, (0,)) == [0x12]


RESOURCE_STRUCTS = """
struct Source { StructuredBuffer<int> values; int scale; };
struct Sinks { RWStructuredBuffer<int> all[2]; RWByteAddressBuffer raw; };
struct Kernel : Source {
    Sinks sinks;
    int2 offsets;
    int read(uint i) { return values[i] * scale; }
    void write(uint i, int x) { sinks.all[0][i] = x; }
};
Kernel k : register(t3) : register(u5);
int loose;
Source several[2];
int read(Source s, uint i) { return s.values[i] + s.scale; }
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    k.write(i, k.read(i) + k.offsets.y);
    k.sinks.all[1][i] = read(k, i) + loose;
    Kernel copy = k;
    copy.sinks.raw.Store(4 * i, copy.values[3 - i] + copy.offsets[i & 1]);
    k.sinks.raw.Store(16 + 4 * i, read(several[1], i) * several[0].scale);
    k.sinks.all[i & 1][4] = 77;
}"""


def test_global_structs_with_buffers_and_numbers(run: Runner) -> None:
    """Buffers get their kind's registers in order, numbers are in $Globals; members and whole structs are used."""
    run.no_wgsl("the elements of an array of buffers have bindings of their own")
    numbers = words(10, 0, 0, 0, 100, 200, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 3)
    buffers = {
        (0, 3): storage(words(1, 2, 3, 4)),
        (0, 5, 0): storage(20),
        (0, 5, 1): storage(20),
        (0, 7): storage(32),
        (0, 0): uniform(numbers),
        (0, 1): storage(words(0, 0, 0, 0)),
        (0, 2): storage(words(5, 6, 7, 8)),
    }
    out = run(RESOURCE_STRUCTS, buffers)
    assert as_ints(out[0, 5, 0]) == (210, 220, 230, 240, 77)
    assert as_ints(out[0, 5, 1]) == (18, 19, 20, 21, 77)
    assert as_ints(out[0, 7]) == (104, 203, 102, 201, 16, 18, 20, 22)


BUFFER_ARRAYS = """
RWStructuredBuffer<int> x : register(u0), y : register(u1), o : register(u2);
RWStructuredBuffer<int> many[2][2] : register(u3);
static RWStructuredBuffer<int> both[2] = { x, y };
struct Pair { RWStructuredBuffer<int> b[2]; };
int sum(RWStructuredBuffer<int> a[2], uint i) { return a[0][i] + 10 * a[1][i]; }
int at(RWStructuredBuffer<int> a[2], uint which, uint i) { return a[which][i]; }
void change(RWStructuredBuffer<int> a[2]) { a[0] = y; a[0][3] = 99; }
[numthreads(1, 1, 1)] void main(uint n : SV_GroupIndex) {
    uint last = o[0];  // 1, known at run time only
    RWStructuredBuffer<int> l[2];
    l[0] = x;
    l[1] = y;
    o[0] = sum(l, last);
    o[1] = l[last][2];
    change(l);
    o[2] = l[0][3];
    o[3] = at(many[last], last, last);
    o[4] = many[last][1 - last][0];
    RWStructuredBuffer<int> row[2] = many[1];
    o[5] = sum(row, 1);
    Pair p;
    p.b[1] = x;
    p.b[0] = many[0][1];
    o[6] = p.b[1][0] + p.b[0][0];
    o[7] = both[1][0];
    RWStructuredBuffer<int> list[2] = { y, many[0][0] };
    o[8] = at(list, last, 1);
    list[last][0] = 55;
}"""


def test_arrays_of_buffers(run: Runner) -> None:
    """Local arrays of buffers work, also nested, and with variable indices."""
    run.no_wgsl("the elements of an array of buffers have bindings of their own")
    buffers = {(0, 0): storage(words(1, 2, 3, 4)), (0, 1): storage(words(5, 6, 7, 8))}
    buffers[0, 2] = storage(words(1, *[0] * 9))
    for i in range(4):
        buffers[0, 3, i] = storage(words(100 * (i + 1), 100 * (i + 1) + 1))
    out = run(BUFFER_ARRAYS, buffers)
    assert as_ints(out[0, 2]) == (62, 7, 4, 401, 300, 301 + 4010, 201, 5, 101, 0)
    assert as_ints(out[0, 1]) == (5, 6, 7, 99)
    assert as_ints(out[0, 3, 0]) == (55, 101)


def test_counters_of_local_arrays(run: Runner) -> None:
    """Each element of a local array of buffers uses its own buffer's counter."""
    run.no_wgsl("the elements of an array of buffers have bindings of their own")
    source = """
    [[vk::binding(0), vk::counter_binding(2)]] RWStructuredBuffer<int> x;
    [[vk::binding(1), vk::counter_binding(3)]] RWStructuredBuffer<int> y;
    uint step(RWStructuredBuffer<int> a[2], uint i) { return a[i].IncrementCounter(); }
    [numthreads(1, 1, 1)] void main() {
        RWStructuredBuffer<int> l[2] = { y, x };
        x[0] = l[1].IncrementCounter();
        l[0].IncrementCounter();
        l[0] = l[1];
        x[1] = l[0].IncrementCounter();
        y[0] = step(l, 0);
    }"""
    buffers = {(0, 0): storage(8), (0, 1): storage(4), (0, 2): storage(words(10)), (0, 3): storage(words(20))}
    out = run(source, buffers)
    assert as_ints(out[0, 0]) == (10, 11)
    assert as_ints(out[0, 1]) == (12,)
    assert (as_ints(out[0, 2]), as_ints(out[0, 3])) == ((13,), (21,))


def test_methods_with_loops_of_members_and_bases(run: Runner) -> None:
    """Methods with loops give the right results on objects that are members or bases of elements of a buffer.

    The layout of an object in a buffer differs from that of a variable.
    """
    source = """
struct A { float4 c[2]; };
struct B : A {
    float q;
    float sum() { float t = 0; for (uint i = 0; i < 2; i++) t += c[i].x; return t + q; }
    void put(uint n) { for (uint i = 0; i < n; i++) c[i].y = q; }
    float4 all(uint i) { A a = (A)this; for (uint k = 0; k < i; k++) a.c[i].x += 1; return a.c[i]; }
};
struct D {
    float2 x[2]; B inner[2];
    float get(uint n) { float t = 0; for (uint i = 0; i < n; i++) t += inner[i].sum() + x[i].y; return t; }
    B copy(uint i) { float z = 0; for (uint k = 0; k < i; k++) z += x[k].x; B b = inner[i]; b.q += z; return b; }
    void set(uint i, B b) { for (uint k = 0; k < i; k++) x[k] = 1; inner[i] = b; }
};
struct C {
    B b; float e; D d;
    float f() { return b.sum() * e; }
    void p(uint n) { b.put(n); d.inner[n - 1].put(n); }
};
RWStructuredBuffer<C> r : register(u0);
RWStructuredBuffer<float> o : register(u1);
groupshared C g;
static C s;
[numthreads(1, 1, 1)] void main() {
    uint n = uint(o[0]);
    o[0] = r[1].f(); o[1] = r[1].d.get(n); o[2] = r[1].b.all(n - 1).x; r[0].p(n);
    B b = r[0].d.copy(n - 1); o[3] = b.q; r[1].d.set(n - 1, b);
    g = r[1]; o[4] = g.d.get(n); g.d.set(1, (B)2); o[5] = g.d.get(n); s = r[1]; o[6] = s.d.get(2) + s.f();
}"""
    # floats: c 0, q 8; e 9; x 10, inner 14 and 23; size 32
    values = [float(i) for i in range(64)]
    total = (46 + 50 + 54) + 43 + (55 + 59 + 63) + 45
    copied = 23 + 27 + (31 + 10)
    changed = (46 + 50 + 54) + 1 + copied + 45
    shared = (46 + 50 + 54) + 1 + 6 + 45
    given = {(0, 0): storage(floats(*values)), (0, 1): storage(floats(2, *[0] * 6))}
    out = run(source, given, layout="scalar")
    assert as_floats(out[0, 1]) == (
        (32 + 36 + 40) * 41, total, 37, 41, changed, shared, changed + (32 + 36 + 40) * 41
    )  # fmt: skip
    values[1] = values[5] = 8
    values[24] = values[28] = 31
    values[32 + 10 : 32 + 12] = [1, 1]
    values[32 + 23 : 32 + 32] = [23, 31, 25, 26, 27, 31, 29, 30, 41]
    assert as_floats(out[0, 0]) == tuple(values)
