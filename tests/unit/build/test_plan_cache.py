"""The cached plan: plain data, signed with the user's own key."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import pickle
import stat
import sys

import pytest

import hlsl_tool
from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.user_key import user_key
from hlsl_tool.project.build import plan_cache
from hlsl_tool.project.build.currency.plain_data import plain, restored
from hlsl_tool.project.build.currency.state_file import seal, unseal
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.links import LinkJob

NAMES = ["config/shaders"]
CONFIG = """\
packs: [{ name: all }]
bindings: { shifts: { t: [[10, 0], [20, 1]] } }
shaders:
  - source: a.hlsl
    defines: { X: [0, 1], Y: 2 }
    entries: [{ entry: VS, profile: vs_6_0 }, { entry: PS, profile: ps_6_0, optimize: [--loop-unroll] }]
  - { source: 'p*.hlsl', profile: cs_6_0, debug: [rich], outputs: [spv, dep] }
"""


@pytest.fixture(autouse=True)
def home(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    user_key.cache_clear()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: pathlib.Path) -> str:
    folder = tmp_path / "project"
    for name, text in (("config/shaders/a.yaml", CONFIG), ("shaders/a.hlsl", ""), ("shaders/p.hlsl", "")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return str(folder)


def made(root: str) -> plan_cache.Plan:
    sink = Sink()
    plan = plan_cache.read(root, NAMES, sink)
    assert plan is not None, sink.diagnostics
    return plan


def test_a_stored_plan_equals_the_original(root: str) -> None:
    plan = made(root)
    kept = plan_cache.cached(root, NAMES)
    assert kept is not None
    assert kept.key == plan.key
    project, jobs, links, packs = plan.loaded()
    assert kept.jobs == jobs
    assert [job.cache_key() for job in kept.jobs] == [job.cache_key() for job in jobs]
    assert [job.is_linked for job in kept.jobs] == [job.is_linked for job in jobs]
    assert kept.links == links
    assert kept.packs == packs
    assert dataclasses.replace(kept.project, permutations=project.permutations) == project
    numbers = {id(job) for job in kept.jobs}
    assert all(id(job) in numbers for link in kept.links for job in link.jobs.values())
    assert all(id(job) in numbers for pack in kept.packs for job in pack.jobs)


def test_one_that_another_wrote_is_not_believed(root: str, home: pathlib.Path) -> None:
    made(root)
    path = plan_cache.path_of(root, NAMES)
    assert plan_cache.cached(root, NAMES) is not None
    next(home.rglob("key")).unlink()
    user_key.cache_clear()
    assert plan_cache.cached(root, NAMES) is None
    content = unseal(pathlib.Path(path).read_bytes(), b"another")
    assert content is None
    # Without a key the hash can be worked out by anybody.
    pathlib.Path(path).write_bytes(seal({"format": plan_cache.FORMAT}, {}))
    assert plan_cache.cached(root, NAMES) is None


def test_no_code_of_it_is_run(root: str, tmp_path: pathlib.Path) -> None:
    made(root)
    mark = tmp_path / "mark"

    class Attack:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(mark),)

    key = user_key()
    assert key is not None
    path = pathlib.Path(plan_cache.path_of(root, NAMES))
    head = json.loads(path.read_bytes().splitlines()[1])
    body = pickle.dumps(Attack())
    for data in (body, seal(head, {}, b"") + body, seal(head, body.decode("latin-1"), key)):
        path.write_bytes(data)
        kept = plan_cache.cached(root, NAMES)
        if kept is not None:
            with pytest.raises((TypeError, ValueError)):
                kept.loaded()
    assert not mark.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes of POSIX")
def test_it_is_private_and_a_file_of_its_own(root: str, tmp_path: pathlib.Path, home: pathlib.Path) -> None:
    path = pathlib.Path(plan_cache.path_of(root, NAMES))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    path.symlink_to(victim)
    made(root)
    assert victim.read_text() == "mine"
    assert not path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(next(home.rglob("key")).stat().st_mode) == 0o600
    path.unlink()
    os.mkfifo(path)
    assert plan_cache.cached(root, NAMES) is None
    made(root)
    assert path.is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_key_that_others_can_read_is_replaced(home: pathlib.Path) -> None:
    first = user_key()
    place = next(home.rglob("key"))
    place.chmod(0o644)
    user_key.cache_clear()
    second = user_key()
    assert second is not None
    assert second != first
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_without_a_place_for_the_key_nothing_is_kept(root: str, home: pathlib.Path) -> None:
    home.write_text("a file in the place of the folder")
    assert user_key() is None
    made(root)
    assert plan_cache.cached(root, NAMES) is None
    assert not os.path.exists(plan_cache.path_of(root, NAMES))


OPTIONS = {"profile": "ps_6_0", "optimize": ["-O1"], "defines": [["A", None]]}
JOB = {"name": "a", "source": "a.hlsl", "options": OPTIONS, "targets": {"spv": "a.spv"}}


def test_data_of_another_shape_is_refused() -> None:
    job = restored(Job, JOB)
    assert job.options == CompileOptions(profile="ps_6_0", optimize=("-O1",), defines=(("A", None),))
    assert plain(job) == JOB
    for wrong in (
        {**JOB, "name": 1},
        {**JOB, "targets": {"spv": ["a"]}},
        {**JOB, "targets": [["spv", "a"]]},
        {**JOB, "more": 1},
        {**JOB, "_cache_key": "x"},
        {name: value for name, value in JOB.items() if name != "source"},
        {**JOB, "permutation": [["A"]]},
        {**JOB, "options": {"error_limit": True}},
        {**JOB, "options": {"optimize": [["-O1"]]}},
        {**JOB, "options": []},
        [],
    ):
        with pytest.raises(ValueError):
            restored(Job, wrong)
    with pytest.raises(ValueError):
        restored(LinkJob, {"name": "x", "source": "", "target": "", "links": [{"consumer": "a"}], "jobs": {}})


@pytest.mark.parametrize(
    "name",
    [
        "project/build/plan.py",
        "project/build/outputs/links.py",
        "project/build/workers/remote/task.py",
        "project/config/load.py",
    ],
)
def test_a_change_of_the_code_that_makes_plans_changes_its_stamp(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("")
    monkeypatch.setattr(hlsl_tool, "__file__", str(tmp_path / "__init__.py"))
    stamp = plan_cache.code_stamp.__wrapped__
    before = stamp()
    assert stamp() == before
    path.write_text("edited")
    assert stamp() != before


def test_functions_that_patterns_match_decide_the_plan(tmp_path: pathlib.Path) -> None:
    root = str(tmp_path)
    source = tmp_path / "shaders/a.hlsl"
    source.parent.mkdir()
    source.write_text("void PSOne() { }")
    (tmp_path / "a.yaml").write_text('shaders: [{ source: a.hlsl, entry: "PS*", profile: ps_6_0 }]\n')
    assert plan_cache.read(root, ["a.yaml"], Sink()) is not None
    source.write_text("void PSOne() { return; }  // another body")
    kept = plan_cache.cached(root, ["a.yaml"])
    assert kept is not None and [job.name for job in kept.jobs] == ["a.PSOne"]
    source.write_text("void PSOne() { }\nvoid PSTwo() { }")
    assert plan_cache.cached(root, ["a.yaml"]) is None
    source.unlink()
    assert plan_cache.cached(root, ["a.yaml"]) is None
