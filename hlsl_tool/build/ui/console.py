"""What a build says: progress, messages once each, and a summary.  Writes through a function it is given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from hlsl_tool.build.job import Job
    from hlsl_tool.diagnostics import Diagnostic

MessageKey = tuple[object, ...]


@dataclass(slots=True)
class _Group:
    diagnostic: Diagnostic
    jobs: list[Job] = field(default_factory=list)
    shown: int = 0
    """How many of the jobs have been named."""


class Console:
    """Holds messages back until all permutations that may share them are done, or until nobody may wait longer.

    Forms that are one document (`whole`: JSON, SARIF) are written by `finish`, all messages in one.
    """

    def __init__(
        self, write: Callable[[str], None], render: Callable[[list[Diagnostic]], str], *, whole: bool = False
    ) -> None:
        self.write = write
        self.render = render
        self.whole = whole
        self.lock = threading.Lock()
        self.groups: dict[MessageKey, _Group] = {}
        self.waiting: dict[str, int] = {}
        """Source → how many of its jobs are still to come."""

    def expect(self, jobs: list[Job]) -> None:
        with self.lock:
            for job in jobs:
                self.waiting[job.source] = self.waiting.get(job.source, 0) + 1

    def add(self, job: Job, diagnostics: list[Diagnostic], *, urgent: bool) -> None:
        """A job is done.  Its messages are shown when the last of its source's jobs is, or at once if urgent."""
        with self.lock:
            left = self.waiting.get(job.source, 0) - 1
            self.waiting[job.source] = left
            for diagnostic in diagnostics:
                group = self.groups.setdefault(key_of(diagnostic), _Group(diagnostic))
                if job not in group.jobs:
                    group.jobs.append(job)
            if left <= 0 or urgent:
                self._flush(None if urgent else job.source)

    def finish(self) -> None:
        """Nothing more will come."""
        with self.lock:
            if self.whole:
                self.write(self.render([group.diagnostic for group in self.groups.values()]))
            self._flush(None)

    def _flush(self, source: str | None) -> None:
        if self.whole:
            return
        for group in self.groups.values():
            if group.shown == len(group.jobs) or (source is not None and group.jobs[0].source != source):
                continue
            if group.shown == 0:
                self.write(self.render([group.diagnostic]).rstrip("\n") + "\n" + _named(group.jobs, "in") + "\n")
            else:
                first = self.render([group.diagnostic]).splitlines()[0]
                self.write(f"{first}\n{_named(group.jobs[group.shown :], 'also in')}\n")
            group.shown = len(group.jobs)


def key_of(diagnostic: Diagnostic) -> MessageKey:
    """Equal for messages that read the same."""
    parts: list[object] = []
    for item in diagnostic.flatten():
        at = item.location
        parts += [item.severity, item.code.id, item.message, (at.file, at.line, at.col) if at else None]
    return tuple(parts)


def _named(jobs: list[Job], word: str) -> str:
    """`  in lit/pbr.PSMain: SHADOWS=0, SHADOWS=1 QUALITY=2` and so on for each entry."""
    entries: dict[str, list[str]] = {}
    for job in sorted(jobs, key=lambda job: job.name):
        macros = [f"{name}={value}" if value else name for name, value in job.permutation]
        stem = job.name
        for macro in reversed(macros):
            stem = stem.removesuffix("." + macro)
        entries.setdefault(stem if macros else job.name, []).append(" ".join(macros))
    lines = []
    for stem, permutations in entries.items():
        named = [text for text in permutations if text]
        lines.append(f"  {word} {stem}" + (": " + ", ".join(named) if named else ""))
    return "\n".join(lines)


def summary(built: int, current: int, failed: int, unreached: int, seconds: float, *, stored: int = 0) -> str:
    """The last line; ``stored`` of the built ones came out of the store."""
    done = f"{built} built" + (f" ({stored} from the store)" if stored else "")
    parts = [done, f"{current} up to date", f"{failed} failed"]
    if unreached:
        parts.append(f"{unreached} not built")
    return f"shaders: {', '.join(parts)} ({seconds:.1f} s)"
