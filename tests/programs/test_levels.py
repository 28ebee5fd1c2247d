"""The samples have equal results at -O0, at -O3 and with debug information, executed with made-up data."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.config.permutation import Permutation
from tests.execute.vulkan import Vulkan
from tests.programs.execution import Execution
from tests.programs.levels import DEFAULT, ROOT, judge, permutations

MEMORY = Memory()
DAILY = (
    "compute/histogram.CSCount",
    "compute/prefix_sum.CSBlocks",
    "compute/prefix_sum.CSAdd",
    "lit/skinned.VSMain",
    "post/bloom.PSThreshold",
    "sky/",
)
SAMPLES = [
    pytest.param(
        permutation,
        id=permutation.name,
        marks=() if permutation.name.startswith(DAILY) else pytest.mark.nightly,
    )
    for permutation in permutations(ROOT)
]
UNDECIDED = ("close", "unstable", "cannot run")


@pytest.mark.execute
@pytest.mark.parametrize("permutation", SAMPLES)
def test_sample(permutation: Permutation, vulkan: Vulkan) -> None:
    verdict = judge(ROOT, permutation, DEFAULT, Execution(vulkan), MEMORY)
    assert verdict.kind in ("equal", *UNDECIDED), verdict.detail
    if permutation.name.startswith(DAILY):
        assert verdict.kind in ("equal", "close"), verdict.detail


SHADERS = {
    "cs": ("RWByteAddressBuffer o; [numthreads(1, 1, 1)] void main() {{ o.Store(0, o.Load(4) + {}); }}", "cs_6_0"),
    "ps": ("float4 main(float4 c : C) : SV_Target {{ return c + {}; }}", "ps_6_0"),
    "vs": (
        "float4 main(float4 p : P, out float3 n : N) : SV_Position {{ n = p.xyz * 2; return p + {}; }}",
        "vs_6_0",
    ),
}


@pytest.mark.execute
@pytest.mark.parametrize("stage", SHADERS)
def test_differences_are_found(stage: str, vulkan: Vulkan) -> None:
    text, profile = SHADERS[stage]
    modules = [compile_shader(text.format(number), profile=profile).spirv for number in (1, 2)]
    run = Execution(vulkan)
    assert run.compare({"one": modules[0], "two": modules[1]}).kind == "different"
    assert run.compare({"one": modules[0], "again": modules[0]}).kind == "equal"
    padded = compile_shader(text.format("(2 - 1)"), profile=profile).spirv
    assert run.compare({"one": modules[0], "other": padded}).kind == "equal"
