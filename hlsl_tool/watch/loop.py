"""The watcher: keeps the last good outputs, survives every error, rebuilds only what a change affects.

It stays resident, so the compiler is warm and remembers what shaders share.  It writes the same outputs and the same
records as `scons shaders`; a later `scons` finds them current.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from hlsl_tool.build.console import Console, summary
from hlsl_tool.build.engine import Engine
from hlsl_tool.build.executors import executor
from hlsl_tool.build.files import WriteError, read_bytes
from hlsl_tool.build.links import plan_links
from hlsl_tool.build.plan import Job, plan
from hlsl_tool.build.store.places import StoreOptions, project_store
from hlsl_tool.build.toolchain import fingerprint
from hlsl_tool.config.load import load
from hlsl_tool.config.model import Project
from hlsl_tool.diagnostics import Diagnostic, Sink
from hlsl_tool.watch.events import Events


class Watcher:
    def __init__(
        self,
        root: str,
        configs: list[str],
        *,
        jobs: int,
        store: list[str] | None = None,
        write: Callable[[str], None],
        render: Callable[[list[Diagnostic]], str],
    ) -> None:
        self.root = os.path.abspath(root)
        self.configs = configs
        self.workers = max(1, jobs)
        self.write = write
        self.render = render
        self.store = store
        """The command line's places."""
        self.store_options: StoreOptions | None = None
        self.executor = executor(self.root, self.workers)
        self.events = Events()
        self.project: Project | None = None
        self.jobs: list[Job] = []
        self.engine: Engine | None = None
        self.reads: dict[str, set[str]] = {}
        """Job → every path that its last attempt read or looked for, from the root."""
        self.failed: set[str] = set()
        self.hashes: dict[str, bytes | None] = {}

    def run(self) -> None:
        self.start()
        while True:
            self.step(self.events.wait())

    def close(self) -> None:
        self.events.close()
        self.executor.close()
        if self.engine is not None:
            self.engine.close()

    # ---- steps

    def start(self) -> None:
        """Load, build what is not current, and begin to watch."""
        self.events.watch([os.path.join(self.root, path) for path in ("config", "shaders")])
        self.reload()
        self.write("watching; interrupt to end\n")

    def step(self, paths: set[str]) -> list[Job]:
        """Act on a burst of events; returns the jobs that were run."""
        changed = self.really_changed(paths)
        if not changed:
            return []
        if any(self.concerns_config(name) for name in changed):
            return self.reload()
        if self.engine is not None:
            self.engine.digests.forget(changed)
        affected = [job for job in self.jobs if not changed.isdisjoint(self.reads.get(job.name, ()))]
        return self.build(affected)

    def reload(self) -> list[Job]:
        """Read the configurations again.  With errors in them the old ones hold, and the shaders stay as they are."""
        sink = Sink(error_limit=0)
        project = load(self.root, self.configs, sink)
        if sink.diagnostics:
            self.write(self.render(sink.diagnostics))
        if sink.error_count:
            if self.project is None:
                self.project = project  # so that its files are known, and a better one is noticed
            self.watch_folders(project)
            self.write("the configuration has errors; waiting for it to change\n")
            return []
        self.project = project
        self.jobs = plan(project)
        for job in self.jobs:
            job.fingerprint = fingerprint(job.options.spirv_tools)
        options = project_store(project, self.store)
        if options != self.store_options:
            self.executor.close()
            self.executor = executor(self.root, self.workers, options)
            self.store_options = options
        if self.engine is not None:
            self.engine.close()
        self.engine = Engine(self.root, project.output_dir, self.executor, options)
        names = {job.name for job in self.jobs}
        self.reads = {name: paths for name, paths in self.reads.items() if name in names}
        self.failed &= names
        return self.build(self.jobs)

    def write_manifest(self) -> None:
        if self.engine is None:
            return
        try:
            self.engine.write_manifest(self.jobs)
        except WriteError as error:
            self.write(f"cannot write `{error.path}`: {error.reason}\n")

    def build(self, candidates: list[Job]) -> list[Job]:
        engine = self.engine
        if engine is None:
            return []
        began = time.monotonic()
        stale = [job for job in candidates if not engine.current(job)]
        for job in candidates:
            record = engine.records.get(job.name)
            if job not in stale and record is not None:
                self.reads[job.name] = {job.source, *record.files, *record.missing}
                self.failed.discard(job.name)
        console = Console(self.write, self.render)
        console.expect(stale)
        built = 0

        def one(job: Job) -> bool:
            outcome = engine.build(job)
            result = outcome.result
            self.reads[job.name] = {job.source, *result.files, *result.missing}
            if outcome.state == "failed":
                self.failed.add(job.name)
            else:
                self.failed.discard(job.name)
            console.add(job, result.diagnostics, urgent=False)
            if outcome.state == "built" and result.reused:
                reused.append(job)
            return outcome.state == "built"

        reused: list[Job] = []
        with ThreadPoolExecutor(self.workers) as pool:
            built = sum(pool.map(one, stale))
        if self.project is not None:
            fit = [link for link in plan_links(self.project, self.jobs) if self.failed.isdisjoint(link.jobs)]
            unfit = engine.link_all(fit, console)
            if unfit:
                self.write(f"stages that do not fit: {', '.join(job.name for job in unfit)}\n")
        self.write_manifest()
        console.finish()
        self.watch_folders(self.project)
        self.remember(name for job in candidates for name in self.reads.get(job.name, ()))
        if candidates:
            current = len(candidates) - len(stale)
            failed = sum(job.name in self.failed for job in stale)
            seconds = time.monotonic() - began
            self.write(summary(built, current, failed, 0, seconds, stored=len(reused)) + "\n")
        return stale

    # ---- paths

    def watch_folders(self, project: Project | None) -> None:
        """Every folder that a build reads from or looks into, that of sources, and those of configurations."""
        names = {os.path.dirname(name) for paths in self.reads.values() for name in paths}
        if project is not None:
            names |= {project.source_dir} | {os.path.dirname(name) for name in (*project.files, *project.looked_for)}
            names |= {folder for folder, _ in project.globs}
        for path in self.configs:
            at = os.path.join(self.root, path)
            names.add(path if os.path.isdir(at) else os.path.dirname(path.split("*")[0]))
        inside = {name for name in names if name or not self.root}
        self.events.watch(os.path.join(self.root, name) for name in inside)

    def relative(self, path: str) -> str:
        try:
            return os.path.relpath(path, self.root).replace(os.sep, "/")
        except ValueError:
            return path.replace(os.sep, "/")

    def really_changed(self, paths: set[str]) -> set[str]:
        """Of the paths of events those whose content is another than when it was last looked at."""
        changed = set()
        known = {name for reads in self.reads.values() for name in reads}
        for name in {self.relative(path) for path in paths}:
            if self.is_output(name):
                continue
            if name not in known and not self.concerns_config(name):
                continue
            content = read_bytes(os.path.join(self.root, name))
            if name not in self.hashes or self.hashes[name] != content:
                self.hashes[name] = content
                changed.add(name)
        return changed

    def remember(self, names: Iterable[str]) -> None:
        for name in names:
            self.hashes.setdefault(name, read_bytes(os.path.join(self.root, name)))

    def is_output(self, name: str) -> bool:
        return self.project is not None and name.startswith(self.project.output_dir.rstrip("/") + "/")

    def concerns_config(self, name: str) -> bool:
        """A configuration, or a source that appears or goes where a pattern looks."""
        if name.endswith((".yaml", ".yml")):
            return True
        project = self.project
        if project is None:
            return False
        sources = {variant.source for variant in project.variants}
        exists = os.path.exists(os.path.join(self.root, name))
        if name in sources:
            return not exists
        below = any(name.startswith(folder + "/") or not folder for folder, _ in project.globs)
        return below and exists and name not in self.hashes
