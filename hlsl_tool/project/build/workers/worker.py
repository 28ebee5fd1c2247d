"""The process that compiles: `python -m hlsl_tool.project.build.workers.worker`, or a fork of a loaded one.

It exchanges length-prefixed pickles with its executor over two streams: this works on every system, needs no importable
main module, and ends when the parent process does.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING, Any, BinaryIO

from hlsl_tool.base.source import FileSystem
from hlsl_tool.base.system.collection import RareCollection, paused_collection
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, compile_job, disk, failure
from hlsl_tool.project.build.store import direct_mode
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.results import Result, Store
from hlsl_tool.project.build.store.source_texts import SourceTexts

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.compiler.result import Memory

HEADER = struct.Struct("<Q")

NO_MEMORY = 112
"""Exit status of a worker that ends because no memory is left."""


def send(stream: BinaryIO, content: object) -> None:
    """Write a pickled object, preceded by its length, and flush the stream."""
    data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> object:
    """Read the next message; raise EOFError if the other process is gone."""
    (size,) = HEADER.unpack(_exactly(stream, HEADER.size))
    return pickle.loads(_exactly(stream, size))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = stream.read(size - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


class Compiler:
    """Compiles jobs one after another, with compiler caches (`Memory`) that all of them share."""

    def __init__(self, root: str, store: StoreOptions | None = None) -> None:
        self.root = root
        self.memory = new_memory()
        self.store = store.open() if store is not None else None
        self.texts = SourceTexts(root, self.store, store.texts if store is not None else "none")
        self.defers = False
        """Whether results come with deferred bookkeeping (`JobResult.later`)."""

    def run(self, job: Job, fs: FileSystem | None = None) -> JobResult:
        """Compile a job; convert an exception, which is a bug in hlsl_tool, into a diagnostic.

        ``fs`` replaces the disk.
        """
        began = time.perf_counter()
        try:
            with paused_collection():  # not only `compile_shader`: rendering the outputs allocates as much
                memory = new_memory() if job.is_fresh else self.memory
                results = self._results(job)
                files = fs or disk(self.root)
                result = compile_job(job, self.root, files, memory, results, defers=self.defers)
                result.keys = results.keys if results is not None else []
                result.is_foreign = not _is_toolchain_of(job)
                if fs is None:  # else this machine may reach only some of the build's stores
                    self._store(job, result, files)
        except MemoryError:
            self.memory = new_memory()  # its caches were the largest part
            result = failure(out_of_memory())
        except Exception as error:  # noqa: BLE001  # the last resort: a traceback helps no user of a build
            result = failure(internal_error(job, error))
            self.memory = new_memory()
        result.seconds = time.perf_counter() - began
        if self.store is not None:
            result.store_problems = self.store.take_problems()
        return result

    def _store(self, job: Job, result: JobResult, fs: FileSystem) -> None:
        """Store a compiled result under its dependency trace, and the texts of its files, once it is complete.

        The build stores results that the store had under another key: it may verify them first.
        """
        store = self.store
        if store is None or job.is_fresh or result.is_foreign or result.reused or not result.ok:
            return

        def put() -> None:
            direct_mode.put(store, job, self.root, result)
            self.texts.put(result.files, lambda name: fs.read(fs.resolve(name)))

        result.is_stored = True
        if result.later:
            result.later.append(put)
        else:
            put()

    def warm(self, job: Job) -> None:
        """Compile a job only to fill the compiler's caches; discard the result and its diagnostics."""
        try:
            with paused_collection():
                compile_job(job, self.root, disk(self.root), self.memory)
        except Exception:  # noqa: BLE001  # it is reported when the shader is built
            self.memory = new_memory()

    def close(self) -> None:
        if self.store is not None:
            self.store.close()

    def _results(self, job: Job) -> StoredResults | None:
        if self.store is None or job.is_fresh or not _is_toolchain_of(job):
            return None
        return StoredResults(self.store, job)


def _is_toolchain_of(job: Job) -> bool:
    """Return whether this machine's toolchain is the one for which the job was fingerprinted."""
    from hlsl_tool.project.build.currency.toolchain import still_holds

    return still_holds(job)


class StoredResults:
    """Adapts the store to the interface that the compiler uses (`compiler.reuse.Results`)."""

    def __init__(self, store: Store, job: Job) -> None:
        self.store = store
        self.job = job
        self.salt = job.fingerprint
        self.keys: list[str] = []

    def get(self, key: str) -> tuple[Any, bytes] | None:
        self.keys.append(key)
        stored = self.store.get(key)
        if stored is None or "spv" not in stored.blobs:
            return None
        return stored.datum, stored.blobs["spv"]

    def put(self, key: str, datum: Any, spirv: bytes) -> None:
        if not _is_toolchain_of(self.job):
            return  # a tool was replaced meanwhile: the result may come from either
        self.keys.append(key)
        self.store.put(key, Result(datum, {"spv": spirv}))


def new_memory() -> Memory:
    """Import the compiler and create its caches, empty."""
    from hlsl_tool.compiler.result import Memory

    return Memory()


def out_of_memory() -> Diagnostic:
    """Return the diagnostic of a process without memory."""
    from hlsl_tool.base.diagnostics.catalogue.compiler import OUT_OF_MEMORY
    from hlsl_tool.base.diagnostics.internal import MEMORY_HINT, memory_limit
    from hlsl_tool.project.build.outputs.render import message

    diagnostic = message(OUT_OF_MEMORY, None, limit=memory_limit())
    diagnostic.hint = MEMORY_HINT
    return diagnostic


def internal_error(job: Job, error: Exception) -> Diagnostic:
    """Return the diagnostic of an exception that is a bug in hlsl_tool."""
    from hlsl_tool.base.diagnostics.catalogue.compiler import INTERNAL_ERROR
    from hlsl_tool.base.diagnostics.internal import description
    from hlsl_tool.project.build.outputs.render import message

    diagnostic = message(INTERNAL_ERROR, None, message=description(error))
    diagnostic.hint = f"please report it with the archive that `hlsl_tool repro {job.name}` makes"
    return diagnostic


def serve(incoming: BinaryIO, outgoing: BinaryIO, memory: Memory | None = None) -> Memory:
    """Receive jobs, compile them and send the results, until the executor closes the streams.

    Return the compiler's caches.  ``memory`` contains caches of earlier builds of the same project.
    """
    memory = memory or new_memory()
    start = receive(incoming)
    if not isinstance(start, tuple):
        return memory
    compiler, collection = Compiler(*start), RareCollection()
    compiler.memory = memory
    while True:
        try:
            job = receive(incoming)
            if not isinstance(job, Job):
                break
            send(outgoing, compiler.run(job))
            collection.step()
        except (EOFError, BrokenPipeError, ConnectionResetError):  # the build has ended
            break
    compiler.close()
    collection.close()
    return compiler.memory


def work(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Run `serve` as the main function of a worker process."""
    # An interrupt from the terminal reaches the whole group; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # accidental prints must not get between messages
    try:
        with_deep_stack(lambda: serve(incoming, outgoing))
        outgoing.close()
    except BrokenPipeError:  # unsent bytes are left in the buffer
        os._exit(0)
    except MemoryError:  # while a job or a result was transferred
        os._exit(NO_MEMORY)


def main() -> None:
    """Run a worker on stdin and stdout."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    work(sys.stdin.buffer, outgoing)


if __name__ == "__main__":
    main()
