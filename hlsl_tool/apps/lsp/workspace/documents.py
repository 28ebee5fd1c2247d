"""The file system of the language server: unsaved texts of the editor take precedence over files on disk."""

from __future__ import annotations

import os

from hlsl_tool.base.source import OSFileSystem, SourceFile

_Stamp = tuple[int, int, int]


class Documents:
    """A file system in which the unsaved text in the editor replaces the file.

    A file on disk is read again when its size or modification time changes.
    """

    def __init__(self, root: str) -> None:
        self._disk = OSFileSystem(root)
        self._open: dict[str, bytes] = {}
        self._cached: dict[str, tuple[_Stamp, bytes | None]] = {}
        self._resolved: dict[str, str] = {}

    def open(self, path: str, text: str) -> None:
        self._open[self.resolve(path)] = text.encode("utf-8", "surrogatepass")

    def close(self, path: str) -> None:
        """Use the file on disk again, instead of the editor's text."""
        self._open.pop(self.resolve(path), None)

    def is_open(self, path: str) -> bool:
        return self.resolve(path) in self._open

    def paths(self) -> list[str]:
        return list(self._open)

    def read(self, path: str) -> bytes | None:
        """Return the text in the editor, else the content of the file; ``None`` if it does not exist."""
        path = self.resolve(path)
        text = self._open.get(path)
        if text is not None:
            return text
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        except (OSError, ValueError):
            return None
        cached = self._cached.get(path)
        if cached is None or cached[0] != stamp:
            cached = self._cached[path] = (stamp, self._disk.read(path))
        return cached[1]

    def source(self, path: str, name: str | None = None) -> SourceFile | None:
        """Return a file as the compiler reads it; ``None`` if it does not exist."""
        path = self.resolve(path)
        data = self.read(path)
        return None if data is None else SourceFile.from_bytes(name or path, path, data)

    def resolve(self, path: str) -> str:
        """Return the absolute path without ``.`` and ``..``."""
        resolved = self._resolved.get(path)
        if resolved is None:
            resolved = self._resolved[path] = self._disk.resolve(path)
        return resolved

    def listdir(self, path: str) -> list[str] | None:
        """Return the sorted names in a folder on disk; ``None`` if it does not exist."""
        return self._disk.listdir(path)

    def why_unreadable(self, path: str) -> str | None:
        """Return the reason why an existing path cannot be read; ``None`` if it can."""
        return self._disk.why_unreadable(path)
