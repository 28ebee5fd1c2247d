"""Intrinsic functions on numbers, compared with Python's arithmetic."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest

from tests.execute.tables import Inputs, Row, Runner, bits, f32, from_bits

A = (0.3, 1.2, -0.7)
P = (0.25, 2.0, 17.5)

OVER_A: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "frac": lambda x: x - math.floor(x),
    "sign": lambda x: (x > 0) - (x < 0),
    "saturate": lambda x: min(max(x, 0.0), 1.0),
    "degrees": math.degrees,
    "radians": math.radians,
    "rcp": lambda x: 1 / x,
}
OVER_P: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
}


def test_functions_of_one_number(run: Runner) -> None:
    inputs: Inputs = {"a": ("float3", A), "p": ("float3", P), "s": ("float3", (0.5, -0.9, 0.1))}
    rows: list[Row] = []
    for name, function in OVER_A.items():
        rows.append((f"{name}(a)", "float3", [function(f32(x)) for x in A]))
        rows.append((f"{name}(a.y)", "float", function(f32(A[1]))))
    for name, function in OVER_P.items():
        rows.append((f"{name}(p)", "float3", [function(x) for x in P]))
    rows.append(("asin(s)", "float3", [math.asin(x) for x in (0.5, -0.9, 0.1)]))
    rows.append(("acos(s)", "float3", [math.acos(x) for x in (0.5, -0.9, 0.1)]))
    run.table(rows, inputs, tolerance=1e-3)


def test_functions_of_several_numbers(run: Runner) -> None:
    inputs: Inputs = {
        "a": ("float3", (1.0, -2.0, 0.5)),
        "b": ("float3", (4.0, 3.0, -2.0)),
        "t": ("float", 0.25),
        "q": ("float2", (3.0, 4.0)),
        "i": ("int3", (-5, 7, 3)),
        "u": ("uint2", (5, 0xFFFFFFFF)),
    }
    eta = 0.75
    k = 1 - eta * eta * (1 - 0.64)
    bend = eta * -0.8 + math.sqrt(k)
    rows: list[Row] = [
        ("min(a, b)", "float3", (1.0, -2.0, -2.0)),
        ("max(a, b)", "float3", (4.0, 3.0, 0.5)),
        ("clamp(b, -1.0, 3.5)", "float3", (3.5, 3.0, -1.0)),
        ("min(i, 2)", "int3", (-5, 2, 2)),
        ("max(u, 9)", "uint2", (9, 0xFFFFFFFF)),
        ("clamp(i, -1, 4)", "int3", (-1, 4, 3)),
        ("abs(i)", "int3", (5, 7, 3)),
        ("sign(i)", "int3", (-1, 1, 1)),
        ("lerp(a, b, t)", "float3", (1.75, -0.75, -0.125)),
        ("lerp(a, b, b)", "float3", (13.0, 13.0, 5.5)),
        ("step(a, b)", "float3", (1.0, 1.0, 0.0)),
        ("step(t, 0.25)", "float", 1.0),
        ("smoothstep(0.0, 4.0, b)", "float3", (1.0, 0.84375, 0.0)),
        ("pow(q, 2.5)", "float2", (3**2.5, 32.0)),
        ("fmod(b, a)", "float3", (0.0, 1.0, 0.0)),
        ("fmod(-7.5, t * 8)", "float", -1.5),
        ("atan2(a, b)", "float3", [math.atan2(y, x) for y, x in zip((1, -2, 0.5), (4, 3, -2), strict=True)]),
        ("mad(a, b, t)", "float3", (4.25, -5.75, -0.75)),
        ("mad(i, i, 1)", "int3", (26, 50, 10)),
        ("fma(double(t), 2.0L, 1.0L)", "double", 1.5),
        ("dot(a, b)", "float", -3.0),
        ("dot(i, i)", "int", 83),
        ("cross(a, b)", "float3", (-2.0 * -2.0 - 0.5 * 3.0, 0.5 * 4.0 - 1.0 * -2.0, 1.0 * 3.0 - -2.0 * 4.0)),
        ("length(q)", "float", 5.0),
        ("length(a.y)", "float", 2.0),
        ("distance(q, float2(0, 0))", "float", 5.0),
        ("normalize(q)", "float2", (0.6, 0.8)),
        ("reflect(float2(0.6, -0.8), float2(0, 1))", "float2", (0.6, 0.8)),
        ("refract(float2(0.6, -0.8), float2(0, t * 4), 0.75)", "float2", (eta * 0.6, eta * -0.8 - bend)),
        ("refract(float2(0.96, -0.28), float2(0, t * 4), 1.5)", "float2", (0.0, 0.0)),
        ("faceforward(a, b, b)", "float3", (-1.0, 2.0, -0.5)),
        ("faceforward(a, -b, b)", "float3", (1.0, -2.0, 0.5)),
        ("ldexp(a, b)", "float3", (16.0, -16.0, 0.125)),
        ("dst(float4(9, 2, 3, 9), float4(9, 5, 9, t))", "float4", (1.0, 10.0, 3.0, 0.25)),
        ("lit(0.5, t, 3.0)", "float4", (1.0, 0.5, 0.015625, 1.0)),  # a power, as in Direct3D
        ("lit(-0.5, t, 3.0)", "float4", (1.0, 0.0, 0.0, 1.0)),
        ("all(a)", "bool", True),
        ("all(a > 0)", "bool", False),
        ("any(a > 0)", "bool", True),
        ("any(a > 9)", "bool", False),
        ("any(i)", "bool", True),
        ("all(t)", "bool", True),
    ]
    run.table(rows, inputs, tolerance=1e-4)


def test_functions_with_out_parameters(run: Runner) -> None:
    inputs: Inputs = {"a": ("float", -3.75), "p": ("float", 20.0), "v": ("float3", (0.5, -2.25, 7.0))}
    prologue = """
    float whole; float part = modf(a, whole);
    int iwhole; float ipart = modf(p + 0.5, iwhole);
    float3 vwhole; float3 vpart = modf(v, vwhole);
    float e; float m = frexp(p, e);
    float3 ve; float3 vm = frexp(abs(v), ve);
    float s, c; sincos(p / 20, s, c);
    float4 z = 0; sincos(0.0, z.x, z.z);
    """
    rows: list[Row] = [
        ("float2(part, whole)", "float2", (-0.75, -3.0)),
        ("float2(ipart, iwhole)", "float2", (0.5, 20.0)),
        ("vpart", "float3", (0.5, -0.25, 0.0)),
        ("vwhole", "float3", (0.0, -2.0, 7.0)),
        ("float2(m, e)", "float2", math.frexp(20.0)),
        ("vm", "float3", (0.5, 0.5625, 0.875)),
        ("ve", "float3", (0.0, 2.0, 3.0)),
        ("float2(s, c)", "float2", (math.sin(1), math.cos(1))),
        ("z", "float4", (0.0, 0.0, 1.0, 0.0)),
    ]
    run.table(rows, inputs, prologue=prologue)


def _high(value: int) -> int:
    return value.bit_length() - 1 & 0xFFFFFFFF


def test_bits(run: Runner) -> None:
    u = (0x00F0_0100, 0, 0xFFFFFFFF)
    i = (-1, 0x0000_1234, -0x1000)
    half = [struct.unpack("<H", struct.pack("<e", x))[0] for x in (1.5, -0.1)]
    inputs: Inputs = {"u": ("uint3", u), "i": ("int3", i), "f": ("float2", (1.5, -0.1))}
    rows: list[Row] = [
        ("countbits(u)", "uint3", [x.bit_count() for x in u]),
        ("countbits(u.x)", "uint", 5),
        ("reversebits(u)", "uint3", [int(f"{x:032b}"[::-1], 2) for x in u]),
        ("firstbitlow(u)", "uint3", (8, 0xFFFFFFFF, 0)),
        ("firstbithigh(u)", "uint3", [_high(x) for x in u]),
        ("firstbithigh(i)", "uint3", (0xFFFFFFFF, 12, 11)),
        ("f32tof16(f)", "uint2", half),
        ("f16tof32(uint2(0x3e00, 0xc500))", "float2", (1.5, -5.0)),
        ("f16tof32(f32tof16(f.y) ^ u.y)", "float", struct.unpack("<e", struct.pack("<H", half[1]))[0]),
        ("asuint(f)", "uint2", (bits(1.5), bits(-0.1))),
        ("asfloat(u.xx)", "float2", (from_bits(u[0]),) * 2),
        ("msad4(0xA100B2C3, uint2(0xD7B0C372, 0x4F57C2A3), uint4(1, 2, 3, 4))", "uint4", (153, 6, 92, 113)),
        ("D3DCOLORtoUBYTE4(float4(0, 0.5, 1, 0.25))", "int4", (255, 127, 0, 63)),
    ]
    run.table(rows, inputs)


def test_double_parts(run: Runner) -> None:
    run.needs("shaderFloat64")
    low, high = struct.unpack("<II", struct.pack("<d", -1.0 / 3))
    inputs: Inputs = {"d": ("double", -1.0 / 3), "u": ("uint2", (low, high))}
    prologue = "uint lo, hi; asuint(d, lo, hi);"
    rows: list[Row] = [
        ("uint2(lo, hi)", "uint2", (low, high)),
        ("asdouble(u.x, u.y)", "double", -1.0 / 3),
    ]
    run.table(rows, inputs, prologue=prologue, tolerance=0.0)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_every_width(run: Runner, width: int) -> None:
    values = (0.5, -1.5, 2.5, -3.25)[:width]
    other = (2.0, 0.25, -1.0, 4.0)[:width]
    name = f"float{width}"
    inputs: Inputs = {"v": (name, values), "w": (name, other)}
    rows: list[Row] = [
        ("v * w", name, [a * b for a, b in zip(values, other, strict=True)]),
        ("max(v, w)", name, [max(a, b) for a, b in zip(values, other, strict=True)]),
        ("dot(v, w)", "float", sum(a * b for a, b in zip(values, other, strict=True))),
        ("length(v)", "float", math.hypot(*values)),
        ("floor(v)", name, [math.floor(a) for a in values]),
        ("saturate(v)", name, [min(max(a, 0.0), 1.0) for a in values]),
        ("all(v)", "bool", True),
        ("sign(v)", f"int{width}", [(a > 0) - (a < 0) for a in values]),
    ]
    run.table(rows, inputs)
