"""What holds for every verb."""

from __future__ import annotations

import pytest

from hlsl_tool.cli.__main__ import VERBS, run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_it_does(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = run([verb, "--help"])
    except SystemExit as end:  # argparse's way
        status = int(end.code or 0)
    told = capsys.readouterr()
    assert (status, told.err) == (0, "")
    assert len(told.out.splitlines()) > 3


@pytest.mark.parametrize("verb", ["watch", "stats", "report", "store", "build", "why"])
def test_options_that_are_not_there(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run([verb, "x", "--nonsense"])
    assert end.value.code == 2
    assert "usage:" in capsys.readouterr().err
