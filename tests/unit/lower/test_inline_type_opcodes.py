"""Opcodes of inline types: those that declare no value type, or need other operands, are errors at their location."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

CALL = """[[vk::ext_instruction(1)]] vk::SpirvOpaqueType<OPERANDS> make();
float4 main(float4 c : C) : SV_Target { vk::SpirvOpaqueType<OPERANDS> q = make(); return c; }
"""
GLOBAL = "vk::SpirvOpaqueType<OPERANDS> g;\nfloat4 main(float4 c : C) : SV_Target { return c; }\n"
DEFINED = """[[vk::ext_type_def(1, OPERANDS)]] void define();
vk::ext_type<1> g;
float4 main(float4 c : C) : SV_Target { define(); return c; }
"""


@pytest.mark.parametrize("source", [CALL, GLOBAL, DEFINED])
@pytest.mark.parametrize(
    ("opcode", "message"),
    [
        (19, "OpTypeVoid makes no type of a value"),
        (33, "OpTypeFunction makes no type of a value"),
        (39, "OpTypeForwardPointer makes no type of a value"),
        (43, "OpConstant makes no type of a value"),
        (54, "OpFunction makes no type of a value"),
        (248, "OpLabel makes no type of a value"),
        (21, "OpTypeInt has 2 operands, not 0"),
        (22, "OpTypeFloat has 1 operands, not 0"),
        (23, "OpTypeVector has 2 operands, not 0"),
        (24, "OpTypeMatrix has 2 operands, not 0"),
        (25, "OpTypeImage has 7 operands, not 0"),
        (27, "OpTypeSampledImage has 1 operands, not 0"),
        (28, "OpTypeArray has 2 operands, not 0"),
        (29, "OpTypeRuntimeArray has 1 operands, not 0"),
        (32, "OpTypePointer has 2 operands, not 0"),
    ],
)
def test_refused(source: str, opcode: int, message: str) -> None:
    result = compile_shader(source.replace("OPERANDS", str(opcode)), profile="ps_6_0")
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert not result.ok and errors
    assert (errors[0].code.id, errors[0].message) == ("HLSL1165", message)
    assert errors[0].location is not None and errors[0].location.line >= 1


@pytest.mark.parametrize("opcode", [20, 26, 30])
@pytest.mark.parametrize("optimize", ["performance", "none"])
def test_types_that_the_module_has_anyway(opcode: int, optimize: str) -> None:
    source = CALL.replace("OPERANDS", str(opcode)).replace("return c;", "return c.x > 0 ? c : c.yxzw;")
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(optimize=optimize))
    assert not any("more than once" in d.message for d in result.diagnostics), result.diagnostics


def test_core_type_with_operands() -> None:
    source = GLOBAL.replace("OPERANDS", "23, float, vk::Literal<vk::integral_constant<uint, 4> >")
    result = compile_shader(source, profile="ps_6_0")
    assert not any("more than once" in d.message for d in result.diagnostics), result.diagnostics
