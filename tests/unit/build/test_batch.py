"""The order in which jobs are built."""

from __future__ import annotations

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.batch import rotated
from hlsl_tool.project.build.job import Job


def job(name: str) -> Job:
    return Job(name, f"{name[0]}.hlsl", CompileOptions(), {})


def names(jobs: list[Job]) -> str:
    return " ".join(job.name for job in jobs)


def test_builds_that_share_a_store_begin_with_different_sources() -> None:
    jobs = [job(name) for name in ("a1", "a2", "b1", "c1", "c2")]
    found = {names(rotated(jobs, part / 100)) for part in range(100)}
    assert found == {"a1 a2 b1 c1 c2", "b1 c1 c2 a1 a2", "c1 c2 a1 a2 b1"}
    assert rotated([], 0.5) == []
