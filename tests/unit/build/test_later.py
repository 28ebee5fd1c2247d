"""Threads with a large stack, and bookkeeping that is deferred until the outputs are written."""

from __future__ import annotations

import pathlib
import threading

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import MemoryFileSystem
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.project.build.currency.toolchain import fingerprint
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.engine import Engine
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.results import key_of as store_key
from hlsl_tool.project.build.store.source_texts import SourceTexts
from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.build.workers.worker import Compiler
from tests.patience import PATIENCE

SOURCE = "float4 main(float2 at : TEXCOORD0) : SV_Target { return at.xyxy; }\n"


def test_one_thread_serves_one_call_after_the_other() -> None:
    first = with_deep_stack(threading.get_ident)
    assert with_deep_stack(threading.get_ident) == first != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: 1 // 0)
    assert with_deep_stack(threading.get_ident) == first, "one that raised is as good as before"


def test_calls_at_a_time_and_inside_each_other_have_threads_of_their_own() -> None:
    outer, inner = with_deep_stack(lambda: (threading.get_ident(), with_deep_stack(threading.get_ident)))
    assert outer != inner
    both = threading.Barrier(2, timeout=PATIENCE)
    found: list[int] = []

    def meet() -> None:
        found.append(with_deep_stack(lambda: (both.wait(), threading.get_ident())[1]))

    threads = [threading.Thread(target=meet) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 2


def engine_of(root: pathlib.Path, *, defers: bool) -> tuple[Engine, Job]:
    (root / "a.hlsl").write_text(SOURCE)
    store = StoreOptions((str(root / "store"),))
    executor = Inline(str(root), store)
    executor.defers = defers
    engine = Engine(str(root), "out", executor, store)
    engine.later = [] if defers else None
    job = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", validate="no"), {"spv": "out/a.spv"})
    job.fingerprint = fingerprint()
    job.is_linked = True
    return engine, job


def test_deferred_bookkeeping_writes_the_same_files(tmp_path: pathlib.Path) -> None:
    found = []
    for name, defers in (("at once", False), ("later", True)):
        (tmp_path / name).mkdir()
        engine, job = engine_of(tmp_path / name, defers=defers)
        outcome = engine.build(job)
        assert outcome.state == "built"
        words = (tmp_path / name / "out/a.spv").read_bytes()
        record = engine.records.get("a")
        assert record is not None
        assert record.key
        assert (record.interface is None) == defers
        assert engine.catch_up() == []
        again = Engine(str(tmp_path / name), "out", engine.executor).records.get("a")
        assert again is not None
        stored = sorted(path.name for path in (tmp_path / name / "store").rglob("*") if path.is_file())
        found.append((words, again.key, again.interface, again.outputs, again.causes, stored))
        assert engine.is_current(job)
    assert found[0] == found[1]
    assert found[0][2]


def test_a_build_killed_before_its_bookkeeping_is_repeated(tmp_path: pathlib.Path) -> None:
    engine, job = engine_of(tmp_path, defers=True)
    assert engine.build(job).state == "built"
    assert engine.is_current(job)
    killed, _ = engine_of(tmp_path, defers=False)
    assert not killed.is_current(job)
    engine.catch_up()
    settled, _ = engine_of(tmp_path, defers=False)
    assert settled.is_current(job)


def test_an_internal_error_in_deferred_work_is_reported(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception in work that is deferred until the outputs are written becomes an internal error (HLSL0002)."""
    engine, job = engine_of(tmp_path, defers=True)
    monkeypatch.setattr("hlsl_tool.project.build.outputs.render._stage_interface", lambda compiled: 1 // 0)
    assert engine.build(job).state == "built"
    [problem] = engine.catch_up()
    assert "ZeroDivisionError" in problem.message
    assert not engine.is_current(job)


def test_an_output_that_stays_the_same_is_not_written(tmp_path: pathlib.Path) -> None:
    engine, job = engine_of(tmp_path, defers=False)
    assert engine.build(job).state == "built"
    output = tmp_path / "out" / "a.spv"
    before = output.stat()
    (tmp_path / "a.hlsl").write_text("// a comment\n" + SOURCE)
    engine.digests.forget()
    assert engine.build(job).state == "built"
    assert (output.stat().st_ino, output.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert engine.build(job).state == "current"
    output.write_bytes(b"other")
    assert engine.build(job).state == "built"
    assert output.stat().st_size == before.st_size


def test_a_result_of_another_toolchain_is_written_but_not_recorded(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result compiled by another toolchain than the job's fingerprint is written, but has no known key.

    Therefore it is not recorded, and the next build compiles the shader again.
    """
    engine, job = engine_of(tmp_path, defers=False)
    result_of = engine.result

    def foreign(job: Job) -> JobResult:
        result = result_of(job)
        result.is_foreign = True
        return result

    monkeypatch.setattr(engine, "result", foreign)
    outcome = engine.build(job)
    assert outcome.state == "built" and outcome.result is not None
    assert [d.code.name for d in outcome.result.diagnostics] == ["toolchain-changed"]
    assert (tmp_path / "out/a.spv").exists()
    assert not engine.is_current(job)
    assert engine.build(job).state == "built"
    monkeypatch.setattr(engine, "result", result_of)
    assert engine.build(job).state == "built"
    assert engine.build(job).state == "current"


def test_a_text_that_is_edited_meanwhile_is_not_stored(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text("// edited\n" + SOURCE)
    store = StoreOptions((str(tmp_path / "store"),)).open()
    assert store is not None
    content = digest(SOURCE.encode())
    SourceTexts(str(tmp_path), store, "all").put({"a.hlsl": content}, lambda name: source.read_bytes())
    assert store.get(store_key("text", content)) is None
    source.write_text(SOURCE)
    SourceTexts(str(tmp_path), store, "all").put({"a.hlsl": content}, lambda name: source.read_bytes())
    stored = store.get(store_key("text", content))
    assert stored is not None and stored.blobs == {"text": SOURCE.encode()}


def test_the_process_that_compiles_stores_the_result(tmp_path: pathlib.Path) -> None:
    engine, job = engine_of(tmp_path, defers=False)
    result = engine.executor.run(job)
    assert result.is_stored and not result.reused
    assert engine.result(job).reused == "files"
    assert engine.store is not None
    assert engine.store.get(store_key("text", result.files["a.hlsl"])) is not None


def test_a_carried_file_is_not_stored_where_it_was_carried_to(tmp_path: pathlib.Path) -> None:
    compiler = Compiler(str(tmp_path), StoreOptions((str(tmp_path / "store"),)))
    job = Job("a", "a.hlsl", CompileOptions(profile="ps_6_0", entry="main"), {"spv": "a.spv"})
    carried = MemoryFileSystem({"a.hlsl": SOURCE})
    result = compiler.run(job, carried)
    assert result.ok and not result.is_stored
