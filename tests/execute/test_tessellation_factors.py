"""`Process*TessFactors*` in a patch constant function, compared with a model in numpy, for each partitioning."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.execute.intrinsics.rows import Array
from tests.execute.tables import Runner
from tests.execute.vulkan import storage

each_optimisation = pytest.mark.parametrize("run", ["performance", "none"], indirect=True)
each_partitioning = pytest.mark.parametrize("partitioning", ["integer", "fractional_odd", "fractional_even"])

EDGES = np.array(
    [
        (1.0, 2.0, 3.0, 4.0),
        (0.25, 5.5, 2.5, 1.25),
        (7.3, 7.3, 7.3, 7.3),
        (63.5, 80.0, 64.0, 12.5),
        (-1.0, 0.0, 1.0, 1.5),
        (np.nan, 6.5, np.nan, 2.0),
        (1e30, 3.0, 4.75, 33.3),
    ],
    np.float32,
)
SCALES = np.array([(1.0, 1.0), (0.5, 0.25), (-1.0, 2.0), (np.nan, 0.1)], np.float32)
INPUTS = list(product(EDGES, SCALES))
WORDS = 16
"""Words of output for each input and function"""

NAMES = [
    "Process2DQuadTessFactorsAvg",
    "Process2DQuadTessFactorsMax",
    "Process2DQuadTessFactorsMin",
    "ProcessQuadTessFactorsAvg",
    "ProcessQuadTessFactorsMax",
    "ProcessQuadTessFactorsMin",
    "ProcessTriTessFactorsAvg",
    "ProcessTriTessFactorsMax",
    "ProcessTriTessFactorsMin",
]

CALLS = """
RWStructuredBuffer<float> results : register(u0);
static const float raw[] = {{ {raw} }};
static const float scales[] = {{ {scales} }};
void put(inout uint at, float4 edges, float2 rounded, float2 unrounded) {{
    for (uint i = 0; i < 4; ++i) results[at + i] = edges[i];
    for (uint k = 0; k < 2; ++k) {{ results[at + 4 + k] = rounded[k]; results[at + 6 + k] = unrounded[k]; }}
    at += 16;
}}
void compute(inout uint at, float4 e, float2 s) {{
    float4 r4; float3 r3; float2 r2, u2; float r, u;
    {calls}
    ProcessIsolineTessFactors(e.x, e.y, r, u);
    put(at, float4(r, u, 0, 0), 0, 0);
}}
"""
HULL = """
struct Point { float2 at : PLACE; };
struct Constants { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
Constants constants(InputPatch<Point, 1> patch) {
    uint at = 0;
    for (uint i = 0; i < EDGES; ++i)
        for (uint k = 0; k < SCALES; ++k)
            compute(at, float4(raw[4 * i], raw[4 * i + 1], raw[4 * i + 2], raw[4 * i + 3]),
                    float2(scales[2 * k], scales[2 * k + 1]));
    return (Constants)1;
}
[domain("quad")] [partitioning("PARTITIONING")] [outputtopology("triangle_cw")] [outputcontrolpoints(1)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 1> patch) { return patch[0]; }
"""
VERTEX = "struct Point { float2 at : PLACE; }; Point main() { return (Point)0; }"
DOMAIN = """
struct Point { float2 at : PLACE; };
struct Constants { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
[domain("quad")] float4 main(Constants c, float2 uv : SV_DomainLocation, const OutputPatch<Point, 1> p) : SV_Position {
    return float4(uv, 0, 1);
}"""
PIXEL = "void main() {}"


def call(name: str) -> str:
    """Return HLSL statements that call a function and store its results."""
    if "Tri" in name:
        return f"{name}(e.xyz, s.x, r3, r, u); put(at, float4(r3, 0), r, u);"
    return f"{name}(e, {'s' if '2D' in name else 's.x'}, r4, r2, u2); put(at, r4, r2, u2);"


def number(x: float) -> str:
    bits = np.float32(x).view(np.uint32)
    return f"asfloat(0x{int(bits):x}u)"


LIMITS = {"integer": (1, 64), "fractional_odd": (1, 63), "fractional_even": (2, 64)}
REDUCE = {"Avg": np.mean, "Max": np.max, "Min": np.min}
SIDES = {"2DQuad": ((1, 3), (0, 2)), "Quad": ((0, 1, 2, 3),) * 2, "Tri": ((0, 1, 2),) * 2}


def clamped(x: Array, partitioning: str) -> Array:
    low, high = LIMITS[partitioning]
    return np.fmin(np.fmax(x, low), high)


def rounded(x: Array, partitioning: str) -> Array:
    return np.ceil(x) if partitioning == "integer" else x


def model(name: str, edges: Array, scale: Array, partitioning: str) -> tuple[Array, Array, Array]:
    """Return the results of the HLSL function ``name`` as a model in numpy computes them.

    They are (rounded edge factors, rounded inside factors, unrounded inside factors).
    """
    shape, _, kind = name.removeprefix("Process").partition("TessFactors")
    count = 3 if shape == "Tri" else 4
    out = np.zeros(4)
    out[:count] = rounded(clamped(edges[:count], partitioning), partitioning)
    clean = np.fmax(edges, 1).astype(np.float64)
    scale = np.fmin(np.fmax(scale if shape == "2DQuad" else scale[[0, 0]], 0), 1)
    groups = [clean[list(group)] for group in SIDES[shape]]
    inside = clamped(np.array([REDUCE[kind](group) for group in groups]) * scale, partitioning)
    if partitioning == "fractional_odd":
        unscaled = [REDUCE["Max" if kind == "Max" else "Avg"](group) for group in groups]
        inside = np.where(inside < 3, np.fmin(clamped(np.array(unscaled), partitioning), 3), inside)
        if shape == "2DQuad":
            inside = np.where(inside < 3, min(inside.max(), 3), inside)
    return out, rounded(inside, partitioning), inside


@each_optimisation
@each_partitioning
def test_factors(run: Runner, partitioning: str) -> None:
    run.needs("tessellationShader", "vertexPipelineStoresAndAtomics")
    calls = CALLS.format(
        raw=", ".join(map(number, EDGES.ravel())),
        scales=", ".join(map(number, SCALES.ravel())),
        calls="\n    ".join(map(call, NAMES)),
    )
    hull = HULL.replace("PARTITIONING", partitioning)
    hull = hull.replace("EDGES", str(len(EDGES))).replace("SCALES", str(len(SCALES)))
    sources = {"vs": VERTEX, "hs": calls + hull, "ds": DOMAIN, "ps": PIXEL}
    stages = {stage: run.compile(source, profile=f"{stage}_6_0") for stage, source in sources.items()}
    size = 4 * WORDS * len(INPUTS) * (len(NAMES) + 1)
    out = run.vulkan.run_graphics(stages, {(0, 0): storage(size)}, (8, 8), 1, topology="patches", patch=1)
    words = np.frombuffer(out[0, 0], np.float32).reshape(len(INPUTS), len(NAMES) + 1, WORDS)
    for (edges, scale), actual in zip(INPUTS, words, strict=True):
        for name, row in zip(NAMES, actual, strict=False):
            wanted = np.concatenate(model(name, edges, scale, partitioning))
            np.testing.assert_allclose(row[:8], wanted, rtol=1e-6, err_msg=f"{name}({edges}, {scale})")
        wanted = rounded(clamped(edges[:2], partitioning), partitioning)
        np.testing.assert_allclose(actual[-1][:2], wanted, err_msg=f"ProcessIsolineTessFactors({edges[:2]})")
