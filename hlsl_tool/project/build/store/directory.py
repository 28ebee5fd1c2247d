"""A folder as a back end: for one user, several processes, or several machines that share the folder.

`ac/12/1234…` and `cas/12/1234…`: a file each, written under a temporary name and renamed, so that no reader sees a
partial file.  Small blobs are part of the index entries that refer to them.  The modification time of a file is the
time of its last use; when the folder exceeds its size limit, the least recently used files are removed.  The length of
the file `grown`, to which every writer appends, records how much was added since the last collection: it needs no lock,
and a lost byte only delays the next collection a little.

No file is accessed through a symbolic link (`folders`).  If the group of the store's folder may write to it, all files
and folders get its permissions, so that several users can share it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from itertools import count

from hlsl_tool.base.system.atomic_write import remove_empty
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.folders import Folder, NoFile, opened
from hlsl_tool.project.build.store.backend import MAX_BLOB, Kind, Unavailable

DEFAULT_SIZE = 5 << 30
USE_GRAIN = 600.0
"""Seconds between two updates of a file's time of use: reading seldom writes."""
ABANDONED = 3600.0
"""Seconds after which a temporary file belongs to a writer that was killed."""
GROWN_UNIT = 4096
"""Bytes in the store for each byte in `grown`."""
ROOM = 0.9
"""Share of the bound that a collection leaves."""
CHECKS = 32
"""A collection is considered when this part of the bound (1/32) has been added."""
REPORTED = 256
"""Units that a process adds before it appends them to `grown`, which takes as long as storing a small file."""

KINDS: tuple[Kind, ...] = ("ac", "cas")
_GROWN = "grown"
_GIT_IGNORE = ".gitignore"
_TEMPORARY = ".tmp"
_numbers = count()


@dataclass(slots=True)
class Usage:
    """Number and size of the files in a store's folder."""

    entries: int = 0
    blobs: int = 0
    bytes: int = 0
    removed: int = 0
    """Files that a collection removed."""
    freed: int = 0


