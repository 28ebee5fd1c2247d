"""`hlsl_tool init`: the new project builds and draws; existing files are not changed."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import jsonschema
import pytest
import yaml

from hlsl_tool.cli.__main__ import run
from tests.execute.vulkan import Vulkan
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    ".gitignore",
    "README.md",
    "SConstruct",
    "config/schema/shaders.json",
    "config/shaders/hills.yaml",
    "draw.py",
    "shaders/hills.hlsl",
]


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run this Python in a project's folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=PATIENCE
    )


def pixels_of(path: Path) -> tuple[int, int, bytes]:
    """Return width, height and rows (each with its filter byte) of a PNG file with a single data chunk."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[at - 4 : at])
    return width, height, zlib.decompress(data[at + 4 : at + 4 + size])


@pytest.mark.slow
def test_the_project_builds_with_scons_and_draws(tmp_path: Path, vulkan: Vulkan) -> None:
    pytest.importorskip("wgpu", reason="no wgpu (PyPI)")
    assert run(["init", str(tmp_path / "first")]) == 0
    project = tmp_path / "first"
    built = python(project, "-m", "SCons", "-Q")
    assert (built.returncode, "2 built, 0 up to date, 0 failed" in built.stdout) == (0, True), built.stderr
    drawn = python(project, "draw.py")
    assert drawn.returncode == 0, drawn.stderr
    assert drawn.stdout.startswith("hills.png: 960 x 540, drawn by ")
    width, height, rows = pixels_of(project / "hills.png")
    assert (width, height) == (960, 540)
    sky, sun, hill = (rows[(4 * width + 1) * y + 1 + 4 * x :][:3] for x, y in ((5, 5), (615, 255), (480, 530)))
    assert sky[2] > 100 > sky[0], "the sky is blue"
    assert min(sun) > 190, "the sun is bright"
    assert max(hill) < 50, "the nearest hill is dark"


def test_the_project_builds_without_scons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(tmp_path / "new/project")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("project: a project with one shader, shaders/hills.hlsl\nNext:\n  cd ")
    assert told.endswith("draw.py\n")
    project = tmp_path / "new/project"
    assert files_of(project) == FILES
    assert (project / "README.md").read_text("utf-8").startswith("# project\n")
    assert run(["build", "--root", str(project)]) == 0
    assert {"hills.PSMain.wgsl", "hills.VSMain.spv"} <= set(os.listdir(project / "build/shaders"))


def test_the_configuration_fits_its_schema(tmp_path: Path) -> None:
    assert run(["init", str(tmp_path / "x")]) == 0
    configuration = tmp_path / "x/config/shaders/hills.yaml"
    text = configuration.read_text("utf-8")
    named = text.splitlines()[0].partition("$schema=")[2]
    schema = json.loads((configuration.parent / named).read_text("utf-8"))
    jsonschema.validate(yaml.safe_load(text), schema)


def test_the_loader_names_what_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("wgpu", reason="no wgpu (PyPI)")
    assert run(["init", str(tmp_path / "x")]) == 0
    drawn = python(tmp_path / "x", "draw.py")
    assert drawn.returncode == 1
    assert drawn.stderr.splitlines()[-1].startswith("draw.py: build the shaders first: ")


