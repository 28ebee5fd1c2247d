"""Functions: passing of arguments and results, overloads, and variables that persist between calls."""

from __future__ import annotations

from tests.execute.tables import Inputs, Row, Runner, as_floats, as_ints, floats
from tests.execute.vulkan import storage


def test_parameter_directions(run: Runner) -> None:
    declarations = """
    struct P { float a; float2 b; };
    void set(out float x) { x = 5; }
    void add(inout float x, float y) { x += y; y = 99; }
    float keep(in float x) { x *= 2; return x; }
    void both(inout float a, inout float b) { a += 1; b *= 10; }
    void swap(inout int a, inout int b) { int t = a; a = b; b = t; }
    void fill(out float v[3], float s) { for (int i = 0; i < 3; i++) v[i] = s + i; }
    void change(inout P p) { p.a += p.b.y; p.b = p.b.yx; }
    void two(out float2 v) { v.y = 8; v.x = 7; }
    void rows(inout float2x2 m) { m[0] = m[1]; m._m11 = 9; }
    void count(inout uint n) { n++; }
    """
    prologue = """
    float a; set(a);
    float b = 1; add(b, b);
    float c = f; float ck = keep(c);
    float d = 2; both(d, d);
    int i = 1, j = 2; swap(i, j);
    float arr[3]; fill(arr, f); add(arr[1], 100);
    P p = { 1, 2, 3 }; change(p); add(p.b.x, 0.5);
    float4 v = 0; two(v.wy); set(v.x); add(v[2], 4);
    float2x2 m = float2x2(1, 2, 3, 4); rows(m); two(m[0]); set(m._m10);
    float4 w = float4(1, 2, 3, 4); two(w.zx);
    int n = 3; uint un = n; count(un); float g = 2.5; swapf: ;
    """.replace(" swapf: ;", "")
    inputs: Inputs = {"f": ("float", 3.5)}
    rows: list[Row] = [
        ("a", "float", 5.0),
        ("b", "float", 2.0),
        ("float2(c, ck)", "float2", (3.5, 7.0)),
        ("int2(i, j)", "int2", (2, 1)),
        ("float3(arr[0], arr[1], arr[2])", "float3", (3.5, 104.5, 5.5)),
        ("float3(p.a, p.b)", "float3", (4.0, 3.5, 2.0)),
        ("v", "float4", (5.0, 8.0, 4.0, 7.0)),
        ("m", "float2x2", (7.0, 8.0, 5.0, 9.0)),
        ("w", "float4", (8.0, 2.0, 7.0, 4.0)),
        ("un", "uint", 4),
    ]
    run.table(rows, inputs, declarations=declarations, prologue=prologue)


def test_arguments_are_copies(run: Runner) -> None:
    """A change of a parameter does not affect the argument during the call, nor the reverse."""
    declarations = """
    static int g = 1;
    int peek(in int x) { g = 5; x += 100; return x; }
    int look(inout int x) { int seen = x; g = 20; x = seen * 2; return seen; }
    """
    prologue = "int b = peek(g); int local = 7; int c = look(local); float f = 3; int d = look(f);"
    rows: list[Row] = [("int4(b, g, c, local)", "int4", (101, 20, 7, 14)), ("float2(d, f)", "float2", (3.0, 6.0))]
    run.table(rows, {}, declarations=declarations, prologue=prologue)


def test_conversions_of_out_arguments(run: Runner) -> None:
    declarations = (
        "void real(out float x) { x = 7.75; } void whole(inout int x) { x *= 3; } void trunc3(out int3 v) { v = 4; }"
    )
    prologue = "int i; real(i); float f = 2.5; whole(f); float3 v; trunc3(v); uint u = 5; whole(u); bool b; real(b);"
    rows: list[Row] = [
        ("i", "int", 7),
        ("f", "float", 6.0),
        ("v", "float3", (4.0, 4.0, 4.0)),
        ("u", "uint", 15),
        ("b", "bool", True),
    ]
    run.table(rows, {}, declarations=declarations, prologue=prologue)


