"""The compile server: results are the same as without it, and a dead, hung, outdated or foreign one does no harm."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="the server needs Unix sockets")

import fcntl

from hlsl_tool.apps.server import client, lock, protocol, serve
from hlsl_tool.apps.server.__main__ import main as become_server
from hlsl_tool.spirv.tools.locate import locate
from hlsl_tool.spirv.tools.package import shared_library
from tests.patience import PATIENCE
from tests.unit.server.support import GOOD, ROOT, hlsl2spirv, is_running, place, server, status, stop, wait_for

__all__ = ["place"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-T", "ps_6_0", "a.hlsl"),
        ("-T", "ps_6_0", "a.hlsl", "-Fc", "a.txt", "-Fh", "a.h", "-Vn", "name"),
        ("-T", "ps_6_0", "a.hlsl", "-Fo", "o/a.spv", "-MD", "-MF", "o/a.dep"),
        ("-T", "ps_6_0", "bad.hlsl"),
        ("-T", "ps_6_0", "bad.hlsl", "-diagnostics=json"),
        ("-T", "ps_6_0", "none.hlsl"),
        ("-T", "xx_6_0", "a.hlsl"),
        ("--version",),
        (),
    ],
    ids=" ".join,
)
def test_results_are_those_without_a_server(place: Path, arguments: tuple[str, ...]) -> None:
    alone = hlsl2spirv(place, *arguments, "--no-server")
    files = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    with server("serve.os.cpu_count = lambda: 1"):  # one worker, which counts all requests
        assert status()
        assert hlsl2spirv(place, *arguments) == alone
        assert {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()} == files
        requests = status()
        assert requests is not None and requests["requests"] == 1


def test_an_edit_is_seen(place: Path) -> None:
    with server():
        first = hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl")
        (place / "c.hlsli").write_text("#define COLOR float4(0, 1, 0, 1)\n")
        second = hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl")
    assert second != first and second == hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", "--no-server")


def test_folders_do_not_mix(place: Path) -> None:
    other = place / "other"
    other.mkdir()
    (other / "a.hlsl").write_text(GOOD)
    (other / "c.hlsli").write_text("#define COLOR float4(0, 0, 1, 1)\n")
    with server():
        for _ in range(2):
            for folder in (place, other):
                words = ("-T", "ps_6_0", "a.hlsl")
                assert hlsl2spirv(folder, *words) == hlsl2spirv(folder, *words, "--no-server")


def test_outputs_have_the_permissions_that_the_client_asks_for(place: Path) -> None:
    with server():
        before = os.umask(0o027)
        try:
            assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", "-Fo", "a.spv")[0] == 0
        finally:
            os.umask(before)
    assert (place / "a.spv").stat().st_mode & 0o777 == 0o640


def test_the_tools_of_the_client_are_used(place: Path) -> None:
    tool = place / "opt"
    tool.write_text("#!/bin/sh\nexit 9\n")
    tool.chmod(0o700)
    with server():
        failed = hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", SPIRV_OPT=str(tool))
        assert failed[0] == 1 and b"HLSL07" in failed[2]
        assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl")[0] == 0


def test_many_at_a_time(place: Path) -> None:
    for number in range(12):
        (place / f"{number}.hlsl").write_text(f"float4 main() : SV_Target {{ return {number}; }}\n")
    names = [f"{number}.hlsl" for number in range(12)]
    alone = hlsl2spirv(place, "-T", "ps_6_0", "3.hlsl", "--no-server")
    with server(), ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda name: hlsl2spirv(place, "-T", "ps_6_0", name), names))
    assert all(status == 0 for status, _, _ in results) and results[3] == alone
    assert len({out for _, out, _ in results}) == len(results)


def test_a_dead_server_is_done_without(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(protocol.socket_path())
        os.chmod(protocol.socket_path(), 0o600)
    assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl")[0] == 0


def test_a_server_that_does_not_answer_is_done_without(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(protocol.socket_path())
        os.chmod(protocol.socket_path(), 0o600)
        listener.listen(1)
        assert client.ask(["--version"]) is None


@pytest.mark.parametrize("answer", [b"", protocol.TAKEN, protocol.TAKEN + b"\0" * 20])
def test_half_an_answer_is_none(place: Path, answer: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(protocol.socket_path())
        os.chmod(protocol.socket_path(), 0o600)
        listener.listen(1)

        def reply() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=reply)
        thread.start()
        assert client.ask(["--version"]) is None
        thread.join()


def test_a_socket_that_others_can_use_is_not_asked(place: Path) -> None:
    with server():
        os.chmod(protocol.socket_path(), 0o666)
        assert client.ask(["--version"]) is None
        os.chmod(protocol.socket_path(), 0o600)
        assert client.ask(["--version"]) is not None


def test_a_folder_that_others_can_use_has_no_server(place: Path) -> None:
    (place / "run" / "hlsl_tool").chmod(0o755)
    assert become_server() == 1


def test_another_installation_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = protocol.socket_path()
    with server():
        monkeypatch.setattr(protocol, "socket_path", lambda: path)
        monkeypatch.setattr(protocol, "identity", lambda: "another")
        assert client.ask(["--version"]) is None


def test_a_server_whose_sources_change_ends(place: Path) -> None:
    source = place / "source.py"
    source.write_text("1")
    with server(f"serve.sources = lambda: {{{str(source)!r}: serve._stamp({str(source)!r})}}") as process:
        assert client.ask(["--version"]) is not None
        source.write_text("22")
        assert client.ask(["--version"]) is None
        assert process.wait(PATIENCE) == 0


def test_every_file_of_the_package_is_a_source() -> None:
    found = {Path(path).relative_to(ROOT / "hlsl_tool").as_posix() for path in serve.sources()}
    assert {
        "__init__.py",
        "frontend/syntax/hlsl.tables",
        "codegen/lower/intrinsics/math.py",
        "frontend/headers/vk/spirv.h",
    } <= found
    assert not [path for path in found if "__pycache__" in path]
    assert not serve.have_changed(serve.sources())
    assert serve.have_changed({"/no/such/file": (1, 1)})


def test_it_ends_when_nothing_is_asked(place: Path) -> None:
    with server("serve.IDLE = 0.0") as process:
        assert process.wait(PATIENCE) == 0
    assert not os.path.exists(protocol.socket_path())


def test_it_ends_when_its_socket_is_removed(place: Path) -> None:
    with server() as process:
        os.unlink(protocol.socket_path())
        assert process.wait(PATIENCE) == 0


def test_workers_end_with_the_server(place: Path) -> None:
    with server() as process:
        state = status()
        assert state is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_for(lambda: not is_running(state["worker"]))


def test_a_worker_that_is_killed_is_replaced(place: Path) -> None:
    with server():
        state = status()
        assert state is not None
        os.kill(state["worker"], signal.SIGKILL)
        wait_for(status)
        assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl")[0] == 0


def test_a_worker_above_the_memory_limit_is_replaced_at_once(place: Path) -> None:
    """Each of four calls gets a new worker if every worker exceeds the memory limit.

    The replacement is immediate: a client waits for less time (`client.PATIENCE`) than an idle server sleeps.
    """
    with server("serve.MEMORY = 0"):
        processes = [state["worker"] for state in (status() for _ in range(4)) if state is not None]
    assert len(processes) == len(set(processes)) == 4


def test_only_one_server_runs(place: Path) -> None:
    with server() as process:
        assert become_server() == 1
        assert process.poll() is None


def test_a_server_starts_while_another_process_looks_for_one(place: Path) -> None:
    descriptor = lock._open()
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # as `holder` does for a moment
    threading.Timer(lock.PROBE / 4, os.close, (descriptor,)).start()
    try:
        assert lock.take()
    finally:
        lock.drop()


def test_the_second_call_starts_a_server(place: Path) -> None:
    for _ in range(2):
        assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", CI="true")[0] == 0
    assert status() is None and not list((place / "run" / "hlsl_tool").iterdir())
    for _ in range(2):
        assert status() is None
        assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", CI="")[0] == 0
    wait_for(status)
    assert client.ask([protocol.STOP]) is not None
    wait_for(lambda: status() is None)


def test_it_can_be_turned_off(place: Path) -> None:
    for _ in range(3):
        assert hlsl2spirv(place, "--version", HLSL_TOOL_SERVER="no")[0] == 0
    assert not list((place / "run" / "hlsl_tool").iterdir())


def test_a_client_imports_little(place: Path) -> None:
    program = "import sys, hlsl_tool.hlsl2spirv, hlsl_tool.apps.server.client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert len([name for name in done.stdout.split() if name.startswith("hlsl_tool")]) <= 13


def verb(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-m", "hlsl_tool", "server", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_verb_starts_and_stops_one_server(place: Path) -> None:
    assert verb("stop") == (1, "", "no server runs\n")
    first, again = verb("start"), verb("start")
    assert first[0] == again[0] == 0 and first[1].splitlines()[0] == again[1].splitlines()[0]
    assert verb("status")[0] == 0
    assert verb("stop") == (0, "", "")
    assert lock.holder() == 0
    assert verb("status") == (1, "", "no server runs\n")


def test_a_server_that_hangs_is_named_and_ended(place: Path) -> None:
    with server("serve.os.cpu_count = lambda: 1") as process:
        state = status()
        assert state is not None
        for number in (process.pid, state["worker"]):
            stop(number)
        assert verb("status")[2] == f"process {process.pid} is a server that does not answer: stop it\n"
        assert verb("stop")[2] == f"process {process.pid} did not answer and was killed\n"
        with contextlib.suppress(ProcessLookupError):
            os.kill(state["worker"], signal.SIGCONT)
        process.wait()
    assert lock.holder() == 0


@pytest.mark.parametrize(
    ("break_it", "why"),
    [
        (lambda folder: folder.chmod(0o777), "its mode has to be 700"),
        (lambda folder: (folder.rmdir(), folder.write_text("")), "cannot make the folder"),
    ],
)
def test_the_verb_gives_the_reason_why_no_server_can_run(
    place: Path, break_it: Callable[[Path], object], why: str
) -> None:
    break_it(place / "run" / "hlsl_tool")
    status_code, _, err = verb("start")
    assert status_code == 2 and why in err


def test_a_path_that_is_too_long_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / ("long" * 30)))
    status_code, _, err = verb("start")
    assert status_code == 2 and "longer than" in err


def test_a_call_that_the_server_answers_imports_little(place: Path) -> None:
    program = (
        "import os, sys; from hlsl_tool.apps.server import client\n"
        "sys.argv[1:] = ['-T', 'ps_6_0', 'a.hlsl', '-Fo', 'a.spv']\n"
        "client.finish = lambda status, out, err: (print(status, *sys.modules, flush=True), os._exit(0))\n"
        "client.main()\n"
    )
    with server():
        done = subprocess.run(
            [sys.executable, "-S", "-c", program], capture_output=True, text=True, cwd=place, check=True
        )
    code, *loaded = done.stdout.split()
    assert code == "0" and not {"enum", "re", "selectors", "socket", "typing"}.intersection(loaded)


def test_an_upgrade_of_spirv_tools_ends_the_server(place: Path) -> None:
    """Programs and libraries of SPIRV-Tools in other packages count as sources of the server."""
    tools = [locate(name) for name in ("spirv-opt", "spirv-val")]
    assert {*filter(None, [*tools, shared_library()])} <= serve.sources().keys()


def test_an_idle_server_ends(place: Path) -> None:
    main = [sys.executable, "-P", "-m", "hlsl_tool.apps.server", "0.2"]
    assert subprocess.run(main, timeout=PATIENCE, check=False).returncode == 0
    assert not Path(protocol.socket_path()).exists()


def test_a_file_in_the_place_of_the_socket_is_left_alone(place: Path) -> None:
    path = Path(protocol.socket_path())
    path.write_text("another program's")
    alone = hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl", "--no-server")
    assert hlsl2spirv(place, "-T", "ps_6_0", "a.hlsl") == alone
    main = [sys.executable, "-P", "-m", "hlsl_tool.apps.server"]
    assert subprocess.run(main, capture_output=True, check=False).returncode == 1
    assert path.read_text() == "another program's"
