"""Let `hlsl_tool build` and SCons use workers of the compile server.

A worker of the server has the compiler loaded, and caches from earlier builds of the same project.  The build treats it
like its own worker processes; if no server runs, or it does not answer, the build uses only those.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from socket import socket

from hlsl_tool.apps.server import client, protocol
from hlsl_tool.base.system.user_folder import touch_private
from hlsl_tool.project.build.workers.executors import Lender
from hlsl_tool.project.build.workers.processes import Worker, time_limit

IDLE = 3600.0
"""Seconds without a request after which a server that a build has started ends."""

START = 10.0
"""Seconds within which a server has to answer after its start."""

NOTE = (
    "hlsl_tool: started a compile server, so that later builds are faster; it ends after an hour without work"
    " (`hlsl_tool server stop` ends it, HLSL_TOOL_SERVER=no prevents it)\n"
)


def lender(*, is_wanted: bool = True, is_quiet: bool = False) -> Lender | None:
    """Return an object that borrows workers of the server; `None` if the environment disables the server.

    Unless ``is_quiet``, a note on standard error names the first server that is started.
    """
    return ServerLender(is_quiet=is_quiet) if is_wanted and client.mode() != "no" else None


class ServerLender:
    """Borrows workers of the server for one build, and starts the server if none runs."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self.is_quiet = is_quiet
        self.lock = threading.Lock()
        self.has_started = False
        """Whether this build has started a server."""
        self.process = 0
        """Process id of the server that this build has started; 0 if there is none, or it has ended."""
        self.deadline = 0.0
        """The time until which the server that was started may need to load the compiler."""

    def start(self) -> None:
        """Start a server in the background, unless one runs or none can run here."""
        from hlsl_tool.apps.server.lock import holder  # its locks exist where a server can run

        with self.lock:
            if self.has_started or not client.may_start() or protocol.why_impossible() or holder():
                return
            self.has_started = True
            self.process = client.start(IDLE)
            self.deadline = time.monotonic() + START
        if not self.is_quiet and is_first_note():
            sys.stderr.write(NOTE)

    def borrow(self, root: str) -> Worker | None:
        """Return a worker for a project; `None` if no server runs or all its workers are busy.

        Wait for a server that this build has started, unless it ends.
        """
        worker = borrow(root)
        while worker is None and time.monotonic() < self.deadline and self._is_running():
            time.sleep(0.01)
            worker = borrow(root)
        self.deadline = 0.0
        return worker

    def _is_running(self) -> bool:
        """Return whether the server that this build has started still runs."""
        with self.lock:
            try:
                if self.process and os.waitpid(self.process, os.WNOHANG)[0]:
                    self.process = 0
            except ChildProcessError:  # the system keeps no exit statuses (SIGCHLD is ignored)
                self.process = 0
            return self.process != 0


def is_first_note() -> bool:
    """Return whether the note about the server was not shown before in this session of the user; record that it was."""
    try:
        return touch_private(protocol.socket_path() + ".noted") == 0.0
    except OSError:
        return False


def borrow(root: str) -> Worker | None:
    """Return a worker for a project; `None` if no server runs or all its workers are busy."""
    try:
        request = client.request([protocol.BUILD], os.path.abspath(root), os.environ)
        if request is None:
            return None
        with socket(fileno=request.detach()) as connection:  # it stays open for as long as its streams are
            connection.settimeout(client.PATIENCE)
            status, process, *_ = protocol.read_answer(connection.recv)
            if status:
                return None
            connection.settimeout(time_limit())
            streams = connection.makefile("rb"), connection.makefile("wb")
    except (OSError, EOFError):
        return None
    return Worker(*streams, lambda: 0, is_borrowed=True, process=int(process or 0))
