"""Look up the results of jobs on servers beside the build, many at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from hlsl_tool.project.build.currency.traces import DigestOf, is_valid
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store import direct_mode
from hlsl_tool.project.build.store.beside import Allowance, BesideStore
from hlsl_tool.project.build.store.results import Result

THREADS = 32
"""Jobs that are looked up at a time, each with a connection of its own."""
START = 0.1
"""Seconds that a build may lose by waiting for lookups, in addition to a share of its time."""


class Lookups:
    """Starts lookups early and returns their results as far as they come in time.

    Several threads of a build use it.
    """

    def __init__(self, store: BesideStore, root: str, digest_of: DigestOf) -> None:
        """``digest_of`` is called by several threads."""
        self.store = store
        self.root = root
        self.digest_of = digest_of
        self.allowance = Allowance(START)
        self.hits: deque[str] = deque()
        """Names of jobs whose results have arrived and were not used yet, the oldest first."""
        self._pool = ThreadPoolExecutor(THREADS, "lookup")
        self._pending: dict[str, Future[JobResult | None]] = {}
        self._arrival = threading.Condition()

    def begin(self, jobs: Iterable[Job]) -> None:
        """Start to look up jobs."""
        for job in jobs:
            if job.name not in self._pending:
                request = self._pool.submit(direct_mode.lookup, _Patient(self.store), job, self.root, self.digest_of)
                self._pending[job.name] = request
                request.add_done_callback(partial(self._arrived, job.name))

    def _arrived(self, name: str, request: Future[JobResult | None]) -> None:
        """Note a hit, and wake the threads that wait; ``request`` has ended, so that `take` need not wait for it."""
        if not request.cancelled() and request.exception() is None and request.result() is not None:
            self.hits.append(name)
        with self._arrival:
            self._arrival.notify_all()

    def is_known(self, job: Job) -> bool:
        """Return whether the lookup of a job has ended."""
        request = self._pending.get(job.name)
        return request is None or request.done()

    def wait(self) -> bool:
        """Wait for the end of any lookup, as long as the build may lose time; return whether one ended."""
        began = time.monotonic()
        with self._arrival:
            has_arrived = bool(self.hits) or self._arrival.wait(self.allowance.left())
        self.allowance.lose(began)
        return has_arrived

    def take(self, job: Job) -> JobResult | None:
        """Return the stored result of a job for the present content of its files.

        ``None`` if there is none, or if it does not come within the time that the build may lose.
        """
        hit = self._take(job)
        if hit is not None and not is_valid(job, self.root, hit.files, hit.missing, self.digest_of):
            hit = self._take(job)  # another builder has changed a file since the lookup began
        self.store.report_pace(self.allowance)
        return hit

    def _take(self, job: Job) -> JobResult | None:
        self.begin((job,))
        request = self._pending.pop(job.name)
        hit = self.allowance.result_of(request)
        request.cancel()
        return hit

    def close(self) -> None:
        """Drop the lookups that have not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Patient:
    """A store whose lookups wait for servers: they run beside the build."""

    def __init__(self, store: BesideStore) -> None:
        self.store = store

    def get(self, key: str) -> Result | None:
        return self.store.get_patiently(key)
