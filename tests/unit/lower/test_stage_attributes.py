"""Attributes of hull, domain, geometry and mesh shaders: the execution mode for each value, and errors for others."""

from __future__ import annotations

import re

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble

TESSELLATION = {
    "domain": '"tri"',
    "partitioning": '"integer"',
    "outputtopology": '"triangle_cw"',
    "outputcontrolpoints": "3",
    "patchconstantfunc": '"constants"',
}
POINT = "struct P { float4 at : AT; }; struct V { float4 at : SV_Position; };"
FACTORS = "struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; };"
VERTICES = {"point": 1, "line": 2, "triangle": 3, "lineadj": 4, "triangleadj": 6}
INDEX = {"point": "uint", "line": "uint2", "triangle": "uint3"}


def domain(value: str) -> str:
    return f'{POINT} {FACTORS} [domain("{value}")] V main(C c, const OutputPatch<P, 3> p) {{ return (V)0; }}'


def hull(**changed: str | None) -> str:
    """Return a hull shader with these attributes instead of the usual ones; ``None`` omits an attribute."""
    chosen = {**TESSELLATION, **changed}
    attributes = " ".join(f"[{name}({value})]" for name, value in chosen.items() if value is not None)
    return (
        f"{POINT} {FACTORS} C constants(InputPatch<P, 3> p) {{ return (C)0; }}\n"
        f"{attributes} P main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) {{ return p[i]; }}"
    )


def geometry(attributes: str = "[maxvertexcount(4)]", primitive: str = "point", stream: str = "Point") -> str:
    return (
        f"{POINT} {attributes} void main({primitive} V v[{VERTICES.get(primitive, 1)}], inout {stream}Stream<V> s)"
        " { s.Append(v[0]); }"
    )


def mesh(attributes: str, index: str = "uint3", more: str = "") -> str:
    return (
        f"{POINT} struct S {{ uint x : X; }};\n"
        f"{attributes} void main(out vertices V v[3], out indices {index} t[2]{more})"
        " { SetMeshOutputCounts(3, 2); }"
    )


def compiled(source: str, profile: str) -> tuple[set[str], str]:
    """Return (execution modes, error messages) of a shader."""
    options = CompileOptions(target_env="vulkan1.3", codegen_only=True)
    result = compile_shader(source, entry="main", profile=profile, options=options)
    errors = "; ".join(d.message for d in result.diagnostics if d.severity == "error")
    text = disassemble(decode(result.spirv)) if result.ok else ""
    return set(re.findall(r"OpExecutionMode %\S+ (.*)", text)), errors


HULL = [
    ("domain", "tri", "Triangles"),
    ("domain", "quad", "Quads"),
    ("domain", "isoline", "Isolines"),
    ("partitioning", "integer", "SpacingEqual"),
    ("partitioning", "fractional_even", "SpacingFractionalEven"),
    ("partitioning", "fractional_odd", "SpacingFractionalOdd"),
    ("outputtopology", "point", "PointMode"),
    ("outputtopology", "triangle_cw", "VertexOrderCw"),
    ("outputtopology", "triangle_ccw", "VertexOrderCcw"),
]


@pytest.mark.parametrize(("attribute", "value", "mode"), HULL)
def test_hull(attribute: str, value: str, mode: str) -> None:
    modes, errors = compiled(hull(**{attribute: f'"{value}"'}), "hs_6_0")
    assert not errors
    others = {row[2] for row in HULL if row[0] == attribute} - {mode}
    assert mode in modes
    assert not modes & others


def test_hull_lines_have_no_order() -> None:
    modes, _ = compiled(hull(outputtopology='"line"', domain='"isoline"'), "hs_6_0")
    assert modes == {"Isolines", "SpacingEqual", "OutputVertices 3"}


@pytest.mark.parametrize("count", [1, 32])
def test_hull_control_points(count: int) -> None:
    modes, _ = compiled(hull(outputcontrolpoints=str(count)), "hs_6_0")
    assert f"OutputVertices {count}" in modes


@pytest.mark.parametrize(("value", "mode"), [row[1:] for row in HULL[:3]])
def test_domain(value: str, mode: str) -> None:
    modes, errors = compiled(domain(value), "ds_6_0")
    assert not errors
    assert mode in modes


