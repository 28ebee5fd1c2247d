"""The compute shaders among the samples do on WebGPU what their SPIR-V does on Vulkan, with made-up resources."""

from __future__ import annotations

import math
import struct

import pytest

from hlsl_tool.config.model import Variant
from hlsl_tool.spirv.decode import decode
from hlsl_tool.wgsl import WgslError, convert_module
from hlsl_tool.wgsl.view import View
from tests.execute.made_up import Unknown, resources
from tests.execute.vulkan import Unavailable, Vulkan, WebGpu
from tests.execute.wgsl import for_naga
from tests.samples.test_samples import MEMORY, compiled, project

COMPUTE = [variant for variant in project().variants if variant.options.profile.startswith("cs")]


def close(got: bytes, wanted: bytes) -> bool:
    """The same words, or floats that differ by rounding."""
    if got == wanted:
        return True
    for (x,), (y,) in zip(struct.iter_unpack("<I", got), struct.iter_unpack("<I", wanted), strict=True):
        if x == y:
            continue
        a, b = (struct.unpack("<f", struct.pack("<I", bits))[0] for bits in (x, y))
        if math.isnan(a) and math.isnan(b):
            continue
        if any(0 < abs(v) < 1e-30 for v in (a, b)) or not abs(a - b) <= 1e-4 + 1e-3 * abs(b):
            return False
    return True


@pytest.mark.parametrize("variant", COMPUTE, ids=lambda variant: variant.name)
def test_sample(variant: Variant, vulkan: Vulkan, webgpu: WebGpu) -> None:
    result = compiled(variant, MEMORY)
    try:
        found = convert_module(result.spirv)
        given = resources(View(decode(result.spirv)), found.bindings, 1)
        got = webgpu.run_wgsl(for_naga(found.text), given, entry=variant.options.entry)
    except (WgslError, Unknown, Unavailable) as reason:
        pytest.skip(f"not in WGSL, or not here: {reason}")
    pushed = {(b.group, b.binding) for b in found.bindings if b.source is not None and "set" not in b.source}
    push = b"".join(given.pop(place).data for place in pushed)
    wanted = vulkan.run_compute(result.spirv, given, entry=variant.options.entry, push=push)
    assert wanted.keys() == got.keys()
    wrong = [place for place in wanted if not close(got[place], wanted[place])]
    assert not wrong
