"""Code that Vulkan rejects gives one of our errors at its location, without running the validator."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader


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


@pytest.mark.parametrize(("count", "ok"), [(32, True), (33, False), (2147483647, False)])
def test_points_of_a_patch(count: int, ok: bool) -> None:
    source = f'struct P {{ float4 p : P; }};\n[domain("tri")] float4 main(OutputPatch<P, {count}> p) : SV_Position'
    result = compile_shader(source + " { return p[0].p; }", profile="ds_6_0")
    assert result.ok == ok
    if not ok:
        error = result.diagnostics[0]
        assert (error.code.id, error.message) == ("HLSL1167", "an OutputPatch has at most 32 control points")
        assert error.location is not None and error.location.line == 2
