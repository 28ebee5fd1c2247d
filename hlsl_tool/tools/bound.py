"""Running a program that must not outlive us, not even when we are killed.

An optimiser that is given a loop to unroll a hundred million times runs for hours, and nobody is left to end it.  What
ends at once, as nearly everything does, costs nothing more; beside what runs longer a watchman is set, who reads a pipe
that only we hold: when it ends without a word, we are gone, and so is the program.  That works alike on every system.
Where limits can be set for a running process (Linux) its time on the CPU and its memory are bound from the beginning,
too.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence

GRACE = 0.5
"""Seconds before the watchman comes."""

MEMORY = 2 << 30
"""Bytes of address space; the heaviest shader measured takes a tenth of them."""

_WATCHMAN = "import os, sys; sys.stdin.readline() or os.kill(int(sys.argv[1]), 9)"


def run_bound(
    command: Sequence[str], data: bytes, timeout: float, memory: int = MEMORY
) -> subprocess.CompletedProcess[bytes]:
    """`subprocess.run` with ``data`` on standard input; the program dies with us.

    ``memory``: bytes of address space that the program may use, where the system can limit them.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        try:
            _limit(program.pid, timeout, memory)
            output, errors = _communicate(program, data, timeout)
        except BaseException:  # the time limit, an interrupt
            program.kill()
            raise
    return subprocess.CompletedProcess(command, program.returncode, output, errors)


def _communicate(program: subprocess.Popen[bytes], data: bytes, timeout: float) -> tuple[bytes, bytes]:
    try:
        return program.communicate(data, timeout=min(GRACE, timeout))
    except subprocess.TimeoutExpired:
        if timeout <= GRACE:
            raise
    with _watchman(program.pid):
        return program.communicate(timeout=timeout - GRACE)  # goes on where the first call stopped


@contextlib.contextmanager
def _watchman(pid: int) -> Iterator[None]:
    command = [sys.executable, "-I", "-S", "-c", _WATCHMAN, str(pid)]
    # In a session of its own: an interrupt from the terminal must not take it first.
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as watchman:
        try:
            yield
        finally:
            if watchman.stdin is not None:
                with contextlib.suppress(OSError):
                    watchman.stdin.write(b"done\n")
                    watchman.stdin.close()


def _limit(pid: int, timeout: float, memory: int) -> None:
    if sys.platform == "linux":
        import resource

        seconds = int(timeout) + 1
        with contextlib.suppress(OSError):  # it has ended, or a sandbox forbids it
            resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
        ours = resource.getrlimit(resource.RLIMIT_AS)[1]
        if ours != resource.RLIM_INFINITY:
            memory = min(memory, ours)  # a limit of the whole build stays
        with contextlib.suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
