"""Calls copy arguments in, and results out in the order of the parameters, even if arguments share memory.

``this`` is no copy: a method observes changes that other code makes to its object.
"""

from __future__ import annotations

import pathlib
import struct

import pytest

from tests.execute.command_lines import compiled
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
    "-fspv-debug=rich",
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
    "an array in groupshared memory": (
        "groupshared float g[2]; void f(inout float a[2]) { a[0] += 1; g[0] += 10; a[0] += g[0]; }",
        "g[0] = 1; g[1] = 2; f(g); o[0] = g[0];",
        13,
    ),
    "a static array for two arguments": (
        "static float g[2]; void f(inout float a[2], inout float b[2]) { a[0] += 1; b[0] += 10; a[0] += b[0]; }",
        "g[0] = 1; g[1] = 2; f(g, g); o[0] = g[0];",
        11,
    ),
    "a static array and an element of it": (
        "static float g[2]; void f(inout float a[2], inout float b) { a[0] += 1; b += 10; a[0] += b; }",
        "g[0] = 1; g[1] = 2; f(g, g[0]); o[0] = g[0];",
        11,
    ),
    "an element and the array in a struct": (
        "struct S { float x[2]; }; static S g; void f(inout float b, inout S a) { a.x[0] += 1; b += 10; a.x[0] += b; }",
        "g.x[0] = 1; g.x[1] = 2; f(g.x[0], g); o[0] = g.x[0];",
        13,
    ),
    "a struct with an array in a buffer": (
        "struct S { float x[2]; }; RWStructuredBuffer<S> s : register(u1);"
        "void f(inout S a) { a.x[0] += 1; s[1].x[0] += 10; a.x[0] += s[1].x[0]; }",
        "s[1].x[0] = 1; f(s[1]); o[0] = s[1].x[0];",
        13,
    ),
    "an array of structs that a callee of the callee reads": (
        "struct S { float x; float y[2]; }; groupshared S g[2];"
        "float inner(float v) { g[1].y[1] += v; return g[1].y[1]; }"
        "void f(inout S a[2]) { a[1].y[1] += 1; a[1].y[1] += inner(10); }",
        "g[1].y[1] = 1; f(g); o[0] = g[1].y[1];",
        13,
    ),
    "an array in a buffer beside the buffer": (
        "struct S { float x[2]; }; RWStructuredBuffer<S> s : register(u1);"
        "void f(RWStructuredBuffer<S> b, inout float a[2]) { a[0] += 1; b[1].x[0] += 10; a[0] += b[1].x[0]; }",
        "s[1].x[0] = 1; f(s, s[1].x); o[0] = s[1].x[0];",
        13,
    ),
    "an array in a buffer that has another name": (
        "struct S { float x[2]; }; RWStructuredBuffer<S> s : register(u1);"
        "void f(inout float a[2]) { a[0] += 1; s[1].x[0] += 10; a[0] += s[1].x[0]; }",
        "RWStructuredBuffer<S> b = s; b[1].x[0] = 1; f(b[1].x); o[0] = s[1].x[0];",
        13,
    ),
    "an array of an object that is reached as a global": (
        "struct T { float x[2]; void m(); }; static T t;"
        "void f(inout float a[2]) { a[0] += 1; t.x[0] += 10; a[0] += t.x[0]; } void T::m() { f(x); }",
        "t.x[0] = 1; t.m(); o[0] = t.x[0];",
        13,
    ),
    "an array of an object and the object": (
        "struct T { float x[2]; void m(inout float a[2]) { a[0] += 1; x[0] += 10; a[0] += x[0]; } }; static T t;",
        "t.x[0] = 1; t.m(t.x); o[0] = t.x[0];",
        13,
    ),
    "an array of arrays and a row": (
        "groupshared float g[2][2]; void f(inout float a[2][2], inout float b[2])"
        "{ a[1][0] += 1; b[0] += 10; a[1][0] += b[0]; }",
        "g[1][0] = 1; f(g, g[1]); o[0] = g[1][0];",
        11,
    ),
    "an array through two calls": (
        "static float g[2]; void inner(inout float b[2]) { b[0] += g[0]; g[0] = 5; b[0] += g[0]; }"
        "void f(inout float a[2]) { inner(a); g[0] += a[0]; a[0] += 1; }",
        "g[0] = 1; f(g); o[0] = g[0];",
        8,
    ),
    "an output that the callee reads as a global": (
        "static float g[2]; void f(out float a[2]) { a[0] = 3; a[1] = g[0]; }",
        "g[0] = 1; f(g); o[0] = g[0] + 10 * g[1];",
        13,
    ),
    "an object in a buffer that its method writes to by name": (
        "struct T { float x[2]; void m(inout float a); }; RWStructuredBuffer<T> s : register(u1);"
        "void T::m(inout float a) { s[1].x[1] = 5; a = x[1]; x[1] = 6; a += 10 * s[1].x[1]; }",
        "float a = 1; s[1].m(a); o[0] = a;",
        65,
    ),
    "an object in groupshared memory that its method's callee changes": (
        "struct T { float x; void m(); void n(); }; groupshared T g;"
        "void T::n() { g.x = 2; x += 1; } void T::m() { x = 1; n(); g.x *= 2; x += 4; }",
        "g.m(); o[0] = g.x;",
        10,
    ),
    "an array of bit-fields": (
        "struct B { uint a : 4, b : 4; }; groupshared B g[2];"
        "void f(inout B x[2]) { x[1].b += 1; g[1].b += 2; x[1].b += g[1].b; }",
        "g[1].b = 1; g[1].a = 1; f(g); o[0] = g[1].a + 16 * g[1].b;",
        81,
    ),
    "a struct with booleans in a buffer": (
        "struct S { bool x[2]; float y; }; RWStructuredBuffer<S> s : register(u1);"
        "void f(inout S a, inout S b) { a.x[0] = true; a.y += 1; b.y += 10; a.y += b.y; }",
        "s[0].y = 1; s[0].x[0] = false; f(s[0], s[0]); o[0] = s[0].y + 100 * s[0].x[0];",
        11,
    ),
    "an object that an instruction of its method writes to by name": (
        '[[vk::ext_instruction(35, "GLSL.std.450")]] float parts(float x, [[vk::ext_reference]] float whole);'
        "struct T { float x; float m(); }; groupshared T g;"
        "float T::m() { float before = x; float r = parts(2.5, g.x); return 10 * before + x + r; }",
        "g.x = 1; o[0] = g.m();",
        12.5,
    ),
    "an object whose member an atomic operation changes by name": (
        "struct T { uint x; uint m(); }; groupshared T g;"
        "uint T::m() { uint old; InterlockedAdd(g.x, 2, old); return x + 10 * old; }",
        "g.x = 1; o[0] = g.m();",
        13,
    ),
    "the angle of a sine that is overwritten": (
        "",
        "float a = 0.5; float c; sincos(a, a, c); o[0] = round(1000 * c);",
        878,
    ),
    "two results of an intrinsic": (
        "static float g; static float h[2];",
        "g = 2.5; float r = modf(g, g); h[0] = 0.5; sincos(0, h[0], h[0]); o[0] = r + g + 4 * h[0];",
        6.5,
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_copies_in_and_out(vulkan: Vulkan, name: str, level: str, tmp_path: pathlib.Path) -> None:
    declarations, body, expected = CASES[name]
    source = (
        f"RWStructuredBuffer<float> o : register(u0);\n{declarations}\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n"
    )
    out = vulkan.run_compute(compiled(source, level, tmp_path), {(0, 0): storage(32), (0, 1): storage(256)})
    assert struct.unpack_from("<f", out[0, 0])[0] == expected