def test_overloads(run: Runner) -> None:
    declarations = """
    int which(float x) { return 1; } int which(int x) { return 2; }
    int which(uint x) { return 3; } int which(bool x) { return 4; }
    int wide(float2 x) { return 5; } int wide(float3 x) { return 6; } int wide(int2 x) { return 7; }
    int matrix(float2x2 x) { return 8; } int matrix(float3x3 x) { return 9; }
    int two(float x, float y) { return 10; } int two(int x, float y) { return 11; } int two(int x) { return 12; }
    struct A { int x; }; struct B { int x; };
    int record(A a) { return 13; } int record(B b) { return 14; }
    int with_default(int a, int b = 40) { return a + b; }
    """
    prologue = "A a = { 1 }; B b = { 2 }; float2 v = f; int2 w = i; float2x2 m = 0;"
    inputs: Inputs = {"f": ("float", 1.0), "i": ("int", 1), "u": ("uint", 1), "c": ("bool", True)}
    wanted = {
        "which(f)": 1, "which(i)": 2, "which(u)": 3, "which(c)": 4, "which(1.0f)": 1, "which(1u)": 3, "which(true)": 4,
        "which(i < u)": 4, "which(f * i)": 1, "which(v.x)": 1, "which(i + u)": 3, "which(c + c)": 2, "wide(v)": 5,
        "wide(w)": 7, "wide(v.xyx)": 6, "wide(w.yx + 1)": 7, "matrix(m)": 8, "matrix((float3x3)0)": 9, "two(f, f)": 10,
        "two(i, f)": 11, "two(i)": 12, "record(a)": 13, "record(b)": 14, "with_default(2)": 42, "with_default(2, 3)": 5,
    }  # fmt: skip
    rows: list[Row] = [(call, "int", number) for call, number in wanted.items()]
    run.table(rows, inputs, declarations=declarations, prologue=prologue)


def test_call_chains_and_returned_aggregates(run: Runner) -> None:
    declarations = """
    struct Pair { float a; float b[2]; };
    Pair make(float x) { Pair p; p.a = x; p.b[0] = x + 1; p.b[1] = x + 2; return p; }
    Pair twice(Pair p) { p.a *= 2; p.b[1] *= 2; return p; }
    float sum(Pair p) { return p.a + p.b[0] + p.b[1]; }
    float later(float x);
    float first(float x) { return later(x) + 1; }
    float later(float x) { return x * x; }
    float3 axis(int i) { float3 v = 0; v[i] = 1; return v; }
    float nothing() { return 4; }
    """
    rows: list[Row] = [
        ("sum(twice(make(f)))", "float", 2 * 3 + 4 + 2 * 5),
        ("make(f).b[1]", "float", 5.0),
        ("first(later(f))", "float", 82.0),
        ("axis(1).yx", "float2", (1.0, 0.0)),
        ("axis(2)[2] + nothing()", "float", 5.0),
        ("max(later(2), first(1))", "float", 4.0),
    ]
    run.table(rows, {"f": ("float", 3.0)}, declarations=declarations)


def test_statics(run: Runner) -> None:
    declarations = """
    static const float table[4] = { 1, 2, 4, 8 };
    static const int2 pairs[2] = { { 1, 2 }, { 3, 4 } };
    static int counter = 10; static float derived = table[2] * 3; static uint zeroed; static float3 v = 1.5;
    int next() { static int n = 5; n += 2; return n; }
    int other() { static int n = 100; static const int step = 10; n -= step; return n; }
    void bump() { counter++; }
    float pick(uint i) { const float local[3] = { 0.5, 1.5, 2.5 }; return local[i]; }
    """
    prologue = "bump(); bump(); int a = next(); int b = next(); int c = other(); int d = next();"
    rows: list[Row] = [
        ("counter", "int", 12),
        ("derived", "float", 12.0),
        ("zeroed", "uint", 0),
        ("v", "float3", (1.5, 1.5, 1.5)),
        ("table[i]", "float", 4.0),
        ("pairs[i - 1]", "int2", (3, 4)),
        ("int4(a, b, c, d)", "int4", (7, 9, 90, 11)),
        ("pick(i)", "float", 2.5),
    ]
    run.table(rows, {"i": ("uint", 2)}, declarations=declarations, prologue=prologue)


