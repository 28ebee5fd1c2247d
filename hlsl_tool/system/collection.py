"""Pause Python's garbage collector while a shader is compiled, and run it rarely in processes of our own.

The compiler allocates many objects and few cycles: collections take two fifths of a compile and free next to nothing.
"""

from __future__ import annotations

import gc
import sys
from _thread import allocate_lock
from collections.abc import Iterator
from contextlib import contextmanager

_lock = allocate_lock()
_pauses = 0
_was_enabled = False


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the collector; after the last of several overlapping pauses, restore the setting before the first."""
    global _pauses, _was_enabled
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_enabled:
                gc.enable()


class RareCollection:
    """Turns the collector off until `close`, and collects when the memory in use has grown by half.

    For processes whose only work is to compile: between two shaders the collector would visit all objects that the
    last one allocated, a tenth of its time.
    """

    LEAST = 3_000_000
    """Blocks of Python's allocator, about 200 MB, that are allocated between two collections at least."""

    def __init__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._limit = self._next()

    def close(self) -> None:
        """Restore the setting from before."""
        if self._was_enabled:
            gc.enable()

    def step(self) -> None:
        """Collect if the memory in use has grown enough since the last collection."""
        if sys.getallocatedblocks() > self._limit:
            gc.collect()
            self._limit = self._next()

    def _next(self) -> int:
        in_use = sys.getallocatedblocks()
        return in_use + max(self.LEAST, in_use // 2)
