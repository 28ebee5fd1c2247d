"""The text of a hover shows types, declarations, offsets, bindings and intrinsics."""

from __future__ import annotations

import pytest

from tests.lsp.conftest import Opener
from tests.lsp.editor import Editor

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"


@pytest.mark.parametrize(
    ("marked", "parts"),
    [
        ("float4 te|xel =", ["float4 texel"]),
        ("lerp(lit, te|xel.rgb", ["float4 texel"]),
        ("texel.r|gb)", ["float3"]),
        ("sha|de(sun", ["float3 shade(Light light, float3 normal)"]),
        ("shade(su|n", ["Light sun", "offset 96, 32 bytes in `Frame`"]),
        ("float3 ey|e;", ["float3 eye", "offset 64, 12 bytes in `Frame`", "`view` ends at 64"]),
        ("float2 jit|ter;", ["offset 80", "padding"]),
        ("cbuffer Fra|me", ["cbuffer Frame", "128 bytes", "set 0, binding 0 (by register, register b0)"]),
        ("= albe|do.S", ["Texture2D<float4> albedo : register(t1)", "set 0, binding 1 (by register, register t1)"]),
        ("albedo.Sam|ple", ["float4 Texture2D<float4>::Sample(SamplerState, float2)"]),
        ("float4(le|rp(", ["float3 lerp(float3, float3, float3)"]),
        ("i < COU|NT", ["static const int COUNT = 3", "value 3"]),
        ("lit += TW|ICE", ["#define TWICE(x) ((x) * 2)"]),
        ("TWICE(te|xel", ["float4 texel"]),
        ("    Li|ght sun", ["struct Light", "32 bytes (constant buffer"]),
        ("lit *= fog|ged", []),
        (": SV_Tar|get", ["a system value"]),
        ("Texture|2D<float4> albedo", ["a built-in type"]),
        ('#include "include/com|mon', ["common.hlsli"]),
        ("enum Mode { PLA|IN", ["Mode::PLAIN"]),
    ],
)
def test_hover(editor: Editor, marked: str, parts: list[str]) -> None:
    shown = editor.hover(MAIN, marked)
    assert [part for part in parts if part not in shown] == [], shown
    assert bool(parts) == bool(shown), shown


def test_hover_in_a_header_uses_the_shader_that_includes_it(editor: Editor) -> None:
    shown = editor.hover(COMMON, "float3 co|lor;")
    assert "float3 color" in shown
    assert "offset 16, 12 bytes (constant buffer" in shown


def test_hover_on_nothing_shows_nothing(editor: Editor) -> None:
    assert editor.hover(MAIN, "|\ncbuffer Frame") == ""


def test_hover_shows_a_template_and_its_instance(edit: Opener) -> None:
    text = "template<typename T> T twice(T v) { return v + v; }\nfloat3 f(float3 a) { return twice(a); }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    shown = editor.hover("free.hlsl", "return twi|ce(a)")
    assert "float3 twice(float3 v)" in shown
    assert "float3" in editor.hover("free.hlsl", "v |+ v")
