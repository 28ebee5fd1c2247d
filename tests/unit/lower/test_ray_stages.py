"""Ray tracing functions are errors in other stages; tests/execute/test_ray_values.py runs them in theirs."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.lower.intrinsics.ray_tracing import BUILTINS, STAGES
from hlsl_tool.compiler.compile import compile_shader

HEAD = """
struct Payload { float x; };
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float> seen;
"""
PARAMETERS = {
    "raygeneration": "",
    "intersection": "",
    "anyhit": "inout Payload p, BuiltInTriangleIntersectionAttributes a",
    "closesthit": "inout Payload p, BuiltInTriangleIntersectionAttributes a",
    "miss": "inout Payload p",
    "callable": "inout Payload p",
    "compute": "",
}
CALLS = {
    "TraceRay": "RayDesc r = (RayDesc)0; Payload q; q.x = 0; TraceRay(scene, 0, 255, 0, 0, 0, r, q);",
    "CallShader": "Payload q; q.x = 0; CallShader(0, q);",
    "ReportHit": "Payload q; q.x = 0; ReportHit(1, 0, q);",
    "IgnoreHit": "IgnoreHit();",
    "TriangleObjectPositions": "BuiltInTrianglePositions x = TriangleObjectPositions(); seen[0] = x.p0.x;",
    "AcceptHitAndEndSearch": "AcceptHitAndEndSearch();",
}
FORBIDDEN = [(name, stage) for name, allowed in STAGES.items() for stage in PARAMETERS if stage not in allowed]


def source(name: str, stage: str) -> str:
    numbers = "x[0][0]" if "Object" in name and "Ray" not in name else "x"
    threads = "[numthreads(1, 1, 1)]" if stage == "compute" else ""
    call = CALLS.get(name, f"auto x = {name}(); seen[0] = {numbers};")
    kind = "float3x4" if "3x4" in name or name in ("ObjectToWorld", "WorldToObject") else "float4x3"
    if "[0][0]" in numbers:
        call = call.replace("auto", kind)
    call = call.replace("auto", "float")
    return f'{HEAD}[shader("{stage}")] {threads} void main({PARAMETERS[stage]}) {{ {call} }}'


@pytest.mark.parametrize(("name", "stage"), FORBIDDEN)
def test_refused(name: str, stage: str) -> None:
    options = CompileOptions(target_env="vulkan1.2")
    result = compile_shader(source(name, stage), entry="", profile="lib_6_10", options=options)
    said = "cs" if stage == "compute" else stage
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert [d.message for d in errors] == [f"'{name}' cannot be called in '{said}' shaders"]
    assert errors[0].hint
    assert errors[0].hint.startswith(f"{name} is there in '")


@pytest.mark.parametrize(("name", "stage"), FORBIDDEN[:3])
def test_let_through_where_nothing_is_validated(name: str, stage: str) -> None:
    """As in DXC, without validation these stages are accepted: only spirv-val checks them."""
    options = CompileOptions(target_env="vulkan1.2", codegen_only=True)
    assert compile_shader(source(name, stage), entry="", profile="lib_6_10", options=options).ok


def test_every_function_is_in_the_table() -> None:
    assert {*BUILTINS, *CALLS} - {*STAGES} == {"PrimitiveIndex"}
