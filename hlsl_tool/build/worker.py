"""The process that compiles: `python -m hlsl_tool.build.worker`.

Speaks length-prefixed pickles over its standard input and output with the executor that started it; so it works alike
on every system, needs no fork and no importable main module, and ends when its parent does.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING, BinaryIO

from hlsl_tool.build.compiling import JobResult, compile_job, disk, failure
from hlsl_tool.build.deep import with_deep_stack
from hlsl_tool.build.plan import Job

if TYPE_CHECKING:
    from hlsl_tool.compiler.compile import Memory
    from hlsl_tool.diagnostics import Diagnostic

HEADER = struct.Struct("<Q")


def send(stream: BinaryIO, content: object) -> None:
    data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> object:
    """The next message; EOFError when the other side is gone."""
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
    """Compiles one job after another in one process, remembering what shaders share."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.memory = new_memory()

    def run(self, job: Job) -> JobResult:
        """Compile; an exception is a bug of ours and becomes a message that says so."""
        began = time.perf_counter()
        collecting = gc.isenabled()
        gc.disable()  # halves the time of large parses; nothing here makes cycles that live long
        try:
            result = compile_job(job, self.root, disk(self.root), self.memory)
        except Exception as error:  # noqa: BLE001  # the last resort: a traceback helps no user of a build
            result = failure(internal_error(job, error))
            self.memory = new_memory()
        finally:
            if collecting:
                gc.enable()
        result.seconds = time.perf_counter() - began
        return result


def new_memory() -> Memory:
    from hlsl_tool.compiler.compile import Memory

    return Memory()


def internal_error(job: Job, error: Exception) -> Diagnostic:
    from hlsl_tool.build.compiling import message
    from hlsl_tool.diagnostics.catalogue.general import INTERNAL_ERROR

    text = f"{type(error).__name__}: {error} ({where(error)})"
    diagnostic = message(INTERNAL_ERROR, None, message=text)
    diagnostic.hint = f"please report it with `hlsl2spirv {job.source} -P` and the options of `hlsl_tool config show`"
    return diagnostic


def where(error: BaseException) -> str:
    """The innermost line of ours that an exception comes from."""
    frame, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frame = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return frame


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    root = receive(incoming)
    compiler = Compiler(str(root))
    while True:
        try:
            job = receive(incoming)
            if not isinstance(job, Job):
                return
            send(outgoing, compiler.run(job))
        except (EOFError, BrokenPipeError):  # the build was ended; nobody waits for results
            return


def main() -> None:
    # An interrupt from the terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints by mistake must not get between the messages
    sys.stdout = sys.stderr
    try:
        with_deep_stack(lambda: serve(sys.stdin.buffer, outgoing))
        outgoing.close()
    except BrokenPipeError:  # what was not sent is left in the buffer
        os._exit(0)


if __name__ == "__main__":
    main()
