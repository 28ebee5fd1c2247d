"""Running a tool on words: standard input and output, limits of time and memory, no shell."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.diagnostics.sink import Sink

from .bound import MEMORY, run_bound
from .locate import Tool

TIMEOUT = 120.0
"""Seconds; the heaviest shader measured takes a third of one."""

TIMEOUT_HINT = (
    "a loop that is unrolled very often is the usual cause: without `[unroll]`, or with `[unroll(n)]`, it ends sooner"
)

_OUT_OF_MEMORY = re.compile(r"bad_alloc|cannot allocate memory|out of memory|memory exhausted", re.IGNORECASE)

_MAGIC = 0x07230203
_HEADER_WORDS = 5


class Outcome(NamedTuple):
    """What came out of a run that ended by itself."""

    status: int
    output: bytes
    messages: str


TOO_OLD = re.compile(r"Invalid (opcode: \d+|[\w -]+ operand: \d+|extended instruction (?:number|import)[^\n]*)")
"""What SPIRV-Tools says about instructions and enumerants that came after it."""


def run_tool(
    tool: Tool, arguments: Sequence[str], data: bytes, *, sink: Sink, timeout: float = TIMEOUT, memory: int = MEMORY
) -> Outcome | None:
    """Run ``tool`` with ``data`` on its standard input; None, with an error in the sink, if it did not end well."""
    try:
        done = run_bound([tool.path, *arguments], data, timeout, memory)
    except subprocess.TimeoutExpired:
        sink.error(codes.TOOL_TIMEOUT, None, tool=tool.name, seconds=f"{timeout:g}", hint=TIMEOUT_HINT)
        return None
    except OSError as error:
        sink.error(codes.TOOL_CRASH, None, tool=tool.name, status=error.errno, message=error.strerror or "")
        return None
    messages = done.stderr.decode("utf-8", "replace")
    if done.returncode and _OUT_OF_MEMORY.search(messages):
        sink.error(codes.TOOL_MEMORY, None, tool=tool.name, megabytes=memory >> 20, hint=TIMEOUT_HINT)
        return None
    if done.returncode < 0:
        sink.error(codes.TOOL_CRASH, None, tool=tool.name, status=done.returncode, message=first_line(messages))
        return None
    return Outcome(done.returncode, done.stdout, messages)


def is_module(data: bytes) -> bool:
    """Is this a whole SPIR-V module, as far as the lengths of its instructions tell?"""
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
    """The messages without the tool's own prefixes: what a user needs to read."""
    lines = [re.sub(r"^(?:error|warning): (?:line \d+: )?", "", line) for line in messages.strip().splitlines()]
    return "\n".join(lines)


def first_line(messages: str) -> str:
    """The first line that says something."""
    for line in clean(messages).splitlines():
        if line.strip():
            return line.strip()
    return "no message"
