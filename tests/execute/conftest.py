"""Fixtures with the Vulkan device of the session; without a device, every test of the folder is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.execute.cpu import Cpu
from tests.execute.tables import Runner
from tests.execute.vulkan import NoDevice, Vulkan, WebGpu
from tests.execute.wgsl import WgslRunner
from tests.wgsl_limits import Limit

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.execute)


@pytest.fixture(params=["performance", "none", "wgsl", "readable_wgsl"])
def run(request: pytest.FixtureRequest, vulkan: Vulkan, limit: Limit) -> Runner:
    """Return a runner that compiles and runs shaders: optimised, unoptimised, or converted to WGSL (a parameter)."""
    if request.param in ("wgsl", "readable_wgsl"):
        if isinstance(vulkan, Cpu):
            pytest.skip("the interpreter runs SPIR-V")
        optimize = "performance" if request.param == "wgsl" else "none"  # as builds write it
        return WgslRunner(vulkan, optimize, webgpu=request.getfixturevalue("webgpu"), limit=limit)
    return Runner(vulkan, request.param)


@pytest.fixture(scope="session")
def webgpu() -> Iterator[WebGpu]:
    """Yield the WebGPU device; skip the test without one."""
    try:
        device = WebGpu()
    except NoDevice as error:
        pytest.skip(f"no WebGPU device: {error}")
    yield device
    device.close()
