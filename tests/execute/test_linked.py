"""A shader that is linked with a library computes the same as one that includes it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hlsl_tool import CompileOptions, CompileResult, compile_shader, link
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from tests.execute.vulkan import Instance, Tables, Vulkan, scene, storage

HEAD = """
RWStructuredBuffer<float> o : register(u0);
#ifdef INCLUDED
#include "library.hlsl"
#else
{declarations}
#endif
"""

CASES = {
    "directions of parameters": (
        "float f(float a, inout float b, out float c);",
        "export float f(float a, inout float b, out float c) { a *= 2; b += a; c = a * b; return a + b; }",
        "float x = 3, y = 4, z; o[0] = f(x, y, z); o[1] = x; o[2] = y; o[3] = z;",
        (16, 3, 10, 60),
    ),
    "structs with arrays": (
        "struct S { float x[3]; int2 n; }; S twice(S s); void add(inout S s[2], S t);",
        "struct S { float x[3]; int2 n; };"
        "export S twice(S s) { for (int i = 0; i < 3; i++) s.x[i] *= 2; s.n = s.n.yx; return s; }"
        "export void add(inout S s[2], S t) { s[1].x[2] += t.x[0]; s[0].n.x = t.n.y; }",
        "S s = { 1, 2, 3, 4, 5 }; S t[2] = { twice(s), s }; add(t, s);"
        " o[0] = t[0].x[2]; o[1] = t[0].n.x; o[2] = t[1].x[2]; o[3] = t[1].n.x;",
        (6, 5, 4, 4),
    ),
    "overloads and namespaces": (
        "float f(float x); float f(float2 x); namespace n { float f(float x); namespace m { float f(float x); } }",
        "export float f(float x) { return x + 1; } export float f(float2 x) { return x.x * x.y; }"
        "namespace n { export float f(float x) { return x + 10; }"
        " namespace m { export float f(float x) { return x + 100; } } }",
        "o[0] = f(1.0); o[1] = f(float2(2, 3)); o[2] = n::f(1); o[3] = n::m::f(1);",
        (2, 6, 11, 101),
    ),
    "initialised variables": (
        "float next(); float from_table(uint i);",
        "static float state = 5; static const float table[4] = { 1, 2, 4, 8 }; static float last = table[3] * state;"
        "export float next() { static float calls = 100; calls += 1; state += 1; return state + calls; }"
        "export float from_table(uint i) { return table[i & 3] + last; }",
        "o[0] = next(); o[1] = next(); o[2] = from_table(2); o[3] = from_table(uint(o[4]));",
        (107, 109, 44, 41),
    ),
    "initial values that another library computes": (
        "float next();",
        "float half_of(float x); static float state = half_of(8) + 1;"
        " export float next() { state += 1; return half_of(state); }",
        "o[0] = next(); o[1] = next(); o[2] = 0; o[3] = 0;",
        (3, 3.5, 0, 0),
    ),
    "groupshared memory": (
        "groupshared float g[4]; void put(uint i, float v); float sum();",
        "groupshared float g[4]; export void put(uint i, float v) { g[i] = v; g[0] += v; }"
        "export float sum() { float s = 0; for (int i = 0; i < 4; i++) s += g[i]; return s; }",
        "g[0] = 1; g[1] = 2; g[3] = 0; put(2, 4); o[0] = sum(); o[1] = g[0]; put(3, g[2]); o[2] = sum(); o[3] = g[3];",
        (11, 5, 19, 4),
    ),
    "memory that the caller passes and the library names": (
        "groupshared float g[2]; void f(inout float a[2]); void h(inout float a);",
        "groupshared float g[2]; RWStructuredBuffer<float> o : register(u0);"
        "export void f(inout float a[2]) { a[0] += 1; g[0] += 10; a[0] += g[0]; }"
        "export void h(inout float a) { a += 1; o[1] += 10; a += o[1]; }",
        "g[0] = 1; f(g); o[0] = g[0]; o[1] = 2; h(o[1]); o[2] = 0; o[3] = 0;",
        (13, 15, 0, 0),
    ),
    "resources as arguments": (
        "void store(RWStructuredBuffer<float> b, uint i, float v); float load(RWStructuredBuffer<float> b, uint i);"
        " struct R { RWStructuredBuffer<float> b; uint at; }; void through(R r);",
        "struct R { RWStructuredBuffer<float> b; uint at; };"
        "export void store(RWStructuredBuffer<float> b, uint i, float v) { b[i] = v; }"
        "export float load(RWStructuredBuffer<float> b, uint i) { return b[i]; }"
        "export void through(R r) { r.b[r.at] = 7; }",
        "store(o, 0, 3); store(o, 1, load(o, 0) + 1); R r = { o, 2 }; through(r);"
        " RWStructuredBuffer<float> p = o; store(p, 3, load(p, 2));",
        (3, 4, 7, 7),
    ),
    "arrays of structs with resources": (
        "struct R { RWStructuredBuffer<float> b; uint at; }; struct N { R r[2]; };"
        " float sum(R r[2]); float at(N n, uint i);",
        "struct R { RWStructuredBuffer<float> b; uint at; }; struct N { R r[2]; };"
        "export float sum(R r[2]) { float s = 0; for (int i = 0; i < 2; i++) s += r[i].b[r[i].at]; return s; }"
        "export float at(N n, uint i) { return n.r[i].b[n.r[i].at]; }",
        "R r[2] = { o, 1, o, 2 }; N n; n.r[0] = r[0]; n.r[1] = r[1]; o[1] = 3; o[2] = 4; o[0] = sum(r);"
        " o[3] = at(n, uint(o[4]) + 1);",
        (7, 3, 4, 4),
    ),
    "a resource of both": (
        "float third();",
        "RWStructuredBuffer<float> o : register(u0); export float third() { o[3] = 8; return o[2]; }",
        "o[2] = 5; o[0] = third(); o[1] = 1;",
        (5, 1, 5, 8),
    ),
    "libraries that call each other's functions": (
        "float even(uint n); float half_of(float x);",
        "float half_of(float x); export float even(uint n) { return half_of(n * 2.0) + half_of(n); }",
        "o[0] = even(2); o[1] = half_of(9); o[2] = 0; o[3] = 0;",
        (3, 4.5, 0, 0),
    ),
    "control flow and intrinsics": (
        "float f(float x, int n); uint lane(); float2x3 m(float3x2 a);",
        "export float f(float x, int n) { [loop] for (int i = 0; i < n; i++) { if (x > 10) return x; x *= 2; }"
        " switch (n) { case 1: return -x; default: break; } return pow(x, 2); }"
        "export uint lane() { return WaveGetLaneCount() > 0 ? 1 : 0; }"
        "export float2x3 m(float3x2 a) { return transpose(a); }",
        "o[0] = f(3, 4); o[1] = f(1, 1); o[2] = lane(); o[3] = m(float3x2(1, 2, 3, 4, 5, 6))[1][2];",
        (12, -2, 1, 6),
    ),
    "matrices in both orders": (
        "row_major float2x3 r(row_major float2x3 a, column_major float2x3 b); struct M { row_major float2x3 a; };"
        " float at(M m, int i);",
        "export row_major float2x3 r(row_major float2x3 a, column_major float2x3 b) { return a * 10 + b; }"
        "struct M { row_major float2x3 a; }; export float at(M m, int i) { return m.a[1][i]; }",
        "float2x3 a = float2x3(1, 2, 3, 4, 5, 6); float2x3 b = r(a, a); M m = { b };"
        " o[0] = b[0][1]; o[1] = b[1][0]; o[2] = at(m, 2); o[3] = 0;",
        (22, 44, 66, 0),
    ),
}
OUTPUT = "RWStructuredBuffer<float> o : register(u0);"
SECOND = "static float divisor = 1; export float half_of(float x) { divisor += 1; return x / (divisor > 1 ? 2 : 1); }"


def shader(name: str, declarations: str, statements: str) -> SourceFile:
    text = HEAD.format(declarations=declarations) + f"[numthreads(1, 1, 1)] void main() {{ {statements} }}"
    return SourceFile.from_bytes(name, f"/{name}", text.encode())


def values(vulkan: Vulkan, result: CompileResult) -> Sequence[float]:
    assert result.ok, [d.message for d in result.diagnostics]
    seen = vulkan.run_compute(result.spirv, {(0, 0): storage(bytes(32))})
    return struct.unpack("<4f", seen[0, 0][:16])


@pytest.mark.parametrize("optimize", ["none", "performance"])
@pytest.mark.parametrize("case", CASES)
def test_linked_and_included_are_equal(case: str, optimize: str, vulkan: Vulkan) -> None:
    declarations, library, statements, expected = CASES[case]
    source = shader("shader.hlsl", declarations, statements)
    options = CompileOptions(target_env="vulkan1.1", optimize=optimize)
    files = MemoryFileSystem({"/library.hlsl": library, "/second.hlsl": SECOND})

    libraries = ("/library.hlsl", "/second.hlsl")
    linked = compile_shader(source, profile="cs_6_2", options=replace(options, libraries=libraries), fs=files)
    assert values(vulkan, linked) == expected

    whole = MemoryFileSystem({"/library.hlsl": SECOND + library.replace(OUTPUT, "")})
    included = replace(options, defines=(("INCLUDED", None),))
    assert values(vulkan, compile_shader(source, profile="cs_6_2", options=included, fs=whole)) == expected

    main = source.text.replace("[numthreads", '[shader("compute")] [numthreads')
    texts = (main, library, SECOND)
    modules = [compile_shader(text, profile="lib_6_3", entry="", options=options).spirv for text in texts]
    assert values(vulkan, link(modules, options=options)) == expected


def test_overloads_that_are_equal_in_spirv(vulkan: Vulkan) -> None:
    """`half` is `float`, and enumerations are integers: the strings of a module tell such overloads apart."""
    types = ("half", "float", "min16float", "int", "min16int", "E", "F")
    heads = "enum E { X }; enum F { Y };" + "".join(f" float f({t} x); float g({t} x);" for t in types)
    library = heads + "".join(f"export float f({t} x) {{ return g(x); }}" for t in types)
    second = heads + "".join(f"export float g({t} x) {{ return {i}; }}" for i, t in enumerate(types, 1))
    digits = [" + ".join(f"{10**i} * f(({t})0)" for i, t in enumerate(part)) for part in (types[:4], types[4:])]
    source = shader("shader.hlsl", heads, f"o[0] = {digits[0]}; o[1] = {digits[1]}; o[2] = o[3] = 0;")
    files = MemoryFileSystem({"/library.hlsl": library, "/second.hlsl": second})
    options = CompileOptions(libraries=("/library.hlsl", "/second.hlsl"))
    linked = compile_shader(source, profile="cs_6_2", options=options, fs=files)
    assert values(vulkan, linked) == (4321, 765, 0, 0)

    main = source.text.replace("[numthreads", '[shader("compute")] [numthreads')
    modules = [compile_shader(text, profile="lib_6_3", entry="").spirv for text in (main, library, second)]
    assert values(vulkan, link(modules)) == (4321, 765, 0, 0)
    both = link(modules[1:])
    assert both.ok
    assert values(vulkan, link([modules[0], both.spirv])) == (4321, 765, 0, 0)

    bare = decode(modules[1])
    bare.sources.clear()
    repeated = link([encode(bare), "/second.hlsl"], fs=files)
    assert {d.code.id for d in repeated.diagnostics} == {"HLSL0891"}
    assert "link the sources" in (repeated.diagnostics[0].hint or "")


RAY_LIBRARY = """
struct [raypayload] Payload { float x : write(caller, closesthit, miss) : read(caller); };
RaytracingAccelerationStructure scene : register(t0);
export float traced(float x, float3 direction) {
  Payload p; p.x = 0;
  RayDesc ray;
  ray.Origin = float3(x, 0.25, 0); ray.Direction = direction; ray.TMin = 0; ray.TMax = 100;
  TraceRay(scene, 0, 0xff, 0, 1, 0, ray, p);
  return p.x;
}
export float reached() { return RayTCurrent() + RayTMin(); }
"""
RAY_PROGRAM = """
struct [raypayload] Payload { float x : write(caller, closesthit, miss) : read(caller); };
RWStructuredBuffer<float> o : register(u1);
float traced(float x, float3 direction);
float reached();
[shader("raygeneration")] void start() {
  uint i = DispatchRaysIndex().x;
  o[i] = traced(4 * i, float3(0, 0, 1));
}
[shader("miss")] void sky(inout Payload p) { p.x = -1; }
[shader("closesthit")] void near(inout Payload p, BuiltInTriangleIntersectionAttributes a) { p.x = reached(); }
"""


@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_rays_from_a_library(optimize: str, vulkan: Vulkan) -> None:
    options = CompileOptions(target_env="vulkan1.2", optimize=optimize)
    files = MemoryFileSystem({"/a.hlsl": RAY_PROGRAM, "/b.hlsl": RAY_LIBRARY})
    linked = link(["/a.hlsl", "/b.hlsl"], options=options, fs=files)
    assert linked.ok, [d.message for d in linked.diagnostics]
    hit = {"closest": "near"}
    tables = Tables(raygen=("start",), miss=("sky",), hit=(hit, hit))
    geometry = scene(
        Instance(triangles=(-1, -1, 5, -1, 3, 5, 3, -1, 5), number=1),
        Instance(triangles=(7, -1, 3, 7, 3, 3, 11, -1, 3), number=2, hit_group=1),
    )
    out = vulkan.run_tracing(linked.spirv, tables, {(0, 0): geometry, (0, 1): storage(12)}, (3, 1, 1))
    assert struct.unpack("<3f", out[0, 1]) == (5, -1, 3)


SHORT_LIBRARY = """
RWByteAddressBuffer bytes : register(u0);
export void store(half x) { bytes.Store(2, x); }
export void store_there(RWByteAddressBuffer buffer, uint at, uint16_t x) { buffer.Store(at, x); }
[shader("compute")] [numthreads(1, 1, 1)] void other() { store(1); }
"""
SHORT_PROGRAM = """
RWByteAddressBuffer bytes : register(u0);
void store(half x);
void store_there(RWByteAddressBuffer buffer, uint at, uint16_t x);
[shader("compute")] [numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
  if (i == 0) store(1.5);
  store_there(bytes, 4 + 2 * i, (uint16_t)(7 + i));
}
"""


@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_short_stores_of_modules(optimize: str, vulkan: Vulkan) -> None:
    """Pointers to 16 bits of a buffer are not valid before the link; they may start at a parameter."""
    options = CompileOptions(target_env="vulkan1.2", optimize=optimize, enable_16bit_types=True)
    texts = (SHORT_LIBRARY, SHORT_PROGRAM)
    modules = [compile_shader(text, profile="lib_6_3", entry="", options=options).spirv for text in texts]
    linked = link(modules, entry="main", options=options)
    assert linked.ok, [d.message for d in linked.diagnostics]
    seen = vulkan.run_compute(linked.spirv, {(0, 0): storage(bytes(8))})
    assert struct.unpack("<HeHH", seen[0, 0]) == (0, 1.5, 7, 8)
