"""Keys of stored results: valid results are found, invalid ones are not; found ones equal those of a compilation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.reach import ReachMemory, reached_tokens
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, preprocess
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.frontend.syntax.parser import parse
from hlsl_tool.reflection.emit_json import reflection_json

COMMON = """\
#pragma once
struct Light { float4 color; float range; };
cbuffer Frame : register(b0) { float4x4 view; Light sun; };
cbuffer Unused : register(b1) { float4 nothing; };
Texture2D<float4> albedo;
SamplerState linearly;
#define SCALE 2.0
float unreached(float x) { return x * 3; }
float inner(float x) { return x * SCALE; }
float used(float x) { float narrow = float2(x, 1); return inner(x) + narrow; }
namespace tools { float spare(float x) { return x + 4; } float kept(float x) { return x + 5; } }
struct Helper { float a; float method() { return a + 6; } float other() { return a + 7; } };
"""
MAIN = """\
#include "common.hlsli"
float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    Helper h; h.a = uv.x;
    return albedo.Sample(linearly, uv) * used(uv.y) * sun.color + tools::kept(uv.x) + h.method();
}
"""
OPTIONS = CompileOptions(optimize="none", validate="no")


class Results:
    """A store of results in memory, key → (JSON, SPIR-V)."""

    def __init__(self) -> None:
        self.salt = "toolchain 1"
        self.data: dict[str, tuple[str, bytes]] = {}

    def get(self, key: str) -> tuple[Any, bytes] | None:
        found = self.data.get(key)
        return (json.loads(found[0]), found[1]) if found is not None else None

    def put(self, key: str, datum: Any, spirv: bytes) -> None:
        self.data[key] = json.dumps(datum), spirv


class World:
    def __init__(self) -> None:
        self.files: dict[str, str] = {"/main.hlsl": MAIN, "/common.hlsli": COMMON}
        self.options = OPTIONS
        self.results = Results()
        self.main = "/main.hlsl"

    def edit(self, old: str, new: str, name: str = "/common.hlsli") -> None:
        assert old in self.files[name]
        self.files[name] = self.files[name].replace(old, new)

    def compile(self) -> CompileResult:
        """Compile with the stored results; check that the result equals that of a compilation without any caches."""
        found = self.once(self.results)
        fresh = self.once(None)
        assert found.ok == fresh.ok
        assert found.spirv == fresh.spirv
        assert found.diagnostics == fresh.diagnostics
        assert [(f.name, f.data) for f in found.trace.files] == [(f.name, f.data) for f in fresh.trace.files]
        if found.ok:
            assert reflection_json(found.spirv, found.interface) == reflection_json(fresh.spirv, fresh.interface)
            found.interface.locate()
            fresh.interface.locate()
            assert [r.place for r in found.interface.resources] == [r.place for r in fresh.interface.resources]
            for one, other in ((found, fresh), (fresh, found)):
                assert replace(one.interface, blocks=[]) == replace(other.interface, blocks=[])
        return found

    def once(self, results: Results | None) -> CompileResult:
        fs = MemoryFileSystem(self.files)
        source = SourceFile.from_bytes(self.main[1:], self.main, self.files[self.main].encode())
        return compile_shader(source, profile="ps_6_0", options=self.options, fs=fs, memory=Memory(), results=results)


@pytest.fixture
def world() -> World:
    found = World()
    assert found.compile().reused == ""
    assert found.compile().reused == "tokens"
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("struct Light {", "// a comment\n\n\nstruct Light\n{"),
        ("#define SCALE 2.0", "#define SCALE /* twice */ 2.0"),
        ("#define SCALE 2.0", "#define SCALE 2.0\n#define UNASKED 1"),
        ("#define SCALE 2.0", "#define SCALE TWO\n#define TWO 2.0"),
        ("struct Light", "#if 0\nint left_out;\n#endif\nstruct Light"),
        ("struct Light", '#line 100 "elsewhere.hlsl"\nstruct Light'),
        ("struct Light", "#pragma region lights\n#pragma endregion\nstruct Light"),
    ],
)
def test_equal_tokens_are_one_result(world: World, old: str, new: str) -> None:
    world.edit(old, new)
    assert world.compile().reused == "tokens"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * 3", "x * 3.5 + x"),
        ("float unreached(float x)", "float4 renamed(float4 x)"),
        ("float unreached(float x) { return x * 3; }", ""),
        ("float inner", "float added(float y) { return y; }\nfloat inner"),
        ("x + 4", "x + 40"),
        ("a + 7", "a + 70"),
        ("x * 3;", "x * float2(3, 4);"),
    ],
)
def test_edits_of_unreached_code_allow_reuse(world: World, old: str, new: str) -> None:
    world.edit(old, new)
    assert world.compile().reused == "reach"
    assert world.compile().reused == "tokens"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * SCALE", "x + SCALE"),
        ("#define SCALE 2.0", "#define SCALE 4.0"),
        ("x + 5", "x + 50"),
        ("a + 6", "a + 60"),
        ("float4 color; float range;", "float range; float4 color;"),
        ("float4x4 view;", "row_major float4x4 view;"),
        ("float4 nothing;", "float4 nothing, more;"),
        ("cbuffer Unused : register(b1) { float4 nothing; };", ""),
        ("Texture2D<float4> albedo", "Texture2D<float4> before; Texture2D<float4> albedo"),
        ("cbuffer Frame", "#pragma pack_matrix(row_major)\ncbuffer Frame"),
        ("= float2(x, 1);", "= x;"),
        ("struct Light", '#pragma dxc diagnostic ignored "-Wvector-truncation"\nstruct Light'),
        ("float inner(", "float used(int x) { return 9; }\nfloat inner("),
        ("float inner(float x) {", "float inner(float x) { [unroll] for (int i = 0; i < 2; ++i) x += i;"),
    ],
)
def test_edits_that_can_change_the_result_prevent_reuse(world: World, old: str, new: str) -> None:
    world.edit(old, new)
    assert world.compile().reused == ""
    assert world.compile().reused == "tokens"


@pytest.mark.parametrize(
    "options",
    [
        {"target_env": "vulkan1.1"},
        {"layout": "scalar"},
        {"shift_t": ((10, 0),)},
        {"no_warnings": True},
        {"optimize": "performance"},
        {"warnings": ("everything",)},
        {"matrix_layout": "row_major"},
        {"debug": ("line",)},
        {"hlsl_version": 2018},
        {"entry_point_name": "other"},
    ],
)
def test_every_option_counts(world: World, options: dict[str, Any]) -> None:
    world.options = replace(OPTIONS, **options)
    assert world.compile().reused == ""
    assert world.compile().reused == "tokens"


def test_the_toolchain_counts(world: World) -> None:
    world.results.salt = "toolchain 2"
    assert world.compile().reused == ""


def test_macros_count_as_far_as_they_do_something(world: World) -> None:
    world.options = replace(OPTIONS, defines=(("NOBODY_ASKS", "1"),))
    assert world.compile().reused == "tokens"
    world.options = replace(OPTIONS, defines=(("albedo", "other"),))
    assert world.compile().reused == ""


def test_a_header_and_a_source_that_move(world: World) -> None:
    world.files["/lib/common.hlsli"] = world.files.pop("/common.hlsli")
    world.options = replace(OPTIONS, include_dirs=("/lib",))
    assert world.compile().reused == "tokens"
    world.files["/sub/renamed.hlsl"] = world.files["/main.hlsl"]
    world.main = "/sub/renamed.hlsl"
    assert world.compile().reused == "tokens"


def test_debug_lines_count(world: World) -> None:
    world.options = replace(OPTIONS, debug=("line",))
    world.compile()
    world.edit("struct Light", "// one line more\nstruct Light")
    assert world.compile().reused == ""
    world.edit("x * 3", "x * 4")
    assert world.compile().reused == ""
    assert world.compile().reused == "tokens"
    world.options = replace(world.options, defines=(("NOBODY_ASKS", "1"),))
    assert world.compile().reused == ""


def test_an_error_in_what_is_not_reached_is_one(world: World) -> None:
    world.edit("x * 3", "nonsense")
    found = world.compile()
    assert not found.ok
    assert [d.code.name for d in found.diagnostics if d.severity == "error"] == ["undeclared-identifier"]
    world.edit("nonsense", "x * 3")
    assert world.compile().reused == "tokens"


def test_an_error_is_never_a_result(world: World) -> None:
    world.edit("x * SCALE", "nonsense")
    before = len(world.results.data)
    assert not world.compile().ok
    assert not world.compile().ok
    assert len(world.results.data) == before


def test_reused_warnings_have_their_current_lines(world: World) -> None:
    def line() -> int:
        [warning] = world.compile().diagnostics
        assert warning.location is not None
        return warning.location.line

    first = line()
    world.edit("float inner", "\n\n// two lines more, and one\nfloat inner")
    assert line() == first + 3


def test_nonsense_under_a_key_is_a_miss(world: World) -> None:
    for key, (_, spirv) in world.results.data.items():
        world.results.data[key] = '{"messages": [{"code": "HLSL9999"}], "interface": {}}', spirv
    assert world.compile().reused == ""


# ------------------------------------------------------------------------------------------------------------- reach


def kept(text: str, *roots: str) -> str:
    fs = MemoryFileSystem({})
    source = SourceFile.from_bytes("a.hlsl", "/a.hlsl", text.encode())
    sink = Sink()
    stream = preprocess(source, PreprocessOptions(), fs=fs, memory=PreprocessorMemory(), sink=sink)
    unit = parse(stream, memory=SyntaxMemory(), sink=sink)
    assert sink.ok
    found = reached_tokens(unit.chunks, unit.bases, roots, ReachMemory())
    indices = [found.index(number) for number in range(found.count)]
    assert None not in indices
    for number, index in enumerate(indices):
        assert index is not None
        assert found.number(index) == number
        assert found.before(index) == number
    for index in set(range(len(stream.tokens))).difference(i for i in indices if i is not None):
        assert found.number(index) is None
    assert found.index(found.count) is None
    assert found.before(len(stream.tokens)) == found.count
    return " ".join(stream.tokens[index] for index in indices if index is not None)


@pytest.mark.parametrize(("text", "expected"), [
    ("void g() {} void f() { g(); }", "void g ( ) { } void f ( ) { g ( ) ; }"),
    ("void g() {} void f() {}", "void f ( ) { }"),
    ("void g(); void g() {} void f() {}", "void g ( ) ; void f ( ) { }"),
    ("int h() { return 1; } static int x = h(); void f() {}",
     "int h ( ) { return 1 ; } static int x = h ( ) ; void f ( ) { }"),
    ('void g() {} [patchconstantfunc("g")] void f() {}',
     'void g ( ) { } [ patchconstantfunc ( "g" ) ] void f ( ) { }'),
    ("template<typename T> T g(T x) { return x; } void f() {}", "void f ( ) { }"),
    ("struct S { void g() { h(); } int operator+(int x) { return x; } }; void f() {}",
     "struct S { void g ( ) int operator + ( int x ) { return x ; } } ; void f ( ) { }"),
    ("namespace N { void g() {} namespace M { void k() {} } } void f() { N::M::k(); }",
     "namespace N { void g ( ) namespace M { void k ( ) { } } } void f ( ) { N :: M :: k ( ) ; }"),
    ('[shader("compute")] [numthreads(1, 1, 1)] void g() {} export void k() {} void f() {}',
     '[ shader ( "compute" ) ] [ numthreads ( 1 , 1 , 1 ) ] void g ( ) { } export void k ( ) { } void f ( ) { }'),
])  # fmt: skip
def test_only_mentioned_declarations_are_kept(text: str, expected: str) -> None:
    assert kept(text, "f") == expected
