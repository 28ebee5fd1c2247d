"""Servers of results beside a build: many requests at a time, and no build that waits for slow or dead ones."""

from __future__ import annotations

import http.server
import io
import pathlib
import threading
import time
from collections.abc import Iterator

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.file_names import LOG_NAME
from hlsl_tool.project.build.batch import Queue, build_all
from hlsl_tool.project.build.currency.toolchain import fingerprint
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store import beside, direct_mode, lookups, unreachable
from hlsl_tool.project.build.store.beside import Allowance, BesideStore
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.lookups import Lookups
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.build.ui.progress import Progress
from hlsl_tool.project.build.workers.executors import Inline
from tests.patience import PATIENCE
from tests.unit.build.test_store import KEY, RESULT, Server, server

__all__ = ["server"]

COUNT = 24


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """An event that lets a server answer; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def write(root: pathlib.Path, number: int, text: str = "") -> Job:
    (root / f"s{number}.hlsl").write_text(f"{text}float4 main() : SV_Target {{ return {number}; }}\n")
    job = Job(
        f"s{number}", f"s{number}.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": f"out/{number}.spv"}
    )
    job.set_fingerprint(fingerprint())
    return job


def build(root: pathlib.Path, jobs: list[Job], url: str) -> tuple[dict[str, Outcome], list[str]]:
    """Build jobs with nothing but a server as the store; return the outcomes and the warnings about the store."""
    (root / "out" / LOG_NAME).unlink(missing_ok=True)
    options = StoreOptions((url,))
    executor = Inline(str(root), options)
    engine = Engine(str(root), "out", executor, options)
    progress = Progress(io.StringIO(), quiet=True)
    console = Console(lambda text: None, lambda diagnostics: "")
    progress.expect(len(jobs))
    outcomes = build_all(engine, jobs, workers=2, progress=progress, console=console)
    engine.close()
    executor.close()
    found = [d for outcome in outcomes.values() for d in outcome.result.diagnostics if d.code.name == "store-problem"]
    return outcomes, [d.message for d in found]


def test_results_are_looked_up_many_at_a_time(
    server: Server, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "START", PATIENCE)  # however slow this machine is
    jobs = [write(tmp_path, number) for number in range(COUNT)]
    outcomes, _ = build(tmp_path, jobs, server.url)
    assert not any(outcome.is_stored for outcome in outcomes.values())
    server.asked.clear()
    active: list[str] = []
    most = 0

    def linger(handler: http.server.BaseHTTPRequestHandler) -> bool:
        nonlocal most
        active.append(handler.path)
        most = max(most, len(active))
        time.sleep(0.05)
        active.remove(handler.path)
        return False

    server.answer = linger
    outcomes, warnings = build(tmp_path, jobs, server.url)
    assert all(outcome.is_stored for outcome in outcomes.values()) and not warnings
    assert most >= 4
    assert len([verb for verb in server.asked if verb.startswith("GET")]) <= 2 * COUNT


def test_a_build_does_not_wait_for_a_server_that_does_not_answer(
    server: Server, tmp_path: pathlib.Path, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(beside, "DEAD", 0.0)
    jobs = [write(tmp_path, number) for number in range(COUNT)]
    server.answer = lambda handler: not release.wait(PATIENCE)
    outcomes, warnings = build(tmp_path, jobs, server.url)
    assert {outcome.state for outcome in outcomes.values()} == {"built"}
    assert not any(outcome.is_stored for outcome in outcomes.values())
    [warning] = warnings
    assert "this build waits for it no longer (" in warning and "it has not answered yet" in warning
    assert len(server.asked) == 2, "until it has answered, one request of the build and one of the worker is enough"
    server.asked.clear()
    outcomes, warnings = build(tmp_path, jobs, server.url)
    assert {outcome.state for outcome in outcomes.values()} == {"built"} and not server.asked
    [warning] = warnings
    assert f"it did not answer lately and is left alone (300 s more; `--store {server.url}` tries it again)" in warning
    release.set()
    store = StoreOptions((server.url,), is_given=True).open()
    assert store is not None and store.get(KEY) is None and server.asked and not store.take_problems()
    store.close()
    monkeypatch.setattr(unreachable, "REST", 0.0)
    assert isinstance(StoreOptions((server.url,)).open(), BesideStore)


def test_a_slow_server_is_not_taken_for_a_dead_one(
    server: Server, tmp_path: pathlib.Path, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(beside, "DEAD", PATIENCE)
    server.answer = lambda handler: not release.wait(PATIENCE)
    build(tmp_path, [write(tmp_path, number) for number in range(COUNT)], server.url)
    assert not unreachable.remaining(server.url)


def test_a_file_that_changes_after_the_lookup_began_is_compiled(server: Server, tmp_path: pathlib.Path) -> None:
    job = write(tmp_path, 1)
    options = StoreOptions((server.url,))
    build(tmp_path, [job], server.url)
    executor = Inline(str(tmp_path), options)
    engine = Engine(str(tmp_path), "out", executor, options)
    assert engine.lookups is not None
    engine.lookups.begin([job])
    stored = engine.lookups._pending[job.name].result(PATIENCE)
    assert stored is not None
    write(tmp_path, 1, text="// edited\nstatic const float4 more = 2;\n")
    engine.digests.forget(["s1.hlsl"])
    assert not engine.result(job).reused
    engine.close()
    executor.close()


def test_what_cannot_be_sent_in_time_is_dropped(server: Server, release: threading.Event) -> None:
    store = StoreOptions((server.url,)).open()
    assert isinstance(store, BesideStore)
    server.answer = lambda handler: not release.wait(PATIENCE)
    store.put(KEY, RESULT)
    store._answers, store._seconds = 1, 1000.0  # sending takes long
    store.put(KEY, RESULT)
    assert ["not all results are sent" in what for _, what in store.take_problems()] == [True]
    store.close()


def test_folders_are_asked_before_servers(server: Server, tmp_path: pathlib.Path) -> None:
    store = StoreOptions((server.url, str(tmp_path / "store"))).open()
    assert store is not None
    store.put(KEY, RESULT)
    store.close()
    server.asked.clear()
    store = StoreOptions((server.url, str(tmp_path / "store"))).open()
    assert store is not None and store.get(KEY) == RESULT and not server.asked
    store.close()
    other = StoreOptions((server.url, str(tmp_path / "other")))
    store = other.open()
    assert store is not None and store.get(KEY) == RESULT and server.asked
    store.close()
    server.asked.clear()
    store = other.open()
    assert store is not None and store.get(KEY) == RESULT and not server.asked  # it was copied to the folder
    store.close()


def test_the_allowance_grows_with_the_time_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("hlsl_tool.project.build.store.beside.time.monotonic", lambda: now)
    allowance = Allowance(0.5)
    allowance.lost = 1.0
    assert allowance.left() == 0.0
    now = 200.0
    assert allowance.left() == pytest.approx(0.5 + 100 * beside.SHARE - 1.0)
    allowance.waiters = 2
    before = allowance.left()
    allowance.lose(199.0)
    assert allowance.left() == pytest.approx(before - 0.5)  # one of two threads waited for a second


def ended(queue: Queue) -> list[str]:
    """The names of all jobs, as one thread takes them."""
    names = []
    while (job := queue.take(0)) is not None:
        names.append(job.name)
    return names


def test_jobs_are_taken_from_the_end_while_lookups_begin_at_the_start(
    server: Server, tmp_path: pathlib.Path, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "THREADS", 2)
    jobs = [write(tmp_path, number) for number in range(6)]
    store = StoreOptions((server.url,)).open()
    assert isinstance(store, BesideStore)
    begun: list[str] = []

    def look_up(_store: object, job: Job, _root: str, _digest_of: object) -> JobResult | None:
        begun.append(job.name)
        release.wait(PATIENCE)
        return JobResult() if job is jobs[0] else None

    monkeypatch.setattr(direct_mode, "lookup", look_up)
    started = Lookups(store, str(tmp_path), lambda name: name)
    started.allowance.start = -PATIENCE  # no time may be lost
    queue = Queue(jobs, 2, started)
    assert [job.name for job in (queue.take(0), queue.take(1), queue.take(0)) if job is not None] == ["s2", "s5", "s1"]
    assert set(begun) <= {"s0", "s3"}  # the starts of both slices
    release.set()
    started.allowance.start = PATIENCE
    assert ended(queue) == ["s0", "s4", "s3"]  # the hit first
    store.close()
