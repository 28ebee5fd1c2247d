"""Draws: coverage, interpolation, derivatives, helper lanes, depth and clipping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.interpreter import (
    FORMATS,
    Attribute,
    Buffer,
    Draw,
    Image,
    Program,
    Resources,
    Sampler,
    Settings,
    Targets,
    dispatch,
    draw,
    fill,
)
from hlsl_tool.spirv.enums import ExecutionModel

SIDE = 16
VERTEX = """
struct V { float4 position : SV_Position; %s };
V main(float4 p : POSITION, float4 c : COLOR) { V v; v.position = p; %s return v; }
"""
PLAIN = VERTEX % ("float4 c : COLOR;", "v.c = c;")
FULL = [(-1, -1, 0.5, 1), (3, -1, 0.5, 1), (-1, 3, 0.5, 1)]
"""A triangle that covers the picture."""


def program(source: str, profile: str, model: int) -> Program:
    """Return the program of an entry point ``main``."""
    result = compile_shader(source, entry="main", profile=profile, options=CompileOptions(target_env="vulkan1.1"))
    assert result.ok, result.diagnostics
    return Program(result.spirv, model=model)


def picture(
    pixel: str,
    positions: Any,
    colours: Any = None,
    *,
    vertex: str = PLAIN,
    depth: Image | None = None,
    resources: Resources | None = None,
    **rest: Any,
) -> Any:
    """Return the channels of a drawn picture, (rows, columns, 4); colours are those of the vertices."""
    given = np.array(positions, np.float32)
    second = np.zeros_like(given) if colours is None else np.array(colours, np.float32)
    data = np.concatenate([given, second], axis=1).astype(np.float32)
    attributes = [
        Attribute(number, FORMATS["Rgba32f"], data.reshape(-1).view(np.uint8), 16 * number, 32) for number in (0, 1)
    ]
    image = Image(FORMATS["Rgba32f"], (SIDE, SIDE, 1))
    targets = Targets({0: image}, depth, "less" if depth is not None else "always")
    programs = {
        ExecutionModel.Vertex: program(vertex, "vs_6_0", ExecutionModel.Vertex),
        ExecutionModel.Fragment: program(pixel, "ps_6_0", ExecutionModel.Fragment),
    }
    draw(programs, Draw(len(given), attributes=attributes, targets=targets, **rest), resources or Resources())
    return image.buffer.bytes.view(np.float32).reshape(SIDE, SIDE, 4)


CONSTANT = "float4 main() : SV_Target { return 1; }"
POSITION = "float4 main(float4 p : SV_Position) : SV_Target { return p; }"


def test_positions_of_pixels() -> None:
    pixels = picture(POSITION, FULL)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    np.testing.assert_array_equal(pixels[..., 0], x + 0.5)
    np.testing.assert_array_equal(pixels[..., 1], y + 0.5)
    np.testing.assert_allclose(pixels[..., 2], np.full((SIDE, SIDE), 0.5))
    np.testing.assert_allclose(pixels[..., 3], np.ones((SIDE, SIDE)))


@pytest.mark.parametrize("corner", [(0.3, -0.2), (0.25, 0.25), (-0.4, 0.6)])
def test_triangles_that_share_edges_cover_each_pixel_once(corner: tuple[float, float]) -> None:
    count = """
    RWStructuredBuffer<uint> n : register(u0);
    float4 main(float4 p : SV_Position) : SV_Target { InterlockedAdd(n[uint(p.y) * 16 + uint(p.x)], 1); return 1; }
    """
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    positions = []
    for number, first in enumerate(corners):
        for x, y in (first, corners[(number + 1) % 4], corner):
            positions.append((x, y, 0.5, 1))
    counts = Buffer(np.zeros(SIDE * SIDE, np.uint32))
    picture(count, positions, resources=Resources({(0, 0): [counts]}))
    assert set(counts.bytes.view(np.uint32).tolist()) == {1}


def test_interpolation_is_correct_in_perspective() -> None:
    vertex = VERTEX % (
        "float2 a : A; noperspective float2 b : B; nointerpolation float c : C;",
        "v.a = c.xy; v.b = c.xy; v.c = c.z;",
    )
    pixel = """
    float4 main(float4 p : SV_Position, float2 a : A, noperspective float2 b : B, nointerpolation float c : C)
        : SV_Target
    { return float4(a.x, b.x, c, p.w); }
    """
    w = np.array([1, 4, 2])
    flat = np.array([(-1, -1), (3, -1), (-1, 3)])
    positions = [(x * n, y * n, 0.5 * n, n) for (x, y), n in zip(flat, w, strict=True)]
    pixels = picture(pixel, positions, [(0, 0, 7, 0), (1, 0, 8, 0), (0, 1, 9, 0)], vertex=vertex)
    y, x = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    b1, b2 = x / (2 * SIDE), y / (2 * SIDE)
    inverse = (1 - b1 - b2) / w[0] + b1 / w[1] + b2 / w[2]
    np.testing.assert_allclose(pixels[..., 0], b1 / w[1] / inverse, rtol=1e-5)
    np.testing.assert_allclose(pixels[..., 1], b1, rtol=1e-5)
    assert set(pixels[..., 2].reshape(-1).tolist()) == {7.0}
    np.testing.assert_allclose(pixels[..., 3], inverse, rtol=1e-5)


def test_derivatives_use_helper_lanes() -> None:
    pixel = """
    float4 main(float4 p : SV_Position) : SV_Target {
        if (p.x < 3) discard;
        return float4(ddx(p.x * p.x), ddy(p.y * 3), fwidth(p.x), 1);
    }
    """
    pixels = picture(pixel, [(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1)])
    drawn = pixels[..., 3] == 1
    assert not drawn[:, :3].any()
    assert drawn[0].sum() == SIDE - 3 - 1
    y, x = np.nonzero(drawn)
    np.testing.assert_array_equal(pixels[y, x, 0], (x // 2 * 2 + 1.5) ** 2 - (x // 2 * 2 + 0.5) ** 2)
    np.testing.assert_array_equal(pixels[y, x, 1], np.full(len(x), 3))


def test_a_discarded_pixel_writes_no_buffer() -> None:
    pixel = """
    RWStructuredBuffer<uint> n : register(u0);
    float4 main(float4 p : SV_Position) : SV_Target {
        if (p.x > 8) discard;
        InterlockedAdd(n[0], 1);
        return 1;
    }
    """
    counts = Buffer(np.zeros(1, np.uint32))
    picture(pixel, FULL, resources=Resources({(0, 0): [counts]}))
    assert counts.bytes.view(np.uint32)[0] == SIDE * SIDE // 2


def test_the_nearest_triangle_is_seen() -> None:
    depth = Image(FORMATS["R32f"], (SIDE, SIDE, 1), np.ones(SIDE * SIDE, np.float32))
    pixel = "float4 main(float4 c : COLOR) : SV_Target { return c; }"
    near, far = [(x, y, 0.25, 1) for x, y, _, _ in FULL], [(x, y, 0.75 if x < 1 else 0, 1) for x, y, _, _ in FULL]
    colours = [(1, 0, 0, 1)] * 3 + [(0, 1, 0, 1)] * 3
    pixels = picture(pixel, [*near, *far], colours, vertex=VERTEX % ("float4 c : COLOR;", "v.c = c;"), depth=depth)
    stored = depth.buffer.bytes.view(np.float32).reshape(SIDE, SIDE)
    x = np.arange(SIDE) + 0.5
    slope = 0.75 * (1 - x / (2 * SIDE))
    np.testing.assert_allclose(stored[0], np.minimum(0.25, slope), rtol=1e-5)
    assert (pixels[0, :, 1] == (slope < 0.25)).all()


def test_triangles_are_clipped_at_the_near_plane() -> None:
    positions = [(-1, -1, 0.5, 1), (1, -1, 0.5, 1), (0, 4, -4, -1)]  # the last vertex is behind the eye
    pixels = picture("float4 main(float4 c : COLOR) : SV_Target { return c; }", positions, [(1, 0, 0, 1)] * 3)
    drawn = pixels[..., 0] > 0
    assert drawn.all(axis=1).tolist() == drawn.any(axis=1).tolist() == [True] * 3 + [False] * (SIDE - 3)
    np.testing.assert_allclose(pixels[drawn][:, 0], 1, rtol=1e-6)


def test_inputs_without_perspective_stay_linear_behind_the_eye() -> None:
    positions = [(-1, -1, 0.2, 1), (3, -0.5, 0.4, 1.5), (-0.5, 2, -0.3, -0.2)]
    screen = [(x / w, y / w, 0, 1) for x, y, _, w in positions]
    vertex = VERTEX % ("noperspective float2 c : C;", "v.c = c.xy;")
    pixel = "float4 main(noperspective float2 c : C) : SV_Target { return float4(c, 0, 1); }"
    pixels = picture(pixel, positions, screen, vertex=vertex)
    drawn = pixels[..., 3] > 0
    y, x = (np.mgrid[0:SIDE, 0:SIDE] + 0.5) * 2 / SIDE - 1
    assert drawn.sum() > SIDE
    np.testing.assert_allclose(pixels[drawn][:, 0], x[drawn], atol=1e-5)
    np.testing.assert_allclose(pixels[drawn][:, 1], y[drawn], atol=1e-5)


@pytest.mark.parametrize(
    ("order", "clockwise", "front"), [((0, 1, 2), False, 0), ((0, 2, 1), False, 1), ((0, 1, 2), True, 1)]
)
def test_front_faces(order: tuple[int, ...], clockwise: bool, front: int) -> None:
    pixel = "float4 main(bool front : SV_IsFrontFace) : SV_Target { return front ? 1 : 0.5; }"
    pixels = picture(pixel, [FULL[number] for number in order], clockwise_front=clockwise)
    assert pixels[0, 0, 0] == (1 if front else 0.5)


def test_points_and_lines() -> None:
    points = picture(CONSTANT, [(-1 + (2 * x + 1) / SIDE, -1 + 3 / SIDE, 0, 1) for x in (2, 5)], topology="points")
    assert np.argwhere(points[..., 0]).tolist() == [[1, 2], [1, 5]]
    lines = picture(CONSTANT, [(-1, -1 + 5 / SIDE, 0, 1), (1, -1 + 5 / SIDE, 0, 1)], topology="lines")
    assert np.argwhere(lines[..., 0]).tolist() == [[2, x] for x in range(SIDE)]


def test_textures_have_a_level_of_detail() -> None:
    levels = np.concatenate(
        [np.full(size * size, number, np.float32) for number, size in enumerate((32, 16, 8, 4, 2, 1))]
    )
    image = Image(FORMATS["R32f"], (32, 32, 1), levels, levels=6)
    pixel = """
    Texture2D<float> t : register(t0); SamplerState s : register(s1);
    float4 main(float4 p : SV_Position) : SV_Target
    { return float4(t.Sample(s, p.xy / 16), t.Sample(s, p.xy / 4), 0, 1); }
    """
    pixels = picture(pixel, FULL, resources=Resources({(0, 0): [image], (0, 1): [Sampler(address=("wrap",) * 3)]}))
    np.testing.assert_array_equal(pixels[..., 0], np.ones((SIDE, SIDE)))
    np.testing.assert_array_equal(pixels[..., 1], np.full((SIDE, SIDE), 3))


@pytest.mark.parametrize("scissor", [(3, 2, 8, 7), (-4, -4, 3, 3), (5, 5, 5, 9), (0, 0, 99, 99)])
def test_only_pixels_within_the_scissor_are_drawn(scissor: tuple[int, int, int, int]) -> None:
    source = (
        "float4 main(float4 p : SV_Position, float2 uv : T) : SV_Target { return float4(p.xy, ddx(uv.x) * 10, 1); }"
    )
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions())
    program = Program(result.spirv)
    whole, part = (
        fill(program, (10, 10), Resources(), scissor=bounds)[0].buffer.bytes.view(np.float32).reshape(10, 10, 4)
        for bounds in (None, scissor)
    )
    left, top, right, bottom = (max(0, min(side, 10)) for side in scissor)
    expected = np.zeros_like(whole)
    expected[top:bottom, left:right] = whole[top:bottom, left:right]
    np.testing.assert_array_equal(part, expected)


def test_a_group_can_run_alone() -> None:
    source = (
        "RWStructuredBuffer<uint> o; [numthreads(2, 1, 1)] void main(uint i : SV_DispatchThreadID) { o[i] = i + 1; }"
    )
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions())
    buffer = Buffer(np.zeros(8, np.uint32))
    dispatch(Program(result.spirv), (4, 1, 1), Resources({(0, 0): [buffer]}), Settings(only=2))
    assert buffer.bytes.view(np.uint32).tolist() == [0, 0, 0, 0, 5, 6, 0, 0]
