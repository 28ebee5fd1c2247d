"""Events from Linux's inotify(7): one file descriptor for all folders, and no thread.

A watch belongs to a folder, not to a path: `watch` must be called again after each event about a folder that was
deleted or moved, and drops it.
"""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

from hlsl_tool.project.watch.events import EVERYTHING, Event, Unwatchable

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED, _ISDIR, _ONLYDIR = 0x4000, 0x8000, 0x4000_0000, 0x0100_0000
_MASK = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_WHOLE = _CLOSE_WRITE | _MOVED_TO | _ATTRIB
"""Events of complete files: no program is in the middle of writing them."""
_GONE = _DELETE_SELF | _MOVE_SELF | _IGNORED
_LOCAL = frozenset(("bcachefs", "ext2", "ext3", "ext4", "f2fs", "jfs", "tmpfs", "xfs", "zfs"))
"""Types of file systems that only this system writes to."""
Place = tuple[int, int]
"""Device and inode."""
_HEADER = struct.Struct("iIII")  # watch, mask, cookie, length of the name behind it
_BUFFER = 1 << 16


def place_of(folder: str) -> Place:
    """Return (device, inode) of a folder; (0, 0) if it does not exist."""
    try:
        status = os.stat(folder)
    except OSError:
        return (0, 0)
    return (status.st_dev, status.st_ino)


@cache
def local_devices() -> frozenset[int]:
    """Return the device numbers of local file systems."""
    types: dict[int, str] = {}
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as stream:
            for line in stream:
                mount, _, system = line.partition(" - ")
                major, _, minor = mount.split()[2].partition(":")
                types[os.makedev(int(major), int(minor))] = system.split()[0]
    except (OSError, ValueError, IndexError):
        return frozenset()
    return frozenset(device for device, kind in types.items() if kind in _LOCAL)


class Inotify:
    """A `Source`; its constructor raises Unwatchable if the system has no more inotify descriptors."""

    def __init__(self) -> None:
        try:
            self.library: Any = ctypes.CDLL(None, use_errno=True)
            self.descriptor = int(self.library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        except (OSError, AttributeError, TypeError) as error:
            raise Unwatchable(str(error)) from None
        if self.descriptor < 0:
            raise Unwatchable(os.strerror(ctypes.get_errno()))
        self.folders: dict[int, str] = {}
        self.watches: dict[str, int] = {}
        self.places: dict[str, Place] = {}
        """Watched folder → its device and inode when the watch was set."""

    def watch(self, folders: Iterable[str]) -> bool:
        chosen = set(folders)
        for folder in self.watches.keys() - chosen:
            self._remove(folder)
        new = False
        for folder in sorted(chosen):
            number = int(self.library.inotify_add_watch(self.descriptor, os.fsencode(folder), _MASK | _ONLYDIR))
            if number < 0:
                self.watches.pop(folder, None)
                if ctypes.get_errno() == 28:  # ENOSPC: fs.inotify.max_user_watches
                    raise Unwatchable("the system allows no more watches (fs.inotify.max_user_watches)")
                continue  # it was removed in between; its parent has an event when it is back
            if self.watches.get(folder) != number:  # another folder than the one that had this name
                new = True
                self.watches[folder] = number
                self.folders[number] = folder
                self.places[folder] = place_of(folder)
        return new

    def misses(self, folders: Iterable[str]) -> bool:
        """Return whether a change in one of these folders could raise no event.

        A folder may be unwatched, replaced by another one of the same name, or on a file system that other machines
        write to.
        """
        for folder in folders:
            place = self.places.get(folder) if folder in self.watches else None
            if place is None or place != place_of(folder) or place[0] not in local_devices():
                return True
        return False

    def read(self, timeout: float | None) -> list[Event]:
        if not select.select([self.descriptor], [], [], timeout)[0]:
            return []
        try:
            data = os.read(self.descriptor, _BUFFER)
        except BlockingIOError:
            return []
        events = []
        at = 0
        while at < len(data):
            number, mask, _, length = _HEADER.unpack_from(data, at)
            at += _HEADER.size
            name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
            at += length
            if mask & _OVERFLOW:
                events.append(Event(EVERYTHING, False))
                continue
            folder = self.folders.get(number)
            if folder is None:
                continue
            if mask & _GONE and not name:
                if mask & (_IGNORED | _MOVE_SELF):
                    self._forget(number, mask)
                events.append(Event(folder, False))
                continue
            path = os.path.join(folder, name) if name else folder
            events.append(Event(path, bool(mask & _WHOLE) and not mask & _ISDIR))
        return events

    def close(self) -> None:
        os.close(self.descriptor)

    def _forget(self, number: int, mask: int) -> None:
        folder = self.folders.pop(number)
        if self.watches.get(folder) == number:
            del self.watches[folder]
        if not mask & _IGNORED:  # moved: the watch would go with it
            self.library.inotify_rm_watch(self.descriptor, number)

    def _remove(self, folder: str) -> None:
        self.places.pop(folder, None)
        number = self.watches.pop(folder)
        self.folders.pop(number, None)
        self.library.inotify_rm_watch(self.descriptor, number)
