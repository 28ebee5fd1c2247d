"""Jobs that a scheduler's workers cannot finish are compiled locally; a lost scheduler gets no further jobs."""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.workers.remote.cluster import MISSES, Cluster
from hlsl_tool.project.build.workers.remote.task import Reply

pytestmark = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")


class Client:
    """The part of dask's client that a cluster uses; its jobs return the ``answers`` one after the other."""

    def __init__(self, answers: list[Callable[[], Reply]]) -> None:
        self.answers = answers
        self.status = "running"
        self.id = "test"

    def submit(self, function: Any, *arguments: Any, **named: Any) -> Any:
        if function.__name__ == "blob":
            return None
        answer = self.answers.pop(0)

        class Future:
            def result(self, timeout: float) -> Reply:
                return answer()

        return Future()

    def close(self, timeout: float) -> None:
        self.status = "closed"


class Here:
    def run(self, job: Job) -> JobResult:
        return JobResult(key="here")

    def close(self) -> None: ...


def there() -> Reply:
    return Reply(JobResult(key="there"))


def broken() -> Reply:
    raise TypeError("cannot be sent")


def lost() -> Reply:
    raise ConnectionError("gone")


def run(tmp_path: pathlib.Path, answers: list[Callable[[], Reply]]) -> tuple[list[str], list[str]]:
    """Return (where each job was compiled, codes of the warnings)."""
    (tmp_path / "a.hlsl").write_text("float4 main() : SV_Target { return 0; }\n")
    cluster = Cluster(str(tmp_path), "dask://me:s3cret@host:1", 1, None)
    cluster.connected, cluster.client, cluster.local = True, Client(list(answers)), Here()
    job = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0"), {"spv": "a.spv"})
    results = [cluster.run(job) for _ in answers]
    notes = [note for result in results for note in result.notes]
    assert all("s3cret" not in note.message for note in notes)
    return [result.key for result in results], [note.code.id for note in notes]


def test_a_job_that_fails_on_the_way_is_done_here_and_the_others_there(tmp_path: pathlib.Path) -> None:
    places, codes = run(tmp_path, [there, broken, there, broken, broken, there])
    assert places == ["there", "here", "there", "here", "here", "there"]
    assert codes == ["HLSL0911"] * 3


def test_where_none_gets_done_the_scheduler_is_left(tmp_path: pathlib.Path) -> None:
    places, codes = run(tmp_path, [broken] * (MISSES + 3))
    assert places == ["here"] * (MISSES + 3)
    assert codes == ["HLSL0911"] * MISSES + ["HLSL0909"]


def test_a_lost_connection_is_left_at_once(tmp_path: pathlib.Path) -> None:
    places, codes = run(tmp_path, [there, lost, there])
    assert places == ["there", "here", "here"]
    assert codes == ["HLSL0909"]
