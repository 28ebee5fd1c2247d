"""The state of a watched project: the shaders that fail, since when, and the last batch of builds."""

from __future__ import annotations

import time
from collections.abc import Mapping

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.engine import Outcome
from hlsl_tool.project.build.job import Job


@dataclass(slots=True)
class Built:
    """One attempt to build a job: its duration, whether the store had the result, and its outputs' digests before."""

    job: Job
    seconds: float
    """Seconds from its start until the outputs were written."""
    compile_seconds: float
    since_noticed: float
    """Seconds from the notice of the change until the outputs were written."""
    reused: str
    """`JobResult.reused`: the kind of key under which the store had the result."""
    before: dict[str, str]
    """Output → its digest before."""


@dataclass(slots=True)
class Failure:
    """A failing shader: its first error, and since when it fails."""

    job: Job
    since: float
    """Seconds since the epoch."""
    first: str
    """`file:line:column: message` of the first error."""


@dataclass(slots=True)
class Batch:
    """The builds between two moments at which nothing is out of date."""

    began: float
    current: int = 0
    built: list[Built] = field(default_factory=list)
    unchanged: int = 0
    """Number of jobs whose outputs turned out to be current."""
    failed: list[Job] = field(default_factory=list)
    seconds: float = 0.0
    at: float = 0.0

    @property
    def stored(self) -> int:
        return sum(built.reused != "" for built in self.built)

    @property
    def done(self) -> int:
        return len(self.built) + self.unchanged + len(self.failed)


class Board:
    """The state of the shaders that are watched: failures, digests of outputs, counts and the current batch of builds.

    The screen and the event stream show it.
    """

    def __init__(self) -> None:
        self.failures: dict[str, Failure] = {}
        """In the order in which they began to fail."""
        self.outputs: dict[str, dict[str, str]] = {}
        """Job → output → digest."""
        self.unfit: list[str] = []
        """Groups of stages that do not fit together."""
        self.config_is_bad = False
        self.current = 0
        """Number of jobs that were current since the last batch began."""
        self.total = 0
        """Number of jobs of this batch so far."""
        self.batch = Batch(0.0)
        self.last: Batch | None = None
        """The last batch in which something was built."""
        self.has_garbage = False
        self.attempts = 0
        """Number of attempts since the compiler's memory was empty."""

    def begin(self) -> Batch:
        self.total = 0
        self.batch = Batch(time.perf_counter())
        return self.batch

    def done(self, built: Built, outcome: Outcome, now: float) -> None:
        job = built.job
        self.has_garbage = True
        self.attempts += 1
        if outcome.state == "failed":
            before = self.failures.get(job.name)
            since = before.since if before is not None else now
            self.failures[job.name] = Failure(job, since, first_error(outcome.result.diagnostics))
            self.batch.failed.append(job)
            return
        self.failures.pop(job.name, None)
        if outcome.state == "built":
            self.batch.built.append(built)
        else:
            self.batch.unchanged += 1

    def end(self, batch: Batch, jobs: Mapping[str, Job]) -> None:
        batch.current, self.current = self.current + batch.unchanged, 0
        batch.seconds = time.perf_counter() - batch.began
        batch.at = time.time()
        if batch.built:
            self.last = batch
        for name in [name for name in self.failures if name not in jobs]:
            del self.failures[name]

    def drop(self, name: str) -> None:
        self.failures.pop(name, None)


def first_error(diagnostics: list[Diagnostic]) -> str:
    """Return `file:line:column: message` of the first error."""
    errors = [d for d in diagnostics if d.severity in ("error", "fatal")] or diagnostics
    if not errors:
        return ""
    at = errors[0].location
    place = f"{at.file}:{at.line}:{at.col}: " if at is not None else ""
    return f"{place}{errors[0].message}"
