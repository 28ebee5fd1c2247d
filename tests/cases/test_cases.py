"""Cases in folders by area: a shader with command lines and the expected output, in the language of FileCheck.

Each file has one or more ``// RUN:`` lines with this compiler's options. A leading ``not`` expects a failure and checks
the messages instead, and ``--check-prefix=NAME`` at the end selects the lines that count.
"""

from __future__ import annotations

import pathlib

import pytest
from filecheck.matcher import Matcher
from filecheck.options import Options

from hlsl_tool.cli import dxc
from hlsl_tool.compiler.result import Memory
from hlsl_tool.spirv.decode import decode
from tests.minimal import avoidable, unneeded

HERE = pathlib.Path(__file__).parent
RUN = "// RUN: "


def runs() -> list[tuple[str, str]]:
    """Return (file relative to this folder, command line) for each run."""
    return [
        (path.relative_to(HERE).as_posix(), line[len(RUN) :])
        for path in sorted(HERE.glob("*/*.hlsl"))
        for line in path.read_text().splitlines()
        if line.startswith(RUN)
    ]


def _is_finished(line: str) -> bool:
    """Return whether a run writes a finished module: no error is expected, and it is not code generation alone."""
    words = line.split()
    return words[0] != "not" and not {"-fcgl", "-P", "-ast-dump", "-Qstrip_reflect"}.intersection(words)


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


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({name for name, _ in runs()}))
def test_caches_do_not_affect_the_output(name: str) -> None:
    """The first two compilations fill the caches of functions, and later ones copy from them."""
    memory = Memory()
    for words in (line.split() for case, line in runs() if case == name):
        command = [word for word in words if word != "not" and not word.startswith("--check-prefix=")]
        command = [*command, "-spirv", (HERE / name).name]
        expected = dxc.run(command, str((HERE / name).parent))
        for _ in range(4):
            assert dxc.run(command, str((HERE / name).parent), memory) == expected


@pytest.mark.parametrize(("name", "line"), [run for run in runs() if _is_finished(run[1])], ids=str)
def test_declares_what_it_needs(name: str, line: str, tmp_path: pathlib.Path) -> None:
    """No case declares a capability or extension that it does not need, or a vendor's if there is another."""
    output = tmp_path / "output.spv"
    words = [word for word in line.split() if not word.startswith("--check-prefix=")]
    status, _, errors = dxc.run([*words, "-spirv", (HERE / name).name, "-Fo", str(output)], str((HERE / name).parent))
    assert status == 0, errors
    module = decode(output.read_bytes())
    assert unneeded(module) == []
    assert avoidable(module) == []


def test_there_are_cases() -> None:
    assert len(runs()) >= 30
