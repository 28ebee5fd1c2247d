"""What the watcher looks at when no event came for a while."""

from __future__ import annotations

import os
import pathlib
import sys
import time

import pytest

from hlsl_tool.watch import inotify
from hlsl_tool.watch.loop import SWEEP_ALL, Watcher
from hlsl_tool.watch.screen import Screen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all files are looked at")

CONFIGURATION = """\
shaders:
  - { source: inner/a.hlsl, profile: ps_6_0, outputs: [spv], optimize: none, validate: false }
"""
SOURCE = '#include "h.h"\nfloat4 main() : SV_Target { return H; }\n'


class Watched:
    def __init__(self, root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (root / "config/shaders").mkdir(parents=True)
        (root / "config/shaders/a.yaml").write_text(CONFIGURATION)
        (root / "shaders/inner").mkdir(parents=True, exist_ok=True)
        (root / "shaders/inner/a.hlsl").write_text(SOURCE)
        self.root = root
        self.header = root / "shaders/inner/h.h"
        if not os.path.lexists(self.header):
            self.header.write_text("#define H 1\n")
        self.watcher = Watcher(str(root), ["config/shaders"], screen=Screen(lambda text: None, str), store=["none"])
        devices = {os.stat(root).st_dev}
        monkeypatch.setattr(inotify, "local_devices", lambda: frozenset(devices))
        time.sleep(0.1)  # nothing is so young that its time tells nothing
        self.watcher.start()
        self.sweeps = 0
        sweep = self.watcher.files.sweep

        def counted() -> set[str]:
            self.sweeps += 1
            return sweep()

        monkeypatch.setattr(self.watcher.files, "sweep", counted)
        self.idle()  # after new watches all is looked at
        assert self.sweeps == 1

    def idle(self) -> int:
        """How many shaders have been built, or failed, when nothing came for a while."""
        batch = self.watcher.board.batch
        self.watcher.step(set())
        now = self.watcher.board.batch
        return 0 if now is batch else len(now.built) + len(now.failed)


@pytest.fixture
def watched(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    found = Watched(tmp_path, monkeypatch)
    yield found
    found.watcher.close()


def test_files_are_looked_at_each_tenth_time(watched: Watched) -> None:
    assert [watched.idle() for _ in range(SWEEP_ALL)] == [0] * SWEEP_ALL
    assert watched.sweeps == 2
    watched.header.write_text("#define H 2\n")
    assert sum(watched.idle() for _ in range(SWEEP_ALL)) == 1, "the event has not been read, and it is found"


def test_where_other_machines_may_write_all_are_looked_at(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inotify, "local_devices", frozenset)
    watched.idle()
    assert watched.sweeps == 2
    watched.header.write_text("#define H 2\n")
    assert watched.idle() == 1


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, link) -> None:
    """Events are told of the name that is written to."""
    elsewhere = tmp_path / "elsewhere.h"
    elsewhere.write_text("#define H 1\n")
    header = tmp_path / "root/shaders/inner/h.h"
    header.parent.mkdir(parents=True)
    link(elsewhere, header)
    found = Watched(tmp_path / "root", monkeypatch)
    try:
        assert found.idle() == 0
        elsewhere.write_text("#define H 2\n")
        assert found.idle() == 1
        time.sleep(0.1)
        found.idle()
        sweeps = found.sweeps
        assert found.idle() == 0
        assert found.sweeps == sweeps
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


def test_which_devices_are_local() -> None:
    inotify.local_devices.cache_clear()
    found = inotify.local_devices()
    assert all(isinstance(device, int) for device in found)
    assert os.stat("/proc").st_dev not in found
