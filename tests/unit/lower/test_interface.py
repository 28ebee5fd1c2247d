"""Stage variables: the order of locations, built-ins, interpolation, and the types of system values."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module


def module(text: str, profile: str, **options: Any) -> Module:
    result = compile_shader(text, profile=profile, options=CompileOptions(codegen_only=True, validate="no", **options))
    assert result.module is not None, [d.message for d in result.diagnostics]
    return result.module


def decorations(made: Module, decoration: int) -> dict[int, int]:
    return {
        inst.id(0): inst.id(2) if len(inst.operands) > 2 else 1
        for inst in made.annotations
        if inst.op == op.OpDecorate and inst.id(1) == decoration
    }


def locations(text: str, profile: str, **options: Any) -> dict[str, int]:
    made = module(text, profile, **options)
    names = {inst.id(0): inst.text(1) for inst in made.names if inst.op == op.OpName}
    return {names[number]: place for number, place in decorations(made, e.Decoration.Location).items()}


def builtins(text: str, profile: str) -> set[int]:
    return set(decorations(module(text, profile), e.Decoration.BuiltIn).values())


VERTEX = """
struct O { float4 p : SV_Position; float2 uv : UV; float3x2 m : M; float a[2] : A; float last : Z; };
O main(float4 p : P, float2x4 t : T, uint i : I) { O o = (O)0; o.p = p + t[0] + i; return o; }
"""


def test_locations_follow_the_declarations() -> None:
    assert locations(VERTEX, "vs_6_0") == {
        "in.var.P": 0,
        "in.var.T": 1,
        "in.var.I": 3,
        "out.var.UV": 0,
        "out.var.M": 1,
        "out.var.A": 4,
        "out.var.Z": 6,
    }


def test_locations_follow_the_names_on_request() -> None:
    text = "float4 main(float c : C, float a : A, float b : B) : SV_Position { return a + b + c; }"
    assert locations(text, "vs_6_0") == {"in.var.C": 0, "in.var.A": 1, "in.var.B": 2}
    assert locations(text, "vs_6_0", stage_io_order="alpha") == {"in.var.A": 0, "in.var.B": 1, "in.var.C": 2}


def test_targets_have_their_own_locations() -> None:
    text = "struct O { float4 b : SV_Target3; float4 a : SV_Target1; }; O main() { return (O)0; }"
    assert locations(text, "ps_6_0") == {"out.var.SV_Target3": 3, "out.var.SV_Target1": 1}


SYSTEM_VALUES = [
    ("vs_6_0", "uint", "SV_VertexID", e.BuiltIn.VertexIndex),
    ("vs_6_0", "uint", "SV_InstanceID", e.BuiltIn.InstanceIndex),
    ("ps_6_0", "float4", "SV_Position", e.BuiltIn.FragCoord),
    ("ps_6_0", "bool", "SV_IsFrontFace", e.BuiltIn.FrontFacing),
    ("ps_6_0", "uint", "SV_SampleIndex", e.BuiltIn.SampleId),
    ("ps_6_0", "uint", "SV_Coverage", e.BuiltIn.SampleMask),
    ("ps_6_0", "uint", "SV_PrimitiveID", e.BuiltIn.PrimitiveId),
    ("cs_6_0", "uint3", "SV_DispatchThreadID", e.BuiltIn.GlobalInvocationId),
    ("cs_6_0", "uint3", "SV_GroupThreadID", e.BuiltIn.LocalInvocationId),
    ("cs_6_0", "uint3", "SV_GroupID", e.BuiltIn.WorkgroupId),
    ("cs_6_0", "uint", "SV_GroupIndex", e.BuiltIn.LocalInvocationIndex),
]


@pytest.mark.parametrize(("profile", "kind", "semantic", "builtin"), SYSTEM_VALUES)
def test_system_values_are_built_ins(profile: str, kind: str, semantic: str, builtin: int) -> None:
    if profile.startswith("cs"):
        body = "o[0] = float(x.x);" if kind == "uint3" else "o[0] = float(x);"
        text = f"RWBuffer<float4> o; [numthreads(1, 1, 1)] void main({kind} x : {semantic}) {{ {body} }}"
    else:
        output = "SV_Position" if profile.startswith("vs") else "SV_Target"
        text = f"float4 main({kind} x : {semantic}) : {output} {{ return x; }}"
    assert builtin in builtins(text, profile)


def test_a_narrow_thread_id_is_widened() -> None:
    """The built-in is a vector of three components, whatever the parameter's type is."""
    made = module(
        "RWBuffer<uint> o; [numthreads(1, 1, 1)] void main(uint x : SV_DispatchThreadID) { o[0] = x; }", "cs_6_0"
    )
    (variable,) = decorations(made, e.Decoration.BuiltIn)
    types = {inst.result_id: inst for inst in made.globals}
    pointee = types[types[types[variable].type_id].id(1)]
    assert pointee.op == op.OpTypeVector
    assert pointee.id(1) == 3


def test_integers_between_vertex_and_pixel_are_flat() -> None:
    made = module(
        "float4 main(int a : A, nointerpolation float b : B, float c : C) : SV_Target { return a + b + c; }", "ps_6_0"
    )
    assert len(decorations(made, e.Decoration.Flat)) == 2


def test_entry_points_list_their_variables() -> None:
    made = module(VERTEX, "vs_6_0")
    (entry,) = made.entry_points
    storage = (e.StorageClass.Input, e.StorageClass.Output)
    wanted = {i.result_id for i in made.globals if i.op == op.OpVariable and i.id(0) in storage}
    assert set(entry.operands[3:]) == wanted
