"""The number of times that the validator runs."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler import validation
from hlsl_tool.compiler.compile import compile_shader

SHADER = "float4 main(float4 a : A) : SV_Target { return a * 2; }"


@pytest.mark.parametrize("debug", [(), ("line",), ("vulkan",), ("vulkan-with-source",)])
@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_a_module_is_validated_once(monkeypatch: pytest.MonkeyPatch, debug: tuple[str, ...], optimize: str) -> None:
    modules: list[bytes] = []
    validate = validation.validate

    def spy(data: bytes, *arguments: object, **others: object) -> object:
        modules.append(data)
        return validate(data, *arguments, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(validation, "validate", spy)
    options = CompileOptions(debug=debug, optimize=optimize)
    result = compile_shader(SHADER, profile="ps_6_0", options=options)
    assert modules == [result.spirv]
