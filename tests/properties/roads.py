"""Edit random projects and build them with every method: all outputs equal those of library calls, byte for byte.

    python -m tests.properties.roads                        20 edits of two projects
    python -m tests.properties.roads --steps 100 --seed 7

    python -m tests.properties.roads --some 4 --edits killed ended    4 methods after each edit, and only these edits

Each build method ("road") has a copy of the project.  After an edit, the library compiles every permutation in a clean
process, and a clean build writes the other outputs.  Then each method builds, its outputs are compared, and it builds
again, which writes nothing.  If an edit causes an error, every method must fail with the messages of the clean build,
and write no output that a clean build does not write; then the edit is undone.  The table at the end lists the number
of checks and of failures for each method and kind of edit.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence

from tests.properties import road_faults, road_trees
from tests.properties.road_kinds import Build, Road, every_road, library
from tests.unit.server import support

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATER = 0.01
"""Seconds to wait before an edit, so that file times differ."""


class World:
    """A random project, a copy of it for each build method, and the results of the checks."""

    def __init__(self, folder: pathlib.Path, seed: int, *, has_server: bool, only: Sequence[str] = ()) -> None:
        self.chance = random.Random(seed)
        self.label = f"seed {seed}"
        self.folder = folder
        self.kinds: Sequence[str] = KINDS
        self.clean = Build("clean", folder, "hlsl_tool", "build", "--store", "none")
        self.roads = [road for road in every_road(folder, has_server=has_server) if not only or road.name in only]
        self.tree = road_trees.random_tree(self.chance)
        self.wanted: dict[str, bytes] = {}
        self.checks: collections.Counter[tuple[str, str]] = collections.Counter()
        self.failures: list[tuple[str, str, str]] = []
        """Road, kind of edit, and what is wrong."""
        self.counts: collections.Counter[str] = collections.Counter()
        """Edits that are errors, builds that were killed, and calls that were ended."""
        self.sessions: list[tuple[Road, int]] = []
        """Builds that were killed since the last edit, by their sessions."""
        store = self.chance.choice(["off", "my store", str(folder / "store")])
        for road in (self.clean, *self.roads):
            road.project.store = store
            road_trees.write(road.project.root, None, self.tree)
        for road in self.roads:
            road.prepare()

    # ---- steps

    def start(self) -> None:
        assert self.reference(), f"{self.label}: the tree has errors: {self.clean.said}"
        for road in self.roads:
            self.check(road, "first", "first build")

    def step(self, number: int, roads: Sequence[Road]) -> None:
        """Make one edit in all copies, and check these build methods."""
        kind = self.chance.choice(self.kinds)
        before = copy.deepcopy(self.tree)
        time.sleep(LATER)
        if kind in road_trees.EDITS:
            what = road_trees.EDITS[kind](self.tree, self.chance)
            self.write(before)
        else:
            what = ACTIONS[kind](self, roads)
        told = f"{self.label}, edit {number}: {kind}: {what}"
        if not self.reference():
            self.counts["edits with errors"] += 1
            for road in roads:
                self.check_error(road, kind, told)
            self.mend(before)
        for road in roads:
            self.check(road, kind, told)
        for road, problem in road_faults.late(self):
            self.failures.append((road.name, kind, f"{told}: {road.name}: {problem}"))

    def mend(self, before: road_trees.Tree) -> None:
        """Undo an edit that caused an error: write the files of the tree ``before`` again to all copies.

        Half the time a number in an edited file is changed, too, so that no build has seen the result before.
        """
        broken, self.tree = self.tree, before
        changed = [path for path in before.files if before.files[path] != broken.files.get(path)]
        if changed and self.chance.random() < 0.5:
            path = self.chance.choice(changed)
            self.tree.files[path] = road_trees.number(self.chance)(self.tree.files[path])
        time.sleep(LATER)
        self.write(broken)
        assert self.reference(), self.clean.said

    def write(self, before: road_trees.Tree) -> None:
        for road in (self.clean, *self.roads):
            road_trees.write(road.project.root, before, self.tree)
            if not road.sees_old_files:
                road_trees.touch_behind_links(road.project.root, before, self.tree)

    def reference(self) -> bool:
        """Make a clean build and library calls as the reference; return whether there was no error."""
        root = self.clean.project.root
        jobs = self.tree.jobs()
        modules = library(root, jobs, self.clean.environment())
        shutil.rmtree(root / "build", ignore_errors=True)
        status = self.clean.run(jobs)
        is_right = all(modules.values()) and not self.tree.yaml_error
        assert (status == 0) == is_right, f"{self.label}: {[*modules]} {self.clean.said}"
        if is_right:
            self.wanted = self.clean.project.outputs()
            for output, module in modules.items():
                assert self.wanted[output] == module, f"{self.label}: {output}: the library and a clean build differ"
        return is_right

    # ---- checks

    def check(self, road: Road, kind: str, told: str) -> None:
        self.checks[road.name, kind] += 1
        problem = self.problem(road)
        if problem:
            self.failures.append((road.name, kind, f"{told}: {road.name}: {problem}"))
            shutil.rmtree(road.project.root / "build", ignore_errors=True)  # so that later edits are tried
            road.run(self.tree.jobs())

    def problem(self, road: Road) -> str:
        """Build twice with a method; return a description of wrong outputs, messages or rebuilds, or an empty text."""
        jobs = self.tree.jobs()
        if status := road.run(jobs):
            return f"exit status {status}: {road.said}"
        outputs = road.project.outputs()
        names = self.wanted if road.is_build else [job.output for job in jobs]
        different = [name for name in names if outputs.get(name) != self.wanted[name]]
        if different:
            return f"{', '.join(different)} differ: {road.said}"
        if not road.is_build:
            return ""
        times = self.times(road)
        if status := road.run(jobs):
            return f"exit status {status} of the second run: {road.said}"
        after = self.times(road)
        written = [name for name in after if times.get(name) != after[name]]
        return f"the second run wrote {', '.join(written)}: {road.said}" if written else ""

    def check_error(self, road: Road, kind: str, told: str) -> None:
        if self.tree.yaml_error and not road.is_build:
            return
        self.checks[road.name, kind] += 1
        problem = self.problem_of_error(road)
        if problem:
            self.failures.append((road.name, kind, f"{told}: {road.name}: {problem}: {road.said}"))

    def problem_of_error(self, road: Road) -> str:
        """Build with an error in the sources; return a description of wrong messages or outputs, or an empty text."""
        before = road.project.outputs()
        if road.run(self.tree.jobs()) == 0:
            return "no error"
        if "Traceback" in road.said:
            return "a traceback"
        wanted, found = _errors(self.clean.said), _errors(road.said)
        if found != wanted if road.reports_all else not found & wanted:
            return f"the errors of a clean build are {sorted(wanted)}"
        clean, after = self.clean.project.outputs(), road.project.outputs()
        for job in self.tree.jobs():
            for name in {name for name in (*clean, *after) if name.startswith(job.output.removesuffix("spv"))}:
                is_new = name in clean and clean[name] == after.get(name)
                if not is_new and (after.get(name) != before.get(name) or (road.reports_all and name in clean)):
                    return f"{name} is that of no build"
        return ""

    def times(self, road: Road) -> dict[str, int]:
        return {name: (road.project.root / name).stat().st_mtime_ns for name in road.project.outputs()}

    # ---- edits of more than the tree

    def environment(self, roads: Sequence[Road]) -> str:
        """Change environment variables: the store, the language, the hash seed, the folder for temporary files."""
        shared = str(self.folder / "store")
        name, values = self.chance.choice(
            [
                ("HLSL_TOOL_STORE", ["off", shared, "my store", "build"]),
                ("HLSL_TOOL_STORE", ["off", shared, shared]),
                ("PYTHONHASHSEED", ["1", "2", ""]),
                ("LC_ALL", ["C", "C.UTF-8", ""]),
                ("TMPDIR", [str(self.folder), ""]),
                ("SOURCE_DATE_EPOCH", ["1", ""]),
            ]
        )
        value = self.chance.choice(values)
        for road in self.roads:
            road.project.variables.pop(name, None)
            if value:
                road.project.variables[name] = value
        return f"{name}={value}"

    def file_times(self, roads: Sequence[Road]) -> str:
        """Touch files, or change a file and restore its time."""
        paths = sorted(self.tree.files)
        path = self.chance.choice(paths)
        if self.chance.random() < 0.5:
            chosen = self.chance.sample(paths, 4)
            for road in self.roads:
                for name in chosen:
                    os.utime(road.project.root / name)
            return f"touch {', '.join(chosen)}"
        before = copy.deepcopy(self.tree)
        self.tree.files[path] = road_trees.number(self.chance)(self.tree.files[path])
        old = {road.name: (road.project.root / path).stat() for road in self.roads}
        self.write(before)
        for road in self.roads:
            if road.sees_old_files:
                seconds = old[road.name].st_mtime_ns - self.chance.choice([0, 10**9])
                os.utime(road.project.root / path, ns=(seconds, seconds))
        return f"{path}, as old as before"

    def outputs(self, roads: Sequence[Road]) -> str:
        """Delete some outputs, or all outputs with log, state and store."""
        if self.chance.random() < 0.3:
            for road in self.roads:
                shutil.rmtree(road.project.root / "build", ignore_errors=True)
            return "all"
        name = self.chance.choice(sorted(self.wanted))
        for road in self.roads:
            (road.project.root / name).unlink(missing_ok=True)
        return name

    def two_at_once(self, roads: Sequence[Road]) -> str:
        """Edit, and run two builds of one folder at the same time."""
        before = copy.deepcopy(self.tree)
        path = road_trees.header(self.tree, self.chance)
        self.write(before)
        builds = [road for road in roads if isinstance(road, Build)]
        chosen = self.chance.sample(builds, min(2, len(builds)))
        for road in chosen:
            road.meet()
        return f"{path}, {', '.join(road.name for road in chosen)}"

    def another_folder(self, roads: Sequence[Road]) -> str:
        """Rename the folders of the projects."""
        for road in self.roads:
            if road.can_move:
                old = road.project.root
                new = old.with_name("moved here" if old.name == "project" else "project")
                old.rename(new)
                road.project.root = new
        return "rename"


def _errors(said: str) -> set[str]:
    """Return the set of error messages in a build's output, without their locations.

    The build methods spell file names differently.
    """
    return set(re.findall(r"(?<=: )(?:fatal )?error: .*", said))


ACTIONS: dict[str, Callable[[World, Sequence[Road]], str]] = {
    "environment": World.environment,
    "file times": World.file_times,
    "outputs": World.outputs,
    "killed": road_faults.killed,
    "ended": road_faults.ended,
    "two at once": World.two_at_once,
    "folder": World.another_folder,
}
KINDS = [*road_trees.EDITS, *ACTIONS, "header", "shadow", "link", "yaml"]


# ---- runs


@contextlib.contextmanager
def server() -> Iterator[None]:
    """Start a compile server with a private socket, which the build methods with a server use."""
    with tempfile.TemporaryDirectory(prefix="hs", dir="/tmp") as folder:
        old = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = folder
        (pathlib.Path(folder) / "hlsl_tool").mkdir(mode=0o700)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen([sys.executable, "-P", "-m", "hlsl_tool.apps.server"], env=environment) as process:
            try:
                support.wait_for(support.status)
                yield
            finally:
                process.terminate()
                os.environ.pop("XDG_RUNTIME_DIR")
                if old is not None:
                    os.environ["XDG_RUNTIME_DIR"] = old


def table(worlds: Sequence[World]) -> str:
    """Return a table of build methods and kinds of edits: number of checks / number of failures."""
    checks: collections.Counter[tuple[str, str]] = collections.Counter()
    for world in worlds:
        checks += world.checks
    failures = collections.Counter((road, kind) for world in worlds for road, kind, _ in world.failures)
    kinds = ["first", *dict.fromkeys(KINDS)]
    lines = [f"{'':20}" + "".join(f"  {kind}" for kind in kinds)]
    for road in dict.fromkeys(road for road, _ in checks):
        line = f"{road:20}"
        for kind in kinds:
            count, failed = checks[road, kind], failures[road, kind]
            line += f"{f'{count}/{failed}' if failed else count:>{len(kind) + 2}}"
        lines.append(line)
    counts = sum((world.counts for world in worlds), collections.Counter())
    said = [f"{checks.total()} checks", f"{failures.total()} failures", *(f"{n} {what}" for what, n in counts.items())]
    return "\n".join([*lines, ", ".join(said)])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20, help="how many edits in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-tree", type=int, default=10, help="how many edits of each tree")
    parser.add_argument("--some", type=int, default=0, help="how many roads are checked after each edit; 0 for all")
    parser.add_argument("--roads", nargs="*", default=(), help="names of roads; all without any")
    parser.add_argument("--edits", nargs="*", default=KINDS, choices=KINDS, help="kinds of edits; all without any")
    options = parser.parse_args()
    worlds: list[World] = []
    with contextlib.suppress(KeyboardInterrupt), server():
        for first in range(0, options.steps, options.per_tree):
            with tempfile.TemporaryDirectory() as folder:
                seed = options.seed + len(worlds)
                world = World(pathlib.Path(folder), seed, has_server=True, only=options.roads)
                worlds.append(world)
                world.kinds = options.edits
                world.start()
                for number in range(min(options.per_tree, options.steps - first)):
                    some = world.chance.sample(world.roads, options.some) if options.some else world.roads
                    world.step(number + 1, some)
                print(f"{world.label}: {world.tree.target_env}, {sum(world.checks.values())} checks", flush=True)
                for _, _, problem in world.failures:
                    print(problem, flush=True)
    print(table(worlds))
    return int(any(world.failures for world in worlds))


if __name__ == "__main__":
    sys.exit(main())