NO_DRIVER = {
    "VK_DRIVER_FILES": "/nonexistent",
    "VK_ICD_FILENAMES": "/nonexistent",
    "LIBGL_DRIVERS_PATH": "/nonexistent",
    "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent",
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets an environment hide its drivers")
def test_the_loader_names_the_missing_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wgpu", reason="no wgpu (PyPI)")
    project = tmp_path / "x"
    assert run(["init", str(project)]) == run(["build", "--root", str(project)]) == 0
    for name, value in NO_DRIVER.items():
        monkeypatch.setenv(name, value)
    drawn = python(project, "draw.py")
    assert drawn.returncode == 1
    assert drawn.stderr.splitlines()[-1].startswith("draw.py: wgpu finds no graphics driver; ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("return float4(color, 1.0);", "return float4(0.2, 0.4, 0.6, 1.0);", (0x33, 0x66, 0x99)),
        ("float time;", "float time; uint extra;", "draw.py: VALUES needs the numbers of `extra` (uint): a list of 1"),
        ("float time;", "float time; float4x4 world;", "draw.py: `world` is a float4x4, and block_bytes() writes "),
        (
            "static const",
            "Texture2D sky; static const",
            "draw.py: `sky` is no constant buffer, and bind_groups() makes ",
        ),
    ],
)
def test_the_loader_survives_first_edits(
    old: str, new: str, result: tuple[int, ...] | str, tmp_path: Path, vulkan: Vulkan
) -> None:
    pytest.importorskip("wgpu", reason="no wgpu (PyPI)")
    project = tmp_path / "x"
    assert run(["init", str(project)]) == 0
    shader = project / "shaders/hills.hlsl"
    text = shader.read_text("utf-8").replace(old, new, 1)
    if "Texture2D" in new:
        text = text.replace("return float4(color", "return float4(sky.Load(0).rgb")
    shader.write_text(text, "utf-8")
    assert run(["build", "--root", str(project)]) == 0
    drawn = python(project, "draw.py")
    if isinstance(result, str):
        assert (drawn.returncode, drawn.stderr.splitlines()[-1].startswith(result)) == (1, True), drawn.stderr
    else:
        assert drawn.returncode == 0, drawn.stderr
        _, _, rows = pixels_of(project / "hills.png")
        assert tuple(rows[1:4]) == result


def test_a_new_repository_becomes_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "venv").mkdir()
    mine = (".gitignore", "LICENSE", "README.md", "hlsl_tool-1-py3-none-any.whl", "venv/pyvenv.cfg")
    for name in mine:
        (tmp_path / name).write_text("mine")
    assert run(["init", str(tmp_path)]) == 0
    assert "Left as they are: .gitignore, README.md\n" in capsys.readouterr().out
    assert files_of(tmp_path) == sorted({*FILES, *mine})
    assert {(tmp_path / name).read_text() for name in mine} == {"mine"}


@pytest.mark.parametrize("name", ["SConstruct", "draw.py", "notes.txt"])
def test_nothing_is_overwritten(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_text("mine")
    assert run(["init", str(tmp_path)]) == 2
    assert f"is not empty: it has `{name}`, and no HLSL; name a new folder" in capsys.readouterr().err
    assert (files_of(tmp_path), (tmp_path / name).read_text()) == ([name], "mine")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", "the name of the folder is empty"),
        ("a\nb", "characters that cannot be printed"),
        ("file", "is, or is below, a file; name a folder"),
        ("file/x", "is, or is below, a file; name a folder"),
    ],
)
def test_bad_folders(
    name: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert run(["init", name]) == 2
    assert error in capsys.readouterr().err
    assert files_of(tmp_path) == ["file"]


@pytest.mark.parametrize(("folder", "command"), [("-x", "cd ./-x"), ("a b", "cd 'a b'"), ("x", "cd x")])
def test_the_first_command_enters_the_folder(
    folder: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--", folder]) == 0
    assert capsys.readouterr().out.splitlines()[2].strip() == command


@pytest.mark.parametrize(
    ("missing", "found", "commands"),
    [
        ((), ("scons", "python"), ["scons", "python draw.py"]),
        (("SCons",), ("hlsl_tool", "python"), ["hlsl_tool build", "python draw.py"]),
        (("SCons", "wgpu"), ("hlsl_tool", "pip", "python"), ["hlsl_tool build", "pip install wgpu", "python draw.py"]),
        (("wgpu",), ("python",), ["python -m SCons", "python -m pip install wgpu", "python draw.py"]),
    ],
)
def test_next_commands_use_what_is_installed(
    missing: tuple[str, ...],
    found: tuple[str, ...],
    commands: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from hlsl_tool.cli.project import init

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(init.importlib.util, "find_spec", lambda name: None if name in missing else object())
    monkeypatch.setattr(init, "_is_found", lambda script: script in found)
    assert run(["init"]) == 0
    assert [line.strip() for line in capsys.readouterr().out.splitlines()[2:]] == commands
