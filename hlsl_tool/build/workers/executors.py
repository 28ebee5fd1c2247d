"""Who compiles: this process, or worker processes that stay warm.  Both are called from any thread, and block it."""

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
    def run(self, job: Job) -> JobResult: ...

    def close(self) -> None: ...


class Inline:
    """Compiles here, one job at a time, on a stack that is deep enough."""

    def __init__(self, root: str, store: StoreOptions | None = None) -> None:
        self.root = root
        self.store = store
        self.lock = threading.Lock()
        self.compiler: Compiler | None = None
        self.defers = False
        """Whether results come with what was put off (`JobResult.later`)."""

    def run(self, job: Job) -> JobResult:
        from hlsl_tool.system.deep_stack import with_deep_stack

        with self.lock:
            compiler = self.compiler = self.compiler or Compiler(self.root, self.store)
            compiler.defers = self.defers
            return with_deep_stack(lambda: compiler.run(job))

    def forget(self) -> None:
        """Compile with an empty memory from now on."""
        with self.lock:
            if self.compiler is not None:
                self.compiler.memory = new_memory()

    def close(self) -> None:
        compiler, self.compiler = self.compiler, None
        if compiler is not None:
            compiler.close()


class Processes:
    """Up to `count` workers, started when there is work for them."""

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
            mine = threading.get_ident()
            for at, worker in enumerate(self.free):
                if worker.user == mine:  # it has seen the headers of this thread's stretch of the plan
                    return self.free.pop(at)
            if self.free:
                return self.free.pop()
            self.started += 1
        made: Worker | None = None
        try:
            made = self._start()
            made.begin(self.root, self.store)
            return made
        except OSError:
            if made is not None:
                made.close()
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
"""Seconds that a shader is taken to need which has not been compiled before: those of a large one."""
WORTH = 0.25
"""Seconds of work for which another process is started: about what it needs to load the compiler."""


def estimate(jobs: Iterable[Job], seconds: Mapping[str, float]) -> float:
    """How long one process would compile; ``seconds``: what jobs needed the last time."""
    return sum(seconds.get(job.name, UNKNOWN) for job in jobs)


def executor(
    root: str, jobs: int, store: StoreOptions | None = None, *, work: float | None = None, address: str = ""
) -> Executor:
    """Worker processes where several shaders are compiled at a time, else this process.

    ``work``: seconds that one process would need, if they are known; for little, few processes are started.
    ``address``: that of a scheduler whose workers compile instead.
    """
    if is_remote(address):
        from hlsl_tool.build.workers.remote.cluster import Cluster

        return Cluster(root, address, jobs, store)
    if work is not None:
        jobs = min(jobs, int(work / WORTH))
    return Processes(root, jobs, store) if jobs > 1 else Inline(root, store)


def width_of(executor: Executor | None, jobs: int) -> int:
    """How many jobs to give it at a time, where -j is ``jobs``."""
    if executor is None or isinstance(executor, (Inline, Processes)):
        return jobs
    from hlsl_tool.build.workers.remote.cluster import Cluster

    return executor.width() if isinstance(executor, Cluster) else jobs


class Later:
    """An executor that is made when there is work: how much there is, is known only then."""

    def __init__(self, root: str, jobs: int, store: StoreOptions | None = None, address: str = "") -> None:
        self.root = root
        self.jobs = jobs
        self.store = store
        self.address = address
        self.work: float | None = None
        """Seconds that one process would need."""
        self.lock = threading.Lock()
        self.made: Executor | None = None

    def run(self, job: Job) -> JobResult:
        return self._executor().run(job)

    def width(self) -> int:
        """How many jobs to give it at a time: -j, or as many as keep the workers of a scheduler busy."""
        return width_of(self._executor(), self.jobs) if is_remote(self.address) else self.jobs

    def _executor(self) -> Executor:
        with self.lock:
            made = self.made = self.made or executor(
                self.root, self.jobs, self.store, work=self.work, address=self.address
            )
            return made

    def close(self) -> None:
        with self.lock:
            made, self.made = self.made, None
        if made is not None:
            made.close()
