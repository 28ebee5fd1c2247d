"""If two outputs of a command are the same file, an error with a code is reported and neither is written."""

from __future__ import annotations

import pathlib
import sys

import pytest

from hlsl_tool.base.system.regular_files import shared_file
from hlsl_tool.cli import dxc
from hlsl_tool.cli.__main__ import run
from hlsl_tool.cli.compatible import compiling, glslang, glslc
from hlsl_tool.compiler.compile import compile_shader

SHADER = "float4 main() : SV_Target { return 1; }\n"


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Return a folder with a shader, a configuration, and a symbolic and a hard link to the file `old`."""
    for name in ("x.hlsl", "shaders/x.hlsl", "a/x.frag", "b/x.frag"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SHADER)
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "config/shaders/x.yaml").write_text("shaders: [{ source: x.hlsl, profile: ps_6_0 }]\n")
    (tmp_path / "old").write_text("old")
    (tmp_path / "hard").hardlink_to(tmp_path / "old")
    if sys.platform != "win32":
        (tmp_path / "soft").symlink_to("old")
        (tmp_path / "to_new").symlink_to("new")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAIRS = [
    ("-Fo new -MF new", "-Fo", "-MF"),
    ("-Fo new -Fh ./new", "-Fo", "-Fh"),
    ("-Fc a/../new -Fh new", "-Fc", "-Fh"),
    ("-Fo new.d -MD", "-Fo", "-MD"),
    ("-Fo old -Fe hard", "-Fe", "-Fo"),
    ("-Fo new -Fc to_new", "-Fo", "-Fc"),
    ("-Fo soft -Fh old", "-Fo", "-Fh"),
    ("-Fo new -ftime-trace=new", "-Fo", "-ftime-trace"),
]


@pytest.mark.parametrize(("words", "first", "second"), PAIRS, ids=lambda value: value)
def test_pairs_of_dxc(folder: pathlib.Path, words: str, first: str, second: str) -> None:
    if sys.platform == "win32" and ("soft" in words or "to_" in words):
        pytest.skip("links need rights")
    status, _, errors = dxc.run(["-T", "ps_6_0", *words.split(), "x.hlsl"], str(folder))
    assert status == 1
    assert errors == f"error: `{first}` and `{second}` name one file [HLSL0913]\n"
    assert not (folder / "new").exists()
    assert (folder / "old").read_text() == "old"


@pytest.mark.parametrize("words", ["-Fo /dev/null -Fh /dev/null", "-Fo new -Fh other", "-Fo new -MD"])
def test_different_files(folder: pathlib.Path, words: str) -> None:
    assert dxc.run(["-T", "ps_6_0", *words.split(), "x.hlsl"], str(folder))[0] == 0


@pytest.mark.parametrize("words", ["-Fo new -Fc x.hlsl", "-Fo new -ftime-trace=x.hlsl", "-Fc x.hlsl -Fo new -MD"])
def test_no_output_is_written_if_one_is_the_source(folder: pathlib.Path, words: str) -> None:
    status, _, errors = dxc.run(["-T", "ps_6_0", *words.split(), "x.hlsl"], str(folder))
    assert (status, errors) == (1, "error: cannot write 'x.hlsl': it is the source\n")
    assert not (folder / "new").exists()
    assert (folder / "x.hlsl").read_text() == SHADER


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/fd")
@pytest.mark.parametrize("option", ["-Fo", "-Fc"])
def test_an_open_file_that_is_the_source(folder: pathlib.Path, option: str) -> None:
    with open("x.hlsl", "rb") as file:
        words = ["-T", "ps_6_0", f"/dev/fd/{file.fileno()}", option, "x.hlsl"]
        status, _, errors = dxc.run(words, str(folder))
    assert (status, errors) == (1, "error: cannot write 'x.hlsl': it is the source\n")
    assert (folder / "x.hlsl").read_text() == SHADER


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (glslc.main, "-fshader-stage=frag -fentry-point=main x.hlsl -MD -MF new -o new"),
        (glslc.main, "-x hlsl -c a/x.frag b/x.frag"),
        (glslang.main, "-D -V -S frag -e main x.hlsl --depfile ./new -o new"),
    ],
    ids=["glslc", "glslc -c", "glslang"],
)
def test_other_command_lines(folder: pathlib.Path, program: compiling.Program, words: str) -> None:
    status, _, errors = compiling.run(program, words.split(), str(folder))
    assert status != 0
    assert "name one file [HLSL0913]" in errors
    assert not (folder / "new").exists()


@pytest.mark.parametrize(
    "words",
    [
        "wgsl x.spv -o new --bindings ./new",
        "build --stamp new --depfile new",
        "build --stamp build/shaders/manifest.json",
        "build --stamp new --depfile ./build/shaders/x.main.spv",
        "report --save new -o new",
    ],
)
def test_verbs(folder: pathlib.Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.spv").write_bytes(compile_shader(SHADER, profile="ps_6_0").spirv)
    assert run(words.split()) == 2
    assert "name one file [HLSL0913]" in capsys.readouterr().err
    assert not (folder / "new").exists()


def test_files_that_do_not_exist(folder: pathlib.Path) -> None:
    assert shared_file([("a", "x"), ("b", ""), ("c", "y"), ("d", "./y")]) == ("c", "d")
    assert shared_file([("a", "x"), ("b", "y")]) is None
