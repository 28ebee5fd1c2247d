"""Events from the package `watchdog`, on systems other than Linux."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterable
from typing import Any

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from hlsl_tool.project.watch.events import Event

_READS = ("opened", "closed_no_write")


class _Handler(FileSystemEventHandler):
    """Puts the events of `watchdog` into a queue."""

    def __init__(self, events: queue.Queue[Event]) -> None:
        self.events = events

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _READS:
            return
        if event.src_path:
            whole = event.event_type == "closed" and not event.is_directory
            self.events.put(Event(os.fsdecode(event.src_path), whole))
        destination = getattr(event, "dest_path", "")
        if destination:
            self.events.put(Event(os.fsdecode(destination), not event.is_directory))


class Observed:
    """A `Source`.  Each watch needs threads, so only a few top folders are watched, including everything below them."""

    def __init__(self, avoid: str = "") -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.avoid = avoid
        self.observer = Observer()
        self.watched: dict[tuple[str, bool], Any] = {}
        self.observer.start()

    def watch(self, folders: Iterable[str]) -> bool:
        outer = outer_folders(set(folders), self.avoid)
        for key in self.watched.keys() - outer:
            self.observer.unschedule(self.watched.pop(key))
        new = outer - self.watched.keys()
        for folder, deep in sorted(new):
            try:
                self.watched[folder, deep] = self.observer.schedule(_Handler(self.events), folder, recursive=deep)
            except OSError:
                continue  # it was removed in between
        return bool(new)

    def read(self, timeout: float | None) -> list[Event]:
        events: list[Event] = []
        end = None if timeout is None else time.monotonic() + timeout
        while not events:
            left = 1.0 if end is None else end - time.monotonic()
            try:  # in slices: on Windows an interrupt does not end a wait
                events.append(self.events.get(timeout=min(left, 1.0)) if left > 0 else self.events.get_nowait())
            except queue.Empty:
                if end is not None and left <= 1.0:
                    return []
        while not self.events.empty():
            events.append(self.events.get_nowait())
        return events

    def misses(self, folders: Iterable[str]) -> bool:
        return True  # lost events are not reported

    def close(self) -> None:
        self.observer.stop()
        self.observer.join()


def outer_folders(folders: set[str], avoid: str) -> set[tuple[str, bool]]:
    """Return a few folders that cover these: (folder, whether everything below it is watched).

    A folder that is watched with everything below it never contains ``avoid``.
    """
    avoided = os.path.abspath(avoid) if avoid else ""
    shallow = {folder for folder in folders if avoided and _inside(avoided, folder)}
    deep = folders - shallow
    while len(deep) > _MANY:
        parents = {os.path.dirname(folder) for folder in deep}
        outer = {parent for parent in parents if not (avoided and _inside(avoided, parent))}
        merged = _outermost(outer | {folder for folder in deep if os.path.dirname(folder) not in outer})
        if len(merged) >= len(deep):
            break
        deep = merged
    return {(folder, False) for folder in shallow} | {(folder, True) for folder in _outermost(deep)}


_MANY = 8


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _outermost(folders: set[str]) -> set[str]:
    """Return the folders that are not inside another one of them."""
    return {f for f in folders if not any(other != f and _inside(f, other) for other in folders)}
