"""The state file of an output folder: plain data whose types are checked."""

from __future__ import annotations

import json
import os
import pathlib
import sys

import pytest

from hlsl_tool.base.system.atomic_write import WriteError, read_bytes, write_all
from hlsl_tool.base.system.file_names import LOG_NAME
from hlsl_tool.project.build.currency.digests import Digests
from hlsl_tool.project.build.currency.log import Record, Records
from hlsl_tool.project.build.currency.state_file import STATE_NAME, State, seal


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "a.hlsl").write_text("float x;")
    os.utime(tmp_path / "a.hlsl", (1_000_000_000, 1_000_000_000))
    return tmp_path


def saved(root: pathlib.Path) -> State:
    digests = Digests(str(root))
    records = Records(str(root / LOG_NAME))
    record = Record("key", "decided", {"a.hlsl": digests.digest_fresh("a.hlsl")}, ["b.hlsl"])
    records.put("a", record)
    state = State(str(root), ".")
    state.save(digests, {"a": 0.5}, [record], plan="plan", count=1, keys={"a": "key"})
    return State(str(root), ".")


def test_it_comes_back(root: pathlib.Path) -> None:
    state = saved(root)
    assert state.count("plan") == 1
    assert state.count("other") is None
    assert state.seconds() == {"a": 0.5}
    assert state.keys() == {"a": "key"}
    assert "a.hlsl" in state.table()
    assert (root / STATE_NAME).read_bytes().splitlines()[2].startswith(b"{")


WRONG = (
    {"names": [1]}, {"names": "a"}, {"names": ["a", "b"]}, {"stamps": []}, {"stamps": [[1.5], [1], [1], [1]]},
    {"stamps": [[1], [1], [1], [1, 2]]}, {"digests": [None]}, {"digests": []}, {"missing": {}}, {"log": [1, 2]},
    {"log": None}, {"plan": 1}, {"size": "1"}, {"size": True}, {"format": "state 1"},
)  # fmt: skip


@pytest.mark.parametrize("change", WRONG)
def test_another_shape_is_no_state(root: pathlib.Path, change: dict[str, object]) -> None:
    saved(root)
    path = root / STATE_NAME
    head = json.loads(path.read_bytes().splitlines()[1])
    path.write_bytes(seal({**head, **change}, {"seconds": {}, "keys": {}}))
    state = State(str(root), ".")
    assert state.count("plan") is None
    assert state.table() == {}


@pytest.mark.parametrize("rest", [[], {}, {"seconds": {"a": "b"}, "keys": {}}, {"seconds": 1, "keys": {}}, None])
def test_details_of_another_shape_are_none(root: pathlib.Path, rest: object) -> None:
    saved(root)
    path = root / STATE_NAME
    head = json.loads(path.read_bytes().splitlines()[1])
    path.write_bytes(seal(head, rest))
    state = State(str(root), ".")
    assert state.count("plan") == 1
    assert state.seconds() == state.keys() == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
@pytest.mark.parametrize("name", [STATE_NAME, LOG_NAME])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_link_or_a_pipe_in_its_place(root: pathlib.Path, name: str, kind: str) -> None:
    saved(root)
    victim = root / "victim"
    victim.write_text("mine")
    path = root / name
    path.unlink()
    {"link": lambda: path.symlink_to(victim), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[kind]()
    state = saved(root)
    assert victim.read_text() == "mine"
    if kind != "folder":
        assert path.is_file()
        assert not path.is_symlink()
        assert state.count("plan") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_pipes_are_not_waited_for(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    assert read_bytes(path) is None
    assert Digests(str(tmp_path)).digest_fresh("pipe") == ""
    with pytest.raises(WriteError):
        write_all({path: b"x"})
    assert read_bytes("/dev/zero") is None
