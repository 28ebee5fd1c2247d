"""`hlsl_tool build --fix`: fix-its of errors are applied to the sources."""

from __future__ import annotations

import errno
import os
import pathlib
from collections.abc import Mapping

import pytest

from hlsl_tool.base.diagnostics import Diagnostic, Location, Replacement
from hlsl_tool.base.diagnostics.catalogue import sema
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.folders import Folder
from hlsl_tool.project.build.ui import fixing
from hlsl_tool.project.build.ui.fixing import Applied, Trial, apply_fixes
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


HILLS = """\
static const float2 SIZE = 2;
float Noise(float x)
{
    retrun frac(sin(x) * 43758.5453);
}
float4 PSMain(float4 position : SV_Position) : SV_Target
{
    retrun Noise(position.x) * 0.5 + smootstep(0, 1, SIZE.x);
}
"""


@pytest.mark.parametrize("verb", ["build", "lint"])
def test_misspelt_keywords_become_keywords(tmp_path: pathlib.Path, verb: str) -> None:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    source = project.write("shaders/lit.hlsl", HILLS)
    run = project.tool(verb, "--fix")
    assert "fixed: shaders/lit.hlsl (3 places)\n" in run.out + run.err
    assert source.read_text() == HILLS.replace("retrun", "return").replace("smootstep", "smoothstep")
    assert project.tool("build").status == 0


