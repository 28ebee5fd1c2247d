"""Atomic writes: complete files or none, several at once, and leftovers of killed writers."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time

import pytest

from hlsl_tool.base.system import atomic_write
from hlsl_tool.base.system.atomic_write import (
    ABANDONED,
    TEMPORARY_SUFFIX,
    WriteError,
    machine,
    write_all,
    write_atomic,
    write_own,
)
from hlsl_tool.base.system.folders import Folder


def dead_process() -> int:
    """Return the id of a process that has ended."""
    process = os.posix_spawn(sys.executable, [sys.executable, "-c", ""], os.environ)
    os.waitpid(process, 0)
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="there every process may be alive")
@pytest.mark.parametrize("write", [write_atomic, write_own])
def test_temporary_files_of_ended_and_forgotten_writers_are_removed(tmp_path: pathlib.Path, write) -> None:
    here, living, dead = machine(), f"{os.getppid():x}", f"{dead_process():x}"
    names = {
        "ended": f"a.spv.{here:x}-{dead}-0{TEMPORARY_SUFFIX}",
        "writing": f"a.spv.{here:x}-{living}-0{TEMPORARY_SUFFIX}",
        "forgotten": f"a.spv.{here:x}-{living}-1{TEMPORARY_SUFFIX}",
        "writing elsewhere": f"a.spv.{here ^ 1:x}-{dead}-0{TEMPORARY_SUFFIX}",
        "forgotten elsewhere": f"a.spv.{here ^ 1:x}-{dead}-1{TEMPORARY_SUFFIX}",
        "other": f"a.spv{TEMPORARY_SUFFIX}",
    }
    for name in names.values():
        (tmp_path / name).touch()
    old = time.time() - ABANDONED - 10
    for name in ("forgotten", "forgotten elsewhere"):
        os.utime(tmp_path / names[name], (old, old))
    atomic_write._swept.clear()
    write(str(tmp_path / "a.spv"), b"new")
    assert set(os.listdir(tmp_path)) == {"a.spv", names["writing"], names["writing elsewhere"], names["other"]}


@pytest.mark.skipif(sys.platform != "linux", reason="needs a namespace of processes")
def test_containers_have_machines_of_their_own() -> None:
    program = "from hlsl_tool.base.system.atomic_write import machine; print(machine())"
    command = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", sys.executable, "-c", program]
    try:
        inner = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        pytest.skip("no unshare")
    if inner.returncode:
        pytest.skip("namespaces are not permitted")
    assert int(inner.stdout) != machine()


def test_a_failed_write_of_several_files_leaves_all_old_ones(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    (tmp_path / "c").mkdir()
    with pytest.raises(WriteError, match="there is a folder of this name"):
        write_all({str(tmp_path / name): b"new" for name in ("a", "b", "c")})
    assert [(tmp_path / name).read_text() for name in ("a", "b")] == ["old", "old"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


@pytest.mark.parametrize("names", [["a", "a/x"], ["a/b/x", "a"], ["c", "a/./x", "b/../a"]])
def test_no_file_is_the_folder_of_another(tmp_path: pathlib.Path, names: list[str]) -> None:
    with pytest.raises(WriteError, match="it is the folder of another output, `a/") as problem:
        write_all({str(tmp_path / name): b"new" for name in names})
    assert os.path.basename(problem.value.path) == "a"
    assert not os.listdir(tmp_path)


def test_no_file_is_replaced_before_all_are_on_disk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    replace = Folder.replace

    def counted(folder: Folder, old: str, new: str) -> None:
        seen.append(len([name for name in os.listdir(tmp_path) if name.endswith(TEMPORARY_SUFFIX)]))
        replace(folder, old, new)

    monkeypatch.setattr(Folder, "replace", counted)
    write_all({str(tmp_path / name): name.encode() for name in "abc"})
    assert seen == [3, 2, 1]
    assert [(tmp_path / name).read_bytes() for name in "abc"] == [b"a", b"b", b"c"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_written_after_all_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_special, seen = atomic_write._write_special, []
    monkeypatch.setattr(
        atomic_write, "_write_special", lambda *arguments: (seen.append(file.read_text()), write_special(*arguments))
    )
    try:
        write_all({str(pipe): b"words", str(file): b"content"})
        assert (os.read(reader, 100), seen) == (b"words", ["content"])
        (tmp_path / "folder").mkdir()
        with pytest.raises(WriteError, match="there is a folder of this name"):
            write_all({str(pipe): b"words", str(tmp_path / "folder"): b"content"})
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev")
def test_an_open_file_is_written_after_all_files(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("file", "other"):
        (tmp_path / name).write_text("old")
    with pytest.raises(WriteError, match="is a file, not a folder"):
        write_all({"/dev/stdout": b"words", str(tmp_path / "file"): b"new", str(tmp_path / "other/x"): b"new"})
    assert (capfd.readouterr().out, (tmp_path / "file").read_text()) == ("", "old")
    write_all({"/dev/stdout": b"words", str(tmp_path / "file"): b"new"})
    assert (capfd.readouterr().out, (tmp_path / "file").read_text()) == ("words", "new")