def test_static_initialiser_that_reads_a_buffer(run: Runner) -> None:
    source = """
StructuredBuffer<float> data : register(t0);
RWStructuredBuffer<float> o : register(u1);
static float first = data[0] * 2;
static const float4 more = float4(data[1], first, 0, 1);
float f() { static float kept = data[2] + first; kept += 1; return kept; }
[numthreads(1, 1, 1)] void main() { o[0] = first; o[1] = more.x + more.y; o[2] = f(); o[3] = f(); }"""
    out = run(source, {(0, 0): storage(floats(1, 20, 300)), (0, 1): storage(16)})
    assert as_floats(out[0, 1]) == (2, 22, 303, 304)


def test_templates(run: Runner) -> None:
    declarations = """
    template <typename T> T square(T x) { return x * x; }
    template <typename T, int N> T sum(T v[N]) { T t = 0; for (int i = 0; i < N; i++) t += v[i]; return t; }
    template <typename A, typename B> A cast(B b) { return (A)b; }
    template <typename T> struct Box { T value; T twice() { return value + value; } };
    template <typename T, uint N> struct Stack {
        T items[N]; uint size;
        void push(T x) { items[size++] = x; }
        T pop() { return items[--size]; }
    };
    template <typename T> T choose(T a, T b) { return a; }
    template <> int choose<int>(int a, int b) { return b; }
    """
    prologue = """
    float3 arr[2] = { float3(1, 2, 3), float3(10, 20, 30) };
    Box<int2> box; box.value = int2(3, 4); Box<float> fb = { 2.5 };
    Stack<float, 4> s; s.size = 0; s.push(1); s.push(f); s.push(3); float top = s.pop(); float below = s.pop();
    """
    rows: list[Row] = [
        ("square(f)", "float", 6.25),
        ("square(int2(3, -4))", "int2", (9, 16)),
        ("square<float>(3)", "float", 9.0),
        ("sum<float3, 2>(arr)", "float3", (11.0, 22.0, 33.0)),
        ("cast<int>(f)", "int", 2),
        ("cast<int2>(float3(1.5, 2.5, 3.5).yz)", "int2", (2, 3)),
        ("box.twice()", "int2", (6, 8)),
        ("fb.twice()", "float", 5.0),
        ("float3(top, below, s.size)", "float3", (3.0, 2.5, 1.0)),
        ("choose(1, 2)", "int", 2),
        ("choose(1.5, 2.5)", "float", 1.5),
    ]
    run.table(rows, {"f": ("float", 2.5)}, declarations=declarations, prologue=prologue)


def test_members_and_operators(run: Runner) -> None:
    declarations = """
    struct Complex {
        float re, im;
        Complex operator*(Complex o) {
            Complex c; c.re = re * o.re - im * o.im; c.im = re * o.im + im * o.re; return c;
        }
        Complex operator+(float s) { Complex c = { re + s, im }; return c; }
        bool operator==(Complex o) { return re == o.re && im == o.im; }
        float operator[](int i) { return i == 0 ? re : im; }
        float operator()(float x) { return re * x + im; }
        float norm() { return re * re + im * im; }
        void conjugate() { im = -im; }
        static Complex unit() { Complex c = { 0, 1 }; return c; }
    };
    struct Base { int x; int get() { return x; } int both() { return get() + 1; } };
    struct Derived : Base { int y; int get() { return x + y; } int base() { return Base::get(); } };
    namespace math {
        static const int two = 2;
        int triple(int x) { return 3 * x; }
        namespace deep { int four() { return two * 2; } }
    }
    """
    prologue = """
    Complex a = { 1, 2 }, b = { 3, f }; Complex c = a * b; Complex d = b; d.conjugate();
    Derived e; e.x = 5; e.y = 6; Base asBase = (Base)e;
    """
    rows: list[Row] = [
        ("float2(c.re, c.im)", "float2", (-5.0, 10.0)),
        ("(a + 4).re", "float", 5.0),
        ("a == a", "bool", True),
        ("a == b", "bool", False),
        ("b[1]", "float", 4.0),
        ("b(10)", "float", 34.0),
        ("b.norm()", "float", 25.0),
        ("d.im", "float", -4.0),
        ("Complex::unit().im", "float", 1.0),
        ("int4(e.get(), e.base(), e.both(), asBase.get())", "int4", (11, 5, 6, 5)),
        ("int3(math::two, math::triple(5), math::deep::four())", "int3", (2, 15, 4)),
    ]
    run.table(rows, {"f": ("float", 4.0)}, declarations=declarations, prologue=prologue)


