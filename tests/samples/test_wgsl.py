"""Every sample that WebGPU can express is converted to WGSL, and what stands in the way of the others is said."""

from __future__ import annotations

import pytest

from hlsl_tool.config.model import Permutation
from hlsl_tool.wgsl import WgslError, convert
from tests.samples.test_samples import MEMORY, compiled, project, pytestmark

__all__ = ["pytestmark"]

STAGES = frozenset(("vs", "ps", "cs"))

REFUSED = {
    "compute/meshlet_bounds.CSMain": "no 16-bit integer type",
    "compute/voxelise.CSSplat": "no atomics on textures",
    "deferred/subpass.PSMain": "no subpass inputs",
    "deferred/visibility.CSMain": "without a length is indexed at run time",
    "lit/instanced.VSMain": "no vertex input BaseInstance",
    "scenes/mesh_scene.PSMain": "PerPrimitiveEXT",
    "scenes/ray_query_shadow.CSMain": "no handles of this type",
    "shadow/point.PSMain": "cannot tell the level of detail",
}
"""What WebGPU lacks."""


@pytest.mark.parametrize("permutation", project().permutations, ids=lambda permutation: permutation.name)
def test_sample(permutation: Permutation) -> None:
    spirv = compiled(permutation, MEMORY).spirv
    reason = REFUSED.get(permutation.name, "")
    if permutation.options.profile.partition("_")[0] not in STAGES:
        reason = "vertex, fragment and compute shaders only"
    if not reason:
        assert convert(spirv, {"validate": False}).count(f"fn {permutation.options.entry}(") == 1
        return
    with pytest.raises(WgslError, match=reason):
        convert(spirv, {"validate": False})
