"""The file with the history of shader sizes: which builds add points, merging of old points, damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.apps.report.html import history as module
from hlsl_tool.apps.report.html.gather import points
from hlsl_tool.apps.report.html.history import HISTORY_NAME, MAX_POINTS, BadHistory, History, load, save
from hlsl_tool.apps.report.snapshot import Weight
from hlsl_tool.cli.__main__ import run


def test_only_changes_add_points(tmp_path: Path) -> None:
    history = History()
    assert history.add("t1", {"a": Weight(100, 10), "b": Weight(200, 20)}, {"a", "b"})
    assert not history.add("t2", {"a": Weight(100, 10), "b": Weight(200, 20)}, {"a", "b"})
    assert not history.add("t3", {"a": Weight(100, 10)}, {"a", "b"}), "b is out of date, not removed"
    assert history.add("t4", {"a": Weight(140, 12)}, {"a"})
    assert [(p.time, p.changed, p.removed) for p in history.points[1:]] == [("t4", {"a": (140, 12)}, ["b"])]
    save(str(tmp_path / "h"), history)
    assert load(str(tmp_path / "h")) == history


def test_a_part_of_a_project_removes_nothing() -> None:
    history = History()
    history.add("t1", {"a": Weight(100, 10), "b": Weight(200, 20)}, None)
    assert not history.add("t2", {"a": Weight(100, 10)}, None)


def test_points_have_totals_and_changes() -> None:
    history = History()
    history.add("t1", {"a": Weight(100, 10), "b": Weight(200, 20)}, None)
    history.add("t2", {"a": Weight(130, 12), "c": Weight(1, 1)}, {"a", "c"})
    first, second = points(history)
    assert (first.shaders, first.bytes, first.instructions, first.changed) == (2, 300, 30, [])
    assert (second.shaders, second.bytes, second.instructions) == (2, 131, 13)
    assert second.changed == [("b", (200, 20), None), ("a", (100, 10), (130, 12)), ("c", None, (1, 1))]


def test_names_that_are_no_unicode_are_written(tmp_path: Path) -> None:
    (tmp_path / "h").write_text('{"version":1,"points":[{"time":"t","changed":{"a\\ud800":[1,1]}}]}')
    history = load(str(tmp_path / "h"))
    assert history.add("t2", {"b": Weight(1, 1)}, None)
    save(str(tmp_path / "h"), history)
    assert load(str(tmp_path / "h")).sizes() == {"a?": (1, 1), "b": (1, 1)}


def test_old_points_are_merged() -> None:
    history = History()
    for number in range(MAX_POINTS + 5):
        history.add(f"t{number}", {"a": Weight(number, 1), "first": Weight(7, 7)}, None)
    assert len(history.points) == MAX_POINTS
    assert history.points[0].time == "t5"
    assert history.points[0].changed == {"a": (5, 1), "first": (7, 7)}


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 600)
    history = History()
    for number in range(40):
        history.add(f"t{number}", {"a": Weight(number, 1), "b": Weight(7, 7)}, None)
    save(str(tmp_path / "h"), history)
    assert (tmp_path / "h").stat().st_size <= 600
    assert load(str(tmp_path / "h")).sizes() == {"a": (39, 1), "b": (7, 7)}


@pytest.mark.parametrize(
    "content",
    ["[", "[]", "7", '{"version":2,"points":[]}', '{"version":1,"points":[{"time":"t","changed":{"a":[1]}}]}',
     '{"version":1,"points":7}', '{"version":1,"points":[{"time":"t","changed":{"a":[Infinity,1]}}]}',
     "[" * 100_000],
)  # fmt: skip
def test_other_files_are_no_histories(tmp_path: Path, content: str) -> None:
    (tmp_path / "h").write_text(content)
    with pytest.raises(BadHistory):
        load(str(tmp_path / "h"))


def test_missing_and_empty_files_are_empty_histories(tmp_path: Path) -> None:
    (tmp_path / "h").write_text("")
    assert load(str(tmp_path / "h")) == load(str(tmp_path / "none")) == History()


def test_a_file_that_is_no_history_is_not_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("mine")
    assert run(["build"]) == 0
    assert run(["report", "--html", "page.html", "--history", "notes.txt"]) == 2
    assert "`notes.txt` is no history of reports, and is left as it is" in capsys.readouterr().err
    assert Path("notes.txt").read_text() == "mine"


def test_a_damaged_history_begins_anew(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build"]) == 0
    (stored,) = (path.parent / HISTORY_NAME for path in Path("build").rglob("manifest.json"))
    stored.write_bytes(b"\xff")
    assert run(["report", "--html", "page.html"]) == 0
    assert "is damaged, or of another version: a new history begins" in capsys.readouterr().err
    assert len(load(str(stored)).points) == 1
