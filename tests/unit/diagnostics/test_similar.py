"""Names that a misspelt word may mean, and hints about them in every scope."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.options.checks import profile_hint
from hlsl_tool.base.similar import did_you_mean, most_similar, most_similar_file


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("retrun", "return"), ("satrate", "saturate"), ("flaot4", "float4"), ("nointerpolaton", "nointerpolation"),
        ("sample", "Sample"), ("UV", "uv"), ("fro", "for"), ("Gte", "Get"),
    ],
)  # fmt: skip
def test_misspelt_words(word: str, name: str) -> None:
    assert most_similar(word, ["unlike", name, "other"]) == name
    assert did_you_mean(word, [name]) == f"did you mean `{name}`?"


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Nope", "outp"), ("HLSL9999", "HLSL1799"), ("float5", "float4"), ("color1", "color2"), ("c1", "c2"),
        ("x", "y"), ("cxx", "c"), ("sun", "fog"), ("texel", "pixel"), ("return", "return"),
    ],
)  # fmt: skip
def test_other_words(word: str, name: str) -> None:
    assert most_similar(word, [name]) is None
    assert did_you_mean(word, [name]) is None


def test_the_nearest_name_is_chosen() -> None:
    assert most_similar("colr", ["collar", "color", "cold"]) == "color"
    assert most_similar("sin", ["tin", "Sin"]) == "Sin"


def test_files_with_the_same_suffix_are_not_similar_for_it() -> None:
    assert most_similar_file("sun.hlsl", ["fog.hlsl", "sum.hlsl"]) == "sum.hlsl"
    assert most_similar_file("sky.hlsl", ["sea.hlsl"]) is None
    assert most_similar_file("sky.hlsl", ["sky.hlsli"]) == "sky.hlsli"
    assert most_similar_file("lights.hlsli", ["lit.hlsl"]) is None


def hints(text: str) -> list[str | None]:
    result = compile_shader(text, entry="main", profile="ps_6_0")
    return [d.hint for d in result.diagnostics if d.severity == "error"]


MAIN = "float4 main(float4 c : COLOR) : SV_Target { return c * %s; }"


@pytest.mark.parametrize(
    ("declaration", "value", "name"),
    [
        ("float3 Lighting(float3 n) { return n; }", "Ligthing(c.rgb).x", "Lighting"),
        ("cbuffer B { float4 tint; }", "tnit", "tint"),
        ("Texture2D albedo;", "albdeo[uint2(0, 0)]", "albedo"),
        ("#define SCALE 2", "SACLE", "SCALE"),
        ("struct S { float4 albedo; }; ConstantBuffer<S> s;", "s.albdeo", "albedo"),
        ("struct S { float4 Get() { return 1; } }; static S s;", "s.Gte()", "Get"),
        ("Texture2D t; SamplerState s;", "t.Smaple(s, c.xy)", "Sample"),
        ("enum class E { Red, Green };", "(E::Reed == E::Red)", "Red"),
        ("namespace Noise { float Fog() { return 1; } }", "Nosie::Fog()", "Noise"),
        ("namespace Noise { float Fog() { return 1; } }", "Noise::Fgo()", "Fog"),
        ("", "smootstep(0, 1, c)", "smoothstep"),
        ("", "(ture ? 1 : 0)", "true"),
    ],
)
def test_every_scope_is_searched(declaration: str, value: str, name: str) -> None:
    assert hints(f"{declaration}\n{MAIN % value}") == [f"did you mean '{name}'?"]


def test_types_of_the_shader_are_searched_where_the_parser_reports_them() -> None:
    text = "struct Material { float4 k; };\nfloat4 main() : SV_Target { Materail m; return 1; }"
    assert hints(text) == ["did you mean 'Material'?"]


def test_names_declared_further_down_are_no_hint() -> None:
    assert hints(MAIN % "tnit" + "\ncbuffer B { float4 tint; }") == [None]


def test_a_shared_declaration_gets_the_hints_of_each_shader() -> None:
    from hlsl_tool import Memory

    memory = Memory()
    for name in ("tint", "tints", "glow"):
        text = f"cbuffer B {{ float4 {name}; }}\n{MAIN % 'tnit'}"
        result = compile_shader(text, entry="main", profile="ps_6_0", memory=memory)
        hint = {"tint": "did you mean 'tint'?"}.get(name)
        assert [d.hint for d in result.diagnostics] == [hint]


def test_an_entry_that_is_missing() -> None:
    functions = "float4 PSMain() : SV_Target { return 1; } void VSMain() {}"
    assert hints(functions) == ["there is no function 'main' with a body; the shader defines 'PSMain', 'VSMain'"]
    assert hints("float4 mian() : SV_Target { return 1; }") == [
        "there is no function 'main' with a body; did you mean 'mian'?"
    ]


@pytest.mark.parametrize(
    ("profile", "hint"),
    [
        ("ps_7_0", "`ps_6_0` to `ps_6_10` are valid"),
        ("ms_6_0", "`ms_6_5` to `ms_6_10` are valid"),
        ("PS_6_0", "did you mean `ps_6_0`?"),
        ("vs_6.0", "did you mean `vs_6_0`?"),
    ],
)
def test_profiles(profile: str, hint: str) -> None:
    assert profile_hint(profile) == hint


def test_a_profile_without_a_stage_names_the_stages() -> None:
    assert profile_hint("pixel").endswith("the stages are `vs`, `hs`, `ds`, `gs`, `ps`, `cs`, `lib`, `ms`, `as`")
