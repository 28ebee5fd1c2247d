"""The order of a build's actions (compile, check links, pack, store the state), and actions that failures prevent."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.project.build.currency.state_file import State
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.packs import PackJob
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.session import BuildPolicy, BuildSession, BuildTargets
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.pack import read


class FakeExecutor:
    """Returns the source of a job as its output; a source with `FAIL` fails."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.compiled: list[str] = []

    def run(self, job: Job) -> JobResult:
        self.compiled.append(job.name)
        data = (self.root / job.source).read_bytes()
        files = {job.source: digest(data)}
        if b"FAIL" in data:
            return JobResult(files=files, ok=False)
        return JobResult({kind: data.ljust(8) for kind in job.targets}, files=files)

    def close(self) -> None:
        """Do nothing: nothing is open."""


class Build:
    """A build of two shaders, a pack of both, and a pack of the second."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        for name in "ab":
            (root / f"{name}.hlsl").write_text(name)
        self.jobs = [self.job(name) for name in "ab"]
        self.packs = [
            PackJob("all", "out/all.hlslpack", ("spv",), self.jobs),
            PackJob("second", "out/second.hlslpack", ("spv",), self.jobs[1:]),
        ]
        self.lines: list[str] = []
        self.executor = FakeExecutor(root)
        self.renew()

    def job(self, name: str) -> Job:
        return Job(name, f"{name}.hlsl", CompileOptions(profile="ps_6_0"), {"spv": f"out/{name}.spv"})

    def renew(self) -> None:
        """Start another build of the same project."""
        self.engine = Engine(str(self.root), "out", self.executor)
        targets = BuildTargets(self.jobs, (), self.packs, is_whole=True, plan_key="plan")
        self.session = BuildSession(self.engine, Console(self.lines.append, str), targets)

    def build(self, jobs: Sequence[Job]) -> Mapping[str, Outcome]:
        return {job.name: self.engine.build(job) for job in jobs}

    def policy(self, **fields: object) -> BuildPolicy:
        return BuildPolicy(**{"build": self.build, "write": self.lines.append, "saves_state": True, **fields})  # type: ignore[arg-type]

    def count(self) -> int | None:
        """Return the number of shaders in the plan, if the state file records it as up to date; else `None`."""
        return State(str(self.root), "out").count("plan")

    def names_in(self, pack: str) -> list[str]:
        return [entry.name for entry in read(self.root / f"out/{pack}.hlslpack")]


@pytest.fixture
def project(tmp_path: pathlib.Path) -> Build:
    return Build(tmp_path)


def test_a_whole_plan_is_built_and_remembered(project: Build) -> None:
    assert project.session.outdated() == project.jobs
    result = project.session.run(project.jobs, project.policy())
    assert result.ok
    assert result.summary(2, 0.0) == "shaders: 2 built, 0 up to date, 0 failed (0.0 s)"
    manifest = json.loads((project.root / "out/manifest.json").read_text())
    assert [shader["name"] for shader in manifest["shaders"]] == ["a", "b"]
    assert (project.names_in("all"), project.names_in("second")) == (["a", "b"], ["b"])
    assert project.count() == 2
    project.renew()
    assert project.session.outdated() == []
    assert project.session.is_collected()
    assert project.session.is_manifest_current()
    assert project.session.run([], project.policy()).summary(2, 1.0).startswith("shaders: 0 built, 2 up to date")


def test_a_pack_that_is_not_current_is_not_remembered(project: Build) -> None:
    project.session.run(project.jobs, project.policy())
    (project.root / "out/all.hlslpack").unlink()
    assert project.count() is None
    project.renew()
    assert not project.session.are_packs_current()
    project.session.save_state(is_whole=project.session.is_collected())
    assert project.count() is None
    assert project.session.run([], project.policy()).ok
    assert project.count() == 2


def test_the_steps_come_in_order(project: Build) -> None:
    steps: list[str] = []

    def build(jobs: Sequence[Job]) -> Mapping[str, Outcome]:
        steps.append("jobs")
        return project.build(jobs)

    def built(result: object) -> None:
        steps.append("links")
        assert not (project.root / "out/manifest.json").exists()

    def is_due(target: object) -> bool:
        steps.append("packs")
        assert (project.root / "out/manifest.json").exists()
        return True

    def stale() -> None:
        steps.append("stale")
        assert (project.root / "out/second.hlslpack").exists()
        assert project.count() is None

    policy = project.policy(build=build, built=built, is_due=is_due, stale_outputs=stale)
    project.session.run(project.jobs, policy)
    assert steps == ["jobs", "links", "packs", "packs", "stale"]
    assert project.count() == 2


@pytest.mark.parametrize("packs_last_good", [True, False])
def test_a_failed_shader(project: Build, packs_last_good: bool) -> None:
    project.session.run(project.jobs, project.policy())
    good = (project.root / "out/all.hlslpack").read_bytes()
    (project.root / "a.hlsl").write_text("FAIL")
    (project.root / "b.hlsl").write_text("other")
    project.renew()
    result = project.session.run(project.session.outdated(), project.policy(packs_last_good=packs_last_good))
    assert result.undone == {"a"}
    assert not result.ok
    assert result.summary(2, 0.0).startswith("shaders: 1 built, 0 up to date, 1 failed")
    assert (project.root / "out/a.spv").read_bytes() == b"a".ljust(8)
    assert read(project.root / "out/second.hlslpack").named("b").blob() == b"other".ljust(8)  # type: ignore[union-attr]
    pack = (project.root / "out/all.hlslpack").read_bytes()
    assert (pack == good) is not packs_last_good, "the command line packs the last good outputs, a set waits"
    assert project.count() is None


def test_jobs_that_are_not_begun_hold_packs_back(project: Build) -> None:
    policy = project.policy(build=lambda jobs: project.build(jobs[1:]), packs_last_good=False)
    result = project.session.run(project.jobs, policy)
    assert result.undone == {"a"}
    assert not (project.root / "out/all.hlslpack").exists()
    assert project.names_in("second") == ["b"]


def test_blocked_jobs_hold_packs_back(project: Build) -> None:
    policy = project.policy(blocked=lambda: ["b"], packs_last_good=False)
    assert project.session.run(project.jobs, policy).undone == set()
    assert not (project.root / "out/all.hlslpack").exists()
    assert not (project.root / "out/second.hlslpack").exists()


def test_a_part_of_a_plan_writes_no_manifest_and_is_not_remembered(project: Build) -> None:
    project.session.targets = BuildTargets(project.jobs[1:], (), project.packs[1:])
    assert project.session.run(project.jobs[1:], project.policy()).ok
    assert project.names_in("second") == ["b"]
    assert not (project.root / "out/manifest.json").exists()
    assert project.count() is None


def test_a_manifest_that_cannot_be_written(project: Build) -> None:
    (project.root / "out/manifest.json/x").mkdir(parents=True)
    with pytest.raises(WriteError):
        project.session.run(project.jobs, project.policy())
    assert project.count() is None
    reported: list[str] = []
    policy = project.policy(manifest_failed=lambda error: reported.append(error.path))
    result = project.session.run(project.session.outdated(), policy)
    assert reported == [str(project.root / "out/manifest.json")]
    assert len(result.problems) == 1
    assert project.names_in("all") == ["a", "b"]


def test_a_pack_that_cannot_be_written(project: Build) -> None:
    (project.root / "out/all.hlslpack/x").mkdir(parents=True)
    result = project.session.run(project.jobs, project.policy())
    assert project.lines == [f"error: {problem}\n" for problem in result.problems]
    assert "all.hlslpack" in project.lines[0]
    assert project.names_in("second") == ["b"]
    reported: list[tuple[str, str]] = []
    policy = project.policy(pack_failed=lambda pack, reason: reported.append((pack.name, reason)))
    assert not project.session.run([], policy).ok
    assert reported == [("all", result.problems[0])]


def test_an_interrupt_stores_stamps_but_no_plan(project: Build) -> None:
    project.session.run(project.jobs, project.policy())
    (project.root / "a.hlsl").write_text("edited")
    project.renew()

    def interrupted(jobs: Sequence[Job]) -> Mapping[str, Outcome]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.session.run(project.session.outdated(), project.policy(build=interrupted))
    assert project.count() is None


def test_the_summary_counts_jobs_that_were_not_begun(project: Build) -> None:
    (project.root / "a.hlsl").write_text("FAIL")
    project.renew()
    policy = project.policy(build=lambda jobs: project.build(jobs[:1]))
    result = project.session.run(project.session.outdated(), policy)
    assert result.summary(3, 0.0) == "shaders: 0 built, 1 up to date, 1 failed, 1 not built (0.0 s)"
