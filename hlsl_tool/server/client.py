"""`hlsl2spirv`: hand the command line to the server, or run it here.

The server is asked first. Where there is none, where it does not answer in time, or where it belongs to another
installation or user, the command runs in this process, with the same results. The second call within a minute starts a
server for the calls that follow.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from hlsl_tool.server import protocol
from hlsl_tool.system.user_folder import is_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable, Sequence

PATIENCE = 1.0
"""Seconds to wait until a worker of the server takes the request."""

LONGEST = 600.0
"""Seconds to wait for the answer: more than all limits of time inside a compilation."""

RECENT = 60.0
"""Seconds after which an earlier call does not count any more."""

OFF = "--no-server"


def main() -> None:
    """Run the command line of the process, and exit."""
    arguments = sys.argv[1:]
    if OFF in arguments:
        sys.argv.remove(OFF)
    elif mode() != "no":
        answer = ask(arguments)
        if answer is not None:
            _finish(*answer)
        if mode() == "yes" or _was_called_lately():
            start()
    if "--batch" not in arguments:
        gc.disable()  # the process ends after one shader
    from hlsl_tool.cli.dxc import main

    main()


def mode() -> str:
    """Return the value of `protocol.VARIABLE`, such as `yes`; `no` also where a server cannot be used."""
    if not protocol.CAN_SERVE or protocol.IN_THE_WAY in os.environ:
        return "no"
    return os.environ.get(protocol.VARIABLE, "")


def ask(arguments: Sequence[str]) -> tuple[int, bytes, bytes] | None:
    """Return the exit status, standard output and standard error from the server; `None` if it has no answer."""
    variables = [name for name in protocol.PASSED if name in os.environ]
    try:
        connection = request(arguments, os.getcwd(), variables)
        if connection is None:
            return None
        try:
            header = protocol.receive(connection.recv, 3 * protocol.SIZE)
            status, out, err = (int.from_bytes(header[i : i + 8], "little") for i in range(0, len(header), 8))
            if status == protocol.STALE:
                return None
            return status, protocol.receive(connection.recv, out), protocol.receive(connection.recv, err)
        finally:
            connection.close()
    except (OSError, EOFError):
        return None


def request(arguments: Sequence[str], folder: str, variables: Iterable[str]) -> socket | None:
    """Send a request with these variables of the environment; return the connection to the worker that has taken it.

    Return `None` if there is no server, or if the request is too long; raise `OSError` or `EOFError` if the server does
    not take it in time.
    """
    if not protocol.CAN_SERVE:
        return None
    path = protocol.socket_path()
    if not is_private(path):
        return None
    fields = [protocol.identity(), folder, str(_umask()), *(f"{name}={os.environ[name]}" for name in variables)]
    head, tail = protocol.packed(fields), protocol.packed(arguments)
    if len(head) + len(tail) > protocol.MAX_REQUEST or any("\0" in argument for argument in arguments):
        return None
    import _socket  # `socket` takes as long to import as Python to start

    connection = _socket.socket(_socket.AF_UNIX)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
        connection.sendall(protocol.number(len(head)) + protocol.number(len(tail)) + head + tail)
        protocol.receive(connection.recv, len(protocol.TAKEN))
        connection.settimeout(LONGEST)
    except BaseException:
        connection.close()
        raise
    return connection


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _finish(status: int, out: bytes, err: bytes) -> None:
    """Write both streams and exit, without the time that Python takes to end."""
    try:
        _write(1, out)
    except BrokenPipeError:  # the reader closed the pipe (`| head`)
        pass
    except OSError as error:
        err += f"error: cannot write to the standard output: {error.strerror}\n".encode()
        status = status or 1
    try:
        _write(2, err)
    finally:
        os._exit(status)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _was_called_lately() -> bool:
    """Return whether another call was made within the last minute, and record this one."""
    path = protocol.socket_path() + ".called"
    now = time.time()
    try:
        before = os.stat(path).st_mtime
        os.utime(path)
    except FileNotFoundError:
        before = 0.0
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError:
            return False
    except OSError:
        return False
    return now - before < RECENT


def start(idle: float = 0.0) -> None:
    """Start the server in the background; do nothing if it cannot be started or runs already.

    ``idle``: seconds without a request after which the server ends; 0 is its default.
    """
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    command = [sys.executable, "-P", "-m", "hlsl_tool.server", *([f"{idle:g}"] if idle else [])]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        os.posix_spawn(sys.executable, command, {**os.environ, "PYTHONPATH": path}, file_actions=null, setpgroup=0)
    except OSError:
        return


if __name__ == "__main__":
    main()
