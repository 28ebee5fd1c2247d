"""The files that a job takes along: all answers that the preprocessor got here, by content.

A worker elsewhere has no checkout.  It sees these files, knows of those that were looked for and are not there, and
notices when it is asked about anything else: then its result is not used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hlsl_tool.build.digest import digest
from hlsl_tool.build.job import Job
from hlsl_tool.source import FileSystem
from hlsl_tool.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from hlsl_tool.preprocessor.memory import PreprocessorMemory


@dataclass(slots=True)
class Carried:
    """What the file system said, with digests in place of contents."""

    root: str
    reads: dict[str, str | None] = field(default_factory=dict)
    """Absolute path → digest; None where there is no such file."""
    listings: dict[str, list[str] | None] = field(default_factory=dict)
    """Absolute folder → names."""
    obstacles: dict[str, str | None] = field(default_factory=dict)
    """Absolute path → why what is there cannot be read."""


class Recorder:
    """A file system that remembers what it was asked."""

    def __init__(self, inner: FileSystem, root: str) -> None:
        self.inner = inner
        self.carried = Carried(root)
        self.contents: dict[str, bytes] = {}
        """Digest → content."""

    def read(self, path: str) -> bytes | None:
        path = self.inner.resolve(path)
        data = self.inner.read(path)
        known = None if data is None else digest(data)
        self.carried.reads[path] = known
        if data is not None and known is not None:
            self.contents[known] = data
        return data

    def resolve(self, path: str) -> str:
        return self.inner.resolve(path)

    def listdir(self, path: str) -> list[str] | None:
        path = self.inner.resolve(path)
        found = self.carried.listings[path] = self.inner.listdir(path)
        return found

    def why_unreadable(self, path: str) -> str | None:
        path = self.inner.resolve(path)
        found = self.carried.obstacles[path] = self.inner.why_unreadable(path)
        return found


class CarriedFiles:
    """The file system of a job that has come from elsewhere."""

    def __init__(self, carried: Carried, contents: Mapping[str, bytes]) -> None:
        self.carried = carried
        self.contents = contents
        self.unknown: list[str] = []
        """What was asked for, and not carried."""

    def read(self, path: str) -> bytes | None:
        path = self.resolve(path)
        if path not in self.carried.reads:
            self.unknown.append(path)
            return None
        known = self.carried.reads[path]
        return None if known is None else self.contents[known]

    def resolve(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.carried.root, path))

    def listdir(self, path: str) -> list[str] | None:
        path = self.resolve(path)
        if path not in self.carried.listings:
            self.unknown.append(path)
            return None
        return self.carried.listings[path]

    def why_unreadable(self, path: str) -> str | None:
        return self.carried.obstacles.get(self.resolve(path))


class Packer:
    """Finds out what a job would read, with what it remembers of headers."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.lock = threading.Lock()
        self.memory: PreprocessorMemory | None = None

    def pack(self, job: Job) -> Recorder | None:
        """None where the source cannot be read."""
        from hlsl_tool.build.outputs.render import disk
        from hlsl_tool.build.scanning import scan_job
        from hlsl_tool.preprocessor.memory import PreprocessorMemory

        recorder = Recorder(disk(self.root), self.root)
        with self.lock:
            self.memory = self.memory or PreprocessorMemory()
            files, _ = scan_job(job, self.root, recorder, self.memory)
        return recorder if files else None
