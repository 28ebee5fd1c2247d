"""Fix-its of diagnostics: replacements that a compilation attaches, and cases without any."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.diagnostics import Diagnostic, Edit, Location, Replacement
from hlsl_tool.base.diagnostics.catalogue.registry import by_id
from hlsl_tool.base.diagnostics.fixes import replacements
from hlsl_tool.base.source import MemoryFileSystem
from hlsl_tool.codegen.lower.stage_io import semantic_hints, semantics
from hlsl_tool.compiler import replay


def applied(text: str, fixes: list[Replacement]) -> str:
    """Return the text with non-overlapping replacements applied."""
    lines = text.splitlines()
    for fix in sorted(fixes, key=lambda fix: (fix.line, fix.col), reverse=True):
        line = lines[fix.line - 1]
        lines[fix.line - 1] = line[: fix.col - 1] + fix.text + line[fix.end_col - 1 :]
    return "\n".join(lines)


def mended(text: str) -> str:
    """Return the shader with the fix-its of its diagnostics applied."""
    diagnostics = compile_shader(text, entry="main", profile="ps_6_0", name="a.hlsl").diagnostics
    assert diagnostics
    return applied(text, [fix for d in diagnostics for item in d.flatten() for fix in item.fixes])


def test_misspelt_names() -> None:
    assert mended(
        "struct S { float4 position; };\n"
        "flaot4 f(vec3 v) { return mix(v, v, 0.5).xyzz; }\n"
        "float4 main(float4 color : COLOR) : SV_Target { S s = (S)0; return s.positon + colr; }"
    ) == (
        "struct S { float4 position; };\n"
        "float4 f(float3 v) { return lerp(v, v, 0.5).xyzz; }\n"
        "float4 main(float4 color : COLOR) : SV_Target { S s = (S)0; return s.position + color; }"
    )


def test_macros_have_no_fix_its() -> None:
    text = (
        "#define GET(x) x.positon\nstruct S { float4 position; };\nfloat4 main(S s : A) : SV_Target { return GET(s); }"
    )
    assert mended(text) == text


def test_names_over_two_lines_have_no_fix_its() -> None:
    text = "float4 main(float4 color : COLOR) : SV_Target { return co\\\nlr; }"
    assert mended(text) == text


TOKENS = ["a", "=", "b"]


def locate(index: int) -> Location:
    """Return the location of a token in the line ` a=b`."""
    return Location("a.hlsl", 1, index + 2, index + 3, " a=b", index=index)


def test_sides_of_a_token() -> None:
    edits = [Edit("(", 0, "before"), Edit("=="), Edit(")", 1, "after")]
    assert replacements(edits, 1, 1, TOKENS, locate) == (
        Replacement("a.hlsl", 1, 3, 3, "(", 1),
        Replacement("a.hlsl", 1, 3, 4, "==", 1),
        Replacement("a.hlsl", 1, 5, 5, ")", 2),
    )
    assert replacements([Edit("x"), Edit("y", 9)], 0, 0, TOKENS, locate) == ()


def test_stored_diagnostics_keep_their_fix_its() -> None:
    edits = [Edit("(", 0, "before"), Edit("==", 1), Edit(")", 2, "after")]
    fixes = replacements(edits, 1, 0, TOKENS, locate)
    code = by_id("HLSL0412")
    assert code is not None
    diagnostic = Diagnostic(code, "warning", "m", locate(1), fixes=fixes)
    packed = replay.pack_diagnostics([diagnostic], lambda index: index, locate, "a.hlsl")
    assert replay.unpack_diagnostics(packed, lambda index: index, locate, "a.hlsl") == [diagnostic]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("float4 main() : SV_Target { return 0 }", "float4 main() : SV_Target { return 0; }"),
        (
            "struct S { float a; }\nfloat4 main() : SV_Target { return 0; }",
            "struct S { float a; };\nfloat4 main() : SV_Target { return 0; }",
        ),
        ("float4 main() : SV_Target { return saturate(0; }", "float4 main() : SV_Target { return saturate(0); }"),
        (
            "float4 main() : SV_Target { if (true { } return 0; }",
            "float4 main() : SV_Target { if (true) { } return 0; }",
        ),
        (
            "enum E { a b }; float4 main() : SV_Target { return 0; }",
            "enum E { a, b }; float4 main() : SV_Target { return 0; }",
        ),
        (
            "float4 main() : SV_Target { switch (1) { case 1 return 1; } return 0; }",
            "float4 main() : SV_Target { switch (1) { case 1: return 1; } return 0; }",
        ),
        (
            "namespace N { float abcdef; } float4 main() : SV_Target { return N::abcedf; }",
            "namespace N { float abcdef; } float4 main() : SV_Target { return N::abcdef; }",
        ),
        (
            "struct S { float4 a; }; float4 main(S s : A) : SV_Target { return s->a; }",
            "struct S { float4 a; }; float4 main(S s : A) : SV_Target { return s.a; }",
        ),
        (
            "Texture2D<flaot4> t; float4 main() : SV_Target { return 0; }",
            "Texture2D<float4> t; float4 main() : SV_Target { return 0; }",
        ),
        (
            "float4 main() : SV_Target { [unrol] for (int i = 0; i < 4; ++i) {} return 0; }",
            "float4 main() : SV_Target { [unroll] for (int i = 0; i < 4; ++i) {} return 0; }",
        ),
        (
            "float4 main(int i : I) : SV_Target { int j; i == 3; if (j = i) return 1; return 0; }",
            "float4 main(int i : I) : SV_Target { int j; i = 3; if (j == i) return 1; return 0; }",
        ),
        ("#undeff A\nfloat4 main() : SV_Target { return 0; }", "#undef A\nfloat4 main() : SV_Target { return 0; }"),
        ("Texture2D t : register(t0, 1);", "Texture2D t : register(t0, space1);"),
        ("__shared__ float a[4];", "groupshared float a[4];"),
        ("[[vk::bindin(3)]] Texture2D t;", "[[vk::binding(3)]] Texture2D t;"),
        ("Texture2D t : register(u3, space1);", "Texture2D t : register(t3, space1);"),
        ("cbuffer C : register(t1) { float a; }", "cbuffer C : register(b1) { float a; }"),
        (
            "struct V { float4 p : SV_Positon; };\nfloat4 main(V v) : SV_Target { return v.p; }",
            "struct V { float4 p : SV_Position; };\nfloat4 main(V v) : SV_Target { return v.p; }",
        ),
        ("float4 main() : SV_Taget1 { return 0; }", "float4 main() : SV_Target1 { return 0; }"),
    ],
)
def test_fix_its_correct_the_source(wrong: str, right: str) -> None:
    assert mended(wrong) == right


def test_misspelt_includes() -> None:
    files = MemoryFileSystem({"lib/common.hlsli": "", "lib/other.hlsli": ""})
    text = '#include "lib/commn.hlsli"\n'
    (diagnostic,) = compile_shader(text, entry="main", profile="ps_6_0", name="a.hlsl", fs=files).diagnostics
    assert diagnostic.hint == "did you mean `lib/common.hlsli`?; searched in `.`"
    assert applied(text, list(diagnostic.fixes)) == '#include "lib/common.hlsli"'
    from_macro = '#define NAME "lib/commn.hlsli"\n#include NAME\n'
    (diagnostic,) = compile_shader(from_macro, entry="main", profile="ps_6_0", name="a.hlsl", fs=files).diagnostics
    assert diagnostic.hint and not diagnostic.fixes


def test_semantics_of_other_stages_name_theirs() -> None:
    text = "float4 main(uint i : SV_VertexID) : SV_Target { return i; }"
    (diagnostic,) = compile_shader(text, entry="main", profile="ps_6_0").diagnostics
    assert diagnostic.hint == "SV_VertexID is an input of vertex shaders"
    assert not diagnostic.fixes


def test_every_system_value_has_its_documented_spelling() -> None:
    assert semantic_hints.SPELLING.keys() == semantics.TABLE.keys()
