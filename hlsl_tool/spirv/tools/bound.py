"""Run a program with limits of time and memory, and end it if this process is killed.

An optimiser that unrolls a loop a hundred million times runs for hours, even after its parent was killed. A program
that runs longer than `GRACE` therefore gets a watchdog: a process that reads a pipe whose other end only this process
has open, and kills the program when the pipe closes. On Linux, limits of CPU time and address space apply from the
start.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

GRACE = 0.5
"""Seconds that a program runs before it gets a watchman: starting one costs more than most programs."""

MEMORY = 2 << 30
"""Limit on the address space in bytes; the heaviest shader measured needs a tenth of it."""

_WATCHMAN = "import os, sys; sys.stdin.readline() or os.kill(int(sys.argv[1]), 9)"


def run_bound(
    command: Sequence[str], data: bytes, timeout: float, memory: int = MEMORY
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with ``data`` on its standard input, and return the result as `subprocess.run` does.

    ``timeout`` is in seconds, ``memory`` in bytes of address space (Linux only). Raises `TimeoutError` or another
    `OSError`.
    """
    import subprocess  # start-up time: the library needs no programs

    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        try:
            _limit(program.pid, timeout, memory)
            output, errors = _communicate(program, data, timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            raise TimeoutError(f"no end within {timeout:g} s") from None
        except BaseException:  # an interrupt
            program.kill()
            raise
    return subprocess.CompletedProcess(command, program.returncode, output, errors)


def _communicate(program: subprocess.Popen[bytes], data: bytes, timeout: float) -> tuple[bytes, bytes]:
    import subprocess  # start-up time

    try:
        return program.communicate(data, timeout=min(GRACE, timeout))
    except subprocess.TimeoutExpired:
        if timeout <= GRACE:
            raise
    with _watchman(program.pid):
        return program.communicate(timeout=timeout - GRACE)  # continues the first call


@contextlib.contextmanager
def _watchman(pid: int) -> Iterator[None]:
    import subprocess  # start-up time

    command = [sys.executable, "-I", "-S", "-c", _WATCHMAN, str(pid)]
    try:
        # A session of its own: an interrupt from the terminal must not end the watchman before the program.
        process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    except OSError:  # no processes left, or no Python of its own: the program is right without a watchman, too
        yield
        return
    with process as watchman:
        try:
            yield
        finally:
            if watchman.stdin is not None:
                with contextlib.suppress(OSError):
                    watchman.stdin.write(b"done\n")
                    watchman.stdin.close()


def _limit(pid: int, timeout: float, memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    if sys.platform == "linux":
        seconds = int(timeout) + 1
        with contextlib.suppress(OSError):  # the program has ended, or a sandbox forbids it
            resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
        ours = resource.getrlimit(resource.RLIMIT_AS)[1]
        if ours != resource.RLIM_INFINITY:
            memory = min(memory, ours)  # a stricter limit of the whole build holds
        with contextlib.suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
