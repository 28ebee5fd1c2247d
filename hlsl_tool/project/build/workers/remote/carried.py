"""The files that are sent along with a job: everything that the preprocessor read on this machine, by digest.

A worker on another machine has no checkout.  It gets these files, and the paths that were looked up and did not exist.
If the compilation looks up any other path, the worker notices it and its result is not used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hlsl_tool.base.source import FileSystem
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.job import Job

if TYPE_CHECKING:
    from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory


@dataclass(slots=True)
class Carried:
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
    """A file system that wraps another one and records everything that is read or looked up in a `Carried`."""

    def __init__(self, inner: FileSystem, root: str) -> None:
        self.inner = inner
        self.carried = Carried(root)
        self.contents: dict[str, bytes] = {}
        """Digest → content."""

    def read(self, path: str) -> bytes | None:
        path = self.inner.resolve(path)
        data = self.inner.read(path)
        content = None if data is None else digest(data)
        self.carried.reads[path] = content
        if data is not None and content is not None:
            self.contents[content] = data
        return data

    def resolve(self, path: str) -> str:
        resolved = self.inner.resolve(path)
        if "/.." in resolved:
            self.carried.unfolded[path] = self.carried.unfolded[resolved] = resolved
        return resolved

    def listdir(self, path: str) -> list[str] | None:
        path = self.inner.resolve(path)
        names = self.carried.listings[path] = self.inner.listdir(path)
        return names

    def why_unreadable(self, path: str) -> str | None:
        path = self.inner.resolve(path)
        reason = self.carried.obstacles[path] = self.inner.why_unreadable(path)
        return reason


class CarriedFiles:
    """A file system that replays recorded answers, for a job from another machine."""

    def __init__(self, carried: Carried, contents: Mapping[str, bytes]) -> None:
        self.carried = carried
        self.contents = contents
        self.unknown: list[str] = []
        """Paths that were asked for and not carried."""

    def read(self, path: str) -> bytes | None:
        path = self.resolve(path)
        if path not in self.carried.reads:
            self.unknown.append(path)
            return None
        content = self.carried.reads[path]
        return None if content is None else self.contents[content]

    def resolve(self, path: str) -> str:
        return self.carried.unfolded.get(path) or os.path.normpath(os.path.join(self.carried.root, path))

    def listdir(self, path: str) -> list[str] | None:
        path = self.resolve(path)
        if path not in self.carried.listings:
            self.unknown.append(path)
            return None
        return self.carried.listings[path]

    def why_unreadable(self, path: str) -> str | None:
        return self.carried.obstacles.get(self.resolve(path))


class Packer:
    """Collects the files that jobs read; the preprocessor's cache of headers is shared by all jobs."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.lock = threading.Lock()
        self.memory: PreprocessorMemory | None = None

    def pack(self, job: Job) -> Recorder | None:
        """Return a recorder with all files that a job reads; `None` if the source cannot be read."""
        from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory
        from hlsl_tool.project.build.outputs.render import disk
        from hlsl_tool.project.build.scanning import scan_job

        recorder = Recorder(disk(self.root), self.root)
        with self.lock:
            self.memory = self.memory or PreprocessorMemory()
            files, _ = scan_job(job, self.root, recorder, self.memory)
        return recorder if files else None
