"""Compile the jobs of a project for a report, in this process or in several, without writing outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from hlsl_tool.project.build.job import Job

if TYPE_CHECKING:
    from hlsl_tool.base.source import CachedFileSystem
    from hlsl_tool.compiler.result import Memory

T = TypeVar("T")
Examine = Callable[[str, Job, "CachedFileSystem", "Memory"], T]
"""A function of a module that compiles one job of the project at a root; worker processes import it."""


def examine_all(examine: Examine[T], root: str, jobs: Sequence[Job], processes: int) -> list[T]:
    """Call a function for each job, on ``processes`` worker processes; return its results in the order of the jobs."""
    width = min(processes, len(jobs))
    if width <= 1:
        return _examine(examine, root, jobs)
    from concurrent.futures import ProcessPoolExecutor

    size = -(-len(jobs) // width)
    stretches = [jobs[start : start + size] for start in range(0, len(jobs), size)]
    with ProcessPoolExecutor(len(stretches)) as pool:
        return [one for part in pool.map(partial(_examine, examine, root), stretches) for one in part]


def _examine(examine: Examine[T], root: str, jobs: Sequence[Job]) -> list[T]:
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem
    from hlsl_tool.base.system.deep_stack import with_deep_stack
    from hlsl_tool.compiler.result import Memory

    fs, memory = CachedFileSystem(OSFileSystem(root)), Memory()
    return with_deep_stack(lambda: [examine(root, job, fs, memory) for job in jobs])
