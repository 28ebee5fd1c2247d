"""Descriptor sets and bindings: registers, shifts, attributes, and automatic numbers for other resources."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op

USE = """
struct B { float4 x; };
%s
float4 main(float2 uv : UV) : SV_Target { return %s; }
"""


def compiled(text: str, **options: Any) -> CompileResult:
    return compile_shader(text, profile="ps_6_0", options=CompileOptions(codegen_only=True, validate="no", **options))


def places(text: str, **options: Any) -> dict[str, tuple[int, int]]:
    """Return variable → (set, binding)."""
    result = compiled(text, **options)
    assert result.module is not None, [d.message for d in result.diagnostics]
    names = {inst.id(0): inst.text(1) for inst in result.module.names if inst.op == op.OpName}
    found: dict[str, dict[int, int]] = {}
    for inst in result.module.annotations:
        if inst.op == op.OpDecorate and inst.id(1) in (e.Decoration.DescriptorSet, e.Decoration.Binding):
            found.setdefault(names[inst.id(0)], {})[inst.id(1)] = inst.id(2)
    return {name: (marks[e.Decoration.DescriptorSet], marks[e.Decoration.Binding]) for name, marks in found.items()}


REGISTERS = USE % (
    "ConstantBuffer<B> b : register(b1); Texture2D t : register(t2); SamplerState s : register(s3, space4);"
    "RWBuffer<float4> u : register(u5);",
    "b.x + t.Sample(s, uv) + u[0]",
)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, {"b": (0, 1), "t": (0, 2), "s": (4, 3), "u": (0, 5)}),
        ({"shift_b": ((100, 0),)}, {"b": (0, 101), "t": (0, 2), "s": (4, 3), "u": (0, 5)}),
        ({"shift_s": ((100, 0),)}, {"b": (0, 1), "t": (0, 2), "s": (4, 3), "u": (0, 5)}),
        ({"shift_s": ((100, 4), (9, 0))}, {"b": (0, 1), "t": (0, 2), "s": (4, 103), "u": (0, 5)}),
        ({"shift_s": ((100, ALL_SPACES),)}, {"b": (0, 1), "t": (0, 2), "s": (4, 103), "u": (0, 5)}),
        ({"shift_t": ((20, 0),), "shift_u": ((40, 0),)}, {"b": (0, 1), "t": (0, 22), "s": (4, 3), "u": (0, 45)}),
        (
            {"bind_registers": (("b1", 0, 7, 1), ("t2", 0, 8, 2), ("s3", 4, 9, 3), ("u5", 0, 10, 4))},
            {"b": (1, 7), "t": (2, 8), "s": (3, 9), "u": (4, 10)},
        ),
    ],
)
def test_registers(options: dict[str, Any], wanted: dict[str, tuple[int, int]]) -> None:
    assert places(REGISTERS, **options) == wanted


def test_attributes_win_over_registers_and_shifts() -> None:
    text = USE % (
        "[[vk::binding(3, 2)]] Texture2D t : register(t9, space1);"
        "[[vk::binding(4)]] SamplerState s : register(s1, space3);",
        "t.Sample(s, uv)",
    )
    assert places(text) == {"t": (2, 3), "s": (0, 4)}
    assert places(text, shift_t=((50, ALL_SPACES),)) == {"t": (2, 3), "s": (0, 4)}


def test_automatic_bindings_fill_the_gaps() -> None:
    text = USE % (
        "Texture2D a; Texture2D b : register(t1); SamplerState s; ConstantBuffer<B> c;"
        "Texture2D d : register(t0, space1);",
        "a.Sample(s, uv) + b.Sample(s, uv) + c.x + d.Sample(s, uv)",
    )
    assert places(text) == {"a": (0, 0), "b": (0, 1), "s": (0, 2), "c": (0, 3), "d": (1, 0)}
    moved = places(text, auto_binding_space=3)
    assert {moved["a"][0], moved["s"][0], moved["c"][0]} == {3}
    assert moved["d"] == (1, 0)


def test_an_array_takes_one_binding() -> None:
    text = USE % ("Texture2D a[4]; Texture2D b; SamplerState s;", "a[2].Sample(s, uv) + b.Sample(s, uv)")
    assert places(text) == {"a": (0, 0), "b": (0, 1), "s": (0, 2)}


def test_globals_and_counters() -> None:
    text = """
float4 k;
RWStructuredBuffer<float4> o : register(u2);
float4 main() : SV_Target { o.IncrementCounter(); return k + o[0]; }
"""
    found = places(text)
    assert found["o"] == (0, 2)
    assert found["counter.var.o"] not in (found["o"], found["$Globals"])
    assert places(text, bind_globals=(5, 6))["$Globals"] == (6, 5)


def test_a_space_for_the_set_alone() -> None:
    text = USE % ("Texture2D t : register(space2); SamplerState s : register(space2);", "t.Sample(s, uv)")
    assert places(text) == {"t": (2, 0), "s": (2, 1)}


def test_unused_resources_are_left_out_when_optimised() -> None:
    text = USE % (
        "Texture2D t : register(t0); Texture2D unused : register(t1); SamplerState s : register(s2);",
        "t.Sample(s, uv)",
    )
    result = compile_shader(text, profile="ps_6_0", options=CompileOptions(validate="no"))
    assert result.module is not None
    names = {inst.text(1) for inst in result.module.names if inst.op == op.OpName}
    assert "t" in names
    assert "unused" not in names
