"""Worker processes: forked from a process that has loaded the compiler, or started individually."""

from __future__ import annotations

import errno
import io
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers import executors, forkserver
from hlsl_tool.project.build.workers import processes as workers
from hlsl_tool.project.build.workers.executors import Processes
from hlsl_tool.project.build.workers.processes import ForkServer, Worker, spawn
from tests.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]
JOB = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": "a.spv"})
forks = pytest.mark.skipif(not workers.CAN_FORK, reason="workers are not forked here")


@pytest.fixture
def root(tmp_path: pathlib.Path) -> str:
    (tmp_path / "a.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    return str(tmp_path)


def children(number: int) -> list[int]:
    return [int(line) for line in pathlib.Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def wait_until_gone(numbers: list[int]) -> None:
    until = time.monotonic() + PATIENCE
    while any(is_there(number) for number in numbers):
        assert time.monotonic() < until, "processes are left"
        time.sleep(0.01)


def is_there(number: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def compiled(worker: Worker, root: str) -> bytes:
    worker.begin(root, None)
    return worker.run(JOB).outputs["spv"]


@forks
def test_both_kinds_compile_the_same(root: str) -> None:
    server = ForkServer(root)
    made = [server.worker(), server.worker(), spawn(root)]
    assert len({compiled(worker, root) for worker in made}) == 1
    for worker in made:
        worker.close()
        assert worker.ended() == "exit status 0"
    server.close()
    assert server.process.returncode == 0


@forks
def test_a_worker_that_is_killed_is_replaced(root: str) -> None:
    """The job of a killed worker fails with HLSL0903, "the compiler process ended unexpectedly".

    The next job succeeds.
    """
    processes = Processes(root, 2)
    good = processes.run(JOB)
    assert good.ok
    assert processes.server is not None
    [number] = children(processes.server.process.pid)
    os.kill(number, signal.SIGKILL)
    bad = processes.run(JOB)
    assert [d.message for d in bad.diagnostics] == ["the compiler process ended unexpectedly (SIGKILL)"]
    assert processes.run(JOB).outputs == good.outputs
    processes.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGSTOP")
@pytest.mark.parametrize("can_fork", [pytest.param(True, marks=[forks, pytest.mark.nightly]), False])
def test_a_worker_that_is_stopped_is_replaced(root: str, can_fork: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "CAN_FORK", can_fork)
    monkeypatch.setenv(workers.TIMEOUT_VARIABLE, "200")  # the first loads the compiler
    others = children(os.getpid())
    pool = Processes(root, 1)
    assert pool.run(JOB).ok
    [worker] = pool.free
    worker.limit = 1.0
    if isinstance(worker.incoming, io.BufferedReader) and isinstance(worker.incoming.raw, socket.SocketIO):
        worker.incoming.raw._sock.settimeout(1.0)
    mine = [number for number in children(os.getpid()) if number not in others]
    [number] = [each for parent in mine for each in children(parent)] or mine
    os.kill(number, signal.SIGSTOP)
    result = pool.run(JOB)
    assert [d.code.id for d in result.diagnostics] == ["HLSL0912"]
    assert pool.run(JOB).ok
    pool.close()
    wait_until_gone([number])


@pytest.mark.parametrize(("text", "seconds"), [("", 600), ("7.5", 7.5), ("0", None), ("-1", None), ("x", 600)])
def test_the_time_limit(text: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.TIMEOUT_VARIABLE, text)
    assert workers.time_limit() == seconds


@forks
def test_without_the_server_workers_are_started_one_by_one(root: str) -> None:
    processes = Processes(root, 2)
    processes.server = ForkServer(root)
    processes.server.process.kill()
    processes.server.process.wait()
    assert processes.run(JOB).ok
    processes.close()


@forks
def test_a_server_that_dies_under_its_workers(root: str) -> None:
    processes = Processes(root, 2)
    assert processes.run(JOB).ok
    assert processes.server is not None
    numbers = children(processes.server.process.pid)
    processes.server.process.kill()
    assert processes.run(JOB).ok, "a worker needs no server"
    processes.close()
    wait_until_gone(numbers)


def test_where_nothing_forks(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "CAN_FORK", False)
    processes = Processes(root, 2)
    assert processes.run(JOB).ok
    assert processes.server is None
    processes.close()


@forks
def test_a_worker_that_cannot_be_forked_is_reported(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it cannot fork a worker, the fork server sends the negative error number, and continues.

    The build then starts workers as separate Python processes.
    """

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    mine, other = socket.socketpair()
    thread = threading.Thread(target=forkserver.serve, args=(other,))
    thread.start()
    with mine, other:
        monkeypatch.setattr(os, "fork", refuse)
        with open(os.devnull) as connection:
            socket.send_fds(mine, [workers.NUMBER.pack(0)], [connection.fileno()])
            assert workers.NUMBER.unpack(mine.recv(8)) == (-errno.EAGAIN,)
        mine.sendall(workers.NUMBER.pack(0))  # the message of a system without free descriptors
        assert workers.NUMBER.unpack(mine.recv(8)) == (-errno.EMFILE,)
        mine.shutdown(socket.SHUT_WR)
        thread.join()


def test_one_worker_that_cannot_be_started_is_replaced_by_this_process(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def refuse(_root: str) -> None:
        attempts.append(1)
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(executors, "ForkServer", refuse)
    monkeypatch.setattr(executors, "spawn", refuse)
    one, two = Processes(root, 1), Processes(root, 2)
    results = [one.run(JOB), one.run(JOB)]
    assert [result.ok for result in results] == [True, True]
    assert len(attempts) == 1, "it is tried once"
    assert [d.code.id for d in two.run(JOB).diagnostics] == ["HLSL0904"]
    one.close()
    two.close()


@forks
def test_no_worker_is_left_when_a_build_is_killed(root: str) -> None:
    script = (
        "import sys, time\n"
        "from hlsl_tool.project.build.workers.processes import ForkServer\n"
        "server = ForkServer('.')\n"
        "made = [server.worker() for _ in range(3)]\n"
        "print(server.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as build:
        assert build.stdout is not None
        server = int(build.stdout.readline())
        numbers = [server, *children(server)]
        assert len(numbers) == 4
        build.kill()
    wait_until_gone(numbers)


@forks
def test_the_server_ignores_interrupts_while_it_loads(root: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Interrupts, which a terminal sends to all of its processes, do not end a fork server that is loading."""
    server = ForkServer(root)
    for _ in range(20):
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.005)
    assert compiled(server.worker(), root)
    server.close()
    assert server.process.returncode == 0
    assert "Traceback" not in capfd.readouterr().err


@forks
@pytest.mark.skipif(sys.platform != "linux", reason="adopts orphans by prctl")
@pytest.mark.parametrize("is_ignored", [False, True])
def test_no_zombies_are_left_to_the_first_process(root: str, is_ignored: bool) -> None:
    """No child process of the build or of its workers remains as a zombie, even if SIGCHLD is ignored.

    Each worker waits for its host process of SPIRV-Tools: in a container, the first process may not reap orphans.
    """
    script = (
        "import ctypes, os, signal, sys\n"
        "from hlsl_tool.project.build.workers.processes import ForkServer\n"
        "from tests.unit.build.test_workers import JOB\n"
        "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans become children of this process\n"
        f"signal.signal(signal.SIGCHLD, signal.{'SIG_IGN' if is_ignored else 'SIG_DFL'})\n"
        "server = ForkServer('.')\n"
        "made = [server.worker() for _ in range(2)]\n"
        "for worker in made:\n"
        "    worker.begin('.', None)\n"
        "    assert worker.run(JOB).ok\n"
        "    worker.close()\n"
        "print([worker.ended() for worker in made])\n"
        "server.close()\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_DFL)\n"
        "try:\n"
        "    print(os.waitpid(-1, 0))\n"
        "except ChildProcessError:\n"
        "    print('none')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, env=environment)
    assert done.stdout.splitlines() == ["['exit status 0', 'exit status 0']", "none"], done.stderr
