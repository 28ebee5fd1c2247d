"""Error messages of `playground/build.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

PROGRAM = Path(__file__).resolve().parents[2] / "playground/build.py"


@pytest.mark.skipif(os.name == "nt", reason="makes programs that are shell scripts")
@pytest.mark.parametrize(("programs", "missing"), [((), "node"), (("node",), "npm")])
def test_missing_programs_are_named(programs: tuple[str, ...], missing: str, tmp_path: Path) -> None:
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, PROGRAM], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (1, f"build.py: {missing} is not installed\n")
