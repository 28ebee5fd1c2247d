"""Builds compile in workers of the server, with the same results; a server that ends or hangs does no harm."""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="the server needs Unix sockets")

from hlsl_tool.apps.server import builds, client, protocol
from hlsl_tool.apps.server.lock import holder
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers import processes, stopped
from hlsl_tool.project.build.workers.executors import Inline, Processes, local_executor
from hlsl_tool.project.build.workers.processes import Worker
from tests.patience import PATIENCE
from tests.unit.server.support import place, server, status, stop, wait_for

__all__ = ["place"]

CONFIG = """\
shaders:
  - source: "a.hlsl"
    entries: [{entry: main, profile: ps_6_0, defines: {N: [1, 2, 3]}}]
"""


@pytest.fixture
def project(place: Path) -> Path:
    root = place / "project"
    (root / "config/shaders").mkdir(parents=True)
    (root / "shaders").mkdir()
    (root / "config/shaders/all.yaml").write_text(CONFIG)
    (root / "shaders/c.hlsli").write_text("#define COLOR float4(N, 0, 0, 1)\n")
    (root / "shaders/a.hlsl").write_text('#include "c.hlsli"\nfloat4 main() : SV_Target { return COLOR; }\n')
    return root


def build(root: Path, *arguments: str, **variables: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-m", "hlsl_tool", "build", "--store", "none", *arguments]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env=environment)
    return done.returncode, re.sub(r"\(.* s\)|\d+\.\d+ s", "", done.stdout), done.stderr


def outputs(root: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (root / "build").rglob("*") if p.suffix in (".spv", ".json", ".d")}


def requests() -> int:
    state = status()
    return state["requests"] if state is not None else -1


def shader(source: str = "a.hlsl") -> Job:
    options = CompileOptions(entry="main", profile="ps_6_0", defines=(("N", "1"),))
    return Job("a", f"shaders/{source}", options, {"spv": "a.spv"})


@pytest.mark.parametrize("value", ["COLOR * 2", "oops", "COLOR +"])
def test_a_build_gives_the_same_with_and_without_a_server(project: Path, value: str) -> None:
    (project / "shaders/a.hlsl").write_text(f'#include "c.hlsli"\nfloat4 main() : SV_Target {{ return {value}; }}\n')
    other = project.with_name("other")
    shutil.copytree(project, other)
    with server("serve.os.cpu_count = lambda: 1"):
        assert (build(project), outputs(project)) == (build(other, "--no-server"), outputs(other))
        assert requests() == 1


def test_an_edit_of_a_header_is_seen_by_the_memory_of_the_server(project: Path) -> None:
    with server("serve.os.cpu_count = lambda: 1"):
        assert build(project)[0] == 0
        first = outputs(project)
        (project / "shaders/c.hlsli").write_text("#define COLOR float4(0, N, 0, 1)\n")
        assert build(project)[0] == 0 and requests() == 2
        second = outputs(project)
        assert build(project)[0] == 0 and requests() == 2  # nothing to compile: nothing is asked
    (project / "shaders/c.hlsli").write_text("#define COLOR float4(0, N, 0, 1) \n")
    assert build(project)[0] == 0 and outputs(project) == second != first


@pytest.mark.parametrize("off", [{"HLSL_TOOL_SERVER": "no"}, {"HLSL_TOOL_SPIRV_TOOLS": "programs"}])
def test_the_environment_turns_it_off(project: Path, off: dict[str, str]) -> None:
    with server():
        assert build(project, **off)[0] == 0
        assert requests() == 0


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test as on a user's machine, without `CI`; end the server that it starts."""
    monkeypatch.delenv("CI")
    yield
    client.ask([protocol.STOP])
    wait_for(lambda: not holder())


def edit(project: Path, number: int) -> None:
    (project / "shaders/c.hlsli").write_text(f"#define COLOR float4(0, N, 0, {number})\n")


def test_the_first_build_starts_a_server_and_says_so_once(project: Path, anywhere: None) -> None:
    status_, _, err = build(project)
    assert (status_, err) == (0, builds.NOTE)
    wait_for(status)
    edit(project, 2)
    process = holder()
    assert build(project)[::2] == (0, "") and holder() == process
    client.ask([protocol.STOP])
    wait_for(lambda: not holder())
    edit(project, 3)
    assert build(project)[::2] == (0, "")  # it starts again, without a note
    wait_for(status)


def test_a_build_with_much_work_waits_for_the_server(project: Path, anywhere: None) -> None:
    executor = local_executor(str(project), 2, work=100.0, lender=builds.ServerLender(is_quiet=True))
    assert isinstance(executor, Processes) and executor.run(shader()).ok
    assert [worker.is_borrowed for worker in executor.free] == [True]
    executor.close()


@pytest.mark.parametrize(
    ("words", "variables"),
    [((), {"CI": "true"}), ((), {"HLSL_TOOL_SERVER": "no"}), (("--no-server",), {}), ((), {"CI": "1"})],
)
def test_no_process_stays_where_none_is_wanted(
    project: Path, anywhere: None, words: tuple[str, ...], variables: dict[str, str]
) -> None:
    assert build(project, *words, **variables)[::2] == (0, "")
    assert not holder()


@pytest.mark.parametrize("limit", ["-v 8000000", "-d 8000000", "-t 600"])
def test_no_server_inherits_a_limit_of_the_build(project: Path, anywhere: None, limit: str) -> None:
    command = f"ulimit {limit}; exec {shlex.quote(sys.executable)} -P -m hlsl_tool build --store none"
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not holder()


def test_a_server_is_started_in_continuous_integration_on_request(project: Path, anywhere: None) -> None:
    assert build(project, CI="true", HLSL_TOOL_SERVER="yes")[0] == 0
    wait_for(status)


def test_the_server_keeps_no_file_of_its_caller_open(project: Path, anywhere: None) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)  # as of `flock lock scons`, or of a shell with `5>file`
    command = [sys.executable, "-P", "-m", "hlsl_tool", "build", "--store", "none"]
    subprocess.run(command, cwd=project, capture_output=True, check=True, close_fds=False)
    wait_for(status)
    os.close(writer)
    assert select.select([reader], [], [], PATIENCE)[0] and os.read(reader, 1) == b""
    os.close(reader)
    assert holder()


