"""What all tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tests.execute.vulkan import NoDevice, Vulkan


@pytest.fixture(scope="session")
def vulkan() -> Iterator[Vulkan]:
    """The device that shaders are executed on, one for all tests; a skip where there is none."""
    try:
        device = Vulkan()
    except NoDevice as error:
        pytest.skip(f"no Vulkan device: {error}")
    yield device
    device.close()
