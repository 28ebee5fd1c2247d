"""Writes to l-values that are not memory: components of texels and of swizzles, results of assignments.

Indices of an l-value that is both read and written are evaluated once.
"""

from __future__ import annotations

import pathlib
import struct

import pytest

from tests.execute.command_lines import compiled
from tests.execute.vulkan import Vulkan, image, storage, texels

LEVELS = ("-O0", "-O3", "-Od", "-Zi", "-fspv-debug=vulkan")

DECLARATIONS = """
[[vk::image_format("rgba32f")]] RWTexture2D<float4> t : register(u1);
RWBuffer<float4> q : register(u2);
[[vk::image_format("rgba32f")]] RWTexture2D<float4> many[2] : register(u4);
RWStructuredBuffer<float4> o : register(u0);
static uint calls = 0;
uint once(uint i) { calls++; return i; }
void twice(inout float x) { x *= 2; }
void moves(inout float x, inout uint i) { x *= 2; i++; }
void both(inout float2 v) { v = v.yx + 10; }
"""

CASES = {
    "a component of a texel": ("t[uint2(0, 0)][one] = 9;", "t[uint2(0, 0)]", (1, 9, 3, 4)),
    "a constant component": ("t[uint2(0, 0)][3] = 9;", "t[uint2(0, 0)]", (1, 2, 3, 9)),
    "a component, compound": ("t[uint2(0, 0)][one] += 9; t[uint2(0, 0)].z *= 5;", "t[uint2(0, 0)]", (1, 11, 15, 4)),
    "a component, incremented": (
        "float x = t[uint2(0, 0)][one]++; ++t[uint2(0, 0)][0];",
        "t[uint2(0, 0)] + x",
        (4, 5, 5, 6),
    ),
    "a component of an element": ("q[one][one + 1] -= 1; q[one].y = 7;", "q[1]", (5, 7, 6, 8)),
    "a component as an argument": (
        "twice(t[uint2(0, 0)][one]); twice(t[uint2(0, 0)].w);",
        "t[uint2(0, 0)]",
        (1, 4, 3, 8),
    ),
    "components as an argument": ("both(t[uint2(0, 0)].xw);", "t[uint2(0, 0)]", (14, 2, 3, 11)),
    "a component of a texture of an array": ("many[one][uint2(0, 0)][one] = 3;", "many[1][uint2(0, 0)]", (5, 3, 7, 8)),
    "an output of an intrinsic": ("float c; sincos(0, c, t[uint2(0, 0)][one]);", "t[uint2(0, 0)]", (1, 1, 3, 4)),
    "an index with side effects": (
        "t[uint2(once(0), 0)].y += 1; t[uint2(once(0), 0)].z = 5; t[uint2(once(0), 0)][once(0)]++;",
        "t[uint2(0, 0)] + 10 * calls",
        (42, 43, 45, 44),
    ),
    "an index with side effects in memory": (
        "float4 a[2] = { o[0], o[1] }; a[once(1)].yx += 1; float2x2 m = 1; m[once(1)].yx *= 3; both(a[once(1)].zw);",
        "float4(a[1].xy + m[1], a[1].zw) + calls",
        (12, 13, 21, 20),
    ),
    "an index that the call changes": (
        "uint i = 0; moves(q[i][one], i); moves(q[i].z, i); float4 v = o[0]; moves(v.zwxy[i], i);",
        "float4(q[0].y, q[1].z, v.x, v.z) + 10 * i",
        (34, 44, 32, 33),
    ),
    "a component of a swizzle": ("float4 v = o[0]; v.wzyx[one] = 9; twice(v.wz[one]);", "v", (1, 2, 18, 4)),
    "a component of a row": ("float2x2 m = { 1, 2, 3, 4 }; m[one].yx[one] = 9; m[0].yx.x = 8;", "m", (1, 8, 9, 4)),
    "a component of matrix elements": (
        "float2x2 m = { 1, 2, 3, 4 }; m._12_21[one] = 7; m._11_22.y = 9; m._11_22.x += 4; twice(m._12_11[0]);",
        "m",
        (5, 4, 7, 9),
    ),
    "nested increments": (
        "float4 v = o[0]; ++(++v.x); ++(++v.zy); float2x2 m = 1; ++(++m._12); twice(++v.w);",
        "float4(v.x, v.y, v.z + m._12, v.w)",
        (3, 4, 8, 10),
    ),
    "nested increments of texels": (
        "++(++t[uint2(0, 0)].y); ++(++t[uint2(once(0), 0)][one]); ++(++q[0]);",
        "t[uint2(0, 0)] + q[0] + calls",
        (5, 11, 9, 11),
    ),
    "results of assignments": (
        "float4 v; (v = o[0]).x = 9; (v.yx += 1).x *= 2; (t[uint2(0, 0)] = v).w = 5; (v.z = 1) += 2;",
        "t[uint2(0, 0)] * 100 + v",
        (1010, 606, 303, 504),
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_writes(vulkan: Vulkan, name: str, level: str, tmp_path: pathlib.Path) -> None:
    body, result, expected = CASES[name]
    source = f"{DECLARATIONS}[numthreads(1, 1, 1)] void main() {{ uint one = uint(o[2].x); {body} o[0] = {result}; }}\n"
    first, second = struct.pack("<4f", 1, 2, 3, 4), struct.pack("<4f", 5, 6, 7, 8)
    given = {
        (0, 0): storage(first + second + struct.pack("<4f", 1, 0, 0, 0)),
        (0, 1): image(first, "rgba32f", (1, 1)),
        (0, 2): texels(first + second, "rgba32f", writable=True),
        (0, 4, 0): image(first, "rgba32f", (1, 1)),
        (0, 4, 1): image(second, "rgba32f", (1, 1)),
    }
    out = vulkan.run_compute(compiled(source, level, tmp_path), given)
    assert struct.unpack_from("<4f", out[0, 0]) == expected
