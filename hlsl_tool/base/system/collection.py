"""Pause Python's garbage collector while a shader is compiled, and run it rarely in worker processes.

The compiler allocates many objects and few cycles: collections would take two fifths of a compilation and free next to
nothing.
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
_limit = 0
"""Blocks in use at which a pause ends with a collection; 0 before the first."""

_frozen_at_start = gc.get_freeze_count()
"""Objects that Python itself has frozen, which 3.12 does; they need not stay frozen."""

LEAST = 3_000_000
"""Blocks of Python's allocator, about 200 MB, that are allocated between two collections at least."""


def _limit_of_growth() -> int:
    """Return the number of allocated memory blocks at which to collect next: 1.5 times the present number."""
    in_use = sys.getallocatedblocks()
    return in_use + max(LEAST, in_use // 2)


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the collector; if pauses overlap, the last one to end restores the setting from before the first."""
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
                _age()
                gc.enable()


def _age() -> None:
    """Move all objects to the oldest generation without visiting them; collect instead if memory use has grown.

    Otherwise the collector would visit all objects from the pause as soon as it is enabled.  If the host application
    has frozen objects, nothing is moved, because they would be unfrozen.
    """
    global _limit
    _limit = _limit or _limit_of_growth()
    if sys.getallocatedblocks() > _limit:  # moved objects do not count towards the next full collection of Python
        gc.collect()
        _limit = _limit_of_growth()
    elif gc.get_freeze_count() <= _frozen_at_start:
        gc.freeze()
        gc.unfreeze()


class RareCollection:
    """Disables the collector until `close`, and collects only when memory use has grown by half.

    For processes that only compile: between two shaders the collector would visit all objects that the last one
    allocated, which takes a tenth of the time.
    """

    def __init__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._limit = _limit_of_growth()

    def close(self) -> None:
        """Restore the collector's previous setting."""
        if self._was_enabled:
            gc.enable()

    def step(self) -> None:
        """Collect if memory use has grown enough since the last collection."""
        if sys.getallocatedblocks() > self._limit:
            gc.collect()
            self._limit = _limit_of_growth()
