"""The choice of compiler passes for a module, by its content and the options, and the printed list of passes."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.pipeline.facts import Facts
from hlsl_tool.compiler.pipeline.listing import as_text
from hlsl_tool.compiler.pipeline.steps import STAGES, choose_steps
from hlsl_tool.compiler.result import Memory


def names(facts: Facts) -> list[str]:
    return [step.name for step in choose_steps(facts)]


def test_code_generation_only() -> None:
    assert names(Facts()) == ["descriptor-heap"]
    assert names(Facts(upgrades_memory_model=True)) == [
        "trim-capabilities",
        "mask",
        "spirv-opt --upgrade-memory-model",
        "unmask",
        "handle-loads",
        "descriptor-heap",
    ]


def test_promotion_replaces_legalisation() -> None:
    chosen = names(Facts(codegen_only=False, legalizes=True, promotes=True))
    assert chosen[:4] == ["promote", "join-chains", "non-uniform", "trim-capabilities"]
    assert not [name for name in chosen if name.startswith("spirv-opt")]
    declined = names(Facts(codegen_only=False, legalizes=True))
    assert declined[:3] == ["trim-capabilities", "unsized-arrays", "volatile-inputs"]
    assert "spirv-opt -O" in declined


def test_without_spirv_opt_the_promoted_module_is_the_result() -> None:
    chosen = names(Facts(codegen_only=False, optimizes=True, promotes=True, has_optimizer=False))
    assert chosen == names(Facts(codegen_only=False, promotes=True))


def test_a_second_attempt_needs_a_copy() -> None:
    assert names(Facts(codegen_only=False, optimizes=True, has_alternative=True))[0] == "copy"


def test_every_step_of_the_stages_is_printed_in_order() -> None:
    lines = iter(as_text().splitlines())
    for stage in STAGES:
        assert any(line.startswith(f"{stage.name}: ") and stage.condition in line for line in lines)
        for step in stage.steps:
            assert any(line.startswith(f"  {step.name} ") and step.reason in line for line in lines)


ARRAYS = "Texture2D t[2]; SamplerState s; float4 main(float2 p : P) : SV_Target { return t[1].Sample(s, p); }"


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        (CompileOptions(optimize="none"), []),
        (CompileOptions(), ["spirv-opt -O"]),
        (CompileOptions(flatten_resource_arrays=True), ["spirv-opt --legalize-hlsl", "spirv-opt -O"]),
        (
            CompileOptions(debug=("vulkan",), extensions=("SPV_KHR_non_semantic_info", "KHR")),
            ["spirv-opt --inline-entry-points-exhaustive", "spirv-opt -O"],
        ),
    ],
    ids=["none", "performance", "flattened", "debug"],
)
def test_runs_of_spirv_opt(options: CompileOptions, runs: list[str]) -> None:
    ran = [name for name, outcome in steps_of(ARRAYS, options) if "skipped" not in outcome]
    assert [name for name in ran if name.startswith("spirv-opt")] == runs


def steps_of(source: str, options: CompileOptions, profile: str = "ps_6_0") -> list[tuple[str, str]]:
    """Return the name of each step in the journal of a compilation, and what it did."""
    result = compile_shader(source, profile=profile, options=replace(options, print_steps=True))
    assert result.ok
    assert result.spirv == compile_shader(source, profile=profile, options=options).spirv
    lines = [line for line in result.printed.splitlines() if not line.startswith("--")]
    return [(line[:44].strip(), line[44:].strip()) for line in lines]


def test_the_journal_names_the_steps_that_changed_the_module() -> None:
    steps = dict(steps_of(ARRAYS, CompileOptions(optimize="none", flatten_resource_arrays=True)))
    before, arrow, after = steps["flatten-descriptors"].removesuffix(" words").partition(" -> ")
    assert arrow and int(before) != int(after)
    assert steps["mask"] == "unchanged"
    assert steps["hit-objects"] == "skipped (condition: the shader has hit objects)"


CALL_IN_CONTINUE = """\
RWStructuredBuffer<uint> Out;
void next(inout uint x) { while (x & 3) { x += 1; if (x == 77) return; } x += 2; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint sum = 0;
  for (uint i = 0; i < id.x; next(i)) sum += i;
  Out[id.x] = sum;
}
"""


def test_the_journal_says_why_promotion_declines() -> None:
    result = compile_shader(CALL_IN_CONTINUE, profile="cs_6_0", options=CompileOptions(print_steps=True))
    assert "-- promotion declines the module (a call in the continue part of a loop)" in result.printed


def test_the_journal_does_not_depend_on_earlier_compilations() -> None:
    memory = Memory()
    options = CompileOptions(print_steps=True)
    first, again = (compile_shader(ARRAYS, profile="ps_6_0", options=options, memory=memory) for _ in range(2))
    assert first.printed == again.printed != ""