def test_arguments_of_other_shapes(run: Runner) -> None:
    """``out`` and ``inout`` arguments may have a different shape with as many components, or one component."""
    source = """
RWStructuredBuffer<float4> o : register(u0);
void swap(inout float2 x) { x = float2(x.y + 1, 7); }
void turn(inout float4 x) { x = x.wzyx; }
void mirror(inout float2x2 m) { m = transpose(m); }
void add(inout int2 x) { x += int2(1, 2); }
void three(inout float x) { x += 3; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float scalar = 5 + id.x; float4 vec = float4(1, 2, 3, 4) + id.x; float2x2 m = float2x2(1, 2, 3, 4) + id.x;
    float1x4 row = float4(1, 2, 3, 4); float4x1 column = float4(1, 2, 3, 4);
    float2 pair = float2(1.5, 2.5); float1 one = 4; float1x1 cell = 9;
    swap(scalar); turn(m); mirror(vec); turn(row); turn(column); add(pair); three(one); three(cell);
    o[0] = float4(scalar, one, cell, cell); o[1] = float4(m[0], m[1]); o[2] = vec; o[3] = row; o[4] = column;
    o[5] = float4(pair, 0, 0);
}"""
    out = as_floats(run(source, {(0, 0): storage(96)})[0, 0])
    rows = [out[at : at + 4] for at in range(0, 24, 4)]
    assert rows == [(6, 7, 12, 12), (4, 3, 2, 1), (1, 3, 2, 4), (4, 3, 2, 1), (4, 3, 2, 1), (2, 4, 0, 0)]


def test_indices_that_are_calls(run: Runner) -> None:
    source = """
RWStructuredBuffer<float> o : register(u0);
StructuredBuffer<float> i : register(t1);
static uint n = 0;
uint two() { return i[0] + 1; }
uint next() { n++; return n % 3; }
float3 three() { return float3(i[0], i[0] + 1, i[0] + 2); }
float3x3 nine() { return float3x3(three(), three() * 2, three() * 3); }
struct A { float x[3]; };
A array() { A a = { 4, 5, 6 }; return a; }
[numthreads(1, 1, 1)] void main() {
    float3 v = three(); float3x3 m = nine();
    o[0] = (v * 2)[two()]; o[1] = three()[two()]; o[2] = nine()[two()][two()]; o[3] = array().x[two()];
    o[4] = (m * 2)[two()][1]; o[5] = v[two()]; o[6] = m[two()][two()]; o[7] = (v + v)[next()];
    o[8] = m[next()][next()]; o[9] = v.zyx[two()]; o[10] = (v > 2)[two()]; o[11] = mul(m, v)[two()];
    v[next()] = 9; m[next()][next()] += 7;
    o[12] = v.y; o[13] = m[2][0];
}"""
    out = as_floats(run(source, {(0, 0): storage(56), (0, 1): storage(floats(1))})[0, 0])
    assert out == (6, 3, 9, 6, 12, 3, 9, 4, 3, 1, 1, 42, 9, 10)


