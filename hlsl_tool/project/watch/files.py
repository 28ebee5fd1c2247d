"""Digests of all files that shaders read or looked for, updated by events.

They replace the engine's digests, so that unchanged files are not read again.  A sweep over all files detects changes
by their stamps: events may be lost, and some file systems have none.
"""

from __future__ import annotations

import fnmatch
import os
import time
from collections.abc import Iterable

from hlsl_tool.base.system.atomic_write import read_bytes
from hlsl_tool.base.system.paths import UP, absolute, is_there
from hlsl_tool.project.build.currency.digests import LINK, Digests
from hlsl_tool.project.build.digest import digest

State = tuple[int, int, int, int]
"""Modification time, size, inode, and the time of the last change of these (on Windows: of creation)."""

_ABSENT: State = (0, 0, 0, 0)
_RACY_NANOSECONDS = 50_000_000
"""Nanoseconds: a file written so shortly before it was read may be written again with the same time."""


class Files(Digests):
    """Digests of the tracked files, and the folders that contain them."""

    def __init__(self, root: str) -> None:
        super().__init__(absolute(root))
        self.places: dict[str, str] = {}
        """Name → path."""
        self.names: dict[str, str] = {}
        """Path → name."""
        self.states: dict[str, State] = {}
        """Name → state of the file when it was read."""
        self.racy: set[str] = set()
        """Files that were read within `_RACY_NANOSECONDS` of their last change."""
        self.folders: frozenset[str] = frozenset()
        """Paths of the folders of all files of interest, and of the folders around them."""
        self.direct: frozenset[str] = frozenset()
        """Paths of the folders of all files of interest."""
        self._folders_of = 0

    # ---- for the engine

    def digest_cached(self, name: str) -> str:
        """Return the digest of a file after its last event; empty if the file does not exist."""
        content = self.cached.get(name)
        if content is None:
            self.read_again(name)
            content = self.cached[name]
        return content

    def digest_stat(self, name: str) -> str:
        """Return the digest of a file; read the file again if its stamp has changed."""
        self.that_changed([name], by_event=False)
        return self.digest_cached(name)

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Do nothing: events update the digests."""

    # ---- for the watcher

    def place(self, name: str) -> str:
        """Return the absolute path of a file, and track the file from now on."""
        place = self.places.get(name)
        if place is None:
            place = self.places[name] = absolute(name.removesuffix(UP), self.root)
            self.names[place] = name
        return place

    def read_again(self, name: str) -> bool:
        """Read a file; return True if its digest changed."""
        place = self.place(name)
        state = _state(place)
        now = time.time_ns()
        content = self._content(name, place) if state != _ABSENT or name.endswith(UP) else ""
        (self.racy.add if now - state[0] < _RACY_NANOSECONDS else self.racy.discard)(name)
        before = self.cached.get(name)
        self.cached[name], self.states[name] = content, state
        return before is not None and before != content

    def _content(self, name: str, place: str) -> str:
        if name.endswith(UP):
            return LINK if is_there(place + UP) else ""
        data = read_bytes(place)
        return "" if data is None else digest(data)

    def that_changed(self, names: Iterable[str], *, by_event: bool) -> set[str]:
        """Return the files whose content changed since they were last read.

        Files that were not tracked yet are not included.  With ``by_event`` all files are read again, else only those
        whose stamps changed.
        """
        changed = set()
        for name in names:
            if name not in self.cached:
                self.read_again(name)
                continue
            is_suspect = by_event or name in self.racy or self.states[name] != _state(self.place(name))
            if is_suspect and self.read_again(name):
                changed.add(name)
        return changed

    def sweep(self) -> set[str]:
        """Compare the stamps of all tracked files; return the files whose content changed."""
        status_of, places, racy = os.stat, self.places, self.racy
        suspects = []
        for name, state in list(self.states.items()):  # workers add to it
            try:
                s = status_of(places[name])
            except (OSError, ValueError):
                if state != _ABSENT:
                    suspects.append(name)
                continue
            if (s.st_mtime_ns, s.st_size, s.st_ino, s.st_ctime_ns) != state:
                suspects.append(name)
        suspects += racy
        return {name for name in dict.fromkeys(suspects) if self.read_again(name)}

    def around(self) -> frozenset[str]:
        """Return all folders that contain tracked files, directly or indirectly."""
        if self._folders_of != len(self.places):
            places = list(self.places.values())
            self.direct = frozenset(map(os.path.dirname, places))
            folders: set[str] = set()
            for folder in self.direct:
                while folder not in folders:
                    folders.add(folder)
                    folder = os.path.dirname(folder)
            self.folders = frozenset(folders)
            self._folders_of = len(places)
        return self.folders

    def keep(self, names: set[str]) -> None:
        """Stop tracking all files except ``names``."""
        for name in self.places.keys() - names:
            self.names.pop(self.places.pop(name), None)
            self.cached.pop(name, None)
            self.states.pop(name, None)
        self.racy &= names
        self._folders_of = -1


def _state(place: str) -> State:
    try:
        s = os.stat(place)
    except (OSError, ValueError):
        return _ABSENT
    return (s.st_mtime_ns, s.st_size, s.st_ino, s.st_ctime_ns)


class Listings:
    """Files that match the patterns of configurations: a new or deleted one changes the plan."""

    def __init__(self) -> None:
        self.listings: dict[tuple[str, tuple[str, ...]], _Listing] = {}

    def expect(self, keys: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Replace the listings: each key is (folder, patterns for file names)."""
        self.listings = {key: _Listing(*key) for key in keys}

    def changed(self) -> bool:
        """Return whether the files of a listing changed since the last call."""
        return any(listing.changed() for listing in self.listings.values())

    def concerns(self, path: str) -> bool:
        """Return whether creating or deleting this path can change a listing."""
        name = os.path.basename(path)
        for folder, patterns in self.listings:
            if path.startswith(folder + os.sep) and (
                any(fnmatch.fnmatch(name, pattern) for pattern in patterns) or "." not in name
            ):
                return True
        return False

    def has(self, path: str) -> bool:
        """Return whether a listing contained this path when it was last read."""
        return any(path in listing.names for listing in self.listings.values())

    def folders(self) -> set[str]:
        return {folder for (top, _), listing in self.listings.items() for folder in (top, *listing.times)}


class _Listing:
    """The files below a folder that match patterns, and the modification times of all folders below it."""

    def __init__(self, folder: str, patterns: tuple[str, ...]) -> None:
        self.folder = folder
        self.patterns = patterns
        self.times: dict[str, int] = {}
        self.names: frozenset[str] = frozenset()
        self._look()

    def changed(self) -> bool:
        """Return whether the set of files differs from that of the last call."""
        if self.times and all(_state(folder)[0] == time_ for folder, time_ in self.times.items()):
            return False
        before = self.names
        self._look()
        return self.names != before

    def _look(self) -> None:
        now = time.time_ns()
        names: set[str] = set()
        self.times = {}
        for at, inner, files in os.walk(self.folder):
            changed = _state(at)[0]
            self.times[at] = changed if now - changed >= _RACY_NANOSECONDS else 0
            inner[:] = [name for name in inner if not name.startswith(".")]
            for pattern in self.patterns:
                names.update(os.path.join(at, name) for name in fnmatch.filter(files, pattern))
        self.names = frozenset(names)
