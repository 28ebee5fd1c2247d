"""Record all that a compilation asks of a file system, and replay the answers where the files do not exist."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hlsl_tool.base.source.filesystem import FileSystem
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.hashing import digest


@dataclass(slots=True)
class Recording:
    """The files, folder listings and missing paths that a compilation looked up; contents are replaced by digests."""

    root: str
    reads: dict[str, str | None] = field(default_factory=dict)
    """Absolute path → digest; `None` for a missing file."""
    listings: dict[str, list[str] | None] = field(default_factory=dict)
    """Absolute folder → names."""
    obstacles: dict[str, str | None] = field(default_factory=dict)
    """Absolute path → reason why it cannot be read."""
    unfolded: dict[str, str] = field(default_factory=dict)
    """Path → absolute path in which `..` after a link stays."""


class Recorder:
    """A file system that wraps another one, and records everything that is read or looked up in a `Recording`."""

    def __init__(self, inner: FileSystem, root: str) -> None:
        self.inner = inner
        self.recording = Recording(root)
        self.contents: dict[str, bytes] = {}
        """Digest → content."""

    def read(self, path: str) -> bytes | None:
        path = self.inner.resolve(path)
        data = self.inner.read(path)
        content = None if data is None else digest(data)
        self.recording.reads[path] = content
        if data is not None and content is not None:
            self.contents[content] = data
        return data

    def resolve(self, path: str) -> str:
        resolved = self.inner.resolve(path)
        if "/.." in resolved:
            self.recording.unfolded[path] = self.recording.unfolded[resolved] = resolved
        return resolved

    def listdir(self, path: str) -> list[str] | None:
        path = self.inner.resolve(path)
        names = self.recording.listings[path] = self.inner.listdir(path)
        return names

    def why_unreadable(self, path: str) -> str | None:
        path = self.inner.resolve(path)
        reason = self.recording.obstacles[path] = self.inner.why_unreadable(path)
        return reason


class RecordedFiles:
    """A file system that replays recorded answers; ``contents`` maps digests to the bytes of the files."""

    def __init__(self, recording: Recording, contents: Mapping[str, bytes]) -> None:
        self.recording = recording
        self.contents = contents
        self.unknown: list[str] = []
        """Paths that were asked for and not recorded."""

    def read(self, path: str) -> bytes | None:
        path = self.resolve(path)
        if path not in self.recording.reads:
            self.unknown.append(path)
            return None
        content = self.recording.reads[path]
        return None if content is None else self.contents[content]

    def resolve(self, path: str) -> str:
        return self.recording.unfolded.get(path) or os.path.normpath(os.path.join(self.recording.root, path))

    def listdir(self, path: str) -> list[str] | None:
        path = self.resolve(path)
        if path not in self.recording.listings:
            self.unknown.append(path)
            return None
        return self.recording.listings[path]

    def why_unreadable(self, path: str) -> str | None:
        return self.recording.obstacles.get(self.resolve(path))
