"""Top-level declarations that shaders have in common are looked up by the declarations before them."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.frontend.sema import analysis
from hlsl_tool.frontend.sema.scope import prefixes
from hlsl_tool.frontend.sema.scope.prefixes import Prefixes
from tests.interpreted import replaces_functions

OPTIONS = CompileOptions(optimize="none", validate="no")
HEADER = """
struct Light { float3 color; };
static const float SCALE = 2;
float3 scaled(Light light) { return light.color * SCALE; }
"""
STATIC = "struct S { static float k; };\n"
SPECIAL = """
template<typename T> float f(T x) { return 1; }
template<typename T> float g(T x) { return f(x); }
template<> float f<float>(float x) { return 2; }
"""
MAIN = "float4 main(float3 c : C) : SV_Target { %s }\n"


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each analysis of a declaration adds its first two words."""
    names: list[str] = []
    check = analysis._check

    def spy(chunk, *others):  # type: ignore[no-untyped-def]
        names.append(" ".join(chunk.tokens[:2]))
        return check(chunk, *others)

    monkeypatch.setattr(analysis, "_check", spy)
    return names


def shader(text: str, memory: Memory, body: str = "return 0;") -> bytes:
    result = compile_shader(text + MAIN % body, profile="ps_6_0", options=OPTIONS, memory=memory)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


@replaces_functions
def test_equal_first_declarations_are_followed(checked: list[str]) -> None:
    memory = Memory()
    shader(HEADER, memory)
    assert checked == ["struct Light", "static const", "float3 scaled", "float4 main"]
    checked.clear()
    body = "Light l; l.color = c; return scaled(l).xyzz;"
    shared = shader(HEADER, memory, body)
    assert checked == ["float4 main"]
    assert shared == shader(HEADER, Memory(), body)


@replaces_functions
def test_what_follows_another_declaration_is_looked_up_by_its_names(checked: list[str]) -> None:
    memory = Memory()
    shader(HEADER, memory)
    checked.clear()
    shader("static const int OTHER = 1;" + HEADER, memory)
    assert checked == ["static const", "struct Light", "static const", "float3 scaled", "float4 main"]


@replaces_functions
def test_other_language_options_are_another_beginning(checked: list[str]) -> None:
    memory = Memory()
    for profile in ("ps_6_0", "ps_6_9"):
        assert compile_shader(HEADER + MAIN % "return 0;", profile=profile, options=OPTIONS, memory=memory).ok
    assert len(checked) == 8


@replaces_functions
def test_a_packing_pragma_is_another_declaration(checked: list[str]) -> None:
    memory = Memory()
    block = "cbuffer B { float2x3 m; };\n"
    body = "return float4(m[1], c.x);"
    modules = [shader(pragma + block, memory, body) for pragma in ("", "#pragma pack_matrix(row_major)\n")]
    assert modules[0] != modules[1] == shader("#pragma pack_matrix(row_major)\n" + block, Memory(), body)


@replaces_functions
@pytest.mark.parametrize(
    ("text", "body"),
    [(STATIC + "float S::k = 1;\n", "return S::k;"), (SPECIAL, "return g(c.x);")],
)
def test_declarations_that_others_complete_are_not_followed(text: str, body: str, checked: list[str]) -> None:
    memory = Memory()
    shader(text, memory, body)
    checked.clear()
    shared = shader(text, memory, "c.x += 1; " + body)
    assert checked[-1] == "float4 main"
    assert shared == shader(text, Memory(), "c.x += 1; " + body)


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "LIMIT", 4)
    cache: Prefixes[str] = Prefixes()
    place = cache.begin("hlsl")
    for number in range(9):
        place = cache.add(place, number, (), str(number))
    assert place
    assert len(cache._following) <= 5
    assert cache.after(0, 1, ()) == (None, 0)
    assert cache.add(0, 1, (), "1") == 0
