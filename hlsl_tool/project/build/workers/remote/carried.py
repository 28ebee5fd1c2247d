"""The files that are sent along with a job: everything that the preprocessor read on this machine, by digest.

A worker on another machine has no checkout.  It gets these files, and the paths that were looked up and did not exist.
If the compilation looks up any other path, the worker notices it and its result is not used.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hlsl_tool.base.source.recording import Recorder
from hlsl_tool.project.build.job import Job

if TYPE_CHECKING:
    from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory


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
