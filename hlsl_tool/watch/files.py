"""What the watcher knows of the disk: the digest of every file that a shader read or looked for, kept by events.

It takes the place of the engine's digests, so that nothing is read again that did not change.  A file whose event was
lost is found by its time and size, when all are looked at: with nothing going on, and on disks without events.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import time
from collections.abc import Iterable

from hlsl_tool.build.currency.digests import Digests
from hlsl_tool.build.digest import digest
from hlsl_tool.system.atomic_write import read_bytes

State = tuple[int, int, int]
"""Time, size, inode."""

_ABSENT: State = (0, 0, 0)
_RACY_NANOSECONDS = 50_000_000
"""A file that was written so shortly before it was read may have been written again without another time."""


class Files(Digests):
    def __init__(self, root: str) -> None:
        super().__init__(os.path.abspath(root))
        self.places: dict[str, str] = {}
        """Name → path."""
        self.names: dict[str, str] = {}
        """Path → name."""
        self.states: dict[str, State] = {}
        """Name → the file's, when it was read."""
        self.racy: set[str] = set()
        self.loose: set[str] = set()
        """Files that are written under other names, too: links of either kind.  Events are told of one name."""
        self.folders: frozenset[str] = frozenset()
        """Those that files of interest lie in, and all around them, as paths."""
        self.direct: frozenset[str] = frozenset()
        """Those that they lie in."""
        self._folders_of = 0

    # ---- as the engine asks

    def digest_cached(self, name: str) -> str:
        found = self.cached.get(name)
        if found is None:
            self.read_again(name)
            found = self.cached[name]
        return found

    def digest_stat(self, name: str) -> str:
        self.that_changed([name], by_event=False)
        return self.digest_cached(name)

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Events tell what changes."""

    # ---- as the watcher asks

    def place(self, name: str) -> str:
        found = self.places.get(name)
        if found is None:
            found = self.places[name] = os.path.normpath(os.path.join(self.root, name))
            self.names[found] = name
        return found

    def read_again(self, name: str) -> bool:
        """Read a file; whether it is another than was known."""
        place = self.place(name)
        state = _state(place)
        now = time.time_ns()
        data = read_bytes(place) if state != _ABSENT else None
        found = "" if data is None else digest(data)
        (self.racy.add if now - state[0] < _RACY_NANOSECONDS else self.racy.discard)(name)
        (self.loose.add if _has_other_names(place) else self.loose.discard)(name)
        before = self.cached.get(name)
        self.cached[name], self.states[name] = found, state
        return before is not None and before != found

    def that_changed(self, names: Iterable[str], *, by_event: bool) -> set[str]:
        """Of these files those with another content than when they were last looked at; new ones are none of them."""
        found = set()
        for name in names:
            if name not in self.cached:
                self.read_again(name)
                continue
            is_suspect = by_event or name in self.racy or self.states[name] != _state(self.place(name))
            if is_suspect and self.read_again(name):
                found.add(name)
        return found

    def may_have_changed(self) -> bool:
        """Whether one of those files changed, by time and size, of which events may not tell."""
        return bool(self.racy) or any(self.states.get(name) != _state(self.place(name)) for name in list(self.loose))

    def sweep(self) -> set[str]:
        """Look at all files, by time and size; those that changed."""
        status_of, places, racy = os.stat, self.places, self.racy
        suspects = []
        for name, known in list(self.states.items()):  # workers add to it
            try:
                s = status_of(places[name])
            except (OSError, ValueError):
                if known != _ABSENT:
                    suspects.append(name)
                continue
            if s.st_mtime_ns != known[0] or s.st_size != known[1] or s.st_ino != known[2]:
                suspects.append(name)
        suspects += racy
        return {name for name in dict.fromkeys(suspects) if self.read_again(name)}

    def below(self, paths: Iterable[str]) -> set[str]:
        """The files of interest that lie at these paths or anywhere below them."""
        paths = set(paths)
        found = {self.names[path] for path in paths if path in self.names}
        folders = tuple(path.rstrip(os.sep) + os.sep for path in paths & self.around())
        if folders:
            found |= {name for name, place in list(self.places.items()) if place.startswith(folders)}
        return found

    def around(self) -> frozenset[str]:
        """All folders that files of interest lie in, and those around them."""
        if self._folders_of != len(self.places):
            places = list(self.places.values())
            self.direct = frozenset(map(os.path.dirname, places))
            found: set[str] = set()
            for folder in self.direct:
                while folder not in found:
                    found.add(folder)
                    folder = os.path.dirname(folder)
            self.folders = frozenset(found)
            self._folders_of = len(places)
        return self.folders

    def keep(self, names: set[str]) -> None:
        """Forget all others."""
        for name in self.places.keys() - names:
            self.names.pop(self.places.pop(name), None)
            self.cached.pop(name, None)
            self.states.pop(name, None)
        self.racy &= names
        self.loose &= names
        self._folders_of = -1


def _state(place: str) -> State:
    try:
        s = os.stat(place)
    except (OSError, ValueError):
        return _ABSENT
    return (s.st_mtime_ns, s.st_size, s.st_ino)


def _has_other_names(place: str) -> bool:
    try:
        s = os.lstat(place)
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(s.st_mode) or s.st_nlink > 1


class Listings:
    """Which names patterns find: what is new or gone there changes what is to be built."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, tuple[str, ...]], _Listing] = {}

    def expect(self, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """(folder, patterns of last parts of names): these from now on, as they are now."""
        self.found = {key: _Listing(*key) for key in wanted}

    def changed(self) -> bool:
        return any(listing.changed() for listing in self.found.values())

    def concerns(self, path: str) -> bool:
        """Whether a file or folder of this name can change what is listed."""
        name = os.path.basename(path)
        for folder, patterns in self.found:
            if path.startswith(folder + os.sep) and (
                any(fnmatch.fnmatch(name, pattern) for pattern in patterns) or "." not in name
            ):
                return True
        return False

    def has(self, path: str) -> bool:
        """Whether it was found when it was last looked."""
        return any(path in listing.names for listing in self.found.values())

    def folders(self) -> set[str]:
        """All that are to be watched."""
        return {folder for (top, _), listing in self.found.items() for folder in (top, *listing.times)}


class _Listing:
    """What patterns find below a folder, and the times of all folders there: they change with the names in them."""

    def __init__(self, folder: str, patterns: tuple[str, ...]) -> None:
        self.folder = folder
        self.patterns = patterns
        self.times: dict[str, int] = {}
        self.names: frozenset[str] = frozenset()
        self._look()

    def changed(self) -> bool:
        """Whether it finds others than when this was last asked."""
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
