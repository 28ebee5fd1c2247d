"""The watcher's plan: made from the configurations when they last had no errors."""

from __future__ import annotations

import os

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.project.build.currency.toolchain import fingerprint_of
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.parameters import DEFAULT_PARAMETERS, Parameters
from hlsl_tool.project.config.permutation import Project

_WILD = "*?["
_CONFIGURATIONS = ("*.yaml", "*.yml")


@dataclass(slots=True)
class Change:
    """The result of reading the configurations again: diagnostics, new or changed jobs, and removed jobs."""

    ok: bool
    diagnostics: list[Diagnostic]
    changed: list[Job] = field(default_factory=list)
    """New jobs, and jobs with other options or outputs."""
    removed: list[Job] = field(default_factory=list)


class Plans:
    """Reads the configurations; the last plan without errors remains in use."""

    def __init__(self, root: str, configs: list[str], given: Parameters = DEFAULT_PARAMETERS) -> None:
        self.root = root
        self.given = given
        self.configs = configs
        self.project = Project(root)
        self.jobs: list[Job] = []
        self.by_name: dict[str, Job] = {}
        self.names: set[str] = set()
        """The files that decide the plan, from the root: configurations, and sources that were scanned for entries."""
        self.is_bad = False
        self._attempted = self.project

    def load(self) -> Change:
        """Read the configurations again; return the difference from the previous plan."""
        sink = Sink(error_limit=0)
        project = self._attempted = load(self.root, self.configs, sink, given=self.given)
        self.is_bad = sink.error_count > 0
        own = {relative(os.path.join(self.root, path), self.root) for path in self.configs}
        good = self.project if self.is_bad else project
        self.names = {*project.files, *project.looked_for, *good.files, *good.looked_for}
        self.names |= {path for path in own if path.endswith((".yaml", ".yml"))}
        self.names |= {source for each in (project, good) for source, _ in each.scanned}
        if self.is_bad:
            return Change(False, sink.diagnostics)
        before = self.by_name
        self.project, self.jobs = project, plan(project)
        for job in self.jobs:
            job.fingerprint = fingerprint_of(job)
        self.by_name = {job.name: job for job in self.jobs}
        changed = []
        for job in self.jobs:
            old = before.get(job.name)
            if old is None or old.cache_key() != job.cache_key() or old.targets != job.targets:
                changed.append(job)
        removed = [job for name, job in before.items() if name not in self.by_name]
        return Change(True, sink.diagnostics, changed, removed)

    def listings(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return (folder, patterns for file names): a new or deleted file there that matches changes the plan."""
        listings: list[tuple[str, tuple[str, ...]]] = []
        for path in self.configs:
            at = os.path.join(self.root, path)
            if os.path.isdir(at) or not any(letter in path for letter in _WILD):
                if not path.endswith((".yaml", ".yml")):
                    listings.append((absolute(at), _CONFIGURATIONS))
            else:
                listings.append(_split(self.root, path))
        for project in (self.project, self._attempted):
            listings += [_split(os.path.join(self.root, folder), pattern) for folder, pattern in project.globs]
        if self.is_bad:  # a source may be missing that the configuration names
            folders = self._attempted.source_dirs
            listings += [(absolute(folder, self.root), ("*",)) for folder in folders]
        return list(dict.fromkeys(listings))


def _split(folder: str, pattern: str) -> tuple[str, tuple[str, ...]]:
    """Split a pattern into its fixed folder and patterns for file names: `post/*/x*.hlsl` gives (…/post, x*.hlsl)."""
    *outer, last = pattern.replace("\\", "/").split("/")
    for part in outer:
        if any(letter in part for letter in _WILD):
            break
        folder = os.path.join(folder, part)
    return absolute(folder), (last,)
