"""Wait for the answer of a process that may have been stopped, such as by SIGSTOP, and will not answer then."""

from __future__ import annotations

import select
import time
from typing import BinaryIO

INTERVAL = 1.0
"""Seconds between two looks at a process."""

LOOKS = 3
"""Number of looks in a row that have to find a process stopped: a debugger or a shell stops some for a moment."""


def wait_for_answer(stream: BinaryIO, process: int, limit: float | None) -> None:
    """Wait until a stream can be read.

    Raise ``EOFError`` once the process is found to be stopped, ``TimeoutError`` after ``limit`` seconds.
    """
    poll = select.poll()
    poll.register(stream.fileno(), select.POLLIN)
    deadline = time.monotonic() + limit if limit is not None else None
    stopped = 0
    while not poll.poll(INTERVAL * 1000):
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError
        stopped = stopped + 1 if _is_stopped(process) else 0
        if stopped >= LOOKS:
            raise EOFError


def _is_stopped(process: int) -> bool:
    """Return whether a process is stopped; False if the system does not show that, or the process has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as stream:
            state = stream.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state == b"T"
