"""The Vulkan device of the session; without one, every test of the folder is skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import Vulkan

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.execute)


@pytest.fixture(params=["performance", "none"])
def run(request: pytest.FixtureRequest, vulkan: Vulkan) -> Runner:
    """Compiles and runs shaders, once optimised and once not."""
    return Runner(vulkan, request.param)
