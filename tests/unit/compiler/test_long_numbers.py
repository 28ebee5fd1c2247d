"""Numbers with more digits than Python converts are errors of the user, not of the compiler."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.digits import number_of
from hlsl_tool.cli.dxc import execute_safely

NINES = "9" * 5000
PIXEL = "float4 main() : SV_Target { return 1; }"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (f"#if A == {NINES}\n#endif\n{PIXEL}", "HLSL0163"),
        (f"#line {NINES}\n{PIXEL}", "HLSL0139"),
        (f"Texture2D t : register(t{NINES});\n{PIXEL}", "HLSL1051"),
        (f"Texture2D t : register(t0, space{NINES});\n{PIXEL}", "HLSL1054"),
        (f"cbuffer B {{ float4 a : packoffset(c{NINES}); }}\n{PIXEL}", "HLSL1051"),
        (f"float4 main() : SV_Target{NINES} {{ return {NINES}; }}", "HLSL0379"),
    ],
)
def test_sources(source: str, code: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.hlsl").write_text(source)
    run = execute_safely(["-T", "ps_6_0", "x.hlsl"], str(tmp_path))
    assert run.status == 1
    assert f"[{code}]" in "".join(run.err)


@pytest.mark.parametrize(
    "words",
    [
        ["-T", f"ps_6_{NINES}"],
        ["-fvk-t-shift", NINES, "0"],
        ["-fvk-bind-globals", NINES, "0"],
        ["-fvk-bind-register", "t0", "0", NINES, "0"],
        ["-fvk-bind-register", "t0", "0", "1", NINES],
    ],
)
def test_options(words: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.hlsl").write_text("Texture2D t : register(t0); float4 g;\n" + PIXEL.replace("1", "g + t[(uint2)0]"))
    assert execute_safely(["-T", "ps_6_0", *words, "x.hlsl"], str(tmp_path)).status == 1


@pytest.mark.parametrize(("digits", "number"), [("0", 0), ("00012", 12), ("0" * 5000 + "7", 7), ("", 0)])
def test_leading_zeros(digits: str, number: int) -> None:
    assert number_of(digits) == number


def test_many_digits() -> None:
    assert number_of(NINES) > 1 << 64
