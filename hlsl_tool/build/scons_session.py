"""What one run of SCons knows about shaders: jobs, engines, counts, and the words at the end."""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any

import SCons.Errors
import SCons.Node
import SCons.Node.FS
import SCons.Script

from hlsl_tool.build.compiling import relative
from hlsl_tool.build.console import Console, summary
from hlsl_tool.build.engine import Engine, Outcome
from hlsl_tool.build.executors import Executor, executor
from hlsl_tool.build.files import WriteError, write_atomic
from hlsl_tool.build.messages import FORMS, WHOLE_FORMS, render_messages
from hlsl_tool.build.plan import Job
from hlsl_tool.build.store.places import BadStore, StoreOptions, project_store
from hlsl_tool.config.model import Project
from hlsl_tool.diagnostics import Diagnostic

Node = Any
"""SCons has no types."""


class Session:
    """One a process; jobs of several projects and output folders may meet in it."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.engines: dict[tuple[str, str], Engine] = {}
        self.executors: dict[tuple[str, StoreOptions], Executor] = {}
        self.nodes: list[tuple[list[Node], Job, Engine]] = []
        self.configs: dict[str, list[str]] = {}
        """Root → configurations, for the watcher."""
        self.scans: dict[tuple[str, str], list[Node]] = {}
        self.scan_memory: Any = None
        self.files: dict[tuple[str, str], Node] = {}
        self.made: dict[tuple[str, str], bool] = {}
        self.form = message_form()
        self.console = Console(self._write_messages, self._render, whole=self.form in WHOLE_FORMS)
        self.manifests: list[tuple[Engine, list[Job]]] = []
        self.lines: dict[str, str] = {}
        self.total = -1
        self.built = 0
        self.stored = 0
        atexit.register(self.finish)

    def engine(self, project: Project) -> Engine:
        """The engine of an output folder; the first that asks for it says what its store is."""
        root, output_dir = project.root, project.output_dir
        found = self.engines.get((root, output_dir))
        if found is None:
            store = _store(project)
            later = _Later(self, root, store)
            found = self.engines[root, output_dir] = Engine(root, output_dir, later, store, verify=_verified_part())
        return found

    def executor(self, root: str, store: StoreOptions) -> Executor:
        found = self.executors.get((root, store))
        if found is None:
            jobs = int(SCons.Script.GetOption("num_jobs"))
            found = self.executors[root, store] = executor(root, jobs, store)
        return found

    # ---- files

    def file(self, fs: Any, root: str, name: str) -> Node:
        found = self.files.get((root, name))
        if found is None:
            found = self.files[root, name] = fs.File(os.path.join(root, name))
        return found

    def derived(self, fs: Any, root: str, name: str) -> bool:
        """Whether another builder makes this file; no node is made for one of which SCons has not heard."""
        known = self.made.get((root, name))
        if known is None:
            path = os.path.normpath(os.path.join(root, name))
            top = fs.Root.get(os.path.splitdrive(path)[0])
            entry = top._lookupDict.get(SCons.Node.FS._my_normcase(path)) if top is not None else None
            known = self.made[root, name] = bool(entry is not None and entry.is_derived())
        return known

    # ---- while building

    def line(self, job: Job, engine: Engine) -> str:
        """What SCons prints for a job it is about to run."""
        if job.main_target in self.lines:
            return self.lines[job.main_target]  # SCons asks again for its messages
        if engine.current(job):
            return ""
        if self.total < 0:
            stale = [j for _, j, e in self.requested() if not e.current(j)]
            self.total = len(stale)
            self.console.expect(stale)
        number = len(self.lines) + 1
        total = max(self.total, number)
        line = f"[{number:>{len(str(total))}}/{total}] {job.name}  ({job.source})"
        if "explain" in (SCons.Script.GetOption("debug") or ()):
            line += "".join(f"\n  because {cause}" for cause in engine.causes(job))
        self.lines[job.main_target] = line
        return line

    def done(self, job: Job, outcome: Outcome) -> None:
        if outcome.state == "built":
            self.built += 1
            self.stored += outcome.result.reused != ""
        stops = outcome.state == "failed" and not SCons.Script.GetOption("keep_going")
        if outcome.state != "current":
            self.console.add(job, outcome.result.diagnostics, urgent=stops)

    def requested(self) -> list[tuple[list[Node], Job, Engine]]:
        """The jobs under the targets that were asked for."""
        wanted: set[Any] = set()
        folders: list[str] = []
        todo = list(SCons.Script.BUILD_TARGETS)
        seen: set[int] = set()
        fs = SCons.Node.FS.get_default_fs()
        while todo:
            target = todo.pop()
            nodes = [target]
            if isinstance(target, str):
                alias = SCons.Node.Alias.default_ans.lookup(target)
                nodes = [alias] if alias is not None else [fs.Entry(target, fs.Top)]
            for node in nodes:
                if id(node) in seen:
                    continue
                seen.add(id(node))
                if hasattr(node.attributes, "hlsl_job"):
                    wanted.add(node)
                elif isinstance(node, SCons.Node.FS.Dir):
                    folders.append(node.get_abspath() + os.sep)
                elif isinstance(node, SCons.Node.Alias.Alias):
                    todo += node.sources or ()
                elif node.has_builder():
                    todo += [*(node.sources or ()), *(node.depends or ())]
                elif isinstance(node, SCons.Node.FS.Entry) and node.isdir():
                    folders.append(node.get_abspath() + os.sep)
        return [
            item
            for item in self.nodes
            if any(node in wanted or node.get_abspath().startswith(tuple(folders)) for node in item[0])
        ]

    # ---- at the end

    def finish(self) -> None:
        """After SCons has written its database, or failed to."""
        for found in self.executors.values():
            found.close()
        for engine in self.engines.values():
            engine.close()
        quiet = SCons.Script.GetOption("clean") or SCons.Script.GetOption("help")
        if quiet or not self.nodes:
            return
        self.console.finish()
        counts = {"current": 0, "failed": 0, "executed": 0, "unreached": 0}
        settled: dict[int, tuple[Engine, list[str]]] = {}
        requested = self.requested()
        for nodes, job, engine in requested:
            state = _STATES.get(nodes[0].get_state(), "unreached")
            counts[state] += 1
            if state in ("current", "executed"):
                settled.setdefault(id(engine), (engine, []))[1].append(job.name)
        if SCons.Script.GetOption("no_exec"):
            return
        for engine, jobs in self.manifests if self.built else ():
            try:
                engine.write_manifest(jobs)  # which shaders are alike is known now
            except WriteError as error:
                self._write(f"cannot write `{error.path}`: {error.reason}\n")
        if sconsign_written(self.began):
            for engine, names in settled.values():
                engine.records.settle(names)
        if requested and not SCons.Script.GetOption("silent"):
            skipped = counts["executed"] - self.built
            seconds = time.monotonic() - self.began
            line = summary(
                self.built, counts["current"] + skipped, counts["failed"], counts["unreached"], seconds,
                stored=self.stored,
            )
            self._write(line + "\n")

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def _write_messages(self, text: str) -> None:
        """A document gets a file: SCons itself writes to both streams."""
        if not self.console.whole:
            self._write(text)
            return
        for engine in self.engines.values():
            path = os.path.join(os.path.dirname(engine.records.path), f"diagnostics.{self.form}")
            try:
                write_atomic(path, text.encode())
            except WriteError as error:
                self._write(f"cannot write `{error.path}`: {error.reason}\n")
            else:
                self._write(f"messages: {relative(path, engine.root)}\n")
            return

    def _render(self, diagnostics: list[Diagnostic]) -> str:
        return render_messages(diagnostics, self.form, color=sys.stdout.isatty())


def message_form() -> str:
    """`scons shaders diagnostics=sarif`"""
    form = str(SCons.Script.ARGUMENTS.get("diagnostics", "text"))
    if form not in FORMS:
        raise SCons.Errors.UserError(f"diagnostics={form}: it is one of {', '.join(FORMS)}")
    return form


def _store(project: Project) -> StoreOptions:
    """`scons store=none`, `store="/mnt/store http://cache:8080"`; else the environment or the configuration."""
    given = str(SCons.Script.ARGUMENTS.get("store", "")).split()
    try:
        return project_store(project, given)
    except BadStore as error:
        raise SCons.Errors.UserError(f"store: {error}") from None


def _verified_part() -> float:
    """`scons verify_cache=5`: percent."""
    text = str(SCons.Script.ARGUMENTS.get("verify_cache", "0"))
    try:
        return float(text) / 100
    except ValueError:
        raise SCons.Errors.UserError(f"verify_cache={text}: it is a number of percent") from None


class _Later:
    """An executor that is made when there is work: how many jobs run at once is known only then."""

    def __init__(self, session: Session, root: str, store: StoreOptions) -> None:
        self.session = session
        self.root = root
        self.store = store

    def run(self, job: Job) -> Any:
        return self.session.executor(self.root, self.store).run(job)

    def close(self) -> None:
        """The session closes what it made."""


_STATES = {
    SCons.Node.up_to_date: "current",
    SCons.Node.executed: "executed",
    SCons.Node.failed: "failed",
}


def sconsign_written(since: float) -> bool:
    """Whether SCons has written a database in this run (it has not if it was killed by an error of its own)."""
    import SCons.SConsign

    database = getattr(SCons.SConsign, "DB_Name", ".sconsign")
    top = SCons.Node.FS.get_default_fs().Top.get_abspath()
    path = os.path.join(top, str(database))
    began = time.time() - (time.monotonic() - since)
    for name in (path, path + ".dblite"):
        try:
            if os.stat(name).st_mtime >= began:
                return True
        except OSError:
            continue  # the other spelling, then
    return False


_session: Session | None = None


def session() -> Session:
    global _session
    if _session is None:
        _session = Session()
    return _session