@pytest.mark.parametrize(
    ("primitive", "mode"),
    [
        ("point", "InputPoints"),
        ("line", "InputLines"),
        ("triangle", "Triangles"),
        ("lineadj", "InputLinesAdjacency"),
        ("triangleadj", "InputTrianglesAdjacency"),
    ],
)
@pytest.mark.parametrize(
    ("stream", "output"), [("Point", "OutputPoints"), ("Line", "OutputLineStrip"), ("Triangle", "OutputTriangleStrip")]
)
def test_geometry(primitive: str, mode: str, stream: str, output: str) -> None:
    modes, errors = compiled(geometry("[maxvertexcount(7)] [instance(5)]", primitive, stream), "gs_6_0")
    assert not errors
    assert modes == {mode, output, "OutputVertices 7", "Invocations 5"}


def test_geometry_has_one_instance() -> None:
    assert "Invocations 1" in compiled(geometry(), "gs_6_0")[0]


@pytest.mark.parametrize(
    ("topology", "mode"),
    [("point", "OutputPoints"), ("line", "OutputLinesEXT"), ("triangle", "OutputTrianglesEXT")],
)
def test_mesh(topology: str, mode: str) -> None:
    source = mesh(f'[numthreads(3, 2, 1)] [outputtopology("{topology}")]', INDEX[topology])
    modes, errors = compiled(source, "ms_6_5")
    assert not errors
    assert modes == {mode, "OutputVertices 3", "OutputPrimitivesEXT 2", "LocalSize 3 2 1"}


MESH = '[numthreads(1, 1, 1)] [outputtopology("triangle")]'
WRONG = [
    ("hs_6_0", hull(domain='"box"'), "attribute 'domain' must have one of these values: tri,quad,isoline"),
    ("hs_6_0", hull(partitioning='"none"'), "attribute 'partitioning' must have one of these values"),
    ("hs_6_0", hull(partitioning='"pow2"'), "pow2 partitioning scheme is not supported"),
    ("hs_6_0", hull(outputtopology='"strip"'), "attribute 'outputtopology' must have one of these values"),
    ("hs_6_0", hull(outputtopology=None), "must have a valid outputtopology attribute"),
    ("hs_6_0", hull(outputcontrolpoints=None), "must have a valid outputcontrolpoints attribute"),
    ("hs_6_0", hull(outputcontrolpoints="0"), "number of control points 0 is outside the valid range of [1..32]"),
    ("hs_6_0", hull(outputcontrolpoints="33"), "number of control points 33 is outside the valid range of [1..32]"),
    ("hs_6_0", hull(patchconstantfunc=None), "must have a valid patchconstantfunc attribute"),
    ("hs_6_0", hull(patchconstantfunc='"nobody"'), "patch constant function 'nobody' must be defined"),
    ("ds_6_0", domain("box"), "attribute 'domain' must have one of these values: tri,quad,isoline"),
    ("gs_6_0", geometry(""), "must have a valid maxvertexcount attribute"),
    ("gs_6_0", geometry("[maxvertexcount(0)]"), "'maxvertexcount' attribute requires integers from 1 to 1024"),
    ("gs_6_0", geometry("[maxvertexcount(1)] [instance(0)]"), "'instance' attribute requires integers from 1"),
    (
        "gs_6_0",
        geometry().replace("inout PointStream<V> s", "").replace("],", "]").replace("s.Append(v[0]);", ""),
        "geometry entry point must have an output stream parameter",
    ),
    ("gs_6_0", geometry().replace("> s", "> s, inout LineStream<V> t"), "only one output primitive type"),
    ("ms_6_5", mesh('[outputtopology("triangle")]'), "mesh entry point must have a valid numthreads attribute"),
    ("ms_6_5", mesh("[numthreads(1, 1, 1)]"), "must have a valid outputtopology attribute"),
    ("ms_6_5", mesh('[numthreads(1, 1, 1)] [outputtopology("triangle_cw")]'), "unknown output topology in mesh shader"),
    ("ms_6_5", mesh(MESH, "uint2"), "expected 1D array of uint3 type"),
    ("ms_6_5", mesh(MESH, more=", out vertices V w[3]"), "only one object with 'vertices' modifier is allowed"),
    ("ms_6_5", mesh(MESH, more=", out primitives S p[3]"), "array size of primitives object should match"),
    ("ms_6_5", mesh(MESH, more=", out primitives uint p[2]"), "expected 1D array of struct type"),
    ("ms_6_5", mesh(MESH, more=", in payload uint p"), "expected payload of struct type"),
    ("ms_6_5", mesh(MESH, more=", in primitives S p[2]"), "'primitives' object must be an out parameter"),
]


@pytest.mark.parametrize(("profile", "source", "message"), WRONG, ids=[row[2] for row in WRONG])
def test_wrong(profile: str, source: str, message: str) -> None:
    modes, errors = compiled(source, profile)
    assert not modes
    assert message in errors
