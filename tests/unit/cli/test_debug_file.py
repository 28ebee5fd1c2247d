"""`-Fd`: write the module with debug information to a separate file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.cli import dxc

SHADER = "float4 main(float4 a : A) : SV_Target { float4 b = a * 2; return b; }"


def compiled(tmp_path: Path, options: str) -> str:
    (tmp_path / "x.hlsl").write_text(SHADER)
    status, _, errors = dxc.run(["-T", "ps_6_0", *options.split(), "x.hlsl"], str(tmp_path))
    assert status == 0, errors
    return errors


def test_the_outputs_are_stripped_and_the_file_is_whole(tmp_path: Path) -> None:
    compiled(tmp_path, "-Zi -Fo whole.spv")
    compiled(tmp_path, "-Zi -Fo x.spv -Fc x.txt -Fh x.h -Fd x.dbg")
    assert (tmp_path / "x.dbg").read_bytes() == (tmp_path / "whole.spv").read_bytes()
    assert len((tmp_path / "x.spv").read_bytes()) < len((tmp_path / "x.dbg").read_bytes())
    assert "OpLine" not in (tmp_path / "x.txt").read_text()
    assert "OpLine" not in (tmp_path / "x.h").read_text()


def test_a_folder_takes_the_name_of_the_output(tmp_path: Path) -> None:
    compiled(tmp_path, "-Zi -Fo out.spv -Fd debug/")
    assert (tmp_path / "debug" / "out.debug.spv").exists()


def test_a_file_without_debug_information_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.hlsl").write_text(SHADER)
    status, _, errors = dxc.run(["-T", "ps_6_0", "-Fo", "x.spv", "-Fd", "x.dbg", "x.hlsl"], str(tmp_path))
    assert status != 0
    assert "-Fd is not supported with -spirv unless -Zi or -fspv-debug=" in errors
    assert not (tmp_path / "x.spv").exists()


@pytest.mark.parametrize("other", ["-Fo x.dbg", "-Fc ./x.dbg", "-Fo x.spv -Fh x.dbg", "-Fo x.spv -Fe x.dbg"])
def test_a_file_for_two_outputs(tmp_path: Path, other: str) -> None:
    (tmp_path / "x.hlsl").write_text(SHADER)
    command = ["-T", "ps_6_0", "-Zi", *other.split(), "-Fd", "x.dbg", "x.hlsl"]
    status, _, errors = dxc.run(command, str(tmp_path))
    assert status == 1
    assert "and `-Fd` name one file [HLSL0913]" in errors
    assert not (tmp_path / "x.dbg").exists()