class Directory:
    """A back end that stores each blob and index entry as a file in a folder."""

    is_remote = False
    inline_size = 4096  # a block of most file systems: to create a file takes longer than to write it

    def __init__(self, path: str, *, size: int = DEFAULT_SIZE, read_only: bool = False) -> None:
        self.path = path
        self.name = path
        self.size = size
        self.read_only = read_only
        self._kinds: dict[Kind, Folder] = {}
        """The open folders of both kinds: most steps to a file are the same for all files."""
        self._replaced: list[Folder] = []
        """Folders that are no longer at their paths; another thread may still use them."""
        self._unreported = 0

    def get(self, kind: Kind, key: str) -> bytes | None:
        """Return the content of a file and update its time of last use; `None` if it does not exist."""
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
        """Write a file, unless it exists with the same content."""
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
        """Create the folder of a store, with a `.gitignore` that ignores everything in it."""
        if not os.path.isdir(self.path):
            with contextlib.suppress(OSError), opened(self.path, make=True) as top, top.create(_GIT_IGNORE) as stream:
                stream.write(b"*\n")

    def _write(self, folder: Folder, kind: Kind, key: str, data: bytes) -> bool:
        """Write a file unless it exists with the same content; return True if it was written."""
        if _has(folder, key, len(data)) and (kind == "cas" or _has_content(folder, key, data)):
            return False  # replacing a file makes some systems wait for the disk
        temporary = f"{key}.{os.getpid():x}.{next(_numbers):x}.{os.urandom(4).hex()}{_TEMPORARY}"
        try:
            with folder.create(temporary) as stream:
                stream.write(data)
            folder.replace(temporary, key)
        except OSError as error:
            folder.remove(temporary)
            if isinstance(error, PermissionError) and _has(folder, key, len(data)):
                return False  # Windows: another process reads the same file
            raise
        return True

    @contextlib.contextmanager
    def _folder(self, kind: Kind, key: str, *, make: bool = False) -> Iterator[Folder]:
        with self._kind(kind, make).inner(key[:2], make=make) as folder:
            yield folder

    def _kind(self, kind: Kind, make: bool) -> Folder:
        """Return the open folder of a kind (`ac` or `cas`); open it again if another process has replaced it."""
        folder = self._kinds.get(kind)
        if folder is not None and not folder.is_at_its_path():
            self._replaced.append(self._kinds.pop(kind))
            folder = None
        if folder is None:
            with opened(self.path, make=make) as top:
                folder = top.enter(kind, make=make)
            if folder.descriptor is not None:
                self._kinds[kind] = folder
        return folder

    def has(self, kind: Kind, key: str, data: bytes) -> bool:
        """Return False: `put` checks each file itself."""
        return False

    def drop(self, kind: Kind, key: str) -> None:
        """Remove a file."""
        if not self.read_only:
            with contextlib.suppress(OSError), self._folder(kind, key) as folder:
                folder.remove(key)

    def close(self) -> None:
        """Write the pending growth to the file `grown`, and close the folders."""
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
        """Append a byte to the file `grown` for every `GROWN_UNIT` bytes that this process has added to the store.

        The length of the file shows the growth by all writers since the last collection; if that is large, remove the
        least recently used files.
        """
        added, self._unreported = self._unreported, 0
        try:
            with opened(self.path) as top:
                try:
                    grown = top.append(_GROWN)
                except NoFile:
                    top.remove(_GROWN)
                    return
                with grown as stream:
                    if os.fstat(stream.fileno()).st_nlink > 1:  # it is another file, too
                        top.remove(_GROWN)
                        return
                    stream.write(b"+" * added)
                    is_much = stream.tell() * GROWN_UNIT > self.size // CHECKS
                    if is_much:
                        stream.truncate(0)
            if is_much:
                self.collect()
        except OSError:
            return  # the results are stored; the next writer counts again

    def collect(self, size: int | None = None) -> Usage:
        """Reduce the store to ``size`` bytes (default: its size limit); remove the least recently used files first."""
        bound = self.size if size is None else size
        usage = Usage()
        files: list[tuple[float, int, Kind, str]] = []
        now = time.time()
        for kind in KINDS:
            for name, status in self._files(kind):
                if name.endswith(_TEMPORARY):
                    if now - status.st_mtime > ABANDONED:
                        self._remove(kind, name)
                    continue
                # A file takes whole blocks of the file system.
                taken = -(-status.st_size // GROWN_UNIT) * GROWN_UNIT
                files.append((status.st_mtime, taken, kind, name))
                usage.bytes += taken
                if kind == "ac":
                    usage.entries += 1
                else:
                    usage.blobs += 1
        if usage.bytes > bound:
            target = int(bound * ROOM)
            for _, taken, kind, name in sorted(files):
                if usage.bytes - usage.freed <= target:
                    break
                if self._remove(kind, name):
                    usage.removed += 1
                    usage.freed += taken
        return usage

    def clear(self) -> Usage:
        """Remove all files of the store, and the folder if nothing else is in it."""
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
        remove_empty(self.path, os.path.dirname(self.path))
        return usage

    def usage(self) -> Usage:
        """Return the present usage; delete only abandoned temporary files."""
        return self.collect(1 << 62)

    def _files(self, kind: Kind) -> list[tuple[str, os.stat_result]]:
        """Return (name, status) of all regular files of a kind; symbolic links are not followed."""
        files: list[tuple[str, os.stat_result]] = []
        with contextlib.suppress(OSError), opened(self.path) as top, top.inner(kind) as middle:
            for number in range(256):
                prefix = f"{number:02x}"
                with contextlib.suppress(OSError), middle.inner(prefix) as folder:
                    files += [(name, status) for name, status in folder.files() if name.startswith(prefix)]
        return files

    def _remove(self, kind: Kind, name: str) -> bool:
        with contextlib.suppress(OSError), self._folder(kind, name) as folder:
            return folder.remove(name)
        return False


def _has(folder: Folder, key: str, size: int) -> bool:
    """Return whether a file of this size exists; `get` detects and removes one with other content."""
    try:
        status = folder.stat(key)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size != size:
        return False
    if time.time() - status.st_mtime > USE_GRAIN:
        folder.touch(key)
    return True


def _has_content(folder: Folder, key: str, data: bytes) -> bool:
    try:
        with open(folder.open(key, os.O_RDONLY), "rb") as stream:
            return stream.read(len(data) + 1) == data
    except OSError:
        return False
