"""A client's handling of an answer, and the environment variables that it sends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hlsl_tool.apps.server import protocol
from hlsl_tool.project.build.store import choice as places

FINISH = "from hlsl_tool.base.system.streams import finish; finish({}, 'out', 'err')"


@pytest.mark.parametrize(("status", "ends"), [(0, 0), (3, 3)])
def test_streams_and_status(status: int, ends: int) -> None:
    done = subprocess.run([sys.executable, "-c", FINISH.format(status)], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (ends, b"out", b"err")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize(("status", "ends"), [(0, 1), (3, 3)])
def test_output_that_cannot_be_written_is_a_failure(status: int, ends: int) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-c", FINISH.format(status)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == ends
    assert done.stderr.startswith(b"err") and b"cannot write to the standard output" in done.stderr


def test_every_variable_of_the_store_is_passed() -> None:
    variables = {value for name, value in vars(places).items() if name.endswith("VARIABLE")}
    assert len(variables) == 4
    assert variables <= set(protocol.PASSED)
