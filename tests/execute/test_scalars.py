"""Operators on scalars and vectors, conversions, and swizzles."""

from __future__ import annotations

import math
import struct

from tests.execute.tables import Inputs, Row, Runner, f32
from tests.execute.vulkan import storage


def test_wide_literals_that_are_chosen_from(run: Runner) -> None:
    """The untyped literals of a ternary operator get the width of the widest one, independently of the result's use."""
    run.needs("shaderInt64", "shaderFloat64")
    rows: list[Row] = [
        ("y ? 3000000000 : 1", "double", 3e9),
        ("select(y, 3000000000, 4000000000)", "double", 3e9),
        ("select(!y, 1, 4000000000)", "double", 4e9),
        ("select(y, 1.5, 2.5)", "float", 1.5),
        ("select(y, float2x2(1, 2, 3, 4), float2x2(5, 6, 7, 8))", "float2x2", (1, 2, 3, 4)),
        ("select(!y, float2x2(1, 2, 3, 4), float2x2(5, 6, 7, 8))", "float2x2", (5, 6, 7, 8)),
    ]
    run.table(rows, {"y": ("bool", True)})


def test_float_operators(run: Runner) -> None:
    inputs: Inputs = {
        "a": ("float", 7.5),
        "b": ("float", -2.25),
        "z": ("float", 0.0),
        "v": ("float4", (1.5, -2.0, 3.25, 8.0)),
        "w": ("float4", (0.5, 4.0, -1.5, 2.0)),
    }
    rows: list[Row] = [
        ("a + b", "float", 5.25),
        ("a - b", "float", 9.75),
        ("a * b", "float", -16.875),
        ("a / b", "float", f32(7.5 / -2.25)),
        ("a % b", "float", 0.75),
        ("-a % b", "float", -0.75),
        ("b % a", "float", -2.25),
        ("-a", "float", -7.5),
        ("+a", "float", 7.5),
        ("!a", "bool", False),
        ("!z", "bool", True),
        ("a < b", "bool", False),
        ("a > b", "bool", True),
        ("a <= a", "bool", True),
        ("a >= b", "bool", True),
        ("a == a", "bool", True),
        ("a != a", "bool", False),
        ("a == b", "bool", False),
        ("a != b", "bool", True),
        ("a / z", "float", math.inf),
        ("b / z", "float", -math.inf),
        ("v + w", "float4", (2.0, 2.0, 1.75, 10.0)),
        ("v - w", "float4", (1.0, -6.0, 4.75, 6.0)),
        ("v * w", "float4", (0.75, -8.0, -4.875, 16.0)),
        ("v / w", "float4", (3.0, -0.5, f32(3.25 / -1.5), 4.0)),
        ("v % w", "float4", (0.0, -2.0, 0.25, 0.0)),
        ("v + a", "float4", (9.0, 5.5, 10.75, 15.5)),
        ("a - v", "float4", (6.0, 9.5, 4.25, -0.5)),
        ("v * 2", "float4", (3.0, -4.0, 6.5, 16.0)),
        ("1 / v", "float4", (f32(1 / 1.5), -0.5, f32(1 / 3.25), 0.125)),
        ("-v", "float4", (-1.5, 2.0, -3.25, -8.0)),
        ("v < w", "bool4", (False, True, False, False)),
        ("v >= w", "bool4", (True, False, True, True)),
        ("v == v.xxyw", "bool4", (True, False, False, True)),
        ("v != v.xxyw", "bool4", (False, True, True, False)),
        ("!v", "bool4", (False, False, False, False)),
        ("v.xy * w.zw + a", "float2", (5.25, 3.5)),
        ("a > b ? a : b", "float", 7.5),
        ("select(v < w, v, w)", "float4", (0.5, -2.0, -1.5, 2.0)),
        ("a < 0.0 ? 1.0 : b < 0.0 ? 2.0 : 3.0", "float", 2.0),
        ("(a, b)", "float", -2.25),
    ]
    run.table(rows, inputs)


