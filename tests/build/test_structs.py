"""The outputs `cpp_structs`, `rust_structs` and `csharp_structs` of a build: one file for all shaders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run

CONFIGURATION = """outputs: [spv, cpp_structs, rust_structs, csharp_structs]
target_env: vulkan1.1
shaders:
  - source: a.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0, defines: { N: [1, 2, 3] } }]
  - source: b.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0 }]
"""
SHADER = "cbuffer Frame { float4 tint; float NAME; }; float4 PSMain() : SV_Target { return tint * NAME; }\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "config/shaders/a.yaml").write_text(CONFIGURATION)
    (tmp_path / "shaders/a.hlsl").write_text(SHADER.replace("NAME", "time"))
    (tmp_path / "shaders/b.hlsl").write_text(SHADER.replace("NAME", "time"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def build() -> int:
    return run(["build", "--store", "none", "--no-server"])


def test_one_file_for_all_shaders(project: Path) -> None:
    assert build() == 0
    out = project / "build/shaders"
    header = (out / "shaders.hpp").read_text()
    assert header.count("struct Frame") == 1
    assert "namespace shaders {" in header and "namespace a_PSMain {" in header and "namespace b_PSMain {" in header
    assert (out / "shaders.rs").read_text().count("pub struct Frame") == 1
    assert "public unsafe struct Frame\n" in (out / "Shaders.cs").read_text()
    before = os.stat(out / "shaders.hpp").st_mtime_ns
    assert build() == 0
    assert os.stat(out / "shaders.hpp").st_mtime_ns == before

    (project / "shaders/b.hlsl").write_text(SHADER.replace("NAME", "phase"))
    assert build() == 0
    header = (out / "shaders.hpp").read_text()
    assert "struct Frame_a_PSMain {" in header and "struct Frame_b_PSMain {" in header and "float phase;" in header


def test_files_can_be_named_and_split(project: Path) -> None:
    text = CONFIGURATION.replace("shaders:\n", "files: { cpp_structs: 'host/{shader}.structs.hpp' }\nshaders:\n", 1)
    (project / "config/shaders/a.yaml").write_text(text)
    assert build() == 0
    assert "namespace a_PSMain {" in (project / "build/shaders/host/a.PSMain.structs.hpp").read_text()
    assert "struct Frame" in (project / "build/shaders/host/b.PSMain.structs.hpp").read_text()


def test_a_file_of_two_kinds_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CONFIGURATION.replace("shaders:\n", "files: { cpp_structs: 'x.txt', rust_structs: 'x.txt' }\nshaders:\n", 1)
    (project / "config/shaders/a.yaml").write_text(text)
    assert build() != 0
    assert "x.txt" in capsys.readouterr().err


def test_header_and_cpp_have_names_that_do_not_clash(project: Path) -> None:
    (project / "config/shaders/a.yaml").write_text(
        CONFIGURATION.replace("[spv, cpp_structs, rust_structs, csharp_structs]", "[header, cpp]")
    )
    assert build() == 0
    assert "uint32_t b_PSMain_spv[" in (project / "build/shaders/b.PSMain.h").read_text()
    assert "namespace b_PSMain {" in (project / "build/shaders/b.PSMain.hpp").read_text()
    (project / "config/shaders/a.yaml").write_text(
        CONFIGURATION.replace("[spv, cpp_structs, rust_structs, csharp_structs]", "[header]")
    )
    assert build() == 0
    assert "uint32_t b_PSMain[" in (project / "build/shaders/b.PSMain.h").read_text()
