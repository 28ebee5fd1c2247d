"""The watcher's terminal output: plain lines, or diagnostics above a small table that stays at the bottom.

The table lists the shaders that fail, since when, and the time of the last rebuild.  It is redrawn only when something
happens.
"""

from __future__ import annotations

import os
import shutil
import time
import unicodedata
from collections.abc import Callable
from typing import TextIO

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.visible import write_text
from hlsl_tool.project.build.ui.console import summary
from hlsl_tool.project.watch.state import Batch, Board, Failure

ROWS = 8
"""Number of failing shaders that are listed."""
REDRAW_SECONDS = 0.1

Write = Callable[[str], None]
Render = Callable[[list[Diagnostic]], str]


class Screen:
    """Output as plain lines: for log files, pipes, and simple terminals."""

    def __init__(self, write: Write, render: Render) -> None:
        self._write = write
        self.render = render

    def write(self, text: str) -> None:
        self._write(text)

    def messages(self, diagnostics: list[Diagnostic]) -> None:
        if diagnostics:
            self.write(self.render(diagnostics))

    def waiting(self) -> None:
        self.write("the configuration has errors; waiting for it to change\n")

    def ready(self, count: int) -> None:
        self.write("watching; interrupt to end\n")

    def progress(self, board: Board) -> None:
        """Update the display after a job was started or finished."""

    def settled(self, board: Board, batch: Batch) -> None:
        """Show the summary of a batch, after which nothing is out of date."""
        if board.unfit:
            self.write(f"stages that do not fit: {', '.join(board.unfit)}\n")
        if batch.done or batch.current:
            self.write(self.summary(batch) + "\n")

    @staticmethod
    def summary(batch: Batch) -> str:
        return summary(len(batch.built), batch.current, len(batch.failed), 0, batch.seconds, stored=batch.stored)


class Table(Screen):
    """A table in the last lines of a terminal, which is redrawn in place; other text is written above it."""

    def __init__(self, write: Write, render: Render, *, color: bool, unicode: bool = True) -> None:
        super().__init__(write, render)
        self.color = color
        self.marks = ("✗", "✓", "…", "─") if unicode else ("x", "ok", "...", "-")
        self.board: Board | None = None
        self.lines = 0
        """Number of lines of the table on the screen."""
        self.drawn = 0.0
        self.count = 0

    def write(self, text: str) -> None:
        self._write(self._erased() + text + ("" if text.endswith("\n") else "\n"))
        self._draw()

    def waiting(self) -> None:
        self._draw()

    def ready(self, count: int) -> None:
        self.count = count
        self._draw()

    def progress(self, board: Board) -> None:
        self.board = board
        now = time.monotonic()
        # A rebuild that is over at once does not flicker.
        if now - self.drawn >= REDRAW_SECONDS and time.perf_counter() - board.batch.began >= REDRAW_SECONDS:
            self._draw()

    def settled(self, board: Board, batch: Batch) -> None:
        self.board = board
        self.count = max(self.count, len(board.outputs))
        self._draw()

    # ---- the table

    def _erased(self) -> str:
        codes = f"\x1b[{self.lines}F\x1b[J" if self.lines else ""
        self.lines = 0
        return codes

    def _draw(self) -> None:
        width, height = shutil.get_terminal_size()
        lines = [_cut(line, width - 1) for line in self.table(min(ROWS, max(height - 6, 1)))]
        text = "".join(line + "\n" for line in lines)
        self._write(self._erased() + self._colored(text))
        self.lines = len(lines)
        self.drawn = time.monotonic()

    def table(self, rows: int) -> list[str]:
        """Return the lines of the table without colours.

        ``rows`` limits the failures, and the failed link checks, shown.
        """
        bad, good, more, line = self.marks
        board = self.board
        if board is None:
            return []
        lines = [line * 3 + " " + self._heading(board) + " " + line * 3]
        if board.config_is_bad:
            lines.append(f"{bad} the configuration has errors; the last good one is followed")
        lines += [f"{bad} stages that do not fit: {name}" for name in board.unfit[:rows]]
        groups = _grouped(board)
        shown = groups[-rows:]
        if len(groups) > len(shown):
            lines.append(f"  {more} and {len(groups) - len(shown)} that fail longer")
        width = max((len(names) for names, _ in shown), default=0)
        lines += [
            f"{bad} {names:<{min(width, 48)}}  since {_clock(failure.since)}  {failure.first}"
            for names, failure in shown
        ]
        batch = board.batch
        if batch.done < board.total and not batch.at:
            lines.append(f"{more} building {batch.done + 1} of {board.total}")
        elif board.last is not None:
            lines.append(f"{good} {_clock(board.last.at)}  {self._last(board.last)}")
        return lines

    def _heading(self, board: Board) -> str:
        failing = len(board.failures)
        count = len(board.outputs) + _unbuilt(board)
        return "watching, " + (f"{failing} of {count} shaders fail" if failing else "all shaders are built")

    def _last(self, batch: Batch) -> str:
        names = [built.job.name for built in batch.built]
        text = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        stored = f" ({batch.stored} from the store)" if batch.stored else ""
        return f"{text} rebuilt in {_duration(batch.seconds)}{stored}"

    def _colored(self, text: str) -> str:
        if not self.color:
            return text
        bad, good = self.marks[:2]
        colors = {bad: "31", good: "32", self.marks[3] * 3: "2"}
        lines = []
        for line in text.splitlines():
            for mark, code in colors.items():
                if line.startswith(mark):
                    line = f"\x1b[{code}m{mark}\x1b[0m{line[len(mark) :]}"
                    break
            lines.append(line + "\n")
        return "".join(lines)


def _unbuilt(board: Board) -> int:
    return sum(name not in board.outputs for name in board.failures)


def _grouped(board: Board) -> list[tuple[str, Failure]]:
    """Return (name, failure) in order of time; permutations that fail for the same reason are combined."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in board.failures.values():
        groups.setdefault((failure.job.source, failure.first), []).append(failure)
    rows = []
    for failures in groups.values():
        first = min(failures, key=lambda failure: failure.since)
        name = first.job.name + (f" +{len(failures) - 1}" if len(failures) > 1 else "")
        rows.append((name, first))
    return sorted(rows, key=lambda item: item[1].since)


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _cut(text: str, width: int) -> str:
    """Shorten a text to the width of the terminal."""
    used = 0
    for at, letter in enumerate(text):
        used += 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > width:
            return text[: max(at - 1, 0)] + "…" if width > 1 else ""
    return text


def screen_for(stream: TextIO, render: Render, *, color: bool) -> Screen:
    """Return a `Table` if the stream is a terminal that supports it, else a `Screen`."""

    def write(text: str) -> None:
        write_text(stream, text)
        stream.flush()

    if not stream.isatty() or os.environ.get("TERM", "") == "dumb" or not _understands_sequences():
        return Screen(write, render)
    unicode = (stream.encoding or "").lower().replace("-", "").startswith("utf")
    return Table(write, render, color=color, unicode=unicode)


def _understands_sequences() -> bool:
    """Return whether the terminal supports escape sequences; on Windows, only if it announces that."""
    return os.name != "nt" or any(name in os.environ for name in ("WT_SESSION", "ANSICON", "TERM", "ConEmuANSI"))
