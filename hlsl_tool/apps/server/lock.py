"""The lock of a server: only one runs for each installation and user, and the lock file contains its process id."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time

from hlsl_tool.apps.server import protocol
from hlsl_tool.base.system.user_folder import open_private

PROBE = 0.1
"""Seconds for which another process may have the lock only to see whether a server runs (`holder`)."""


def _open() -> int:
    return open_private(protocol.socket_path() + ".lock")


_held = -1
"""The descriptor that keeps the lock."""


def take() -> bool:
    """Take the lock until this process ends, and write its process id; return False if another process has the lock."""
    global _held
    descriptor = _open()
    deadline = time.monotonic() + PROBE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                return False
            time.sleep(0.01)
    os.ftruncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    _held = descriptor
    return True


def drop() -> None:
    """In a forked process, close the inherited lock, which would otherwise outlive the parent."""
    if _held >= 0:
        os.close(_held)


def holder() -> int:
    """Return the id of the process that has the lock; 0 if there is none."""
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
