"""The runner itself: a driver that refuses a module, or crashes on it, fails only one test."""

from __future__ import annotations

import pytest

from tests.execute.cpu import Cpu
from tests.execute.tables import Runner, as_words, words
from tests.execute.vulkan import Vulkan, VulkanError, storage

SOURCE = "RWStructuredBuffer<uint> o; [numthreads(1, 1, 1)] void main() { o[1] = o[0] + 1; }"


def test_nonsense_is_an_error_and_the_next_shader_runs(vulkan: Vulkan) -> None:
    spirv = Runner(vulkan, "none").compile(SOURCE)
    for broken in (bytes(64), spirv[:20] + bytes(len(spirv) - 20)):
        with pytest.raises(VulkanError):
            vulkan.run_compute(broken, {(0, 0): storage(8)})
    out = vulkan.run_compute(spirv, {(0, 0): storage(words(41, 0))})
    assert as_words(out[0, 0]) == (41, 42)


def test_a_device_that_went_away_is_started_again(vulkan: Vulkan) -> None:
    spirv = Runner(vulkan, "none").compile(SOURCE)
    if isinstance(vulkan, Cpu):
        pytest.skip("the interpreter has no process")
    assert vulkan.process is not None
    vulkan.process.kill()
    vulkan.process.wait()
    with pytest.raises(VulkanError, match="crashed"):
        vulkan.run_compute(spirv, {(0, 0): storage(8)})
    assert as_words(vulkan.run_compute(spirv, {(0, 0): storage(words(1, 0))})[0, 0]) == (1, 2)
