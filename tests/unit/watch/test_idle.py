"""The watcher compares the stamps of all files when it gets no event for a while."""

from __future__ import annotations

import errno
import os
import pathlib
import shutil
import time

import pytest

from hlsl_tool.project.build.currency import log as records_module
from hlsl_tool.project.build.currency.log import Records
from hlsl_tool.project.watch import loop, observed, rebuild
from hlsl_tool.project.watch.loop import Watcher
from hlsl_tool.project.watch.screen import Screen
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("frozen")

CONFIGURATION = """\
shaders:
  - { source: inner/a.hlsl, profile: ps_6_0, outputs: [spv], optimize: none, validate: false }
"""
SOURCE = '#include "h.h"\nfloat4 main() : SV_Target { return H; }\n'


class Watched:
    def __init__(self, root: pathlib.Path) -> None:
        (root / "config/shaders").mkdir(parents=True)
        (root / "config/shaders/a.yaml").write_text(CONFIGURATION)
        (root / "shaders/inner").mkdir(parents=True, exist_ok=True)
        (root / "shaders/inner/a.hlsl").write_text(SOURCE)
        self.root = root
        self.header = root / "shaders/inner/h.h"
        if not os.path.lexists(self.header):
            self.header.write_text("#define H 1\n")
        self.watcher = Watcher(str(root), ["config/shaders"], screen=Screen(lambda text: None, str), store=["none"])
        time.sleep(0.1)  # every file is old enough for its time to be trusted
        self.watcher.start()

    def idle(self) -> int:
        """Let the watcher run without events; return the number of shaders that were built or failed."""
        batch = self.watcher.board.batch
        self.watcher.step(set())
        now = self.watcher.board.batch
        return 0 if now is batch else len(now.built) + len(now.failed)


@pytest.fixture
def watched(tmp_path: pathlib.Path):
    found = Watched(tmp_path)
    yield found
    found.watcher.close()


def test_a_change_whose_event_was_lost_is_seen(watched: Watched) -> None:
    watched.idle()
    watched.header.write_text("#define H 2\n")  # no event is read here
    assert watched.idle() == 1
    assert watched.idle() == 0


def test_after_events_of_several_files_all_are_compared(watched: Watched) -> None:
    """The system drops events when many files change at once."""
    watched.header.write_text("#define H 2\n")
    watched.watcher.step({str(watched.root / "shaders/inner/a.hlsl"), str(watched.root / "shaders/inner/new.h")})
    assert len(watched.watcher.board.batch.built) == 1


def test_large_trees_are_compared_less_often(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.idle()
    assert watched.watcher.pause == loop.SWEEP_SECONDS
    times = iter([1.0, 1.5])
    monkeypatch.setattr(time, "thread_time", lambda: next(times))
    watched.idle()
    assert watched.watcher.pause == 0.5 * loop.SWEEP_SHARE


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links(tmp_path: pathlib.Path, link) -> None:
    """An edit of a linked header through its other name is found, although its event contains only that name."""
    elsewhere = tmp_path / "elsewhere.h"
    elsewhere.write_text("#define H 1\n")
    header = tmp_path / "root/shaders/inner/h.h"
    header.parent.mkdir(parents=True)
    link(elsewhere, header)
    found = Watched(tmp_path / "root")
    try:
        assert found.idle() == 0
        elsewhere.write_text("#define H 2\n")
        assert found.idle() == 1
        assert found.idle() == 0
    finally:
        found.watcher.close()


def test_folders_that_are_moved_with_those_around_them(watched: Watched) -> None:
    other = watched.root / "other/inner"
    other.mkdir(parents=True)
    (other / "a.hlsl").write_text(SOURCE)
    (other / "h.h").write_text("#define H 3\n")
    (watched.root / "shaders").rename(watched.root / "before")
    (watched.root / "other").rename(watched.root / "shaders")
    assert watched.idle() == 1


def test_a_new_configuration(watched: Watched) -> None:
    text = CONFIGURATION.replace("a.hlsl,", "b.hlsl,")
    (watched.root / "shaders/inner/b.hlsl").write_text(SOURCE)
    (watched.root / "config/shaders/b.yaml").write_text(text)
    assert watched.idle() == 1


def outputs(watched: Watched) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (watched.root / "build").rglob("*") if path.is_file()}


