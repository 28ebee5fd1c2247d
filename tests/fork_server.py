"""Run Python programs as forks of a process that has loaded SCons and hlsl_tool.

Most of the time of `python -m SCons` on a project of three shaders is the import of SCons, so build tests start no new
interpreter: a server forks itself for each run.  The fork gets the arguments, folder, environment and streams of the
run, and ends like an interpreter.

After a run the server imports the modules of SCons, hlsl_tool and the standard library that the run imported.  Imports
have no effect on results, so a run does not depend on earlier runs.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import io
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

READ_BY_THE_INTERPRETER = ("LANG", "LC_", "LD_", "PYTHON")
"""Beginnings of the variables that Python reads when it starts: a server serves one value of them."""

NAMES = 1 << 20
"""Bytes of the names of modules that a run reports at most."""


# ---- the tests


def run(
    arguments: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Return the same result as `subprocess.run([sys.executable, *arguments], …)` with captured text and empty input.

    Raises `subprocess.TimeoutExpired` after `timeout` seconds.
    """
    startup = tuple(sorted(item for item in env.items() if item[0].startswith(READ_BY_THE_INTERPRETER)))
    is_served = arguments[0] in ("-c", "-m") or not arguments[0].startswith("-")
    if sys.platform == "win32" or not is_served or "PYTHONHASHSEED" in env:
        return run_fresh(arguments, cwd=cwd, env=env, timeout=timeout)
    return _server(startup).run(arguments, cwd, env, timeout)


def run_fresh(
    arguments: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a program like `run`, but in a new interpreter."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=env,
        timeout=timeout,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@functools.cache
def _server(startup: tuple[tuple[str, str], ...]) -> Server:
    return Server(dict(startup))


class Server:
    """A process that runs programs as forks of itself, one at a time."""

    def __init__(self, startup: Mapping[str, str]) -> None:
        self.channel, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), str(other.fileno())],
                env={"PATH": os.environ["PATH"], **startup},
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # the streams of runs are pipes, and Python prepares for that when it starts
                stderr=subprocess.PIPE,
            )
        atexit.register(self.close)

    def close(self) -> None:
        self.channel.close()
        self.process.communicate()

    def run(
        self, arguments: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        deadline = time.monotonic() + timeout
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        try:
            _send(self.channel, {"arguments": list(arguments), "cwd": cwd, "env": dict(env)}, [out_end, err_end])
            pid = _receive(self.channel)[0]["pid"]
        except (OSError, EOFError):
            raise RuntimeError(f"the fork server ended: {self.process.communicate()[1].decode()}") from None
        finally:
            os.close(out_end)
            os.close(err_end)
        try:
            output = _read_all([out, err], deadline)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            _receive(self.channel)
            raise subprocess.TimeoutExpired([sys.executable, *arguments], timeout) from None
        finally:
            os.close(out)
            os.close(err)
        status = _receive(self.channel)[0]["status"]
        return subprocess.CompletedProcess([sys.executable, *arguments], status, *map(_text, output))


def _read_all(descriptors: Sequence[int], deadline: float) -> list[bytes]:
    """Read some pipes until they are closed.  Raises `TimeoutError` at the deadline."""
    parts: dict[int, list[bytes]] = {descriptor: [] for descriptor in descriptors}
    with selectors.DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                parts[key.fd].append(data)
                if not data:
                    selector.unregister(key.fd)
    return [b"".join(found) for found in parts.values()]


def _text(data: bytes) -> str:
    return io.TextIOWrapper(io.BytesIO(data)).read()


# ---- messages: a length, then JSON; descriptors travel with the length


def _send(channel: socket.socket, message: object, descriptors: Sequence[int] = ()) -> None:
    data = json.dumps(message).encode()
    socket.send_fds(channel, [len(data).to_bytes(8, "little")], descriptors)
    channel.sendall(data)


def _receive(channel: socket.socket) -> tuple[dict, list[int]]:
    """Return the next message and its descriptors.  Raises `EOFError` if the other side has closed the channel."""
    length, descriptors, _, _ = socket.recv_fds(channel, 8, 2)
    if not length:
        raise EOFError
    data = bytearray()
    size = int.from_bytes(length, "little")
    while len(data) < size:
        part = channel.recv(size - len(data))  # the next message may be there already
        if not part:
            raise EOFError
        data += part
    return json.loads(data), descriptors


# ---- the server


def serve(channel: socket.socket) -> None:
    """Fork for each request until the tests close the channel; also return in each fork, after it ran its program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to all processes of a terminal, for the tests
    while True:
        try:
            request, descriptors = _receive(channel)
        except EOFError:
            return
        names, names_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            channel.close()
            os.close(names)
            atexit.register(_report_modules, names_end)
            _become(request, descriptors)
            return
        for descriptor in (*descriptors, names_end):
            os.close(descriptor)
        _send(channel, {"pid": pid})
        _, status = os.waitpid(pid, 0)
        _send(channel, {"status": os.waitstatus_to_exitcode(status)})
        _import_like(names)


def _report_modules(descriptor: int) -> None:
    """Write the names of the modules that were imported from files.

    A program that is killed, or that replaces its process, writes none.
    """
    specifications = [getattr(module, "__spec__", None) for module in list(sys.modules.values())]
    os.set_blocking(descriptor, False)
    os.write(descriptor, "\n".join(each.name for each in specifications if each and each.origin).encode())


def _import_like(descriptor: int) -> None:
    os.set_blocking(descriptor, False)
    try:
        names = os.read(descriptor, NAMES).decode().split("\n")
    except BlockingIOError:  # a process that the program started holds the other end
        names = []
    os.close(descriptor)
    for name in names:
        package = name.partition(".")[0]
        is_wanted = package in ("SCons", "hlsl_tool") or package in sys.stdlib_module_names
        if is_wanted and "__main__" not in name:
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # collections in forks leave these objects alone, and their pages shared


def _become(request: dict, descriptors: Sequence[int]) -> None:
    """Run a program in this process as a new interpreter would."""
    for descriptor, stream in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    what, *arguments = request["arguments"]
    if what == "-m":
        module, *rest = arguments
        sys.argv = [module, *rest]
        sys.path[0] = os.getcwd()
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif what == "-c":
        code, *rest = arguments
        sys.argv = ["-c", *rest]
        sys.path[0] = ""
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    else:
        sys.argv = [what, *arguments]
        sys.path[0] = os.path.dirname(what)
        runpy.run_path(what, run_name="__main__")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
