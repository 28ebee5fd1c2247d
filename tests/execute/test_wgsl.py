"""WGSL has the effect of the SPIR-V that it is converted from, for shaders not compiled from HLSL."""

from __future__ import annotations

import random

import pytest

from hlsl_tool.wgsl import convert
from tests.execute.tables import words
from tests.execute.vulkan import Vulkan, WebGpu, storage
from tests.unit.wgsl import random_flow, walk
from tests.unit.wgsl.conversion import assemble

MISCOMPILED = {22: "Mesa 22."}
"""Seeds whose SPIR-V drivers are known to get wrong, all of these versions: llvmpipe of Debian 12 does not agree there
with newer ones, nor with a walk through the instructions."""


@pytest.mark.parametrize("seed", range(24))
def test_random_control_flow(seed: int, vulkan: Vulkan, webgpu: WebGpu) -> None:
    assembly = random_flow.module(seed)
    spirv = assemble(assembly)
    numbers = random.Random(seed)
    source = [numbers.randrange(1 << 16) for _ in range(64)]
    wanted = words(*walk.results(assembly, source, 64))
    assert any(wanted)
    resources = {(0, 0): storage(words(*source)), (0, 1): storage(256)}
    assert webgpu.run_wgsl(convert(spirv), resources, (8, 1, 1))[0, 1] == wanted
    known = MISCOMPILED.get(seed)
    if known is None or not vulkan.driver.startswith(known):
        assert vulkan.run_compute(spirv, resources, (8, 1, 1))[0, 1] == wanted