def test_nan_comparisons(run: Runner) -> None:
    """Every comparison with NaN is false, even `!=`: it is an ordered comparison, as in DXC."""
    inputs: Inputs = {"n": ("float", math.nan), "a": ("float", 1.0), "i": ("float", math.inf)}
    rows: list[Row] = [
        ("n == n", "bool", False),
        ("n != n", "bool", False),
        ("n < a", "bool", False),
        ("n > a", "bool", False),
        ("n <= a", "bool", False),
        ("n >= a", "bool", False),
        ("isnan(n)", "bool", True),
        ("isnan(i)", "bool", False),
        ("isinf(i)", "bool", True),
        ("isinf(-i)", "bool", True),
        ("isinf(n)", "bool", False),
        ("isfinite(a)", "bool", True),
        ("isfinite(i)", "bool", False),
        ("isfinite(n)", "bool", False),
    ]
    run.table(rows, inputs)


def _quotient(a: int, b: int) -> int:
    """Return the quotient rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def test_remainders_by_division(run: Runner) -> None:
    """-fexact-remainder: remainders of negative numbers, which Vulkan leaves undefined, are right everywhere."""
    run.needs("shaderInt64")
    inputs: Inputs = {
        "a": ("int", -17),
        "b": ("int", 5),
        "v": ("int4", (-7, 7, -7, 7)),
        "w": ("int4", (2, -2, -2, 2)),
        "l": ("int64_t", -(1 << 40) - 868),
        "m": ("int2x2", (-3, 4, -5, 6)),
    }
    rows: list[Row] = [
        ("a % b", "int", -2),
        ("-a % b", "int", 2),
        ("b % a", "int", 5),
        ("a % -b", "int", -2),
        ("a % 1", "int", 0),
        ("v % w", "int4", (-1, 1, -1, 1)),
        ("v % 3", "int4", (-1, 1, -1, 1)),
        ("l % 1000", "int64_t", -((1 << 40) + 868) % -1000),
        ("m % 4", "int2x2", (-3, 0, -1, 2)),
    ]
    run.table(rows, inputs, exact_remainder=True)


def test_integer_operators(run: Runner) -> None:
    inputs: Inputs = {
        "a": ("int", -17),
        "b": ("int", 5),
        "u": ("uint", 0xFFFFFFF0),
        "t": ("uint", 7),
        "v": ("int4", (-7, 7, -7, 7)),
        "w": ("int4", (2, -2, -2, 2)),
        "x": ("uint3", (1, 0x80000000, 12345)),
    }
    rows: list[Row] = [
        ("a + b", "int", -12),
        ("a - b", "int", -22),
        ("a * b", "int", -85),
        ("a / b", "int", -3),
        ("a % b", "int", -2),
        ("-a % b", "int", 2),
        ("b / a", "int", 0),
        ("b % a", "int", 5),
        ("a / -b", "int", 3),
        ("a % -b", "int", -2),
        ("v / w", "int4", tuple(_quotient(a, b) for a, b in zip((-7, 7, -7, 7), (2, -2, -2, 2), strict=True))),
        ("v % w", "int4", (-1, 1, -1, 1)),
        ("u + 32", "uint", 16),
        ("u * t", "uint", 0xFFFFFFF0 * 7 & 0xFFFFFFFF),
        ("u / t", "uint", 0xFFFFFFF0 // 7),
        ("u % t", "uint", 0xFFFFFFF0 % 7),
        ("t - u", "uint", 23),
        ("x % 10", "uint3", (1, 8, 5)),
        ("-t", "int", -7),
        ("~a", "int", 16),
        ("~u", "uint", 15),
        ("a & 0xff", "int", 0xEF),
        ("a | b", "int", -17 | 5),
        ("a ^ b", "int", -17 ^ 5),
        ("u ^ t", "uint", 0xFFFFFFF7),
        ("a << 3", "int", -136),
        ("a >> 2", "int", -5),
        ("u >> 4", "uint", 0x0FFFFFFF),
        ("u << 4", "uint", 0xFFFFFF00),
        ("b << b", "int", 160),
        ("1 << t", "int", 128),
        ("v << 1", "int4", (-14, 14, -14, 14)),
        ("v >> 1", "int4", (-4, 3, -4, 3)),
        ("x >> 3", "uint3", (0, 0x10000000, 12345 >> 3)),
        ("x << uint3(0, 1, 2)", "uint3", (1, 0, 49380)),
        ("1u << 31", "uint", 0x80000000),
        ("b << 33", "int", 10),
        ("a < b", "bool", True),
        ("u > t", "bool", True),
        ("int(u) < b", "bool", True),
        ("a <= -17", "bool", True),
        ("a >= b", "bool", False),
        ("v == w", "bool4", (False, False, False, False)),
        ("v != v.yyxx", "bool4", (True, False, False, True)),
        ("!b", "bool", False),
        ("a && 0", "bool", False),
        ("a || 0", "bool", True),
        ("v.x + x.z", "uint", 12338),
        ("(a < b) + (b < a) + (b == b)", "int", 2),
        ("true + true", "int", 2),
        ("-true", "int", -1),
    ]
    run.table(rows, inputs)


def test_increments_and_assignments(run: Runner) -> None:
    inputs: Inputs = {"a": ("int", 10), "f": ("float", 2.5), "v": ("int3", (1, 2, 3)), "g": ("float3", (1.0, 2.0, 3.0))}
    prologue = """
    int i = a; int post = i++; int pre = ++i; int down = i--; int low = --i;
    float h = f; float hpost = h++; float hpre = --h;
    int3 w = v; int3 wpost = w++; ++w.yz;
    int c = a; c += 5; c -= 2; c *= 3; c /= 2; c %= 11;
    int s = a; s <<= 4; s |= 3; s ^= 0xf; s &= 0xfe; s >>= 1;
    float3 k = g; k *= 2; k += g.zyx; k -= 1; k /= float3(2, 4, 8);
    float3 m = g; m.x = m.y = m.z;
    int n = 1; n = (n += 2, n * 10);
    float p = 7; p %= 4;
    int3 q = v; q <<= 2; q.xz |= 1;
    int t = 3; t += 1.75; uint ub = 5; ub -= 7;
    """
    rows: list[Row] = [
        ("int4(i, post, pre, down)", "int4", (10, 10, 12, 12)),
        ("low", "int", 10),
        ("float3(h, hpost, hpre)", "float3", (2.5, 2.5, 2.5)),
        ("w", "int3", (2, 4, 5)),
        ("wpost", "int3", (1, 2, 3)),
        ("c", "int", 39 // 2 % 11),
        ("s", "int", (((160 | 3) ^ 0xF) & 0xFE) >> 1),
        ("k", "float3", ((2 + 3 - 1) / 2, (4 + 2 - 1) / 4, (6 + 1 - 1) / 8)),
        ("m", "float3", (3.0, 3.0, 3.0)),
        ("n", "int", 30),
        ("p", "float", 3.0),
        ("q", "int3", (5, 8, 13)),
        ("t", "int", 4),
        ("ub", "uint", 0xFFFFFFFE),
    ]
    run.table(rows, inputs, prologue=prologue)


def test_conversions(run: Runner) -> None:
    inputs: Inputs = {
        "f": ("float", -3.75),
        "g": ("float", 3000000000.0),
        "i": ("int", -5),
        "u": ("uint", 0xFFFFFFFB),
        "b": ("bool", True),
        "n": ("bool", False),
        "v": ("float4", (1.9, -1.9, 0.0, 255.5)),
        "w": ("int3", (0, -1, 7)),
        "c": ("bool2", (True, False)),
    }
    rows: list[Row] = [
        ("int(f)", "int", -3),
        ("(int)f", "int", -3),
        ("uint(g)", "uint", 3000000000),
        ("float(i)", "float", -5.0),
        ("float(u)", "float", f32(0xFFFFFFFB)),
        ("int(u)", "int", -5),
        ("uint(i)", "uint", 0xFFFFFFFB),
        ("float(b)", "float", 1.0),
        ("int(b) + int(n)", "int", 1),
        ("uint(n)", "uint", 0),
        ("bool(f)", "bool", True),
        ("bool(i + 5)", "bool", False),
        ("bool4(v)", "bool4", (True, True, False, True)),
        ("int4(v)", "int4", (1, -1, 0, 255)),
        ("float3(w)", "float3", (0.0, -1.0, 7.0)),
        ("bool3(w)", "bool3", (False, True, True)),
        ("float2(c)", "float2", (1.0, 0.0)),
        ("(float3)i", "float3", (-5.0, -5.0, -5.0)),
        ("(int2)v", "int2", (1, -1)),
        ("(float)v", "float", f32(1.9)),
        ("i + f", "float", -8.75),
        ("i + 1u", "uint", 0xFFFFFFFC),
        ("u + 1.0f", "float", f32(0xFFFFFFFC)),
        ("b + f", "float", -2.75),
        ("b ? i : f", "float", -5.0),
        ("1 / 2", "int", 0),
        ("1 / 2.0", "float", 0.5),
        ("float4(w.xy, f, b)", "float4", (0.0, -1.0, -3.75, 1.0)),
        ("int2(f, g / 1000)", "int2", (-3, 3000000)),
        ("asuint(f)", "uint", 0xC0700000),
        ("asint(f)", "int", 0xC0700000 - (1 << 32)),
        ("asfloat(0x40490fdb)", "float", f32(math.pi)),
        ("asuint(i)", "uint", 0xFFFFFFFB),
        ("asint(u)", "int", -5),
        ("asfloat(asuint(v))", "float4", (1.9, -1.9, 0.0, 255.5)),
    ]
    run.table(rows, inputs)


def test_swizzles(run: Runner) -> None:
    inputs: Inputs = {"v": ("float4", (1.0, 2.0, 3.0, 4.0)), "s": ("float", 9.0), "i": ("uint", 2)}
    prologue = """
    float4 a = v; a.wx = v.xy;
    float4 b = v; b.xyz.zx = float2(7, 8);
    float4 c = v; c.rgb += 10; c.a *= 2;
    float4 d = v; d[i] = 50; d[i + 1] += 1; d[0].x = 6;
    float4 e = v; e.zyx.xy = e.xy;
    float4 f = v; f.xyzw = f.wzyx;
    float4 g = v; g.yw = 0; g.xz++;
    float h = s; h.x = 4; float3 hh = h.xxx;
    float2x2 m = float2x2(1, 2, 3, 4); m[1].yx = float2(30, 40);
    float4 k = v; k.xy.y -= k.zw.x;
    """
    rows: list[Row] = [
        ("v.wzyx", "float4", (4.0, 3.0, 2.0, 1.0)),
        ("v.xxyy", "float4", (1.0, 1.0, 2.0, 2.0)),
        ("v.rgba.bg", "float2", (3.0, 2.0)),
        ("s.xxx", "float3", (9.0, 9.0, 9.0)),
        ("v[i]", "float", 3.0),
        ("v.yzw[i]", "float", 4.0),
        ("(v * 2)[1]", "float", 4.0),
        ("a", "float4", (2.0, 2.0, 3.0, 1.0)),
        ("b", "float4", (8.0, 2.0, 7.0, 4.0)),
        ("c", "float4", (11.0, 12.0, 13.0, 8.0)),
        ("d", "float4", (6.0, 2.0, 50.0, 5.0)),
        ("e", "float4", (1.0, 2.0, 1.0, 4.0)),
        ("f", "float4", (4.0, 3.0, 2.0, 1.0)),
        ("g", "float4", (2.0, 0.0, 4.0, 0.0)),
        ("hh", "float3", (4.0, 4.0, 4.0)),
        ("m", "float2x2", (1.0, 2.0, 40.0, 30.0)),
        ("k", "float4", (1.0, -1.0, 3.0, 4.0)),
    ]
    run.table(rows, inputs, prologue=prologue)


def test_logic_short_circuits(run: Runner) -> None:
    declarations = "static int calls = 0; bool touch(bool b) { calls++; return b; }"
    prologue = """
    bool a = no && touch(true); int c0 = calls;
    bool b = yes || touch(true); int c1 = calls;
    bool c = yes && touch(true); int c2 = calls;
    int d = no ? int(touch(true)) : 5; int c3 = calls;
    bool e = no || touch(false) && touch(true); int c4 = calls;
    """
    inputs: Inputs = {"yes": ("bool", True), "no": ("bool", False)}
    rows: list[Row] = [
        ("bool4(a, b, c, e)", "bool4", (False, True, True, False)),
        ("int4(c0, c1, c2, c3)", "int4", (0, 0, 1, 1)),
        ("int2(c4, d)", "int2", (2, 5)),
        ("and(bool2(yes, no), bool2(yes, yes))", "bool2", (True, False)),
        ("or(bool2(yes, no), bool2(no, no))", "bool2", (True, False)),
        ("select(bool2(yes, no), float2(1, 2), float2(3, 4))", "float2", (1.0, 4.0)),
        ("select(no, 1, 2)", "int", 2),
    ]
    run.table(rows, inputs, declarations=declarations, prologue=prologue)


def test_logic_of_2018_takes_vectors_and_evaluates_both_sides(run: Runner) -> None:
    declarations = "static int calls = 0; bool touch(bool b) { calls++; return b; }"
    prologue = """
    bool a = no && touch(true); int c0 = calls;
    bool b = yes || touch(true); int c1 = calls;
    """
    inputs: Inputs = {"yes": ("bool", True), "no": ("bool", False), "v": ("float3", (1.0, 0.0, -2.0))}
    rows: list[Row] = [
        ("int2(c0, c1)", "int2", (1, 2)),
        ("bool2(a, b)", "bool2", (False, True)),
        ("v && bool3(yes, yes, no)", "bool3", (True, False, False)),
        ("v || bool3(no, no, no)", "bool3", (True, False, True)),
        ("v > 0 ? v : -v * 2", "float3", (1.0, 0.0, 4.0)),
        ("bool3(yes, no, yes) ? 1 : v", "float3", (1.0, 0.0, 1.0)),
        ("yes ? v : 0", "float3", (1.0, 0.0, -2.0)),
    ]
    run.table(rows, inputs, declarations=declarations, prologue=prologue, hlsl_version=2018)


def test_doubles(run: Runner) -> None:
    run.needs("shaderFloat64")
    inputs: Inputs = {
        "a": ("double", 1.0000000001),
        "b": ("double", -3.5),
        "v": ("double2", (1e300, 2.0)),
        "f": ("float", 0.5),
    }
    rows: list[Row] = [
        ("a + b", "double", 1.0000000001 - 3.5),
        ("a * b", "double", 1.0000000001 * -3.5),
        ("b / a", "double", -3.5 / 1.0000000001),
        ("a + f", "double", 1.5000000001),
        ("a > 1.0L", "bool", True),
        ("float(b)", "float", -3.5),
        ("int(b)", "int", -3),
        ("bool(b)", "bool", True),
        ("v * 2", "double2", (2e300, 4.0)),
        ("-v.yx", "double2", (-2.0, -1e300)),
        ("abs(b)", "double", 3.5),
        ("max(a, b)", "double", 1.0000000001),
        ("double(7)", "double", 7.0),
    ]
    run.table(rows, inputs, tolerance=1e-15)


def test_64_bit_integers(run: Runner) -> None:
    run.needs("shaderInt64")
    a, b = -0x123456789ABC, 0xFEDCBA9876543210
    mask = (1 << 64) - 1
    inputs: Inputs = {"a": ("int64_t", a), "b": ("uint64_t", b), "i": ("int", -3), "n": ("uint", 40)}
    rows: list[Row] = [
        ("a + i", "int64_t", a - 3),
        ("a * i", "int64_t", a * -3),
        ("a / 1000", "int64_t", _quotient(a, 1000)),
        ("a % 1000", "int64_t", a - _quotient(a, 1000) * 1000),
        ("b / 10", "uint64_t", b // 10),
        ("b * 3", "uint64_t", b * 3 & mask),
        ("b >> n", "uint64_t", b >> 40),
        ("a >> 8", "int64_t", a >> 8),
        ("1ull << n", "uint64_t", 1 << 40),
        ("b & 0xffffffffull", "uint64_t", 0x76543210),
        ("~b", "uint64_t", ~b & mask),
        ("uint(b)", "uint", 0x76543210),
        ("int64_t(i)", "int64_t", -3),
        ("uint64_t(n)", "uint64_t", 40),
        ("float(a >> 20)", "float", float(a >> 20)),  # as DXC does, by way of 32 bits
        ("double(a)", "double", float(a)),
        ("a < 0", "bool", True),
        ("b > 0x7fffffffffffffffull", "bool", True),
        ("int64_t2(a, i).yx", "int64_t2", (-3, a)),
    ]
    run.table(rows, inputs)


def test_16_bit_types(run: Runner) -> None:
    run.needs("shaderInt16", "shaderFloat16")
    inputs: Inputs = {
        "h": ("half", 1.5),
        "v": ("float16_t3", (0.25, -2.0, 3.0)),
        "i": ("int16_t", -300),
        "u": ("uint16_t", 65535),
        "f": ("float", 0.1),
    }
    rows: list[Row] = [
        ("h * h", "half", 2.25),
        ("v + h", "float16_t3", (1.75, -0.5, 4.5)),
        ("dot(v, v)", "half", 13.0625),
        ("asuint16(half(f))", "uint16_t", 0x2E66),  # Mesa 25 leaves conversions there and back out
        ("i * int16_t(200)", "int16_t", 5536),
        ("u + uint16_t(2)", "uint16_t", 1),
        ("int(i) * 200", "int", -60000),
        ("uint16_t(i)", "uint16_t", 65536 - 300),
        ("asuint16(h)", "uint16_t", 0x3E00),
        ("asfloat16(uint16_t(0xc000))", "half", -2.0),
        ("max(v, h.xxx)", "float16_t3", (1.5, 1.5, 3.0)),
        ("u >> 4", "uint16_t", 4095),
        ("i >> 4", "int16_t", -19),
        ("1.5h + h", "half", 3.0),
    ]
    run.table(rows, inputs, enable_16bit_types=True)


def test_half_is_float_without_16_bit_types(run: Runner) -> None:
    inputs: Inputs = {"f": ("float", 0.1), "i": ("int", 70000)}
    rows: list[Row] = [
        ("half(f) * 3", "float", f32(f32(0.1) * 3)),
        ("min16int(i)", "int", 70000),
        ("float(min16float(f))", "float", f32(0.1)),
        ("min16float(0.1) * (i - 69999)", "float", 0.0999755859375),
        ("min16uint(0x12345) + (i - 70000)", "uint", 0x2345),
        ("min16int(40000.5) + (i - 70000)", "int", 32767),
    ]
    run.table(rows, inputs, tolerance=1e-6)


def test_specialisation_constants_of_every_width(run: Runner) -> None:
    """Default values of 16, 32 and 64 bits reach the shader unchanged, also through constant operations."""
    run.needs("shaderInt64", "shaderFloat64", "shaderInt16", "shaderFloat16")
    source = """
