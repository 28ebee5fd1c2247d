"""A store to which others can write: links, pipes and devices in it have no effect, and a group can share it."""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator

import pytest

from hlsl_tool.base.system import folders
from hlsl_tool.base.system.folders import Folder
from hlsl_tool.project.build.store import directory
from hlsl_tool.project.build.store.directory import Directory
from hlsl_tool.project.build.store.results import Result, Store, key_of

KEY = key_of("a", "shader")
RESULT = Result({"messages": []}, {"spv": b"words" * 2000})

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Store:
    made = Store([Directory(str(tmp_path / "store"))])
    made.put(KEY, RESULT)
    return made


@pytest.fixture
def victim(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder outside of the store, with the structure of a store."""
    folder = tmp_path / "victim"
    for kind in ("ac", "cas"):
        for number in range(256):
            (folder / kind / f"{number:02x}").mkdir(parents=True)
            (folder / kind / f"{number:02x}" / f"{number:02x}{'0' * 62}").write_bytes(b"mine" * 2000)
    (folder / "file").write_text("mine")
    return folder


def content(folder: pathlib.Path) -> dict[str, tuple[bytes, int]]:
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(folder.rglob("*")) if p.is_file()}


def entries(store: pathlib.Path, kind: str) -> Iterator[pathlib.Path]:
    return (path for path in (store / kind).rglob("*") if path.is_file())


@pytest.mark.parametrize("has_descriptors", [True, False])
@pytest.mark.parametrize("where", ["ac", "cas", "ac/xx", "cas/xx"])
def test_folders_that_are_links_are_not_entered(
    store: Store,
    victim: pathlib.Path,
    tmp_path: pathlib.Path,
    where: str,
    has_descriptors: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folders, "HAS_DESCRIPTORS", has_descriptors)
    path = tmp_path / "store" / where
    kind = where[:2] if where.startswith("ac") else "cas"
    if where.endswith("xx"):
        path = next(entries(tmp_path / "store", kind)).parent
    path.rename(tmp_path / "away")
    path.symlink_to(victim / path.relative_to(tmp_path / "store"))
    before = content(victim)
    assert store.get(KEY) is None
    store.put(KEY, RESULT)
    store.put(key_of("another"), RESULT)
    backend = Directory(str(tmp_path / "store"))
    backend.collect(0)
    backend.clear()
    assert content(victim) == before
    assert path.is_symlink()
    assert any("is a link" in what for _, what in store.take_problems())


@pytest.mark.parametrize("kind", ["ac", "cas"])
@pytest.mark.parametrize("what", ["link", "dangling", "pipe", "device", "socket"])
def test_entries_that_are_no_files_are_misses_and_go(
    store: Store, victim: pathlib.Path, tmp_path: pathlib.Path, kind: str, what: str
) -> None:

    make: dict[str, Callable[[pathlib.Path], object]] = {
        "link": lambda path: path.symlink_to(victim / "file"),
        "dangling": lambda path: path.symlink_to(victim / "none"),
        "pipe": os.mkfifo,
        "device": lambda path: path.symlink_to("/dev/zero"),
        "socket": lambda path: os.rename(bound(tmp_path), path),
    }
    before = content(victim)
    for path in list(entries(tmp_path / "store", kind)):
        path.unlink()
        make[what](path)
    assert store.get(KEY) is None
    store.put(KEY, RESULT)
    assert store.get(KEY) == RESULT
    assert content(victim) == before


def bound(folder: pathlib.Path) -> str:
    """Create a socket file and return its relative path, which is short enough for a socket."""

    path = os.path.relpath(folder / "s")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)
    return path


@pytest.mark.parametrize("what", ["link", "hard link", "pipe", "folder"])
def test_the_counter_of_growth(
    store: Store, victim: pathlib.Path, tmp_path: pathlib.Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "CHECKS", 1 << 40)  # every writer empties it
    path = tmp_path / "store" / "grown"
    store.close()
    path.unlink()
    if what == "link":
        path.symlink_to(victim / "file")
    elif what == "hard link":
        path.hardlink_to(victim / "file")
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    before = content(victim)
    for number in range(3):
        store.put(key_of(str(number)), Result(number))
    assert content(victim) == before
    assert path.is_file() or what == "folder"
    assert store.take_problems() == []


@pytest.mark.parametrize("change", ["removed", "moved", "a kind removed"])
def test_a_store_that_goes_away_meanwhile_is_made_again(store: Store, tmp_path: pathlib.Path, change: str) -> None:
    assert store.get(KEY) == RESULT
    path = tmp_path / "store"
    if change == "moved":
        path.rename(tmp_path / "away")
    else:
        shutil.rmtree(path if change == "removed" else path / "ac")
    store.get(KEY)
    store.get(key_of("another"))
    store.put(KEY, RESULT)
    assert Store([Directory(str(path))]).get(KEY) == RESULT
    assert store.take_problems() == []


def test_a_link_that_replaces_an_open_folder_is_not_followed(
    store: Store, victim: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    assert store.get(KEY) == RESULT
    for kind in ("ac", "cas"):
        path = tmp_path / "store" / kind
        path.rename(tmp_path / "store" / f"{kind}.old")
        path.symlink_to(victim / kind)
    before = content(victim)
    assert store.get(KEY) is None
    store.put(key_of("another"), RESULT)
    assert content(victim) == before


def test_a_group_shares_it(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    folder.chmod(0o2770)
    before = os.umask(0o077)
    try:
        Store([Directory(str(folder))]).put(KEY, RESULT)
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o2770}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o660}


def test_a_link_that_takes_the_place_of_a_new_folder(
    victim: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    folder.chmod(0o2777)
    before = {path: path.stat().st_mode for path in (victim, *victim.rglob("*"))}
    make = Folder._make

    def swapped(self: Folder, name: str) -> bool:
        is_new = make(self, name)
        os.rename(os.path.join(self.path, name), tmp_path / f"away {name}")
        os.symlink(victim / "ac", os.path.join(self.path, name))
        return is_new

    monkeypatch.setattr(Folder, "_make", swapped)
    Store([Directory(str(folder))]).put(KEY, RESULT)
    assert {path: path.stat().st_mode for path in (victim, *victim.rglob("*"))} == before


def test_without_a_group_the_umask_decides(tmp_path: pathlib.Path) -> None:
    before = os.umask(0o077)
    try:
        Store([Directory(str(tmp_path / "store"))]).put(KEY, RESULT)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "store").rglob("*") if p.is_file()} == {0o600}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="other users can be had by root only")
def test_two_users_of_a_group() -> None:
    with tempfile.TemporaryDirectory() as top:  # pytest's folders are root's alone
        os.chmod(top, 0o755)
        folder = pathlib.Path(top, "store")
        folder.mkdir()
        os.chown(folder, 0, 4242)
        folder.chmod(0o2775)
        share(folder)
        assert not [path for path in folder.rglob("*") if path.is_file() and path.name != "grown"]


def share(folder: pathlib.Path) -> None:
    """One user stores a result; another user of the group finds it, stores more, and deletes everything."""
    for user in (4001, 4002):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setgroups([4242])
                os.setgid(user)
                os.setuid(user)
                os.umask(0o077)
                store = Store([Directory(str(folder))])
                if user == 4002:
                    assert store.get(KEY) == RESULT
                store.put(KEY if user == 4001 else key_of("another"), RESULT)
                Directory(str(folder)).collect(0 if user == 4002 else None)
                status = len(store.take_problems())
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
