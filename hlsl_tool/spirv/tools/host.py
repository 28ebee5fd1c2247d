"""Host processes, which run SPIRV-Tools as a library on behalf of this process (`host_main`).

`spirv-opt` always runs in a host, because the program of some versions writes other modules than the library.
`spirv-val` gives the same answers either way: its first runs use the program, unless there is a host already. A host
that crashes or hangs is replaced; only the module that it worked on is lost, as with a program.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Sequence
from io import FileIO
from typing import IO, Protocol

from hlsl_tool.spirv.tools import package
from hlsl_tool.spirv.tools.bound import MEMORY

WORTH = 4
"""Runs of `spirv-val` after which a host is started: about what the start costs."""


class Crash(Exception):
    """Raised if a host process ended while it worked."""

    def __init__(self, status: int, messages: str) -> None:
        super().__init__(status)
        self.status = status
        """Negative: the signal's number."""
        self.messages = messages


class Process(Protocol):
    """The subset of `subprocess.Popen` that a host needs."""

    pid: int

    @property
    def stdin(self) -> IO[bytes] | FileIO | None: ...
    @property
    def stdout(self) -> IO[bytes] | FileIO | None: ...
    @property
    def stderr(self) -> IO[bytes] | FileIO | None: ...
    @property
    def returncode(self) -> int | None: ...
    @returncode.setter
    def returncode(self, status: int) -> None: ...
    def poll(self) -> int | None: ...
    def wait(self) -> int: ...
    def kill(self) -> None: ...
    def communicate(self) -> tuple[bytes, bytes]: ...


