"""The process that forks workers: `python -m hlsl_tool.build.workers.forkserver DESCRIPTOR`.

It loads the compiler, and then does what a build asks of it over the socket that it was started with (`workers`): to
fork a worker for the connection that comes along, or to say how one has ended.  It has one thread, so that it may fork,
and ends when the build does.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import socket
import sys
import time

import hlsl_tool.compiler.compile  # noqa: F401  (what workers need)
from hlsl_tool.build.workers.processes import NUMBER, PATIENCE
from hlsl_tool.build.workers.worker import work


def serve(control: socket.socket) -> None:
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
        with socket.socket(fileno=connection) as found:
            work(found.makefile("rb"), found.makefile("wb"))
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _status(number: int) -> int:
    """Of a worker to which nobody talks any more."""
    until = time.monotonic() + PATIENCE
    while True:
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def main() -> None:
    # An interrupt from the terminal reaches the whole group; the build decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # so that collections leave the pages alone that workers share
    with socket.socket(fileno=int(sys.argv[1])) as control:
        serve(control)


if __name__ == "__main__":
    main()
