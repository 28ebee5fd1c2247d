"""Worker processes, from the side of the build.

If the system can fork, one process loads the compiler and forks a worker on demand (`forkserver`): loading the compiler
takes most of the time of a small build.  On other systems, or if that process has died, each worker is a new Python
process.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.workers.child_processes import isolated_python, package_environment
from hlsl_tool.project.build.workers.worker import receive, send

NUMBER = struct.Struct("<q")
"""Message to and from the fork server: a process number, a negative errno, or an exit status."""

PATIENCE = 5.0
"""Seconds that a worker has to end after its connection was closed."""

SLOWNESS = 60.0
"""Seconds that a fork server may need for an answer: it loads the compiler before its first."""

TIMEOUT_VARIABLE = "HLSL_TOOL_WORKER_TIMEOUT"
TIMEOUT = 600.0
"""Seconds that a worker has for one shader, unless the variable sets another limit."""


def time_limit() -> float | None:
    """Return the number of seconds that a worker may spend on one shader; `None` for no limit."""
    try:
        seconds = float(os.environ.get(TIMEOUT_VARIABLE) or TIMEOUT)
    except ValueError:
        seconds = TIMEOUT
    return seconds if 0 < seconds < threading.TIMEOUT_MAX else None


CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds") and sys.platform != "darwin"
"""macOS has fork, but its system libraries do not support it."""


class Worker:
    """The connection to one worker process."""

    def __init__(
        self,
        incoming: BinaryIO,
        outgoing: BinaryIO,
        wait: Callable[[], int],
        kill: Callable[[], None] | None = None,
        *,
        is_borrowed: bool = False,
        process: int = 0,
    ) -> None:
        """Connect to a worker by two streams; ``wait`` returns its exit status.

        ``kill`` ends the process; it is required if reads from the streams cannot time out. ``process``: the number of
        a process that this one does not control, and that may be stopped; 0 if it is not to be watched.
        """
        self.incoming = incoming
        self.outgoing = outgoing
        self.kill = kill
        self.limit = time_limit()
        self.wait = wait
        """Function that waits for the end of the process and returns its exit status, negative for a signal."""
        self.is_borrowed = is_borrowed
        """Whether it is a worker of the compile server."""
        self.process = process
        self.user = 0
        """Identifier of the thread that gave it its last job."""
        self.how = ""
        """Description of its end, once it has ended."""

    def begin(self, root: str, store: StoreOptions | None) -> None:
        """Send the first message: the project's root and the store options."""
        send(self.outgoing, (root, store))

    def run(self, job: Job) -> JobResult:
        """Let the worker compile a job and return the result.

        Raise OSError or EOFError if the process has died or was stopped, TimeoutError if it does not answer within the
        limit.
        """
        if self.kill is None or self.limit is None:
            return self._run(job)
        late = threading.Event()

        def end() -> None:
            late.set()
            assert self.kill is not None
            self.kill()

        timer = threading.Timer(self.limit, end)
        timer.daemon = True
        timer.start()
        try:
            return self._run(job)
        except (OSError, EOFError):
            if late.is_set():
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()

    def _run(self, job: Job) -> JobResult:
        send(self.outgoing, job)
        if self.process:
            from hlsl_tool.project.build.workers.stopped import wait_for_answer  # only workers of a server need it

            wait_for_answer(self.incoming, self.process, self.limit)
        result = receive(self.incoming)
        if not isinstance(result, JobResult):
            raise EOFError
        return result

    def ended(self) -> str:
        """Wait until the process ends; describe its end: `exit status 1`, or the name of a signal."""
        self.how = self.how or self._ended()
        return self.how

    def _ended(self) -> str:
        try:
            status = self.wait()
        except (OSError, EOFError):
            return "nobody knows how"
        if status >= 0:
            return f"exit status {status}"
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"

    def hang_up(self) -> None:
        """Let the process end, without waiting for that."""
        for stream in (self.outgoing, self.incoming):
            try:
                stream.close()
            except OSError:
                continue  # it is gone already

    def close(self) -> None:
        self.hang_up()
        self.ended()


def spawn(root: str) -> Worker:
    """Start a worker as a new Python process."""
    with _uninterrupted():
        process = subprocess.Popen(
            [*isolated_python(), "-m", "hlsl_tool.project.build.workers.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=package_environment(),
        )
    assert process.stdin is not None
    assert process.stdout is not None

    def wait() -> int:
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    return Worker(process.stdout, process.stdin, wait, process.kill)  # type: ignore[arg-type]  # Popen's IO[bytes]


class ForkServer:
    """The connection to the process that forks workers.  Safe for threads."""

    def __init__(self, root: str) -> None:
        self.lock = threading.Lock()
        self.control, other = socket.socketpair()
        self.control.settimeout(SLOWNESS)
        with other:
            number = other.fileno()
            try:
                with _uninterrupted():
                    self.process = subprocess.Popen(
                        [*isolated_python(), "-m", "hlsl_tool.project.build.workers.forkserver", str(number)],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        cwd=root,
                        env=package_environment(),
                        pass_fds=[number],
                    )
            except OSError:
                self.control.close()
                raise

    def worker(self) -> Worker:
        """Fork a new worker and return it; raise OSError or EOFError if the fork server has died."""
        ours, other = socket.socketpair()
        try:
            with other, self.lock:
                socket.send_fds(self.control, [NUMBER.pack(0)], [other.fileno()])
                number = self._answer()
            if number < 0:
                raise OSError(-number, os.strerror(-number))
            ours.settimeout(time_limit())
            return Worker(ours.makefile("rb"), ours.makefile("wb"), lambda: self._status(number))
        finally:
            ours.close()  # it stays open for as long as its streams are

    def _status(self, number: int) -> int:
        with self.lock:
            self.control.sendall(NUMBER.pack(number))
            return self._answer()

    def _answer(self) -> int:
        try:
            data = self.control.recv(NUMBER.size, socket.MSG_WAITALL)
        except TimeoutError:
            self.process.kill()  # a late answer would be taken for that to the next request
            raise
        if len(data) < NUMBER.size:
            raise EOFError
        return int(NUMBER.unpack(data)[0])

    def close(self) -> None:
        self.control.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Block interrupts while a process is started: one could arrive before the process ignores them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
