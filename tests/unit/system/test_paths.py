"""Paths with `..` and symbolic links, and Windows paths (with `ntpath`)."""

from __future__ import annotations

import ntpath
import os
import pathlib
import sys

import pytest

from hlsl_tool.base.source import OSFileSystem
from hlsl_tool.base.source.recording import RecordedFiles, Recorder
from hlsl_tool.base.system.paths import LONG, absolute, extended, folded, folders_of_links, relative, without_links
from hlsl_tool.frontend.preprocessor.inclusion.search import is_absolute
from hlsl_tool.project.config.confinement import leaves
from hlsl_tool.project.config.expansion.permutations import below
from hlsl_tool.project.config.permutation import Project


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\project\\a\\b.h", "a/b.h"),
        ("c:\\Project\\a\\b.h", "a/b.h"),
        ("C:\\other\\b.h", "../other/b.h"),
        ("D:\\shaders\\b.h", "D:/shaders/b.h"),
        ("\\\\server\\share\\b.h", "//server/share/b.h"),
    ],
)
def test_relative_paths(path: str, expected: str) -> None:
    assert relative(path, "C:\\project", module=ntpath) == expected


def test_long_paths() -> None:
    name = "n" * LONG
    windows = {"module": ntpath, "is_windows": True}
    assert extended(f"C:\\a\\{name}", **windows) == f"\\\\?\\C:\\a\\{name}"
    assert extended(f"C:/a/../{name}", **windows) == f"\\\\?\\C:\\{name}"
    assert extended(f"\\\\server\\share\\{name}", **windows) == f"\\\\?\\UNC\\server\\share\\{name}"
    assert extended(f"\\\\?\\C:\\{name}", **windows) == f"\\\\?\\C:\\{name}"
    assert extended("C:\\a\\b.spv", **windows) == "C:\\a\\b.spv"


def test_paths_of_other_systems_stay() -> None:
    path = "/a/" + "n" * 1000
    assert extended(path, is_windows=False) == path
    assert os.name == "nt" or extended(path) == path


@pytest.mark.parametrize(
    ("path", "is_outside"),
    [
        ("out\\x", False), ("C:/project/x", False), ("c:/PROJECT/x", False), ("..\\x", True), ("D:/x", True),
        ("//server/share/x", True), ("\\x", True), ("C:/projects", True),
    ],
)  # fmt: skip
def test_folders_outside_of_a_project(path: str, is_outside: bool) -> None:
    assert leaves("C:\\project", path, module=ntpath) == is_outside


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("shaders/a/x.hlsl", "a/x.hlsl"),
        ("D:/engine/x.hlsl", "engine/x.hlsl"),
        ("//server/share/x.hlsl", "server/share/x.hlsl"),
        ("/engine/x.hlsl", "engine/x.hlsl"),
        ("../engine/x.hlsl", "engine/x.hlsl"),
    ],
)
def test_sources_elsewhere_have_outputs_in_the_output_folder(source: str, name: str) -> None:
    assert below(source, Project("/project", "shaders", "out")) == name


@pytest.mark.parametrize("name", ["C:\\x.h", "c:/x.h", "\\\\server\\share\\x.h", "//server/share/x.h", "/x.h"])
def test_includes_by_absolute_paths(name: str) -> None:
    assert is_absolute(name)


@pytest.mark.parametrize("name", ["x.h", "a/x.h", "..\\x.h", "cc:x.h"])
def test_includes_by_relative_paths(name: str) -> None:
    assert not is_absolute(name)


@pytest.fixture
def linked(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a folder with `real/inner`, a link to that, and a file."""
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/inner")
    (tmp_path / "file").write_text("")
    return tmp_path


posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows normalises names as text")


@posix
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("real/inner/../x", "real/x"),
        ("real/inner/../../x", "x"),
        ("./link//../x", "link/../x"),
        ("link/../../x", "link/../../x"),
        ("link/../inner/../x", "link/../x"),
        ("missing/../x", "missing/../x"),
        ("file/../x", "file/../x"),
        ("../x", "../x"),
        ("real/..", "."),
        ("link/x", "link/x"),
    ],
)
def test_only_folders_are_folded(linked: pathlib.Path, path: str, expected: str) -> None:
    assert folded(path, str(linked)) == expected
    assert absolute(path, str(linked)) == (folded(f"{linked}/{expected}") if expected != "." else str(linked))
    assert relative(f"{linked}/{path}", str(linked)) == expected


@posix
def test_a_root_that_is_a_link(linked: pathlib.Path) -> None:
    assert relative(f"{linked}/file", f"{linked}/link") == "../../file"
    assert relative(f"{linked}/link/x", f"{linked}/link") == "x"
    assert without_links(f"{linked}/link/../x") == os.path.realpath(linked / "real/x")


@posix
def test_paths_without_dots_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "lstat", None)
    assert folded("a/./b//c") == "a/b/c"
    assert relative("/a/b/c", "/a") == "b/c"


@posix
def test_a_job_carries_paths_behind_links(linked: pathlib.Path) -> None:
    (linked / "real/x.h").write_text("x")
    recorder = Recorder(OSFileSystem(str(linked)), str(linked))
    path = recorder.resolve("link/../x.h")
    assert recorder.read(path) == b"x"
    recorded = RecordedFiles(recorder.recording, recorder.contents)
    assert recorded.read(recorded.resolve("link/../x.h")) == b"x"
    assert not recorded.unknown


@pytest.mark.skipif("sys.platform == 'win32'")
def test_folders_of_links(tmp_path: pathlib.Path) -> None:
    for name in ("lib/v1/core", "shaders/inc"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "lib/current").symlink_to("v1")
    (tmp_path / "shaders/linked").symlink_to("../lib/current/core")
    (tmp_path / "shaders/inc/a.h").symlink_to("../../lib/v1/core/a.h")

    def folders(*paths: str) -> list[str]:
        return [os.path.relpath(folder, tmp_path) for folder in sorted(folders_of_links(paths, str(tmp_path)))]

    assert folders("shaders/linked/a.h", "shaders/b.hlsl") == ["lib", "shaders"]
    assert folders("shaders/linked/../c.h") == ["lib", "shaders"]
    assert folders("shaders/inc/a.h") == ["shaders/inc"]
    assert folders("lib/v1/core/a.h", "/etc/a.h") == []
    (tmp_path / "shaders/loop").symlink_to("loop")
    assert folders("shaders/loop/a.h") == ["shaders"]
