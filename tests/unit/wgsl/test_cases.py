"""Cases: HLSL with its command line and the expected WGSL, in the language of FileCheck."""

from __future__ import annotations

import pathlib

import pytest
from filecheck.matcher import Matcher
from filecheck.options import Options

from hlsl_tool.wgsl import convert

from .conversion import compile_hlsl

CASES = pathlib.Path(__file__).parent / "cases"
RUN = "// RUN: "


def runs() -> list[tuple[str, str]]:
    """Return (file, options) of each case."""
    return [
        (path.name, line[len(RUN) :])
        for path in sorted(CASES.glob("*.hlsl"))
        for line in path.read_text().splitlines()
        if line.startswith(RUN)
    ]


@pytest.mark.parametrize(("name", "line"), runs(), ids=str)
def test_case(name: str, line: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    spirv = compile_hlsl(CASES / name, line.split(), tmp_path)
    wgsl = convert(spirv)
    assert convert(spirv) == wgsl
    text = tmp_path / "output.wgsl"
    text.write_text(wgsl)
    result = Matcher.from_opts(Options(str(CASES / name), str(text), check_prefixes=["CHECK"])).run()
    assert result == 0, "".join(capsys.readouterr()) + wgsl


def test_there_are_cases() -> None:
    assert len(runs()) >= 3
