"""Every sample that WebGPU can express is converted to WGSL; the others give an error with the obstacle."""

from __future__ import annotations

import pytest

from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.wgsl import WgslError, convert
from tests.samples.test_samples import MEMORY, compiled, project, pytestmark

__all__ = ["pytestmark"]

STAGES = frozenset(("vs", "ps", "cs"))

REFUSED = {
    "compute/meshlet_bounds.CSMain": "no 16-bit integer type",
    "scenes/mesh_scene.PSMain": "PerPrimitiveEXT",
    "scenes/ray_query_shadow.CSMain": "no handles of this type",
    "shadow/point.PSMain": "cannot tell the level of detail",
}
"""Sample → what WebGPU lacks."""

BY_OPTION: dict[str, tuple[str, dict[str, str | int]]] = {
    "compute/voxelise.CSSplat": ("no atomics on textures", {"atomic_textures": "buffers"}),
    "deferred/subpass.PSMain": ("no subpass inputs", {"subpass_inputs": "textures"}),
    "deferred/visibility.CSMain": ("without a length is indexed at run time", {"unbounded_arrays": 4}),
    "lit/instanced.VSMain": ("no vertex input BaseInstance", {"draw_parameters": "zero"}),
}
"""Sample → what WebGPU lacks, and the options that replace it."""


@pytest.mark.parametrize("permutation", project().permutations, ids=lambda permutation: permutation.name)
def test_sample(permutation: Permutation) -> None:
    spirv = compiled(permutation, MEMORY).spirv
    reason, options = BY_OPTION.get(permutation.name, (REFUSED.get(permutation.name, ""), {}))
    if permutation.options.profile.partition("_")[0] not in STAGES:
        reason = "vertex, fragment and compute shaders only"
    if reason:
        with pytest.raises(WgslError, match=reason):
            convert(spirv, {"validate": False})
    if options or not reason:
        assert convert(spirv, {"validate": False, **options}).count(f"fn {permutation.options.entry}(") == 1
