"""The content of the terminal, computed by a small terminal emulator."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from hlsl_tool.base.diagnostics import Location
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.engine import Outcome
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, message
from hlsl_tool.project.watch import screen as screens
from hlsl_tool.project.watch.screen import Screen, Table, screen_for
from hlsl_tool.project.watch.state import Board, Built


class Terminal:
    """Lines of text with a cursor at the end; supports the two escape sequences that the screen uses."""

    def __init__(self) -> None:
        self.lines = [""]

    def write(self, text: str) -> None:
        for part in re.split(r"(\x1b\[\d*[FJ]|\n)", re.sub(r"\x1b\[\d+m", "", text)):
            if part == "\n":
                self.lines.append("")
            elif part.endswith("F"):
                assert self.lines[-1] == ""
                self.above = int(part[2:-1])
                assert self.above < len(self.lines)
            elif part.endswith("J") and part.startswith("\x1b"):
                del self.lines[len(self.lines) - 1 - self.above :]
                self.lines.append("")
            else:
                self.lines[-1] += part


def job(name: str, source: str = "a.hlsl") -> Job:
    return Job(name, source, CompileOptions(), {"spv": f"build/{name}.spv"})


def failed(text: str) -> Outcome:
    diagnostic = message(codes.CANNOT_READ, None, path=text, reason="no such file")
    diagnostic.location = Location("a.hlsl", 7, 3)
    return Outcome("failed", JobResult(diagnostics=[diagnostic], ok=False))


def tell(board: Board, name: str, outcome: Outcome, at: float = 0.0) -> None:
    if outcome.state != "failed":
        board.outputs[name] = {}
    board.done(Built(job(name), 0.012, 0.01, 0.012, "", {}), outcome, at)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens.shutil, "get_terminal_size", lambda: (100, 24))
    monkeypatch.setattr(screens, "_clock", lambda at: f"12:00:{at:02.0f}")


def batch(board: Board, screen: Screen, *events: tuple[str, Outcome, float]) -> None:
    found = board.begin()
    board.total = len(events)
    for name, outcome, at in events:
        tell(board, name, outcome, at)
        screen.progress(board)
    board.end(found, {name: job(name) for name in (*board.outputs, *board.failures)})
    found.seconds, found.at = 0.012, 3.0
    screen.settled(board, found)


def test_the_table_stays_in_its_place() -> None:
    terminal, board = Terminal(), Board()
    table = Table(terminal.write, lambda found: "", color=True)
    built = Outcome("built")
    batch(board, table, ("a.main", built, 0), ("b.main", built, 0))
    table.ready(2)
    all_built = "─── watching, all shaders are built ───"
    assert terminal.lines == [all_built, "✓ 12:00:03  a.main and 1 more rebuilt in 12 ms", ""]
    table.write("a message\n")
    batch(board, table, ("b.main", failed("x"), 1))
    table.write("another\n")
    assert terminal.lines[:2] == ["a message", "another"]
    assert terminal.lines[2] == "─── watching, 1 of 2 shaders fail ───"
    assert terminal.lines[3].startswith("✗ b.main  since 12:00:01  a.hlsl:7:3: ")
    batch(board, table, ("b.main", failed("other"), 2))
    assert "since 12:00:01" in terminal.lines[3]  # it fails as long as it did, though otherwise
    batch(board, table, ("b.main", built, 5))
    assert terminal.lines[2:] == [all_built, "✓ 12:00:03  b.main rebuilt in 12 ms", ""]


def test_permutations_share_a_row_and_rows_have_an_end() -> None:
    terminal, board = Terminal(), Board()
    table = Table(terminal.write, lambda found: "", color=False, unicode=False)
    batch(board, table, *((f"p.X={number}", failed("same"), number) for number in range(5)))
    assert [line for line in terminal.lines if line.startswith("x ")] == [
        line for line in terminal.lines if line.startswith("x p.X=0 +4  since 12:00:00")
    ]
    batch(board, table, *((f"q{number}", failed(f"of {number}"), 10 + number) for number in range(20)))
    assert "  ... and 13 that fail longer" in terminal.lines
    assert sum(line.startswith("x ") for line in terminal.lines) == screens.ROWS


def test_long_lines_are_cut() -> None:
    terminal, board = Terminal(), Board()
    table = Table(terminal.write, lambda found: "", color=True)
    batch(board, table, ("a.main", failed("ä" * 300), 0), ("wide", failed("界" * 300), 0))
    assert all(len(line) < 100 for line in terminal.lines)


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "term", "kind"), [(True, "xterm", Table), (True, "dumb", Screen), (False, "xterm", Screen)]
)
def test_where_there_is_a_table(monkeypatch: pytest.MonkeyPatch, terminal: bool, term: str, kind: type) -> None:
    monkeypatch.setenv("TERM", term)
    found: Any = screen_for(Stream(terminal=terminal), lambda diagnostics: "", color=False)
    assert type(found) is kind
