"""Write files atomically: a reader never sees a partially written file, not even after the writer was killed.

Clients of the server import this module and its imports, so they import little.
"""

from __future__ import annotations

import binascii
import contextlib
import errno
import os
import stat
import sys
import time
from functools import cache
from itertools import count

from hlsl_tool.base.system.folders import Folder, entered
from hlsl_tool.base.system.paths import absolute
from hlsl_tool.base.system.regular_files import open_regular, read_regular
from hlsl_tool.base.system.streams import open_descriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

TEMPORARY_SUFFIX = ".tmp~"
"""Ends the name of a file while it is written, after the writer's machine and process id: two builds may write the same
file."""
ABANDONED = 3600.0
"""Age in seconds above which a temporary file belongs to a killed writer, whatever process has its id today."""

_numbers = count()
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""Windows has no pipes in its file system, and none of these flags."""


class WriteError(Exception):
    """Raised if a file cannot be written; its text is a message without a prefix."""

    def __init__(self, path: str, reason: str, number: int | None = None) -> None:
        super().__init__(f"cannot write `{path}`: {reason}")
        self.path = path
        self.reason = reason
        self.is_full = number in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
        """Whether the disk is full, or the user's share of it."""


def write_atomic(path: str, data: bytes, *, below: str | None = None) -> None:
    """Write one file atomically, with the rules and the parameter ``below`` of `write_all`.  Raise `WriteError`."""
    write_all({path: data}, below=below)


def _temporary_suffix() -> str:
    """Return a unique suffix for a temporary file: different for each machine, process and call."""
    return f".{machine():x}-{os.getpid():x}-{next(_numbers):x}{TEMPORARY_SUFFIX}"


