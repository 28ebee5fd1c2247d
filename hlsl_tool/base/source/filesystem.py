"""File systems: the disk, an in-memory mapping, and a cache.

All sources are read through this interface, so that jobs can be sent with their sources, tests need no disk, and the
watcher controls cache lifetimes.
"""

from __future__ import annotations

import os
import posixpath
import sys
from collections.abc import Iterable, Mapping
from typing import Protocol

from hlsl_tool.base.system.paths import absolute
from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular, why_unreadable

# Systems with case-insensitive file names.  There, names are compared with the directory listing, so that a shader with
# a wrong case fails on every system.
_FOLDS_CASE = sys.platform in ("win32", "darwin")


class FileSystem(Protocol):
    """The interface that the preprocessor requires of a file system."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; ``None`` if it does not exist. Names are case-sensitive."""

    def resolve(self, path: str) -> str:
        """Return the absolute path of a file, normalised by `base.system.paths.folded`."""

    def listdir(self, path: str) -> list[str] | None:
        """Return the sorted names in a directory, for hints about case; ``None`` if it does not exist."""

    def why_unreadable(self, path: str) -> str | None:
        """Return why an existing path cannot be read (it is a directory, a pipe, …); ``None`` if it does not exist."""


class OSFileSystem:
    """The file system of the operating system."""

    __slots__ = ("_cwd",)

    def __init__(self, cwd: str | None = None) -> None:
        self._cwd = absolute(cwd or "")

    def read(self, path: str) -> bytes | None:
        try:
            data = read_regular(path, MAX_SIZE)
        except (OSError, ValueError):
            return None  # ValueError: a name that this system cannot represent
        if _FOLDS_CASE and not self._exact(path):
            return None
        return data

    def _exact(self, path: str) -> bool:
        directory, name = os.path.split(path)
        return name in (self.listdir(directory) or [])

    def resolve(self, path: str) -> str:
        return absolute(path, self._cwd)

    def listdir(self, path: str) -> list[str] | None:
        try:
            return sorted(os.listdir(path or self._cwd))
        except (OSError, ValueError):
            return None

    def why_unreadable(self, path: str) -> str | None:
        return why_unreadable(self.resolve(path))


class MemoryFileSystem:
    """A file system in memory: a mapping from paths (with ``/``, relative to ``/``) to text or bytes."""

    __slots__ = ("_files",)

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files: dict[str, bytes] = {}
        for path, content in files.items():
            self.write(path, content)

    def write(self, path: str, content: str | bytes) -> None:
        self._files[self.resolve(path)] = content.encode() if isinstance(content, str) else content

    def remove(self, path: str) -> None:
        del self._files[self.resolve(path)]

    def read(self, path: str) -> bytes | None:
        return self._files.get(self.resolve(path))

    def resolve(self, path: str) -> str:
        # normpath keeps two leading slashes, which POSIX leaves to the system; here they equal one.
        return "/" + posixpath.normpath(posixpath.join("/", path)).lstrip("/")

    def listdir(self, path: str) -> list[str] | None:
        prefix = self.resolve(path).rstrip("/") + "/"
        names = {name[len(prefix) :].split("/", 1)[0] for name in self._files if name.startswith(prefix)}
        return sorted(names) or None

    def why_unreadable(self, path: str) -> str | None:
        return None if self.listdir(path) is None or self.read(path) is not None else "it is a folder"


class OverlayFileSystem:
    """Another file system, in which the contents of some files are replaced."""

    __slots__ = ("_contents", "_inner")

    def __init__(self, inner: FileSystem, contents: Mapping[str, bytes]) -> None:
        self._inner = inner
        self._contents = {inner.resolve(path): data for path, data in contents.items()}

    def read(self, path: str) -> bytes | None:
        data = self._contents.get(self.resolve(path))
        return data if data is not None else self._inner.read(path)

    def resolve(self, path: str) -> str:
        return self._inner.resolve(path)

    def listdir(self, path: str) -> list[str] | None:
        return self._inner.listdir(path)

    def why_unreadable(self, path: str) -> str | None:
        return self._inner.why_unreadable(path)


class CachedFileSystem:
    """A cache over another file system: a build sees a single state of the disk, and reads every file once.

    The watcher calls ``forget`` with changed paths; other callers create a new cache for each build.
    """

    __slots__ = ("_inner", "_listings", "_reads", "_resolved")

    def __init__(self, inner: FileSystem) -> None:
        self._inner = inner
        self._reads: dict[str, bytes | None] = {}
        self._resolved: dict[str, str] = {}
        self._listings: dict[str, list[str] | None] = {}

    def read(self, path: str) -> bytes | None:
        path = self.resolve(path)
        if path in self._reads:
            return self._reads[path]
        data = self._reads[path] = self._inner.read(path)
        return data

    def resolve(self, path: str) -> str:
        resolved = self._resolved.get(path)
        if resolved is None:
            resolved = self._resolved[path] = self._inner.resolve(path)
        return resolved

    def listdir(self, path: str) -> list[str] | None:
        path = self.resolve(path)
        if path not in self._listings:
            self._listings[path] = self._inner.listdir(path)
        return self._listings[path]

    def why_unreadable(self, path: str) -> str | None:
        return self._inner.why_unreadable(path)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop the cached content of files (changed, created or deleted), and of all directories."""
        for path in paths:
            self._reads.pop(self.resolve(path), None)
        self._resolved.clear()  # a folder may be a link now
        self._listings.clear()
