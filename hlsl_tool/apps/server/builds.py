"""Let `hlsl_tool build` and SCons use workers of the compile server.

A worker of the server has the compiler loaded, and caches from earlier builds of the same project.  The build treats it
like its own worker processes; if no server runs, or it does not answer, the build uses only those.
"""

from __future__ import annotations

import os
import time
from socket import socket

from hlsl_tool.apps.server import client, protocol
from hlsl_tool.project.build.workers.executors import Lender
from hlsl_tool.project.build.workers.processes import Worker, time_limit

IDLE = 8 * 3600.0
"""Seconds after which a server that a build has started ends: those of a working day."""

START = 10.0
"""Seconds within which a server has to answer after its start."""


def lender(*, is_wanted: bool = True) -> Lender | None:
    """Return a function that borrows workers of the server; `None` if the environment disables the server.

    If the environment requires a server and none runs, the first call of the function starts one.
    """
    mode = client.mode()
    if not is_wanted or mode == "no":
        return None
    return _borrow_or_start if mode == "yes" else borrow


def borrow(root: str) -> Worker | None:
    """Return a worker for a project; `None` if no server runs or all its workers are busy."""
    try:
        request = client.request([protocol.BUILD], os.path.abspath(root), os.environ)
        if request is None:
            return None
        with socket(fileno=request.detach()) as connection:  # it stays open for as long as its streams are
            connection.settimeout(client.PATIENCE)
            if protocol.read_answer(connection.recv)[0]:
                return None
            connection.settimeout(time_limit())
            streams = connection.makefile("rb"), connection.makefile("wb")
    except (OSError, EOFError):
        return None
    return Worker(*streams, lambda: 0, is_borrowed=True)


def _borrow_or_start(root: str) -> Worker | None:
    from hlsl_tool.apps.server.lock import holder  # its locks exist where a server can run

    worker = borrow(root)
    if worker is not None or protocol.why_impossible() or holder():
        return worker
    client.start(IDLE)
    deadline = time.monotonic() + START
    while worker is None and time.monotonic() < deadline:
        time.sleep(0.02)
        worker = borrow(root)
    return worker
