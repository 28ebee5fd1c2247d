"""The watcher's digests of files on disk."""

from __future__ import annotations

import os
import pathlib
import time

import pytest

from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.watch.dependents import Dependents
from hlsl_tool.project.watch.files import Files, Listings, _state


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
    files.states["a.h"] = _state(str(path))  # as on systems without a time of the last change
    assert files.sweep() == set()
    assert files.that_changed(["a.h"], by_event=True) == {"a.h"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has the time of creation instead")
def test_a_sweep_sees_another_content_under_a_restored_time(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.h"
    path.write_text("one")
    os.utime(path, ns=(1, 1))
    files = Files(str(tmp_path))
    files.digest_cached("a.h")
    time.sleep(0.02)  # the clock of the file system is coarse
    path.write_text("two")
    os.utime(path, ns=(1, 1))
    assert files.sweep() == {"a.h"}


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
    files.racy.add("a.h")  # however slow this machine is
    path.write_text("two")
    files.states["a.h"] = _state(str(path))  # written within one tick of the clock
    assert files.sweep() == {"a.h"}


def test_a_sweep_sees_that_a_missing_file_appeared(tmp_path: pathlib.Path) -> None:
    files = Files(str(tmp_path))
    assert files.digest_cached("a.h") == ""
    assert files.sweep() == set()
    (tmp_path / "a.h").write_text("one")
    assert files.sweep() == {"a.h"}


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_sweep_sees_a_change_under_another_name(tmp_path: pathlib.Path, link) -> None:
    (tmp_path / "elsewhere").write_text("one")
    link(tmp_path / "elsewhere", tmp_path / "linked")
    files = Files(str(tmp_path))
    files.digest_cached("linked")
    (tmp_path / "elsewhere").write_text("three")
    assert files.sweep() == {"linked"}


def test_only_kept_files_are_compared(tmp_path: pathlib.Path) -> None:
    files = Files(str(tmp_path))
    for name in ("a/b/c.h", "a/b2/c.h", "../out.h"):
        files.digest_cached(name)
    files.keep({"a/b2/c.h"})
    assert str(tmp_path / "a/b2") in files.around() and str(tmp_path / "a/b") not in files.around()
    for name in ("b", "b2"):
        (tmp_path / "a" / name).mkdir(parents=True)
        (tmp_path / "a" / name / "c.h").write_text("one")
    assert files.sweep() == {"a/b2/c.h"}


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
