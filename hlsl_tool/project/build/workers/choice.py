"""Choose the executor of a build: this process, worker processes, or a cluster."""

from __future__ import annotations

import threading

from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.workers.addresses import is_remote
from hlsl_tool.project.build.workers.executors import Executor, Inline, Lender, Processes, local_executor


def executor(
    root: str,
    jobs: int,
    store: StoreOptions | None = None,
    *,
    work: float | None = None,
    address: str = "",
    lender: Lender | None = None,
) -> Executor:
    """Return an executor that uses the scheduler at ``address``; without an address, one on this machine."""
    if is_remote(address):
        from hlsl_tool.project.build.workers.remote.cluster import Cluster

        return Cluster(root, address, jobs, store)
    return local_executor(root, jobs, store, work=work, lender=lender)


def width_of(executor: Executor | None, jobs: int) -> int:
    """Return how many jobs to submit to an executor at a time; ``jobs`` is the value of -j."""
    if executor is None or isinstance(executor, (Inline, Processes)):
        return jobs
    from hlsl_tool.project.build.workers.remote.cluster import Cluster

    return executor.width() if isinstance(executor, Cluster) else jobs


class Later:
    """An executor that is created at the first job, because the amount of work is known only then."""

    def __init__(
        self,
        root: str,
        jobs: int,
        store: StoreOptions | None = None,
        address: str = "",
        lender: Lender | None = None,
    ) -> None:
        self.root = root
        self.jobs = jobs
        self.store = store
        self.address = address
        self.lender = lender
        self.work: float | None = None
        """Seconds that one process would need for all jobs."""
        self.lock = threading.Lock()
        self.inner: Executor | None = None

    def run(self, job: Job) -> JobResult:
        return self._executor().run(job)

    def width(self) -> int:
        """Return how many jobs to submit at a time: -j, or enough to occupy all workers of a scheduler."""
        return width_of(self._executor(), self.jobs) if is_remote(self.address) else self.jobs

    def _executor(self) -> Executor:
        with self.lock:
            if self.inner is None:
                self.inner = executor(
                    self.root, self.jobs, self.store, work=self.work, address=self.address, lender=self.lender
                )
            return self.inner

    def close(self) -> None:
        with self.lock:
            inner, self.inner = self.inner, None
        if inner is not None:
            inner.close()
