"""The number of times that SPIRV-Tools run on shaders that are lowered to the same module."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler import finished_modules
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.finished_modules import FinishedModules, Slot
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.text import disassemble
from hlsl_tool.spirv.tools import optimizer, validator
from tests.interpreted import replaces_functions

SHADER = """
#ifdef UNUSED
float unused(float a) { return a * UNUSED; }
#endif
float4 main(float4 a : A) : SV_Target { return a * 2; }
"""
REFUSED = """
[[vk::binding(0)]] cbuffer C { [[vk::offset(2)]] float a; };
float4 main() : SV_Target { return a; }
"""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each run of SPIRV-Tools adds the name of the tool."""
    names: list[str] = []
    for module in (optimizer, validator):
        run_tool = module.run_tool

        def spy(tool, *arguments, run_tool=run_tool, **others):  # type: ignore[no-untyped-def]
            names.append(tool.name)
            return run_tool(tool, *arguments, **others)

        monkeypatch.setattr(module, "run_tool", spy)
    return names


def compiled(text: str, memory: Memory, **changes: object) -> CompileResult:
    options = replace(CompileOptions(), **changes)  # type: ignore[arg-type]
    return compile_shader(text, profile="ps_6_0", options=options, memory=memory)


def test_permutations_with_the_same_module_are_finished_once(runs: list[str]) -> None:
    memory = Memory()
    results = [compiled(SHADER, memory, defines=defines) for defines in ((), (("UNUSED", "2"),), (("UNUSED", "3"),))]
    assert runs == ["spirv-opt", "spirv-val"]
    assert [result.spirv for result in results] == [results[0].spirv] * 3
    assert all(result.ok for result in results)
    texts = [disassemble(result.module) for result in results if result.module is not None]
    assert texts == [texts[0]] * 3


def test_equal_results_of_different_modules_are_validated_once(runs: list[str]) -> None:
    memory = Memory()
    texts = [f"float4 main(float4 a : A) : SV_Target {{ float4 b = a * 2; {unused} return b; }}"
             for unused in ("", "float4 c = b + 1;")]  # fmt: skip
    results = [compiled(text, memory) for text in texts]
    assert results[0].spirv == results[1].spirv
    assert runs == ["spirv-opt", "spirv-val", "spirv-opt"]
    assert compiled(texts[1], memory, optimize="none").ok
    assert runs[3:] == ["spirv-val"]


@pytest.mark.parametrize(
    "changes",
    [{"optimize": "size"}, {"debug": ("line",)}, {"target_env": "vulkan1.3"}, {"preserve_bindings": True}],
)
def test_options_of_later_steps_separate_modules(runs: list[str], changes: dict[str, object]) -> None:
    memory = Memory()
    compiled(SHADER, memory)
    other = compiled(SHADER, memory, **changes)
    assert runs == ["spirv-opt", "spirv-val"] * 2
    assert other.spirv == compiled(SHADER, Memory(), **changes).spirv


def test_a_refused_module_is_refused_each_time(runs: list[str]) -> None:
    memory = Memory()
    results = [compiled(REFUSED, memory, defines=(("UNUSED", value),)) for value in "23"]
    messages = [[(d.severity, d.message) for d in result.diagnostics] for result in results]
    assert messages[0]
    assert messages[0] == messages[1]
    assert not any(result.ok for result in results)


def test_a_missing_tool_is_reported_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.compiler.validation.find_tool", lambda *_, **__: None)
    memory = Memory()
    for _ in range(2):
        assert [d.code.name for d in compiled(SHADER, memory).diagnostics] == ["tools-missing"]


def test_another_tool_separates_modules(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    compiled(SHADER, memory)
    find_tool = finished_modules.find_tool
    monkeypatch.setattr(finished_modules, "find_tool", lambda *names: find_tool(*names)._replace(version="other"))  # type: ignore[union-attr]
    compiled(SHADER, memory)
    assert runs == ["spirv-opt", "spirv-val"] * 2


def test_the_passes_are_printed_each_time() -> None:
    memory = Memory()
    printed = [compiled(SHADER, memory, print_all=True).printed for _ in range(2)]
    assert printed[0]
    assert printed[0] == printed[1]


def test_a_single_compilation_computes_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.compiler.finishing.key_of", lambda *_: pytest.fail("a key"))
    assert compile_shader(SHADER, profile="ps_6_0").ok


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished_modules, "LIMIT", 8)
    cache = FinishedModules()
    slots = [Slot(cache, (bytes([number]),)) for number in range(4)]
    for number, slot in enumerate(slots):
        slot.put(bytes([number] * 4))
    assert [slot.get() for slot in slots] == [None, None, None, bytes([3] * 4)]
    assert [slots[3].is_valid(bytes([number] * 4)) for number in range(4)] == [False, False, False, True]


def test_a_slot_without_a_cache_stores_nothing() -> None:
    for slot in (Slot(None, (b"",)), Slot(FinishedModules(), None)):
        slot.put(bytes(4))
        assert slot.get() is None
        assert not slot.is_valid(bytes(4))


BODIES = (
    "return a * 2;",
    "return a * 3;",
    "return a + 2;",
    "return a.x > 0 ? a * 2 : a;",
    "[branch] if (a.x > 0) return a * 2; return a;",
    "float4 b = a * 2; return b;",
    "float4 c = a * 2; return c;",
)


@replaces_functions
@pytest.mark.parametrize("debug", [(), ("line",), ("vulkan-with-source",)])
def test_equal_keys_stand_for_equal_modules(monkeypatch: pytest.MonkeyPatch, debug: tuple[str, ...]) -> None:
    pairs: list[tuple[object, bytes]] = []

    def spy(module: Module, requirements: Requirements, options: CompileOptions) -> object:
        key = key_of(module, requirements, options)
        pairs.append((key, encode(module)))
        return key

    key_of = finished_modules.key_of
    monkeypatch.setattr("hlsl_tool.compiler.finishing.key_of", spy)
    for body in (*BODIES, *BODIES):
        text = f"float4 main(float4 a : A) : SV_Target {{ {body} }}"
        assert compiled(text, Memory(), debug=debug).ok
    assert None not in [key for key, _ in pairs]
    assert len({key for key, _ in pairs}) == len({words for _, words in pairs}) == len(set(pairs)) == len(BODIES)


KINDS = {
    "float comparisons": """\
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main() { float old; b.InterlockedCompareExchangeFloatBitwise(0, 1.0, 2.0, old); }
""",
    "combined": """\
[[vk::combinedImageSampler]] Texture2D<float4> t : register(t0);
[[vk::combinedImageSampler]] SamplerState s : register(s0);
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main() { b.Store4(0, asuint(t.SampleLevel(s, 0, 0))); }
""",
    "long vectors": """\
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main() { vector<float, 8> v = 1; b.Store(0, v[3] + v[7]); }
""",
}


@pytest.mark.parametrize("name", KINDS)
def test_a_shader_is_finished_once(name: str) -> None:
    profile = "cs_6_9" if name == "long vectors" else "cs_6_6"
    memory = Memory()
    options = CompileOptions(hlsl_version=2021)
    first, again = (
        compile_shader(KINDS[name], profile=profile, options=options, memory=memory, name=file)
        for file in ("a.hlsl", "b.hlsl")
    )
    alone = compile_shader(KINDS[name], profile=profile, options=options)
    assert first.ok, first.diagnostics
    assert first.spirv == again.spirv == alone.spirv