def test_nothing_to_compile_starts_no_server(project: Path, anywhere: None) -> None:
    assert build(project, CI="true")[0] == 0
    assert build(project)[::2] == (0, "") and not holder()


def test_a_server_that_cannot_start_is_done_without(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI")
    monkeypatch.setattr(builds, "START", 0.2)
    monkeypatch.setattr(client, "start", lambda idle: 0)
    executor = local_executor(str(project), 2, work=100.0, lender=builds.ServerLender(is_quiet=True))
    assert executor.run(shader()).ok
    executor.close()


def test_a_build_does_not_wait_for_a_server_that_ends_as_it_starts(
    project: Path, anywhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "START", PATIENCE)
    lender = builds.ServerLender(is_quiet=True)
    lender.start()
    os.kill(lender.process, signal.SIGKILL)
    began = time.monotonic()
    assert lender.borrow(str(project)) is None
    assert time.monotonic() - began < PATIENCE / 2


def test_without_a_server_little_work_is_done_in_the_process_of_the_build(project: Path) -> None:
    executor = local_executor(str(project), 4, work=0.1, lender=builds.ServerLender())
    assert isinstance(executor, Inline)
    with server():
        executor = local_executor(str(project), 4, work=0.1, lender=builds.ServerLender())
        assert isinstance(executor, Processes)
        assert executor.run(shader()).ok
        executor.close()


def test_much_work_is_done_outside_of_the_process_of_the_build(project: Path) -> None:
    executor = local_executor(str(project), 1, work=100.0)
    assert isinstance(executor, Processes) and executor.limit == 1
    assert executor.run(shader()).ok
    executor.close()


def test_a_job_is_compiled_elsewhere_when_the_server_ends(project: Path) -> None:
    with server() as process:
        executor = local_executor(str(project), 1, lender=builds.ServerLender())
        expected = executor.run(shader())
        process.kill()
        process.wait()
        result = executor.run(shader())
        executor.close()
    assert result.ok and result.outputs == expected.outputs and result.files == expected.files


def test_a_server_that_does_not_answer_is_done_without(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server("serve.os.cpu_count = lambda: 1") as process:
        state = status()
        assert state is not None
        monkeypatch.setattr(client, "PATIENCE", 0.2)  # a busy machine takes longer to answer
        stop(state["worker"])
        assert builds.borrow(str(project)) is None
        executor = local_executor(str(project), 1, lender=builds.ServerLender())
        assert isinstance(executor, Inline) and executor.run(shader()).ok
        os.kill(state["worker"], signal.SIGCONT)
        process.terminate()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not show the state of a process")
def test_a_worker_that_is_stopped_is_done_without(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its job is compiled elsewhere within seconds, and not after the limit on the time for a shader."""
    monkeypatch.setattr(stopped, "INTERVAL", 0.1)
    monkeypatch.setenv(processes.TIMEOUT_VARIABLE, str(PATIENCE * 10))
    with server("serve.os.cpu_count = lambda: 1") as process:
        state = status()
        assert state is not None
        executor = local_executor(str(project), 1, lender=builds.ServerLender())
        expected = executor.run(shader())
        stop(state["worker"])
        began = time.monotonic()
        result = executor.run(shader())
        assert time.monotonic() - began < PATIENCE
        executor.close()
        os.kill(state["worker"], signal.SIGCONT)
        process.terminate()
    assert result.ok and result.outputs == expected.outputs


def test_another_installation_lends_no_worker(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server():
        path = protocol.socket_path()
        monkeypatch.setattr(protocol, "socket_path", lambda: path)
        monkeypatch.setattr(protocol, "identity", lambda: "another")
        assert builds.borrow(str(project)) is None


def test_the_environment_of_the_build_ends_with_the_build(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server("serve.os.cpu_count = lambda: 1"):
        state = status()
        assert state is not None
        environment = Path(f"/proc/{state['worker']}/cwd")
        monkeypatch.setenv("HLSL_TOOL_TEST", "1")
        worker = builds.borrow(str(project))
        assert isinstance(worker, Worker)
        worker.begin(str(project), None)
        assert worker.run(shader()).ok
        if environment.exists():
            assert environment.resolve() == project.resolve()
        worker.close()
        wait_for(status)
        if environment.exists():
            assert environment.resolve() == Path("/")
