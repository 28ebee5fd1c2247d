"""A folder as a store, for one user, several processes, or several machines that share it.

`ac/12/1234…` and `cas/12/1234…`: a file each, written under a name of its own and renamed, so that nobody ever sees
half of one.  A file's time of change is when it was last of use; when the folder has outgrown its bound, those that
were of no use for longest go.  How much has been added since the last look is told by the length of `grown`, to which
every writer appends: no lock, and a lost byte only makes the next look a little later.

Nothing is reached through a link (`folders`).  Where the group of the store's folder may write to it, all files and
folders get its permissions, so that several users can share it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from hlsl_tool.build.store.backend import MAX_BLOB, Kind, Unavailable
from hlsl_tool.build.store.folders import Folder, NoFile, opened

DEFAULT_SIZE = 5 << 30
USE_GRAIN = 600.0
"""Seconds: use is noted as coarsely as this, so that reading seldom writes."""
ABANDONED = 3600.0
"""Seconds after which a temporary file is that of a writer that was killed."""
GROWN_UNIT = 4096
"""One byte in `grown` stands for so many in the store."""
ROOM = 0.9
"""What is left of the bound after a collection."""
CHECKS = 32
"""A collection is considered after every such part of the bound has been added."""
REPORTED = 256
"""Units that a process adds before it reports them in `grown`, which takes as long as storing a small file."""

KINDS: tuple[Kind, ...] = ("ac", "cas")
_GROWN = "grown"
_GIT_IGNORE = ".gitignore"
_TEMPORARY = ".tmp"
_numbers = count()


@dataclass(slots=True)
class Usage:
    """What a store holds."""

    entries: int = 0
    blobs: int = 0
    bytes: int = 0
    removed: int = 0
    """Files that a collection took away."""
    freed: int = 0


class Directory:
    is_remote = False

    def __init__(self, path: str, *, size: int = DEFAULT_SIZE, read_only: bool = False) -> None:
        self.path = path
        self.name = path
        self.size = size
        self.read_only = read_only
        self._kinds: dict[Kind, Folder] = {}
        """The open folders of the kinds: most of the steps to a file are the same for all files."""
        self._replaced: list[Folder] = []
        """Folders that are no longer at their paths; another thread may still use them."""
        self._unreported = 0

    def get(self, kind: Kind, key: str) -> bytes | None:
        try:
            with self._folder(kind, key) as folder:
                return self._read(folder, key)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unavailable(error.strerror or str(error)) from None

    def _read(self, folder: Folder, key: str) -> bytes | None:
        try:
            descriptor = folder.open(key, os.O_RDONLY)
        except NoFile:
            if not self.read_only:
                folder.remove(key)
            return None
        with open(descriptor, "rb", buffering=0) as stream:
            status = os.fstat(descriptor)
            data = stream.read(min(status.st_size, MAX_BLOB))  # a larger request would allocate all of it
        if not self.read_only and time.time() - status.st_mtime > USE_GRAIN:
            folder.touch(key)
        return data

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        try:
            try:
                with self._folder(kind, key) as folder:
                    is_new = self._write(folder, kind, key, data)
            except FileNotFoundError:
                self._make()
                with self._folder(kind, key, make=True) as folder:
                    is_new = self._write(folder, kind, key, data)
        except OSError as error:
            raise Unavailable(error.strerror or str(error), weight=3) from None
        if is_new:
            self._grow(len(data))

    def _make(self) -> None:
        """Make the folder of a store; a new one tells git to ignore it."""
        if not os.path.isdir(self.path):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with (
                contextlib.suppress(OSError),
                opened(self.path, make=True) as top,
                open(top.open(_GIT_IGNORE, flags), "w") as stream,
            ):
                stream.write("*\n")

    def _write(self, folder: Folder, kind: Kind, key: str, data: bytes) -> bool:
        """Write a file unless it is there; whether it was not."""
        if _has(folder, key, len(data)) and (kind == "cas" or _says(folder, key, data)):
            return False  # to replace a file costs some systems a wait for the disk
        temporary = f"{key}.{os.getpid():x}.{next(_numbers):x}.{os.urandom(4).hex()}{_TEMPORARY}"
        try:
            with open(folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as stream:
                stream.write(data)
            folder.replace(temporary, key)
        except OSError as error:
            folder.remove(temporary)
            if isinstance(error, PermissionError) and _has(folder, key, len(data)):
                return False  # Windows: somebody reads what is there, which is the same
            raise
        return True

    @contextlib.contextmanager
    def _folder(self, kind: Kind, key: str, *, make: bool = False) -> Iterator[Folder]:
        with self._kind(kind, make).inner(key[:2], make=make) as folder:
            yield folder

    def _kind(self, kind: Kind, make: bool) -> Folder:
        """The open folder of a kind."""
        folder = self._kinds.get(kind)
        if folder is not None and not folder.is_at_its_path():
            self._replaced.append(self._kinds.pop(kind))
            folder = None
        if folder is None:
            with opened(self.path, make=make) as top:
                folder = top.held(kind, make=make)
            if folder.descriptor is not None:
                self._kinds[kind] = folder
        return folder

    def has(self, kind: Kind, key: str, data: bytes) -> bool:
        """`put` looks at each file."""
        return False

    def drop(self, kind: Kind, key: str) -> None:
        if not self.read_only:
            with contextlib.suppress(OSError), self._folder(kind, key) as folder:
                folder.remove(key)

    def close(self) -> None:
        """Report what was added, and close the folders."""
        if self._unreported:
            self._report_growth()
        for folder in (*self._kinds.values(), *self._replaced):
            folder.close()
        self._kinds.clear()
        self._replaced.clear()

    # ---- size

    def _grow(self, added: int) -> None:
        self._unreported += added // GROWN_UNIT + 1
        if self._unreported >= min(REPORTED, self.size // GROWN_UNIT // CHECKS // 4):
            self._report_growth()

    def _report_growth(self) -> None:
        """Append the units that this process added to `grown`; collect if all writers together have added much."""
        added, self._unreported = self._unreported, 0
        try:
            with opened(self.path) as top:
                try:
                    descriptor = top.open(_GROWN, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                except NoFile:
                    top.remove(_GROWN)
                    return
                with open(descriptor, "ab") as stream:
                    if os.fstat(descriptor).st_nlink > 1:  # it is another file, too
                        top.remove(_GROWN)
                        return
                    stream.write(b"+" * added)
                    grown = stream.tell() * GROWN_UNIT
                    is_much = grown > self.size // CHECKS
                    if is_much:
                        stream.truncate(0)
            if is_much:
                self.collect()
        except OSError:
            return  # what was stored is stored; the next writer counts again

    def collect(self, size: int | None = None) -> Usage:
        """Bring the store below a size, its bound if none is given; the longest unused go first."""
        bound = self.size if size is None else size
        usage = Usage()
        found: list[tuple[float, int, Kind, str]] = []
        now = time.time()
        for kind in KINDS:
            for name, status in self._files(kind):
                if name.endswith(_TEMPORARY):
                    if now - status.st_mtime > ABANDONED:
                        self._remove(kind, name)
                    continue
                # What a block of the file system holds is what the disk loses.
                taken = -(-status.st_size // GROWN_UNIT) * GROWN_UNIT
                found.append((status.st_mtime, taken, kind, name))
                usage.bytes += taken
                if kind == "ac":
                    usage.entries += 1
                else:
                    usage.blobs += 1
        if usage.bytes > bound:
            target = int(bound * ROOM)
            for _, taken, kind, name in sorted(found):
                if usage.bytes - usage.freed <= target:
                    break
                if self._remove(kind, name):
                    usage.removed += 1
                    usage.freed += taken
        return usage

    def clear(self) -> Usage:
        """Remove everything that is a store's, and the folder if nothing else is in it."""
        usage = self.collect(-1)
        for kind in KINDS:
            for name, _ in self._files(kind):
                self._remove(kind, name)
        with contextlib.suppress(OSError), opened(self.path) as top:
            for kind in KINDS:
                with contextlib.suppress(OSError), top.inner(kind) as folder:
                    for number in range(256):
                        folder.remove_folder(f"{number:02x}")
                top.remove_folder(kind)
            for name in (_GROWN, _GIT_IGNORE):
                top.remove(name)
        with contextlib.suppress(OSError):
            os.rmdir(self.path)
        return usage

    def usage(self) -> Usage:
        return self.collect(1 << 62)

    def _files(self, kind: Kind) -> list[tuple[str, os.stat_result]]:
        """The files of a kind, by name; what links lead to is none of them."""
        found = []
        with contextlib.suppress(OSError), opened(self.path) as top, top.inner(kind) as middle:
            for number in range(256):
                prefix = f"{number:02x}"
                with contextlib.suppress(OSError), middle.inner(prefix) as folder:
                    found += [(name, status) for name, status in folder.files() if name.startswith(prefix)]
        return found

    def _remove(self, kind: Kind, name: str) -> bool:
        with contextlib.suppress(OSError), self._folder(kind, name) as folder:
            return folder.remove(name)
        return False


def _has(folder: Folder, key: str, size: int) -> bool:
    """Whether a blob is there; what has its length but not its content is found when it is read, and removed."""
    try:
        status = folder.stat(key)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size != size:
        return False
    if time.time() - status.st_mtime > USE_GRAIN:
        folder.touch(key)
    return True


def _says(folder: Folder, key: str, data: bytes) -> bool:
    try:
        with open(folder.open(key, os.O_RDONLY), "rb") as stream:
            return stream.read(len(data) + 1) == data
    except OSError:
        return False
