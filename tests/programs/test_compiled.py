"""The compiled form (docs/how-to/compiled.md) builds, is installed, and passes the tests of the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool.version import is_compiled

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(is_compiled(), reason="it is built from the sources")
def test_the_compiled_form() -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "HLSL_TOOL_"))}
    inherited.pop("PYTHONPATH", None)  # the sources would be imported in place of the installed package
    inherited["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), inherited["PATH"]))
    done = subprocess.run([ROOT / ".ci/compiled"], env=inherited, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
