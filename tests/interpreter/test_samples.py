"""Multisampled targets, early depth tests and blending in the interpreter's draws, without a driver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import (
    FORMATS,
    Blend,
    Buffer,
    Draw,
    ExecutionError,
    Image,
    NotInterpretedError,
    Resources,
    Targets,
    draw,
    resolved,
)
from hlsl_tool.interpreter.stages.interface import Values
from hlsl_tool.interpreter.stages.rasterizer import POSITIONS
from hlsl_tool.spirv.enums import ExecutionModel
from tests.interpreter.test_pictures import FULL, PLAIN, SIDE, program


def picture(pixel: str, positions: Any, targets: Targets, resources: Resources | None = None, **rest: Any) -> None:
    """Draw triangles of one colour, which is the position of each vertex."""
    corners = np.array(positions, np.float32).T
    programs = {
        ExecutionModel.Vertex: program(PLAIN, "vs_6_0", ExecutionModel.Vertex),
        ExecutionModel.Fragment: program(pixel, "ps_6_0", ExecutionModel.Fragment),
    }
    inputs = Values({(0, 0): corners, (1, 0): corners})
    draw(programs, Draw(len(positions), inputs=inputs, targets=targets, **rest), resources or Resources())


def target(samples: int, form: str = "R32f") -> Image:
    return Image(FORMATS[form], (SIDE, SIDE, 1), samples=samples)


def numbers(image: Image) -> Any:
    return image.buffer.bytes.view(image.format.number).reshape(SIDE, SIDE, image.samples, -1)


ONE = "float main() : SV_Target { return 1; }"
HALF = [(-1, -1, 0.5, 1), (0.3, -1, 0.5, 1), (-1, 1.1, 0.5, 1)]
"""A triangle with a slanted edge."""


@pytest.mark.parametrize("samples", [1, 2, 4, 8, 16])
def test_samples_are_covered_at_the_standard_positions(samples: int) -> None:
    image = target(samples)
    picture(ONE, HALF, Targets({0: image}))
    y, x = (axis[..., None] for axis in np.mgrid[0:SIDE, 0:SIDE])
    across, down = ((grid + POSITIONS[samples].T[axis]) * 2 / SIDE - 1 for axis, grid in enumerate((x, y)))
    left = (across - 0.3) * 2.1 + (down + 1) * 1.3
    near = np.abs(left) < 0.01  # positions are rounded to 1/256 of a pixel
    np.testing.assert_array_equal(numbers(image)[..., 0][~near], (left < 0)[~near])


def test_pixels_are_shaded_once_and_samples_if_the_shader_asks_for_it() -> None:
    count = (
        "RWStructuredBuffer<uint> n : register(u0); float main(%s) : SV_Target { InterlockedAdd(n[0], 1); return %s; }"
    )
    for inputs, value, expected in (("", "1", 1), ("uint i : SV_SampleIndex", "i", 4)):
        counter, image = Buffer(np.zeros(1, np.uint32)), target(4)
        picture(count % (inputs, value), FULL, Targets({0: image}), Resources({(0, 0): [counter]}))
        assert counter.bytes.view(np.uint32).tolist() == [expected * SIDE * SIDE]
        assert numbers(image)[3, 5, :, 0].tolist() == ([0, 1, 2, 3] if expected == 4 else [1, 1, 1, 1])


def test_the_depth_test_is_for_each_sample() -> None:
    image, depth = target(4), target(4)
    depth.buffer.bytes.view(np.float32)[:] = 1
    targets = Targets({0: image}, depth, "less")
    picture(ONE, HALF, targets)
    picture("float main() : SV_Target { return 2; }", [(x, y, 0.75, 1) for x, y, *_ in FULL], targets)
    seen = numbers(image)[..., 0]
    assert set(np.unique(seen)) == {1, 2}
    assert ((seen == 1) == (numbers(depth)[..., 0] == 0.5)).all()


def test_early_depth_tests_keep_hidden_pixels_from_running() -> None:
    early = "[earlydepthstencil] float main() : SV_Target { InterlockedAdd(n[0], 1); return 1; }"
    counter, depth = Buffer(np.zeros(1, np.uint32)), target(1)
    numbers(depth)[:, : SIDE // 2] = 1
    source = f"RWStructuredBuffer<uint> n : register(u0); {early}"
    picture(source, FULL, Targets({0: target(1)}, depth, "less"), Resources({(0, 0): [counter]}))
    assert counter.bytes.view(np.uint32).tolist() == [SIDE * SIDE // 2]


def test_lines_cover_a_rectangle_in_multisampled_targets() -> None:
    row, slanted = target(4), target(4)
    line = [(-0.5, 1 / SIDE, 0, 1), (0.5, 1 / SIDE, 0, 1)]
    picture(ONE, line, Targets({0: row}), topology="lines")
    seen = numbers(row)[..., 0]
    assert (seen[8, 4:12] == 1).all()
    assert seen.sum() == 4 * 8
    picture(ONE, [(-0.7, -0.7, 0, 1), (0.7, 0.3, 0, 1)], Targets({0: slanted}), topology="lines")
    length = np.hypot(1.4, 1.0) * SIDE / 2
    assert abs(numbers(slanted).sum() - 4 * length) < 4


def test_layers_that_targets_lack_are_dropped() -> None:
    vertex = """
    struct V { float4 position : SV_Position; uint layer : SV_RenderTargetArrayIndex; };
    V main(float4 p : POSITION, uint id : SV_VertexID) { V v; v.position = p; v.layer = id / 3; return v; }
    """
    programs = {
        ExecutionModel.Vertex: program(vertex, "vs_6_0", ExecutionModel.Vertex),
        ExecutionModel.Fragment: program(ONE, "ps_6_0", ExecutionModel.Fragment),
    }
    image = Image(FORMATS["R32f"], (SIDE, SIDE, 1), layers=2)
    inputs = Values({(0, 0): np.array(FULL * 3, np.float32).T})
    draw(programs, Draw(9, inputs=inputs, targets=Targets({0: image})), Resources())
    assert (image.buffer.bytes.view(np.float32) == 1).all()


def test_images_are_resolved() -> None:
    image = target(4, "R8")
    numbers(image)[0, 0, :, 0] = 0, 255, 255, 0
    integers = target(4, "R32ui")
    numbers(integers)[0, 0, :, 0] = 7, 8, 9, 10
    assert numbers(resolved(image))[0, 0].tolist() == [[128]]
    assert numbers(resolved(integers))[0, 0].tolist() == [[7]]


def test_integer_targets_are_masked_and_not_blended() -> None:
    image = target(1, "Rgba32ui")
    numbers(image)[:] = 9
    pixel = "uint4 main() : SV_Target { return uint4(1, 2, 3, 4); }"
    picture(pixel, FULL, Targets({0: image}, blends={0: Blend("one", "one", mask="rb")}))
    assert numbers(image)[2, 2, 0].tolist() == [1, 9, 3, 9]


@pytest.mark.parametrize(
    ("blend", "message"),
    [
        ({"source": "src-gamma"}, "there is no blend factor `src-gamma`"),
        ({"op": "xor"}, "there is no blend operation `xor`"),
        ({"mask": "rgbz"}, "`rgbz` is no mask of channels"),
    ],
)
def test_unknown_blendings_are_errors(blend: dict[str, str], message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        Blend(**blend)


def test_what_is_not_interpreted_is_an_error() -> None:
    with pytest.raises(NotInterpretedError, match="targets of 3 samples"):
        picture(ONE, HALF, Targets({0: target(3)}))
    with pytest.raises(ExecutionError, match="different numbers of samples"):
        Targets({0: target(4)}, target(1))
