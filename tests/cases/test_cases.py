"""Cases, in rooms by area: a shader with its command line and the expected output, in the language of FileCheck.

Each file has one or more ``// RUN:`` lines with our options; the words ``not`` in front expects failure and checks the
messages instead, and ``--check-prefix=NAME`` at the end chooses the lines that count.
"""

from __future__ import annotations

import pathlib

import pytest
from filecheck.matcher import Matcher
from filecheck.options import Options

from hlsl_tool.cli import dxc

HERE = pathlib.Path(__file__).parent
RUN = "// RUN: "


def runs() -> list[tuple[str, str]]:
    """Return (file in its room, command line) of each run."""
    return [
        (path.relative_to(HERE).as_posix(), line[len(RUN) :])
        for path in sorted(HERE.glob("*/*.hlsl"))
        for line in path.read_text().splitlines()
        if line.startswith(RUN)
    ]


@pytest.mark.parametrize(("name", "line"), runs(), ids=str)
def test_case(name: str, line: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = line.split()
    prefix = "CHECK"
    if words[-1].startswith("--check-prefix="):
        prefix = words.pop().partition("=")[2]
    fails = words[0] == "not"
    status, out, errors = dxc.run([*words[fails:], "-spirv", (HERE / name).name], str((HERE / name).parent))
    assert (status != 0) == fails, errors
    text = tmp_path / "output.txt"
    text.write_text(errors if fails else out)
    options = Options(str(HERE / name), str(text), check_prefixes=[prefix])
    result = Matcher.from_opts(options).run()
    assert result == 0, "".join(capsys.readouterr())


def test_there_are_cases() -> None:
    assert len(runs()) >= 30
