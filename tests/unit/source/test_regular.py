"""Only regular files are read: pipes, devices, sockets and folders are rejected immediately, with their location."""

from __future__ import annotations

import os
import pathlib
import socket
import subprocess
import sys
import threading

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import OSFileSystem
from hlsl_tool.base.system.atomic_write import WriteError, read_bytes, write_atomic
from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular
from hlsl_tool.cli.__main__ import run as run_verb
from hlsl_tool.cli.dxc import run
from hlsl_tool.project.config.load import load
from hlsl_tool.project.pack import read as read_pack

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
SHADER = "float4 main() : SV_Target { return 1; }\n"


@pytest.fixture
def special(tmp_path: pathlib.Path) -> pathlib.Path:
    """Create a folder with a file of each kind."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        cwd = os.getcwd()
        os.chdir(tmp_path)  # the name of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(cwd)
    with open(tmp_path / "large", "wb") as stream:
        stream.truncate(MAX_SIZE + 1)
    (tmp_path / "x.hlsl").write_text(SHADER)
    return tmp_path


KINDS = [
    ("pipe", "it is a pipe"),
    ("folder", "it is a folder"),
    ("device", "it is a device"),
    ("socket", "it is a socket"),
    ("large", "it is larger than 64 MiB"),
]


@pytest.mark.parametrize(("name", "reason"), KINDS)
def test_inputs(special: pathlib.Path, name: str, reason: str) -> None:
    with pytest.raises(OSError, match=reason):
        read_regular(special / name, MAX_SIZE)
    assert OSFileSystem(str(special)).read(str(special / name)) is None
    (special / "a.hlsl").write_text(f'// first\n#include "{name}"\n')
    status, _, messages = run(["-T", "ps_6_0", "a.hlsl"], str(special))
    assert status == 1
    assert f"a.hlsl:2:10: fatal error: '{name}' cannot be read: {reason} [HLSL1160]" in messages
    assert run(["-T", "ps_6_0", name], str(special))[2] == f"error: cannot read '{name}': {reason}\n"
    assert "cannot read the response file" in run([f"@{name}"], str(special))[2]


def test_has_include(special: pathlib.Path) -> None:
    (special / "a.hlsl").write_text(f'#if __has_include("pipe")\n#error there\n#endif\n{SHADER}')
    assert run(["-T", "ps_6_0", "a.hlsl", "-Fo", "o.spv"], str(special))[0] == 0


@pytest.mark.parametrize("name", ["pipe", "folder", "device", "socket"])
def test_other_readers(special: pathlib.Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(special / name)
    for verb in (["reflect"], ["reflect", "link", place], ["wgsl"], ["pack", "list"]):
        assert run_verb([*verb, place]) == 2
        assert f"cannot read `{place}`: it is " in capsys.readouterr().err
    assert name == "folder" or read_bytes(place) is None
    with pytest.raises(OSError, match=r"it is no regular file"):
        read_pack(place)


def test_configuration(special: pathlib.Path) -> None:
    (special / "p.yaml").symlink_to("pipe")
    sink = Sink()
    load(str(special), ["p.yaml"], sink)
    assert [str(d.message) for d in sink.diagnostics] == ["cannot read `p.yaml`: it is a pipe"]


def test_output_that_nothing_reads(special: pathlib.Path) -> None:
    with pytest.raises(WriteError, match="nothing reads"):
        write_atomic(str(special / "pipe"), b"x")
    for option in ("-Fo", "-Fc", "-Fh"):
        status, _, messages = run(["-T", "ps_6_0", "x.hlsl", option, "pipe"], str(special))
        assert (status, "cannot write 'pipe': it is a pipe" in messages) == (1, True)
    assert not list(special.glob("*~"))


def test_output_that_is_read(special: pathlib.Path) -> None:
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append((special / "pipe").read_bytes()))
    reader.start()
    while True:
        try:
            write_atomic(str(special / "pipe"), b"x" * 200_000)
            break
        except WriteError:  # the reader is about to open it
            continue
    reader.join()
    assert heard == [b"x" * 200_000]


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11])
def test_files_up_to_the_limit_are_read_whole(size: int, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(size))
    if size <= 10:
        assert read_regular(path, 10) == bytes(size)
    else:
        with pytest.raises(OSError, match="larger"):
            read_regular(path, 10)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_file_whose_size_its_system_does_not_know_is_read() -> None:
    assert read_regular("/proc/self/status", MAX_SIZE).startswith(b"Name:")
    with pytest.raises(OSError, match="larger"):
        read_regular("/proc/self/status", 10)


@pytest.mark.skipif(sys.platform != "linux", reason="limits on address space")
def test_small_files_are_read_under_a_limit_of_memory(tmp_path: pathlib.Path) -> None:
    """A small file is read in a process whose memory limit is lower than the size limit of files."""
    (tmp_path / "a").write_bytes(b"text")
    script = (
        "import resource\n"
        "from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() + (32 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used, used))\n"
        "print(read_regular('a', MAX_SIZE))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.stdout == "b'text'\n", done.stderr