def test_removed_outputs_come_back(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    before = outputs(watched)
    shutil.rmtree(watched.root / "build")
    assert watched.idle() == 1
    assert {name: data for name, data in outputs(watched).items() if "log" not in name} == {
        name: data for name, data in before.items() if "log" not in name
    }
    assert watched.idle() == 0
    monkeypatch.setattr(rebuild, "OUTPUTS_SECONDS", 0.0)
    for name in ("inner/a.main.spv", "manifest.json", ".hlsl_tool.log"):
        (watched.root / "build/shaders" / name).unlink()
        assert watched.idle() == (name.endswith("spv"))
        assert outputs(watched).keys() == before.keys()
    records = Records(str(watched.root / "build/shaders/.hlsl_tool.log"))
    assert records.by_name["inner/a.main"].key


def test_the_log_does_not_grow_for_ever(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "COMPACT_SLACK", 3)
    log = watched.root / "build/shaders/.hlsl_tool.log"
    for number in range(12):
        watched.header.write_text(f"#define H {number + 5}\n")
        watched.watcher.notice({str(watched.header)})
        watched.watcher.act()
        assert len(log.read_bytes().splitlines()) <= 4 + 3 + 2
    assert Records(str(log)).by_name["inner/a.main"].key


LIMITS = [
    (OSError(errno.ENOSPC, "inotify watch limit reached"), "inotify watch limit reached"),
    (RuntimeError("can't start new thread"), "can't start new thread"),
]


@pytest.mark.parametrize(("error", "reason"), LIMITS, ids=["watches", "threads"])
def test_without_watches_files_are_polled(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("watchdog.observers.api.BaseObserver.schedule", refuse)
    written: list[str] = []
    monkeypatch.setattr(Screen, "write", lambda self, text: written.append(text))
    watched = Watched(tmp_path)
    try:
        warnings = [text for text in written if text.startswith("warning: the system allows no more watches (")]
        assert len(warnings) == 1 and reason in warnings[0]
        watched.header.write_text("#define H 2\n")
        assert watched.idle() == 1
        assert watched.watcher.pause == loop.POLL_SECONDS
    finally:
        watched.watcher.close()


def test_without_an_observer_files_are_polled(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr(observed, "_observer", refuse)
    watched = Watched(tmp_path)
    try:
        watched.header.write_text("#define H 2\n")
        assert watched.idle() == 1
        assert watched.watcher.pause == loop.POLL_SECONDS
    finally:
        watched.watcher.close()


def test_a_header_that_changes_while_the_last_shader_is_compiled(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shaders that were compiled before are compiled again, too."""
    (watched.root / "shaders/inner/b.hlsl").write_text(SOURCE)
    (watched.root / "config/shaders/b.yaml").write_text(CONFIGURATION.replace("a.hlsl,", "b.hlsl,"))
    assert watched.idle() == 1
    engine = watched.watcher.rebuilder.engine
    assert engine is not None
    build, built = engine.build, []

    def edited(job):
        outcome = build(job)
        built.append(job.name)
        if len(built) == 2:
            watched.header.write_text("#define H 3\n")
        return outcome

    monkeypatch.setattr(engine, "build", edited)
    watched.header.write_text("#define H 2\n")
    watched.watcher.notice({str(watched.header)})
    watched.watcher.act()
    deadline = time.monotonic() + PATIENCE
    while len(built) < 4 and time.monotonic() < deadline:  # until the event has arrived
        watched.watcher.step(watched.watcher.bursts.wait(0.1))
    assert sorted(built[:2]) == sorted(built[2:]) == ["inner/a.main", "inner/b.main"]
    words = {name: data for name, data in outputs(watched).items() if name.endswith(".spv")}
    assert len(words) == 2 and len(set(words.values())) == 1
