"""The samples' compute shaders have the same effect on WebGPU as on Vulkan, with made-up resources."""

from __future__ import annotations

import pytest

from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.spirv.decode import decode
from hlsl_tool.wgsl import WgslError, convert_module
from hlsl_tool.wgsl.module.view import View
from tests.execute.cpu import skip_unlike
from tests.execute.made_up import Unknown, resources
from tests.execute.vulkan import Unavailable, Vulkan, WebGpu
from tests.execute.wgsl import for_naga
from tests.samples.test_samples import MEMORY, compiled, project
from tests.wgsl_limits import Limit

COMPUTE = [permutation for permutation in project().permutations if permutation.options.profile.startswith("cs")]


@pytest.mark.parametrize("permutation", COMPUTE, ids=lambda permutation: permutation.name)
def test_sample(permutation: Permutation, vulkan: Vulkan, webgpu: WebGpu, limit: Limit) -> None:
    skip_unlike(vulkan, permutation.name)
    result = compiled(permutation, MEMORY)
    entry = permutation.options.entry
    try:
        found = convert_module(result.spirv, {"immediates": "uniform"})
        given = resources(View(decode(result.spirv)), found.bindings, 1)
    except (WgslError, Unknown) as reason:
        limit.reach(reason)
        raise
    limit.is_converted = True
    try:
        got = webgpu.run_wgsl(for_naga(found.text), given.webgpu, entry=entry)
    except Unavailable as reason:
        pytest.skip(f"not on this WebGPU: {reason}")
    wanted = vulkan.run_compute(result.spirv, given.vulkan, entry=entry, push=given.push)
    assert wanted.keys() == {given.places[place] for place in got}
    assert not given.same(wanted, got)
