"""Folders of a store, entered through no link.

Several users may write to a store, so any of them can put a link or a pipe into the place of a file or folder.  Where
the system can, every step is taken from the open folder before it: nothing that happens meanwhile leads elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_DIRECTORY")
"""Windows has none; there the paths are looked at before they are used."""

_FLAGS: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER: int = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_GROUP_WRITES = 0o020


class NoFile(OSError):
    """A link, a pipe or a device stands in the place of a file."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "there is something else in the place of a file")


@dataclass(slots=True)
class Folder:
    """An open folder."""

    path: str
    descriptor: int | None
    shared: int
    """Permissions of what is made in it; 0 where the umask decides."""

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else os.path.join(self.path, name)

    def open(self, name: str, flags: int) -> int:
        """Open a regular file; NoFile for anything else.  One that is made gets the store's permissions."""
        try:
            found = os.open(self._at(name), flags | _FLAGS, 0o666, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):  # a link, a pipe without a reader
                raise NoFile from None
            raise
        status = os.fstat(found)
        if not stat.S_ISREG(status.st_mode):
            os.close(found)
            raise NoFile
        if self.shared and flags & os.O_CREAT and status.st_nlink == 1:
            with contextlib.suppress(OSError):  # another user's
                os.chmod(found, self.shared & 0o666)
        return found

    def stat(self, name: str) -> os.stat_result:
        """Of the name itself, be it a link."""
        return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def replace(self, old: str, new: str) -> None:
        os.replace(self._at(old), self._at(new), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, name: str) -> bool:
        """Whether there was such a file or link, and it is gone."""
        try:
            os.unlink(self._at(name), dir_fd=self.descriptor)
        except OSError:
            return False
        return True

    def remove_folder(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.rmdir(self._at(name), dir_fd=self.descriptor)

    def touch(self, name: str) -> None:
        """Note that a file is of use."""
        with contextlib.suppress(OSError):  # another machine's folder may be readable only
            if HAS_DESCRIPTORS:
                os.utime(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
            else:
                os.utime(self._at(name))

    def files(self) -> list[tuple[str, os.stat_result]]:
        """The regular files in it."""
        found = []
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # gone meanwhile: others collect, too
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        found.append((entry.name, status))
        return found

    @contextlib.contextmanager
    def inner(self, name: str, *, make: bool = False) -> Iterator[Folder]:
        """A folder in it; OSError where there is none, or a link in its place."""
        path = os.path.join(self.path, name)
        is_new = make and self._make(name)
        if not HAS_DESCRIPTORS:
            if os.path.islink(path):
                raise OSError(errno.ELOOP, f"`{name}` is a link")
            yield Folder(path, None, self.shared)
            return
        try:
            found = os.open(name, os.O_RDONLY | _FOLDER, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) and self._is_link(name):
                raise OSError(errno.ELOOP, f"`{name}` is a link") from None
            raise
        try:
            if is_new and self.shared:  # by its descriptor: a link may have taken its place
                with contextlib.suppress(OSError):
                    os.chmod(found, self.shared)
            yield Folder(path, found, self.shared)
        finally:
            os.close(found)

    def _is_link(self, name: str) -> bool:
        return stat.S_ISLNK(self.stat(name).st_mode)

    def _make(self, name: str) -> bool:
        """Whether the folder was not there."""
        try:
            os.mkdir(self._at(name), dir_fd=self.descriptor)
        except FileExistsError:
            return False
        return True

    def held(self, name: str, *, make: bool = False) -> Folder:
        """Open a folder in it for as long as the process lives or `close` is called; OSError as for `inner`."""
        with self.inner(name, make=make) as folder:
            descriptor = None if folder.descriptor is None else os.dup(folder.descriptor)
            return Folder(folder.path, descriptor, folder.shared)

    def is_at_its_path(self) -> bool:
        """Whether the path still leads to this open folder: false once it was removed, moved or replaced."""
        if self.descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self.descriptor), os.lstat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


@contextlib.contextmanager
def opened(path: str, *, make: bool = False) -> Iterator[Folder]:
    """The folder of a store.  Its own path may be a link: the user named it.

    Where its group may write, what is made in it gets its permissions and its group, whatever the umask says.
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
