"""Executors: in-process and process-pool.  Any thread may call `run`, which blocks until the result is available."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Mapping
from typing import Protocol

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, failure, message
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.workers.processes import CAN_FORK, ForkServer, Worker, spawn
from hlsl_tool.project.build.workers.worker import NO_MEMORY, Compiler, new_memory, out_of_memory


class Lender(Protocol):
    """Lends workers of the compile server to a build."""

    def start(self) -> None:
        """Start the server in the background, unless one runs or none is wanted."""
        ...

    def borrow(self, root: str) -> Worker | None:
        """Return a worker for a project's root; `None` if there is none, or none free."""
        ...


class Executor(Protocol):
    """Compiles jobs; the implementations differ in where."""

    def run(self, job: Job) -> JobResult:
        """Compile a job; errors are diagnostics of the result, never exceptions."""
        ...

    def close(self) -> None:
        """End all worker processes."""
        ...


class Inline:
    """Compiles in this process, one job at a time, on a thread with a large stack."""

    def __init__(self, root: str, store: StoreOptions | None = None) -> None:
        self.root = root
        self.store = store
        self.lock = threading.Lock()
        self.compiler: Compiler | None = None
        self.defers = False
        """Whether results come with deferred bookkeeping (`JobResult.later`)."""

    def run(self, job: Job) -> JobResult:
        from hlsl_tool.base.system.deep_stack import with_deep_stack

        with self.lock:
            compiler = self.compiler = self.compiler or Compiler(self.root, self.store)
            compiler.defers = self.defers
            return with_deep_stack(lambda: compiler.run(job))

    def warm(self, job: Job) -> None:
        """Compile a job only to fill the compiler's caches; use no store, and discard the result."""
        from hlsl_tool.base.system.deep_stack import with_deep_stack

        with self.lock:
            compiler = self.compiler = self.compiler or Compiler(self.root, self.store)
            with_deep_stack(lambda: compiler.warm(job))

    def forget(self) -> None:
        """Discard the compiler's caches."""
        with self.lock:
            if self.compiler is not None:
                self.compiler.memory = new_memory()

    def close(self) -> None:
        compiler, self.compiler = self.compiler, None
        if compiler is not None:
            compiler.close()


class Processes:
    """Compiles in up to ``count`` worker processes, which start when they are needed and stay for further jobs.

    If the compile server lends workers, these are used, one for each processor at most.
    """

    def __init__(self, root: str, count: int, store: StoreOptions | None = None, lender: Lender | None = None) -> None:
        self.root = root
        self.store = store
        self.server: ForkServer | None = None
        self.lender = lender
        self.free: list[Worker] = []
        self.started = 0
        self.limit = max(1, count if lender is None else min(count, os.cpu_count() or 1))
        self.condition = threading.Condition()
        self.inline: Inline | None = None
        """Compiles once the only worker could not be started; the build needs no other process then."""

    def run(self, job: Job) -> JobResult:
        if self.inline is not None:
            return self.inline.run(job)
        try:
            worker = self._take()
        except OSError as error:
            if self.limit == 1:
                self.inline = Inline(self.root, self.store)
                return self.inline.run(job)
            return failure(message(codes.WORKER_NOT_STARTED, None, reason=error.strerror or str(error)))
        try:
            result = worker.run(job)
        except (OSError, EOFError) as error:
            how = worker.ended()
            worker.close()
            self._give(None)
            if worker.is_borrowed and not isinstance(error, TimeoutError):  # the server has ended, or crashed
                self.lender = None
                return self.run(job)
            if isinstance(error, TimeoutError):
                return failure(message(codes.WORKER_HUNG, None, seconds=f"{worker.limit:g}"))
            if how == f"exit status {NO_MEMORY}":
                return failure(out_of_memory())
            return failure(message(codes.WORKER_DIED, None, how=how))
        self._give(worker)
        return result

    def _take(self) -> Worker:
        with self.condition:
            while not self.free and self.started >= self.limit:
                self.condition.wait()
            thread = threading.get_ident()
            for at, worker in enumerate(self.free):
                if worker.user == thread:  # it has seen the headers of this thread's stretch of the plan
                    return self.free.pop(at)
            if self.free:
                return self.free.pop()
            self.started += 1
        borrowed = self._borrow()
        if borrowed is not None:
            return borrowed
        new: Worker | None = None
        try:
            new = self._start()
            new.begin(self.root, self.store)
            return new
        except OSError:
            if new is not None:
                new.close()
            self._give(None)
            raise

    def prepare(self) -> None:
        """Start the fork server early, so that it loads the compiler before the first worker is needed."""
        if CAN_FORK:
            with self.condition, contextlib.suppress(OSError):
                self.server = self.server or ForkServer(self.root)

    def borrow(self) -> bool:
        """Borrow a worker of the compile server before the first job; return whether one was available."""
        worker = self._borrow()
        if worker is None:
            return False
        self.started += 1
        self._give(worker)
        return True

    def _borrow(self) -> Worker | None:
        lender = self.lender
        worker = lender.borrow(self.root) if lender is not None else None
        if worker is not None:
            try:
                worker.begin(self.root, self.store)
                return worker
            except OSError:  # the server has ended
                worker.close()
        self.lender = None  # it would not answer the next request either, each time after a while
        return None

    def _start(self) -> Worker:
        if not CAN_FORK:
            return spawn(self.root)
        with self.condition:
            server = self.server = self.server or ForkServer(self.root)
        try:
            return server.worker()
        except (OSError, EOFError):  # it was killed
            return spawn(self.root)

    def _give(self, worker: Worker | None) -> None:
        with self.condition:
            if worker is None:
                self.started -= 1
            else:
                worker.user = threading.get_ident()
                self.free.append(worker)
            self.condition.notify()

    def close(self) -> None:
        with self.condition:
            workers, self.free = self.free, []
            server, self.server = self.server, None
        if self.inline is not None:
            self.inline.close()
        for worker in workers:  # all at once: each may have results to send
            worker.hang_up()
        for worker in workers:
            worker.close()
        if server is not None:
            server.close()


UNKNOWN = 0.25
"""Seconds that are estimated for a shader that was never compiled: those of a large one."""
WORTH = 0.25
"""Seconds of work for each process that is started: about the time that it needs to load the compiler."""


LARGE = 5.0
"""Seconds of work that are given to a worker process though only one compiles: at its end it need not free its memory,
which in this process takes as long as a fifth of the work."""


def estimate(jobs: Iterable[Job], seconds: Mapping[str, float]) -> float:
    """Estimate the seconds that one process needs to compile ``jobs``.

    ``seconds`` maps job names to their last durations.
    """
    return sum(seconds.get(job.name, UNKNOWN) for job in jobs)


def local_executor(
    root: str,
    jobs: int,
    store: StoreOptions | None = None,
    *,
    work: float | None = None,
    lender: Lender | None = None,
) -> Executor:
    """Return worker processes if several jobs run at a time, if there is much work, or if the compile server runs.

    Otherwise return an executor in this process. If no server runs, start one, for this build or the next. ``work`` is
    the number of seconds that one process would need, if known: fewer processes start for little work.
    """
    is_much = work is not None and work >= LARGE and CAN_FORK
    if work is not None:
        jobs = min(jobs, int(work / WORTH))
    processes = Processes(root, jobs, store, lender)
    if jobs <= 1 and not is_much and processes.borrow():
        return processes
    if lender is not None:
        lender.start()  # little work does not wait for it
    return processes if jobs > 1 or is_much else Inline(root, store)
