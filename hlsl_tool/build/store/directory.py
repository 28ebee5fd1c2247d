"""A folder as a store, for one user, several processes, or several machines that share it.

`ac/12/1234…` and `cas/12/1234…`: a file each, written under a name of its own and renamed, so that nobody ever sees
half of one.  A file's time of change is when it was last of use; when the folder has outgrown its bound, those that
were of no use for longest go.  How much has been added since the last look is told by the length of `grown`, to which
every writer appends: no lock, and a lost byte only makes the next look a little later.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from itertools import count

from hlsl_tool.build.store.backend import MAX_BLOB, Kind, Unavailable

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
    def __init__(self, path: str, *, size: int = DEFAULT_SIZE, read_only: bool = False) -> None:
        self.path = path
        self.name = path
        self.size = size
        self.read_only = read_only

    def place(self, kind: Kind, key: str) -> str:
        return os.path.join(self.path, kind, key[:2], key)

    def get(self, kind: Kind, key: str) -> bytes | None:
        path = self.place(kind, key)
        try:
            with open(path, "rb") as stream:
                data = stream.read(MAX_BLOB)
                used = os.fstat(stream.fileno()).st_mtime
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unavailable(error.strerror or str(error)) from None
        if not self.read_only and time.time() - used > USE_GRAIN:
            with contextlib.suppress(OSError):  # another machine's folder may be readable only
                os.utime(path)
        return data

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        path = self.place(kind, key)
        if self._has(path, len(data)) and (kind == "cas" or self._says(path, data)):
            return  # to replace a file costs some systems a wait for the disk
        temporary = f"{path}.{os.getpid():x}.{next(_numbers):x}.{os.urandom(4).hex()}{_TEMPORARY}"
        try:
            try:
                stream = open(temporary, "xb")  # noqa: SIM115  # the folder is made if that fails
            except FileNotFoundError:
                self._make_folder(os.path.dirname(path))
                stream = open(temporary, "xb")  # noqa: SIM115
            with stream:
                stream.write(data)
            os.replace(temporary, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.remove(temporary)
            if isinstance(error, PermissionError) and os.path.exists(path):
                return  # Windows: somebody reads what is there, which is the same
            raise Unavailable(error.strerror or str(error), weight=3) from None
        self._grow(len(data))

    def _make_folder(self, folder: str) -> None:
        """Make a folder of the store; a new store tells git to ignore it."""
        is_new = not os.path.isdir(self.path)
        os.makedirs(folder, exist_ok=True)
        if is_new:
            with contextlib.suppress(OSError), open(os.path.join(self.path, ".gitignore"), "x") as stream:
                stream.write("*\n")

    def _has(self, path: str, size: int) -> bool:
        """Whether a blob is there; what has its length but not its content is found when it is read, and removed."""
        try:
            status = os.stat(path)
        except OSError:
            return False
        if status.st_size != size:
            return False
        if time.time() - status.st_mtime > USE_GRAIN:
            with contextlib.suppress(OSError):
                os.utime(path)
        return True

    def _says(self, path: str, data: bytes) -> bool:
        try:
            with open(path, "rb") as stream:
                return stream.read(len(data) + 1) == data
        except OSError:
            return False

    def drop(self, kind: Kind, key: str) -> None:
        if not self.read_only:
            with contextlib.suppress(OSError):
                os.remove(self.place(kind, key))

    def close(self) -> None:
        """Nothing is held."""

    # ---- size

    def _grow(self, added: int) -> None:
        path = os.path.join(self.path, "grown")
        try:
            with open(path, "ab") as stream:
                stream.write(b"+" * (added // GROWN_UNIT + 1))
                grown = stream.tell() * GROWN_UNIT
            if grown > self.size // CHECKS:
                with open(path, "wb"):
                    pass
                self.collect()
        except OSError:
            return  # what was stored is stored; the next writer counts again

    def collect(self, size: int | None = None) -> Usage:
        """Bring the store below a size, its bound if none is given; the longest unused go first."""
        bound = self.size if size is None else size
        usage = Usage()
        found: list[tuple[float, int, str]] = []
        now = time.time()
        for kind in ("ac", "cas"):
            for path, status in _files(os.path.join(self.path, kind)):
                if path.endswith(_TEMPORARY):
                    if now - status.st_mtime > ABANDONED:
                        _remove(path)
                    continue
                # What a block of the file system holds is what the disk loses.
                taken = -(-status.st_size // GROWN_UNIT) * GROWN_UNIT
                found.append((status.st_mtime, taken, path))
                usage.bytes += taken
                if kind == "ac":
                    usage.entries += 1
                else:
                    usage.blobs += 1
        if usage.bytes > bound:
            target = int(bound * ROOM)
            for _, taken, path in sorted(found):
                if usage.bytes - usage.freed <= target:
                    break
                if _remove(path):
                    usage.removed += 1
                    usage.freed += taken
        return usage

    def clear(self) -> Usage:
        """Remove everything that is a store's, and the folder if nothing else is in it."""
        usage = self.collect(-1)
        for kind in ("ac", "cas"):
            for path, _ in _files(os.path.join(self.path, kind)):
                _remove(path)
            for number in range(256):
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.join(self.path, kind, f"{number:02x}"))
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(self.path, kind))
        for name in ("grown", ".gitignore"):
            _remove(os.path.join(self.path, name))
        with contextlib.suppress(OSError):
            os.rmdir(self.path)
        return usage

    def usage(self) -> Usage:
        return self.collect(1 << 62)


def _files(folder: str) -> list[tuple[str, os.stat_result]]:
    found = []
    for number in range(256):
        with contextlib.suppress(OSError), os.scandir(os.path.join(folder, f"{number:02x}")) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # gone meanwhile: others collect, too
                    found.append((entry.path, entry.stat()))
    return found


def _remove(path: str) -> bool:
    try:
        os.remove(path)
    except OSError:
        return False
    return True
