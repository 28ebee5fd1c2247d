"""Kill builds at random moments, or run two at once: the next build is correct, and equals a clean one.

    python tests/properties/kills.py                     50 builds, and 5 pairs
    python tests/properties/kills.py --count 200 --pairs 20 --seed 7

A build is a process of `hlsl_tool build` (-j1 or -j2) or of scons or, most of the time, a fork of a process that has
imported everything, so that it is killed while it builds.  Before each build a file is edited, or outputs, store or log
are deleted.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hlsl_tool.base.diagnostics import Sink  # noqa: E402
from hlsl_tool.project.build.currency import toolchain  # noqa: E402
from hlsl_tool.project.build.engine import Engine  # noqa: E402
from hlsl_tool.project.build.outputs.manifest import write_manifest  # noqa: E402
from hlsl_tool.project.build.outputs.render import compile_job, disk  # noqa: E402
from hlsl_tool.project.build.plan import plan  # noqa: E402
from hlsl_tool.project.build.store.choice import StoreOptions  # noqa: E402
from hlsl_tool.project.build.workers.executors import Inline  # noqa: E402
from hlsl_tool.project.build.workers.worker import new_memory  # noqa: E402
from hlsl_tool.project.config.load import load  # noqa: E402
from tests.properties import generated  # noqa: E402

CONFIG = """\
optimize: none
validate: false
include_dirs: [inc]
outputs: [spv, reflection, dep, bindings]
shaders:
"""
SCONSTRUCT = f"""\
env = Environment(tools=['hlsl'], toolpath=[{str(ROOT / "site_scons" / "site_tools")!r}])
env.HlslShaders('config/shaders')
Default('shaders')
"""


class World:
    """A project, its store, and the processes that build it."""

    def __init__(self, folder: pathlib.Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.root, self.store = folder / "project", folder / "store"
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "HLSL_TOOL_STORE": str(self.store)}
        self.inline = Inline(str(self.root), StoreOptions((str(self.store),)))
        for number in itertools.count(seed, 1000):
            self.generate(number)
            if "failed" not in self.build_here().values():
                break  # not every generated tree compiles
        self.durations = {"forked": 1.0, "tool": 2.0, "tool2": 3.0, "scons": 4.0}
        self.told: collections.Counter[str] = collections.Counter()
        self.kills = 0
        self.wanted: dict[str, bytes] = {}

    def generate(self, seed: int) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        files, _ = generated.tree(random.Random(seed))
        entries = [f"  - {{ source: s{n}.hlsl, profile: ps_6_0, defines: {{ MODE: [0, 1, 2] }} }}\n" for n in range(4)]
        files["config/shaders/all.yaml"] = CONFIG + "".join(entries)
        files["SConstruct"] = SCONSTRUCT
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.jobs = plan(load(str(self.root), ["config/shaders"], Sink()))
        for job in self.jobs:
            job.fingerprint = toolchain.fingerprint_of(job)

    # ---- edits

    def edit(self) -> str:
        kind = self.random.choice(("number", "number", "number", "outputs", "store", "log", "some", "comment"))
        build = self.root / "build"
        if kind in ("number", "comment"):
            names = [*(self.root / "shaders").rglob("*.hlsli"), *(self.root / "shaders").glob("*.hlsl")]
            path = self.random.choice(sorted(names))
            text = path.read_text()
            found = list(re.finditer(r"\d\.\d" if kind == "number" else r"\n", text))
            if found:
                at = self.random.choice(found)
                new = f"{self.random.randint(1, 9)}.{self.random.randint(0, 9)}" if kind == "number" else "\n// new\n"
                path.write_text(text[: at.start()] + new + text[at.end() :])
        elif kind == "outputs":
            shutil.rmtree(build, ignore_errors=True)
        elif kind == "store":
            shutil.rmtree(self.store, ignore_errors=True)
        elif kind == "log":
            (build / "shaders/.hlsl_tool.log").unlink(missing_ok=True)
        else:
            for path in sorted(build.rglob("*.spv")):
                if self.random.random() < 0.5:
                    path.unlink()
        self.wanted = {}
        return kind

    # ---- builds

    def command(self, how: str) -> list[str]:
        if how == "scons":
            return [sys.executable, "-m", "SCons", "-Q", "-j2"]
        return [sys.executable, "-m", "hlsl_tool", "build", "-j", "2" if how == "tool2" else "1"]

    def start(self, how: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(how),
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def build_here(self) -> dict[str, str]:
        """Build all jobs in this process and return their states."""
        engine = Engine(str(self.root), "build/shaders", self.inline, StoreOptions((str(self.store),)))
        found = {job.name: engine.build(replace(job)).state for job in self.jobs}
        write_manifest(engine, self.jobs)
        engine.close()
        return found

    def killed(self, how: str) -> None:
        """Start a build and kill it after a random time."""
        began = time.monotonic()
        wait = self.random.uniform(0, self.durations[how])
        if how == "forked":
            child = os.fork()
            if child == 0:
                self.build_here()
                os._exit(0)
            ended = False
            while not ended and time.monotonic() - began < wait:
                time.sleep(0.002)
                ended = os.waitpid(child, os.WNOHANG)[0] != 0
            if not ended:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        else:
            process = self.start(how)
            try:
                process.wait(wait)
                ended = True
            except subprocess.TimeoutExpired:
                process.kill()  # only itself: its workers end when their connections close
                ended = False
            process.communicate()
        if ended:
            self.durations[how] = max(0.05, (self.durations[how] + time.monotonic() - began) / 2)
        self.kills += not ended
        self.told[f"{how}: {'had ended' if ended else 'killed'}"] += 1

    # ---- what has to be

    def clean(self) -> dict[str, bytes]:
        """Return output → content of a clean build."""
        if not self.wanted:
            memory = new_memory()
            for job in self.jobs:
                result = compile_job(job, str(self.root), disk(str(self.root)), memory)
                assert result.ok, job.name
                self.wanted.update({job.targets[kind]: data for kind, data in result.outputs.items()})
        return self.wanted

    def check(self, told: str, how: str) -> None:
        for name, data in self.clean().items():
            assert (self.root / name).read_bytes() == data, f"{told}: {name}"
        found = self.build_here()
        if how == "scons" and "built" in found.values():
            # It has a database of its own, and does without a log that is lost: only others miss that.
            self.told["built again behind scons"] += 1
            found = self.build_here()
        assert set(found.values()) == {"current"}, f"{told}: something is left to do"
        leftovers = [path.name for path in (self.root / "build").rglob("*.tmp~")]
        assert len(leftovers) <= 8, f"{told}: {leftovers}"


Say = Callable[[str], None]


def kills(world: World, count: int, label: str, hows: tuple[str, ...], say: Say = lambda text: None) -> None:
    number = 0
    while world.kills < count:
        number += 1
        how = world.random.choice(hows)
        told = f"{label}, build {number} ({how}, after {world.edit()})"
        world.killed(how)
        if how == "forked":
            assert "failed" not in world.build_here().values(), told
        else:
            process = world.start(how)
            out, _ = process.communicate()
            assert process.returncode == 0, f"{told}: {out}"
        world.check(told, how)
        if number % 25 == 0:
            say(f"{label}: {world.kills} killed")


def pairs(world: World, count: int, label: str, hows: tuple[str, ...] = ("tool", "tool2", "scons")) -> None:
    """Run two builds at once with one store and output folder: both succeed, and then everything is up to date."""
    for number in range(1, count + 1):
        both = [world.random.choice(hows) for _ in range(2)]
        told = f"{label}, meeting {number} ({both}, after {world.edit()})"
        processes = [world.start(how) for how in both]
        for process in processes:
            out, _ = process.communicate()
            assert process.returncode == 0, f"{told}: {out}"
        for name, data in world.clean().items():
            assert (world.root / name).read_bytes() == data, f"{told}: {name}"
        world.told["both ended well"] += 1
        world.told["jobs that the next build did again"] += list(world.build_here().values()).count("built")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=50, help="how many builds are killed")
    parser.add_argument("--pairs", type=int, default=5, help="how many times two builds meet")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = World(pathlib.Path(folder), options.seed)
        world.build_here()
        hows = ("forked",) * 7 + ("tool", "tool2", "scons")
        label = f"seed {options.seed}"
        kills(world, options.count, label, hows, lambda text: print(text, flush=True))
        pairs(world, options.pairs, label)
        print("; ".join(f"{what}: {count}" for what, count in sorted(world.told.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
