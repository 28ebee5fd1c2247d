"""What Vulkan refuses is an error of ours at its place, without asking the validator."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.options import CompileOptions


@pytest.mark.parametrize(("env", "ok"), [("vulkan1.0", False), ("vulkan1.1", True), ("vulkan1.3", True)])
def test_vulkan_memory_model(env: str, ok: bool) -> None:
    source = "RWStructuredBuffer<float> b;\n[numthreads(1, 1, 1)] void main() { b[0] = 1; }"
    options = CompileOptions(target_env=env, vulkan_memory_model=True)
    result = compile_shader(source, profile="cs_6_0", options=options)
    assert result.ok == ok
    if not ok:
        error = result.diagnostics[0]
        assert error.message == "Vulkan 1.1 is required for Vulkan Memory Model but not permitted to use"
        assert error.location is not None and error.location.line == 2


@pytest.mark.parametrize("image", ["r16ui", "rg32ui", "rgba8ui"])
def test_format_of_an_image_with_atomics(image: str) -> None:
    source = f'[[vk::image_format("{image}")]] RWTexture2D<uint> t;\n'
    source += "[numthreads(1, 1, 1)] void main() {\nuint o; InterlockedExchange(t[uint2(0, 0)], 1, o); }"
    (error,) = compile_shader(source, profile="cs_6_0").diagnostics
    assert (error.code.id, image in error.message) == ("HLSL1166", True)
    assert error.location is not None and error.location.line == 3
