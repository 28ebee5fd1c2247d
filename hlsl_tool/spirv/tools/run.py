"""Run a SPIRV-Tools tool on a module, as a library or as a program, with limits of time and memory."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence
from typing import NamedTuple

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.spirv.tools import host, package, unused_interface

from .bound import MEMORY, run_bound
from .locate import Tool

TIMEOUT = 120.0
"""Limit in seconds; the heaviest shader measured takes a third of a second."""

TIMEOUT_HINT = (
    "a loop that is unrolled very often is the usual cause: without `[unroll]`, or with `[unroll(n)]`, it ends sooner"
)

_OUT_OF_MEMORY = r"(?i:bad_alloc|cannot allocate memory|out of memory|memory exhausted)"

_MAGIC = 0x07230203
_HEADER_WORDS = 5


class Outcome(NamedTuple):
    """The result of a run that neither crashed nor exceeded a limit; the tool may have reported errors."""

    status: int
    output: bytes
    messages: str


TOO_OLD = r"Invalid (opcode: \d+|[\w -]+ operand: \d+|extended instruction (?:number|import)[^\n]*)"
"""Pattern of messages of SPIRV-Tools about instructions and enumerants that it is too old to know."""


def run_tool(
    tool: Tool, arguments: Sequence[str], data: bytes, *, sink: Sink, timeout: float = TIMEOUT, memory: int = MEMORY
) -> Outcome | None:
    """Run a tool on a module; after a crash or an exceeded limit, report an error and return `None`.

    ``timeout`` is in seconds, ``memory`` in bytes of address space.
    """
    try:
        status, output, messages = _run(tool, arguments, data, timeout, memory)
    except TimeoutError:
        sink.error(codes.TOOL_TIMEOUT, None, tool=tool.name, seconds=f"{timeout:g}", hint=TIMEOUT_HINT)
        return None
    except OSError as error:
        sink.error(codes.TOOL_CRASH, None, tool=tool.name, status=error.errno, message=error.strerror or "")
        return None
    if status and re.search(_OUT_OF_MEMORY, messages):
        sink.error(codes.TOOL_MEMORY, None, tool=tool.name, megabytes=memory >> 20, hint=TIMEOUT_HINT)
        return None
    if status < 0:
        sink.error(codes.TOOL_CRASH, None, tool=tool.name, status=_named(status), message=first_line(messages))
        return None
    return Outcome(status, output, messages)


def _named(status: int) -> str:
    """Return a negative exit status with its signal's name, as text: `-11 (SIGSEGV)`."""
    try:
        return f"{status} ({signal.Signals(-status).name})"
    except ValueError:  # a real-time signal
        return str(status)


def _run(tool: Tool, arguments: Sequence[str], data: bytes, timeout: float, memory: int) -> tuple[int, bytes, str]:
    """Return (exit status, output, messages); run the library if the package has it, else the program."""
    if package.is_packaged(tool.path):
        try:
            result = host.run([tool.name, *arguments], data, timeout, memory)
        except host.Crash as crash:
            return crash.status, b"", crash.messages
        if result is not None:
            return result
    done = run_bound([tool.path, *arguments], data, timeout, memory)
    if done.returncode == 0 and tool.name == "spirv-opt":
        second = unused_interface.removal(arguments, done.stdout)
        if second is not None:
            rest, data = second
            again = run_bound([tool.path, *rest], data, timeout, memory)
            done.stdout = done.stdout if again.returncode else again.stdout
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def is_module(data: bytes) -> bool:
    """Return whether bytes have a SPIR-V header, and instructions whose lengths add up to the size."""
    if len(data) < 4 * _HEADER_WORDS or len(data) % 4 or int.from_bytes(data[:4], sys.byteorder) != _MAGIC:
        return False
    words = memoryview(data).cast("I")
    place = _HEADER_WORDS
    while place < len(words):
        length = words[place] >> 16
        if not length:
            return False
        place += length
    return place == len(words)


def clean(messages: str) -> str:
    """Return the messages without the tool's prefixes (`error: line 3: `)."""
    lines = [re.sub(r"^(?:error|warning): (?:line \d+: )?", "", line) for line in messages.strip().splitlines()]
    return "\n".join(lines)


def first_line(messages: str) -> str:
    """Return the first non-blank line of the messages without its prefix; `no message` if there is none."""
    for line in clean(messages).splitlines():
        if line.strip():
            return line.strip()
    return "no message"
