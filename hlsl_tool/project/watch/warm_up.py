"""Load the compiler and fill its caches while the watcher waits, so that the first save is as quick as later ones."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.workers.executors import Executor, Inline, Processes

SHADERS = 8
"""Number of shaders that are compiled for what is remembered of them: those that were edited last."""

SECONDS = 10.0
"""Seconds after which no further shader is compiled."""


def warm_up(executor: Executor | None, jobs: Iterable[Job], root: str) -> Iterator[None]:
    """Load the compiler, and compile the most recently edited shaders to fill its caches; yield after each step.

    Between the steps, the caller can process events. If worker processes compile, only prepare them.
    """
    if isinstance(executor, Processes):
        executor.prepare()
    if not isinstance(executor, Inline):
        return
    from hlsl_tool.compiler.loading import load_all  # a start without anything to build does not wait for it

    load_all()
    yield
    end = time.monotonic() + SECONDS
    for job in _edited_last(jobs, root):
        if time.monotonic() > end:
            return
        executor.warm(job)
        yield


def _edited_last(jobs: Iterable[Job], root: str) -> list[Job]:
    """Return a job for each of the most recently modified sources."""
    by_source: dict[str, Job] = {}
    for job in jobs:
        by_source.setdefault(job.source, job)

    def modified(job: Job) -> float:
        try:
            return os.stat(os.path.join(root, job.source)).st_mtime
        except OSError:
            return 0.0

    return sorted(by_source.values(), key=modified, reverse=True)[:SHADERS]
