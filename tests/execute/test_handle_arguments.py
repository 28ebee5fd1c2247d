"""Parameters that are resource handles, or structs with handles, are copied in and out like parameters of numbers."""

from __future__ import annotations

import pathlib
import struct

import pytest

from tests.execute.command_lines import compiled
from tests.execute.vulkan import Vulkan, storage

LEVELS = ("-O0", "-O3", "-fspv-debug=vulkan")
SHORT = {
    "@S": "struct S { RWStructuredBuffer<float> b; float x; };",
    "@P": "RWStructuredBuffer<float> p : register(u1);",
}
"""Abbreviation in the cases → its text."""

CASES = {
    "a number beside a handle": (
        "@S float f(S s) { s.x += 10; return s.x; }",
        "S s; s.b = o; s.x = 1; o[1] = f(s); o[0] = s.x + 100 * o[1];",
        1101,
    ),
    "a handle in a struct": (
        "@S @P void f(S s) { s.b = p; s.b[0] = 7; }",
        "S s; s.b = o; s.x = 1; f(s); s.b[0] = 3;",
        3,
    ),
    "a struct that the callee changes as a global": (
        "@S static S g; float f(S s) { g.x = 100; return s.x; }",
        "g.b = o; g.x = 1; o[0] = f(g);",
        1,
    ),
    "one struct for two arguments": (
        "@S void f(inout S a, inout S b) { a.x += 1; b.x += 10; a.x += b.x; }",
        "S s; s.b = o; s.x = 1; f(s, s); o[0] = s.x;",
        11,
    ),
    "a struct and its number": (
        "@S void f(inout S s, inout float a) { s.x += 1; a += 10; s.x += a; }",
        "S s; s.b = o; s.x = 1; f(s, s.x); o[0] = s.x;",
        11,
    ),
    "a static struct that the callee changes, too": (
        "@S static S g; void f(inout S a) { a.x += 1; g.x += 10; a.x += g.x; }",
        "g.b = o; g.x = 1; f(g); o[0] = g.x;",
        13,
    ),
    "one struct for two outputs": (
        "@S void f(out S a, out S b) { a.b = o; b.b = o; a.x = 3; b.x = 4; a.x += b.x; }",
        "S s; f(s, s); o[0] = s.x;",
        4,
    ),
    "an array of structs": (
        "@S float f(S s[2]) { s[0].x += 10; s[1].x += 20; return s[0].x; }",
        "S s[2]; s[0].b = o; s[1].b = o; s[0].x = 1; s[1].x = 2; float r = f(s); o[0] = s[0].x + s[1].x * 10 + r "
        "* 100;",
        1121,
    ),
    "an array of structs and an element": (
        "@S void f(inout S a[2], inout S b) { a[0].x += 1; b.x += 10; a[0].x += b.x; }",
        "S s[2]; s[0].b = o; s[1].b = o; s[0].x = 1; s[1].x = 2; f(s, s[0]); o[0] = s[0].x;",
        11,
    ),
    "this and its number": (
        "struct T { RWStructuredBuffer<float> b; float x; void m(inout float a) { x += 1; a += 10; x += a; } };",
        "T s; s.b = o; s.x = 1; s.m(s.x); o[0] = s.x;",
        11,
    ),
    "a struct in a struct": (
        "@S struct N { S s; float y; }; float f(N n) { n.s.x = 50; n.y = 60; return n.s.x; }",
        "N n; n.s.b = o; n.s.x = 1; n.y = 2; float r = f(n); o[0] = n.s.x + n.y * 10 + r;",
        71,
    ),
    "a struct and the struct in it": (
        "@S struct N { S s; float y; }; void f(inout N n, inout S s) { n.s.x += 1; s.x += 10; n.s.x += s.x; }",
        "N n; n.s.b = o; n.s.x = 1; n.y = 2; f(n, n.s); o[0] = n.s.x;",
        11,
    ),
    "handles that are swapped": (
        "@S @P void f(inout S a, inout S b) { RWStructuredBuffer<float> t = a.b; a.b = b.b; b.b = t; }",
        "S s, u; s.b = p; u.b = o; s.x = u.x = 0; f(s, u); s.b[0] = 5; u.b[0] = 6;",
        5,
    ),
    "an array of handles": (
        "@P void f(RWStructuredBuffer<float> b[2]) { b[0] = b[1]; b[0][0] = 9; }",
        "RWStructuredBuffer<float> b[2]; b[0] = o; b[1] = p; f(b); b[0][0] = 3;",
        3,
    ),
    "an array of handles that is changed": (
        "@P void f(inout RWStructuredBuffer<float> b[2]) { b[0] = b[1]; b[1] = o; }",
        "RWStructuredBuffer<float> b[2]; b[0] = o; b[1] = p; f(b); b[1][0] = 3; b[0][0] = 4;",
        3,
    ),
    "a handle": (
        "@P void f(RWStructuredBuffer<float> b) { b = p; b[0] = 9; }",
        "RWStructuredBuffer<float> b = o; f(b); b[0] = 3;",
        3,
    ),
    "one handle for two arguments": (
        "@P void f(inout RWStructuredBuffer<float> a, inout RWStructuredBuffer<float> b) { a = p; b = o; a[0] = 2; }",
        "RWStructuredBuffer<float> b = o; f(b, b); b[0] = 3;",
        3,
    ),
    "a static handle that the callee replaces": (
        "@P static RWStructuredBuffer<float> g = o; void f(RWStructuredBuffer<float> a) { g = p; a[0] = 2; }",
        "f(g); g[0] = 7;",
        2,
    ),
    "a static handle that the callee replaces, as an output": (
        "@P static RWStructuredBuffer<float> g; void f(inout RWStructuredBuffer<float> a) { g = p; a[0] = 2; }",
        "g = o; f(g); g[0] = 7;",
        7,
    ),
    "a number beside a texture": (
        "Texture2D<float> t; struct S { Texture2D<float> t; float x; }; float f(S s) { s.x *= 3; return s.x; }",
        "S s; s.t = t; s.x = 2; float r = f(s); o[0] = s.x + r * 10;",
        62,
    ),
    "a struct that is changed in a loop": (
        "@S float f(S s, uint n) { for (uint i = 0; i < n; i++) s.x += s.b[3] + 1; return s.x; }",
        "S s; s.b = o; s.x = 1; float r = f(s, 3); o[0] = s.x + r * 10;",
        41,
    ),
    "a struct that is returned": (
        "@SS f(S s) { s.x += 5; return s; }",
        "S s; s.b = o; s.x = 1; S u = f(s); o[0] = s.x + u.x * 10;",
        61,
    ),
    "a struct through two calls": (
        "@S void g(S s) { s.x = 100; } void f(inout S s) { g(s); s.x += 1; }",
        "S s; s.b = o; s.x = 1; f(s); o[0] = s.x;",
        2,
    ),
    "a number of a static struct": (
        "@S static S g; void h(inout float a) { a += 1; g.x += 10; a += g.x; }",
        "g.b = o; g.x = 1; h(g.x); o[0] = g.x;",
        13,
    ),
    "an object as an argument of its method": (
        "struct T { RWStructuredBuffer<float> b; float x; float get(T t) { t.x = 9; x += 1; return t.x + x; } };",
        "T s; s.b = o; s.x = 1; float r = s.get(s); o[0] = s.x + r * 10;",
        112,
    ),
    "a vector beside a byte-address buffer": (
        "struct B { RWByteAddressBuffer b; uint2 x; }; RWByteAddressBuffer q : register(u1); uint f(B s) { s.x.y "
        "= 4; s.x.x += s.x.y; return s.x.x; }",
        "B s; s.b = q; s.x = uint2(1, 2); uint r = f(s); o[0] = s.x.x + s.x.y * 10 + r * 100;",
        521,
    ),
    "a struct and a swizzle of it": (
        "struct S { RWStructuredBuffer<float> b; float2 x; }; void f(inout S s, inout float2 a) { s.x.x += 1; a "
        "+= 10; s.x += a; }",
        "S s; s.b = o; s.x = float2(1, 2); f(s, s.x.yx); o[0] = s.x.x + 100 * s.x.y;",
        1211,
    ),
    "a static handle that is replaced": (
        "@Pstatic RWStructuredBuffer<float> g; void f(inout RWStructuredBuffer<float> a) { a = o; }",
        "g = p; f(g); g[0] = 7;",
        7,
    ),
    "a static handle as an output": (
        "@Pstatic RWStructuredBuffer<float> g; void f(out RWStructuredBuffer<float> a) { a = o; }",
        "g = p; f(g); g[0] = 7;",
        7,
    ),
    "an element of an array of handles": (
        "@Pvoid f(inout RWStructuredBuffer<float> a) { a = o; }",
        "RWStructuredBuffer<float> b[2]; b[0] = p; b[1] = p; f(b[1]); b[1][0] = 4; b[0][0] = 8;",
        4,
    ),
    "a handle of a struct": (
        "@Pstruct S { float x; RWStructuredBuffer<float> b; }; void f(inout RWStructuredBuffer<float> a) { a = o; }",
        "S s; s.b = p; s.x = 3; f(s.b); s.b[0] = 4;",
        4,
    ),
    "a handle of a static struct": (
        "@Pstruct S { float x; RWStructuredBuffer<float> b; }; static S s; void f(inout RWStructuredBuffer<float> "
        "a) { a = o; }",
        "s.b = p; s.x = 3; f(s.b); s.b[0] = 4;",
        4,
    ),
    "a static struct that is replaced": (
        "@Pstruct S { float x; RWStructuredBuffer<float> b; }; static S s; void f(inout S a) { a.b = o; a.x = 4; }",
        "s.b = p; s.x = 3; f(s); s.b[0] = s.x;",
        4,
    ),
    "a static array of handles": (
        "@Pstatic RWStructuredBuffer<float> s[2]; void f(inout RWStructuredBuffer<float> a[2]) { a[0] = o; }",
        "s[0] = p; s[1] = p; f(s); s[0][0] = 4;",
        4,
    ),
    "a static array of structs": (
        "@Pstruct S { float x; RWStructuredBuffer<float> b; }; static S s[2]; void f(inout S a[2]) { a[1].b = o; "
        "a[1].x = 4; }",
        "s[0].b = p; s[1].b = p; f(s); s[1].b[0] = s[1].x;",
        4,
    ),
    "a local handle": (
        "@Pvoid f(inout RWStructuredBuffer<float> a) { a = o; }",
        "RWStructuredBuffer<float> b = p; f(b); b[0] = 4;",
        4,
    ),
    "a struct that two functions change": (
        "@Pstruct S { float x; RWStructuredBuffer<float> b; }; void h(inout S a) { a.b = o; a.x += 1; } void "
        "f(inout S a) { h(a); a.x += 1; }",
        "S s; s.b = p; s.x = 1; f(s); s.b[0] = s.x;",
        3,
    ),
    "a buffer with a binding": (
        "@Pvoid f(inout RWStructuredBuffer<float> a) { a[0] = 4; a = p; a[0] = 6; }",
        "f(o);",
        4,
    ),
}
"""Name → (declarations, body, the number that the body leaves in the first element)."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_copies_in_and_out(vulkan: Vulkan, name: str, level: str, tmp_path: pathlib.Path) -> None:
    declarations, body, expected = CASES[name]
    for short, text in SHORT.items():
        declarations = declarations.replace(short, text)
    source = (
        f"RWStructuredBuffer<float> o : register(u0);\n{declarations}\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n"
    )
    out = vulkan.run_compute(compiled(source, level, tmp_path), {(0, 0): storage(32), (0, 1): storage(32)})
    assert struct.unpack_from("<f", out[0, 0])[0] == expected
