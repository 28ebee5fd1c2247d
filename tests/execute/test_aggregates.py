"""Structs, arrays, enums: initialisers, casts, copies, and elements selected at run time."""

from __future__ import annotations

from tests.execute.tables import Inputs, Row, Runner

DECLARATIONS = """
struct In { float2 p; int q; };
struct Out { In a; float b[2]; In c[2]; };
struct Flat { float x, y, z; };
struct Mixed { int2 i; float f; bool b; };
enum Color { Red, Green = 5, Blue };
enum class Mode : uint { Off, On = 3, Auto };
int code(Color c) { switch (c) { case Red: return 100; case Green: return 200; default: return 300; } }
"""


def test_initialisers(run: Runner) -> None:
    prologue = """
    In a = { f, 2, 3 }; In b = { float2(f, 5), 6 };
    Out o = { a, { 7, 8 }, { { 9, 10 }, 11 }, b };
    Out z = (Out)0; Out flat = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    float m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; float n[2][3] = { 1, 2, 3, 4, 5, f };
    int sized[] = { 3, 1, 4, 1, 5 };
    float4 v = { a.p, b.p }; float2x2 mat = { v }; Flat fl = { v.xy, 9 };
    Mixed mix = { 1.75, f, 2, 3 };
    float4 arr[2] = { v, 1, 2, 3, 4 };
    """
    rows: list[Row] = [
        ("float3(a.p, a.q)", "float3", (1.5, 2.0, 3.0)),
        ("float3(o.a.p, o.a.q)", "float3", (1.5, 2.0, 3.0)),
        ("float2(o.b[0], o.b[1])", "float2", (7.0, 8.0)),
        ("float3(o.c[0].p, o.c[0].q)", "float3", (9.0, 10.0, 11.0)),
        ("float3(o.c[1].p, o.c[1].q)", "float3", (1.5, 5.0, 6.0)),
        ("float4(z.a.p, z.b[1], z.c[1].q)", "float4", (0.0, 0.0, 0.0, 0.0)),
        ("float4(flat.a.q, flat.b[1], flat.c[0].p.y, flat.c[1].q)", "float4", (3.0, 5.0, 7.0, 11.0)),
        ("float3(m[1][0], m[1][2], n[1][2])", "float3", (4.0, 6.0, 1.5)),
        ("sized[2] * 10 + sized[4]", "int", 45),
        ("v", "float4", (1.5, 2.0, 1.5, 5.0)),
        ("mat", "float2x2", (1.5, 2.0, 1.5, 5.0)),
        ("float3(fl.x, fl.y, fl.z)", "float3", (1.5, 2.0, 9.0)),
        ("float4(mix.i, mix.f, mix.b)", "float4", (1.0, 1.0, 2.0, 1.0)),
        ("arr[1]", "float4", (1.0, 2.0, 3.0, 4.0)),
    ]
    run.table(rows, {"f": ("float", 1.5)}, declarations=DECLARATIONS, prologue=prologue)


def test_casts(run: Runner) -> None:
    prologue = """
    Flat a = { 1, 2, 3 }; float3 v = (float3)a; Flat b = (Flat)float3(4, 5, f); Flat c = (Flat)f;
    float arr[3] = (float[3])v; float3 w = (float3)arr; int3 i = (int3)b;
    Mixed m = (Mixed)7; In n = (In)w; float2 cut = (float2)w; float3x3 big = float3x3(1, 2, 3, 4, 5, 6, 7, 8, 9);
    float3x2 narrow = (float3x2)big; float9 = 0;
    """.replace(" float9 = 0;", "")
    rows: list[Row] = [
        ("v", "float3", (1.0, 2.0, 3.0)),
        ("float3(b.x, b.y, b.z)", "float3", (4.0, 5.0, 1.5)),
        ("float3(c.x, c.y, c.z)", "float3", (1.5, 1.5, 1.5)),
        ("float3(arr[0], arr[1], arr[2])", "float3", (1.0, 2.0, 3.0)),
        ("w", "float3", (1.0, 2.0, 3.0)),
        ("i", "int3", (4, 5, 1)),
        ("float4(m.i, m.f, m.b)", "float4", (7.0, 7.0, 7.0, 1.0)),
        ("float3(n.p, n.q)", "float3", (1.0, 2.0, 3.0)),
        ("cut", "float2", (1.0, 2.0)),
        ("select(f > 1, a, c).z + select(f > 2, a, b).x", "float", 7.0),
        ("narrow", "float3x2", (1.0, 2.0, 4.0, 5.0, 7.0, 8.0)),
    ]
    run.table(rows, {"f": ("float", 1.5)}, declarations=DECLARATIONS, prologue=prologue)


