"""The watcher's digests of files on disk."""

from __future__ import annotations

import os
import pathlib

import pytest

from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.watch.dependents import Dependents
from hlsl_tool.project.watch.files import Files, Listings


def test_only_another_content_is_a_change(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    files = Files(str(tmp_path))
    known = files.digest_cached("a.h")
    os.utime(path, ns=(1, 1))
    assert files.sweep() == set()
    path.write_text("two")
    assert files.digest_cached("a.h") == known  # until `sweep` reads the folder again
    assert files.sweep() == {"a.h"}
    assert files.digest_cached("a.h") != known
    path.unlink()
    assert files.sweep() == {"a.h"}
    assert files.digest_cached("a.h") == ""


def test_a_change_within_the_same_time_and_size_is_seen(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    files = Files(str(tmp_path))
    files.digest_cached("a.h")
    times = path.stat()
    path.write_text("two")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert files.that_changed(["a.h"], by_event=False) == {"a.h"}  # it had only just been written
    os.utime(path, ns=(1, 1))
    files.that_changed(["a.h"], by_event=True)
    path.write_text("six")
    os.utime(path, ns=(1, 1))
    assert files.sweep() == set()
    assert files.that_changed(["a.h"], by_event=True) == {"a.h"}


@pytest.mark.parametrize("looks", ["sweep", "that_changed"])
def test_a_file_in_the_place_of_another_with_the_same_time_and_size_is_seen(tmp_path: pathlib.Path, looks: str) -> None:
    path, other = tmp_path / "a.h", tmp_path / "other.h"
    for file, text in ((path, "one"), (other, "two")):
        file.write_text(text)
        os.utime(file, ns=(10**18, 10**18))
    files = Files(str(tmp_path))
    files.digest_cached("a.h")
    assert not files.racy
    other.replace(path)
    assert path.stat().st_mtime_ns == 10**18
    assert (files.sweep() if looks == "sweep" else files.that_changed(["a.h"], by_event=False)) == {"a.h"}
    assert files.digest_cached("a.h") == digest(b"two")


@pytest.mark.parametrize("change", ["time", "size"])
def test_a_sweep_sees_another_time_or_size_of_the_same_file(tmp_path: pathlib.Path, change: str) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    os.utime(path, ns=(10**18, 10**18))
    files = Files(str(tmp_path))
    files.digest_cached("a.h")
    path.write_text("two" if change == "time" else "three")
    os.utime(path, ns=(10**18, 10**18 + (change == "time")))
    assert files.sweep() == {"a.h"}
    assert files.sweep() == set()


def test_a_sweep_reads_files_that_were_young_once_more(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    files = Files(str(tmp_path))
    files.digest_cached("a.h")
    times = path.stat()
    files.racy.add("a.h")  # however slow this machine is
    path.write_text("two")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert files.may_have_changed()
    assert files.sweep() == {"a.h"}


def test_a_sweep_sees_that_a_missing_file_appeared(tmp_path: pathlib.Path) -> None:
    files = Files(str(tmp_path))
    assert files.digest_cached("a.h") == ""
    assert files.sweep() == set()
    (tmp_path / "a.h").write_text("one")
    assert files.sweep() == {"a.h"}


def test_only_files_with_other_names_may_change_without_an_event(tmp_path: pathlib.Path) -> None:
    for name in ("plain", "linked"):
        (tmp_path / name).write_text("one")
        os.utime(tmp_path / name, ns=(10**18, 10**18))
    os.link(tmp_path / "linked", tmp_path / "elsewhere")
    files = Files(str(tmp_path))
    files.digest_cached("plain")
    files.digest_cached("linked")
    assert files.loose == {"linked"}
    (tmp_path / "plain").write_text("three")
    assert not files.may_have_changed()
    (tmp_path / "elsewhere").write_text("three")
    assert files.may_have_changed()


def test_a_folder_means_all_below_it(tmp_path: pathlib.Path) -> None:
    files = Files(str(tmp_path))
    for name in ("a/b/c.h", "a/b2/c.h", "../out.h"):
        files.digest_cached(name)
    assert files.below([str(tmp_path / "a/b")]) == {"a/b/c.h"}
    assert files.below([str(tmp_path / "a")]) == {"a/b/c.h", "a/b2/c.h"}
    assert files.below([str(tmp_path / "a/b/c.h")]) == {"a/b/c.h"}
    assert files.below([str(tmp_path / "x")]) == set()
    files.keep({"a/b2/c.h"})
    assert files.below([str(tmp_path / "a")]) == {"a/b2/c.h"}


def test_listings_contain_the_files_that_patterns_find(tmp_path: pathlib.Path) -> None:
    listings = Listings()
    (tmp_path / "post").mkdir()
    listings.expect([(str(tmp_path), ("*.hlsl",))])
    assert not listings.changed()
    (tmp_path / "post/.x.hlsl.swp").touch()
    (tmp_path / "post/x.hlsli").touch()
    assert not listings.changed()
    (tmp_path / "post/x.hlsl").touch()
    assert listings.changed()
    assert listings.concerns(str(tmp_path / "post/x.hlsl"))
    assert listings.concerns(str(tmp_path / "more"))
    assert not listings.concerns(str(tmp_path / "post/x.hlsl~.tmp"))
    assert listings.folders() == {str(tmp_path), str(tmp_path / "post")}


def test_shaders_with_changed_inputs_are_stale() -> None:
    now = {"h": "1", "i": ""}
    found = Dependents()
    found.put("a", {"h": "1", "i": ""})
    found.put("b", {"h": "0"})
    assert found.stale(["h", "i"], now.__getitem__) == {"b"}
    now["i"] = "2"
    assert found.stale(["h", "i"], now.__getitem__) == {"a", "b"}
    found.put("a", {"i": "2"})
    found.drop("b")
    assert found.stale(["h", "i"], now.__getitem__) == set()
    assert found.names() == {"i"}
