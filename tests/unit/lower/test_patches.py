"""Patches of control points: indices, and agreement between hull shader and patch constant function."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

HULL = """struct CP {{ float3 p : P; }}; struct Other {{ float3 p : P; }};
struct PC {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; }};
PC edges({parameters}) {{ PC o; o.e[0] = {value}; o.e[1] = o.e[2] = o.i = 1; return o; }}
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]
[patchconstantfunc("edges")]
CP main(InputPatch<CP, 4> ip, uint id : SV_OutputControlPointID) {{ return ip[{index}]; }}
"""
DOMAIN = """struct CP {{ float3 p : P; }};
struct PC {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; }};
[domain("tri")]
float4 main(PC pc, const OutputPatch<CP, 3> op) : SV_Position {{ return float4(op[{index}].p, 1); }}
"""


def messages(text: str, profile: str) -> list[tuple[str, int]]:
    result = compile_shader(text, profile=profile, options=CompileOptions())
    assert result.ok == (not result.diagnostics)
    return [(d.message, d.location.line) for d in result.diagnostics if d.location is not None]


@pytest.mark.parametrize(("parameters", "value", "index", "expected"), [
    ("OutputPatch<CP, 3> op", "op[2].p.x", "3", []),
    ("InputPatch<CP, 4> ip", "ip[3].p.x", "id", []),
    ("OutputPatch<CP, 7> op", "op[5].p.x", "id",
     [("Patch constant function's output patch input should have 3 elements, but has 7.", 3)]),
    ("OutputPatch<CP, 2> op", "op[1].p.x", "id",
     [("Patch constant function's output patch input should have 3 elements, but has 2.", 3)]),
    ("InputPatch<CP, 3> ip", "ip[1].p.x", "id",
     [("Patch constant function's input patch input should have 4 elements, but has 3.", 3)]),
    ("OutputPatch<Other, 3> op", "op[1].p.x", "id",
     [("Patch constant function's output patch input should have elements of type 'CP', but has 'Other'.", 3)]),
    ("OutputPatch<CP, 3> op", "op[3].p.x", "id", [("array index 3 is out of bounds", 3)]),
    ("OutputPatch<CP, 3> op", "op[1].p.x", "4", [("array index 4 is out of bounds", 6)]),
])  # fmt: skip
def test_hull(parameters: str, value: str, index: str, expected: list[tuple[str, int]]) -> None:
    assert messages(HULL.format(parameters=parameters, value=value, index=index), "hs_6_0") == expected


@pytest.mark.parametrize(("index", "expected"), [("2", []), ("3", [("array index 3 is out of bounds", 4)])])
def test_domain(index: str, expected: list[tuple[str, int]]) -> None:
    assert messages(DOMAIN.format(index=index), "ds_6_0") == expected
