"""Fixtures that run shaders on the interpreter."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="needs the package numpy")

from tests.execute.cpu import Cpu
from tests.execute.tables import Runner


@pytest.fixture(scope="session")
def vulkan() -> Cpu:
    """Return the interpreter in place of the Vulkan device."""
    return Cpu()


@pytest.fixture(params=["performance", "none"])
def run(request: pytest.FixtureRequest, vulkan: Cpu) -> Runner:
    """Return a runner that compiles shaders, optimised or not, and runs them on the interpreter."""
    return Runner(vulkan, request.param)
