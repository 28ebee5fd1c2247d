"""Matrices: construction, element access, products of every shape, and functions on them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from tests.execute.tables import Inputs, Row, Runner, as_ints, words
from tests.execute.vulkan import storage, uniform

Grid = list[list[float]]


def grid(rows: int, cols: int, seed: int) -> Grid:
    return [[float((seed * 7 + r * 5 + c * 3) % 11 - 5) for c in range(cols)] for r in range(rows)]


def flat(matrix: Grid) -> list[float]:
    return [x for row in matrix for x in row]


def product(a: Grid, b: Grid) -> Grid:
    return [[sum(x * y for x, y in zip(row, col, strict=True)) for col in zip(*b, strict=True)] for row in a]


def determinant(m: Sequence[Sequence[float]]) -> float:
    if len(m) == 1:
        return m[0][0]
    return sum(
        (-1.0 if c % 2 else 1.0) * m[0][c] * determinant([[*row[:c], *row[c + 1 :]] for row in m[1:]])
        for c in range(len(m))
    )


@pytest.mark.parametrize("inner", [2, 3, 4])
def test_products(run: Runner, inner: int) -> None:
    inputs: dict[str, tuple[str, Sequence[float]]] = {}
    rows: list[Row] = []
    vector = grid(1, inner, 3)
    inputs["v"] = (f"float{inner}", flat(vector))
    column = [[x] for x in vector[0]]
    for n in (2, 3, 4):
        a, b = grid(n, inner, n), grid(inner, n, n + 4)
        inputs[f"a{n}"] = (f"float{n}x{inner}", flat(a))
        inputs[f"b{n}"] = (f"float{inner}x{n}", flat(b))
        rows.append((f"mul(a{n}, v)", f"float{n}", flat(product(a, column))))
        rows.append((f"mul(v, b{n})", f"float{n}", flat(product(vector, b))))
        rows.append((f"transpose(a{n})", f"float{inner}x{n}", flat([list(c) for c in zip(*a, strict=True)])))
    for n, m in itertools.product((2, 3, 4), repeat=2):
        value = product(grid(n, inner, n), grid(inner, m, m + 4))
        rows.append((f"mul(a{n}, b{m})", f"float{n}x{m}", flat(value)))
    rows.append(("mul(v, v)", "float", sum(x * x for x in vector[0])))
    rows.append(("mul(v, 2.0)", f"float{inner}", [2 * x for x in vector[0]]))
    rows.append(("mul(3.0, a2)", f"float2x{inner}", [3 * x for x in flat(grid(2, inner, 2))]))
    rows.append(("mul(a3, 0.5)", f"float3x{inner}", [x / 2 for x in flat(grid(3, inner, 3))]))
    run.table(rows, inputs)


def test_integer_products(run: Runner) -> None:
    a, b = grid(2, 3, 1), grid(3, 2, 2)
    inputs: Inputs = {
        "a": ("int2x3", flat(a)),
        "b": ("int3x2", flat(b)),
        "v": ("int3", (1, -2, 3)),
        "w": ("int2", (5, 7)),
    }
    column = [[1.0], [-2.0], [3.0]]
    rows: list[Row] = [
        ("mul(a, b)", "int2x2", flat(product(a, b))),
        ("mul(b, a)", "int3x3", flat(product(b, a))),
        ("mul(a, v)", "int2", flat(product(a, column))),
        ("mul(w, a)", "int3", flat(product([[5.0, 7.0]], a))),
        ("mul(v, v)", "int", 14),
        ("transpose(a)", "int3x2", flat([list(c) for c in zip(*a, strict=True)])),
    ]
    run.table(rows, inputs)


def test_determinants(run: Runner) -> None:
    inputs: dict[str, tuple[str, Sequence[float]]] = {}
    rows: list[Row] = []
    for n in (2, 3, 4):
        m = grid(n, n, n)
        m[0][0] += 2
        inputs[f"m{n}"] = (f"float{n}x{n}", flat(m))
        rows.append((f"determinant(m{n})", "float", determinant(m)))
    run.table(rows, inputs, tolerance=1e-4)


def test_elementwise(run: Runner) -> None:
    a, b = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (2.0, -1.0, 3.0, 0.5, 5.0, -6.0)
    inputs: Inputs = {"a": ("float2x3", a), "b": ("float2x3", b), "s": ("float", 2.0), "i": ("int2x2", (1, -2, 3, -4))}
    pairs = list(zip(a, b, strict=True))
    rows: list[Row] = [
        ("a + b", "float2x3", [x + y for x, y in pairs]),
        ("a - b", "float2x3", [x - y for x, y in pairs]),
        ("a * b", "float2x3", [x * y for x, y in pairs]),
        ("a / b", "float2x3", [x / y for x, y in pairs]),
        ("a * s", "float2x3", [x * 2 for x in a]),
        ("s - a", "float2x3", [2 - x for x in a]),
        ("-a", "float2x3", [-x for x in a]),
        ("a < b", "bool2x3", [x < y for x, y in pairs]),
        ("a == b", "bool2x3", [x == y for x, y in pairs]),
        ("abs(b)", "float2x3", [abs(x) for x in b]),
        ("max(a, b)", "float2x3", [max(x, y) for x, y in pairs]),
        ("min(a, s)", "float2x3", [min(x, 2) for x in a]),
        ("lerp(a, b, 0.5)", "float2x3", [(x + y) / 2 for x, y in pairs]),
        ("saturate(a / 4)", "float2x3", [min(x / 4, 1) for x in a]),
        ("i * 3", "int2x2", (3, -6, 9, -12)),
        ("i & 3", "int2x2", (1, 2, 3, 0)),
        ("i << 1", "int2x2", (2, -4, 6, -8)),
        ("~i", "int2x2", (-2, 1, -4, 3)),
        ("-i % 3", "int2x2", (-1, 2, 0, 1)),
        ("float2x2(i)", "float2x2", (1.0, -2.0, 3.0, -4.0)),
        ("int2x3(b)", "int2x3", (2, -1, 3, 0, 5, -6)),
        ("all(a)", "bool", True),
        ("all(a > 1)", "bool", False),
        ("any(a > 5)", "bool", True),
        ("i > 0 ", "bool2x2", (True, False, True, False)),
        ("sign(b)", "int2x3", (1, -1, 1, 1, 1, -1)),
        ("floor(b)", "float2x3", (2.0, -1.0, 3.0, 0.0, 5.0, -6.0)),
    ]
    run.table(rows, inputs)


def test_elements_and_rows(run: Runner) -> None:
    inputs: Inputs = {
        "m": ("float3x4", [float(i) for i in range(12)]),
        "i": ("uint", 1),
        "v": ("float4", (20.0, 21.0, 22.0, 23.0)),
        "s": ("float2x2", (1.0, 2.0, 3.0, 4.0)),
    }
    prologue = """
    float3x4 a = m; a[i] = v; a[2][i] = 50; a._m03 = 60;
    float3x4 b = m; b._m00_m11_m22 = float3(90, 91, 92); b._34 = 93;
    float3x4 c = m; c[i].zw = c[0].xy; c[i + 1].x *= 10;
    float3x4 d = m; d += 1; d[0] *= d[1]; d._21++;
    float2x2 e = s; e._12_21 = e._21_12;
    float3x3 f = (float3x3)m; float2x2 g = (float2x2)f;
    float1x3 r = float1x3(7, 8, 9); float3x1 q = float3x1(4, 5, 6); r._13 = 1;
    float4x4 k = 0; k[3] = v; k[0] = float4(s);
    float2x2 h = float2x2(v); float2x2 z = { 1, 2, v.zw }; float2x2 y = float2x2(s[1], s[0]);
    """
    whole = [float(i) for i in range(12)]
    a = [*whole[:3], 60.0, 20.0, 21.0, 22.0, 23.0, 8.0, 50.0, 10.0, 11.0]
    b = [*whole]
    b[0], b[5], b[10], b[11] = 90.0, 91.0, 92.0, 93.0
    c = [*whole]
    c[6], c[7], c[8] = 0.0, 1.0, 80.0
    d = [x + 1 for x in whole]
    d[0:4] = [x * y for x, y in zip(d[0:4], d[4:8], strict=True)]
    d[4] += 1
    rows: list[Row] = [
        ("m[1]", "float4", (4.0, 5.0, 6.0, 7.0)),
        ("m[i]", "float4", (4.0, 5.0, 6.0, 7.0)),
        ("m[i][i + 1]", "float", 6.0),
        ("m[2][3]", "float", 11.0),
        ("m._m12", "float", 6.0),
        ("m._23", "float", 6.0),
        ("m._m00_m11_m22", "float3", (0.0, 5.0, 10.0)),
        ("m._11_22", "float2", (0.0, 5.0)),
        ("m._m00_m00", "float2", (0.0, 0.0)),
        ("m[1].wzyx", "float4", (7.0, 6.0, 5.0, 4.0)),
        ("(m * 2)[i].y", "float", 10.0),
        ("a", "float3x4", a),
        ("b", "float3x4", b),
        ("c", "float3x4", c),
        ("d", "float3x4", d),
        ("e", "float2x2", (1.0, 3.0, 2.0, 4.0)),
        ("f", "float3x3", (0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 9.0, 10.0)),
        ("g", "float2x2", (0.0, 1.0, 4.0, 5.0)),
        ("r[0]", "float3", (7.0, 8.0, 1.0)),
        ("float3(q)", "float3", (4.0, 5.0, 6.0)),
        ("mul(q, r)", "float3x3", (28.0, 32.0, 4.0, 35.0, 40.0, 5.0, 42.0, 48.0, 6.0)),
        ("k", "float4x4", (1.0, 2.0, 3.0, 4.0, *(0.0,) * 8, 20.0, 21.0, 22.0, 23.0)),
        ("h", "float2x2", (20.0, 21.0, 22.0, 23.0)),
        ("z", "float2x2", (1.0, 2.0, 22.0, 23.0)),
        ("y", "float2x2", (3.0, 4.0, 1.0, 2.0)),
        ("float4(s)", "float4", (1.0, 2.0, 3.0, 4.0)),
        ("(float3x4)2", "float3x4", (2.0,) * 12),
        ("float2x3(m[0].xyz, 1, s[0])", "float2x3", (0.0, 1.0, 2.0, 1.0, 1.0, 2.0)),
    ]
    run.table(rows, inputs, prologue=prologue)


def test_majorness_does_not_change_values(run: Runner) -> None:
    """Majorness changes a matrix's layout in memory, but not the results of a shader."""
    inputs: Inputs = {"m": ("float2x3", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)), "v": ("float3", (1.0, 10.0, 100.0))}
    prologue = "row_major float2x3 r = m; column_major float2x3 c = m; row_major float2x3 d = c; d[1].x = r[0].z;"
    rows: list[Row] = [
        ("r", "float2x3", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        ("c[1]", "float3", (4.0, 5.0, 6.0)),
        ("d", "float2x3", (1.0, 2.0, 3.0, 3.0, 5.0, 6.0)),
        ("mul(r, v)", "float2", (321.0, 654.0)),
        ("mul(c, v)", "float2", (321.0, 654.0)),
    ]
    for layout in ("row_major", "column_major"):
        run.table(rows, inputs, prologue=prologue, matrix_layout=layout)


def by_columns(rows: list[list[int]]) -> list[int]:
    return [row[c] for c in range(len(rows[0])) for row in rows]


def test_rows_of_integer_matrices_by_columns(run: Runner) -> None:
    """Rows of column-major integer matrices, which are not contiguous, are read, written and passed to functions."""
    source = """
struct S { int2x3 m; int3x3 a[2]; bool2x2 q; };
StructuredBuffer<S> i : register(t0);
RWStructuredBuffer<S> o : register(u1);
cbuffer C : register(b2) { int2x3 wide; row_major int2x3 rows; };
void negate(inout int3 row) { row = -row; }
void negate_all(inout int3x3 m) { m = -m; }
[numthreads(1, 1, 1)] void main(uint n : SV_GroupIndex) {
    S s = i[0];
    s.m[1] = int3(41, 42, 43);
    s.m[n].yz = rows[1].xy;
    s.m._m00 = wide[1][2 - n];
    o[0] = s;
    o[1] = o[0];
    o[1].m[1 - n] = wide[n];
    o[1].m[n].zx = rows[1].xy;
    o[1].a[n]._m10_m21 = int2(8, 9);
    o[1].a[1][2][n] += 10;
    negate(o[1].a[1][n + 1]);
    negate_all(o[1].a[n]);
    o[1].q[n] = o[1].q[1];
    InterlockedAdd(o[1].a[0][2][2], 1000);
}"""
    a = [[[n * 10 + r * 3 + c for c in range(3)] for r in range(3)] for n in range(2)]
    given = words(*by_columns([[1, 2, 3], [4, 5, 6]]), *by_columns(a[0]), *by_columns(a[1]), 1, 0, 0, 1)
    block = words(7, 10, 8, 11, 9, 12, 21, 22, 23, 24, 25, 26)
    out = as_ints(
        run(source, {(0, 0): storage(given), (0, 1): storage(2 * len(given)), (0, 2): uniform(block)}, layout="scalar")[
            0, 1
        ]
    )
    first, second = out[:28], out[28:]
    assert first == (*by_columns([[12, 24, 25], [41, 42, 43]]), *by_columns(a[0]), *by_columns(a[1]), 1, 0, 0, 1)
    a[0][1][0], a[0][2][1] = 8, 9
    a[1][2][0] += 10
    a[1][1] = [-x for x in a[1][1]]
    a[0] = [[-x for x in row] for row in a[0]]
    a[0][2][2] += 1000
    matrix = [[25, 24, 24], [7, 8, 9]]
    assert second == (*by_columns(matrix), *by_columns(a[0]), *by_columns(a[1]), 0, 0, 1, 1)
