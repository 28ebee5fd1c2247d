"""Build methods ("roads"): the compiler's command lines, builds, SCons and other build systems."""

from __future__ import annotations

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from tests import fork_server
from tests.build.conftest import Project
from tests.build.systems import SYSTEMS, Rules, System
from tests.patience import PATIENCE
from tests.properties.road_trees import Job

LIBRARY = """\
import json, os, sys
from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.source import SourceFile
found = []
for source, entry, profile, fields in json.load(open(sys.argv[1])):
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    options['defines'] = tuple(map(tuple, options['defines']))
    file = SourceFile.from_bytes(source, os.path.abspath(source), open(source, 'rb').read())
    result = compile_shader(file, entry=entry, profile=profile, options=CompileOptions(**options))
    found.append(result.spirv.hex() if result.ok else '')
print(json.dumps(found))
"""


CLIENT = ("-m", "hlsl_tool.hlsl2spirv")
"""Arguments of Python for `hlsl2spirv`."""


class RoadProject(Project):
    """A project with its own environment variables."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__(root, fake=False)
        self.variables: dict[str, str] = {}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), **self.variables}


class Road:
    """A method to build a project, in its own folder."""

    is_build = True
    """Whether a second run leaves outputs alone; the compiler's command line writes them each time."""
    sees_old_files = True
    """Whether an edit is seen that leaves a file older than it was."""
    can_move = True
    """Whether the project's folder may be renamed."""
    ends_with_first = True
    """Whether all processes of a build end when the first one is killed."""
    reports_all = False
    """Whether a build reports the errors of all shaders, and writes the outputs of the others."""

    def __init__(self, name: str, folder: pathlib.Path, *, server: str = "no") -> None:
        self.name = name
        self.project = RoadProject(folder / name / "project")
        self.server = server
        self.said = ""
        self.seconds = 1.0
        """The time that a build takes, as far as builds that were to be killed have shown."""

    def prepare(self) -> None:
        """Do the set-up that the build method needs before its first run."""

    def command(self) -> Sequence[str]:
        """Return the command that builds the project; the builds that are killed or run in parallel use it, too."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {**self.project.environment(), "HLSL_TOOL_SERVER": self.server}

    def run(self, jobs: Sequence[Job]) -> int:
        """Build; return the exit status."""
        done = fork_server.run(self.command()[1:], cwd=str(self.project.root), env=self.environment(), timeout=PATIENCE)
        self.said = done.stdout + done.stderr
        return done.returncode

    # ---- builds that are killed, and builds that meet

    def start(self) -> subprocess.Popen[str]:
        """Start a build in a session of its own."""
        return self.start_command(self.command())

    def start_command(self, command: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.project.root,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def kill(self, chance: random.Random, *, is_first_only: bool) -> int:
        """Start a build and kill it at a random moment: all its processes, or only the first one.

        Return the id of the session; 0 if the build had ended before.
        """
        began = time.monotonic()
        with self.start() as process:
            try:
                process.wait(chance.uniform(0, self.seconds))
            except subprocess.TimeoutExpired:
                if is_first_only:
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
                return process.pid
        self.seconds = (self.seconds + time.monotonic() - began) / 2
        return 0

    def meet(self) -> None:
        """Run two builds at the same time."""
        with self.start() as first, self.start() as second:
            first.wait(PATIENCE)
            second.wait(PATIENCE)


class Lines(Road):
    """Runs `hlsl2spirv` once for each shader."""

    is_build = False

    def run(self, jobs: Sequence[Job]) -> int:
        status = 0
        self.said = ""
        for job in jobs:
            status = max(status, self.call(*job.arguments()))
        return status

    def call(self, *arguments: str) -> int:
        (self.project.root / "build/shaders/sub").mkdir(parents=True, exist_ok=True)
        done = fork_server.run(
            [*CLIENT, *arguments], cwd=str(self.project.root), env=self.environment(), timeout=PATIENCE
        )
        self.said += done.stdout + done.stderr
        return done.returncode


class Batch(Lines):
    """Runs `hlsl2spirv --batch`."""

    def run(self, jobs: Sequence[Job]) -> int:
        self.project.write("batch.txt", "".join(f"{' '.join(job.arguments())}\n" for job in jobs))
        self.said = ""
        return self.call("--batch", "batch.txt")


class Build(Road):
    """Runs `hlsl_tool build` or `scons`."""

    def __init__(self, name: str, folder: pathlib.Path, *arguments: str, server: str = "no") -> None:
        super().__init__(name, folder, server=server)
        self.arguments = arguments
        self.reports_all = "build" in arguments

    def command(self) -> Sequence[str]:
        return [sys.executable, "-m", *self.arguments]


class Generated(Road):
    """Runs another build system with the rules of `hlsl_tool generate`."""

    sees_old_files = False
    can_move = False
    ends_with_first = False

    def __init__(self, name: str, folder: pathlib.Path, system: System, server: str = "no") -> None:
        super().__init__(name, folder, server=server)
        self.system = system
        self.rules = Rules(self.project, system)
        self.rules.server = server

    def prepare(self) -> None:
        self.system.prepare(self.rules)

    def command(self) -> Sequence[str]:
        return self.system.build

    def environment(self) -> dict[str, str]:
        return self.rules.environment()

    def run(self, jobs: Sequence[Job]) -> int:
        status, _ = self.rules.run()
        self.said = self.rules.said
        return status


def every_road(folder: pathlib.Path, *, has_server: bool) -> list[Road]:
    """Return all build methods that this machine supports."""
    scons = ("SCons", "-Q", "-j2")
    found: list[Road] = [
        Lines("hlsl2spirv", folder),
        Batch("hlsl2spirv --batch", folder),
        Build("build", folder, "hlsl_tool", "build"),
        Build("build -j2", folder, "hlsl_tool", "build", "-j2"),
        Build("scons single", folder, *scons, "scons_nodes=single"),
        Build("scons set", folder, *scons, "scons_nodes=set"),
        *(Generated(system.name, folder, system) for system in SYSTEMS if not system.missing),
    ]
    if has_server:
        found.append(Lines("hlsl2spirv, server", folder, server=""))
        found.append(Build("build, server", folder, "hlsl_tool", "build", server=""))
        found.append(Build("scons, server", folder, *scons, server=""))
        found += [Generated("ninja, server", folder, SYSTEMS[0], "")] if not SYSTEMS[0].missing else []
    return found


def library(root: pathlib.Path, jobs: Sequence[Job], environment: Mapping[str, str]) -> dict[str, bytes]:
    """Return output → module of each job, compiled by library calls in a separate process; empty for a failed job."""
    calls = root.parent / "calls.json"
    calls.write_text(json.dumps([(job.source, job.entry, job.profile, job.fields()) for job in jobs]))
    done = fork_server.run(["-c", LIBRARY, str(calls)], cwd=str(root), env=environment, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return {job.output: bytes.fromhex(text) for job, text in zip(jobs, json.loads(done.stdout), strict=True)}
