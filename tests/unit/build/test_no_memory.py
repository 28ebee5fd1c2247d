"""Processes whose memory ends: one message with the limit, whichever way the shader was compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli import dxc
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers import worker
from hlsl_tool.project.build.workers.executors import Inline, Processes

ROOT = Path(__file__).resolve().parents[3]
JOB = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": "a.spv"})

LIMITED = """\
import resource, sys
from hlsl_tool.base.diagnostics.internal import out_of_memory
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
from hlsl_tool.cli.dxc import execute_safely
import hlsl_tool.cli.dxc as dxc
dxc.execute = lambda *arguments, **named: bytes(1 << 30)
run = execute_safely(["a.hlsl"], ".")
print(run.status, *run.err)
"""


def none_left(*arguments: object, **named: object) -> None:
    raise MemoryError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.hlsl").write_text("float4 main() : SV_Target { return 1; }\n")
    return tmp_path


def test_a_job_without_memory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Inline(str(project))
    with monkeypatch.context() as patch:
        patch.setattr(worker, "compile_job", none_left)
        result = executor.run(JOB)
    [problem] = result.diagnostics
    assert not result.ok and problem.code.id == "HLSL0003" and problem.hint is not None and "-j" in problem.hint
    assert executor.run(JOB).ok
    executor.close()


def test_a_worker_that_cannot_even_send_its_result(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.project.build.workers.processes.Worker.ended", lambda self: "exit status 112")
    executor = Processes(str(project), 1)
    monkeypatch.setattr("hlsl_tool.project.build.workers.processes.Worker._run", _end)
    [problem] = executor.run(JOB).diagnostics
    assert problem.code.id == "HLSL0003"
    executor.close()


def _end(self: object, job: Job) -> None:
    raise EOFError


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_the_message_names_the_limit() -> None:
    command = [sys.executable, "-c", LIMITED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    status, _, message = done.stdout.partition(" ")
    assert int(status) == dxc.INTERNAL
    assert message.startswith("error: out of memory: the process may use 300 MiB [HLSL0003]\nhint: ")
