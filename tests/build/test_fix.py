"""`hlsl_tool build --fix`: fix-its of errors are applied to the sources."""

from __future__ import annotations

import pathlib

from hlsl_tool.build.ui.fixing import apply_fixes
from hlsl_tool.diagnostics import Diagnostic, Location, Replacement
from hlsl_tool.diagnostics.catalogue import sema
from tests.build.conftest import Project

CONFIG = """\
validate: false
outputs: [spv]
shaders:
  - source: lit.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0 }]
    defines: { HIGH: [0, 1] }
"""
WRONG = """\
#include "common.hlsli"\r
float4 PSMain(int i : I) : SV_Target\r
{\r
    if (i = 2) return half_of(i)\r
    return light.positon + satrate(i);\r
}"""


def test_errors_are_mended_and_warnings_are_not(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    source = project.write("shaders/lit.hlsl", "")
    source.write_bytes(WRONG.encode())
    header = project.write(
        "shaders/common.hlsli",
        "struct Light { flaot4 position; };\ncbuffer C { Light light; }\nfloat half_of(float x) { return x; }\n",
    )
    run = project.tool("build", "--fix", "--no-server")
    assert run.status == 2
    assert "fixed: shaders/common.hlsli (1 place)\n" in run.out
    run = project.tool("build", "--fix", "--no-server")
    assert project.tool("build", "--no-server").status == 0, run.out
    assert "flaot4" not in header.read_text()
    right = WRONG.replace("half_of(i)", "half_of(i);").replace("positon", "position").replace("satrate", "saturate")
    assert source.read_bytes() == right.encode()


def error(*fixes: Replacement, line: str = "abc def") -> Diagnostic:
    """Return an error in the first line of a.hlsl."""
    return Diagnostic(sema.UNDECLARED, "error", "m", Location("a.hlsl", 1, 1, 4, line), fixes=fixes)


def test_overlapping_changed_and_foreign_places_are_left_alone(tmp_path: pathlib.Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "a.hlsl").write_text("abc def\n")
    (tmp_path / "b.hlsl").write_text("abc\n")
    whole, part = Replacement("a.hlsl", 1, 1, 8, "x"), Replacement("a.hlsl", 1, 5, 8, "y")
    outside = Replacement("../b.hlsl", 1, 1, 4, "z")
    assert apply_fixes([error(part), error(whole), error(outside)], str(inside)) == {"a.hlsl": 1}
    assert (inside / "a.hlsl").read_text() == "abc y\n"
    assert (tmp_path / "b.hlsl").read_text() == "abc\n"
    assert apply_fixes([error(part, line="other text")], str(inside)) == {}


def test_an_insertion_of_two_permutations_is_made_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text("abc def\n")
    first, second = Replacement("a.hlsl", 1, 8, 8, ";", 3), Replacement("a.hlsl", 1, 8, 8, ";", 5)
    assert apply_fixes([error(first), error(second)], str(tmp_path)) == {"a.hlsl": 1}
    assert (tmp_path / "a.hlsl").read_text() == "abc def;\n"
