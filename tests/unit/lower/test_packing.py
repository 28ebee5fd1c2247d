"""Signature packing: the location and component of each variable."""

from __future__ import annotations

import shutil

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op

VERTEX = "struct V { float4 p : SV_Position; %s };\nV main(float2 a : A, float2 b : B) { V v = (V)0; return v; }"


def placed(members: str, **options: str) -> dict[str, tuple[int, ...]]:
    """Return output → (location, component)."""
    validate = "yes" if shutil.which("spirv-val") else "no"
    given = CompileOptions(validate=validate, **{"signature_packing": "optimized", **options})  # type: ignore[arg-type]
    result = compile_shader(VERTEX % members, profile="vs_6_2", options=given)
    assert result.ok and result.module is not None, [d.message for d in result.diagnostics]
    names = {inst.id(0): inst.text(1) for inst in result.module.names if inst.op == op.OpName}
    found: dict[str, dict[int, int]] = {}
    for inst in result.module.annotations:
        if inst.op == op.OpDecorate and inst.id(1) in (e.Decoration.Location, e.Decoration.Component):
            found.setdefault(names[inst.id(0)], {})[inst.id(1)] = inst.id(2)
    return {
        name.split(".")[2]: tuple(marks[d] for d in (e.Decoration.Location, e.Decoration.Component) if d in marks)
        for name, marks in found.items()
        if name.startswith("out.")
    }


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        ("float2 a : A; float2 b : B;", {"A": (0,), "B": (0, 2)}),
        ("float3 a : A; float2 b : B; float c : C;", {"A": (0,), "B": (1,), "C": (0, 3)}),
        ("float2 a[2] : A; float2 b[2] : B; float c : C;", {"A": (0,), "B": (0, 2), "C": (2,)}),
        ("float a : A; uint b : B; uint c : C;", {"A": (0,), "B": (1,), "C": (1, 1)}),  # one type a location
        ("float a : A; nointerpolation float b : B; float c : C;", {"A": (0,), "B": (1,), "C": (0, 1)}),
        ("double a : A; double b : B; double c : C;", {"A": (0,), "B": (0, 2), "C": (1,)}),
        ("float2x2 m : M; float2 a : A;", {"M": (0,), "A": (2,)}),  # a matrix takes whole locations
        ("float2 a : A; float2x2 m : M; float2 b : B;", {"A": (0,), "M": (1,), "B": (0, 2)}),
        ("float3 a[3] : A; float b[2] : B; float c : C;", {"A": (0,), "B": (0, 3), "C": (2, 3)}),
        ("float a[2][2] : A; float3 b[2] : B; float2 c[3] : C;", {"A": (0,), "B": (0, 1), "C": (4,)}),
        ("float1x3 a : A; float1x1 b : B; float3x1 c : C;", {"A": (0,), "B": (0, 3), "C": (1,)}),
        ("double a[2] : A; double b[2] : B; double2 c : C;", {"A": (0,), "B": (0, 2), "C": (2,)}),
        ("double3 a : A; double b : B; double c[2] : C; double d : D;", {"A": (0,), "B": (2,), "C": (3,), "D": (2, 2)}),
        ("double2x2 m : M; double a : A; double b : B;", {"M": (0,), "A": (2,), "B": (2, 2)}),
    ],
)
def test_optimized(members: str, wanted: dict[str, tuple[int, ...]]) -> None:
    assert placed(members) == wanted


@pytest.mark.parametrize(
    "options", [{"signature_packing": "default"}, {"signature_packing": "prefix_stable"}, {"stage_io_order": "alpha"}]
)
def test_not_packed(options: dict[str, str]) -> None:
    assert placed("float2 a : A; float2 b : B;", **options) == {"A": (0,), "B": (1,)}


def test_vertex_attributes_are_the_engines() -> None:
    given = CompileOptions(validate="no", codegen_only=True, signature_packing="optimized")
    result = compile_shader(VERTEX % "", profile="vs_6_0", options=given)
    assert result.module is not None
    marks = [inst.id(1) for inst in result.module.annotations if inst.op == op.OpDecorate]
    assert e.Decoration.Component not in marks
