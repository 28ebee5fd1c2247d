"""The passes of spirv-opt that run on a shader: those that can change a module after promotion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.pipeline import spirv_opt
from hlsl_tool.spirv.tools.optimizer import OptimizerOptions, optimize_flags

SHADER = """
RWStructuredBuffer<float> buffer;
static float table[4] = {{ 1, 2, 3, 4 }};
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {{
    float a[4] = {{ 0, 0, 0, 0 }};
    float sum = 0;
    {body}
    buffer[id.x] = sum;
}}
"""
LOOP = "for (uint i = 0; i < {count}; ++i) sum += {value};"


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ("sum = a[2];", "ssa"),
        (LOOP.format(count="id.y", value="i"), "ssa"),
        ("a[id.y] = 1; sum = a[id.z];", "memory"),
        ("table[id.y] = 1; sum = table[id.z];", "memory"),
        ("[unroll] " + LOOP.format(count=4, value="buffer[i]"), "any"),
        ("[loop] " + LOOP.format(count=4, value="buffer[i]"), "ssa"),
    ],
)
def test_the_form_of_a_promoted_module(monkeypatch: pytest.MonkeyPatch, body: str, form: str) -> None:
    requested: list[OptimizerOptions] = []
    optimize = spirv_opt.optimize

    def spy(data: bytes, options: OptimizerOptions, **others: object) -> bytes | None:
        requested.append(options)
        return optimize(data, options, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(spirv_opt, "optimize", spy)
    result = compile_shader(SHADER.format(body=body), profile="cs_6_0")
    assert [(r.message, r.notes) for r in result.diagnostics] == []
    assert result.ok
    assert [options.form for options in requested] == [form]


def test_passes_of_the_user_run_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[OptimizerOptions] = []
    monkeypatch.setattr(spirv_opt, "optimize", lambda data, options, **_: requested.append(options))
    options = replace(CompileOptions(), optimize=("-O", "--loop-unroll"))
    compile_shader(SHADER.format(body="sum = a[2];"), profile="cs_6_0", options=options)
    assert [optimize_flags(options) for options in requested] == [["-O", "--loop-unroll"]]
