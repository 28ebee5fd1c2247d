"""Bindings by glslang's rules, with options that glslang lacks (`tests/compatible` compares the rest with glslang)."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.compiler.compile import compile_shader

SOURCE = """
float4 k;
Texture2D t : register(t2, space1);
Texture2D free;
RWStructuredBuffer<float4> r : register(u5);
cbuffer B : register(b4294967295) { float4 b; };
float4 main() : SV_Target { return k + t.Load(0) + free.Load(0) + r[0]; }
"""


def places(*options: str, scheme: str = "glslang", source: str = SOURCE) -> dict[str, tuple[int | None, int | None]]:
    words = ["-T", "ps_6_0", f"-fvk-binding-scheme={scheme}", *options, "x.hlsl"]
    result = compile_shader(source, profile="ps_6_0", options=parse(words).options)
    assert result.ok, [diagnostic.message for diagnostic in result.diagnostics]
    assert result.interface is not None
    return {record.name: (record.set, record.binding) for record in result.interface.resources}


@pytest.mark.parametrize(
    ("options", "name", "place"),
    [
        ((), "free", (0, 0)),
        ((), "$Globals", (0, 0)),
        (("-fvk-auto-bindings",), "$Globals", (0, 0)),
        (("-fvk-auto-bindings",), "free", (0, 1)),
        (("-fvk-bind-globals", "7", "3"), "$Globals", (3, 7)),
        (("-fvk-bind-register", "t2", "1", "8", "4"), "t", (4, 8)),
        (("-fvk-bind-register", "t2", "0", "8", "4"), "t", (1, 2)),
        (("-auto-binding-space", "6"), "r", (6, 5)),
        (("-fvk-buffer-shift", "10", "all", "-fvk-u-shift", "20", "all"), "r", (0, 15)),
        (("-fvk-t-shift", "10", "1"), "t", (1, 12)),
    ],
)
def test_places(options: tuple[str, ...], name: str, place: tuple[int, int]) -> None:
    assert places(*options)[name] == place


def test_the_io_mapping_shifts_by_the_letter_of_the_register() -> None:
    options = ("-fvk-buffer-shift", "10", "all", "-fvk-u-shift", "20", "all")
    assert places(*options, scheme="glslang-iomap")["r"] == (0, 25)


def test_a_binding_that_does_not_fit_is_an_error() -> None:
    words = ["-T", "ps_6_0", "-fvk-binding-scheme=glslang", "-fvk-b-shift", "1", "all", "x.hlsl"]
    source = SOURCE.replace("k + ", "k + b + ")
    result = compile_shader(source, profile="ps_6_0", options=parse(words).options)
    assert [(d.code.id, d.severity) for d in result.diagnostics if d.severity == "error"] == [("HLSL0651", "error")]