[[vk::constant_id(1)]] const int16_t a = -3;
[[vk::constant_id(2)]] const uint16_t b = 65535;
[[vk::constant_id(3)]] const half c = 1.5;
[[vk::constant_id(4)]] const int64_t d = -5000000000LL;
[[vk::constant_id(5)]] const uint64_t e = 0xFFFFFFFFFFFFFFFFULL;
[[vk::constant_id(6)]] const double f = 5.57;
RWByteAddressBuffer o : register(u0);
[numthreads(1, 1, 1)] void main() {
    o.Store<int>(0, a);
    o.Store<uint>(4, b);
    o.Store<float>(8, c);
    o.Store<int64_t>(16, d + 1);
    o.Store<uint64_t>(24, e);
    o.Store<double>(32, f);
}"""
    out = run(source, {(0, 0): storage(40)}, enable_16bit_types=True)[0, 0]
    assert struct.unpack("<iIf4xqQd", out) == (-3, 65535, 1.5, -4999999999, 2**64 - 1, 5.57)


def test_wide_integers_as_narrower_floats(run: Runner) -> None:
    """Integers are converted directly, not through an integer as narrow as the float."""
    run.needs("shaderInt64", "shaderFloat64", "shaderFloat16", "shaderInt16")
    inputs: Inputs = {
        "a": ("int64_t", 5_000_000_000),
        "b": ("uint64_t", 1 << 63),
        "v": ("int64_t2", (-(1 << 40), 1 << 33)),
        "w": ("uint64_t3", (1 << 32, 1 << 48, 7)),
        "x": ("float", 2.0),
        "i": ("int", 60_000),
        "m": ("int2x2", (40_000, -40_000, 3, 64_992)),
    }
    declarations = """
    float assigned(int64_t n) { float f; f = (float)n; return f; }
    float added(int64_t n) { float f = 1; f += (float)n; return f; }
    float raised(float f, int64_t n) { f *= n; return f; }
    float4 listed(int64_t2 n) { float4 f = {n, n}; return f; }
    struct S { int64_t n; uint64_t2 m; }; struct F { float n; float2 m; };
    float flat(int64_t n) { S s = {n, n, 1}; F f = (F)s; return f.n + f.m.x; }
    """
    rows: list[Row] = [
        ("(float)a", "float", 5e9),
        ("(double)a", "double", 5e9),
        ("(float)b", "float", float(1 << 63)),
        ("float2(v)", "float2", (-float(1 << 40), float(1 << 33))),
        ("(float3)w", "float3", (float(1 << 32), float(1 << 48), 7.0)),
        ("(float2x2)int64_t2x2(v, v)", "float2x2", (-float(1 << 40), float(1 << 33)) * 2),
        ("a * x", "float", 1e10),
        ("a * 0.5", "float", 2.5e9),
        ("assigned(a)", "float", 5e9),
        ("added(a)", "float", 5e9),
        ("raised(x, a)", "float", 1e10),
        ("listed(v)", "float4", (-float(1 << 40), float(1 << 33)) * 2),
        ("flat(a)", "float", 1e10),
        ("(half)(a / 156250)", "half", 32000.0),
        ("(half)i", "half", 60000.0),
        ("(half2x2)m", "half2x2", (40000.0, -40000.0, 3.0, 64992.0)),
        ("(half2)(w.yz / 0x200000000)", "half2", (32768.0, 0.0)),
        ("(float)(int)a", "float", 705032704.0),
    ]
    run.table(rows, inputs, declarations=declarations, enable_16bit_types=True)


def test_literals_of_every_form(run: Runner) -> None:
    run.needs("shaderFloat64", "shaderFloat16", "shaderInt16")
    rows: list[Row] = [
        ("1.#INF", "float", math.inf),
        ("-1.#INF", "float", -math.inf),
        ("1.#INFf * x", "float", math.inf),
        ("0x1p4 + 0x1.8p1f", "float", 19.0),
        ("1.5f32 * x", "float", 3.0),
        ("0.1f64", "double", 0.1),
        ("1.5f16", "half", 1.5),
        ("(double)0.1f", "double", f32(0.1)),
        ("asuint16(1.0)", "uint16_t", 0x3C00),
        ("asint16(-1.0)", "int16_t", 0xBC00 - 0x10000),
        ("asfloat16(1.5)", "half", 1.5),
        ("asuint16(1)", "uint16_t", 0x3C00),
        ("asfloat16((uint16_t)0x3C00)", "half", 1.0),
        ("asuint(1.0)", "uint", 0x3F800000),
        ("asfloat(1065353216)", "float", 1.0),
    ]
    run.table(rows, {"x": ("float", 2.0)}, enable_16bit_types=True)


def test_literals_of_newer_versions_are_floats(run: Runner) -> None:
    run.needs("shaderFloat64")
    rows: list[Row] = [("5.57", "double", f32(5.57)), ("1.0 / 3.0", "double", f32(1 / 3)), ("0.1l", "double", 0.1)]
    run.table(rows, {"x": ("float", 2.0)}, hlsl_version=2029)


def test_literals_that_become_wide_numbers(run: Runner) -> None:
    """Functions on untyped literals are computed in 64 bits if the result is used in 64 bits."""
    run.needs("shaderInt64", "shaderFloat64")
    declarations = """
    double passed(double d) { return d; }
    double variable() { double d = sqrt(2.0); return d; }
    double rounded() { float f = sqrt(2.0); return f; }
    int64_t big() { int64_t n = max(3000000000, 1); return n; }
    """
    rows: list[Row] = [
        ("passed(sqrt(2.0))", "double", math.sqrt(2)),
        ("variable()", "double", math.sqrt(2)),
        ("rounded()", "double", f32(math.sqrt(2))),
        ("passed(sin(2.0) * 3.0)", "double", math.sin(2) * 3),
        ("passed(lerp(0.1, 0.2, 0.3))", "double", 0.1 + 0.3 * (0.2 - 0.1)),
        ("d * exp(1.5)", "double", 2.0 * math.exp(1.5)),
        ("passed(sqrt(2.0f))", "double", f32(math.sqrt(2))),
        ("passed((float)0.1)", "double", f32(0.1)),
        ("passed(-abs(-0.1))", "double", -0.1),
        ("big()", "int64_t", 3_000_000_000),
    ]
    run.table(rows, {"d": ("double", 2.0)}, declarations=declarations, tolerance=1e-12)


def test_functions_in_constant_expressions(run: Runner) -> None:
    declarations = """
    enum Sizes { A = max(4, 5), B = min(A, 2), C = asuint(1.0f) };
    template<int N> int doubled() { return N * 2; }
    static const int K = max(2, min(7, 3));
    struct S { static const int N = max(3, 4); int v[N]; };
    groupshared int shared_values[max(A, 2)];
    int chosen(int n) { switch (n) { case max(1, 2): return 10; case asuint(3): return 20; default: return 30; } }
    int length() { int a[max(2, 6)]; S s; int b[(int)max(4.5, 2.0)];
                   return a.Length * 100 + s.v.Length * 10 + b.Length; }
    """
    rows: list[Row] = [
        ("(int)A * 10 + (int)B", "int", 52),
        ("(uint)C", "uint", 0x3F800000),
        ("doubled<max(3, 1)>()", "int", 6),
        ("K", "int", 3),
        ("chosen(x) + chosen(x + 1)", "int", 30),
        ("length()", "int", 644),
    ]
    run.table(rows, {"x": ("int", 2)}, declarations=declarations)
