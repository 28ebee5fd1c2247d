"""Room for recursion: the compiler bounds how deeply it recurses, and this gives it the stack for that bound.

SCons's worker threads have 256 KiB, a Windows process 1 MiB; a limit that is safe there would refuse real shaders.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

STACK_BYTES = (256 << 20, 64 << 20, 16 << 20)
"""Tried in turn: where memory is rationed (ulimit -v) the first may be refused."""
RECURSION_LIMIT = 20_000

T = TypeVar("T")


ROOM = 1 << 19
"""Pointers, 4 MiB of address space: some thousands of frames."""


def _with_room(function: Callable[[], None]) -> None:
    function()


if sys.implementation.name == "cpython":
    # CPython keeps the frames of a thread in chunks of 16 KiB.  A loop that calls across the end of one has a chunk
    # mapped and unmapped for each call, which makes it ten to a hundred times slower, at whatever depth that happens to
    # be.  A frame that says it needs much gets a chunk that is twice as large, and all that it calls the other half.
    _with_room.__code__ = _with_room.__code__.replace(co_stacksize=ROOM)


class _Deep:
    """A thread with a large stack, for one call after the other: to start it costs as much as a small shader."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def serve(self) -> None:
        while (call := self.calls.get()) is not None:
            _with_room(call)
            del call  # and all that it holds


_idle: list[_Deep] = []
"""One that has been started before, and has nothing to do."""
_lock = threading.Lock()


def _after_fork() -> None:
    """Threads stay with the parent."""
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
    """Call a function in a thread with a large stack and hand back what it returns or raises."""
    results: list[T] = []
    problems: list[BaseException] = []
    done = threading.Event()

    def call() -> None:
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
    return results[0]
