"""`hlsl2spirv --batch FILE`: several command lines in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.cli import dxc
from hlsl_tool.cli.dxc import run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.hlsl").write_text("float4 main() : SV_Target { return 1; }\n")
    (tmp_path / "bad.hlsl").write_text("float4 main() : SV_Target { return oops; }\n")
    return tmp_path


def batch(place: Path, text: str) -> tuple[int, str, str]:
    (place / "lines.txt").write_text(text)
    return run(["--batch", "lines.txt"], str(place))


def test_every_line_runs(place: Path) -> None:
    text = "-T ps_6_0 a.hlsl -Fo 'one a.spv'  # the first\n\n-T ps_6_0 bad.hlsl\n-T ps_6_0 a.hlsl -Fo two.spv\n"
    status, out, err = batch(place, text)
    assert status == 1 and out == "" and err == run(["-T", "ps_6_0", "bad.hlsl"], str(place))[2]
    assert (place / "one a.spv").read_bytes() == (place / "two.spv").read_bytes()


def test_lines_write_their_dependencies(place: Path) -> None:
    text = "-T ps_6_0 a.hlsl -Fo 'one a.spv' -MD\n-T ps_6_0 a.hlsl -Fo two.spv -MD -MF two.dep\n"
    assert batch(place, text) == (0, "", "")
    assert (place / "one a.d").read_text() == "one\\ a.spv: a.hlsl\n"
    assert (place / "two.dep").read_text() == "two.spv: a.hlsl\n"


def test_output_is_that_of_the_lines_in_order(place: Path) -> None:
    lines = [["-T", "ps_6_0", "a.hlsl"], ["--version"], ["-T", "ps_6_0", "a.hlsl", "-fcgl"]]
    status, out, err = batch(place, "\n".join(" ".join(line) for line in lines))
    assert (status, err) == (0, "")
    assert out == "".join(run(line, str(place))[1] for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--batch"], "takes one file"),
        (["--batch", "a", "b"], "takes one file"),
        (["--batch", "none.txt"], "cannot read 'none.txt'"),
        (["--batch", "."], "cannot read '.'"),
    ],
)
def test_wrong_use(place: Path, arguments: list[str], message: str) -> None:
    status, out, err = run(arguments, str(place))
    assert status == 1 and out == "" and message in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--batch x", "lines.txt:2: error: --batch"),
        ("'open", "lines.txt:2: error: No closing"),
        ("-T xx_6_0 a.hlsl", "lines.txt:2: dxc failed"),
        ("-T ps_6_0 none.hlsl", "lines.txt:2: error: cannot read"),
        ("-T ps_6_0 a.hlsl --batch x", "lines.txt:2: error: --batch cannot"),
    ],
)
def test_a_bad_line_is_named(place: Path, line: str, message: str) -> None:
    status, _, err = batch(place, f"--version\n{line}\n--version\n")
    assert status == 1 and message in err


def test_a_line_with_an_internal_error_ends_no_batch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = dxc._run

    def broken(argv: list[str], state: dxc.Run) -> None:
        if "broken" in argv:
            raise RuntimeError("a bug")
        whole(argv, state)

    monkeypatch.setattr(dxc, "_run", broken)
    text = "-T ps_6_0 a.hlsl -Fo one.spv\nbroken\n-T ps_6_0 bad.hlsl\n'open\n-T ps_6_0 a.hlsl -Fo two.spv\n"
    status, _, err = batch(place, text)
    assert status == 3 and "a bug" in err and "oops" in err and "No closing" in err
    assert (place / "one.spv").read_bytes() == (place / "two.spv").read_bytes()


def test_a_backslash_is_no_escape(place: Path) -> None:
    status, _, err = batch(place, r"-T ps_6_0 folder\none.hlsl --no-server")
    assert status == 1 and r"folder\none.hlsl" in err


def test_a_file_that_is_no_text(place: Path) -> None:
    (place / "lines.txt").write_bytes(b"\xff\xfe\x00")
    assert run(["--batch", "lines.txt"], str(place)) == (1, "", "error: 'lines.txt' is no UTF-8 text\n")
