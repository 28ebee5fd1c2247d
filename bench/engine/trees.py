"""Two builds of the same list of jobs: a project of ours, and a build.ninja that runs the real DXC for each shader."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forms import PACKAGE, ROOT
from processes import Cost, run
from store import options

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.system.file_names import LOG_NAME
from hlsl_tool.project.build.currency.log import Records
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load

Listed = dict[str, Any]
"""A shader of the list: id, root, file, entry, profile, defines, include_dirs, args."""
UNOPTIMISED = {"optimize": "none", "validate": False}
CONFIGURATION = "config/shaders/all.yaml"
LOG = f"build/shaders/{LOG_NAME}"

SCONSTRUCT = """\
env = Environment(tools=["hlsl"], toolpath=[{toolpath!r}])
env.HlslShaders("config/shaders")
env.Default("shaders")
"""
NINJA = """\
rule shader
  command = cd {root} && {driver} $words -Fo $out
"""


def name_of(listed: Listed) -> str:
    return str(listed["id"]).replace("/", "-")


@dataclass
class Way:
    """A way to start a build of hlsl_tool."""

    name: str
    nodes: str = ""
    """The value of ``scons_nodes``; empty for `hlsl_tool build`."""


WAYS = {
    "set": Way("scons, set node", "set"),
    "single": Way("scons, single nodes", "single"),
    "build": Way("hlsl_tool build"),
}


class Ours:
    """A project in its own folder, with a copy of the sources and a store beside it."""

    def __init__(self, folder: Path, trees: Path, jobs: list[Listed], cache: str, common: dict[str, Any]) -> None:
        self.root, self.store = folder / "project", folder / "store"
        self.common = common
        for top in sorted({job["root"].split("/")[0] for job in jobs}):
            shutil.copytree(trees / top, self.root / top)
        (self.root / "config/shaders").mkdir(parents=True)
        (self.root / "SConstruct").write_text(SCONSTRUCT.format(toolpath=str(ROOT / "site_scons/site_tools")))
        # As where hlsl_tool is installed: its modules need not be read as text.
        self.environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": cache, "NO_COLOR": "1"}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.declare(jobs)

    def declare(self, jobs: list[Listed]) -> None:
        """Write a configuration with exactly these jobs."""
        content = {"source_dir": ".", "store": str(self.store), **self.common, "shaders": [_entry(job) for job in jobs]}
        (self.root / CONFIGURATION).write_text(json.dumps(content, indent=1))

    def build(self, way: Way, processes: int) -> Cost:
        words = ["-m", "hlsl_tool", "build"]
        if way.nodes:
            words = ["-m", "SCons", "-Q", "-k", "shaders", f"scons_nodes={way.nodes}"]
        return run([sys.executable, *words, f"-j{processes}"], self.root, self.environment)

    def clean(self, *, store: bool) -> None:
        """Move all outputs and build records away; with ``store``, also the store."""
        paths = [self.root / "build", self.root / "config/.hlsl_tool", *self.root.glob(".sconsign*")]
        _move_away(self.root.parent, [*paths, self.store] if store else paths)

    def planned(self) -> dict[str, Job]:
        """Return name in the list → job."""
        return {_listed_name(job.name): job for job in plan(load(str(self.root), ["config/shaders"], Sink()))}

    def built(self) -> set[str]:
        """Return the names of the jobs whose output exists."""
        return {name for name, job in self.planned().items() if (self.root / job.targets["spv"]).exists()}

    def files(self) -> dict[str, list[str]]:
        """Return name in the list → files that the shader read, from the root."""
        records = Records(str(self.root / LOG))
        return {_listed_name(name): sorted(record.files) for name, record in records.by_name.items()}


def _move_away(folder: Path, paths: list[Path]) -> None:
    """Move files and folders into a folder `old` of their own.

    Nothing is deleted: just after many files were, ext4 takes several times as long to create one, since it looks for
    inodes that were not in use in the last seconds.
    """
    (folder / "old").mkdir(exist_ok=True)
    old = Path(tempfile.mkdtemp(dir=folder / "old"))
    for path in paths:
        if path.exists():
            path.rename(old / path.name)


def _listed_name(name: str) -> str:
    """Return a job's name as in the list; our names start with the folder of the source."""
    return name.rpartition("/")[2]


