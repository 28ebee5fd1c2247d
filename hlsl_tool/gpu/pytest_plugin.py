"""The pytest plug-in: collects tests in comments of shaders, and provides the fixture ``gpu``.

pytest imports this module in every run, so everything else is imported when a shader with tests is found.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hlsl_tool.gpu.testing.directives import Expectation, ShaderTest
    from hlsl_tool.gpu.testing.running import Run

MARK = re.compile(rb"^[ \t]*//[ \t]*gpu test:", re.M)
PATTERNS = "hlsl_tests"
INCLUDES = "hlsl_include_dirs"
EXTRA = "needs numpy: pip install hlsl_tool[gpu]"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the plug-in's options for pytest's configuration."""
    parser.addini(PATTERNS, "names of shaders whose comments may have tests; empty for none", "args", ["*.hlsl"])
    parser.addini(INCLUDES, "folders for `#include` in shaders with tests", "paths", [])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ShaderFile | None:
    """Collect a file if it matches the configured patterns and contains an expectation; else return ``None``."""
    if not any(fnmatch(file_path.name, pattern) for pattern in parent.config.getini(PATTERNS)):
        return None
    try:
        has_test = MARK.search(file_path.read_bytes())
    except OSError:
        return None
    collected: ShaderFile | None = ShaderFile.from_parent(parent, path=file_path) if has_test else None
    return collected


@contextmanager
def driver_noted() -> Iterator[None]:
    """Report a missing driver as a warning, also in runs in which warnings are errors."""
    from hlsl_tool.gpu.errors import NoDriverWarning

    with warnings.catch_warnings():
        warnings.simplefilter("default", NoDriverWarning)
        yield


@pytest.fixture(scope="session")
def gpu() -> Any:
    """The module ``hlsl_tool.gpu``; without a driver, kernels run on the interpreter."""
    pytest.importorskip("numpy", reason=EXTRA)
    from hlsl_tool import gpu as module
    from hlsl_tool.gpu.choice import backend

    try:
        with driver_noted():
            backend(None)
    except module.NoDeviceError as error:
        pytest.skip(str(error))
    return module


class ShaderFile(pytest.File):
    """A shader file that contains tests."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield a test item for each expectation; skip the file if numpy is missing."""
        pytest.importorskip("numpy", reason=EXTRA)
        from hlsl_tool.gpu.testing.directives import parse
        from hlsl_tool.gpu.testing.running import Run

        for test in parse(str(self.path), self.path.read_bytes()):
            run = Run(test, self.path, self.config.getini(INCLUDES))
            for expectation in test.expectations:
                yield ExpectationItem.from_parent(
                    self, name=f"{test.name}: {expectation.text}", test=test, expectation=expectation, run=run
                )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Format errors in the comments without a traceback."""
        from hlsl_tool.gpu.testing.expected_errors import TestError

        return str(excinfo.value) if isinstance(excinfo.value, TestError) else super().repr_failure(excinfo)


class ExpectationItem(pytest.Item):
    """The test item of one expectation; the items of a test share one run of the kernel."""

    def __init__(self, *, test: ShaderTest, expectation: Expectation, run: Run, **rest: Any) -> None:
        super().__init__(**rest)
        self.shader_test, self.expectation, self.run = test, expectation, run
        self.funcargs: dict[str, object] = {}  # pytest-lsp fails for items without fixtures

    def runtest(self) -> None:
        """Run the kernel and compare its results."""
        from hlsl_tool.gpu.errors import NoDeviceError, UnsupportedError

        try:
            with driver_noted():
                self.run.check(self.expectation)
        except (NoDeviceError, UnsupportedError) as error:
            pytest.skip(str(error))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Format errors of kernels and failed expectations without a traceback."""
        from hlsl_tool.gpu.errors import GpuError
        from hlsl_tool.gpu.testing.expected_errors import TestError

        shown = isinstance(excinfo.value, (GpuError, TestError))
        return str(excinfo.value) if shown else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.expectation.place.line - 1, self.name
