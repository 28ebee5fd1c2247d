"""The events of watchdog: saves, folders that are replaced, links, backups; and the compiler's memory."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import time

import pytest

from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.watch.loop import Watcher
from hlsl_tool.project.watch.observed import Observed
from hlsl_tool.project.watch.screen import Screen

pytestmark = pytest.mark.usefixtures("frozen")

CONFIG = "shaders:\n  - { source: a.hlsl, profile: ps_6_0, outputs: [spv], optimize: none, validate: false }\n"
SOURCE = '#include "inc/h.h"\nfloat4 main() : SV_Target { return VALUE; }\n'


FILES = {"config/shaders/a.yaml": CONFIG, "shaders/a.hlsl": SOURCE, "shaders/inc/h.h": "#define VALUE 1\n"}


def memory_of(watcher: Watcher) -> object:
    """Return the object that holds a watcher's caches: the compiler's memory, or the pool of worker processes."""
    executor = watcher.rebuilder.executor
    return executor.compiler.memory if isinstance(executor, Inline) else executor


def test_edits_and_folders(tmp_path: pathlib.Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said: list[str] = []
    source = Observed(str(tmp_path / "build"))
    watcher = Watcher(
        str(tmp_path), ["config/shaders"], screen=Screen(said.append, lambda found: str(found)), source=source
    )
    try:
        watcher.start()
        output = tmp_path / "build/shaders/a.main.spv"
        seen = {output.read_bytes()}

        def until_new() -> None:
            for _ in range(100):
                watcher.step(watcher.bursts.wait(0.2))
                if not watcher.board.failures and output.read_bytes() not in seen:
                    break
            assert output.read_bytes() not in seen, "".join(said)
            seen.add(output.read_bytes())

        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 2\n")
        until_new()
        shutil.rmtree(tmp_path / "shaders/inc")
        watcher.step(watcher.bursts.wait(5))
        (tmp_path / "shaders/inc").mkdir()
        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 3\n")
        until_new()
        (tmp_path / "shaders/inc/h.h").write_text("#define VALUE 4\n")
        until_new()
    finally:
        watcher.close()


@pytest.fixture
def source(tmp_path: pathlib.Path):
    found = Observed()
    yield found
    found.close()


def whole_file(source: Observed, path: pathlib.Path, seconds: float = 10.0) -> float:
    """Wait for an event about a complete file; return the seconds that it took."""
    began = time.monotonic()
    while (left := began + seconds - time.monotonic()) > 0:
        if any(event.is_whole and event.path == str(path) for event in source.read(left)):
            return time.monotonic() - began
    raise AssertionError(f"no event for {path}")


def recreate(folder: pathlib.Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def replace(folder: pathlib.Path) -> None:
    (other := folder.with_name("other")).mkdir()
    folder.rename(folder.with_name("old"))
    other.rename(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has events about complete files")
@pytest.mark.parametrize("change", [recreate, replace])
def test_a_folder_in_the_place_of_another_is_watched(tmp_path: pathlib.Path, source: Observed, change) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert source.watch([str(folder)])
    assert not source.watch([str(folder)])
    change(folder)
    end = time.monotonic() + 10
    while not source.watch([str(folder)]) and time.monotonic() < end:  # a new folder may have the inode of the old one
        source.read(0.1)
    (folder / "a.h").write_text("one")
    whole_file(source, folder / "a.h")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has events about complete files")
def test_a_link_to_a_folder_is_watched(tmp_path: pathlib.Path, source: Observed) -> None:
    (tmp_path / "target").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target", target_is_directory=True)
    source.watch([str(link)])
    (tmp_path / "target/a.h").write_text("one")
    whole_file(source, link / "a.h")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has events about complete files")
def test_a_backup_in_another_folder_delays_no_events(tmp_path: pathlib.Path, source: Observed) -> None:
    """Watchdog holds events for half a second until it knows where a file was moved."""
    for name in ("folder", "backups"):
        (tmp_path / name).mkdir()
    path = tmp_path / "folder/a.h"
    path.write_text("one")
    source.watch([str(tmp_path / "folder")])
    times = []
    for _ in range(3):  # the machine may be busy
        os.replace(path, tmp_path / "backups/a.h~")
        path.write_text("two")
        times.append(whole_file(source, path))
    assert min(times) < 0.4


@pytest.mark.skipif(sys.platform != "linux", reason="other systems watch trees")
def test_reads_raise_no_events(tmp_path: pathlib.Path, source: Observed) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    source.watch([str(tmp_path)])
    path.read_text()
    assert source.read(0.2) == []


def test_folders_that_are_gone_are_passed_over(tmp_path: pathlib.Path, source: Observed) -> None:
    assert not source.watch([str(tmp_path / "gone")])
    (tmp_path / "gone").mkdir()
    assert source.watch([str(tmp_path / "gone")])
    assert not source.watch([])
    assert not source.watched


def test_a_renamed_folder_is_an_event(tmp_path: pathlib.Path) -> None:
    files = {
        "config/shaders/a.yaml": CONFIG,
        "shaders/a.hlsl": SOURCE.replace("inc/h.h", "inc/deep/er/h.h"),
        "shaders/inc/deep/er/h.h": "#define VALUE 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    watcher = Watcher(str(tmp_path), ["config/shaders"], screen=Screen(lambda text: None, str), store=["none"])
    try:
        watcher.start()
        watcher.bursts.wait(0.1)
        (tmp_path / "shaders/inc/deep/er").rename(tmp_path / "away")
        assert watcher.bursts.wait(10.0)
    finally:
        watcher.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_empty_memory_changes_nothing(tmp_path: pathlib.Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.project.watch.loop.FORGET_AFTER", 0)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    screen = Screen(lambda text: None, str)
    watcher = Watcher(str(tmp_path), ["config/shaders"], screen=screen, jobs=jobs, store=["none"])
    output = tmp_path / "build/shaders/a.main.spv"
    header = tmp_path / "shaders/inc/h.h"
    try:
        watcher.start()
        first = output.read_bytes()
        for value in ("2", "1"):
            header.write_text(f"#define VALUE {value}\n")
            watcher.step({str(header)})
            assert (output.read_bytes() == first) is (value == "1")
            memory = memory_of(watcher)
            watcher.step(set())
            after = memory_of(watcher)
            assert after is not memory
    finally:
        watcher.close()
