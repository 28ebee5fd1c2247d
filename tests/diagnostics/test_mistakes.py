"""Frequent mistakes: the page about them is up to date, and none of our messages is worse than DXC's."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def _script() -> ModuleType:
    """Return `docs/reference/mistakes.py` as a module."""
    path = ROOT / "docs" / "reference" / "mistakes.py"
    spec = importlib.util.spec_from_file_location("mistakes_page", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()


def test_the_page_is_in_step() -> None:
    assert SCRIPT.PAGE.read_text(encoding="utf-8") == SCRIPT.text(), "run `python docs/reference/mistakes.py`"


def test_no_message_is_worse_than_that_of_dxc() -> None:
    mistakes = SCRIPT.mistakes()
    assert len(mistakes) >= 60
    assert not [mistake.title for mistake in mistakes if mistake.word not in ("better", "same")]
    titles = [mistake.title for mistake in mistakes]
    assert len(set(titles)) == len(titles)
    assert all(mistake.dxc for mistake in mistakes)


def test_an_equal_message_is_at_the_line_of_that_of_dxc() -> None:
    """DXC's line numbers start at the shader; ours start three lines earlier, at the comments of the section."""
    for mistake in SCRIPT.mistakes():
        line = mistake.dxc.removeprefix("line ").partition(":")[0]
        if line.isdigit() and mistake.word == "same":
            ours = {row[0] - 3 for row in mistake.section.expected}
            assert int(line) in ours, mistake.title
