"""Run a function on a stack that is large enough for the compiler's recursion limits.

Worker threads of SCons have 256 KiB of stack, a Windows process has 1 MiB; limits that are safe on those would reject
real shaders.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

STACK_BYTES = (256 << 20, 64 << 20, 16 << 20)
"""Stack sizes to try in order: a limit on address space (ulimit -v) may refuse the larger ones."""
RECURSION_LIMIT = 20_000

T = TypeVar("T")


ROOM = 1 << 19
"""Size in pointers of the chunk of frames that a thread gets: 4 MiB of address space, some thousands of frames."""


def _with_room(function: Callable[[], None]) -> None:
    function()


if sys.implementation.name == "cpython":
    # CPython keeps the frames of a thread in chunks of 16 KiB. A loop that calls across the end of a chunk maps and
    # unmaps one for each call, which makes it ten to a hundred times slower. A frame with a large declared stack gets
    # a chunk of twice that size, and its callees the rest of the chunk.
    _with_room.__code__ = _with_room.__code__.replace(co_stacksize=ROOM)


class _Deep:
    """A thread with a large stack that runs one call after another: starting it takes as long as a small shader."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def serve(self) -> None:
        while (call := self.calls.get()) is not None:
            try:
                _with_room(call)
            except MemoryError:
                # There is none for the frames, or for the call's end: its caller must not wait for ever
                call()
            del call  # its closure holds the arguments and results


_idle: list[_Deep] = []
"""At most one thread, started and without a call to run."""
_lock = threading.Lock()


def _after_fork() -> None:
    """Drop the threads in a forked process: they exist only in the parent."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _taken() -> _Deep:
    with _lock:
        if _idle:
            return _idle.pop()
    deep = _Deep()
    _start(deep.serve)
    return deep


def _give_back(deep: _Deep) -> None:
    with _lock:
        if not _idle:
            _idle.append(deep)
            return
    deep.calls.put(None)


def _start(body: Callable[[], None]) -> None:
    before = threading.stack_size()
    refusal = RuntimeError("no thread can be started")
    try:
        for size in STACK_BYTES:
            threading.stack_size(size)
            thread = threading.Thread(target=body, name="compiler", daemon=True)
            try:
                thread.start()
                return
            except RuntimeError as error:
                refusal = error
        raise refusal
    finally:
        threading.stack_size(before)


def with_deep_stack(function: Callable[[], T]) -> T:
    """Call a function in a thread with a large stack; return its result or raise its exception."""
    results: list[T] = []
    problems: list[BaseException] = []
    done = threading.Event()
    is_begun = False

    def call() -> None:
        nonlocal is_begun
        if not is_begun:
            is_begun = True
            try:
                results.append(function())
            except BaseException as problem:  # noqa: BLE001  # raised again in the caller's thread
                problems.append(problem)
            _give_back(deep)
        done.set()

    before_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before_limit, RECURSION_LIMIT))
    try:
        deep = _taken()
        deep.calls.put(call)
        done.wait()
    finally:
        sys.setrecursionlimit(before_limit)
    if problems:
        raise problems[0]
    if not results:
        raise MemoryError  # there was none to store the result or the exception
    return results[0]
