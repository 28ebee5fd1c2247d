"""The samples' vertex and pixel shaders draw the same picture on WebGPU as their SPIR-V on Vulkan.

The other stage and the resources are made up.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.spirv.decode import decode
from hlsl_tool.wgsl import WgslError, convert_module
from hlsl_tool.wgsl.module.view import View
from tests.execute.cpu import skip_unlike
from tests.execute.made_up import Given, Unknown, differing, resources
from tests.execute.pairs import D, S, Slot, pixel_shader, slots, vertex_shader, vertices
from tests.execute.tables import Runner
from tests.execute.vulkan import Picture, Unavailable, Vulkan, WebGpu
from tests.execute.wgsl import for_naga
from tests.samples.test_samples import MEMORY, compiled, project
from tests.wgsl_limits import Limit

SIZE = (24, 24)
CLEAR = struct.pack("<4f", 0.93, 0.94, 0.95, 1.0)
SEEDS = 8
UNSEEN = {
    "deferred/decal.PSMain": "all pixels are discarded",
    "deferred/gbuffer.VSMain": "all triangles are clipped",
    "deferred/visibility.VSMain": "all triangles are clipped",
    "lit/transform.VSMain": "all triangles are clipped",
    "lit/terrain.VSMain": "all triangles are clipped",
}
"""Samples of which made-up numbers show nothing."""
ODD = 0.01
"""The share of words that may differ: pixels at edges, choices that rounding decides."""


def one_of_each(stage: str) -> list[Permutation]:
    """Return one permutation for each entry point of a stage."""
    found = [permutation for permutation in project().permutations if permutation.options.profile.startswith(stage)]
    return list({(permutation.source, permutation.options.entry): permutation for permutation in found}.values())


def compare(
    permutation: Permutation,
    stages: dict[str, tuple[bytes, str]],
    picture: Callable[[Given], Picture],
    vulkan: Vulkan,
    webgpu: WebGpu,
    limit: Limit,
) -> None:
    """Check that both pictures are equal, and not empty for at least one seed (except for samples in `UNSEEN`)."""
    skip_unlike(vulkan, permutation.name)
    seen = undefined = False
    for seed in range(1, SEEDS):
        texts: dict[str, tuple[str, str]] = {}
        given = Given()
        try:
            for number, (stage, (spirv, entry)) in enumerate(stages.items()):
                found = convert_module(spirv, {"immediates": "uniform"})
                resources(View(decode(spirv)), found.bindings, seed + number, given)
                texts[stage] = for_naga(found.text), entry
            got = webgpu.paint_wgsl(texts, given.webgpu, picture(given))
        except (WgslError, Unknown) as reason:
            limit.reach(reason)
        except Unavailable as reason:
            pytest.skip(f"not on this WebGPU: {reason}")
        limit.is_converted = True
        wanted = vulkan.paint_targets(stages, given.vulkan, picture(given))
        assert {given.places.get(key, key) for key in got} == wanted.keys()
        for key, data in got.items():
            other = wanted[given.places.get(key, key)]
            if any(number != number for (number,) in struct.iter_unpack("<f", data + other)):
                undefined = True  # the position of a triangle with NaNs is undefined
                break
            assert sum(differing(data, other)) <= ODD * len(data) // 4, key
            seen = seen or (key[0] == "picture" and visible(data))
        if seen:
            break
    assert seen == (permutation.name not in UNSEEN) or undefined


def visible(picture: bytes) -> bool:
    """Return whether a picture contains anything but the background."""
    texel = len(picture) // (SIZE[0] * SIZE[1])
    return bool({picture[at : at + texel] for at in range(0, len(picture), texel)} - {CLEAR[:texel], bytes(texel)})


def entry_slots(spirv: bytes, space: int, limit: Limit) -> list[Slot]:
    try:
        return slots(View(decode(spirv)), space)
    except Unknown as reason:
        limit.reach(reason)
        raise


@pytest.mark.parametrize("permutation", one_of_each("ps"), ids=lambda permutation: permutation.name)
def test_pixel_shader(permutation: Permutation, vulkan: Vulkan, webgpu: WebGpu, limit: Limit) -> None:
    pixel = compiled(permutation, MEMORY).spirv
    before = vertex_shader(entry_slots(pixel, S.Input, limit))
    vertex = Runner(vulkan, "performance").compile(before, profile="vs_6_0")
    targets = {slot.location: slot.texel for slot in entry_slots(pixel, S.Output, limit)}
    if not targets:
        limit.reach("it has no colour")
    stages = {"vs": (vertex, "main"), "ps": (pixel, permutation.options.entry)}
    compare(permutation, stages, lambda given: Picture(SIZE, targets, 3, push=given.push), vulkan, webgpu, limit)


@pytest.mark.parametrize("permutation", one_of_each("vs"), ids=lambda permutation: permutation.name)
def test_vertex_shader(permutation: Permutation, vulkan: Vulkan, webgpu: WebGpu, limit: Limit) -> None:
    vertex = compiled(permutation, MEMORY).spirv
    inputs = entry_slots(vertex, S.Input, limit)
    if not any(decorations.get(D.BuiltIn) == [0] for decorations in View(decode(vertex)).decorations.values()):
        limit.reach("another stage makes the positions")
    behind = pixel_shader(entry_slots(vertex, S.Output, limit))
    pixel = Runner(vulkan, "performance").compile(behind, profile="ps_6_0")
    attributes = tuple((slot.location, slot.format) for slot in inputs)
    stages = {"vs": (vertex, permutation.options.entry), "ps": (pixel, "main")}

    def picture(given: Given) -> Picture:
        return Picture(SIZE, {0: "rgba32f"}, 96, vertices(inputs, 96), attributes, given.push)

    compare(permutation, stages, picture, vulkan, webgpu, limit)