@cache
def machine() -> int:
    """Return a number for the machine or container whose process ids this process sees; another one after a reboot."""
    parts = [os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")]
    with contextlib.suppress(OSError):  # Linux only
        parts.append(os.readlink("/proc/self/ns/pid"))
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
            parts.append(stream.read())
    return binascii.crc32("\n".join(parts).encode("utf-8", "surrogateescape"))


def write_own(path: str, data: bytes, *, mode: int = 0o666, below: str = "") -> None:
    """Write a file that belongs to the tool: replace a symbolic link or pipe of that name.  Raise `WriteError`.

    ``mode``: permissions of the file before the umask; ``below``: a folder that the file must not leave through a
    symbolic link, empty for no restriction.
    """
    write_all({path: data}, below=below, mode=mode)


def write_all(files: dict[str, bytes], *, below: str | None = None, mode: int = 0o666) -> None:
    """Write several files (path → content); if the disk is full, all old files remain.  Raise `WriteError`.

    All files are written under temporary names before the first is renamed; missing folders are created. Devices and
    pipes are written last: their readers find the files, and get nothing if a file cannot be written.

    ``below``: a folder that no file may leave through a symbolic link; empty for no restriction.  Links, pipes and
    devices of these names are replaced.  `None` if the user named the files: then the target of a link is replaced, and
    devices and pipes such as `/dev/null`, and open files such as `/dev/stdout`, are written to.
    """
    special: list[tuple[str, int | None]] = []
    written: list[tuple[str, Folder, str]] = []
    folders: dict[str, Folder] = {}
    suffix = _temporary_suffix()
    path = ""
    _refuse_nested(files)
    with contextlib.ExitStack() as stack:
        try:
            for path, data in files.items():
                descriptor = open_descriptor(path) if below is None else None
                if descriptor is not None or (below is None and _is_special(path)):
                    special.append((path, descriptor))
                    continue
                if os.path.isdir(path) and not (below is not None and os.path.islink(path)):
                    raise WriteError(path, "there is a folder of this name")
                place = os.path.realpath(path) if below is None and os.path.islink(path) else path
                around = os.path.dirname(place)
                folder = folders[around] = folders.get(around) or _enter(stack, around, below or "", path)
                _sweep(folder)
                name = os.path.basename(place)
                folder.remove(name + suffix)
                written.append((path, folder, name))
                with folder.create(name + suffix, mode) as stream:
                    stream.write(data)
            for path, folder, name in written:  # noqa: B007  # named in the message
                folder.replace(name + suffix, name)
            for path, descriptor in special:
                _write_special(path, files[path], descriptor)
        except (OSError, WriteError) as error:
            for _, folder, name in written:
                folder.remove(name + suffix)
            if isinstance(error, WriteError):
                raise
            raise WriteError(path, error.strerror or str(error), error.errno) from error


def _refuse_nested(paths: Collection[str]) -> None:
    """Raise `WriteError` if the path of a file is the folder of another one, before that folder is created."""
    places = {os.path.normpath(absolute(path)): path for path in paths}
    for place in places if len(places) > 1 else ():
        folder = os.path.dirname(place)
        while folder != os.path.dirname(folder):
            if folder in places:
                inner = os.path.relpath(place, os.path.dirname(folder)).replace(os.sep, "/")
                raise WriteError(places[folder], f"it is the folder of another output, `{inner}`")
            folder = os.path.dirname(folder)


def rewrite(path: str, edit: Callable[[bytes], bytes], *, below: str) -> None:
    """Replace the content of a regular file by the result of ``edit``, but not its permissions.

    Raise OSError if that fails, if the file is read-only, if it is a symbolic link, or if its folder is outside of
    ``below`` because of one. The file is read and written in one open folder: later links have no effect.
    """
    suffix = _temporary_suffix()
    with entered(os.path.dirname(path), below) as folder:
        name = os.path.basename(path)
        with open(folder.open(name, os.O_RDONLY), "rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            data = edit(stream.read())
        # A rename would replace a file that is write-protected, for instance by a version control system.
        if not mode & stat.S_IWUSR:
            raise OSError(errno.EACCES, "it is read-only")
        try:
            with folder.create(name + suffix, mode) as stream:
                stream.write(data)
                if hasattr(os, "fchmod"):
                    os.fchmod(stream.fileno(), mode)
            folder.replace(name + suffix, name)
        except OSError:
            folder.remove(name + suffix)
            raise


def append_own(path: str, data: bytes, *, below: str = "") -> None:
    """Append to a file that belongs to the tool, or create it.  Raise OSError, also if it is a link or pipe."""
    with entered(os.path.dirname(path), below, make=True) as folder, folder.append(os.path.basename(path)) as stream:
        stream.write(data)


def remove_own(path: str, *, below: str = "") -> None:
    """Delete a file or symbolic link.  Raise OSError, also if its folder is outside of ``below`` because of a link."""
    with entered(os.path.dirname(path), below) as folder:
        folder.unlink(os.path.basename(path))


def remove_tree(path: str, *, below: str = "") -> None:
    """Delete a folder with all content.

    Raise OSError, also if it is a link, or outside of ``below`` because of one.
    """
    import shutil  # start-up time

    with entered(os.path.dirname(path), below) as folder:
        name = os.path.basename(path)
        shutil.rmtree(name if folder.descriptor is not None else path, dir_fd=folder.descriptor)


def remove_empty(folder: str, top: str) -> None:
    """Delete a folder and its parents inside of ``top``, as long as they are empty."""
    with contextlib.suppress(OSError):
        while folder != top:
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def touch(path: str, *, below: str = "") -> None:
    """Set the modification time of a file to now; do nothing if it does not exist."""
    with contextlib.suppress(OSError), entered(os.path.dirname(path), below) as folder:
        folder.touch(os.path.basename(path))


def _write_special(path: str, data: bytes, open_as: int | None) -> None:
    """Write to a device, a pipe or an open file; raise `WriteError`, instead of blocking, if nothing reads the pipe."""
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


def _enter(stack: contextlib.ExitStack, folder: str, below: str, path: str) -> Folder:
    """Open the folder of `path`, creating it; raise `WriteError` with the name of a file that is in its way."""
    try:
        return stack.enter_context(entered(folder, below, make=True))
    except (FileExistsError, NotADirectoryError):
        existing = absolute(folder)
        while not os.path.lexists(existing):
            existing = os.path.dirname(existing)
        raise WriteError(path, f"`{os.path.basename(existing)}` is a file, not a folder") from None


_swept: set[str] = set()
"""Folders from which this process has removed the temporary files of killed writers."""


def _sweep(folder: Folder) -> None:
    """Delete the temporary files of killed processes in a folder; at most once per folder and process.

    Files of other machines and containers, whose processes are not visible here, are deleted by their age alone.
    """
    if folder.path in _swept:
        return
    _swept.add(folder.path)
    with contextlib.suppress(OSError):
        for name, status in folder.files():
            writer = _writer(name)
            if writer is None:
                continue
            has_ended = writer[0] == machine() and not _is_alive(writer[1])
            if has_ended or time.time() - status.st_mtime > ABANDONED:
                folder.remove(name)


def _writer(name: str) -> tuple[int, int] | None:
    """Return machine and process id in the name of a temporary file; `None` for other files."""
    if not name.endswith(TEMPORARY_SUFFIX):
        return None
    numbers = name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2].split("-")
    try:
        writer, process, _ = (int(number, 16) for number in numbers)
    except ValueError:
        return None
    return writer, process


def _is_alive(process: int) -> bool:
    """Return whether a process with this id exists, as far as that can be determined."""
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
    """An ``opener`` for files that belong to the tool: like `open_regular`, but it refuses symbolic links."""
    return open_regular(path, flags | _NOFOLLOW)


def read_bytes(path: str) -> bytes | None:
    """Return the content of a regular file; `None` if it does not exist or is unreadable."""
    try:
        return read_regular(path)
    except (OSError, ValueError):
        return None


def read_own(path: str) -> bytes | None:
    """Return the content of a file that belongs to the tool.

    `None` if it is missing, unreadable, or a symbolic link.
    """
    try:
        with open(path, "rb", opener=open_own) as stream:
            return stream.read()
    except OSError:
        return None
