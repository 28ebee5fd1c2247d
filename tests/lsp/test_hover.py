"""The text of a hover shows types, declarations, offsets, bindings and intrinsics."""

from __future__ import annotations

import pytest

from hlsl_tool.apps.lsp.source.intrinsic_pages import page_of
from hlsl_tool.frontend.sema.rules.intrinsics import matching
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
        (
            "albedo.Sam|ple",
            [
                "float4 Texture2D<float4>::Sample(SamplerState sampler, float2 location)",
                "Samples with filtering",
                "dx-graphics-hlsl-to-sample)",
            ],
        ),
        (
            "float4(le|rp(",
            [
                "float3 lerp(float3 x, float3 y, float3 s)",
                "Blends x and y",
                "Manual: [Intrinsic Functions](https://learn.microsoft.com/windows/win32/direct3dhlsl/dx-graphics-hlsl-lerp)",
            ],
        ),
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


def test_hover_shows_the_comment_above_a_function(edit: Opener) -> None:
    text = """\
// Not this one.

// Brightens a color.
// `k` is from 0 to 1.
[noinline]
float3 Lit(float3 c, float k) { return c * k; }
/* A light
 * of the scene. */
struct Light { float3 c; };
/// Declared first.
float3 Later(float3 c);
float3 Main(float3 c) { Light l; l.c = c; return Lit(l.c, 1) + Later(c) + Bare(c); }
float3 Bare(float3 c) { return c; } // not a comment above
float3 Later(float3 c) { return c; }
"""
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    shown = editor.hover("free.hlsl", "return Li|t(l")
    assert "Brightens a color.\n`k` is from 0 to 1." in shown
    assert "Not this one" not in shown
    assert "A light\nof the scene." in editor.hover("free.hlsl", "{ Lig|ht l")
    assert "Declared first." in editor.hover("free.hlsl", "+ Lat|er(c)")
    assert "comment" not in editor.hover("free.hlsl", "float3 Ba|re(float3")


def test_every_intrinsic_function_has_a_page() -> None:
    for name in matching.names():
        if name.startswith("__"):
            continue
        page = page_of(name)
        assert page is not None, name
        assert page.sentence.endswith("."), name
        assert page.address.startswith("https://"), name
        longest = max(len(row.slots) - 1 + row.variadic for row in matching.overloads(name))
        assert len(page.parameters) == longest, name
