"""Typical builds of a working day, each measured for one project: a row has our cost, DXC's cost, and a note."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compile_samples import cpu
from processes import Cost
from trees import UNOPTIMISED, Listed, Ninja, Ours, Way, name_of

from hlsl_tool.project.build.workers.worker import Compiler, new_memory
from tests.properties.affected import state


@dataclass
class Setting:
    """The measured jobs, the programs that build them, and the edit."""

    folder: Path
    trees: Path
    jobs: list[Listed]
    driver: list[str]
    processes: int
    ways: list[Way]
    cache: str
    edit: tuple[str, str, str] | None
    """(header, text in the body of one of its functions, replacement)."""


@dataclass
class Row:
    name: str
    ours: Cost
    peer: Cost | None
    note: str = ""
    added: float = 0.0
    """DXC's seconds for jobs that fail with hlsl_tool."""


def summary(cost: Cost) -> str:
    found = [line for line in cost.out.splitlines() if line.startswith("shaders: ")]
    text = found[-1].removeprefix("shaders: ").rsplit(" (", 1)[0] if found else f"status {cost.status}"
    return text + problems(cost)


def problems(cost: Cost) -> str:
    """Return the errors of a command; empty if there are none."""
    found = [line for line in cost.out.splitlines() if "error:" in line]
    return "".join(f"\n    {line}" for line in found[:5])


def compiled(cost: Cost) -> int:
    found = re.search(r"(\d+) built(?: \((\d+) from the store)?", summary(cost))
    return int(found[1]) - int(found[2] or 0) if found else -1


class Bench:
    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.names = {name_of(job) for job in setting.jobs}

    def ours(self, label: str, **common: Any) -> Ours:
        s = self.setting
        return Ours(s.folder / label, s.trees, s.jobs, s.cache, common)

    def ninja(self, label: str, *flags: str) -> Ninja:
        s = self.setting
        return Ninja(s.folder / label, s.trees, s.jobs, s.driver, list(flags))

    def warm_up(self) -> None:
        """Let Python write its byte code, and load files into the system's cache."""
        s = self.setting
        tree = Ours(s.folder / "warm", s.trees, s.jobs[:2], s.cache, {})
        for way in s.ways:
            tree.clean(store=True)
            tree.build(way, s.processes)
        self.ninja("warm", "-O0").one(s.jobs[0])

    def rows(self) -> Iterator[Row]:
        self.warm_up()
        for label, common, flags in (("none, not validated", UNOPTIMISED, ("-O0", "-Vd")), ("default", {}, ("-O3",))):
            ninja = self.ninja(f"ninja {label}".replace(" ", "-").replace(",", ""), *flags)
            peer = ninja.build(self.setting.processes)
            missing = self.names - ninja.built()
            assert not missing, f"DXC compiles all of the list; not {sorted(missing)}\n{peer.out[-2000:]}"
            tree = self.ours(label.partition(",")[0], **common)
            for way in self.setting.ways:
                tree.clean(store=True)
                yield self.cold(f"cold, {label}: {way.name}", tree, way, ninja, peer)
            if not common:
                yield from self.day(tree, ninja, peer)
        yield from self.permutation()

    def cold(self, name: str, tree: Ours, way: Way, ninja: Ninja, peer: Cost, processes: int = 0) -> Row:
        cost = tree.build(way, processes or self.setting.processes)
        failed = self.names - tree.built()
        assert not compiled(cost) or len(failed) < len(self.names), "names differ"
        added = sum(ninja.one(job).cpu for job in self.setting.jobs if name_of(job) in failed)
        peaks = ", ".join(f"{peak:.0f} MB" for peak in cost.workers.values()) or f"{cost.peak:.0f} MB"
        return Row(name, cost, peer, f"{summary(cost)}; processes that compile: {peaks}", added)

    def day(self, tree: Ours, ninja: Ninja, peer: Cost) -> Iterator[Row]:
        """Measure the builds that follow a cold build, with the first of ``--ways``."""
        way, processes = self.setting.ways[0], self.setting.processes
        tree.clean(store=True)
        yield self.cold(f"cold, default, -j1: {way.name}", tree, way, ninja, peer, 1)
        for each in self.setting.ways:
            tree.clean(store=False)
            again = tree.build(each, processes)
            yield Row(f"full store, build folder deleted: {each.name}", again, peer, summary(again))
            null = tree.build(each, processes)
            yield Row(f"nothing to do: {each.name}", null, None, summary(null))
        if self.setting.edit is None:
            return
        header, old, new = self.setting.edit
        ninja.write(tree.files(), tree.root)
        ninja.build(processes, remove=False)  # its own database learns of the headers
        path = tree.root / header
        text = path.read_text("latin-1")
        path.write_text("// a comment\n" + text, "latin-1")
        note = f"ninja would compile {ninja.wanted()}"
        for at, each in enumerate(self.setting.ways):
            path.write_text(f"// a comment {at}\n" + text, "latin-1")
            cost = tree.build(each, processes)
            yield Row(f"comment edit: {each.name}", cost, None, f"{compiled(cost)} compiled; {summary(cost)}; {note}")
        assert text.count(old) == 1, f"{header}: {old!r} stands there {text.count(old)} times"
        before = self.states(tree)
        path.write_text(text.replace(old, new), "latin-1")
        after = self.states(tree)
        affected = sum(before[name] != after[name] for name in before)
        cost = tree.build(way, processes)
        note = f"{compiled(cost)} compiled, {affected} reach it; {summary(cost)}; ninja would compile {ninja.wanted()}"
        yield Row(f"body edit: {way.name}", cost, None, note)

    def states(self, tree: Ours) -> dict[str, str]:
        memory = new_memory()
        return {name: state(job, str(tree.root), memory) for name, job in tree.planned().items()}

    def permutation(self) -> Iterator[Row]:
        """Measure the most expensive job that has several permutations, after a build of all others."""
        jobs = self.setting.jobs
        several = [job for job in jobs if sum(_source(job) == _source(other) for other in jobs) > 1]
        if not several:
            return
        heaviest = max(several, key=lambda job: float(job.get("dxc_ms", 0)))
        tree = self.ours("permutation", **UNOPTIMISED)
        tree.declare([job for job in jobs if job is not heaviest])
        way = self.setting.ways[0]
        tree.build(way, self.setting.processes)
        tree.declare(jobs)
        cost = tree.build(way, self.setting.processes)
        peer = self.ninja("one", "-O0", "-Vd").one(heaviest)
        yield Row(f"one more permutation: {way.name}", cost, peer, f"{compiled(cost)} compiled; {name_of(heaviest)}")
        names = [name_of(job) for job in several if _source(job) == _source(heaviest) and job is not heaviest]
        costs = self.warm(tree, [*names, name_of(heaviest)])
        told = ", ".join(f"{1000 * each.cpu:.0f}" for each in costs)
        yield Row("the same in a process that is warm", costs[-1], peer, f"all of them, one after the other: {told} ms")

    def warm(self, tree: Ours, names: list[str]) -> list[Cost]:
        """Compile these jobs one after the other in this process; return the cost of each."""
        jobs = tree.planned()
        compiler = Compiler(str(tree.root))
        found = []
        for name in names:
            began, before = time.perf_counter(), cpu()
            result = compiler.run(jobs[name])
            found.append(Cost(cpu() - before, time.perf_counter() - began, 0, "", 0))
            assert result.ok, name
        return found


def _source(job: Listed) -> tuple[str, str]:
    return job["root"], job["file"]
