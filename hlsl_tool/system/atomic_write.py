"""Writing outputs so that a reader, or a build that was killed, never sees half a file."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
import sys
import time
from itertools import count

from hlsl_tool.system.regular_files import open_regular, read_regular

TEMPORARY_SUFFIX = ".tmp~"
"""Added to the name of a file while it is written, behind the writer's number: two builds may write the same file."""
ABANDONED = 3600.0
"""Seconds after which a temporary file is that of a writer that was killed, if nothing else tells."""

_TEMPORARY = re.compile(r".*\.([0-9a-f]+)-[0-9a-f]+" + re.escape(TEMPORARY_SUFFIX), re.S)
_numbers = count()
_BINARY: int = getattr(os, "O_BINARY", 0)
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""Windows has neither pipes among its files nor these flags."""


class WriteError(Exception):
    """A file cannot be written; `path` and `reason` are for the user."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def write_atomic(path: str, data: bytes) -> None:
    """Write a file whole or not at all; the folder is made if need be."""
    write_all({path: data})


def _temporary_suffix() -> str:
    """Return what this process adds to the name of the next file that it writes."""
    return f".{os.getpid():x}-{next(_numbers):x}{TEMPORARY_SUFFIX}"


def write_own(path: str, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file of state whole or not at all.

    Unlike an output it is always a file of its own: a link or a pipe of its name is replaced, so that nothing outside
    the folder is written.  ``mode``: permissions, before the umask.
    """
    temporary = path + _temporary_suffix()
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            raise WriteError(path, "there is a folder of this name")
        folder = os.path.dirname(path)
        if folder:
            _make_folder(folder, path)
        _sweep(folder or ".")
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode), "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise WriteError(path, error.strerror or str(error)) from error


def write_all(files: dict[str, bytes]) -> None:
    """Write several files of one shader: all are on disk under temporary names before the first takes its place, so
    that a full disk leaves the old set.

    A symbolic link stays one: the file it leads to is written.  Devices and pipes (`/dev/null`) are written to, never
    replaced.
    """
    places: dict[str, str] = {}
    suffix = _temporary_suffix()
    path = ""
    try:
        for path, data in files.items():
            if _is_special(path):
                _write_special(path, data)
                continue
            if os.path.isdir(path):
                raise WriteError(path, "there is a folder of this name")
            place = os.path.realpath(path) if os.path.islink(path) else path
            folder = os.path.dirname(place)
            if folder:
                _make_folder(folder, path)
            _sweep(folder or ".")
            places[path] = place
            with open(place + suffix, "wb") as stream:
                stream.write(data)
        for path, place in places.items():  # noqa: B007  # named in the message
            os.replace(place + suffix, place)
    except (OSError, WriteError) as error:
        for place in places.values():
            with contextlib.suppress(OSError):
                os.remove(place + suffix)
        if isinstance(error, WriteError):
            raise
        raise WriteError(path, error.strerror or str(error)) from error


def _write_special(path: str, data: bytes) -> None:
    """Write to a device or a pipe; fail at once where nothing reads from the pipe."""
    try:
        descriptor = os.open(path, os.O_WRONLY | _NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise WriteError(path, "it is a pipe or socket that nothing reads from") from None
        raise
    with open(descriptor, "wb") as stream:
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        stream.write(data)


def _make_folder(folder: str, wanted: str) -> None:
    """Make the folder of a wanted file and those above it; what is a file in the place of one is named."""
    try:
        os.makedirs(folder, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        path = os.path.abspath(folder)
        while not os.path.lexists(path):
            path = os.path.dirname(path)
        raise WriteError(wanted, f"`{os.path.basename(path)}` is a file, not a folder") from None


@functools.cache
def _sweep(folder: str) -> None:
    """Remove what killed builds left in a folder: looked for once by each process that writes there."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _TEMPORARY.fullmatch(entry.name)
            if found is not None:
                with contextlib.suppress(OSError):  # gone meanwhile
                    if not _is_alive(int(found[1], 16)) or time.time() - entry.stat().st_mtime > ABANDONED:
                        os.remove(entry.path)


def _is_alive(process: int) -> bool:
    """Whether there may be such a process."""
    if sys.platform == "win32":
        return True  # there is no asking that does no harm
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is somebody else's
    return True


def _is_special(path: str) -> bool:
    """Return whether a device, pipe or socket has this name."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_own(path: str, flags: int) -> int:
    """As `open_regular`, and not through a link: for files of state."""
    return open_regular(path, flags | _NOFOLLOW)


def read_bytes(path: str) -> bytes | None:
    """The content of a regular file; none where there is no such file, or it cannot be read."""
    try:
        return read_regular(path)
    except (OSError, ValueError):
        return None


def read_own(path: str) -> bytes | None:
    """As `read_bytes`, and not through a link: for files of state."""
    try:
        with open(path, "rb", opener=open_own) as stream:
            return stream.read()
    except OSError:
        return None
