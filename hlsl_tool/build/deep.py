"""Room for recursion: the compiler bounds how deeply it recurses, and this gives it the stack for that bound.

SCons's worker threads have 256 KiB, a Windows process 1 MiB; a limit that is safe there would refuse real shaders.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

STACK_BYTES = (256 << 20, 64 << 20, 16 << 20)
"""Tried in turn: where memory is rationed (ulimit -v) the first may be refused."""
RECURSION_LIMIT = 20_000

T = TypeVar("T")


def _started(body: Callable[[], None]) -> threading.Thread:
    before = threading.stack_size()
    refusal = RuntimeError("no thread can be started")
    try:
        for size in STACK_BYTES:
            threading.stack_size(size)
            thread = threading.Thread(target=body, name="compiler", daemon=True)
            try:
                thread.start()
                return thread
            except RuntimeError as error:
                refusal = error
        raise refusal
    finally:
        threading.stack_size(before)


def with_deep_stack(function: Callable[[], T]) -> T:
    """Call a function in a thread with a large stack and hand back what it returns or raises."""
    results: list[T] = []
    problems: list[BaseException] = []

    def body() -> None:
        try:
            results.append(function())
        except BaseException as problem:  # noqa: BLE001  # raised again in the caller's thread
            problems.append(problem)

    before_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before_limit, RECURSION_LIMIT))
    try:
        thread = _started(body)
        thread.join()
    finally:
        sys.setrecursionlimit(before_limit)
    if problems:
        raise problems[0]
    return results[0]
