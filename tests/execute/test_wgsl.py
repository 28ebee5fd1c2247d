"""WGSL does what its SPIR-V does, where the shader is not compiled from HLSL."""

from __future__ import annotations

import random

import pytest

from hlsl_tool.wgsl import convert
from tests.execute.tables import words
from tests.execute.vulkan import Vulkan, WebGpu, storage
from tests.unit.wgsl import random_flow
from tests.unit.wgsl.conversion import assemble


@pytest.mark.parametrize("seed", range(24))
def test_random_control_flow(seed: int, vulkan: Vulkan, webgpu: WebGpu) -> None:
    spirv = assemble(random_flow.module(seed))
    numbers = random.Random(seed)
    resources = {(0, 0): storage(words(*[numbers.randrange(1 << 16) for _ in range(64)])), (0, 1): storage(256)}
    wanted = vulkan.run_compute(spirv, resources, (8, 1, 1))[0, 1]
    assert webgpu.run_wgsl(convert(spirv), resources, (8, 1, 1))[0, 1] == wanted
    assert any(wanted)
