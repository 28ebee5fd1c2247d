"""Devices for kernels, one for each library; tests are skipped with the reason where there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="needs the package numpy")

from hlsl_tool.gpu import NoDeviceError
from hlsl_tool.gpu.choice import backend


@pytest.fixture(params=["vulkan", "wgpu", "cpu"])
def device(request: pytest.FixtureRequest) -> str:
    """Return the name of a library with a device."""
    name: str = request.param
    try:
        backend(name)
    except NoDeviceError as error:
        pytest.skip(str(error))
    return name
