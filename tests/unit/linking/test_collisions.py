"""Resources of one shader with the same binding: the warnings, their locations, and options that disable them."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from tests.unit.linking.support import needs_optimizer

pytestmark = needs_optimizer

REGISTERS = """
Texture2D t : register(t0);
SamplerState s : register(s0); cbuffer C : register(b5) { float k; }
Buffer<float4> b : register(t5);
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv) * k + b[0]; }
"""
VIEWS = """
[[vk::binding(0)]] Texture2D<float4> floats[];
[[vk::binding(0)]] Texture2D<uint4> uints[];
float4 main(nointerpolation uint i : I) : SV_Target { return floats[i].Load(0) + uints[i].Load(0); }
"""


def compiled(text: str, *warnings: str, profile: str = "ps_6_0", **options: object) -> CompileResult:
    given = CompileOptions(validate="no", warnings=("binding-collision", *warnings), **options)  # type: ignore[arg-type]  # options by name
    return compile_shader(text, profile=profile, options=given)


def messages(result: CompileResult) -> list[str]:
    return [
        f"{d.location.line if d.location else 0}: {d.severity}: {d.message}"
        for top in result.diagnostics
        for d in top.flatten()
    ]


def test_both_places_are_named() -> None:
    result = compiled(REGISTERS)
    assert result.ok
    assert messages(result) == [
        "4: warning: 'b' (uniform texel buffer) has binding 5 of set 0, which 'C' has, too",
        "3: note: 'C' (uniform buffer, by register) is declared here",
    ]
    assert [d.flag for d in result.diagnostics] == ["-Wbinding-collision"]


def test_the_hint_shifts_registers_of_other_letters() -> None:
    (collision,) = compiled(REGISTERS).diagnostics
    assert collision.hint == "keep registers of different letters apart, such as by `-fvk-t-shift 32 all`"
    assert compiled(REGISTERS, shift_t=((32, ALL_SPACES),)).diagnostics == []
    (same,) = compiled(REGISTERS.replace("b5", "b6").replace("t5", "t0").replace("s0", "s9")).diagnostics
    assert same.hint is None


def test_it_can_be_an_error_or_nothing() -> None:
    refused = compiled(REGISTERS, "error=binding-collision")
    assert not refused.ok
    assert refused.diagnostics[0].severity == "error"
    assert messages(compiled(REGISTERS, "no-binding-collision")) == []
    assert messages(compiled(REGISTERS, "no-linking")) == [], "the group of all these warnings"


@pytest.mark.parametrize("options", [{"shift_b": ((16, 0),)}, {"shift_t": ((16, -1),)}])
def test_shifts_separate_registers(options: dict[str, object]) -> None:
    assert messages(compiled(REGISTERS, **options)) == []


def test_only_what_is_left_counts() -> None:
    unused = REGISTERS + "Texture2D other : register(t0);"
    assert len(compiled(unused, "no-binding-alias").diagnostics) == 1
    preserved = compiled(unused, preserve_bindings=True)
    assert [m for m in messages(preserved) if "other" in m] == [], "it is in the module, but nobody uses it"


def test_views_of_one_descriptor_are_what_was_meant() -> None:
    assert messages(compiled(VIEWS)) == []
    assert messages(compiled(VIEWS, "binding-alias")) == [
        "3: warning: 'uints' (sampled image) has binding 0 of set 0, which 'floats' has, too",
        "2: note: 'floats' (sampled image, by vk::binding) is declared here",
    ]


def test_one_register_twice_is_not_meant() -> None:
    text = """
Texture2D a : register(t0);
Texture2D b : register(t0);
float4 main() : SV_Target { return a.Load(0) + b.Load(0); }
"""
    assert messages(compiled(text))[0] == "3: warning: 'b' (sampled image) has binding 0 of set 0, which 'a' has, too"


def test_other_descriptors_collide_even_if_they_are_asked_for() -> None:
    text = """
[[vk::binding(2, 1)]] Texture2D t;
[[vk::binding(2, 1)]] RWStructuredBuffer<float4> o;
float4 main() : SV_Target { return t.Load(0) + o[0]; }
"""
    assert messages(compiled(text))[0] == "3: warning: 'o' (storage buffer) has binding 2 of set 1, which 't' has, too"


def test_combined_image_samplers_are_pairs() -> None:
    text = """
[[vk::combinedImageSampler]] [[vk::binding(0)]] Texture2D t;
[[vk::combinedImageSampler]] [[vk::binding(0)]] SamplerState s;
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }
"""
    assert messages(compiled(text, "binding-alias")) == []


def test_a_texture_and_a_sampler_of_one_number_are_a_pair() -> None:
    text = """
Texture2D t : register(t%d);
SamplerState s : register(s%d);
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }
"""
    assert messages(compiled(text % (1, 1))) == []
    assert len(compiled(text % (1, 1), "binding-alias").diagnostics) == 1
    assert messages(compiled(text % (1, 1), shift_t=((16, 0),), shift_s=((16, 0),))) == []
    assert len(compiled(text % (1, 0), shift_s=((1, 0),)).diagnostics) == 1, "the numbers differ"
    alone = compile_shader(text % (1, 0), profile="ps_6_0", options=CompileOptions(validate="no", shift_s=((1, 0),)))
    assert messages(alone) == [], "off where nothing asks for it"


def test_elements_of_flattened_arrays() -> None:
    text = """
Texture2D t[3] : register(t0);
SamplerState s : register(s2);
float4 main(float2 uv : UV) : SV_Target { return t[2].Sample(s, uv) + t[1].Sample(s, uv); }
"""
    assert messages(compiled(text)) == [], "the array has one binding"
    assert messages(compiled(text, flatten_resource_arrays=True)) == [
        "3: warning: 's' (sampler) has binding 2 of set 0, which 't[2]' has, too",
        "2: note: 't[2]' (sampled image, by register) is declared here",
    ]


def test_entry_points_of_a_library_are_apart() -> None:
    text = """
RWStructuredBuffer<uint> a : register(u0);
Buffer<uint> b : register(t0);
[shader("raygeneration")] void one() { a[0] = 1; }
[shader("raygeneration")] void two() { %s }
"""
    quiet = compiled(text % "a[1] = 2;", profile="lib_6_3", target_env="vulkan1.2")
    assert messages(quiet) == []
    loud = compiled(text % "a[1] = b[0];", profile="lib_6_3", target_env="vulkan1.2")
    assert [d.code.name for d in loud.diagnostics] == ["binding-collision"]


def test_raw_code_is_not_judged() -> None:
    assert messages(compiled(REGISTERS, codegen_only=True)) == []
