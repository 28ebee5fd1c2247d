"""Fixtures and options that all tests share."""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from zlib import crc32

import hypothesis
import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tests.execute.cpu import Cpu
from tests.execute.vulkan import NoDevice, Vulkan
from tests.wgsl_limits import Limit

# A shell ignores SIGINT in what it starts in the background, and children inherit that: a watcher that a test
# interrupts would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


gc.set_threshold(50_000, 50, 50)  # the modules and tests that are loaded stay: to look for cycles among them takes time
os.environ["CI"] = "true"  # no build or call of a test leaves a compile server behind, unless the test asks for it

MEDIUM = (
    "build/",
    "compatible/test_family.py",
    "debug/",
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
    "unit/cross/",
    "unit/compiler/test_freed_memory.py",
    "unit/compiler/test_garbage.py",
    "unit/compiler/test_large_inputs.py",
    "unit/compiler/test_limits.py",
    "unit/compiler/test_reuse",
    "unit/compiler/test_sha",
    "unit/compiler/test_tool_timeout.py",
    "unit/config/test_any_text.py",
    "unit/exchange/test_imports.py",
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
    "unit/report/html/test_page.py",
    "unit/server/",
    "unit/source/test_regular.py",
    "unit/syntax/test_differential.py",
    "unit/system/test_native_classes.py",
    "unit/system/test_windows.py",
    "unit/test_independence.py",
    "unit/tools/test_bound.py",
    "unit/tools/test_host.py",
    "unit/watch/",
    "unit/wgsl/test_convert.py",
    "unit/wgsl/test_demands.py",
    "unit/wgsl/test_uniformity.py",
)
"""Tests that start processes, wait or compile much, by the beginnings of their paths; not in `make test-fast`."""


# No health check or deadline of a property depends on the speed of the machine
hypothesis.settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any-machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(MEDIUM):
            item.add_marker(pytest.mark.medium)
    _leave_out_nightly(config, items)
    _shuffle(items)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from visiting the collected tests; tests call it, and pytest at the end."""
    gc.collect()
    gc.freeze()


def _leave_out_nightly(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests marked `nightly`, unless HLSL_TOOL_NIGHTLY is `all`, or a seed that selects a quarter."""
    wanted = os.environ.get("HLSL_TOOL_NIGHTLY", "")
    if wanted == "all" or any("::" in argument for argument in config.args):
        return
    left_out = [
        item
        for item in items
        if item.get_closest_marker("nightly") and not (wanted and crc32(f"{item.nodeid} {wanted}".encode()) % 4 == 0)
    ]
    if left_out:
        names = {id(item) for item in left_out}
        items[:] = [item for item in items if id(item) not in names]
        config.hook.pytest_deselected(items=left_out)


def _shuffle(items: list[pytest.Item]) -> None:
    """Put the files, and the tests in each file, into a random order; HLSL_TOOL_SHUFFLE is the seed."""
    seed = os.environ.get("HLSL_TOOL_SHUFFLE")
    if seed is None:
        return
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(str(item.path), []).append(item)
    order = random.Random(seed)
    groups = list(files.values())
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    items[:] = [item for group in groups for item in group]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers for `-n auto`: 0 for tests of a single file, else one for each core.

    If build tests run, too, add one, because these mostly wait.
    """
    names = [argument.partition("::")[0] for argument in config.args]
    if config.option.update_golden or (len(set(names)) == 1 and os.path.isfile(names[0])):
        return 0
    waiting = 0 if "not medium" in config.option.markexpr else 1
    return waiting + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the reasons of skipped tests with counts."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("skipped tests by reason")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:6} {reason}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def limit(request: pytest.FixtureRequest, update_golden: bool) -> Iterator[Limit]:
    """The entry of this test in the list of tests that WGSL cannot express."""
    limit = Limit(request.node.nodeid, update_golden)
    yield limit
    limit.check()
    limit.write()


@pytest.fixture(scope="session")
def vulkan() -> Iterator[Vulkan]:
    """The Vulkan device that executes shaders, shared by all tests; the test is skipped if there is none.

    With HLSL_TOOL_DEVICE=cpu it is the interpreter.
    """
    try:
        device = Cpu() if os.environ.get("HLSL_TOOL_DEVICE") == "cpu" else Vulkan()
    except NoDevice as error:
        pytest.skip(f"no Vulkan device: {error}")
    yield device
    device.close()
