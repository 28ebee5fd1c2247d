"""Events of the file system, from the package `watchdog`.

Its handlers are not informed of lost events, so the watcher also compares the stamps of all files when it is idle.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Iterable
from typing import Any

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

from hlsl_tool.project.watch.events import Event, Unwatchable

_IS_DEEP = sys.platform in ("darwin", "win32")
"""Whether one watch covers a tree at the cost of a folder."""
_EVENTS: list[type[FileSystemEvent]] = [
    *(DirCreatedEvent, DirDeletedEvent, DirMovedEvent),
    *(FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent),
]
"""All but reads, which the compiler causes itself, and modified folders, which have other events as well."""
_MANY = 8
"""Number of watches of trees above which neighbours share one."""
Place = tuple[int, int]
"""Device and inode."""


class _Handler(FileSystemEventHandler):
    """Puts the events of `watchdog` into a queue."""

    def __init__(self, events: queue.Queue[Event]) -> None:
        self.events = events

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.src_path:
            whole = event.event_type == "closed" and not event.is_directory
            self.events.put(Event(os.fsdecode(event.src_path), whole))
        if event.dest_path:
            self.events.put(Event(os.fsdecode(event.dest_path), not event.is_directory))


class Observed:
    """A `Source`; its constructor raises Unwatchable if the system delivers no events."""

    def __init__(self, avoid: str = "") -> None:
        """Start the observer.

        ``avoid``: a folder that is written to all the time, and that must not be watched as a part of a larger one.
        """
        self.events: queue.Queue[Event] = queue.Queue()
        self.handler = _Handler(self.events)
        self.avoid = avoid
        self.watched: dict[tuple[str, bool], tuple[Any, Place]] = {}
        """(Folder, whether everything below it is watched) → the watch, and the folder's place at that time."""
        try:
            self.observer = _observer()
            self.observer.start()
        except OSError as error:
            raise Unwatchable(error.strerror or str(error)) from None

    def watch(self, folders: Iterable[str]) -> bool:
        wanted = outer_folders(set(folders), self.avoid) if _IS_DEEP else {(folder, False) for folder in folders}
        places = {key: _place_of(key[0]) for key in wanted}
        alive = {emitter.watch for emitter in self.observer.emitters if emitter.is_alive()}
        for key, (watch, place) in list(self.watched.items()):
            if watch not in alive or places.get(key) != place:  # deleted, or another folder has its name now
                self.observer.unschedule(watch)
                del self.watched[key]
        new = wanted - self.watched.keys()
        for folder, deep in sorted(new):
            try:
                watch = self.observer.schedule(
                    self.handler, folder, recursive=deep, event_filter=_EVENTS, follow_symlink=not deep
                )
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                new.discard((folder, deep))  # it was removed in between; its parent has an event when it is back
                continue
            except (OSError, RuntimeError) as error:  # a limit on watches, or on threads
                reason = getattr(error, "strerror", None) or error
                raise Unwatchable(f"the system allows no more watches ({reason})") from None
            self.watched[folder, deep] = (watch, places[folder, deep])
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

    def close(self) -> None:
        self.observer.stop()
        self.observer.join()


def _observer() -> Any:
    if sys.platform != "linux":
        from watchdog.observers import Observer  # the module of the system

        return Observer()
    from watchdog.observers.inotify import InotifyObserver
    from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper

    # It pairs moves by holding all events of a folder for half a second after a file has left it.  We need no pairs.
    InotifyMoveEventGrouper.delay = 0
    return InotifyObserver(generate_full_events=True)


def _place_of(folder: str) -> Place:
    """Return (device, inode) of a folder; (0, 0) if it does not exist."""
    try:
        status = os.stat(folder)
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


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


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _outermost(folders: set[str]) -> set[str]:
    """Return the folders that are not inside another one of them."""
    return {f for f in folders if not any(other != f and _inside(f, other) for other in folders)}
