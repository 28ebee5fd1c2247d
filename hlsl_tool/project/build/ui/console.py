"""Write the diagnostics of a build, each once with all permutations that it concerns, and the summary line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import dataclass, field, replace

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.project.build.job import Job

MessageKey = tuple[object, ...]

FEW = 2
"""Up to this number, all permutations of an entry are listed by their macros instead of counted."""


@dataclass(slots=True)
class _Group:
    diagnostic: Diagnostic
    jobs: list[Job] = field(default_factory=list)
    shown: int = 0
    """Number of jobs that have been written."""
    pipeline: str = ""
    """The pipeline whose link check reported the diagnostic."""


_OF_ALL = frozenset(("HLSL0914", "HLSL0915"))
"""`DISK_FULL` and `OUTPUT_FOLDER`: nothing more is built then, and the summary has the numbers of shaders."""


class Console:
    """Delays diagnostics until all permutations of a source are done, so that each is written once.

    Urgent diagnostics are written at once. For formats that form a single document (`whole`: JSON, SARIF), nothing is
    written: the caller renders `complete`.
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

    def add(self, job: Job, diagnostics: list[Diagnostic], *, urgent: bool, pipeline: str = "") -> None:
        """Add the diagnostics of a job that is done, or of the link check of a pipeline.

        They are written when the last job of the same source is done, or at once if ``urgent``.
        """
        with self.lock:
            left = self.waiting.get(job.source, 0) - 1
            self.waiting[job.source] = left
            for diagnostic in _with_keys(diagnostics):
                group = self.groups.setdefault((pipeline, *key_of(diagnostic)), _Group(diagnostic, pipeline=pipeline))
                if job not in group.jobs:
                    group.jobs.append(job)
            if left <= 0 or urgent:
                self._flush(None if urgent else job.source)

    def diagnostics(self) -> list[Diagnostic]:
        """Return each diagnostic once, in the order in which they were added."""
        with self.lock:
            return [group.diagnostic for group in self.groups.values()]

    def complete(self) -> list[Diagnostic]:
        """Return each diagnostic once, with all permutations that reported it as its occurrences, sorted by place."""
        with self.lock:
            return sorted((_complete(group) for group in self.groups.values()), key=_place)

    def finish(self) -> None:
        """Write all diagnostics that have not been written yet."""
        with self.lock:
            self._flush(None)

    def _flush(self, source: str | None) -> None:
        if self.whole:
            return
        for group in self.groups.values():
            if group.shown == len(group.jobs) or (source is not None and group.jobs[0].source != source):
                continue
            if group.shown == 0:
                place = _named(group.jobs, "in") + (f" (pipeline {group.pipeline})" if group.pipeline else "")
                self.write(self.render([group.diagnostic]).rstrip("\n") + "\n" + place + "\n")
            elif group.diagnostic.code.id not in _OF_ALL:
                first = self.render([group.diagnostic]).splitlines()[0]
                self.write(f"{first}\n{_named(group.jobs[group.shown :], 'also in')}\n")
            group.shown = len(group.jobs)


def _with_keys(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics whose hints name keys of the configuration instead of command-line switches."""
    if not diagnostics:
        return []  # a build without a message does not need the table of options
    from hlsl_tool.project.config.hints import configured

    return configured(diagnostics)


def key_of(diagnostic: Diagnostic) -> MessageKey:
    """Return a key that is equal for diagnostics with the same severity, code, message and location, notes included."""
    parts: list[object] = []
    for item in diagnostic.flatten():
        at = item.location
        parts += [item.severity, item.code.id, item.message, (at.file, at.line, at.col) if at else None]
    return tuple(parts)


def _complete(group: _Group) -> Diagnostic:
    """Return the diagnostic of a group, with all permutations that reported it as its occurrences."""
    from hlsl_tool.base.diagnostics.diagnostic import Occurrence

    jobs = sorted(group.jobs, key=lambda job: job.name)
    occurrences = tuple(Occurrence(_stem(job), job.permutation, group.pipeline) for job in jobs)
    return replace(group.diagnostic, occurrences=occurrences)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    at = diagnostic.location
    return (at.file, at.line, at.col) if at is not None else ("", 0, 0)


def _named(jobs: list[Job], word: str) -> str:
    """Return a line for each entry point: `  in a.Main: FOG=0, FOG=1` or `  in all 10 permutations of a.Main`."""
    entries: dict[str, list[Job]] = {}
    for job in sorted(jobs, key=lambda job: job.name):
        entries.setdefault(_stem(job), []).append(job)
    return "\n".join(f"  {word} {_permutations(stem, members)}" for stem, members in entries.items())


def _permutations(stem: str, jobs: list[Job]) -> str:
    """Return the entry point ``stem`` and the macro values of its permutations as one line of text.

    Only the number is given if more than `FEW` permutations are listed, and these are all that the entry point has.
    """
    if FEW < len(jobs) == jobs[0].siblings:
        return f"all {len(jobs)} permutations of {stem}"
    named = [" ".join(_macros(job)) for job in jobs if job.permutation]
    return stem + (": " + ", ".join(named) if named else "")


def _stem(job: Job) -> str:
    """Return the name of a job without the macros of its permutation."""
    stem = job.name
    for macro in reversed(_macros(job)):
        stem = stem.removesuffix("." + macro)
    return stem


def _macros(job: Job) -> list[str]:
    return [f"{name}={value}" if value else name for name, value in job.permutation]


def summary(
    built: int, current: int, failed: int, unreached: int, seconds: float, *, stored: int = 0, unfit: int = 0
) -> str:
    """Return the summary line of a build, from the numbers of shaders in each state.

    ``stored`` of the ``built`` shaders came from the store; ``unfit`` is the number of failed link checks.
    """
    done = f"{built} built" + (f" ({stored} from the store)" if stored else "")
    parts = [done, f"{current} up to date", f"{failed} failed"]
    if unreached:
        parts.append(f"{unreached} not built")
    if unfit:
        parts.append(f"{unfit} link check{'s' if unfit > 1 else ''} failed")
    return f"shaders: {', '.join(parts)} ({seconds:.1f} s)"
