"""The server: a process that has loaded the compiler, and workers forked from it that accept connections.

`python -m hlsl_tool.apps.server` listens at `protocol.socket_path()` until no request has come for some time, until a
source file of the compiler changes, or until `hlsl_tool server stop`.  It forks another worker when all are busy, up to
the number of processors.  Each worker has compiler caches (`Memory`) for each folder in which clients run.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

from hlsl_tool.apps.server import lock, protocol
from hlsl_tool.base.system.collection import RareCollection
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.base.system.user_folder import bind_private, remove_private
from hlsl_tool.cli.dxc import INTERNAL, execute_safely
from hlsl_tool.compiler.loading import load_all, warm_up
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.build.currency.toolchain import compiler_fingerprint
from hlsl_tool.project.build.workers import worker as build_worker
from hlsl_tool.spirv.tools import forked_host, host
from hlsl_tool.spirv.tools.locate import locate
from hlsl_tool.spirv.tools.package import shared_library

IDLE = 600.0
"""Seconds without a request after which the server ends, unless its command line has another time."""


def memory_limit() -> int:
    """Return the bytes that a worker may use: its share of a quarter of the machine's memory, 256 MiB to 1 GiB."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 1 << 30
    return min(1 << 30, max(1 << 28, whole // 4 // (os.cpu_count() or 1)))


MEMORY = memory_limit()
"""Bytes of resident memory above which a worker is replaced after its answer."""

QUIET = 0.1
"""Seconds without a request after which a worker uses the time to collect garbage."""

FOLDERS = 4
"""Folders of clients whose memory a worker keeps, the most recently used ones."""

_BUSY, _FREE, _STOP, _GONE = b"B", b"F", b"S", b"G"
_EVENT = struct.Struct("<cI")
"""Message of a worker to its parent: an event, and its process id."""

Signature = dict[str, tuple[int, int]]


def sources() -> Signature:
    """Return path → modification time and size, for each file of the package and for SPIRV-Tools in other packages."""
    root = Path(protocol.__file__).parents[2]
    paths = (
        os.path.join(folder, name)
        for folder, _, names in os.walk(root)
        if not folder.endswith("__pycache__")
        for name in names
    )
    tools = [locate("spirv-opt"), locate("spirv-val"), shared_library()]
    return {path: _stamp(path) for path in (*paths, *filter(None, tools))}


def have_changed(loaded: Signature) -> bool:
    """Return whether a file of the package was edited, replaced or deleted since it was loaded.

    New files are irrelevant: all modules are loaded.
    """
    return any(_stamp(path) != stamp for path, stamp in loaded.items())


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


class Worker:
    """A worker process: accepts connections and answers their requests, one after the other."""

    def __init__(self, listener: socket.socket, events: int, loaded: Signature, since: float) -> None:
        self.listener = listener
        self.events = events
        self.loaded = loaded
        self.since = since
        self.requests = 0
        self.memories: OrderedDict[str, Memory] = OrderedDict()
        self.collection = RareCollection()

    def serve(self) -> None:
        """Answer requests until the memory limit is reached or the sources have changed."""
        while True:
            if not select.select([self.listener], [], [], QUIET)[0]:
                self.collection.step()  # not before: a client would wait for the whole collection
            connection, _ = self.listener.accept()
            self._tell(_BUSY)
            with connection, contextlib.suppress(OSError, EOFError, ValueError):
                connection.settimeout(10.0)
                if not self._answer(connection):
                    self._tell(_STOP)
                    return
            if _resident() > MEMORY:
                self._tell(_GONE)
                return
            self._tell(_FREE)

    def _tell(self, event: bytes) -> None:
        os.write(self.events, _EVENT.pack(event, os.getpid()))

    def _answer(self, connection: socket.socket) -> bool:
        """Answer one request; return whether the worker continues."""
        if not _is_own(connection):
            return True
        sizes = protocol.receive(connection.recv, 2 * protocol.SIZE)
        head, tail = int.from_bytes(sizes[:8], "little"), int.from_bytes(sizes[8:], "little")
        if head + tail > protocol.MAX_REQUEST:
            return True
        identity, cwd, umask, *variables = protocol.unpacked(protocol.receive(connection.recv, head))
        arguments = protocol.unpacked(protocol.receive(connection.recv, tail))
        connection.sendall(protocol.TAKEN)
        connection.settimeout(None)
        is_stale = have_changed(self.loaded)
        if arguments == [protocol.BUILD] and not is_stale and identity == protocol.identity():
            connection.sendall(protocol.answer(0, str(os.getpid())))
            self._build(connection, cwd, int(umask), variables)
            return True
        if arguments == [protocol.STOP]:
            answer = protocol.answer(0)
        elif arguments == [protocol.STATUS]:
            answer = protocol.answer(0, self._status())
        elif is_stale or identity != protocol.identity():
            answer = protocol.answer(protocol.STALE)
        else:
            with self._end_with(connection):
                answer = self._compile(arguments, cwd, int(umask), variables)
        connection.sendall(answer)
        return not is_stale and arguments != [protocol.STOP]

    @contextlib.contextmanager
    def _end_with(self, connection: socket.socket) -> Iterator[None]:
        """In this context, a thread ends the process as soon as the client closes its connection.

        The client's request is then obsolete.
        """
        done, done_end = os.pipe()

        def follow() -> None:
            poll = select.poll()
            poll.register(connection, 0)  # the end of the other side is always reported
            poll.register(done, select.POLLIN)
            if connection.fileno() in dict(poll.poll()):
                self._tell(_GONE)
                os._exit(1)

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        try:
            yield
        finally:
            os.close(done_end)
            thread.join()
            os.close(done)

    def _compile(self, arguments: list[str], cwd: str, umask: int, variables: list[str]) -> bytes:
        self.requests += 1
        for name in protocol.PASSED:
            os.environ.pop(name, None)
        os.environ.update(_pairs(variables))
        os.umask(umask)
        state = execute_safely(arguments, cwd, self._memory(cwd), program="hlsl2spirv")
        if state.status == INTERNAL:  # an internal error may have left the memory incomplete
            del self.memories[cwd]
        return protocol.answer(state.status, "".join(state.out), "".join(state.err), state.files)

    def _build(self, connection: socket.socket, root: str, umask: int, variables: list[str]) -> None:
        """Compile the jobs that a build sends, with that build's environment, until it closes the connection."""
        self.requests += 1
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(_pairs(variables))
        os.umask(umask)
        try:
            os.chdir(root)
            with connection.makefile("rb") as incoming, connection.makefile("wb") as outgoing:
                self.memories[root] = build_worker.serve(incoming, outgoing, self._memory(root))
        finally:
            os.chdir("/")
            os.environ.clear()
            os.environ.update(before)

    def _memory(self, folder: str) -> Memory:
        """Return the compiler caches for a folder.

        Drop those of the least recently used folder if there are too many.
        """
        memory = self.memories.setdefault(folder, Memory())
        self.memories.move_to_end(folder)
        if len(self.memories) > FOLDERS:
            self.memories.popitem(last=False)
        return memory

    def _status(self) -> str:
        state = {
            "process": os.getppid(),
            "worker": os.getpid(),
            "seconds": round(time.time() - self.since),
            "requests": self.requests,
            "megabytes": _resident() >> 20,
        }
        return json.dumps(state) + "\n"


def _pairs(variables: list[str]) -> dict[str, str]:
    """Parse `NAME=value` strings to a mapping."""
    return {name: value for name, _, value in (variable.partition("=") for variable in variables)}


def _resident() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _is_own(connection: socket.socket) -> bool:
    """Return whether the client belongs to the same user; True if the system cannot tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True  # the folder of the socket is private
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(user == os.geteuid())


class Server:
    """The process that owns the socket and forks the workers."""

    def __init__(self, listener: socket.socket, loaded: Signature, idle: float) -> None:
        self.listener = listener
        self.loaded = loaded
        self.idle = idle
        self.since = time.time()
        self.workers: dict[int, bool] = {}
        """Process id → whether the worker is busy."""
        self.events, self.event_end = os.pipe()
        self.lifeline, self.lifeline_end = os.pipe()
        """Closes when this process ends; every worker has a thread that waits for it."""

    def run(self) -> None:
        """Run until no request came for `idle` seconds, a worker requests the end, or the socket is deleted."""
        self._fork()  # the caller waits for it
        warm_up()
        last = time.monotonic()
        while True:
            ready, _, _ = select.select([self.events], [], [], min(5.0, self.idle / 2))
            self._reap()
            if ready:
                last = time.monotonic()
                event, worker = _EVENT.unpack(os.read(self.events, _EVENT.size))
                if event == _STOP:
                    return
                if event == _GONE and worker in self.workers:
                    os.waitpid(worker, 0)
                    del self.workers[worker]
                elif worker in self.workers:
                    self.workers[worker] = event == _BUSY
            elif any(self.workers.values()):
                last = time.monotonic()
            elif time.monotonic() - last > self.idle or not os.path.exists(self.listener.getsockname()):
                return
            if all(self.workers.values()) and len(self.workers) < (os.cpu_count() or 1):
                self._fork()

    def _reap(self) -> None:
        for worker in list(self.workers):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(worker, os.WNOHANG)[0]:
                    del self.workers[worker]

    def _fork(self) -> None:
        gc.freeze()  # collections leave the pages alone that workers share
        number = os.fork()
        if number:
            self.workers[number] = False
            return
        status = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            lock.drop()
            os.close(self.lifeline_end)
            os.close(self.events)
            host.fork()
            threading.Thread(target=self._follow, daemon=True).start()
            with_deep_stack(Worker(self.listener, self.event_end, self.loaded, self.since).serve)
            host.close()
            status = 0
        finally:
            os._exit(status)

    def _follow(self) -> None:
        os.read(self.lifeline, 1)
        os._exit(0)

    def close(self) -> None:
        """End idle workers; a busy one ends after its answer, when it notices that this process is gone."""
        for worker, is_busy in self.workers.items():
            if not is_busy:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGTERM)


def serve(path: str, loaded: Signature, *, idle: float = IDLE) -> None:
    """Run the server at the socket ``path`` and delete the socket afterwards.

    ``idle``: the number of seconds without a request after which it ends.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, the system keeps no exit statuses
    gc.disable()  # modules are no garbage; workers collect by a rule of their own (`base.system.collection`)
    load_all()
    forked_host.load()
    compiler_fingerprint()  # workers of builds compare it
    with socket.socket(socket.AF_UNIX) as listener:
        bind_private(listener, path)
        listener.listen(128)
        server = Server(listener, loaded, idle)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        os.chdir("/")
        try:
            server.run()
        finally:
            remove_private(path)
            server.close()
