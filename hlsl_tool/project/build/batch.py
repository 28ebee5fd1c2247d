"""Build many jobs in parallel: distribute the jobs over threads, and decide when to stop."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.job import Job

if TYPE_CHECKING:
    from hlsl_tool.project.build.store.lookups import Lookups
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.build.ui.progress import Progress


class Queue:
    """A queue of jobs for several threads, each of which starts with a contiguous slice of the plan.

    The plan lists shaders of one source and of one folder consecutively, so the headers that a thread has parsed serve
    its next job.  A thread whose slice is empty steals from the end of the longest remaining slice.

    If jobs are looked up on servers, those with a result come first.  The lookups begin at the starts of the slices,
    and jobs are taken from the ends while no lookup has ended in time: a slow server costs no more than the wait
    that is allowed.
    """

    def __init__(self, jobs: Sequence[Job], takers: int, lookups: Lookups | None = None) -> None:
        bounds = [len(jobs) * number // takers for number in range(takers + 1)]
        self.stretches = [deque(jobs[a:b]) for a, b in pairwise(bounds)]
        self.lookups = lookups
        self.lock = threading.Lock()
        self._left = {job.name: job for job in jobs}
        """The jobs that were not taken yet; the slices may contain others."""
        if lookups is not None:
            starts_first = chain.from_iterable(zip_longest(*self.stretches))
            lookups.begin(job for job in starts_first if job is not None)
            lookups.allowance.waiters = takers

    def take(self, taker: int) -> Job | None:
        """Return the next job for the thread with number ``taker``; `None` if no job is left."""
        may_wait = self.lookups is not None
        while True:
            with self.lock:
                job = self._next(taker, may_wait)
                if job is not None:
                    del self._left[job.name]
                if job is not None or not self._left:
                    return job
            assert self.lookups is not None
            may_wait = self.lookups.wait()

    def _next(self, taker: int, may_wait: bool) -> Job | None:
        """Return the job to take; `None` if there is none, or if its lookup has not ended and a thread may wait."""
        lookups = self.lookups
        while lookups is not None and lookups.hits:
            job = self._left.get(lookups.hits.popleft())
            if job is not None:
                return job
        for stretch in self.stretches:
            while stretch and stretch[0].name not in self._left:
                stretch.popleft()
            while stretch and stretch[-1].name not in self._left:
                stretch.pop()
        own = self.stretches[taker]
        if own and (lookups is None or lookups.is_known(own[0])):
            return own[0]
        longest = own or max(self.stretches, key=len)
        if not longest or (may_wait and lookups is not None and not lookups.is_known(longest[-1])):
            return None
        return longest[-1]


def rotated(jobs: Sequence[Job], part: float) -> list[Job]:
    """Rotate the list of jobs so that it starts at another source; ``part`` (0 to 1) selects the source.

    Otherwise, builds that start at the same time and share a store would all compile the same shader first.
    """
    starts = [number for number, job in enumerate(jobs) if number == 0 or jobs[number - 1].source != job.source]
    start = starts[int(part * len(starts))] if starts else 0
    return [*jobs[start:], *jobs[:start]]


def build_all(
    engine: Engine,
    jobs: Sequence[Job],
    *,
    workers: int,
    progress: Progress,
    console: Console,
    keep_going: bool = True,
    explain: bool = False,
    stopping: Callable[[], bool] = lambda: False,
    failed: Callable[[Job, Outcome], None] = lambda job, outcome: None,
    build: Callable[[Job], Outcome] | None = None,
) -> dict[str, Outcome]:
    """Build the jobs that are out of date, on ``workers`` threads; return name → outcome of each job that was started.

    No further job is started once ``stopping`` returns True, once a job failed and ``keep_going`` is False, or once no
    output can be written.
    ``failed`` is called for each failed job.  ``explain`` prints why each job is rebuilt.  ``build`` is called for each
    job instead of `engine.build`.  The caller must have set the number of shaders by `progress.expect`.
    """
    takers = max(1, min(workers, len(jobs)))
    console.expect(list(jobs))
    if engine.store_options.is_shared:
        jobs = rotated(jobs, random.random())
    engine.unwritable = None  # an earlier build's
    queue = Queue(jobs, takers, engine.lookups)
    batch = _Batch(engine, queue, progress, console, build or engine.build, failed, stopping)
    batch.keeps_going, batch.explains = keep_going, explain
    threads = [threading.Thread(target=batch.work, args=(taker,), name=f"build {taker}") for taker in range(1, takers)]
    for thread in threads:
        thread.start()
    try:
        batch.work(0)
        for thread in threads:
            thread.join()
    finally:  # after an interrupt, too, jobs that were begun come to their end
        batch.ended.set()
        for thread in threads:
            thread.join()
        progress.clear()
    if batch.problems:
        raise batch.problems[0]
    return batch.outcomes


@dataclass(slots=True)
class _Batch:
    """State that the threads of `build_all` share."""

    engine: Engine
    queue: Queue
    progress: Progress
    console: Console
    build: Callable[[Job], Outcome]
    failed: Callable[[Job, Outcome], None]
    stopping: Callable[[], bool]
    keeps_going: bool = True
    explains: bool = False
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    problems: list[BaseException] = field(default_factory=list)
    """Exceptions of threads; the caller's thread raises the first."""
    ended: threading.Event = field(default_factory=threading.Event)

    def work(self, taker: int) -> None:
        """Run one thread: build jobs until the queue is empty or the batch has ended."""
        try:
            while not (self.ended.is_set() or self.stopping()):
                job = self.queue.take(taker)
                if job is None:
                    return
                self._build(job)
        except BaseException as problem:  # noqa: BLE001  # raised again in the caller's thread
            self.problems.append(problem)
            self.ended.set()

    def _build(self, job: Job) -> None:
        self.progress.begin(job.name, job.source, self.engine.causes(job) if self.explains else None)
        outcome = self.outcomes[job.name] = self.build(job)
        self.progress.end()
        has_failed = outcome.state == "failed"
        if outcome.state != "current":
            self.console.add(job, outcome.result.diagnostics, urgent=has_failed and not self.keeps_going)
        if has_failed:
            self.failed(job, outcome)
            if not self.keeps_going or self.engine.unwritable is not None:
                self.ended.set()
