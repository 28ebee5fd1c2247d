"""A folder with shaders and a private place for the socket, servers, and clients."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hlsl_tool.apps.server import client, protocol
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
GOOD = '#include "c.hlsli"\nfloat4 main() : SV_Target { return COLOR; }\n'


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a folder with shaders and a private folder for sockets."""
    with folder_with_shaders(monkeypatch) as folder:
        yield folder


@contextlib.contextmanager
def folder_with_shaders(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a folder with shaders and sockets; its path is short, because socket paths have at most 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="hs", dir="/tmp"))
    (folder / "run").mkdir(mode=0o700)
    (folder / "a.hlsl").write_text(GOOD)
    (folder / "c.hlsli").write_text("#define COLOR float4(1, 0, 0, 1)\n")
    (folder / "bad.hlsl").write_text("float4 main() : SV_Target { return oops; }\n")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv(protocol.VARIABLE, raising=False)
    monkeypatch.delenv("HLSL_TOOL_SPIRV_TOOLS", raising=False)
    (folder / "run" / "hlsl_tool").mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder)


def wait_for(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def stop(process: int) -> None:
    """Send SIGSTOP to a process and wait until it has stopped: it may still run on another processor."""
    os.kill(process, signal.SIGSTOP)
    state = Path(f"/proc/{process}/stat")
    wait_for(lambda: not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "T")


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def status() -> dict[str, int] | None:
    answer = client.ask([protocol.STATUS])
    return json.loads(answer[1]) if answer is not None else None


@contextlib.contextmanager
def server(program: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Run a server; ``program`` is Python code that runs before it."""
    text = f"from hlsl_tool.apps.server import serve, __main__\n{program}\nraise SystemExit(__main__.main())"
    with subprocess.Popen([sys.executable, "-P", "-c", text]) as process:
        try:
            wait_for(status)
            yield process
        finally:
            process.terminate()


def hlsl2spirv(folder: Path, *arguments: str, **variables: str) -> tuple[int, bytes, bytes]:
    command = [sys.executable, "-P", "-m", "hlsl_tool.hlsl2spirv", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr
