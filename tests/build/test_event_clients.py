"""The example clients of the watcher's events, in Python and C++."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.build.conftest import Project
from tests.build.test_watch_events import port_of
from tests.build.watching import Watching

pytest.importorskip("websockets", reason="the extra `listen` is not installed")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/events"


def command(language: str, folder: Path, port: int) -> list[str]:
    """Return the command that runs an example client; compile it first if necessary."""
    if language == "python":
        return [sys.executable, str(EXAMPLES / "reload.py"), f"ws://localhost:{port}"]
    if shutil.which("g++") is None:
        pytest.skip("no g++ (Debian's g++)")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["g++", *flags, str(EXAMPLES / "reload.cpp"), "-o", str(folder / "reload")], check=True)
    return [str(folder / "reload"), str(port)]


@pytest.mark.parametrize("language", ["python", "c++"])
def test_the_client_reloads(language: str, project: Project, tmp_path: Path) -> None:
    project.simple("int good;\n")
    watching = Watching(project, options=("--listen", "0"))
    output = tmp_path / "output.txt"

    def wait_for(word: str) -> str:
        for _ in range(600):
            lines = [line for line in output.read_text("utf-8").splitlines() if word in line]
            if lines:
                return lines[-1]
            time.sleep(0.05)
        raise AssertionError(f"no {word}: {output.read_text('utf-8')}")

    try:
        with output.open("wb") as stream:
            client = subprocess.Popen(
                command(language, tmp_path, port_of(watching)), stdout=stream, stderr=subprocess.STDOUT
            )
        try:
            wait_for("connected: ")
            project.write("shaders/a.hlsl", "int better;\n")
            built = wait_for("reload a.main: ")
            if language == "c++":
                assert Path(built.partition(": ")[2]).is_file()
            project.write("shaders/a.hlsl", "FAIL\n")
            assert "keep a.main: " in wait_for("keep ")
        finally:
            client.kill()
            client.wait()
    finally:
        watching.close()
