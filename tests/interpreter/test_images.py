"""Images: formats, addressing, filters, cubes and gathers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import FORMATS, Buffer, Image, Resources, Sampler, dispatch, texel_buffer
from hlsl_tool.interpreter.images.addressing import across_edge, cube_face, wrapped
from hlsl_tool.interpreter.images.image import TexelPlace
from hlsl_tool.interpreter.images.sampling import Request, gather, sample
from hlsl_tool.interpreter.runtime.masks import Mask
from tests.interpreter.shaders import program

RAMP = np.arange(16, dtype=np.float32)


def sampled(image: Image, sampler: Sampler, *coordinates: float, lod: float = 0.0, **rest: Any) -> list[float]:
    """Return the first channel of samples at single coordinates of a one-dimensional image."""
    points = np.array([coordinates], np.float32)
    request = Request(points, False, np.zeros(1, np.float32), np.array([lod], np.float32), **rest)
    mask = Mask(np.ones(points.shape[-1], np.bool_))
    return sample(image, sampler, request, mask)[0].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_formats_keep_their_values(name: str) -> None:
    form = FORMATS[name]
    if form.is_integer:
        texels = np.array([[1, 2], [3, 1], [2, 0], [1, 3]], f"u{max(4, form.number.itemsize)}")
    else:
        texels = np.array([[0, 1], [1, 0], [1, 1], [0, 1]], np.float64 if "64" in name else np.float32)
    image = Image(form, (2, 1, 1), np.ascontiguousarray(form.encode(texels).T))
    decoded = form.decode(image.buffer.bytes.view(form.number).reshape(2, form.count).T)
    count = (
        3 if name == "R11fG11fB10f" else form.count if form.kind in ("float", "unorm", "snorm", "uint", "sint") else 4
    )
    np.testing.assert_array_equal(decoded[:count], texels[:count])
    np.testing.assert_array_equal(decoded[count:], np.array([[0], [0], [0], [1]])[count:].repeat(2, axis=1))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("clamp", [0, 0, 0, 1, 2, 3, 3, 3, 3]),
        ("wrap", [2, 3, 0, 1, 2, 3, 0, 1, 2]),
        ("mirror", [1, 0, 0, 1, 2, 3, 3, 2, 1]),
        ("mirror_once", [1, 0, 0, 1, 2, 3, 3, 3, 3]),
    ],
)
def test_address_modes(mode: str, expected: list[int]) -> None:
    assert wrapped(np.arange(-2, 7), np.array([4]), mode).tolist() == expected


def test_nearest_and_linear_filters() -> None:
    image = Image(FORMATS["R32f"], (16, 1, 1), RAMP)
    assert sampled(image, Sampler(), 0.0, 0.5, 0.99, 1.5) == [0, 8, 15, 15]
    linear = Sampler("linear", "linear")
    assert sampled(image, linear, 0.0, 0.5, 1.0, 3 / 16) == [0, 7.5, 15, 2.5]
    assert sampled(image, Sampler("linear", "linear", address=("wrap",) * 3), 0.0) == [7.5]
    assert sampled(image, Sampler(address=("border",) * 3, border=(9, 9, 9, 9)), -0.1, 0.5) == [9, 8]


def test_texels_outside_are_zero_beside_one_that_is_not_a_number() -> None:
    image = Image(FORMATS["R32f"], (1, 1, 1), np.array([np.nan], np.float32))
    x, zero = np.array([0, 1]), np.zeros(1, np.int64)
    texels = image.fetch(TexelPlace(x, zero, zero, zero, zero, zero), Mask(np.ones(2, np.bool_)))
    np.testing.assert_array_equal(texels[0], [np.nan, 0])


def test_levels_of_detail() -> None:
    image = Image(FORMATS["R32f"], (4, 1, 1), np.array([0, 0, 0, 0, 10, 10, 20], np.float32), levels=3)
    assert [sampled(image, Sampler(), 0.5, lod=lod)[0] for lod in (0, 0.5, 0.6, 1.5, 9)] == [0, 0, 10, 10, 20]
    assert [sampled(image, Sampler(mipmap="linear"), 0.5, lod=lod)[0] for lod in (0.25, 1.5)] == [2.5, 15]
    assert sampled(image, Sampler(bias=1.0), 0.5) == [10]
    assert sampled(image, Sampler(least=2.0), 0.5) == [20]


def test_a_limit_of_an_instruction_holds_after_the_bias_of_the_sampler() -> None:
    image = Image(FORMATS["R32f"], (4, 1, 1), np.array([0, 0, 0, 0, 10, 10, 20], np.float32), levels=3)
    assert sampled(image, Sampler(bias=-2.0), 0.5, lod=1.0, least=np.array([1.0], np.float32)) == [10]


LEVELS = """
Texture2D<float4> t : register(t0);
SamplerState s : register(s1);
RWStructuredBuffer<float> o : register(u2);
[numthreads(2, 2, 1)] void main(uint2 i : SV_DispatchThreadID) {
    o[0] = t.CalculateLevelOfDetail(s, i / 8.0);
    o[1] = t.CalculateLevelOfDetailUnclamped(s, i / 8.0);
}"""


@pytest.mark.parametrize(
    ("sampler", "expected"),
    [
        (Sampler(mipmap="linear"), [1, 1]),
        (Sampler(mipmap="linear", bias=0.5), [1.5, 1.5]),
        (Sampler(mipmap="linear", bias=-2, least=0.25), [0.25, -1]),
        (Sampler(bias=0.75, most=3), [2, 1.75]),
    ],
)
def test_queried_levels_have_the_bias_and_the_limits_of_the_sampler(sampler: Sampler, expected: list[float]) -> None:
    levels, out = Image(FORMATS["R8"], (16, 16, 1), levels=5), Buffer(np.zeros(2, np.float32))
    resources = Resources({(0, 0): [levels], (0, 1): [sampler], (0, 2): [out]})
    dispatch(program(LEVELS), (1, 1, 1), resources)
    assert out.bytes.view(np.float32).tolist() == expected


def test_references_are_clamped_for_normalised_formats() -> None:
    image = Image(FORMATS["R16"], (1, 1, 1), np.array([0xFFFF], np.uint16))
    reference = np.array([2.0], np.float32)
    assert sampled(image, Sampler(compare="less-equal"), 0.5, reference=reference) == [1]
    image = Image(FORMATS["R32f"], (1, 1, 1), np.array([1.0], np.float32))
    assert sampled(image, Sampler(compare="less-equal"), 0.5, reference=reference) == [0]


def test_integers_are_not_filtered() -> None:
    image = Image(FORMATS["Rgb10a2ui"], (2, 1, 1), np.array([1, 3], np.uint32))
    assert sampled(image, Sampler("linear", "linear"), 0.5) == [3]


def test_small_floats_keep_nan_and_infinity() -> None:
    form = FORMATS["R11fG11fB10f"]
    texels = np.array([[np.nan], [-np.nan], [np.inf], [1]], np.float32)
    np.testing.assert_array_equal(form.decode(form.encode(texels))[:3], [[np.nan], [np.nan], [np.inf]])
    assert form.decode(form.encode(-texels))[2] == 0


def test_comparisons_are_filtered() -> None:
    image = Image(FORMATS["R32f"], (2, 1, 1), np.array([0.25, 0.75], np.float32))
    reference = np.array([0.5], np.float32)
    assert sampled(image, Sampler("linear", "linear", compare="less"), 0.5, 1.0, reference=reference) == [0.5, 1]


def test_a_gather_has_the_texels_in_their_order() -> None:
    image = Image(FORMATS["R32f"], (2, 2, 1), np.array([1, 2, 3, 4], np.float32))
    request = Request(np.full((2, 1), 0.5, np.float32), False, np.zeros(1), np.zeros(1, np.float32))
    mask = Mask(np.ones(1, np.bool_))
    assert gather(image, Sampler(), request, 0, None, mask)[:, 0].tolist() == [3, 4, 2, 1]


def test_a_buffer_that_is_smaller_than_a_texel_has_none() -> None:
    image = texel_buffer(Buffer(np.ones(3, np.uint8)), FORMATS["R32ui"])
    assert image.sides.tolist() == [[0], [1], [1]]
    assert image.buffer.size == 3


def test_faces_of_cubes() -> None:
    directions = np.array([[1, -1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0], [0, 0, 0, 0, 1, -1]], np.float32)
    face, s, t = cube_face(directions)
    assert face.tolist() == [0, 1, 2, 3, 4, 5]
    assert s.tolist() == t.tolist() == [0.5] * 6
    face, s, t = cube_face(np.array([[1], [0.5], [0.25]], np.float32))
    assert (face[0], s[0], t[0]) == (0, 0.375, 0.25)


def test_texels_beyond_the_edge_of_a_face_are_those_of_its_neighbour() -> None:
    four = np.array([4])
    for face in range(6):
        for x, y in ((-1, 1), (4, 2), (1, -1), (2, 4)):
            other, u, v = across_edge(np.array([face]), np.array([x]), np.array([y]), four)
            assert other[0] not in (face, face ^ 1)
            assert 0 in (u[0], v[0]) or 3 in (u[0], v[0])
