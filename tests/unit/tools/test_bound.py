"""Child programs end with this process, and at their time limit."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from hlsl_tool.spirv.tools.bound import run_bound
from tests.patience import PATIENCE

SLEEPER = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"


def test_input_output_and_status() -> None:
    program = "import sys; data = sys.stdin.buffer.read(); print(len(data)); sys.exit(len(data) % 7)"
    done = run_bound([sys.executable, "-c", program], b"x" * 100_000, 30)
    assert (done.stdout.strip(), done.returncode) == (b"100000", 100_000 % 7)


def test_a_slow_process_within_the_limit_succeeds() -> None:
    program = (
        "import sys, time; data = sys.stdin.buffer.read(); time.sleep(0.8); print(len(data)); print(2, file=sys.stderr)"
    )
    done = run_bound([sys.executable, "-c", program], b"x" * 100_000, 30)
    assert (done.stdout.strip(), done.stderr.strip(), done.returncode) == (b"100000", b"2", 0)


@pytest.mark.parametrize("limit", [0.3, 0.9])
def test_the_limit_ends_it(tmp_path: pathlib.Path, limit: float) -> None:
    with pytest.raises(TimeoutError):
        run_bound([sys.executable, "-c", SLEEPER, str(tmp_path / "pid")], b"", limit)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_it_dies_when_we_are_killed(tmp_path: pathlib.Path) -> None:
    note = tmp_path / "pid"
    call = f"run_bound([{sys.executable!r}, '-c', {SLEEPER!r}, {str(note)!r}], b'', 60)"
    program = f"from hlsl_tool.spirv.tools.bound import run_bound; {call}"
    parent = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + PATIENCE
    while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(note.read_text())
    time.sleep(1.5)  # for the watchman to come
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while _lives(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _lives(child)


def _lives(pid: int) -> bool:
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not pathlib.Path("/proc/self").exists()
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process exist on Linux only")
def test_tools_run_under_a_limit_of_memory() -> None:
    # The shell waits for its input, which comes after the limit.
    done = run_bound(["sh", "-c", "read line; ulimit -v"], b"go\n", timeout=10, memory=512 << 20)
    assert done.stdout.split() == [str(512 << 10).encode()]


def test_a_watchman_that_cannot_be_started_does_not_stop_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    program = [sys.executable, "-c", "import time; time.sleep(1); print('done')"]
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    done = run_bound(program, b"", 30)
    assert (done.returncode, done.stdout) == (0, b"done\n")