def spawn(library: str, lifeline: int, memory: int) -> Process:
    """Start a host process as a new Python interpreter."""
    import subprocess  # start-up time

    from hlsl_tool.spirv.tools import host_main  # it imports ctypes, which a process without a host does not need

    return subprocess.Popen(
        [sys.executable, "-I", "-S", host_main.__file__, library, str(lifeline), str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[lifeline],
        start_new_session=True,  # an interrupt from the terminal is for this process
        bufsize=0,
    )


class Host:
    """A process that has loaded SPIRV-Tools and runs one request at a time."""

    def __init__(self, start: Callable[[int], Process]) -> None:
        """Start the process by ``start``, whose argument is the descriptor of the lifeline (a pipe)."""
        from hlsl_tool.spirv.tools import host_main  # as in `spawn`

        self._protocol = host_main
        reads, self._lifeline = os.pipe()
        try:
            self._process = start(reads)
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(reads)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def run(self, arguments: Sequence[str], data: bytes, timeout: float) -> tuple[int, bytes, str] | None:
        """Run a command line; return (exit status, output, messages), or `None` if an argument needs the program.

        Raises `Crash`, or `TimeoutError` after `timeout` seconds.
        """
        words = "\0".join(arguments).encode()
        deadline = time.monotonic() + timeout
        assert self._process.stdin is not None
        request = memoryview(self._protocol.REQUEST.pack(len(words), len(data)) + words + data)
        try:
            while request:
                request = request[os.write(self._process.stdin.fileno(), request) :]
        except BrokenPipeError:
            raise self._crash() from None
        header = self._read(self._protocol.ANSWER.size, deadline, timeout)
        status, size, length = self._protocol.ANSWER.unpack(header)
        output = self._read(size, deadline, timeout)
        messages = self._read(length, deadline, timeout).decode("utf-8", "replace")
        return (status, output, messages) if status != self._protocol.NOT_UNDERSTOOD else None

    def _read(self, size: int, deadline: float, timeout: float) -> bytes:
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        data = bytearray()
        while len(data) < size:
            if not select.select([number], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"no answer within {timeout:g} s")
            part = os.read(number, size - len(data))
            if not part:
                raise self._crash()
            data += part
        return bytes(data)

    def _crash(self) -> Crash:
        _, messages = self._process.communicate()
        return Crash(self._process.wait(), messages.decode("utf-8", "replace"))

    def disown(self) -> None:
        """Close the pipes to the process, after a fork in which the process belongs to the parent."""
        with contextlib.suppress(OSError):
            os.close(self._lifeline)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._process.returncode = 0  # or `subprocess` warns that it still runs

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            os.close(self._lifeline)
        self._process.kill()
        self._process.communicate()


def start(library: str, memory: int) -> Host:
    """Start a host: by fork if this process has only one thread, else as a new Python interpreter.

    Raises OSError if no process can be started.
    """
    from hlsl_tool.spirv.tools import forked_host  # as in `spawn`

    forked = _forked(memory) if forked_host.is_alone() else None
    return forked or Host(functools.partial(spawn, library, memory=memory))


def _forked(memory: int) -> Host | None:
    """Fork a host; return `None` if the library is missing or damaged. Raises OSError if no process can be started."""
    from hlsl_tool.spirv.tools import forked_host  # as in `spawn`

    library = forked_host.load()
    return None if library is None else Host(lambda lifeline: forked_host.ForkedProcess(library, lifeline, memory))


class Hosts:
    """The hosts of this process: as many as threads run SPIRV-Tools at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(os.cpu_count() or 1)
        """Acquired while a host runs, so that there are not more hosts than processors."""
        self._free: list[Host] = []
        self._runs = 0
        self._is_broken = False

    def run(self, arguments: Sequence[str], data: bytes, timeout: float, memory: int) -> tuple[int, bytes, str] | None:
        """Run the command line of a packaged program in a host; return `None` if the program must be run instead.

        Raises `Crash`, or `TimeoutError` after `timeout` seconds.
        """
        with self._slots:
            while (host := self._take(arguments[0], memory)) is not None:
                try:
                    result = host.run(arguments, data, timeout)
                except Crash as crash:
                    host.close()
                    if crash.status < 0:
                        raise
                    self._is_broken = crash.status > 0  # the library cannot be loaded; 0: the host had grown
                except BaseException:
                    host.close()
                    raise
                else:
                    self.adopt(host)
                    return result
        return None

    def _take(self, name: str, memory: int) -> Host | None:
        with self._lock:
            self._runs += 1
            if self._is_broken or (name == "spirv-val" and self._runs <= WORTH and not self._free):
                return None
            while self._free:
                host = self._free.pop()
                if host.is_alive():
                    return host
                host.close()
            library = package.shared_library()
            if library is None:
                self._is_broken = True
                return None
            try:
                return start(library, memory)
            except OSError:  # no memory, no processes left, or no Python of its own
                self._is_broken = True
                return None

    def adopt(self, new: Host) -> None:
        """Add an idle host."""
        with self._lock:
            self._free.append(new)

    def disown(self) -> None:
        """Close the pipes to all hosts, after a fork in which they belong to the parent."""
        for host in self._free:
            host.disown()

    def close(self) -> None:
        """End all idle hosts."""
        with self._lock:
            hosts, self._free = self._free, []
        for host in hosts:
            host.close()


_hosts = Hosts()


def run(arguments: Sequence[str], data: bytes, timeout: float, memory: int) -> tuple[int, bytes, str] | None:
    """Run `arguments[0]` (`spirv-opt` or `spirv-val`) in a host of this process; see `Hosts.run`."""
    return _hosts.run(arguments, data, timeout, memory)


def adopt(new: Host) -> None:
    """Add an idle host to this process, so that its first runs need no programs."""
    _hosts.adopt(new)


def fork() -> None:
    """Fork a host for this process; cheap if the parent process has loaded the library (`forked_host.load`)."""
    with contextlib.suppress(OSError):  # no memory, no processes left: hosts start when they are needed
        new = _forked(MEMORY)
        if new is not None:
            adopt(new)


def close() -> None:
    """End the idle hosts of this process; later runs start new ones."""
    _hosts.close()


def _forget() -> None:
    """Drop the hosts in a forked child: they belong to the parent."""
    global _hosts
    _hosts.disown()
    _hosts = Hosts()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
