"""Many jobs at a time: who takes which next, when to stop, and what is said meanwhile."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hlsl_tool.build.engine import Engine, Outcome
from hlsl_tool.build.job import Job

if TYPE_CHECKING:
    from hlsl_tool.build.ui.console import Console
    from hlsl_tool.build.ui.progress import Progress


class Queue:
    """Jobs for several takers.  Each has a stretch of the plan, in which shaders of one source and of one folder stand
    together: so what it remembers of headers is of use to the next.  Who is done takes from the end of the longest
    stretch that is left."""

    def __init__(self, jobs: Sequence[Job], takers: int) -> None:
        bounds = [len(jobs) * number // takers for number in range(takers + 1)]
        self.stretches = [deque(jobs[a:b]) for a, b in pairwise(bounds)]
        self.lock = threading.Lock()

    def take(self, taker: int) -> Job | None:
        with self.lock:
            mine = self.stretches[taker]
            if mine:
                return mine.popleft()
            longest = max(self.stretches, key=len)
            return longest.pop() if longest else None


def rotated(jobs: Sequence[Job], part: float) -> list[Job]:
    """The jobs from another source on, which lies at this part (0 to 1) of them.

    Builds that begin at the same time with a store in common would all compile the same shader first.
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
    """Build jobs that are not current; returns the outcome of each that was begun.  Nothing is begun any more once
    ``stopping`` says so or, unless ``keep_going``, one has failed.  ``progress`` expects the jobs already.  ``build``
    stands for the engine's."""
    takers = max(1, min(workers, len(jobs)))
    console.expect(list(jobs))
    if engine.store_options.is_shared:
        jobs = rotated(jobs, random.random())
    queue = Queue(jobs, takers)
    outcomes: dict[str, Outcome] = {}
    problems: list[BaseException] = []
    ended = threading.Event()

    def one(job: Job) -> None:
        progress.begin(job.name, job.source, engine.causes(job) if explain else None)
        outcome = (build or engine.build)(job)
        outcomes[job.name] = outcome
        progress.end()
        bad = outcome.state == "failed"
        if outcome.state != "current":
            console.add(job, outcome.result.diagnostics, urgent=bad and not keep_going)
        if bad:
            failed(job, outcome)
            if not keep_going:
                ended.set()

    def work(taker: int) -> None:
        try:
            while not (ended.is_set() or stopping()):
                job = queue.take(taker)
                if job is None:
                    return
                one(job)
        except BaseException as problem:  # noqa: BLE001  # raised again in the caller's thread
            problems.append(problem)
            ended.set()

    threads = [threading.Thread(target=work, args=(taker,), name=f"build {taker}") for taker in range(1, takers)]
    for thread in threads:
        thread.start()
    try:
        work(0)
        for thread in threads:
            thread.join()
    finally:  # an interrupt, too, lets what was begun come to its end
        ended.set()
        for thread in threads:
            thread.join()
        progress.clear()
    if problems:
        raise problems[0]
    return outcomes
