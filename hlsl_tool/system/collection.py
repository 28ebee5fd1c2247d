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
_limit = 0
"""Blocks in use at which a pause ends with a collection; 0 before the first."""

_frozen_at_start = gc.get_freeze_count()
"""Objects that Python itself has frozen, which 3.12 does; they need not stay frozen."""

LEAST = 3_000_000
"""Blocks of Python's allocator, about 200 MB, that are allocated between two collections at least."""


def _limit_of_growth() -> int:
    """Return the number of blocks in use at which the next collection is due: half as many again as now."""
    in_use = sys.getallocatedblocks()
    return in_use + max(LEAST, in_use // 2)


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
                _age()
                gc.enable()


def _age() -> None:
    """Move all objects to the oldest generation without visiting them, or collect if the memory in use has grown.

    Else the collector would visit everything that was allocated in the pause as soon as it is enabled. Where the host
    has frozen objects nothing is moved, since they would thaw.
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
    """Turns the collector off until `close`, and collects when the memory in use has grown by half.

    For processes whose only work is to compile: between two shaders the collector would visit all objects that the
    last one allocated, a tenth of its time.
    """

    def __init__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._limit = _limit_of_growth()

    def close(self) -> None:
        """Restore the setting from before."""
        if self._was_enabled:
            gc.enable()

    def step(self) -> None:
        """Collect if the memory in use has grown enough since the last collection."""
        if sys.getallocatedblocks() > self._limit:
            gc.collect()
            self._limit = _limit_of_growth()