def test_copies_and_dynamic_indices(run: Runner) -> None:
    prologue = """
    Out a = (Out)0; a.c[i].p[i] = 5; a.c[i - 1].q = 6; a.b[i] += 2.5; Out b = a; b.c[1].p = 9; In c[2] = b.c; c[0].q++;
    float grid[3][4]; for (uint r = 0; r < 3; r++) for (uint k = 0; k < 4; k++) grid[r][k] = r * 10 + k;
    float row[4] = grid[i + 1]; grid[i][i + 2] = -1; row[0] = 77;
    float4 vs[3] = { float4(1, 2, 3, 4), float4(5, 6, 7, 8), float4(9, 10, 11, 12) };
    vs[i].zw = vs[2].xy; vs[i + 1][i] *= 2;
    float2x2 ms[2]; ms[0] = float2x2(1, 2, 3, 4); ms[1] = ms[0] * 2; ms[i][i - 1].y = 50;
    """
    rows: list[Row] = [
        ("float4(a.c[1].p, a.c[0].q, a.b[1])", "float4", (0.0, 5.0, 6.0, 2.5)),
        ("float2(b.c[1].p)", "float2", (9.0, 9.0)),
        ("int2(c[0].q, b.c[0].q)", "int2", (7, 6)),
        ("float3(grid[2][3], grid[1][3], grid[0][1])", "float3", (23.0, -1.0, 1.0)),
        ("float2(row[0], row[3])", "float2", (77.0, 23.0)),
        ("grid[2][0]", "float", 20.0),
        ("vs[1]", "float4", (5.0, 6.0, 9.0, 10.0)),
        ("vs[2]", "float4", (9.0, 20.0, 11.0, 12.0)),
        ("ms[1]", "float2x2", (2.0, 50.0, 6.0, 8.0)),
        ("ms[0]", "float2x2", (1.0, 2.0, 3.0, 4.0)),
    ]
    run.table(rows, {"i": ("uint", 1)}, declarations=DECLARATIONS, prologue=prologue)


def test_enums(run: Runner) -> None:
    prologue = "Color c = Green; Mode m = Mode::Auto; Color d = (Color)i; c = i > 0 ? Blue : Red;"
    rows: list[Row] = [
        ("int3(Red, Green, Blue)", "int3", (0, 5, 6)),
        ("(int)c", "int", 6),
        ("(uint)m", "uint", 4),
        ("(uint)Mode::On", "uint", 3),
        ("m == Mode::Auto", "bool", True),
        ("code(d)", "int", 200),
        ("code(Red) + code(c)", "int", 400),
        ("Green + 1", "int", 6),
        ("Color::Blue", "int", 6),
    ]
    run.table(rows, {"i": ("int", 5)}, declarations=DECLARATIONS, prologue=prologue)


def test_typedefs_and_constants(run: Runner) -> None:
    declarations = """
    typedef float3 Position; typedef float Row[4]; using Weight = float;
    static const uint N = 3; static const uint M = N * 2 + 1; #define SCALE(x) ((x) * 10)
    """.replace("#define", "\n#define").replace("* 10)\n", "* 10)\n")
    prologue = """
    Position p = f; Row r = { 1, 2, 3, 4 }; Weight w = 0.5; float a[M]; for (uint i = 0; i < M; i++) a[i] = i;
    const int k = sizeof(float4) + sizeof(Position);
    """
    rows: list[Row] = [
        ("p * w", "float3", (0.75, 0.75, 0.75)),
        ("r[N]", "float", 4.0),
        ("a[M - 1]", "float", 6.0),
        ("SCALE(f + 1)", "float", 25.0),
        ("k", "int", 28),
        ("0x1F + 017 + 10", "int", 31 + 15 + 10),
        ("1e2f + .5 + 1.5e-1", "float", 100.65),
    ]
    inputs: Inputs = {"f": ("float", 1.5)}
    run.table(rows, inputs, declarations=declarations, prologue=prologue)


def test_local_bit_fields(run: Runner) -> None:
    declarations = "struct Bits { uint a : 3; int b : 5; uint c : 24; };"
    prologue = "Bits x = (Bits)0; x.a = v; x.b = -9; x.c = 0xabcdef; Bits y = x; y.b += 3; y.a++;"
    rows: list[Row] = [
        ("int3(x.a, x.b, x.c)", "int3", (5, -9, 0xABCDEF)),
        ("int3(y.a, y.b, y.c)", "int3", (6, -6, 0xABCDEF)),
    ]
    run.table(rows, {"v": ("uint", 13)}, declarations=declarations, prologue=prologue)
