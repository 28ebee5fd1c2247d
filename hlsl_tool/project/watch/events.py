"""Convert events of the file system to sets of paths that may have changed.

Editors save in different ways: in place, through a temporary file that replaces the old one, with a backup first.  So
an event is only used for its path and whether the file is complete; hashes show what changed.

A save is processed immediately if no other event came shortly before it.  An event that cannot be the end of a save
(the file is still open, or missing for now) waits for the following ones, and so do events of several files; while git
holds its lock, all events wait.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.paths import absolute

EVERYTHING = ""
"""The path of the watcher's own look at all files."""

AFRESH_SECONDS = 0.25
"""Seconds without events after which an event begins a new burst."""
QUIET_SECONDS = 0.04
"""Seconds without events after which a burst is over."""
BURST_SECONDS = 1.0
"""Seconds after which a burst is over in any case."""
LOCK_SECONDS = 30.0
"""Seconds for which git may hold its lock."""
LOCK_IDLE_SECONDS = 0.5
"""Seconds without events after which a lock is taken for one that a crash left."""


class Unwatchable(Exception):
    """Raised if the system cannot deliver events; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Event:
    """A path that may have changed, and whether the file is complete."""

    path: str
    is_whole: bool
    """True if the file was closed, or moved to its place: no further event has to be waited for."""


class Source(Protocol):
    """The interface to the system's file events: watches folders, and returns paths that may have changed."""

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch exactly these existing folders; return True if at least one was not watched before."""
        ...

    def read(self, timeout: float | None) -> list[Event]:
        """Return the pending events.

        Wait for one until ``timeout`` seconds have passed, or indefinitely if it is `None`.
        """
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


class Nothing:
    """A source that never has events, for file systems whose changes the system does not report.

    Files are polled instead.
    """

    def watch(self, folders: Iterable[str]) -> bool:
        return False

    def read(self, timeout: float | None) -> list[Event]:
        time.sleep(0.25 if timeout is None else timeout)
        return []

    def close(self) -> None:
        """Do nothing."""


class Bursts:
    """Collects relevant events until no more arrive for a moment: a burst."""

    def __init__(self, source: Source, concerns: Callable[[str], bool], locks: Iterable[str] = ()) -> None:
        self.source = source
        self.concerns = concerns
        self.locks = list(locks)
        self.whole: dict[str, bool] = {}
        """Path → whether its last event was about a whole file."""
        self.unfinished: set[str] = set()
        """Paths of the previous burst whose last event was not about a whole file."""
        self.last = float("-inf")
        """Time of the last event of the previous burst."""

    def wait(self, timeout: float | None = None) -> set[str]:
        """Wait for a burst and return its paths; return an empty set after ``timeout`` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.whole:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return set()
            self._take(self.source.read(left))
        return self._burst()

    def pending(self) -> set[str]:
        """Return the paths of a burst that has started; an empty set if none has."""
        while events := self.source.read(0):
            self._take(events)
        return self._burst() if self.whole else set()

    def _burst(self) -> set[str]:
        began = quiet_since = time.monotonic()
        is_afresh = began - self.last > AFRESH_SECONDS
        while True:
            while events := self.source.read(0):
                quiet_since = time.monotonic()
                self._take(events)
            now = time.monotonic()
            locked = any(map(os.path.exists, self.locks))
            if locked and now - began < LOCK_SECONDS and now - quiet_since < LOCK_IDLE_SECONDS:
                left = 0.01
            elif is_afresh and len(self.whole) == 1 and all(self.whole.values()):
                break
            else:
                left = min(quiet_since + QUIET_SECONDS, began + BURST_SECONDS) - now
            if left <= 0:
                break
            if events := self.source.read(left):
                quiet_since = time.monotonic()
                self._take(events)
        self.last = quiet_since
        self.unfinished = {path for path, is_whole in self.whole.items() if not is_whole}
        paths, self.whole = set(self.whole), {}
        return paths

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if self.concerns(event.path):
                self.whole[event.path] = event.is_whole


def git_locks(root: str) -> list[str]:
    """Return [path of git's lock file] if the root is in a git repository, else []; git holds it during a checkout."""
    folder = absolute(root)
    while True:
        place = os.path.join(folder, ".git")
        if os.path.isdir(place):
            return [os.path.join(place, "index.lock")]
        if os.path.isfile(place):  # a work tree elsewhere: `gitdir: PATH`
            with open(place, encoding="utf-8", errors="replace") as stream:
                name = stream.read().partition("gitdir:")[2].strip()
            return [os.path.join(folder, name, "index.lock")] if name else []
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        folder = parent
