"""Executors: in-process and process-pool.  Any thread may call `run`, which blocks until the result is there."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Protocol

from hlsl_tool.build.job import Job
from hlsl_tool.build.outputs.render import JobResult, failure, message
from hlsl_tool.build.store.places import StoreOptions
from hlsl_tool.build.workers.addresses import is_remote
from hlsl_tool.build.workers.processes import CAN_FORK, ForkServer, Worker, spawn
from hlsl_tool.build.workers.worker import Compiler, new_memory
from hlsl_tool.diagnostics.catalogue import build as codes


class Executor(Protocol):
    """The place where jobs are compiled."""

    def run(self, job: Job) -> JobResult:
        """Compile a job; problems are diagnostics of the result."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...


class Inline:
    """Compiles in this process, one job at a time, on a deep stack."""

    def __init__(self, root: str, store: StoreOptions | None = None) -> None:
        self.root = root
        self.store = store
        self.lock = threading.Lock()
        self.compiler: Compiler | None = None
        self.defers = False
        """Whether results come with deferred bookkeeping (`JobResult.later`)."""

    def run(self, job: Job) -> JobResult:
        from hlsl_tool.system.deep_stack import with_deep_stack

        with self.lock:
            compiler = self.compiler = self.compiler or Compiler(self.root, self.store)
            compiler.defers = self.defers
            return with_deep_stack(lambda: compiler.run(job))

    def forget(self) -> None:
        """Continue with an empty memory."""
        with self.lock:
            if self.compiler is not None:
                self.compiler.memory = new_memory()

    def close(self) -> None:
        compiler, self.compiler = self.compiler, None
        if compiler is not None:
            compiler.close()


class Processes:
    """Compiles in up to `count` worker processes, which start when there is work for them and stay warm."""

    def __init__(self, root: str, count: int, store: StoreOptions | None = None) -> None:
        self.root = root
        self.store = store
        self.server: ForkServer | None = None
        self.free: list[Worker] = []
        self.started = 0
        self.limit = max(1, count)
        self.condition = threading.Condition()

    def run(self, job: Job) -> JobResult:
        try:
            worker = self._take()
        except OSError as error:
            return failure(message(codes.WORKER_NOT_STARTED, None, reason=error.strerror or str(error)))
        try:
            result = worker.run(job)
        except (OSError, EOFError) as error:
            how = worker.ended()
            worker.close()
            self._give(None)
            if isinstance(error, TimeoutError):
                return failure(message(codes.WORKER_HUNG, None, seconds=f"{worker.limit:g}"))
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
        for worker in workers:
            worker.close()
        if server is not None:
            server.close()


UNKNOWN = 0.25
"""Seconds that are estimated for a shader that was never compiled: those of a large one."""
WORTH = 0.25
"""Seconds of work for each process that is started: about the time that it needs to load the compiler."""


def estimate(jobs: Iterable[Job], seconds: Mapping[str, float]) -> float:
    """Return the seconds in which one process would compile jobs; ``seconds``: their last times."""
    return sum(seconds.get(job.name, UNKNOWN) for job in jobs)


def executor(
    root: str, jobs: int, store: StoreOptions | None = None, *, work: float | None = None, address: str = ""
) -> Executor:
    """Return worker processes for several jobs at a time, else an in-process executor.

    ``work``: seconds that one process would need, if they are known; little work starts few processes.  ``address``:
    that of a scheduler, whose workers compile instead.
    """
    if is_remote(address):
        from hlsl_tool.build.workers.remote.cluster import Cluster

        return Cluster(root, address, jobs, store)
    if work is not None:
        jobs = min(jobs, int(work / WORTH))
    return Processes(root, jobs, store) if jobs > 1 else Inline(root, store)


def width_of(executor: Executor | None, jobs: int) -> int:
    """Return how many jobs to give an executor at a time; ``jobs`` is the number of -j."""
    if executor is None or isinstance(executor, (Inline, Processes)):
        return jobs
    from hlsl_tool.build.workers.remote.cluster import Cluster

    return executor.width() if isinstance(executor, Cluster) else jobs


class Later:
    """An executor that is made with the first job, when the amount of work is known."""

    def __init__(self, root: str, jobs: int, store: StoreOptions | None = None, address: str = "") -> None:
        self.root = root
        self.jobs = jobs
        self.store = store
        self.address = address
        self.work: float | None = None
        """Seconds that one process would need for all jobs."""
        self.lock = threading.Lock()
        self.inner: Executor | None = None

    def run(self, job: Job) -> JobResult:
        return self._executor().run(job)

    def width(self) -> int:
        """Return how many jobs to give it at a time: -j, or as many as keep the workers of a scheduler busy."""
        return width_of(self._executor(), self.jobs) if is_remote(self.address) else self.jobs

    def _executor(self) -> Executor:
        with self.lock:
            self.inner = self.inner or executor(self.root, self.jobs, self.store, work=self.work, address=self.address)
            return self.inner

    def close(self) -> None:
        with self.lock:
            inner, self.inner = self.inner, None
        if inner is not None:
            inner.close()
