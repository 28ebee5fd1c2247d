"""Events of the file system → sets of paths that may have changed.

Editors save in many ways: in place, into a temporary file that is then moved over the old one, with a backup first.  So
nothing is read out of an event but its path and whether the file is whole; what really changed is found by hashing.

A save is acted on at once if nothing came shortly before it.  What cannot be the end of a save (a file that is open
still, or gone for now) waits for what follows, and so do several files at a time; while git holds its lock everything
does.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from hlsl_tool.system.dataclass import dataclass

EVERYTHING = ""
"""The path of an event that may be about any file: some were lost."""

AFRESH_SECONDS = 0.25
"""An event begins something new when none came for so long."""
QUIET_SECONDS = 0.04
"""A burst is over when nothing came for so long …"""
BURST_SECONDS = 1.0
"""… or when it has lasted so long."""
LOCK_SECONDS = 30.0
"""How long git may hold its lock; one that a crash left is passed over sooner, when nothing has happened."""
LOCK_IDLE_SECONDS = 0.5


class Unwatchable(Exception):
    """The system gives no events; the text says why."""


@dataclass(frozen=True, slots=True)
class Event:
    path: str
    is_whole: bool
    """The file was closed, or moved to its place: there is nothing to wait for."""


class Source(Protocol):
    """Where events come from."""

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch these folders, which are there, and no others; whether one of them had not been watched before."""
        ...

    def read(self, timeout: float | None) -> list[Event]:
        """What has happened; nothing after the timeout.  None waits for ever."""
        ...

    def misses(self, folders: Iterable[str]) -> bool:
        """Whether something may happen in one of these folders, which are watched or should be, without an event."""
        ...

    def close(self) -> None: ...


class Nothing:
    """No events: files are looked at from time to time, for disks whose changes the system does not hear of."""

    def watch(self, folders: Iterable[str]) -> bool:
        return False

    def read(self, timeout: float | None) -> list[Event]:
        time.sleep(0.25 if timeout is None else timeout)
        return []

    def misses(self, folders: Iterable[str]) -> bool:
        return True

    def close(self) -> None:
        """Nothing is held."""


def system_events(avoid: str = "") -> Source:
    """The system's own events.  ``avoid``: a folder that is written to all the time."""
    if platform.system() == "Linux":
        from hlsl_tool.watch.inotify import Inotify

        return Inotify()
    from hlsl_tool.watch.observed import Observed

    return Observed(avoid)


class Bursts:
    """Waits for events that concern somebody, until a burst of them is over."""

    def __init__(self, source: Source, concerns: Callable[[str], bool], locks: Iterable[str] = ()) -> None:
        self.source = source
        self.concerns = concerns
        self.locks = list(locks)
        self.whole: dict[str, bool] = {}
        """Path → whether its last event was about a whole file."""
        self.last = float("-inf")
        """When the burst before had its last event."""

    def wait(self, timeout: float | None = None) -> set[str]:
        """The paths of the next burst; empty after the timeout."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.whole:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return set()
            self._take(self.source.read(left))
        return self._burst()

    def pending(self) -> set[str]:
        """As `wait`, of what has happened already."""
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
        found, self.whole = set(self.whole), {}
        return found

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.path == EVERYTHING or self.concerns(event.path):
                self.whole[event.path] = event.is_whole


def git_locks(root: str) -> list[str]:
    """The file that git makes while it changes many files, if the root lies in a repository."""
    folder = os.path.abspath(root)
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


def existing(folder: str) -> str:
    """The folder, or the nearest outer one that is there."""
    folder = os.path.abspath(folder)
    while not os.path.isdir(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return folder
        folder = parent
    return folder
