"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tests.execute.vulkan import NoDevice, Vulkan

# A shell ignores SIGINT in what it starts in the background, and children inherit that: a watcher that a test
# interrupts would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def vulkan() -> Iterator[Vulkan]:
    """The device that shaders are executed on, one for all tests; a skip where there is none."""
    try:
        device = Vulkan()
    except NoDevice as error:
        pytest.skip(f"no Vulkan device: {error}")
    yield device
    device.close()
