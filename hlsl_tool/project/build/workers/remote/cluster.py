"""The executor that sends jobs to the workers of a dask scheduler.

    dask scheduler                                    # on one machine
    dask worker tcp://HOST:8786 --nthreads 1          # on each machine, once a core
    hlsl_tool build --executor dask://HOST:8786

If a worker dies, the scheduler gives its jobs to others.  This machine compiles a job itself if the scheduler does not
answer, if no worker has the same toolchain, or if the job reads a file that was not sent along.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import logging
import socket
import threading
from asyncio import CancelledError
from contextlib import suppress
from typing import Any

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.project.build.currency.toolchain import toolset
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, failure, message, warning
from hlsl_tool.project.build.store.choice import StoreOptions, is_address
from hlsl_tool.project.build.workers.executors import Executor, local_executor
from hlsl_tool.project.build.workers.remote import task
from hlsl_tool.project.build.workers.remote.carried import Packer
from hlsl_tool.project.config.secrets import masked

REACH = 2
"""Seconds in which a scheduler has to accept a connection; it is tried once."""
PATIENCE = 10
"""Seconds in which a scheduler that accepts connections has to give its first answer."""
RETRIES = 3
"""Number of workers that may die under a job."""
MISSES = 3
"""Number of jobs in a row that fail before the scheduler is given up."""
AHEAD = 2
"""Jobs in flight for each thread of a worker, so that no thread waits."""

SCHEME = "dask://"


def _silence() -> None:
    """Silence Dask's tracebacks of broken connections: a diagnostic reports them."""
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