def test_resources_as_parameters(run: Runner) -> None:
    source = """
StructuredBuffer<float> a : register(t0);
StructuredBuffer<float> b : register(t1);
RWStructuredBuffer<float> o : register(u2);
float read(StructuredBuffer<float> s, uint i) { return s[i]; }
void write(RWStructuredBuffer<float> s, uint i, float x) { s[i] = x; }
struct Both { StructuredBuffer<float> x; StructuredBuffer<float> y; float sum(uint i) { return x[i] + y[i]; } };
[numthreads(1, 1, 1)] void main() {
    StructuredBuffer<float> local = a;
    write(o, 0, read(local, 1) + read(b, 0));
    Both both = { a, b };
    o[1] = both.sum(1);
}"""
    out = run(source, {(0, 0): storage(floats(1, 2)), (0, 1): storage(floats(10, 20)), (0, 2): storage(8)})
    assert as_floats(out[0, 2]) == (12, 22)


def test_system_values(run: Runner) -> None:
    source = """
RWStructuredBuffer<int> o : register(u0);
[numthreads(2, 3, 1)] void main(
    uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex)
{
    bool right = t.x == i % 2 && t.y == i / 2 && all(d == g * uint3(2, 3, 1) + t);
    o[(g.y * 2 + g.x) * 6 + i] = right ? int(g.x + 10 * g.y + 100 * i) : -1;
}"""
    out = run(source, {(0, 0): storage(4 * 24)}, (2, 2, 1))
    assert as_ints(out[0, 0]) == tuple(x + 10 * y + 100 * i for y in range(2) for x in range(2) for i in range(6))


def test_methods_of_const_objects(run: Runner) -> None:
    """Methods may be called on const objects without being ``const``; what they write is stored."""
    declarations = """
    struct S {
        float a;
        float get() { return a; }
        void set(float x) { a = x; }
        S operator+(S s) { S t = {a + s.a}; return t; }
    };
    static const S k = {1};
    float read() { const S s = {2}; const S both[2] = {s, s}; return s.get() + k.get() + both[1].get() + (s + s).a; }
    float written(const S s, float x) { s.set(x); return s.get(); }
    """
    rows: list[Row] = [
        ("read()", "float", 9.0),
        ("written(k, x)", "float", 7.0),
        ("k.get()", "float", 1.0),
    ]
    run.table(rows, {"x": ("float", 7.0)}, declarations=declarations)


def test_selected_structs(run: Runner) -> None:
    declarations = """
    struct S { float a; float3 b; int c[2]; };
    float sum(S s) { return s.a + s.b.y + s.c[1]; }
    S first() { S s = {1, 2, 3, 4, 5, 6}; return s; }
    S second() { S s = {10, 20, 30, 40, 50, 60}; return s; }
    """
    rows: list[Row] = [
        ("sum(select(y, first(), second()))", "float", 10.0),
        ("sum(select(!y, first(), second()))", "float", 100.0),
        ("determinant((float1x1)x) + determinant(float2x2(x, 1, 2, x))", "float", 7.0 + 47.0),
        ("transpose((float1x1)x) + mul((float1x1)x, (float1x1)x)", "float1x1", 56.0),
    ]
    run.table(rows, {"y": ("bool", True), "x": ("float", 7.0)}, declarations=declarations)


def test_default_arguments_of_templates(run: Runner) -> None:
    declarations = """
    template<typename T> T tripled(T x) { return x * 3; }
    template<typename T> T f(T a, T b = tripled<T>(2)) { return a + b; }
    template<typename T> struct S { T x; T g(T a = 5) { return a + x; } };
    """
    rows: list[Row] = [
        ("f(x)", "float", 8.0),
        ("f(x, 1.0f)", "float", 3.0),
        ("f(i) + f(i)", "int", 18),
        ("((S<float>)0).g() + ((S<int>)1).g(2)", "float", 8.0),
    ]
    run.table(rows, {"x": ("float", 2.0), "i": ("int", 3)}, declarations=declarations)


