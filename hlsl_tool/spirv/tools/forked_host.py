"""A host process for SPIRV-Tools (`host`) created by fork, which costs a tenth of starting Python.

Only processes with a single thread fork hosts: the workers of a build and of the compile server, and the command line.
The process that forks workers loads the library first, so that their hosts neither read nor relocate it.
"""

from __future__ import annotations

import functools
import os
import signal
from io import FileIO
from typing import NoReturn

from hlsl_tool.spirv.tools import host_main, package

_LIFELINE = 3
"""The descriptor of the lifeline in a host; its standard streams come before."""


class ForkedProcess:
    """A forked child process with pipes: the subset of `subprocess.Popen` that `host.Host` uses."""

    def __init__(self, library: host_main.Library, lifeline: int, memory: int) -> None:
        theirs, self.stdin = _pipe("wb")
        output, self.stdout = _pipe("rb")
        errors, self.stderr = _pipe("rb")
        self.returncode: int | None = None
        try:
            self.pid = os.fork()
            if not self.pid:
                _serve(library, (theirs, output, errors, lifeline), memory)
        finally:
            for descriptor in (theirs, output, errors):
                os.close(descriptor)

    def poll(self) -> int | None:
        """Return the exit status like `subprocess.Popen.poll`; `None` while the process runs."""
        return self._status(os.WNOHANG)

    def wait(self) -> int:
        """Wait for the end of the process and return its exit status."""
        status = self._status(0)
        assert status is not None
        return status

    def _status(self, options: int) -> int | None:
        if self.returncode is None:
            try:
                ended, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # the parent reaps all children by itself
                ended, status = self.pid, 0
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def kill(self) -> None:
        """End the process by SIGKILL if it is running."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def communicate(self) -> tuple[bytes, bytes]:
        """Read the remaining data of both outputs, close the pipes and wait for the process to end."""
        self.stdin.close()
        left = [b"" if stream.closed else stream.read() for stream in (self.stdout, self.stderr)]
        self.stdout.close()
        self.stderr.close()
        self.wait()
        return left[0], left[1]


def _pipe(mode: str) -> tuple[int, FileIO]:
    """Return (child's end, parent's end) of a pipe; the parent writes to it (`wb`) or reads from it (`rb`)."""
    reads, writes = os.pipe()
    theirs, ours = (reads, writes) if mode == "wb" else (writes, reads)
    return theirs, FileIO(ours, mode)


def _serve(library: host_main.Library, descriptors: tuple[int, ...], memory: int) -> NoReturn:
    """Run a host in the forked process; does not return.

    ``descriptors`` are the files for standard input, output and errors, and the pipe that only the parent has open.
    They get the numbers from 0 on, and all other files are closed. ``memory`` is the limit in bytes.
    """
    try:
        os.setsid()  # an interrupt from the terminal is for the parent
        copies = list(map(os.dup, descriptors))  # ascending, so none is overwritten before its turn
        for number, descriptor in enumerate(copies):
            os.dup2(descriptor, number)
        os.closerange(_LIFELINE + 1, os.sysconf("SC_OPEN_MAX"))
        host_main.serve(library, _LIFELINE, memory + _mapped())
    finally:
        os._exit(1)


def _mapped() -> int:
    """Return the inherited address space in bytes, which a host's memory limit must not count."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # macOS, or no /proc
        return 0


def is_alone() -> bool:
    """Return whether this process has a single thread, so that a fork inherits no lock of another thread."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:  # macOS, or no /proc
        return False


def load() -> host_main.Library | None:
    """Load the library for hosts forked by this process or its children; `None` if the package has no library."""
    path = package.shared_library()
    return None if path is None else _loaded(path)


@functools.cache
def _loaded(path: str) -> host_main.Library | None:
    try:
        return host_main.Library(path)
    except (OSError, AttributeError):  # damaged: the first host that is started finds it, too
        return None
