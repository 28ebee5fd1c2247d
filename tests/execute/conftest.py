"""The Vulkan device of the session; without one, every test of the folder is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import NoDevice, Vulkan

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.execute)


@pytest.fixture(scope="session")
def vulkan() -> Iterator[Vulkan]:
    try:
        device = Vulkan()
    except NoDevice as error:
        pytest.skip(f"no Vulkan device: {error}")
    yield device
    device.close()


@pytest.fixture(params=["performance", "none"])
def run(request: pytest.FixtureRequest, vulkan: Vulkan) -> Runner:
    """Compiles and runs shaders, once optimised and once not."""
    return Runner(vulkan, request.param)
