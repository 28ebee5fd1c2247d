"""Arguments are copied in and results out, in the order of the parameters, whatever else leads to their memory.

``this`` is no copy: a method sees what others do to its object.
"""

from __future__ import annotations

import struct

import pytest

from hlsl_tool.cli import dxc
from tests.execute.vulkan import Vulkan, storage

LEVELS = (
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-Os",
    "-Od",
    "-Zi",
    "-Oconfig=--inline-entry-points-exhaustive",
    "-fspv-debug=line",
    "-fspv-debug=vulkan",
    "-fspv-debug=vulkan-with-source",
)

CASES = {
    "one variable for two outputs": (
        "void f(out float a, out float b) { a = 3; b = 4; a += b; }",
        "float x = 1; f(x, x); o[0] = x;",
        4,
    ),
    "one variable for two arguments": (
        "void f(inout float a, inout float b) { a += 10; b += 100; a += b; }",
        "float x = 1; f(x, x); o[0] = x;",
        101,
    ),
    "a static global": (
        "static float g = 1; void f(inout float a) { a += 1; g += 10; a += g; }",
        "f(g); o[0] = g;",
        13,
    ),
    "an element of a buffer": (
        "void f(inout float a) { a += 1; o[1] += 10; a += o[1]; }",
        "o[1] = 2; f(o[1]); o[0] = o[1];",
        15,
    ),
    "groupshared memory": (
        "groupshared float g[2]; void f(inout float a, inout float b) { a += 1; g[0] += 10; b += a; a += g[0]; }",
        "g[0] = 1; f(g[0], g[0]); o[0] = g[0];",
        3,
    ),
    "a struct and its member": (
        "struct S { float x, y; }; void f(inout S s, inout float a) { s.x += 1; a += 10; s.x += a; }",
        "S s; s.x = 1; s.y = 2; f(s, s.x); o[0] = s.x;",
        11,
    ),
    "an array and its element": (
        "void f(inout float a[2], inout float b) { a[0] += 1; b += 10; a[0] += b; }",
        "float l[2] = { 1, 2 }; f(l, l[0]); o[0] = l[0];",
        11,
    ),
    "elements with equal indices": (
        "void f(inout float a, inout float b) { a += 1; b += 10; a += b; }",
        "float l[2] = { 1, 2 }; uint i = o[3]; f(l[i], l[0]); o[0] = l[0];",
        11,
    ),
    "a component and its vector": (
        "void f(inout float2 v, inout float a) { v.x += 1; a += 10; v.x += a; }",
        "float2 v = float2(1, 2); f(v, v.x); o[0] = v.x;",
        11,
    ),
    "this and a member": (
        "struct S { float x; void m(inout float a) { x += 1; a += 10; x += a; } };",
        "S s; s.x = 1; s.m(s.x); o[0] = s.x;",
        11,
    ),
    "an object that its method reaches as a global": (
        "struct T { float x; void m() { x += 1; inner(); x += 2; } void inner(); };"
        "static T t; void T::inner() { t.x *= 2; }",
        "t.x = 1; t.m(); o[0] = t.x;",
        6,
    ),
    "a member that a function reaches as a global": (
        "struct T { float x; void m(); }; static T t;"
        "void f(inout float a) { a += 1; t.x += 10; a += t.x; } void T::m() { f(x); }",
        "t.x = 1; t.m(); o[0] = t.x;",
        13,
    ),
    "through two calls": (
        "static float g = 1; void inner(inout float b) { b += g; g = 5; b += g; }"
        "void f(inout float a) { inner(a); g += a; a += 1; }",
        "f(g); o[0] = g;",
        8,
    ),
    "a bit-field": (
        "struct B { uint a : 4, b : 4; }; void f(inout uint x, inout uint y) { x += 1; y += 2; x += y; }",
        "B b; b.a = 1; b.b = 3; f(b.a, b.a); o[0] = b.a + 16 * b.b;",
        51,
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_copies_in_and_out(vulkan: Vulkan, name: str, level: str, tmp_path: object) -> None:
    declarations, body, expected = CASES[name]
    source = (
        f"RWStructuredBuffer<float> o : register(u0);\n{declarations}\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n"
    )
    folder = str(tmp_path)
    with open(f"{folder}/x.hlsl", "w", encoding="utf-8") as file:
        file.write(source)
    options = ["-T", "cs_6_2", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.1", "-HV", "2021", level]
    status, _, messages = dxc.run([*options, "x.hlsl", "-Fo", "x.spv"], folder)
    assert status == 0, messages
    with open(f"{folder}/x.spv", "rb") as module:
        out = vulkan.run_compute(module.read(), {(0, 0): storage(32)})
    assert struct.unpack_from("<f", out[0, 0])[0] == expected
