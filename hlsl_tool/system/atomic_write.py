"""Write files atomically: a reader never sees half a file, not even after the writer was killed.

Clients of the server import this module: it imports next to nothing.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from itertools import count

from hlsl_tool.system.paths import extended
from hlsl_tool.system.regular_files import open_regular, read_regular
from hlsl_tool.system.replacing import replace_file
from hlsl_tool.system.streams import open_descriptor

TEMPORARY_SUFFIX = ".tmp~"
"""Ends the name of a file while it is written, after the writer's process id: two builds may write the same file."""
ABANDONED = 3600.0
"""Age in seconds above which a temporary file belongs to a killed writer, whatever process has its id today."""

_numbers = count()
_swept: set[str] = set()
"""Folders whose abandoned files this process has removed."""
_BINARY: int = getattr(os, "O_BINARY", 0)
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""Windows has no pipes in its file system, and none of these flags."""


class WriteError(Exception):
    """Raised when a file cannot be written; diagnostics show `path` and `reason`."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def write_atomic(path: str, data: bytes) -> None:
    """Write a file whole or not at all; create its folder if it does not exist. Raise `WriteError`."""
    write_all({path: data})


def _temporary_suffix() -> str:
    """Return a suffix for a temporary file that no other process and no earlier call returns."""
    return f".{os.getpid():x}-{next(_numbers):x}{TEMPORARY_SUFFIX}"


def write_own(path: str, data: bytes, *, mode: int = 0o666) -> None:
    """Write a state file whole or not at all, with the permissions `mode` before the umask. Raise `WriteError`.

    Unlike `write_atomic`, replace a link or pipe of that name, so that nothing outside the folder is written.
    """
    name, path = path, extended(path)
    temporary = path + _temporary_suffix()
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            raise WriteError(name, "there is a folder of this name")
        folder = os.path.dirname(path)
        if folder:
            _make_folder(folder, name)
        _sweep(folder or ".")
        _remove(temporary)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode), "wb") as stream:
            stream.write(data)
        replace_file(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise WriteError(name, error.strerror or str(error)) from error


def write_all(files: dict[str, bytes]) -> None:
    """Write several files, path → content, so that a full disk leaves all old ones. Raise `WriteError`.

    All files are on disk under temporary names before the first is renamed. A symbolic link stays a link: its target
    is replaced. Devices and pipes such as `/dev/null` are written to, and so are open files such as `/dev/stdout`.
    """
    places: dict[str, str] = {}
    suffix = _temporary_suffix()
    path = ""
    try:
        for path, data in files.items():
            descriptor = open_descriptor(path)
            if descriptor is not None or _is_special(path):
                _write_special(path, data, descriptor)
                continue
            if os.path.isdir(path):
                raise WriteError(path, "there is a folder of this name")
            place = extended(os.path.realpath(path) if os.path.islink(path) else path)
            folder = os.path.dirname(place)
            if folder:
                _make_folder(folder, path)
            _sweep(folder or ".")
            places[path] = place
            with open(place + suffix, "wb") as stream:
                stream.write(data)
        for path, place in places.items():  # noqa: B007  # named in the message
            replace_file(place + suffix, place)
    except (OSError, WriteError) as error:
        for place in places.values():
            _remove(place + suffix)
        if isinstance(error, WriteError):
            raise
        raise WriteError(path, error.strerror or str(error)) from error


def _write_special(path: str, data: bytes, open_as: int | None) -> None:
    """Write to a device, a pipe or an open file; raise `WriteError` without blocking if nothing reads from the pipe."""
    if open_as is not None:
        with open(os.dup(open_as), "wb") as stream:
            stream.write(data)
        return
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


def _make_folder(folder: str, path: str) -> None:
    """Create the folders above `path`; raise `WriteError` with the name of a file that is in the place of a folder."""
    try:
        os.makedirs(folder, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        existing = os.path.abspath(folder)
        while not os.path.lexists(existing):
            existing = os.path.dirname(existing)
        raise WriteError(path, f"`{os.path.basename(existing)}` is a file, not a folder") from None


def _remove(path: str) -> None:
    """Remove a file; do nothing if it cannot be removed, or does not exist."""
    try:  # noqa: SIM105  # start-up time
        os.remove(path)
    except OSError:
        pass


def _sweep(folder: str) -> None:
    """Remove the temporary files of killed writers from a folder; done once per process and folder."""
    if folder in _swept:
        return
    _swept.add(folder)
    try:
        for name in os.listdir(folder):
            if name.endswith(TEMPORARY_SUFFIX) and _is_abandoned(os.path.join(folder, name)):
                _remove(os.path.join(folder, name))
    except OSError:
        pass  # another process removed a file, or the folder


def _is_abandoned(path: str) -> bool:
    """Return whether a temporary file belongs to a process that does not run, or is older than any write takes."""
    process, _, number = path.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2].partition("-")
    try:
        int(number, 16)
        return not _is_alive(int(process, 16)) or time.time() - os.stat(path).st_mtime > ABANDONED
    except ValueError:
        return False  # not of this form


def _is_alive(process: int) -> bool:
    """Return whether a process may have this id."""
    if sys.platform == "win32":
        return True  # no query without side effects
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # a process of another user
    return True


def _is_special(path: str) -> bool:
    """Return whether a path is a device, pipe or socket."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_own(path: str, flags: int) -> int:
    """An ``opener`` for state files: as `open_regular`, but does not follow a link."""
    return open_regular(path, flags | _NOFOLLOW)


def read_bytes(path: str) -> bytes | None:
    """Return the content of a regular file; `None` if it does not exist or cannot be read."""
    try:
        return read_regular(path)
    except (OSError, ValueError):
        return None


def read_own(path: str) -> bytes | None:
    """Return the content of a state file; `None` if it does not exist, cannot be read or is a link."""
    try:
        with open(path, "rb", opener=open_own) as stream:
            return stream.read()
    except OSError:
        return None
