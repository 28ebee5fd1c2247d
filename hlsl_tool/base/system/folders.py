"""Access files in folders without following symbolic links.

Several users may write to a store, and a downloaded project may contain links, so a link or a pipe may have the name of
a file or folder.  If the system supports it, each path component is opened relative to the open parent folder: later
changes of the path have no effect.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.paths import absolute, extended
from hlsl_tool.base.system.replacing import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_DIRECTORY")
"""Windows has no folder descriptors; there the paths are checked before they are used."""

_FLAGS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER: int = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_GROUP_WRITES = 0o020
OUTSIDE = "a symbolic link leads out of the project (`--allow-outside` permits that)"


class NoFile(OSError):
    """Raised if a symbolic link, a pipe or a device has the name of a file."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "there is something else in the place of a file")


@dataclass(slots=True)
class Folder:
    """An open folder."""

    path: str
    descriptor: int | None
    shared: int
    """Permissions of new files and folders in it; 0 if the umask decides."""

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else extended(os.path.join(self.path, name))

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a regular file and return its descriptor; raise NoFile for anything else.

        A new file gets the permissions of the store, else `mode` before the umask.
        """
        try:
            descriptor = os.open(self._at(name), flags | _FLAGS, mode, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):  # a link, a pipe without a reader
                raise NoFile from None
            raise
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise NoFile
        if self.shared and flags & os.O_CREAT and status.st_nlink == 1:
            with contextlib.suppress(OSError):  # another user's
                os.chmod(descriptor, self.shared & 0o666)
        return descriptor

    def create(self, name: str, mode: int = 0o666) -> BinaryIO:
        """Create a file and return a stream; raise FileExistsError if it exists."""
        return open(self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")

    def append(self, name: str) -> BinaryIO:
        """Open a file for unbuffered appending, creating it if necessary; return a stream."""
        return open(self.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab", buffering=0)

    def stat(self, name: str) -> os.stat_result:
        """Return the status of an entry, without following a symbolic link."""
        return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def replace(self, old: str, new: str) -> None:
        """Rename a file, replacing an existing file ``new``."""
        if self.descriptor is None:
            replace_file(self._at(old), self._at(new))
            return
        os.replace(self._at(old), self._at(new), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        """Delete a file or symbolic link; raise OSError if that fails."""
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def remove(self, name: str) -> bool:
        """Delete a file or symbolic link; return False if that fails."""
        try:
            self.unlink(name)
        except OSError:
            return False
        return True

    def remove_folder(self, name: str) -> None:
        """Delete a subfolder if it is empty."""
        with contextlib.suppress(OSError):
            os.rmdir(self._at(name), dir_fd=self.descriptor)

    def touch(self, name: str) -> None:
        """Set the modification time of a file to now, as the time of its last use."""
        with contextlib.suppress(OSError):  # another machine's folder may be readable only
            if HAS_DESCRIPTORS:
                os.utime(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
            else:
                os.utime(self._at(name))

    def files(self) -> list[tuple[str, os.stat_result]]:
        """Return (name, status) of the regular files in the folder."""
        files = []
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # gone meanwhile: others collect, too
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        files.append((entry.name, status))
        return files

    @contextlib.contextmanager
    def inner(self, name: str, *, make: bool = False) -> Iterator[Folder]:
        """Open a subfolder during a `with` block; raise OSError if it does not exist or is a symbolic link."""
        folder = self.enter(name, make=make)
        try:
            yield folder
        finally:
            folder.close()

    def enter(self, name: str, *, make: bool = False) -> Folder:
        """Open a subfolder until `close` is called; raise OSError if it does not exist or is a symbolic link."""
        path = os.path.join(self.path, name)
        if not HAS_DESCRIPTORS:
            if make:
                self._make(name)
            if os.path.islink(path):
                raise OSError(errno.ELOOP, f"`{name}` is a link")
            return Folder(path, None, self.shared)
        try:
            return Folder(path, self._open_folder(name), self.shared)
        except FileNotFoundError:
            if not make:
                raise
        is_new = self._make(name)
        descriptor = self._open_folder(name)
        if is_new and self.shared:  # by its descriptor: a link may have taken its place
            with contextlib.suppress(OSError):
                os.chmod(descriptor, self.shared)
        return Folder(path, descriptor, self.shared)

    def _open_folder(self, name: str) -> int:
        try:
            return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) and self._is_link(name):
                raise OSError(errno.ELOOP, f"`{name}` is a link") from None
            raise

    def _is_link(self, name: str) -> bool:
        return stat.S_ISLNK(self.stat(name).st_mode)

    def _make(self, name: str) -> bool:
        """Create a subfolder; return False if it existed."""
        try:
            os.mkdir(self._at(name), dir_fd=self.descriptor)
        except FileExistsError:
            return False
        return True

    def is_at_its_path(self) -> bool:
        """Return whether the path still refers to this open folder; False once it was deleted, moved or replaced."""
        if self.descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self.descriptor), os.lstat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        """Close the folder's descriptor."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


@contextlib.contextmanager
def entered(path: str, below: str = "", *, make: bool = False) -> Iterator[Folder]:
    """Open a folder; create it if ``make`` is true.

    Raise OSError if it cannot be opened, or if a symbolic link leads outside the folder ``below``; an empty ``below``
    permits that.
    """
    path = absolute(path)
    if not below:
        if make:
            os.makedirs(extended(path), exist_ok=True)
        yield Folder(path, None, 0)
        return
    folder = _entered_without_links(path, absolute(below), make) or _entered_by_links(path, below, make)
    try:
        yield folder
    finally:
        folder.close()


def _entered_without_links(path: str, below: str, make: bool) -> Folder | None:
    """Open a folder below ``below`` and return it; `None` if the path has a symbolic link, or opening it fails."""
    if not _is_within(path, below) or f"{os.sep}.." in path[len(below) :]:
        return None
    try:
        return _walk(path, below, make)
    except OSError:
        return None


def _entered_by_links(path: str, below: str, make: bool) -> Folder:
    """Resolve the symbolic links in a path; open the folder to which it leads, and return it.

    Raise OSError if that folder is outside of ``below``.
    """
    top, real = os.path.realpath(below), os.path.realpath(path)
    if not _is_within(real, top):
        raise OSError(errno.ELOOP, OUTSIDE)
    if make:
        os.makedirs(top, exist_ok=True)
    return _walk(real, top, make)


def _is_within(path: str, top: str) -> bool:
    return f"{path}{os.sep}".startswith(top.rstrip(os.sep) + os.sep)


def _walk(path: str, top: str, make: bool) -> Folder:
    """Open each component of ``path`` below the folder ``top`` in turn; return the last folder.

    Raise OSError at a symbolic link. ``make`` creates missing folders.
    """
    folder = Folder(top, os.open(top, os.O_RDONLY | os.O_DIRECTORY) if HAS_DESCRIPTORS else None, 0)
    for part in path[len(top) :].split(os.sep):
        if part:
            outer = folder
            try:
                folder = outer.enter(part, make=make)
            finally:
                outer.close()
    return folder


@contextlib.contextmanager
def opened(path: str, *, make: bool = False) -> Iterator[Folder]:
    """Open the folder of a store.  Its own path may be a link, because the user named it.

    If its group may write, new files in it get its permissions and group, regardless of the umask.
    """
    if make:
        os.makedirs(path, exist_ok=True)
    if not HAS_DESCRIPTORS:
        yield Folder(path, None, 0)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        yield Folder(path, descriptor, mode & 0o3777 if mode & _GROUP_WRITES else 0)
    finally:
        os.close(descriptor)
