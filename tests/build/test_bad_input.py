"""Builds with wrong input of users: no output is lost, no temporary file remains, messages name the location."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.system.atomic_write import TEMPORARY_SUFFIX, WriteError, write_all, write_atomic
from hlsl_tool.cli.dxc import run
from hlsl_tool.spirv.tools.locate import Tool
from hlsl_tool.spirv.tools.optimizer import OptimizerOptions, optimize
from hlsl_tool.spirv.tools.run import is_module
from tests.build.conftest import Project

GOOD = "float4 main() : SV_Target { return 1; }\n"
OUTPUT = "build/shaders/a.main.spv"
ONE = "shaders:\n  - source: a.hlsl\n    profile: ps_6_0\n"

MODULE = b"".join(word.to_bytes(4, sys.byteorder) for word in (0x07230203, 0x10000, 0, 1, 0, 0x00020011, 1))

# ---------------------------------------------------------------- writing


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_stays_a_pipe(tmp_path: pathlib.Path) -> None:
    """`write_atomic` writes into an existing named pipe, and does not replace the pipe by a file.

    The same holds for devices such as `/dev/null`, which root could replace.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomic(str(pipe), b"words")
        assert os.read(reader, 100) == b"words"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_a_link(tmp_path: pathlib.Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    write_all({str(link): b"1"})
    write_all({str(link): b"2"})
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"2"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_the_message_names_the_file_that_was_asked_for(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WriteError) as caught:
        write_all({str(tmp_path / "ok"): b"1", str(tmp_path / "file" / "x.spv"): b"2"})
    assert caught.value.path == str(tmp_path / "file" / "x.spv")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("option", ["-Fo", "-Fc", "-Fh"])
def test_the_source_is_never_an_output(tmp_path: pathlib.Path, option: str) -> None:
    (tmp_path / "x.hlsl").write_text(GOOD)
    (tmp_path / "link.spv").symlink_to("x.hlsl")
    for name in ("x.hlsl", "./x.hlsl", "link.spv"):
        status, _, err = run(["-T", "ps_6_0", "-fcgl", "x.hlsl", option, name], str(tmp_path))
        assert (status, err) == (1, f"error: cannot write '{name}': it is the source\n")
    assert (tmp_path / "x.hlsl").read_text() == GOOD


# ---------------------------------------------------------------- spirv-opt


def test_only_whole_modules_are_accepted() -> None:
    assert is_module(MODULE)
    assert not is_module(b"")
    assert not is_module(b"garbage garbage garbage")
    assert not is_module(MODULE[:-4])
    assert not is_module(MODULE[:-1])
    assert not is_module(MODULE + bytes(4))


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo garbage", "wrote is no SPIR-V module"),
        ("exit 0", "wrote is no SPIR-V module"),
        ("head -c 24", "wrote is no SPIR-V module"),
        ("echo 'error: line 0: boom' >&2; exit 1", "failed to optimize SPIR-V: boom"),
        ("kill -9 $$", "ended with status -9 (SIGKILL): no message"),
        ("exec sleep 9", "did not finish in 0.5 seconds"),
    ],
)
def test_a_bad_optimizer(tmp_path: pathlib.Path, script: str, message: str) -> None:
    """A spirv-opt that fails (HLSL0734), is killed, hangs or writes no module gives one error with the reason."""
    path = tmp_path / "spirv-opt"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    sink = Sink()
    tool = Tool("spirv-opt", str(path), "unknown")
    assert optimize(MODULE, OptimizerOptions(), tool=tool, sink=sink, timeout=0.5) is None
    assert [message in found.message for found in sink.diagnostics] == [True]