def test_a_fix_it_that_leaves_an_error_is_not_applied(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    text = "float4 PSMain(float4 c : C) : SV_Target\n{\n    return saturat(c, c);\n}\n"
    source = project.write("shaders/lit.hlsl", text)
    run = project.tool("build", "--fix")
    assert "did you mean 'saturate'?" in run.err
    assert "not fixed: shaders/lit.hlsl: the fix-its would leave as many errors, or other ones\n" in run.out
    assert source.read_text() == text
    text = text.replace("{\n", "{\n    c = satrate(c);\n")
    source.write_text(text)
    run = project.tool("build", "--fix")
    assert "fixed: shaders/lit.hlsl (1 place)\n" in run.out
    assert source.read_text() == text.replace("satrate", "saturate")


def test_a_permutation_that_a_fix_it_would_break_keeps_its_text(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    text = """\
#if HIGH
float3 light;
#else
float3 ligth;
#endif
float4 PSMain() : SV_Target
{
    return float4(ligth, 1);
}
"""
    source = project.write("shaders/lit.hlsl", text)
    run = project.tool("build", "--fix")
    assert "did you mean 'light'?" in run.err
    assert "not fixed: shaders/lit.hlsl" in run.out
    assert source.read_text() == text


def test_the_fix_its_of_a_file_are_chosen_by_their_errors(tmp_path: pathlib.Path) -> None:
    """With both, there is a new error; each one alone removes its own."""
    (tmp_path / "a.hlsl").write_text("abc def\n")
    seen = []

    def trial(texts: Mapping[str, str]) -> list[Diagnostic]:
        (text,) = texts.values()
        seen.append(text)
        words = {"abc def\n": ["m", "n"], "x y\n": ["o"], "x def\n": ["n"], "abc y\n": ["m"]}[text]
        return [replace(error(), message=word) for word in words]

    fixes = [error(Replacement("a.hlsl", 1, 1, 4, "x")), error(Replacement("a.hlsl", 1, 5, 8, "y"))]
    assert apply_fixes(fixes, str(tmp_path), trial) == Applied({"a.hlsl": 1})
    assert (tmp_path / "a.hlsl").read_text() == "x def\n"
    assert seen == ["abc def\n", "x y\n", "x def\n", "x y\n"]


def error(*fixes: Replacement, line: str = "abc def") -> Diagnostic:
    """Return an error in the first line of a.hlsl."""
    return Diagnostic(sema.UNDECLARED, "error", "m", Location("a.hlsl", 1, 1, 4, line), fixes=fixes)


def helpful() -> Trial:
    """Return a trial of which the first text has an error, and the following ones have none."""
    texts: list[Mapping[str, str]] = []

    def trial(changed: Mapping[str, str]) -> list[Diagnostic]:
        texts.append(changed)
        return [error(), replace(error(), location=Location("folder/a.hlsl", 1))] if len(texts) == 1 else []

    return trial


def test_overlapping_changed_and_foreign_places_are_left_alone(tmp_path: pathlib.Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "a.hlsl").write_text("abc def\n")
    (tmp_path / "b.hlsl").write_text("abc\n")
    whole, part = Replacement("a.hlsl", 1, 1, 8, "x"), Replacement("a.hlsl", 1, 5, 8, "y")
    outside = Replacement("../b.hlsl", 1, 1, 4, "z")
    applied = apply_fixes([error(part), error(whole), error(outside)], str(inside), helpful())
    assert applied == Applied({"a.hlsl": 1}, {"../b.hlsl": "it lies outside of the project"})
    assert (inside / "a.hlsl").read_text() == "abc y\n"
    assert (tmp_path / "b.hlsl").read_text() == "abc\n"
    applied = apply_fixes([error(part, line="other text")], str(inside), helpful())
    assert applied == Applied({}, {"a.hlsl": "it changed since it was compiled"})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"abc def \xff\n", "it is not UTF-8"),
        (b"\xef\xbb\xbfabc def\n", "it begins with a byte order mark"),
        (None, "No such file or directory"),
    ],
)
def test_files_that_cannot_be_mended_are_named(content: bytes | None, reason: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.hlsl"
    if content is not None:
        path.write_bytes(content)
    assert apply_fixes([error(Replacement("a.hlsl", 1, 5, 8, "y"))], str(tmp_path), helpful()) == Applied(
        {}, {"a.hlsl": reason}
    )
    assert content is None or path.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_file_keeps_its_permissions_and_a_read_only_one_its_text(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.hlsl"
    path.write_text("abc def\n")
    path.chmod(0o444)
    fix = error(Replacement("a.hlsl", 1, 5, 8, "y"))
    assert apply_fixes([fix], str(tmp_path), helpful()) == Applied({}, {"a.hlsl": "it is read-only"})
    assert path.read_text() == "abc def\n"
    path.chmod(0o750)
    assert apply_fixes([fix], str(tmp_path), helpful()) == Applied({"a.hlsl": 1})
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("abc y\n", 0o750)


def test_a_file_that_cannot_be_written_is_named(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Folder, name: str, mode: int = 0) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "a.hlsl").write_text("abc def\n")
    monkeypatch.setattr(Folder, "create", fail)
    applied = apply_fixes([error(Replacement("a.hlsl", 1, 5, 8, "y"))], str(tmp_path), helpful())
    assert applied == Applied({}, {"a.hlsl": "Permission denied"})


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("linked", ["folder", "folder/a.hlsl"])
@pytest.mark.parametrize("moment", ["_write", "_unchanged"])
def test_a_link_that_is_made_meanwhile_leads_no_fix_out_of_the_project(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, linked: str, moment: str
) -> None:
    inside, outside = tmp_path / "project/folder", tmp_path / "outside/folder"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
        (folder / "a.hlsl").write_text("abc def\n")
    before = getattr(fixing, moment)

    def linking(*arguments: object) -> object:
        place = tmp_path / "project" / linked
        place.rename(tmp_path / "project/moved")
        place.symlink_to(tmp_path / "outside" / linked)
        return before(*arguments)

    monkeypatch.setattr(fixing, moment, linking)
    fix = Diagnostic(
        sema.UNDECLARED,
        "error",
        "m",
        Location("folder/a.hlsl", 1, 1, 4, "abc def"),
        fixes=(Replacement("folder/a.hlsl", 1, 5, 8, "y"),),
    )
    applied = apply_fixes([fix], str(tmp_path / "project"), helpful())
    assert (outside / "a.hlsl").read_text() == "abc def\n"
    assert not applied.counts if moment == "_write" else not applied.refused
    assert not list(tmp_path.rglob("*.tmp~"))


def test_an_insertion_of_two_permutations_is_made_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.hlsl").write_text("abc def\n")
    first, second = Replacement("a.hlsl", 1, 8, 8, ";", 3), Replacement("a.hlsl", 1, 8, 8, ";", 5)
    assert apply_fixes([error(first), error(second)], str(tmp_path), helpful()) == Applied({"a.hlsl": 1})
    assert (tmp_path / "a.hlsl").read_text() == "abc def;\n"