def test_members_of_struct_templates_defined_outside(run: Runner) -> None:
    declarations = """
    template<typename U, int M> struct S {
        U a; static const int n = M; static U k;
        void set(U x); U twice() { set(a); return a; } static U make(U x); U operator+(U b); U get() const;
    };
    template<typename T, int N> void S<T, N>::set(T x) { a = x * N + n; }
    template<typename T, int N> T S<T, N>::make(T x) { return x + N; }
    template<typename T, int N> T S<T, N>::operator+(T b) { return a - b; }
    template<typename T, int N> T S<T, N>::k = 3;
    template<typename T, int N> T S<T, N>::get() const { return a; }
    template<> float S<float, 5>::get() const { return a * 100; }
    namespace N { template<typename T> struct Inner { T a; T get(); }; }
    template<typename T> T N::Inner<T>::get() { return a * 3; }
    """
    rows: list[Row] = [
        ("((S<float, 2>)x).twice()", "float", 6.0),
        ("((S<int, 3>)1).twice()", "int", 6),
        ("S<int, 3>::make(4)", "int", 7),
        ("(S<float, 2>)x + 0.5", "float", 1.5),
        ("S<float, 2>::k + S<int, 9>::k", "float", 6.0),
        ("((S<float, 2>)x).get() + ((S<float, 5>)x).get()", "float", 202.0),
        ("((N::Inner<float>)x).get()", "float", 6.0),
    ]
    run.table(rows, {"x": ("float", 2.0)}, declarations=declarations)


def test_members_that_hide_a_type(run: Runner) -> None:
    declarations = """
    struct Params { float x; }; struct Light { float x; };
    struct S { float Params; float f(float k); float g(); };
    float S::f(float k) { float y = Params + k; if (Params > 1) y *= max(Params, 2); return (Params) + y; }
    float S::g() { Params = 2; return f(Params) + this.Params; }
    Params twice(Params p) { Params q = p; q.x *= 2; return q; }
    struct L { Light get(); Light Light; };
    Light L::get() { return Light; }
    """
    rows: list[Row] = [
        ("((S)x).f(2)", "float", 4.0),
        ("((S)x).g()", "float", 12.0),
        ("twice((Params)x).x", "float", 2.0),
        ("((L)x).get().x", "float", 1.0),
    ]
    run.table(rows, {"x": ("float", 1.0)}, declarations=declarations)


def test_slices_of_vectors(run: Runner) -> None:
    """``hlsl::slice`` from ``<vector_utils>`` returns components from an offset, or the first ones."""
    source = """
#include <vector_utils>
RWStructuredBuffer<float> o : register(u0);
[numthreads(1, 1, 1)] void main() {
    float4 v = float4(o[0], o[1], o[2], o[3]);
    float3 back = hlsl::slice<1, 3>(v);
    float2 front = hlsl::slice<2>(v);
    o[0] = back.z; o[1] = back.x; o[2] = front.y; o[3] = hlsl::slice<2, 1>(v).x;
}"""
    out = run(source, {(0, 0): storage(floats(1, 2, 3, 4))})[0, 0]
    assert as_floats(out) == (4, 2, 2, 3)


