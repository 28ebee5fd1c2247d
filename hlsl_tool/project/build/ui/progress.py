"""Progress of a build: a line for each shader; on a terminal one line, rewritten, with the remaining time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TextIO

from hlsl_tool.base.diagnostics.visible import visible, write_text

SETTLED = 1.0
"""Seconds of building after which the remaining time is estimated."""


class Progress:
    """Writes the progress of a build; any thread may call it.  Write other output through `write`, or after `clear`."""

    def __init__(
        self,
        stream: TextIO,
        *,
        live: bool | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stream = stream
        self.live = is_terminal(stream) if live is None else live
        self.quiet = quiet
        self.clock = clock
        self.lock = threading.Lock()
        self.total = 0
        self.begun = 0
        self.ended = 0
        self.began = clock()
        self.shown = 0
        """Number of columns of the rewritten line that are in use."""

    def expect(self, total: int) -> None:
        """Set the number of shaders to build, and start the clock."""
        self.total = total
        self.begun = self.ended = 0
        self.began = self.clock()

    def begin(self, name: str, source: str, causes: list[str] | None = None) -> str:
        """Start the next shader: write its progress line and return it."""
        with self.lock:
            line = self.text(name, source, causes)
            self._show(line, keep=causes is not None)
            return line

    def text(self, name: str, source: str, causes: list[str] | None = None) -> str:
        """Return the progress line of the next shader and advance the counter.

        ``causes`` are added as further lines.
        """
        self.begun += 1
        total = max(self.total, self.begun)
        line = f"[{self.begun:>{len(str(total))}}/{total}] {visible(name)}  ({visible(source)})"
        return line + "".join(f"\n  because {visible(cause)}" for cause in causes or ())

    def end(self) -> None:
        """Count a shader as done."""
        with self.lock:
            self.ended += 1

    def write(self, text: str) -> None:
        """Write text above the rewritten line."""
        with self.lock:
            self._clear()
            write_text(self.stream, text)
            self.stream.flush()

    def clear(self) -> None:
        """Clear the rewritten line."""
        with self.lock:
            self._clear()
            self.stream.flush()

    def left(self) -> float | None:
        """Estimate the remaining seconds from the pace so far; `None` in the first moments."""
        spent = self.clock() - self.began
        if self.ended == 0 or spent < SETTLED:
            return None
        return spent / self.ended * (self.total - self.ended)

    def _show(self, line: str, *, keep: bool) -> None:
        if self.quiet:
            return
        if not self.live or keep:
            self._clear()
            write_text(self.stream, line + "\n")
            self.stream.flush()
            return
        left = self.left()
        tail = f"  {_time(left)} left" if left is not None else ""
        width = _width(self.stream) - 1
        line = line[: max(0, width - len(tail))] + tail
        write_text(self.stream, "\r" + line + " " * (self.shown - len(line)))
        self.stream.flush()
        self.shown = len(line)

    def _clear(self) -> None:
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.shown = 0


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which a line can be rewritten."""
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def _width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _time(seconds: float) -> str:
    """Return a duration such as `7 s`, `3 min 20 s` or `1 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
