"""Local arrays of resources, or of structs with resources, are read and written at indices computed at run time."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_words, words
from tests.execute.vulkan import Vulkan, image, storage, texels

HEADER = """
RWStructuredBuffer<uint> o : register(u0);
RWTexture2D<uint> t0 : register(u1);
RWTexture2D<uint> t1 : register(u2);
RWBuffer<uint> b0 : register(u3);
RWBuffer<uint> b1 : register(u4);
struct S { uint x; RWTexture2D<uint> t; };
struct In { uint x; RWTexture2D<uint> t; };
struct Out { In a; uint y; };
struct Two { uint x[2]; RWTexture2D<uint> t[2]; };
uint f(S s[2], uint i) { return s[i].x + s[1 - i].t[uint2(0, 0)]; }
[numthreads(1, 1, 1)] void main() {
    uint i = o[1];
    S s[2];
    s[0].x = 10; s[0].t = t0; s[1].x = 20; s[1].t = t1;
    RWTexture2D<uint> t[2] = { t0, t1 };
    uint old = 0;
"""
PLACE = "uint2(0, 0)"

CASES = {
    "a member": ("o[0] = s[i].x + s[i].t[PLACE];", 27),
    "a store": ("s[i].t[uint2(1, 0)] = 9; o[0] = t1[uint2(1, 0)];", 9),
    "a copy of a struct": ("S c = s[i]; c.x += 1; o[0] = c.x + c.t[PLACE];", 28),
    "a copy of the array": ("S r[2] = s; o[0] = r[i].x + r[i].t[PLACE];", 27),
    "an argument": ("o[0] = f(s, i);", 23),
    "a loop": ("uint n = 0; for (uint j = 0; j <= i; j++) n += s[j].x * s[j].t[PLACE]; o[0] = n;", 170),
    "a member that is written": ("s[i].x = 50; o[0] = s[0].x + s[1].x + s[i].t[PLACE];", 67),
    "an index of 64 bits": ("uint64_t j = i; o[0] = s[j].x + s[j].t[PLACE];", 27),
    "a struct in a struct": (
        "Out p[2]; p[0].a.x = 10; p[0].a.t = t0; p[1].a.x = 20; p[1].a.t = t1; p[0].y = p[1].y = 3;"
        "Out c = p[i]; c.a.x += 1; In q = c.a; o[0] = q.x + q.t[PLACE] + c.y;",
        31,
    ),
    "arrays in a struct": (
        "Two p[2]; p[0].x[0] = 1; p[0].x[1] = 2; p[1].x[0] = 3; p[1].x[1] = 4;"
        "p[0].t[0] = t0; p[0].t[1] = t1; p[1].t[0] = t1; p[1].t[1] = t0;"
        "o[0] = p[i].x[i] * 100 + p[i].t[i][PLACE] * 10 + p[1].t[0][PLACE];",
        437,
    ),
    "an array of arrays": (
        "RWTexture2D<uint> a[2][2] = { t0, t1, t1, t0 }; o[0] = a[i][0][PLACE] * 10 + a[i][i][PLACE];",
        73,
    ),
    "an atomic": ("InterlockedAdd(t[i][PLACE], 5, old); o[0] = old + t1[PLACE] * 10 + t0[PLACE] * 1000;", 3127),
    "an atomic on a member": ("InterlockedAdd(s[i].t[PLACE], 5, old); o[0] = old + t1[PLACE] * 10;", 127),
    "atomics with known and unknown indices": (
        "InterlockedAdd(t[0][PLACE], 1); InterlockedMax(t[i][PLACE], 50);"
        "InterlockedCompareExchange(t[i][PLACE], 50, 60, old); o[0] = t0[PLACE] + t1[PLACE] * 10 + old * 1000;",
        50604,
    ),
    "an atomic beside a read": ("InterlockedAdd(t[i][PLACE], t[i][PLACE], old); o[0] = t[i][PLACE] + old;", 21),
    "an atomic in a loop": (
        "for (uint j = 0; j < 2; j++) InterlockedAdd(s[j].t[PLACE], j + 1); o[0] = t0[PLACE] * t1[PLACE];",
        36,
    ),
    "atomics on texel buffers": (
        "RWBuffer<uint> b[2] = { b0, b1 }; InterlockedOr(b[i][1], 8); InterlockedExchange(b[1 - i][0], 2, old);"
        "o[0] = b0[0] * 100 + b1[1] + old * 1000;",
        1208,
    ),
}
"""Name → (statements, the number that they leave in the first element)."""


@pytest.mark.parametrize("optimize", ["none", "performance"])
@pytest.mark.parametrize("name", CASES)
def test_a_local_array(vulkan: Vulkan, name: str, optimize: str) -> None:
    body, expected = CASES[name]
    resources = {
        (0, 0): storage(words(0, 1)),
        (0, 1): image(words(3, 0, 0, 0), "r32u", (2, 2)),
        (0, 2): image(words(7, 0, 0, 0), "r32u", (2, 2)),
        (0, 3): texels(words(1, 0), "r32u", writable=True),
        (0, 4): texels(words(0, 0), "r32u", writable=True),
    }
    out = Runner(vulkan, optimize)(HEADER + body.replace("PLACE", PLACE) + "}", resources)
    assert as_words(out[0, 0])[0] == expected
