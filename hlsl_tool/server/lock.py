"""The lock of a server: one runs for each installation and user, and its process id is known."""

from __future__ import annotations

import contextlib
import fcntl
import os

from hlsl_tool.server import protocol


def _open() -> int:
    return os.open(protocol.socket_path() + ".lock", os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600)


_held = -1
"""The descriptor that keeps the lock."""


def take() -> bool:
    """Take the lock for the life of this process and write its id; return false if another process has it."""
    global _held
    descriptor = _open()
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return False
    os.ftruncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    _held = descriptor
    return True


def drop() -> None:
    """Close the lock of the parent in a forked process: it would hold on after the parent has ended."""
    if _held >= 0:
        os.close(_held)


def holder() -> int:
    """Return the id of the process that has the lock; 0 if none has."""
    try:
        descriptor = _open()
    except OSError:
        return 0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        with contextlib.suppress(ValueError):
            return int(os.read(descriptor, 32))
    finally:
        os.close(descriptor)  # and the lock with it
    return 0
