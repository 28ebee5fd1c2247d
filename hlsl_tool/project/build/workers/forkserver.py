"""The process that forks workers: `python -m hlsl_tool.project.build.workers.forkserver DESCRIPTOR`.

It loads the compiler, then serves requests over the socket whose descriptor it was given (see `processes`): fork a
worker for the connection in the request, or return the exit status of a worker.  It has only one thread, so that it may
fork, and ends when the build does.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import socket
import sys
import time

from hlsl_tool.compiler.loading import load_all
from hlsl_tool.project.build.workers.processes import NUMBER, PATIENCE
from hlsl_tool.project.build.workers.worker import work
from hlsl_tool.spirv.tools import forked_host, host


def serve(control: socket.socket) -> None:
    """Answer requests until the build closes the socket."""
    while True:
        try:
            data, connections, _, _ = socket.recv_fds(control, NUMBER.size, 1)
        except ConnectionResetError:
            return
        if len(data) < NUMBER.size:
            return
        (number,) = NUMBER.unpack(data)
        if connections:
            answer = _fork(control, connections[0])
        elif number > 0:
            answer = _status(number)
        else:
            answer = -errno.EMFILE  # there was no room for the connection
        try:
            control.sendall(NUMBER.pack(answer))
        except OSError:
            return


def _fork(control: socket.socket, connection: int) -> int:
    try:
        number = os.fork()
    except OSError as error:  # too many processes, too little memory
        os.close(connection)
        return -(error.errno or errno.EAGAIN)
    if number:
        os.close(connection)
        return number
    control.close()
    status = 1
    try:
        host.fork()
        with socket.socket(fileno=connection) as stream:
            work(stream.makefile("rb"), stream.makefile("wb"))
        host.close()  # orphans would stay as zombies in a container whose first process reaps none
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _status(number: int) -> int:
    """Return the exit status of a worker whose connection was closed; kill the worker after `PATIENCE` seconds."""
    until = time.monotonic() + PATIENCE
    while True:
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def main() -> None:
    """Run the server on the socket whose descriptor is the command-line argument."""
    # An interrupt from the terminal reaches the whole group; the build handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, the system keeps no exit statuses
    gc.disable()  # modules are no garbage; workers collect by a rule of their own (`base.system.collection`)
    load_all()
    forked_host.load()
    gc.freeze()  # collections must not touch the pages that workers share
    with socket.socket(fileno=int(sys.argv[1])) as control:
        serve(control)
    sys.stderr.flush()
    os._exit(0)  # Python would free all modules first, which takes a fifth of the time to load them


if __name__ == "__main__":
    main()
