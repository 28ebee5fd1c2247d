"""Blending, write masks and multisampled targets: the interpreter draws what the driver draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from tests.execute.cpu import Cpu
from tests.execute.vulkan import Picture, Vulkan

SIZE = (24, 20)
VERTEX = """
struct V {
    float4 position : SV_Position; float4 c : COLOR; noperspective float2 flat : FLAT; centroid float2 inner : INNER;
};
V main(float4 p : POSITION, float4 c : COLOR) { V v; v.position = p; v.c = c; v.flat = c.yx; v.inner = c.xy; return v; }
"""
INPUT = """
struct V {
    float4 position : SV_Position; %s float4 c : COLOR; noperspective float2 flat : FLAT; centroid float2 inner : INNER;
};
"""
PLAIN = INPUT % "" + "float4 main(V v) : SV_Target { return v.c; }"


@pytest.fixture(scope="module")
def cpu() -> Cpu:
    return Cpu()


def compiled(source: str, profile: str) -> tuple[bytes, str]:
    result = compile_shader(source, entry="main", profile=profile, options=CompileOptions(target_env="vulkan1.1"))
    assert result.ok, result.diagnostics
    return result.spirv, "main"


def triangles(count: int, seed: int, *, perspective: bool) -> bytes:
    """Return the positions and colours of overlapping triangles within the picture.

    A driver splits triangles that it clips, and their parts have other samples at the inner edges.
    """
    random = np.random.default_rng(seed)
    corners = random.uniform(-1, 1, (count * 3, 8)).astype(np.float32)
    corners[:, 2] = random.uniform(0.1, 0.9, count * 3)
    corners[:, 3] = random.uniform(1, 1.5, count * 3) if perspective else 1
    corners[:, 4:] = random.uniform(0, 1, (count * 3, 4))
    return corners.tobytes()


def pictures(
    device: Vulkan, pixel: str, count: int, targets: Mapping[int, str], *, perspective: bool = True, **state: Any
) -> dict[int, Any]:
    """Return location → channels (height, width, channels) of a picture with overlapping triangles."""
    stages = {"vs": compiled(VERTEX, "vs_6_0"), "ps": compiled(pixel, "ps_6_0")}
    attributes = ((0, "rgba32f"), (1, "rgba32f"))
    picture = Picture(SIZE, targets, count * 3, triangles(count, 7, perspective=perspective), attributes, **state)
    out = device.paint_targets(stages, {}, picture)
    numbers = {"rgba8": np.uint8, "rgba8snorm": np.int8, "rgba16f": np.float16, "rgba32f": np.float32}
    return {
        location: np.frombuffer(out["picture", location], numbers.get(name, np.uint32)).reshape(*SIZE[::-1], -1)
        for location, name in targets.items()
    }


def difference(one: Any, other: Any) -> Any:
    """Return by how much two pictures differ at most in each pixel, in steps of a byte for normalised formats."""
    scale = 255 if one.dtype.kind == "f" else 1
    return np.abs(one.astype(np.float64) - other.astype(np.float64)).max(axis=-1) * scale


def check(vulkan: Vulkan, cpu: Cpu, pixel: str, targets: Mapping[int, str], **state: Any) -> None:
    """Check that both draw the same picture, but for how each step of blending is rounded to bytes."""
    expected, drawn = (pictures(device, pixel, 6, targets, **state) for device in (vulkan, cpu))
    for location, picture in expected.items():
        most = {"rgba8": 3, "rgba16f": 2}.get(targets[location], 0.1)
        differing = difference(picture, drawn[location]) > most
        assert not differing.any(), np.argwhere(differing)
        assert len(np.unique(picture.reshape(-1, picture.shape[-1]), axis=0)) > 3


BLENDS: list[dict[str, str]] = [
    {"source": "src-alpha", "destination": "one-minus-src-alpha"},
    {"source": "dst", "destination": "one-minus-src-alpha"},
    {"source": "dst", "destination": "zero"},
    {"source": "one-minus-dst-alpha", "destination": "src", "alpha_source": "one", "alpha_destination": "zero"},
    {"source": "constant", "destination": "one-minus-constant"},
    {"source": "src-alpha-saturated", "destination": "one", "alpha_source": "src-alpha", "alpha_destination": "zero"},
    {"source": "one-minus-src", "destination": "one-minus-dst", "op": "subtract"},
    {"source": "src", "destination": "one", "op": "reverse-subtract", "alpha_op": "add"},
    {"source": "src", "destination": "dst", "op": "min", "alpha_op": "max"},
    {"source": "src-alpha", "destination": "one-minus-src-alpha", "mask": "rb"},
    {"mask": "ga"},
]


@pytest.mark.parametrize("form", ["rgba8", "rgba16f", "rgba32f"])
@pytest.mark.parametrize("blend", BLENDS, ids=lambda blend: "-".join(blend.values()))
def test_blending(vulkan: Vulkan, cpu: Cpu, blend: dict[str, str], form: str) -> None:
    check(vulkan, cpu, PLAIN, {0: form}, blends={0: blend}, constant=(0.25, 0.5, 0.75, 0.4))


def test_each_target_is_blended_by_itself(vulkan: Vulkan, cpu: Cpu) -> None:
    pixel = (
        INPUT % "" + "void main(V v, out float4 a : SV_Target0, out float4 b : SV_Target1) { a = v.c; b = v.c.wzyx; }"
    )
    check(vulkan, cpu, pixel, {0: "rgba8", 1: "rgba8"}, blends={0: BLENDS[0], 1: {**BLENDS[1], "mask": "rg"}})


def test_dual_source_blending(vulkan: Vulkan, cpu: Cpu) -> None:
    pixel = INPUT % "" + (
        "void main(V v, [[vk::location(0), vk::index(0)]] out float4 a : SV_Target0,"
        " [[vk::location(0), vk::index(1)]] out float4 b : SV_Target1) { a = v.c; b = v.c.wzyx; }"
    )
    blend = {"source": "src1", "destination": "one-minus-src1-alpha"}
    check(vulkan, cpu, pixel, {0: "rgba8"}, blends={0: blend})


MULTISAMPLED = {
    "colours": PLAIN,
    "positions": INPUT % "" + "float4 main(V v) : SV_Target { return float4(frac(v.position.xyz), 1); }",
    "interpolation": INPUT % "" + "float4 main(V v) : SV_Target { return float4(v.flat, v.inner); }",
    "samples": INPUT % "sample" + "float4 main(V v) : SV_Target { return v.c; }",
    "sample index": INPUT % ""
    + "float4 main(V v, uint i : SV_SampleIndex) : SV_Target { return float4(i / 4.0, v.c.x, frac(v.position.xy)); }",
    "coverage": INPUT % ""
    + "float4 main(V v, uint m : SV_Coverage) : SV_Target { return float4((m & 3) / 4.0, (m >> 2) / 4.0, v.c.xy); }",
    "written coverage": INPUT % ""
    + "float4 main(V v, out uint m : SV_Coverage) : SV_Target { m = v.c.x > 0.5 ? 5 : 10; return v.c; }",
    "attributes at samples": INPUT
    % ""
    + "float4 main(V v) : SV_Target { return float4(EvaluateAttributeAtSample(v.c, 2).xy,"
    " EvaluateAttributeSnapped(v.c, int2(3, -4)).xy); }",
    "centroids": INPUT % "" + "float4 main(V v) : SV_Target { return EvaluateAttributeCentroid(v.c); }",
    "depth": INPUT % "" + "float4 main(V v, out float d : SV_Depth) : SV_Target { d = v.c.x; return v.c; }",
}


@pytest.mark.parametrize("form", ["rgba8", "rgba32f"])
@pytest.mark.parametrize("name", MULTISAMPLED)
def test_multisampled_targets(vulkan: Vulkan, cpu: Cpu, name: str, form: str) -> None:
    # lavapipe divides by the w of the centre where it interpolates at samples
    perspective = name in ("colours", "positions", "sample index", "coverage", "written coverage", "depth")
    check(vulkan, cpu, MULTISAMPLED[name], {0: form}, samples=4, perspective=perspective)


@pytest.mark.parametrize("topology", ["lines", "points"])
def test_samples_of_lines_and_points(vulkan: Vulkan, cpu: Cpu, topology: str) -> None:
    # lavapipe interpolates lines half a pixel too far to the right and down, so that only their samples are compared
    pixel = INPUT % "" + "float4 main(V v) : SV_Target { return float4(0, 0.5, 1, 0); }"
    given = {"samples": 4, "topology": topology, "perspective": False}
    expected, drawn = (pictures(device, pixel, 6, {0: "rgba32f"}, **given)[0] for device in (vulkan, cpu))
    assert np.count_nonzero(difference(expected, drawn) > 1) <= 3  # single samples on edges
    assert np.count_nonzero(difference(drawn, drawn[0, 0]) > 1) > (5 if topology == "points" else 50)


@pytest.mark.parametrize("blend", BLENDS[:2], ids=lambda blend: "-".join(blend.values()))
def test_samples_are_blended(vulkan: Vulkan, cpu: Cpu, blend: dict[str, str]) -> None:
    check(vulkan, cpu, PLAIN, {0: "rgba8"}, blends={0: blend}, samples=4)


SPRITES = """
struct Point { float2 place : PLACE; float size : SIZE; float4 colour : COLOR; };
struct Corner { float4 position : SV_Position; float2 at : CORNER; nointerpolation float4 colour : COLOR; };
Point vertex(float4 place : POSITION, float4 colour : COLOR)
{
    Point p;
    p.place = place.xy * 0.7;
    p.size = 0.2 + place.z * 0.3;
    p.colour = colour;
    return p;
}
[maxvertexcount(4)]
void expand(point Point p[1], inout TriangleStream<Corner> corners)
{
    for (uint n = 0; n < 4; ++n) {
        Corner corner;
        corner.at = float2(n & 1, n >> 1) * 2 - 1;
        corner.position = float4(p[0].place + corner.at * p[0].size, 0.5, 1);
        corner.colour = p[0].colour;
        corners.Append(corner);
    }
}
float4 pixel(Corner corner) : SV_Target
{
    float distance = dot(corner.at, corner.at);
    if (distance > 1)
        discard;
    return float4(corner.colour.rgb, corner.colour.a * (1 - distance));
}
"""


@pytest.mark.parametrize("samples", [1, 4])
def test_sprites_of_a_geometry_shader_are_blended(vulkan: Vulkan, cpu: Cpu, samples: int) -> None:
    stages = {}
    for stage, entry in (("vs", "vertex"), ("gs", "expand"), ("ps", "pixel")):
        options = CompileOptions(target_env="vulkan1.1")
        result = compile_shader(SPRITES, entry=entry, profile=f"{stage}_6_0", options=options)
        assert result.ok, result.diagnostics
        stages[stage] = result.spirv, entry
    corners = triangles(3, 3, perspective=False)
    attributes = ((0, "rgba32f"), (1, "rgba32f"))
    blend = {"source": "src-alpha", "destination": "one-minus-src-alpha"}
    given = Picture(SIZE, {0: "rgba32f"}, 9, corners, attributes, samples=samples, blends={0: blend}, topology="points")
    expected, drawn = (
        np.frombuffer(device.paint_targets(stages, {}, given)["picture", 0], np.float32).reshape(*SIZE[::-1], 4)
        for device in (vulkan, cpu)
    )
    assert np.count_nonzero(difference(expected, drawn) > 1) <= 2  # samples on the edge of a disc
    assert len(np.unique(drawn.reshape(-1, 4), axis=0)) > 50