def test_templates_in_front_of_a_specialisation_that_they_use(run: Runner) -> None:
    """A template uses a matching specialisation of another template, even if that is declared after the first."""
    declarations = """
    template<typename T> struct Size { static const int v = 1; };
    template<typename T> static const int extra = 0;
    template<typename T> int weigh(T x) { return 10; }

    template<typename T> int size() { return Size<T>::v + extra<T>; }
    template<typename T> int twice() { return 2 * size<T>(); }
    template<typename T> int of_vectors() { return Size<vector<T, 4> >::v; }
    template<typename T> using SizeOf = Size<T>;
    template<typename T> int weighed(T x) { return weigh(x) + 1; }
    template<typename T> struct Buffer { float a; int stride() { return Size<T>::v * 100; } };
    template<typename T> struct Holder { Buffer<T> inner; int stride() { return inner.stride() + 1; } };
    template<int N> int of_number() { return Size<float[N]>::v; }
    namespace N {
        template<typename T> struct Own { static const int v = 3; };
        template<typename T> int own() { return Own<T>::v + Size<T>::v; }
    }
    Buffer<float> buffered(float a) { Buffer<float> b = { a }; return b; }
    static int calls = 0;
    template<typename T> int count() { static int own = 0; own += 1; calls += Size<T>::v; return own; }
    int counted() { return count<float>(); }

    struct Key { int x; };
    template<> struct Size<Key> { static const int v = 5; };
    template<> struct Size<float4> { static const int v = 16; };
    template<> static const int extra<Key> = 1000;
    template<> int weigh(Key x) { return 20; }
    template<> struct Size<float[3]> { static const int v = 12; };
    namespace N { template<> struct Own<Key> { static const int v = 30; }; }

    float unbuffered(Buffer<float> b) { return b.a * b.stride(); }
    int counted_again() { int first = counted(); return first * 10 + count<float>(); }
    """
    rows: list[Row] = [
        ("size<Key>()", "int", 1005),
        ("size<int>()", "int", 1),
        ("twice<Key>()", "int", 2010),
        ("of_vectors<float>()", "int", 16),
        ("of_vectors<int>()", "int", 1),
        ("SizeOf<Key>::v", "int", 5),
        ("weighed((Key)3)", "int", 21),
        ("weighed(x)", "int", 11),
        ("((Holder<Key>)0).stride()", "int", 501),
        ("of_number<3>() * 10 + of_number<2>()", "int", 121),
        ("N::own<Key>()", "int", 35),
        ("N::own<float>()", "int", 4),
        ("unbuffered(buffered(x))", "float", 200.0),
        ("counted_again()", "int", 12),
    ]
    run.table(rows, {"x": ("float", 2.0)}, declarations=declarations)


def test_instances_around_a_specialisation(run: Runner) -> None:
    """Instances of a template before and after a specialisation for other arguments are the same type or variable.

    An instance of a recursive template uses the specialisation, which ends the recursion.
    """
    declarations = """
    template<typename T> struct Box { T v; T get() { return v; } };
    struct Key { int x; };
    Box<float> boxed(float v) { Box<float> b; b.v = v; return b; }
    template<> struct Box<Key> { float v; float get() { return v + 100; } };
    float unboxed(Box<float> b) { return b.get(); }

    template<typename T> static float count = 0;
    void add() { count<float> += 1; }
    template<> static float count<Key> = 50;
    float counted() { add(); add(); return count<float> + count<Key>; }

    template<int N> struct Sum { static const int v = Sum<N - 1>::v + N; };
    template<> struct Sum<1> { static const int v = 1; };
    static const int to_three = Sum<3>::v;
    """
    rows: list[Row] = [
        ("unboxed(boxed(x))", "float", 2.0),
        ("((Box<Key>)x).get()", "float", 102.0),
        ("counted()", "float", 52.0),
        ("to_three + Sum<5>::v", "int", 6 + 15),
    ]
    run.table(rows, {"x": ("float", 2.0)}, declarations=declarations)


def test_static_members_of_templates_defined_outside(run: Runner) -> None:
    declarations = """
    struct P { float a; int b; };
    template<typename T> struct Table {
        static const T values[2]; static const P pair; static T count; static const T later[2]; static float2x2 m;
    };
    template<typename T> const T Table<T>::values[2] = { 1, 2 };
    template<typename T> const P Table<T>::pair = { values[1], 4 };
    template<typename T> T Table<T>::count = values[1] + 3;
    template<typename T> const T Table<T>::later[2] = { values[1] + 3, 7 };
    template<typename T> float2x2 Table<T>::m = { 1, 2, 3, values[0] + 8 };
    int through() { return Table<int>::later[0]; }
    static const float from = Table<float>::later[0] + 1;
    static int call = through() * 2;
    int next() { return ++Table<int>::count; }
    """
    rows: list[Row] = [
        ("int2(Table<int>::values[i], Table<uint>::values[i - 1])", "int2", (2, 1)),
        ("float2(Table<float>::pair.a, Table<bool>::pair.b)", "float2", (2, 4)),
        ("float2(from, call)", "float2", (6, 10)),
        ("int3(next(), next(), Table<int>::count)", "int3", (6, 7, 7)),
        ("float2(Table<float>::m[1].y, Table<int>::m._12)", "float2", (9, 2)),
    ]
    run.table(rows, {"i": ("int", 1)}, declarations=declarations)
