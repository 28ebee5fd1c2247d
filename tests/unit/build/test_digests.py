"""Digests of files by their stamps (times, size, inode): a stamp is trusted if the file was old enough when hashed."""

from __future__ import annotations

import os
import pathlib
import time

import pytest

from hlsl_tool.project.build.currency import digests
from hlsl_tool.project.build.currency.digests import AT_REST, Digests, Stamp, stamp_of
from hlsl_tool.project.build.digest import digest

NAME = "a.hlsl"


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / NAME
    path.write_text("one")
    return path


def freeze_stamp(monkeypatch: pytest.MonkeyPatch, path: pathlib.Path) -> Stamp:
    """Make the file's stamp constant, as within one tick of a coarse clock."""
    stamp = stamp_of(str(path))
    assert stamp is not None
    monkeypatch.setattr(digests, "stamp_of", lambda _: stamp)
    return stamp


def freeze_clock(monkeypatch: pytest.MonkeyPatch, nanoseconds: int) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds)


@pytest.mark.parametrize("age", [0, 1, AT_REST // 2, AT_REST])
def test_a_later_build_reads_a_file_again_that_was_young(
    path: pathlib.Path, age: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = freeze_stamp(monkeypatch, path)
    freeze_clock(monkeypatch, max(stamp[:2]) + age)
    first = Digests(str(path.parent))
    assert first.digest_fresh(NAME) == digest(b"one")
    path.write_text("two")
    assert Digests(str(path.parent), first.table).digest_fresh(NAME) == digest(b"two")


def test_a_later_build_trusts_the_stamp_of_a_file_at_rest(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = freeze_stamp(monkeypatch, path)
    freeze_clock(monkeypatch, max(stamp[:2]) + AT_REST + 1)
    first = Digests(str(path.parent))
    assert first.digest_fresh(NAME) == digest(b"one")
    assert first.changed
    monkeypatch.setattr(digests, "read_bytes", lambda path: pytest.fail("reads a file at rest"))
    second = Digests(str(path.parent), first.table)
    assert second.digest_fresh(NAME) == digest(b"one")
    assert not second.changed


@pytest.mark.parametrize("young", [0, 1])
def test_both_times_count_as_age(path: pathlib.Path, young: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest is not reused by stamp if either the mtime or the ctime was recent when the file was hashed.

    A file that was moved, or whose time was set back, has one old and one recent time.
    """
    stamp = list(freeze_stamp(monkeypatch, path))
    stamp[1 - young] -= 10 * AT_REST
    monkeypatch.setattr(digests, "stamp_of", lambda _: tuple(stamp))
    freeze_clock(monkeypatch, stamp[young] + 1)
    first = Digests(str(path.parent))
    first.digest_fresh(NAME)
    path.write_text("two")
    assert Digests(str(path.parent), first.table).digest_fresh(NAME) == digest(b"two")


@pytest.mark.parametrize("part", range(4), ids=["mtime", "ctime", "size", "inode"])
def test_each_part_of_the_stamp_counts(path: pathlib.Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = list(freeze_stamp(monkeypatch, path))
    freeze_clock(monkeypatch, max(stamp[:2]) + 2 * AT_REST)
    first = Digests(str(path.parent))
    first.digest_fresh(NAME)
    path.write_text("two")
    stamp[part] += 1
    monkeypatch.setattr(digests, "stamp_of", lambda _: tuple(stamp))
    assert Digests(str(path.parent), first.table).digest_fresh(NAME) == digest(b"two")


def test_stamps_of_files(path: pathlib.Path) -> None:
    status = os.stat(path)
    assert stamp_of(str(path)) == (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
    assert stamp_of(str(path.parent / "none")) is None


def test_missing_files_have_an_empty_digest(path: pathlib.Path) -> None:
    table = Digests(str(path.parent))
    assert table.digest_fresh("none") == table.digest_stat("none") == table.digest_cached("none") == ""
    assert not table.table and not table.changed


def test_a_cached_digest_holds_until_it_is_forgotten(path: pathlib.Path) -> None:
    table = Digests(str(path.parent))
    (path.parent / "b").write_text("b")
    first = [table.digest_cached(name) for name in (NAME, "b")]
    path.write_text("three")
    (path.parent / "b").write_text("three")
    assert [table.digest_cached(name) for name in (NAME, "b")] == first
    table.forget([NAME])
    assert [table.digest_cached(name) for name in (NAME, "b")] == [digest(b"three"), first[1]]
    table.forget()
    assert table.digest_cached("b") == digest(b"three")


def test_digest_stat_looks_again_when_the_stamp_changed(path: pathlib.Path) -> None:
    table = Digests(str(path.parent))
    assert table.digest_stat(NAME) == digest(b"one")
    path.write_text("three")
    assert table.digest_stat(NAME) == digest(b"three")
    path.unlink()
    assert table.digest_stat(NAME) == ""
    path.write_text("one")
    assert table.digest_stat(NAME) == digest(b"one")
