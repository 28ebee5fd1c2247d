"""The shaders that the workspace's configurations name."""

from __future__ import annotations

import os
from pathlib import Path

from hlsl_tool.apps.lsp.workspace.documents import Documents
from hlsl_tool.apps.lsp.workspace.includers import Includers
from hlsl_tool.apps.lsp.workspace.targets import Target, target_of
from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Project

CONFIGURATION = "config/shaders"
MARKS = ("SConstruct", CONFIGURATION, "config/defaults.yaml")


def find_root(folder: str) -> str:
    """Return the innermost folder, from ``folder`` outwards, that has a configuration; ``folder`` if there is none."""
    start = Path(folder)
    for candidate in (start, *start.parents):
        if any((candidate / mark).exists() for mark in MARKS):
            return str(candidate)
    return folder


class Workspace:
    """The targets of all configurations; after errors, those of the last configurations without errors."""

    def __init__(self, root: str, configs: list[str] | None, documents: Documents) -> None:
        self.root = root
        self.configs = configs or [CONFIGURATION]
        self.documents = documents
        self.targets: dict[str, Target] = {}
        self.by_source: dict[str, list[Target]] = {}
        self.is_stale = False
        """Whether the text of a configuration has changed since `load`."""
        self.diagnostics: list[Diagnostic] = []
        self.project: Project | None = None
        """The configurations as they were last read."""
        self.files: set[str] = set()
        """The absolute paths of the configurations."""
        self.includers = Includers(documents)

    def has_configuration(self) -> bool:
        """Return whether the workspace contains a configuration to load."""
        return any(os.path.exists(os.path.join(self.root, path)) or "*" in path for path in self.configs)

    def load(self) -> None:
        """Read the configurations again, with the editor's unsaved texts."""
        self.diagnostics, self.is_stale = [], False
        if not self.has_configuration():
            return
        sink = Sink(error_limit=0)
        project = load(self.root, self.configs, sink, read=self._read)
        self.diagnostics, self.project = sink.diagnostics, project
        self.files = {absolute(name, self.root) for name in project.files}
        if sink.error_count and self.targets:
            return
        targets = [target_of(job, self.root) for job in plan(project)]
        self.targets = {target.name: target for target in targets}
        self.by_source = {}
        for target in targets:
            self.by_source.setdefault(target.source, []).append(target)
        self.includers.follow(self.by_source)

    def _read(self, path: str) -> bytes | None:
        path = absolute(path, self.root)
        return self.documents.read(path) if self.documents.is_open(path) else None

    def shown(self, path: str) -> str:
        """Return a path relative to the root, as in diagnostics and settings."""
        return relative(path, self.root)

    def is_configuration(self, path: str) -> bool:
        """Return whether a path is, or would be, one of the configurations."""
        if path in self.files:
            return True
        if not path.endswith((".yaml", ".yml")):
            return False
        folders = [absolute(config, self.root) for config in self.configs]
        return any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders) or (
            os.path.basename(path) == "defaults.yaml" and path.startswith(self.root)
        )