def _entry(job: Listed) -> dict[str, Any]:
    macros = {d.partition("=")[0]: d.partition("=")[2] or "1" for d in job["defines"]}
    return {
        "source": f"{job['root']}/{job['file']}",
        "outputs": ["spv"],
        "hlsl_version": 2018,
        "include_dirs": [os.path.normpath(f"{job['root']}/{folder}") for folder in job["include_dirs"]],
        "entries": [{"entry": job["entry"], "profile": job["profile"], "name": name_of(job), "defines": macros}],
        **options(job["args"]),
    }


class Ninja:
    """The same jobs as a ninja build: DXC runs in the folder of its job, as in the list."""

    def __init__(self, folder: Path, trees: Path, jobs: list[Listed], driver: list[str], flags: list[str]) -> None:
        self.root = folder
        self.trees, self.jobs, self.driver, self.flags = trees, jobs, driver, flags
        folder.mkdir(parents=True, exist_ok=True)
        self.write({})

    def write(self, files: dict[str, list[str]], sources: Path | None = None) -> None:
        """Write build.ninja.

        ``files``: the files that shaders read, below ``sources``; by default, only the sources are listed.
        """
        lines: list[str] = []
        for root in sorted({job["root"] for job in self.jobs}):
            rule = NINJA.format(root=shlex.quote(str(self.trees / root)), driver=shlex.join(self.driver))
            lines.append(rule.replace("rule shader", f"rule {_rule(root)}"))
        for job in self.jobs:
            words = dxc_words(job, self.flags)
            name = name_of(job)
            read = files.get(name, [f"{job['root']}/{job['file']}"])
            inputs = " ".join(_escaped(str((sources or self.trees) / each)) for each in read)
            text = shlex.join(words).replace("$", "$$")
            out = _escaped(f"{self.root}/out/{name}.spv")
            lines.append(f"build {out}: {_rule(job['root'])} {inputs}\n  words = {text}\n")
        (self.root / "build.ninja").write_text("".join(lines))

    def build(self, processes: int, *, remove: bool = True) -> Cost:
        if remove:
            _move_away(self.root, [self.root / ".ninja_log", self.root / "out"])
        return run(["ninja", f"-j{processes}", "-k0", "--quiet"], self.root)

    def wanted(self) -> int:
        """Return the number of processes that ninja would start."""
        out = run(["ninja", "-n", "-v"], self.root).out
        return sum(line.startswith("[") for line in out.splitlines())

    def one(self, job: Listed) -> Cost:
        """Build a single job; return the cost."""
        out = self.root / "one.spv"
        command = [*self.driver, *dxc_words(job, self.flags), "-Fo", str(out)]
        return run(command, self.trees / job["root"])

    def built(self) -> set[str]:
        return {path.name.removesuffix(".spv") for path in (self.root / "out").glob("*.spv")}


def _escaped(path: str) -> str:
    """Return a path as ninja reads it in a list of files."""
    return path.replace("$", "$$").replace(" ", "$ ").replace(":", "$:")


def _rule(root: str) -> str:
    return "dxc_" + "".join(letter if letter.isalnum() else "_" for letter in root)


def dxc_words(job: Listed, flags: list[str]) -> list[str]:
    words = ["-T", job["profile"], *(["-E", job["entry"]] if job["entry"] else [])]
    words += [word for macro in job["defines"] for word in ("-D", macro)]
    words += [word for folder in job["include_dirs"] for word in ("-I", folder)]
    return [*words, *job["args"], *flags, job["file"]]
