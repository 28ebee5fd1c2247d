"""Diagnostics of a build, each written once with all permutations that have it, and the summary."""

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
    """Number of jobs that have been written."""


class Console:
    """Holds diagnostics back until all permutations that may share them are done, unless they are urgent.

    Forms that are one document (`whole`: JSON, SARIF) are written by `finish`.
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
        """Source → number of its jobs that are not done."""

    def expect(self, jobs: list[Job]) -> None:
        """Announce jobs that will be built."""
        with self.lock:
            for job in jobs:
                self.waiting[job.source] = self.waiting.get(job.source, 0) + 1

    def add(self, job: Job, diagnostics: list[Diagnostic], *, urgent: bool) -> None:
        """Add the diagnostics of a job that is done.

        They are written when the last job of the source is done, or at once if urgent.
        """
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
        """Write all diagnostics that are held back."""
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
    """Return a key that is equal for diagnostics with the same text."""
    parts: list[object] = []
    for item in diagnostic.flatten():
        at = item.location
        parts += [item.severity, item.code.id, item.message, (at.file, at.line, at.col) if at else None]
    return tuple(parts)


def _named(jobs: list[Job], word: str) -> str:
    """Return a line for each entry, such as `  in lit/pbr.PSMain: SHADOWS=0, SHADOWS=1 QUALITY=2`."""
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
    """Return the last line of a build; ``stored`` of the built shaders came from the store."""
    done = f"{built} built" + (f" ({stored} from the store)" if stored else "")
    parts = [done, f"{current} up to date", f"{failed} failed"]
    if unreached:
        parts.append(f"{unreached} not built")
    return f"shaders: {', '.join(parts)} ({seconds:.1f} s)"
