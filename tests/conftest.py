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


MEDIUM = (
    "build/",
    "compatible/test_family.py",
    "docs/test_commands.py",
    "lsp/",
    "playground/",
    "programs/",
    "properties/",
    "samples/",
    "unit/build/test_cluster.py",
    "unit/build/test_store",
    "unit/build/test_worker",
    "unit/cli/test_encodings.py",
    "unit/cli/test_init.py",
    "unit/cli/test_streams.py",
    "unit/compiler/options/test_every_option.py",
    "unit/compiler/test_large_inputs.py",
    "unit/compiler/test_limits.py",
    "unit/compiler/test_reuse",
    "unit/compiler/test_sha",
    "unit/config/test_any_text.py",
    "unit/gpu/",
    "unit/linking/test_stages.py",
    "unit/lower/test_debug_info.py",
    "unit/lower/test_ray_stages.py",
    "unit/lower/test_semantics.py",
    "unit/lower/test_system_value_types.py",
    "unit/pack/test_pack.py",
    "unit/reflect/test_cpp.py",
    "unit/reflect/test_damage.py",
    "unit/reflect/test_host.py",
    "unit/reflect/test_structs.py",
    "unit/server/",
    "unit/source/test_regular.py",
    "unit/syntax/test_differential.py",
    "unit/system/test_windows.py",
    "unit/tools/test_bound.py",
    "unit/tools/test_host.py",
    "unit/watch/",
    "unit/wgsl/test_convert.py",
    "unit/wgsl/test_demands.py",
    "unit/wgsl/test_uniformity.py",
)
"""Tests that start processes, wait or compile much, by the beginnings of their paths; not in `make test-fast`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    for item in items:
        if os.path.relpath(item.path, here).replace(os.sep, "/").startswith(MEDIUM):
            item.add_marker(pytest.mark.medium)


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
