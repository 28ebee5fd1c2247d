"""Outputs of a call that the server answers: the client writes them, as it would without a server."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="the server needs Unix sockets")

from hlsl_tool.apps.server import client, protocol
from tests.patience import PATIENCE
from tests.unit.server.support import folder_with_shaders, hlsl2spirv, is_running, place, server, wait_for

__all__ = ["place"]

COMPILE = ("-T", "ps_6_0", "a.hlsl")
CLIENT = [sys.executable, "-P", "-m", "hlsl_tool.hlsl2spirv"]
SLOW = """
import os, pathlib, time
compile = serve.execute_safely
def execute_safely(arguments, *rest, **named):
    if "SLOW" in arguments:
        pathlib.Path("{place}/begun").write_text(str(os.getpid()))
        time.sleep({seconds})
        pathlib.Path("{place}/survived").touch()
    return compile(arguments, *rest, **named)
serve.execute_safely = execute_safely
"""
"""A server whose worker sleeps before it compiles with `-D SLOW`."""


@pytest.fixture
def slow_server(place: Path) -> Iterator[Path]:
    with server(SLOW.format(place=place, seconds=PATIENCE)):
        yield place


def begin(place: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a client; return it and the process id of the worker, which has started to compile."""
    begun = place / "begun"
    words = [*CLIENT, *COMPILE, "-D", "SLOW", *arguments]
    process = subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: begun.exists() and begun.read_text())
    return process, int(begun.read_text())


def test_a_client_that_was_killed_writes_nothing(slow_server: Path) -> None:
    process, worker = begin(slow_server, "-Fo", "a.spv")
    process.kill()
    process.communicate()
    wait_for(lambda: not is_running(worker))
    assert not (slow_server / "survived").exists() and not (slow_server / "a.spv").exists()
    assert hlsl2spirv(slow_server, *COMPILE, "-Fo", "a.spv")[0] == 0
    assert (slow_server / "a.spv").exists()


def test_an_interrupted_client_says_so_and_writes_nothing(slow_server: Path) -> None:
    process, worker = begin(slow_server, "-Fo", "a.spv")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, b"hlsl2spirv: interrupted\n")
    wait_for(lambda: not is_running(worker))
    assert not (slow_server / "a.spv").exists()


STREAMS = [
    (*COMPILE, "-Fo", "/dev/stdout"),
    (*COMPILE, "-Fo", "/dev/fd/1"),
    (*COMPILE, "-Fo", "/proc/self/fd/1"),
    (*COMPILE, "-Fo", "/dev/stderr"),
    (*COMPILE, "-Fc", "/dev/stdout"),
    (*COMPILE, "-Fo", "link"),
    (*COMPILE, "-Fo", "a.spv", "-MD", "-MF", "/dev/stdout"),
    ("-P", "a.hlsl", "-Fi", "/dev/stdout"),
    ("-T", "ps_6_0", "-", "-Fo", "a.spv"),
    ("-T", "ps_6_0", "/dev/stdin", "-Fo", "/dev/stdout", "-MD", "-MF", "/dev/stderr", "-MT", "target"),
    ("-T", "ps_6_0", "/dev/fd/0", "-Fc", "a.txt"),
]


def through_pipes(folder: Path, *arguments: str) -> tuple[int, bytes, bytes]:
    source = (folder / "a.hlsl").read_bytes()
    done = subprocess.run([*CLIENT, *arguments], cwd=folder, input=source, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def running() -> Iterator[Path]:
    """Start a server for many tests; return its folder."""
    with pytest.MonkeyPatch.context() as patch, folder_with_shaders(patch) as folder:
        (folder / "link").symlink_to("/dev/stdout")
        with server():
            yield folder


@pytest.mark.parametrize("arguments", STREAMS, ids=" ".join)
def test_streams_get_every_byte(running: Path, arguments: tuple[str, ...]) -> None:
    results = []
    for words in (arguments, (*arguments, "--no-server")):
        streams = through_pipes(running, *words)
        results.append((streams, sorted((p.name, p.read_bytes()) for p in running.iterdir() if p.suffix == ".spv")))
        for name in ("a.spv", "a.txt"):
            (running / name).unlink(missing_ok=True)
    assert results[0] == results[1]
    code, out, err = results[0][0]
    assert code == 0 and (out or err or results[0][1] or "a.txt" in arguments)


def test_an_open_file_is_appended_to(running: Path) -> None:
    with open(running / "log", "wb") as log:
        log.write(b"before\n")
        log.flush()
        for words in (("-Fc", "/dev/stdout"), ("-Fc", "/dev/stdout", "--no-server")):
            subprocess.run([*CLIENT, *COMPILE, *words], cwd=running, stdout=log, check=True)
    text = (running / "log").read_bytes()
    listing = hlsl2spirv(running, *COMPILE)[1]
    assert text == b"before\n" + listing + listing


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_streams_have_the_encoding_of_the_client(running: Path, encoding: str) -> None:
    (running / "Ä.hlsl").write_text("float4 main() : SV_Target { return oops; }\n")
    words = ("-T", "ps_6_0", "Ä.hlsl")
    alone = hlsl2spirv(running, *words, "--no-server", PYTHONIOENCODING=encoding)
    assert hlsl2spirv(running, *words, PYTHONIOENCODING=encoding) == alone
    assert alone[0] == 1 and alone[2]


def test_outputs_are_written_together(running: Path) -> None:
    (running / "folder").mkdir()
    (running / "old.spv").write_text("old")
    for words in ((), ("--no-server",)):
        code, _, err = hlsl2spirv(running, *COMPILE, "-Fo", "old.spv", "-Fh", "folder", *words)
        assert (code, err) == (1, b"hlsl2spirv: error: cannot write 'folder': there is a folder of this name\n")
        assert (running / "old.spv").read_text() == "old"


@pytest.mark.parametrize("names", [(), ("a.spv",), ("a.spv", "b\udcff", "c")])
def test_an_answer_is_read_as_it_was_written(names: tuple[str, ...]) -> None:
    files = {name: name.encode("utf-8", "surrogateescape") * 3 for name in names}
    data = protocol.answer(3, "out \udcff", "err", files)
    read = iter([data[i : i + 1] for i in range(len(data))])
    assert protocol.read_answer(lambda _: next(read, b"")) == (3, "out \udcff", "err", files)
    with pytest.raises(EOFError):
        cut = iter([data[:-1]])
        protocol.read_answer(lambda _: next(cut, b""))


@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "LD_PRELOAD"])
def test_a_client_with_other_libraries_is_not_answered(
    running: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    path = protocol.socket_path()
    monkeypatch.setattr(protocol, "socket_path", lambda: path)
    monkeypatch.setenv(variable, "/other")
    assert client.ask(["--version"]) is None
    monkeypatch.delenv(variable)
    assert client.ask(["--version"]) is not None


@pytest.mark.parametrize("place_of", ["/", "/proc/self/ns/mnt"])
def test_a_client_that_sees_other_files_is_not_answered(
    running: Path, monkeypatch: pytest.MonkeyPatch, place_of: str
) -> None:
    path, inode = protocol.socket_path(), protocol._inode
    assert client.ask(["--version"]) is not None
    monkeypatch.setattr(protocol, "socket_path", lambda: path)
    monkeypatch.setattr(protocol, "_inode", lambda name: "1:1" if name == place_of else inode(name))
    assert client.ask(["--version"]) is None
