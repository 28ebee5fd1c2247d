"""Misspelt keywords: the keyword is offered, and causes no further errors."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.diagnostics import Diagnostic

MAIN = "float4 main(float4 c : COLOR) : SV_Target { %s return c; }"


def diagnostics(text: str) -> list[Diagnostic]:
    return compile_shader(text, entry="main", profile="ps_6_0").diagnostics


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        (MAIN % "retrun c * 0.5;", "return"),
        (MAIN % "retrun c;", "return"),
        (MAIN % "retrun 0.5;", "return"),
        (MAIN % "retrun (c * 0.5);", "return"),
        (MAIN % "retrun float4(1, 1, 1, 1);", "return"),
        (MAIN % "whlie (c.x > 1) { c.x -= 1; }", "while"),
        (MAIN % "fro (int i = 0; i < 2; i++) { c.x -= 1; }", "for"),
        (MAIN % "if (c.x > 0) c.x = 1; esle { c.x -= 1; }", "else"),
        (MAIN % "swtich (int(c.x)) { case 0: c.x = 1; break; }", "switch"),
        (MAIN % "switch (int(c.x)) { defualt: c.x = 1; }", "default"),
        (MAIN % "do { c.x++; } whiel (c.x < 1);", "while"),
        (MAIN % "for (int i = 0; i < 3; i++) { contineu; }", "continue"),
        (MAIN % "if (c.x > 0) { discrad; }", "discard"),
        ("statci const float k = 1; " + MAIN % "c *= k;", "static"),
        ("cbufer B : register(b0) { float4 k; } " + MAIN % "c *= k;", "cbuffer"),
        ("strcut S { float4 k; }; " + MAIN % "S s; s.k = c; c = s.k;", "struct"),
        ("typdef float4 F; " + MAIN % "F f = c;", "typedef"),
        ("namepsace N { static const float k = 1; } " + MAIN % "c *= N::k;", "namespace"),
        ("groupsharde float k; " + MAIN % "", "groupshared"),
        ("template <typenam T> T F(T t) { return t; } " + MAIN % "c = F<float4>(c);", "typename"),
        ("float4 main(nointerpolaton float4 c : COLOR) : SV_Target { return c; }", "nointerpolation"),
    ],
)
def test_the_keyword_is_the_only_error(text: str, keyword: str) -> None:
    found = diagnostics(text)
    assert [d.hint for d in found if d.severity == "error"] == [f"did you mean '{keyword}'?"]
    (error,) = (d for d in found if d.severity == "error")
    (fix,) = error.fixes
    assert fix.text == keyword
    mended = text[: fix.col - 1] + fix.text + text[fix.end_col - 1 :]
    assert not [d for d in diagnostics(mended) if d.severity == "error"]


def test_each_misspelt_keyword_is_reported() -> None:
    found = diagnostics(MAIN % "whlie (c.x > 1) { c.x -= 1; } fro (int i = 0; i < 2; i++) { c.y -= 1; }")
    assert [d.hint for d in found] == ["did you mean 'while'?", "did you mean 'for'?"]


def test_a_missing_semicolon_is_no_misspelt_keyword() -> None:
    (error,) = diagnostics(MAIN % "float returned = 1 c.x = 1;")
    assert (error.hint, error.fixes[0].text) == (None, ";")
    (error,) = diagnostics(MAIN % "Foo f;")
    assert (error.hint, error.fixes) == (None, ())
