"""`hlsl2spirv`: pass the command line to the server, or run it in this process.

The server is asked first.  If none runs, if it does not answer in time, or if it belongs to another installation or
user, the command runs in this process, with the same results.  The second call within a minute starts a server for the
calls that follow.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from hlsl_tool.apps.server import protocol
from hlsl_tool.base.system.streams import concerns_this_process, finish
from hlsl_tool.base.system.user_folder import is_private, make_private, touch_private
from hlsl_tool.cli.outputs import write_outputs

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
    is_batch = any(argument == "--batch" or argument.startswith("--batch=") for argument in arguments)
    if OFF in arguments:
        sys.argv.remove(OFF)
    elif mode() != "no" and not is_batch and not _is_dxc() and not any(map(concerns_this_process, arguments)):
        answer = ask(arguments)
        if answer is not None:
            status, out, err, files = answer
            problem = write_outputs(files, "")
            finish(max(status, 1) if problem else status, out, err + (f"hlsl2spirv: {problem}" if problem else ""))
        if may_start() and (mode() == "yes" or _was_called_lately()):
            start()
    if not is_batch:
        gc.disable()  # the process ends after one shader
    from hlsl_tool.cli.dxc import main

    main()


def _is_dxc() -> bool:
    """Return whether the program was started as `dxc`, whose words for errors the server does not have."""
    return os.path.basename(sys.argv[0]) in ("dxc", "dxc.exe")


def mode() -> str:
    """Return the value of the environment variable `protocol.VARIABLE`, such as `yes`.

    `no` if no server can be used here.
    """
    if not protocol.CAN_SERVE or protocol.IN_THE_WAY in os.environ:
        return "no"
    return os.environ.get(protocol.VARIABLE, "")


def may_start() -> bool:
    """Return whether a call or build may start a server on its own.

    Not in continuous integration (`CI=true`) unless the mode is `yes`, and not under a limit such as `ulimit -v`.
    """
    setting = mode()
    is_wanted = setting == "yes" or (setting == "" and os.environ.get("CI", "").lower() in ("", "0", "false"))
    return is_wanted and not _is_limited()


def _is_limited() -> bool:
    """Return whether the memory or time of this process is limited: a server would impose that on later callers."""
    import resource  # start-up time; only Unix has it

    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_CPU)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


def ask(arguments: Sequence[str]) -> tuple[int, str, str, dict[str, bytes]] | None:
    """Let the server run a command line; return exit status, standard output, standard error and output files.

    Return `None` if the server does not answer.
    """
    variables = [name for name in protocol.PASSED if name in os.environ]
    try:
        connection = request(arguments, os.getcwd(), variables)
        if connection is None:
            return None
        try:
            if any(argument.startswith(("-F", "-M")) for argument in arguments):
                from hlsl_tool.base.system import atomic_write  # noqa: F401  # while the server compiles
            answer = protocol.read_answer(connection.recv)
            return None if answer[0] == protocol.STALE else answer
        finally:
            connection.close()
    except (OSError, EOFError):
        return None


def request(arguments: Sequence[str], folder: str, variables: Iterable[str]) -> socket | None:
    """Send a request with the given environment variables; return the connection to the worker that accepted it.

    Return `None` if there is no server, or if the request is too long; raise `OSError` or `EOFError` if no worker
    accepts it in time.
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


def _was_called_lately() -> bool:
    """Return whether another call happened within the last minute, and record the time of this one."""
    path = protocol.socket_path() + ".called"
    try:
        return make_private(os.path.dirname(path)) and time.time() - touch_private(path) < RECENT
    except OSError:
        return False


def start(idle: float = 0.0) -> int:
    """Start the server in the background and return its process id; 0 if that is impossible.

    The process ends at once if a server is running.

    ``idle``: the number of seconds without a request after which the server ends; 0 for its default.
    """
    null = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    command = [sys.executable, "-P", "-m", "hlsl_tool.apps.server", *([f"{idle:g}"] if idle else [])]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        environment = {**os.environ, "PYTHONPATH": path}
        return os.posix_spawn(sys.executable, command, environment, file_actions=null, setpgroup=0)
    except OSError:
        return 0


if __name__ == "__main__":
    main()
