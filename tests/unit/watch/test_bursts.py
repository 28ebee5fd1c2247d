"""The end of a burst of events, tested without a clock: events are scripted, and waits are counted."""

from __future__ import annotations

import pathlib
import time
from collections.abc import Iterable

import pytest

from hlsl_tool.base.system.paths import existing_folder
from hlsl_tool.project.watch.events import Bursts, Event, git_locks
from hlsl_tool.project.watch.observed import outer_folders


class Script:
    """A source that returns lists of events in turn; waiting advances the scripted time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *batches: tuple[float, list[Event]]) -> None:
        self.now = 1000.0
        self.batches = [(1000.0 + at, events) for at, events in batches]
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def watch(self, folders: Iterable[str]) -> bool:
        return False

    def read(self, timeout: float | None) -> list[Event]:
        end = self.now + (1e9 if timeout is None else timeout)
        if not self.batches or self.batches[0][0] > end:
            self.now = end
            return []
        at, events = self.batches.pop(0)
        self.now = max(self.now, at)
        return events

    def close(self) -> None:
        """Do nothing: nothing is open."""


def whole(*paths: str) -> list[Event]:
    return [Event(path, True) for path in paths]


def open_(*paths: str) -> list[Event]:
    return [Event(path, False) for path in paths]


def test_a_save_is_acted_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (1.0, open_("a") + whole("a")))
    assert Bursts(script, lambda path: True).wait() == {"a"}
    assert script.now == 1001.0


def test_events_that_follow_shortly_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (0.0, whole("a")), (0.01, whole("b")), (0.03, whole("c")), (0.5, whole("d")))
    bursts = Bursts(script, lambda path: True)
    assert [bursts.wait() for _ in range(3)] == [{"a"}, {"b", "c"}, {"d"}]


def test_an_open_file_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (0.0, open_("a")), (0.02, whole("a")))
    assert Bursts(script, lambda path: True).wait() == {"a"}
    assert script.now == pytest.approx(1000.02)


def test_a_file_that_is_gone_waits_for_another_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (0.0, open_("a")))
    assert Bursts(script, lambda path: True).wait() == {"a"}
    assert script.now > 1000.0


def test_a_burst_does_not_last_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, *((number * 0.03, open_(f"f{number}")) for number in range(100)))
    assert 30 < len(Bursts(script, lambda path: True).wait()) < 40


def test_irrelevant_events_end_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (1.0, whole(".a.swp")), (2.0, whole("4913")), (3.0, whole("a")))
    assert Bursts(script, lambda path: path == "a").wait() == {"a"}
    assert script.now == 1003.0


def test_a_wait_ends_without_events(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(monkeypatch, (5.0, whole("a")))
    bursts = Bursts(script, lambda path: True)
    assert bursts.wait(2.0) == set()
    assert bursts.pending() == set()
    assert bursts.wait(20.0) == {"a"}


def test_git_is_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "index.lock"
    lock.touch()
    script = Script(monkeypatch, (0.0, whole("a")), *((0.2 * number, whole(f"f{number}")) for number in range(1, 10)))
    read = script.read

    def read_and_release(timeout: float | None) -> list[Event]:
        if len(script.batches) == 1:
            lock.unlink(missing_ok=True)
        return read(timeout)

    script.read = read_and_release  # type: ignore[method-assign]
    assert len(Bursts(script, lambda path: True, [str(lock)]).wait()) >= 9


def test_a_lock_that_was_left_behind_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "index.lock"
    lock.touch()
    script = Script(monkeypatch, (0.0, whole("a")))
    assert Bursts(script, lambda path: True, [str(lock)]).wait() == {"a"}
    assert script.now < 1001.0


def test_where_git_has_its_lock(tmp_path: pathlib.Path) -> None:
    inner = tmp_path / "game/shaders"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert git_locks(str(inner)) == [str(tmp_path / ".git/index.lock")]
    (tmp_path / "game/.git").write_text("gitdir: /elsewhere/worktrees/game\n")
    assert git_locks(str(inner)) == ["/elsewhere/worktrees/game/index.lock"]


def test_the_nearest_folder_that_is_there(tmp_path: pathlib.Path) -> None:
    assert existing_folder(str(tmp_path / "a/b/c")) == str(tmp_path)


def test_many_folders_are_watched_through_their_outer_ones() -> None:
    many = {f"/p/wicked/s{number}" for number in range(20)} | {"/p/config"}
    assert outer_folders(many, "/p/build") == {("/p/wicked", True), ("/p/config", True)}
    assert outer_folders({"/p", "/p/src"}, "/p/build") == {("/p", False), ("/p/src", True)}
    assert outer_folders({"/p/a", "/p/a/b"}, "") == {("/p/a", True)}
