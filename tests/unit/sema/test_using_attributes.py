"""``[[using vk: ...]]``, and the spelling of the mapping's first design, ``[[using Vulkan: set(X), binding(Y)]]``."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

PIXEL = """
%s Texture2D t;
%s SamplerState s;
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }
"""


def compiled(text: str) -> CompileResult:
    return compile_shader(text, profile="ps_6_0", options=CompileOptions(codegen_only=True, validate="no"))


def words(text: str) -> bytes:
    result = compiled(text)
    assert [d.message for d in result.diagnostics] == []
    return result.spirv


def errors(text: str) -> list[str]:
    return [f"{d.location.col if d.location else 0}: {d.message}" for d in compiled(text).diagnostics]


@pytest.mark.parametrize(
    ("spelled", "same"),
    [
        ("[[using Vulkan: set(1), binding(2)]]", "[[vk::binding(2, 1)]]"),
        ("[[using Vulkan: binding(2), set(1)]]", "[[vk::binding(2, 1)]]"),
        ("[[using Vulkan:set(1)]] [[using Vulkan:binding(2)]]", "[[vk::binding(2, 1)]]"),
        ("[[Vulkan::set(1), Vulkan::binding(2)]]", "[[vk::binding(2, 1)]]"),
        ("[[using Vulkan: set(1)]] [[vk::binding(2)]]", "[[vk::binding(2, 1)]]"),  # mixed
        ("[[using Vulkan: binding(2)]]", "[[vk::binding(2)]]"),
        ("[[using vk: binding(2, 1)]]", "[[vk::binding(2, 1)]]"),
        ("[[using vk: binding(1 + 1, 1)]]", "[[vk::binding(2, 1)]]"),
    ],
)
def test_bindings(spelled: str, same: str) -> None:
    assert words(PIXEL % (spelled, "[[vk::binding(0)]]")) == words(PIXEL % (same, "[[vk::binding(0)]]"))


@pytest.mark.parametrize("scope", ["vk", "Vulkan"])
def test_the_examples_of_the_first_design(scope: str) -> None:
    text = """
    %s tbuffer One { %s float4 field; };
    %s tbuffer Two { float4 other; };
    %s const int count = 4;
    float4 main() : SV_Target { return field + other + count; }
    """
    old = text % (
        "[[using Vulkan: set(2), binding(3)]]" if scope == "Vulkan" else "[[using vk: binding(3, 2)]]",
        f"[[using {scope}: offset(16)]]",
        f"[[using {scope}: push_constant]]",
        f"[[using {scope}: constant_id(9)]]",
    )
    new = text % ("[[vk::binding(3, 2)]]", "[[vk::offset(16)]]", "[[vk::push_constant]]", "[[vk::constant_id(9)]]")
    assert words(old) == words(new)


def test_several_of_a_list() -> None:
    text = "struct P { %s float4 c : C; }; float4 main(P p) : SV_Target { return p.c; }"
    assert words(text % "[[using vk: location(3), index(0)]]".replace(", index(0)", "")) == words(
        text % "[[vk::location(3)]]"
    )
    counted = "%s RWStructuredBuffer<float> b; float4 main() : SV_Target { return b[b.IncrementCounter()]; }"
    assert words(counted % "[[using vk: binding(4, 1), counter_binding(9)]]") == words(
        counted % "[[vk::binding(4, 1), vk::counter_binding(9)]]"
    )


def test_types_and_aliases_are_not_disturbed() -> None:
    text = """
    using Colour = float4;
    namespace n { struct S { Colour c; }; }
    using namespace n;
    [[using vk: binding(1)]] ConstantBuffer<S> b;
    Colour main() : SV_Target { return b.c; }
    """
    assert words(text) == words(text.replace("[[using vk: binding(1)]]", "[[vk::binding(1)]]"))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("[[using vk: vk::binding(1)]]", "13: attribute with scope specifier 'vk' cannot follow 'using vk:'"),
        ("[[using Vulkan: set(1)]]", "17: 'set' attribute requires a 'binding' attribute"),
        ("[[using Vulkan: set(1), binding(2, 3)]]", "17: the descriptor set is given more than once"),
        ("[[using Vulkan: set(1), set(2), binding(2)]]", "25: the descriptor set is given more than once"),
        ("[[using Vulkan: set, binding(2)]]", "17: 'set' attribute requires 1 argument"),
        ("[[using Vulkan: set(-1), binding(2)]]", "17: 'set' attribute requires integers from 0 to 4294967295"),
        ("[[using vk: set(1), binding(2)]]", "13: unknown attribute 'set' ignored"),  # its own spelling has two numbers
        ("[[using vk binding(1)]]", "12: expected ':'"),
        ("[[using : binding(1)]]", "9: expected"),
        ("[[using vk: ]]", "13: expected"),
    ],
)
def test_mistakes(attributes: str, message: str) -> None:
    text = f"{attributes} Texture2D t; float4 main() : SV_Target {{ return t.Load(0); }}"
    assert errors(text)[0].startswith(message), errors(text)
