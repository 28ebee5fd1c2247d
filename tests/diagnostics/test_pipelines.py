"""Diagnostic codes about stages that do not fit together; each case is a vertex and a pixel shader."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.diagnostics import Sink, WarningOptions
from hlsl_tool.reflection.linking.pipeline import check_pipeline
from hlsl_tool.reflection.linking.stage_interfaces import StageInterface, stage_interfaces
from tests.unit.linking.support import needs_optimizer

pytestmark = needs_optimizer

VERTEX = "struct V {{ {members} float4 p : SV_Position; }}; V main() {{ V v = (V)0; return v; }}"
PIXEL = "float4 main({inputs}) : SV_Target {{ return {value}; }}"
CASES = {
    "HLSL0880": (VERTEX.format(members=""), PIXEL.format(inputs="float a : A", value="a")),
    "HLSL0881": (VERTEX.format(members="float a : A;"), PIXEL.format(inputs="nointerpolation int a : A", value="a")),
    "HLSL0882": (VERTEX.format(members="float a : A;"), PIXEL.format(inputs="float a : B", value="a")),
    "HLSL0883": (VERTEX.format(members="nointerpolation float a : A;"), PIXEL.format(inputs="float a : A", value="a")),
    "HLSL0884": (VERTEX.format(members="float a : A;"), PIXEL.format(inputs="", value="1")),
    "HLSL0885": (VERTEX.format(members=""), PIXEL.format(inputs="float a : SV_ClipDistance", value="a")),
    "HLSL0886": (VERTEX.format(members="float4 a : A;"), PIXEL.format(inputs="float2 a : A", value="a.x")),
    "HLSL0873": (
        "cbuffer C : register(b0) { float4 a; }; float4 main() : SV_Position { return a; }",
        "Texture2D t : register(t0); float4 main() : SV_Target { return t.Load(0); }",
    ),
    "HLSL0874": (
        "cbuffer C : register(b0) { float4 a; }; float4 main() : SV_Position { return a; }",
        "cbuffer C : register(b0) { float2 a; float2 b; }; float4 main() : SV_Target { return a.x + b.y; }",
    ),
}
NOTES = {"HLSL0889": "HLSL0881", "HLSL0875": "HLSL0874"}
"""Note → the code that it belongs to."""


def interface(text: str, profile: str) -> StageInterface:
    options = CompileOptions(target_env="vulkan1.2", validate="no")
    result = compile_shader(text, profile=profile, options=options)
    assert result.ok and result.module is not None, [diagnostic.message for diagnostic in result.diagnostics]
    (stage,) = stage_interfaces(result.module, result.interface)
    return stage


def reported(vertex: str, pixel: str) -> tuple[list[str], list[str]]:
    """Return the codes of the messages and those of their notes."""
    sink = Sink(WarningOptions.from_flags(["-Wstage-output-unused"]), error_limit=0)
    for problem in check_pipeline([interface(vertex, "vs_6_0"), interface(pixel, "ps_6_0")]):
        problem.report(sink)
    messages = sink.diagnostics
    return [m.code.id for m in messages], [note.code.id for m in messages for note in m.notes]


@pytest.mark.parametrize("code", CASES)
def test_stages(code: str) -> None:
    assert code in reported(*CASES[code])[0]


@pytest.mark.parametrize("note", NOTES)
def test_notes(note: str) -> None:
    codes, notes = reported(*CASES[NOTES[note]])
    assert NOTES[note] in codes
    assert note in notes
