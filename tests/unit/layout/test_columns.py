"""Offsets of members as in the eight columns of the manual's table (*Memory Layout*), read from compiled modules.

The columns are the four layouts, each in a uniform and in a storage buffer. A second struct has members of the other
kinds; DXC gives it the same offsets.
"""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.ir import Module

OPTIONS = ("vulkan", "dx", "gl", "scalar")

MANUAL = """
struct S { float3 f; };
struct T
{
    float a_float;
    float3 b_float3;
    S c_S_float3;
    float2x3 d_float2x3;
    row_major float2x3 e_float2x3;
    int f_int_3[3];
    float2 g_float2_2[2];
};
"""
MANUAL_TABLE = {
    "a_float": (0, 0, 0, 0, 0, 0, 0, 0),
    "b_float3": (4, 4, 16, 4, 4, 4, 16, 4),
    "c_S_float3": (16, 16, 32, 16, 16, 16, 32, 16),
    "d_float2x3": (32, 32, 48, 28, 32, 28, 48, 28),
    "e_float2x3": (80, 80, 96, 52, 64, 52, 80, 52),
    "f_int_3": (112, 112, 128, 76, 96, 76, 112, 76),
    "g_float2_2": (160, 160, 176, 88, 112, 88, 128, 88),
}

OTHERS = """
struct I { float2 u; bool v; };
struct B { uint first; };
struct T : B
{
    bool flag;
    bool3 flags;
    min16float half_like;
    min16float3 halves;
    double wide;
    double3 wides;
    int64_t2 longs;
    I nested;
    I several[2][2];
    float4x4 whole;
    float3x2 grid[2];
    row_major float3x2 rows[2];
    float1x3 one_row;
    float3x1 one_column;
    row_major int2x3 integers;
    row_major double2x2 doubles;
    bool last[3];
};
"""
OTHERS_TABLE = {}


def offsets(module: Module, name: str) -> dict[str, int]:
    """Return name → offset of a struct's members."""
    places = [i for i in module.annotations if i.op == op.OpMemberDecorate and i.id(2) == e.Decoration.Offset]
    called = {inst.id(0) for inst in module.names if inst.op == op.OpName and inst.text(1) == name}
    (number,) = called & {inst.id(0) for inst in places}
    names = {inst.id(1): inst.text(2) for inst in module.names if inst.op == op.OpMemberName and inst.id(0) == number}
    return {names.get(inst.id(1), "(base)"): inst.id(3) for inst in places if inst.id(0) == number}


def column(source: str, option: str, block: str) -> dict[str, int]:
    type_name = "type.ConstantBuffer.T" if block == "ConstantBuffer" else "T"
    text = source + f"{block}<T> b;\nRWByteAddressBuffer o;\n[numthreads(1, 1, 1)] void main() {{ o.Store(0, 1); }}"
    options = CompileOptions(layout=option, codegen_only=True)
    result = compile_shader(text, profile="cs_6_0", options=options)
    assert result.ok
    return offsets(decode(result.spirv), type_name)


@pytest.mark.parametrize(("number", "option"), list(enumerate(OPTIONS)), ids=lambda x: str(x))
@pytest.mark.parametrize("table", ["manual", "others"])
def test_columns(table: str, number: int, option: str) -> None:
    source, wanted = (MANUAL, MANUAL_TABLE) if table == "manual" else (OTHERS, OTHERS_TABLE)
    uniform, stored = column(source, option, "ConstantBuffer"), column(source, option, "StructuredBuffer")
    assert {name: uniform[name] for name in wanted} == {name: row[number] for name, row in wanted.items()}
    assert {name: stored[name] for name in wanted} == {name: row[number + 4] for name, row in wanted.items()}
