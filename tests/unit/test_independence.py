"""The tests pass in any order."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

TESTS = Path(__file__).resolve().parents[1]
ROOMS = ("cases", "diagnostics", "passes", "unit")


def files(share: float) -> list[str]:
    """Return a random share (0 to 1) of the test files."""
    paths = sorted(str(path) for room in ROOMS for path in (TESTS / room).rglob("test_*.py") if path != Path(__file__))
    return random.sample(paths, max(2, int(share * len(paths))))


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.nightly)])
def test_the_order_of_tests_changes_nothing(share: float, seed: str, tmp_path: Path) -> None:
    selection = "not medium and not slow and not oracle and not execute and not nightly"
    chosen = files(share)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", selection, *chosen]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["HLSL_TOOL_SHUFFLE"] = seed
    environment["XDG_CACHE_HOME"] = str(tmp_path)  # tests that run at the same time use the other one
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    assert done.returncode in (0, 5), f"HLSL_TOOL_SHUFFLE={seed} pytest -n 0 {' '.join(chosen)}\n{done.stdout[-4000:]}"
