"""Fix-its of diagnostics: the replacements that a compilation attaches, and where there are none."""

from __future__ import annotations

from hlsl_tool import compile_shader
from hlsl_tool.compiler import replay
from hlsl_tool.diagnostics import Code, Diagnostic, Edit, Location, Replacement
from hlsl_tool.diagnostics.fixes import replacements


def applied(text: str, fixes: list[Replacement]) -> str:
    """Return the text with replacements of its lines, which do not overlap."""
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
    """Return the place of a token in the line ` a=b`."""
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
    code = Code("HLSL0332", "parentheses", "warning", "")
    from hlsl_tool.diagnostics.catalogue.registry import by_id

    known = by_id(code.id)
    assert known is not None
    diagnostic = Diagnostic(known, "warning", "m", locate(1), fixes=fixes)
    packed = replay.pack_diagnostics([diagnostic], lambda index: index, locate, "a.hlsl")
    assert replay.unpack_diagnostics(packed, lambda index: index, locate, "a.hlsl") == [diagnostic]
