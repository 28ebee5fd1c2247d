"""Events of the file system → sets of paths that may have changed.

Editors save in many ways: in place, into a temporary file that is then moved over the old one, with a backup first.
So nothing is read out of an event but its paths; what really changed is found by hashing.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterable

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

QUIET_SECONDS = 0.05
"""A burst of events is over when nothing came for so long …"""
BURST_SECONDS = 1.0
"""… or when it has lasted so long."""

_READS = ("opened", "closed_no_write")


class _Handler(FileSystemEventHandler):
    def __init__(self, paths: queue.Queue[str]) -> None:
        self.paths = paths

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _READS:
            return
        for path in (event.src_path, getattr(event, "dest_path", "")):
            if path:
                self.paths.put(os.fsdecode(path))


class Events:
    """Watches folders; `wait` gives the paths of the next burst."""

    def __init__(self) -> None:
        self.queue: queue.Queue[str] = queue.Queue()
        self.observer = Observer()
        self.watched: dict[str, object] = {}
        self.observer.start()

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders with all below them, and no others.  A folder that is not there yet is watched for by the
        nearest one that is."""
        wanted = _outermost({_existing(folder) for folder in folders})
        handler = _Handler(self.queue)
        for folder in sorted(set(self.watched) - wanted):
            self.observer.unschedule(self.watched.pop(folder))  # type: ignore[arg-type]  # what schedule returned
        for folder in sorted(wanted - set(self.watched)):
            self.watched[folder] = self.observer.schedule(handler, folder, recursive=True)

    def wait(self, timeout: float | None = None) -> set[str]:
        """The paths of a burst; empty after the timeout."""
        found: set[str] = set()
        try:
            found.add(self._next(timeout))
        except queue.Empty:
            return found
        end = time.monotonic() + BURST_SECONDS
        while time.monotonic() < end:
            try:
                found.add(self.queue.get(timeout=QUIET_SECONDS))
            except queue.Empty:
                break
        return found

    def _next(self, timeout: float | None) -> str:
        if timeout is not None:
            return self.queue.get(timeout=timeout)
        while True:
            try:
                return self.queue.get(timeout=1.0)  # in slices: on Windows an interrupt does not end a wait
            except queue.Empty:
                continue

    def close(self) -> None:
        self.observer.stop()
        self.observer.join()


def _existing(folder: str) -> str:
    folder = os.path.abspath(folder)
    while not os.path.isdir(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return folder
        folder = parent
    return folder


def _outermost(folders: set[str]) -> set[str]:
    """Without those that lie inside another."""
    return {
        folder
        for folder in folders
        if not any(other != folder and folder.startswith(other.rstrip(os.sep) + os.sep) for other in folders)
    }