# ---------------------------------------------------------------- configurations


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("shaders: 5\n", "1:10", "wants a list of shaders"),
        (ONE + "    optimise: size\n", "4:5", "did you mean `optimize`?"),
        (ONE + "    profile: vs_6_0\n", "4:5", "is given twice"),
        (ONE + "    defines: {A: yes}\n", "4:18", "put it in quotes"),
        (ONE + "    defines: {A: []}\n", "4:18", "an empty list"),
        (ONE + "    defines: {'1A': 1}\n", "4:15", "no name of a macro"),
        (ONE + "    defines: {A: [0, 1]}\n    exclude: [{A: [0, 1]}]\n", "2:5", "leaves no permutation"),
        (ONE + "  - source: a.hlsl\n    profile: ps_6_0\n", "4:5", "written twice"),
        ("shaders:\n\t- source: a.hlsl\n", "2:1", "not YAML"),
        ("shaders: &a\n  - *a\n", "2:5", "contains itself"),
        ("shaders: " + "[" * 500 + "]" * 500, "1:73", "nested more than 64 deep"),
        ("shaders: !!python/object/apply:os.system [id]\n", "1:10", "tags"),
        ("shaders:\n  - source: post/*.hlsl\n    profile: ps_6_0\n", "2:13", "no file matches"),
        ("shaders:\n  - source: A.hlsl\n    profile: ps_6_0\n", "2:13", "did you mean `a.hlsl`?"),
        ("shaders:\n  - source: a.hlsl\n    profile: ps_9_9\n", "3:14", "invalid profile"),
        (
            ONE + "    defines: {" + ", ".join(f"{name}: [0,1,2,3,4,5,6,7,8,9]" for name in "ABCDEF") + "}\n",
            "2:5",
            "1000000 permutations",
        ),
    ],
)
def test_a_bad_configuration(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    place: str,
    words: str,
) -> None:
    from hlsl_tool.cli.__main__ import run as hlsl_tool

    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "config/shaders/a.yaml").write_text(text)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert hlsl_tool(["config", "check"]) == 2
    err = capsys.readouterr().err
    assert f"config/shaders/a.yaml:{place}: error: " in err
    assert words in err


# ---------------------------------------------------------------- builds


def test_names_that_mean_something_to_scons(project: Project) -> None:
    names = ["a$B.hlsl", "#a.hlsl", "a=b.hlsl", "my dir/a b.hlsl", "é/日本.hlsl"]
    for name in names:
        project.write("shaders/" + name, "float x;\n")
    lines = "".join(f"  - {{ source: {name!r}, profile: ps_6_0, defines: {{ A: '$HOME' }} }}\n" for name in names)
    project.write("config/shaders/a.yaml", "shaders:\n" + lines)
    run = project.scons()
    assert run.status == 0, run.err
    assert run.summary == "shaders: 5 built, 0 up to date, 0 failed"
    assert project.scons().summary == "shaders: 0 built, 5 up to date, 0 failed"
    spirv = [name for name in project.outputs() if name.endswith(".spv")]
    assert spirv == sorted(f"build/shaders/{name.removesuffix('.hlsl')}.main.spv" for name in names)


def test_garbage_in_what_the_build_remembers(project: Project) -> None:
    project.simple()
    assert project.scons().status == 0
    (project.root / ".sconsign.dblite").write_bytes(b"garbage")
    (project.root / "build/shaders/.hlsl_tool.log").write_bytes(b"\xff\0garbage{{{\n")
    run = project.scons()
    assert run.status == 0, run.err
    assert run.summary in ("shaders: 1 built, 0 up to date, 0 failed", "shaders: 0 built, 1 up to date, 0 failed")


def test_a_header_that_becomes_a_folder(project: Project) -> None:
    project.simple('#include "h.h"\nfloat x;\n')
    header = project.write("shaders/h.h", "float y;\n")
    assert project.scons().status == 0
    good = project.outputs()[OUTPUT]
    header.unlink()
    header.mkdir()
    run = project.scons()
    assert run.status == 2
    assert "Traceback" not in run.out + run.err
    assert project.outputs()[OUTPUT] == good
    header.rmdir()
    project.write("shaders/h.h", "float y;\n")
    assert project.scons().status == 0
    assert not [name for name in project.outputs() if name.endswith(TEMPORARY_SUFFIX)]
