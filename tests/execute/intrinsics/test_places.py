"""Intrinsics that need a pixel shader's input, a texture or an address."""

from __future__ import annotations

import numpy as np
import pytest

from tests.execute.tables import Runner, as_words, floats, words
from tests.execute.vulkan import addresses, image, storage

pytestmark = pytest.mark.parametrize("run", ["performance", "none"], indirect=True)

SIZE = 8

VERTEX = """
struct Out { float4 at : SV_Position; float3 place : PLACE; };
Out main(uint id : SV_VertexID) {
    Out o;
    float2 corner = float2((id & 1) * 4.0 - 1, (id >> 1) * 4.0 - 1);
    o.at = float4(corner, 0, 1);
    o.place = float3((corner + 1) * 4, 7);
    return o;
}"""

PIXEL = """
struct In { float4 at : SV_Position; float3 place : PLACE; };
RWStructuredBuffer<float> o : register(u0);
void main(In input) {
    uint first = (uint(input.at.y) * 8 + uint(input.at.x)) * 18;
    float3 values[6];
    values[0] = input.place;
    values[1] = EvaluateAttributeCentroid(input.place);
    values[2] = EvaluateAttributeAtSample(input.place, 0);
    values[3] = EvaluateAttributeSnapped(input.place, int2(0, 0));
    values[4] = EvaluateAttributeSnapped(input.place, int2(4, -8));
    values[5] = EvaluateAttributeSnapped(input.place, int2(input.at.x, input.at.y + 6));
    for (uint i = 0; i < 18; ++i) o[first + i] = values[i / 3][i % 3];
}"""


def test_interpolation(run: Runner) -> None:
    """Interpolation functions without an offset give the pixel's centre: all pixels are covered, with one sample."""
    run.needs("fragmentStoresAndAtomics", "sampleRateShading")
    stages = {"vs": run.compile(VERTEX, profile="vs_6_6"), "ps": run.compile(PIXEL, profile="ps_6_6")}
    out = run.vulkan.run_graphics(stages, {(0, 0): storage(4 * 18 * SIZE * SIZE)}, (SIZE, SIZE), 3)
    got = np.frombuffer(out[0, 0], np.float32).reshape(SIZE, SIZE, 6, 3)
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    snapped_y = (y + 6 + 8) % 16 - 8  # four bits, with a sign
    offsets = [(0 * x, 0 * y)] * 4 + [(0 * x + 4, 0 * y - 8), (x, snapped_y)]
    places = [np.stack([x + 0.5 + dx / 16, y + 0.5 + dy / 16, np.full(x.shape, 7)], axis=-1) for dx, dy in offsets]
    np.testing.assert_allclose(got, np.stack(places, axis=2), atol=1e-4)


def test_residency(run: Runner) -> None:
    """All texels of an ordinary texture are resident; lavapipe (Mesa 25.0) crashes for sampled textures."""
    run.needs("shaderResourceResidency")
    source = """
RWTexture2D<float> picture : register(u0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)] void main() {
    uint status;
    float value = picture.Load(int2(1, 0), status);
    o[0] = CheckAccessFullyMapped(status) ? 1 : 2;
    o[1] = asuint(value);
}"""
    resources = {(0, 0): image(floats(0.5, 2.0), "r32f", (2, 1)), (0, 1): storage(8)}
    out = run(source, resources)[0, 1]
    assert out == words(1) + floats(2.0)


@pytest.mark.parametrize(
    ("kind", "value", "bits"),
    [
        ("uint", "7", [7]),
        ("float3", "float3(1, -2, 0.5)", [0x3F800000, 0xC0000000, 0x3F000000]),
        ("int64_t", "-2", [0xFFFFFFFE, 0xFFFFFFFF]),
    ],
)
@pytest.mark.parametrize("alignment", ["", ", 8"])
def test_addresses(run: Runner, kind: str, value: str, bits: list[int], alignment: str) -> None:
    run.needs("bufferDeviceAddress", "shaderInt64")
    source = f"""
StructuredBuffer<uint64_t> address : register(t0);
[numthreads(1, 1, 1)] void main() {{
    vk::RawBufferStore<{kind}>(address[0] + 16, {value}{alignment});
    {kind} copy = vk::RawBufferLoad<{kind}>(address[0] + 16{alignment});
    vk::RawBufferStore<{kind}>(address[0] + 32, copy{alignment});
}}"""
    resources = {(0, 0): addresses((0, 1)), (0, 1): storage(64)}
    out = as_words(run(source, resources)[0, 1])
    assert list(out[4 : 4 + len(bits)]) == bits
    assert list(out[8 : 8 + len(bits)]) == bits
    assert set(out[4 + len(bits) : 8]) <= {0}