class Cluster:
    """An executor that uses the workers of one dask scheduler."""

    def __init__(self, root: str, address: str, jobs: int, store: StoreOptions | None) -> None:
        self.root = root
        self.address = address
        self.jobs = jobs
        self.store = store
        self.lock = threading.Lock()
        self.packer = Packer(root)
        self.local: Executor | None = None
        self.client: Any = None
        self.connected = False
        self.notes: list[Diagnostic] = []
        self.good: list[str] | None = None
        """The workers to use, if others are refused."""
        self.refused: set[str] = set()
        self.blobs: dict[str, Any] = {}
        """Digest → the future of a file."""
        self.count = 0
        self.misses = 0
        """Number of jobs in a row that failed for another reason than the connection."""

    def run(self, job: Job) -> JobResult:
        with self.lock:
            if not self.connected:
                self._connect()
        result = self._remotely(job) if self.client is not None else None
        if result is None:
            result = self._here().run(job)
        with self.lock:
            result.notes, self.notes = [*result.notes, *self.notes], []
        return result

    def width(self) -> int:
        """Return how many jobs to submit at a time."""
        with self.lock:
            if not self.connected:
                self._connect()
            client = self.client
        if client is None:
            return self.jobs
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        return max(self.jobs, AHEAD * int(threads))

    def close(self) -> None:
        with self.lock:
            client, self.client = self.client, None
            local, self.local = self.local, None
            self.blobs.clear()
        if client is not None:
            with suppress(Exception):  # of a connection that is broken
                client.close(timeout=2)
        if local is not None:
            local.close()

    # ---- elsewhere

    def _connect(self) -> None:
        self.connected = True
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            self._report("dask is not installed here (pip install 'hlsl_tool[distributed]')")
            return
        _silence()
        try:
            self._reach()
            self.client = distributed.Client(
                "tcp://" + self.address.removeprefix(SCHEME), timeout=PATIENCE, set_as_default=False
            )
        except (OSError, ValueError) as error:
            self._report(f"there is no connection ({str(error) or type(error).__name__})")
            return
        self._meet()

    def _reach(self) -> None:
        """Check that the scheduler accepts connections: Dask itself would retry until its timeout if nothing listens.

        Raises `OSError` if the scheduler cannot be reached, `ValueError` for an address without a port.
        """
        host, _, port = self.address.removeprefix(SCHEME).rpartition(":")
        if not port.isdecimal():
            raise ValueError("the address has no port")
        with socket.create_connection((host.strip("[]"), int(port)), REACH):
            pass

    def _meet(self) -> None:
        """Compare the toolchain of every worker with this machine's, and use only workers with the same toolchain.

        If no worker remains, close the connection to the scheduler; this machine then compiles all jobs.
        """
        ours = task.describe(("",))
        try:
            answers = self.client.run(task.describe, ("",), on_error="return")
        except Exception as error:  # noqa: BLE001  # see `_remotely`
            self._report(f"its workers do not answer ({type(error).__name__}: {error})")
            self.client.close(timeout=1)
            self.client = None
            return
        good = []
        for worker, theirs in sorted(answers.items()):
            if isinstance(theirs, BaseException):
                self._refuse(f"it has no hlsl_tool ({theirs})")
            elif reason := task.unlike(ours, theirs):
                self._refuse(reason)
            else:
                good.append(worker)
        self.good = good if len(good) < len(answers) else None
        if answers and not good:
            self._report("it has no other worker")
            self.client.close(timeout=1)
            self.client = None

    def _remotely(self, job: Job) -> JobResult | None:
        """Compile a job on a worker; return `None` if this machine has to compile it instead."""
        packed = self.packer.pack(job)
        client = self.client
        if packed is None or client is None:
            return None
        distributed: Any = importlib.import_module("distributed")
        places = tuple(place for place in self.store.places if is_address(place)) if self.store is not None else ()
        own = self.store
        store = StoreOptions(places, own.size, own.read_only, own.texts, own.is_shared) if places and own else None
        sender = task.describe((toolset(job),))
        try:
            with self.lock:
                self.count += 1
                number = self.count
                digests = sorted(packed.contents)
                for digest in digests:
                    if digest not in self.blobs:
                        self.blobs[digest] = client.submit(
                            task.blob, packed.contents[digest], key=f"hlsl-file-{digest}", retries=RETRIES
                        )
                blobs = [self.blobs[digest] for digest in digests]
            future = client.submit(
                task.compile_carried,
                job,
                packed.recording,
                store,
                sender,
                digests,
                *blobs,
                key=f"hlsl-job-{client.id}-{number}",
                retries=RETRIES,
                pure=False,
            )
            reply = self._wait(distributed, client, future)
        except distributed.KilledWorker:
            return failure(message(codes.WORKER_DIED, None, how=f"{RETRIES + 1} workers of {masked(self.address)}"))
        except ImportError as error:
            self._leave(f"a worker has no hlsl_tool ({error})")
            return None
        except (Exception, CancelledError) as error:  # noqa: BLE001  # dask's errors have no common class
            self._failed(client, error)
            return None
        self.misses = 0
        if reply.refusal:
            self._refuse(reply.refusal)
            return None
        return reply.result

    def _wait(self, distributed: Any, client: Any, future: Any) -> task.Reply:
        """Wait for the reply to a job; raise an exception if the scheduler or all usable workers are gone."""
        alone = 0
        while True:
            try:
                reply: task.Reply = future.result(timeout=1)
                return reply
            except (TimeoutError, distributed.TimeoutError):
                if client.status != "running":
                    raise ConnectionError("the connection is lost") from None
                workers = client.scheduler_info(n_workers=-1)["workers"]
                alone = 0 if any(self.good is None or worker in self.good for worker in workers) else alone + 1
                if alone > PATIENCE:
                    raise ConnectionError("it has no worker left") from None

    def _failed(self, client: Any, error: BaseException) -> None:
        """Handle a job that a worker could not do.

        Stop using the scheduler if the connection is lost or too many jobs in a row failed; else only report a warning.
        """
        reason = f"{type(error).__name__}{f': {error}' if str(error) else ''}"
        self.misses += 1
        is_lost = isinstance(error, (OSError, CancelledError, concurrent.futures.CancelledError))
        if is_lost or client.status != "running" or self.misses > MISSES:
            self._leave(f"it does not answer ({reason})")
        else:
            self.notes.append(warning(codes.REMOTE_JOB, address=masked(self.address), reason=reason))

    def _leave(self, reason: str) -> None:
        with self.lock:
            client, self.client = self.client, None
            self.blobs.clear()
        if client is not None:
            self._report(reason)
            with suppress(Exception):  # it is broken already
                client.close(timeout=1)

    def _refuse(self, reason: str) -> None:
        if reason not in self.refused:
            self.refused.add(reason)
            self.notes.append(warning(codes.REMOTE_REFUSED, address=masked(self.address), reason=reason))

    def _report(self, reason: str) -> None:
        self.notes.append(warning(codes.REMOTE_LOST, address=masked(self.address), reason=reason))

    # ---- here

    def _here(self) -> Executor:
        with self.lock:
            local = self.local = self.local or local_executor(self.root, self.jobs, self.store)
            return local
