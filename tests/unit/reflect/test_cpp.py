"""C++ headers: g++ checks their assertions, and structs filled by member name equal numpy's packed bytes."""

from __future__ import annotations

import pathlib
import random
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import blocks, find_block
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.cpp.identifiers import identifier
from hlsl_tool.reflection.cpp.plan import extent
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.host import pack
from hlsl_tool.reflection.reflection import Reflection, Type
from hlsl_tool.spirv.decode import decode

FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
with_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="no g++ on PATH")

LAYOUTS = ["vulkan", "dx", "gl", "scalar"]


def reflected(source: str, *, facts: bool = True, **options: Any) -> Reflection:
    chosen = CompileOptions(target_env="vulkan1.2", enable_16bit_types=True, validate="no", optimize="none", **options)
    result = compile_shader(source, profile="cs_6_2", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return reflect(decode(result.spirv), result.interface if facts else None)


def build(folder: pathlib.Path, program: str, *, run: bool = True) -> bytes:
    (folder / "main.cpp").write_text(program)
    command = ["g++", *FLAGS, "main.cpp", *(["-o", "main"] if run else ["-fsyntax-only"])]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return subprocess.run(["./main"], cwd=folder, capture_output=True, check=True).stdout if run else b""


# ------------------------------------------------------------------------------------------------- nasty structs

NASTY = """
struct Deep { float3 v; bool on; row_major float2x3 m; };
struct Wide { double d; float tail; };
struct Inner { uint id; Deep deep[2]; Wide wide; float16_t h; };
struct T
{
    float a; float3x3 m; float after;
    float3x3 ms[2]; float close; row_major float4x3 r; float2x2 sq; half3 hs; int16_t i16; uint64_t u64;
    Inner inner[2]; Deep one; float z; Wide wides[3]; float y; bool2 flags[2]; float arr[3]; float x;
    int2x3_t ints; float4x1 column; float1x3 row; double3 ds; float2 pairs[2][2]; float last;
};
"""
NASTY = NASTY.replace("int2x3_t", "row_major int2x3")
SHADERS = {
    "constants": "ConstantBuffer<T> b; RWStructuredBuffer<float> o; void touch() { o[0] = b.last + b.inner[1].h; }",
    "elements": "RWStructuredBuffer<T> b; void touch() { b[0].last = b[1].m[2][1]; }",
}
MAIN = "[numthreads(1, 1, 1)] void main() { touch(); }"


@with_compiler
@pytest.mark.parametrize("facts", [True, False], ids=["ours", "foreign"])
@pytest.mark.parametrize("kind", SHADERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_filled_structs_are_what_numpy_packs(layout: str, kind: str, facts: bool, tmp_path: pathlib.Path) -> None:
    found = reflected(NASTY + SHADERS[kind] + MAIN, layout=layout, facts=facts)
    (tmp_path / "t.hpp").write_text(cpp_header(found, namespace="engine::nasty"))
    block = find_block(found, "b")
    t = block.type if block.tail is None else block.element
    assert t is not None
    rng = random.Random(f"{layout}{kind}")
    values, lines = fill(t, "v", rng)
    body = "\n    ".join(lines)
    program = f"""#include "t.hpp"
#include <cstdio>
#include <cstring>
int main() {{
    engine::nasty::T v;
    std::memset(&v, 0, sizeof v);
    {body}
    std::fwrite(&v, 1, sizeof v, stdout);
}}
"""
    out = build(tmp_path, program)
    packed = pack(block, values if block.tail is None else [values])
    assert out[: len(packed)] == packed
    assert set(out[len(packed) :]) <= {0}
    if block.tail is not None:
        assert len(out) == block.stride


def fill(t: Type, place: str, rng: random.Random, hlsl: str = "") -> tuple[Any, list[str]]:
    """Return (values for numpy, C++ statements that assign the same values)."""
    if t.kind == "struct":
        values, lines = {}, []
        for m in t.members:
            values[m.name], more = fill(m.type, f"{place}.{m.name}", rng, m.hlsl.get("type", ""))
            lines += more
        return values, lines
    if t.kind == "array":
        assert t.element is not None
        parts = [fill(t.element, f"{place}[{i}]", rng, hlsl) for i in range(t.count or 0)]
        return [values for values, _ in parts], [line for _, more in parts for line in more]
    if t.kind == "matrix":
        rows = [[float(rng.randrange(1000)) for _ in range(t.columns)] for _ in range(t.rows)]
        lines = []
        for r, row in enumerate(rows):
            for c, number in enumerate(row):
                index = f"[{c}][{r}]" if t.majorness == "column_major" else f"[{r}][{c}]"
                lines.append(f"{place}{index} = {number}f;")
        return rows, lines
    if t.kind == "vector":
        numbers = [scalar(t.component, hlsl, rng) for _ in range(t.columns)]
        return [v for v, _ in numbers], [f"{place}[{i}] = {text};" for i, (_, text) in enumerate(numbers)]
    value, text = scalar(t.name, hlsl, rng)
    return value, [f"{place} = {text};"]


def scalar(name: str, hlsl: str, rng: random.Random) -> tuple[Any, str]:
    if hlsl.startswith("bool"):
        number = rng.randrange(2)
        return number, str(number)
    number = rng.randrange(1, 9)
    if name == "float16_t":
        return 1.0, "0x3c00"
    if name in ("float", "double"):
        return float(number), f"{number}.0{'f' if name == 'float' else ''}"
    return number, str(number)


# -------------------------------------------------------------------------------------------------- random structs


def random_struct(rng: random.Random, depth: int = 0) -> Iterator[str]:
    for i in range(rng.randrange(2, 8)):
        dims = "".join(f"[{rng.randrange(1, 4)}]" for _ in range(rng.choice((0, 0, 0, 1, 1, 2))))
        major = rng.choice(("row_major ", "column_major "))
        kind = rng.randrange(5)
        scalar_name = rng.choice(("float", "int", "uint", "bool", "double", "int64_t", "half", "uint16_t"))
        if kind == 0:
            text = scalar_name
        elif kind == 1:
            text = f"{scalar_name}{rng.randrange(2, 5)}"
        elif kind == 2:
            text = f"{major}float{rng.randrange(2, 5)}x{rng.randrange(2, 5)}"
        elif kind == 3:
            text = f"{major}half{rng.randrange(2, 5)}x{rng.randrange(2, 5)}"
        else:
            text = f"S{depth}" if depth else "float"
        yield f"{text} m{i}{dims};"


@with_compiler
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_structs(layout: str, tmp_path: pathlib.Path) -> None:
    """Every assertion in the headers of random structs holds."""
    includes = []
    for number in range(30):
        rng = random.Random(f"{layout} {number}")
        inner, middle, outer = (" ".join(random_struct(rng, depth)) for depth in (0, 1, 2))
        source = (
            f"struct S1 {{ {inner} }}; struct S2 {{ {middle} }}; struct T {{ {outer} }};\n"
            "ConstantBuffer<T> a; RWStructuredBuffer<T> b; StructuredBuffer<S2> c; RWByteAddressBuffer o;\n"
            "[numthreads(1, 1, 1)] void main() { b[0] = a; o.Store(0, c.Load(1)); }"
        )
        header = cpp_header(reflected(source, layout=layout), namespace=f"n{number}")
        (tmp_path / f"h{number}.hpp").write_text(header)
        includes.append(f'#include "h{number}.hpp"')
    build(tmp_path, "\n".join(includes) + "\n", run=False)


# ------------------------------------------------------------------------------------------------------ the rest


@with_compiler
def test_constants_and_names(tmp_path: pathlib.Path) -> None:
    source = """
struct class_ { float x; };
struct Light { float2 x; };
namespace A { struct S { float namespace_; float min; }; }
namespace B { struct S { float2 y; float long__x; float _; }; }
cbuffer Frame : register(b2, space1) { A::S a; B::S b; float padding0; float3 padding1; float private_; Light Light; };
StructuredBuffer<A::S> near : register(t3); Texture2D<float4> unbounded[] : register(t9);
[[vk::constant_id(7)]] const int QUALITY = 3; [[vk::constant_id(9)]] const float SCALE = 1.5;
RWStructuredBuffer<float4> o : register(u0);
[numthreads(8, 4, 1)] void main(uint3 i : SV_DispatchThreadID) {
    o[0] = padding0 + b.y.x + near[1].min * QUALITY * SCALE * Light.x.y + unbounded[NonUniformResourceIndex(i.x)][i.xy];
}"""
    (tmp_path / "t.hpp").write_text(cpp_header(reflected(source), namespace="a b::class"))
    program = """#include "t.hpp"
namespace n = a_b::class_;
static_assert(n::bindings::Frame.set == 1 && n::bindings::Frame.binding == 2 && n::bindings::Frame.count == 1, "");
static_assert(n::bindings::near_.binding == 3 && n::bindings::unbounded.count == 0, "");
static_assert(n::constants::QUALITY == 7 && n::constants::SCALE == 9, "");
static_assert(n::entry_points::main_workgroup_size[1] == 4, "");
static_assert(sizeof(n::S::min) == 4 && sizeof(n::S_Frame::y) == 8 && sizeof(n::S_Frame::long_x) == 4, "");
static_assert(sizeof(n::Frame::private_) == 4 && sizeof(n::Frame::padding0) == 4, "");
static_assert(sizeof(n::Light) == 8 && offsetof(n::Frame, Light_.x) > 0, "");
"""
    build(tmp_path, program, run=False)


def test_identifiers() -> None:
    names = {
        "type.$Globals": "type_Globals",
        "class": "class_",
        "9lives": "n9lives",
        "a__b": "a_b",
        "ü": "unnamed",
        "_Reserved": "Reserved",
        "x_": "x_",
    }
    assert {name: identifier(name) for name in names} == names


def test_bit_fields_share_a_member() -> None:
    found = reflected(
        "struct F { uint a : 5; uint b : 11; int c; }; RWStructuredBuffer<F> f;\n"
        "[numthreads(1, 1, 1)] void main() { f[0].c = f[1].b; }"
    )
    assert "    std::uint32_t a_b;  // a : 5 at bit 0, b : 11 at bit 5\n" in cpp_header(found)


def test_members_that_overlap_are_left_out() -> None:
    source = """struct E { [[vk::offset(0)]] float4 all; [[vk::offset(4)]] float part; [[vk::offset(16)]] float c; };
    ConstantBuffer<E> e; RWStructuredBuffer<float> o; [numthreads(1, 1, 1)] void main() { o[0] = e.part + e.c; }"""
    header = cpp_header(reflected(source))
    assert "    // part lies at 4, over other members\n" in header
    assert "offsetof(E, c) == 16" in header
    assert "offsetof(E, part)" not in header


def test_headers_are_the_same_again() -> None:
    source = NASTY + SHADERS["elements"] + MAIN
    assert cpp_header(reflected(source)) == cpp_header(reflected(source))
    assert len(list(blocks(reflected(source)))) == 1


def test_a_struct_ends_at_a_multiple_of_its_alignment() -> None:
    source = (
        "struct N { double wide; float narrow; }; struct M { float3 a; }; struct H { float16_t h; };"
        "StructuredBuffer<N> n; StructuredBuffer<M> m; StructuredBuffer<H> h; RWStructuredBuffer<float> o;"
        "[numthreads(1, 1, 1)] void main() { o[0] = n[0].narrow + m[0].a.x + h[0].h; }"
    )
    options = CompileOptions(layout="scalar", enable_16bit_types=True)
    result = compile_shader(source, profile="cs_6_2", options=options)
    elements = {r.name: r.type.members[0].type.element for r in result.reflect().resources if r.name in "nmh"}
    assert {name: extent(t) for name, t in elements.items() if t is not None} == {"n": 16, "m": 12, "h": 2}
