"""Paths of Windows, by the module that Python has for them there."""

from __future__ import annotations

import ntpath
import os

import pytest

from hlsl_tool.config.confinement import leaves
from hlsl_tool.config.expansion.permutations import below
from hlsl_tool.config.model import Project
from hlsl_tool.preprocessor.inclusion.search import is_absolute
from hlsl_tool.system.paths import LONG, extended, relative


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
