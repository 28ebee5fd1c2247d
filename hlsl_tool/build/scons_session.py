"""What one run of SCons knows about shaders: jobs, engines, counts, and the words at the end."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import SCons.Errors
import SCons.Node
import SCons.Node.FS
import SCons.Script

from hlsl_tool.build.console import Console, summary
from hlsl_tool.build.files import WriteError, write_atomic
from hlsl_tool.build.messages import FORMS, WHOLE_FORMS, render_messages
from hlsl_tool.build.progress import Progress, is_terminal
from hlsl_tool.build.scons_current import is_allowed, mark_current, watch_building
from hlsl_tool.build.scons_stale import settle_stale_outputs

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine, Outcome
    from hlsl_tool.build.executors import Later
    from hlsl_tool.build.plan import Job
    from hlsl_tool.build.plan_cache import Plan
    from hlsl_tool.build.scons_set import ShaderTree
    from hlsl_tool.build.store.places import StoreOptions
    from hlsl_tool.config.model import Project
    from hlsl_tool.diagnostics import Diagnostic

Node = Any
"""SCons has no types."""


class Collected(NamedTuple):
    """What SCons is told of a file that is made of the outputs of several jobs."""

    engine: Engine
    name: str
    """Of its record in the log."""
    members: Sequence[Job]
    is_current: Callable[[], bool]
    """Whether it is on disk as a build would write it now, if all members are current."""


class Session:
    """One a process; jobs of several projects and output folders may meet in it."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.engines: dict[tuple[str, str], Engine] = {}
        self.executors: list[Later] = []
        self.trees: list[ShaderTree] = []
        self.stopping = threading.Event()
        """SCons begins nothing more: it was interrupted, or something failed without -k."""
        self.nodes: list[tuple[list[Node], Job, Engine]] = []
        self.linked: list[Node] = []
        """Of groups of stages."""
        self.packed: list[Node] = []
        """Of packs."""
        self.entries: dict[str, tuple[Any, list[Node]]] = {}
        """`lit/pbr.PSMain` → environment, outputs of all its permutations.  It becomes an alias when it is asked
        for."""
        self.plans: list[tuple[Engine, Plan]] = []
        """Of which every shader has a node."""
        self.configs: dict[str, list[str]] = {}
        """Root → configurations, for the watcher."""
        self.scans: dict[tuple[str, str], list[Node]] = {}
        self.scan_memory: Any = None
        self.files: dict[tuple[str, str], Node] = {}
        self.keys: dict[int, dict[str, str]] = {}
        """Engine → job → key, where all is current."""
        self.made: dict[tuple[str, str], bool] = {}
        self.form = message_form()
        self.console = Console(self._write_messages, self._render, whole=self.form in WHOLE_FORMS)
        self.manifests: list[tuple[Engine, list[Job]]] = []
        self.lines: dict[str, str] = {}
        live = is_terminal(sys.stdout) and not SCons.Script.GetOption("no_exec")
        self.progress = Progress(sys.stdout, live=live, quiet=bool(SCons.Script.GetOption("silent")))
        self.total = -1
        self.built = 0
        self.stored = 0
        SCons.Node.arg2nodes_lookups.append(self.lookup)
        watch_building(self.begin, self.stopping)
        # Nodes live as long as SCons does; looking for garbage among them more often is a tenth of its time.
        gc.set_threshold(20_000, 20, 100)
        atexit.register(self.finish)

    def engine(self, project: Project) -> Engine:
        """The engine of an output folder; the first that asks for it says what its store is."""
        from hlsl_tool.build.engine import Engine
        from hlsl_tool.build.executors import Later

        root, output_dir = project.root, project.output_dir
        found = self.engines.get((root, output_dir))
        if found is None:
            store = _store(project)
            later = Later(root, 1, store, _address(project))
            self.executors.append(later)
            found = self.engines[root, output_dir] = Engine(root, output_dir, later, store, verify=_verified_part())
        return found

    # ---- targets

    def lookup(self, name: str, curdir: str | None = None, **more: Any) -> Node | None:
        """What a word means that SCons does not know.  ``curdir`` comes with those of the command line."""
        for tree in self.trees:
            found = tree.lookup(name, curdir)
            if found is not None:
                return found
        if name in self.entries:
            env, nodes = self.entries.pop(name)
            return env.Alias(name, nodes)[0]  # the next time SCons knows it
        if curdir is None or not any(letter in name for letter in "*?["):
            return None
        from hlsl_tool.build.scons_declare import matching

        return matching(name, curdir, self.nodes)

    # ---- files

    def file(self, fs: Any, root: str, name: str) -> Node:
        found = self.files.get((root, name))
        if found is None:
            found = self.files[root, name] = fs.File(os.path.join(root, name))
        return found

    def known_key(self, engine: Engine, job: Job) -> str | None:
        """The key of the job's record, if it and all others of its plan are current, and no other builder makes files
        that they may read."""
        keys = self.keys.get(id(engine))
        if keys is None:
            keys = self.keys[id(engine)] = engine.state.keys() if self._all_current(engine, made_by_others()) else {}
        return keys.get(job.name)

    def _all_current(self, engine: Engine, made: Mapping[str, Node]) -> bool:
        """Whether all shaders of the one plan of an engine are current, and read nothing of these files of others."""
        plans = [plan for each, plan in self.plans if each is engine]
        if len(plans) != 1 or (made and engine.state.mentions(made)):
            return False
        return engine.state.count(plans[0].key) is not None

    def begin(self, asked: list[Node]) -> None:
        """SCons begins to build: what is known to be current it need not look at."""
        if not (self.plans and is_allowed()):
            return
        made = made_by_others()
        for engine, plan in self.plans:
            if self._all_current(engine, made):
                mine = set(map(id, (*plan.jobs, *plan.links)))  # another call may use the folder, too
                nodes = [node for nodes, job, _ in self.nodes if id(job) in mine for node in nodes]
                nodes += [node for node in self.linked if id(node.attributes.hlsl_link) in mine]
                mark_current(nodes, asked, is_mixed=bool(made))

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
        self.expect_builds()
        explain = "explain" in (SCons.Script.GetOption("debug") or ())
        causes = engine.causes(job) if explain else None
        if self.progress.live:
            self.lines[job.main_target] = ""
            self.progress.begin(job.name, job.source, causes)
        else:
            self.lines[job.main_target] = self.progress.text(job.name, job.source, causes)
        return self.lines[job.main_target]

    def expect_builds(self) -> None:
        """Count once what this run is going to build: shaders with nodes of their own, and sets."""
        if self.total >= 0:
            return
        single = [(job, engine) for _, job, engine in self.requested() if not engine.current(job)]
        asked = self.asked()
        sets = [node for tree in self.trees for node in tree.sets() if node in asked]
        in_sets = [(job, node.tree.engine) for node in sets for job in node.outdated()]
        self.total = len(single) + len(in_sets)
        self.expect_work(sum(engine.estimate([job]) for job, engine in (*single, *in_sets)))
        self.progress.expect(self.total)
        self.console.expect([job for job, _ in single])

    def expect_work(self, seconds: float) -> None:
        """One process would need so long for what is to be compiled: who has not begun yet starts as many as suit
        it."""
        for executor in self.executors:
            executor.work = (executor.work or 0) + seconds
            executor.jobs = int(SCons.Script.GetOption("num_jobs"))

    def width(self, engine: Engine) -> int:
        """How many jobs to build at a time."""
        return next(each.width() for each in self.executors if each is engine.executor)

    def done(self, job: Job, outcome: Outcome) -> None:
        if outcome.state == "built":
            self.built += 1
            self.stored += outcome.result.reused != ""
        self.progress.end()
        stops = outcome.state == "failed" and not SCons.Script.GetOption("keep_going")
        if outcome.state != "current":
            self.console.add(job, outcome.result.diagnostics, urgent=stops)
        if outcome.state == "failed":
            self.progress.clear()  # SCons has something to say

    def requested(self) -> list[tuple[list[Node], Job, Engine]]:
        """The jobs under the targets that were asked for."""
        wanted, folders = self._wanted()
        return [
            item
            for item in self.nodes
            if any(node in wanted or node.get_abspath().startswith(folders) for node in item[0])
        ]

    def asked(self) -> set[Node]:
        """The nodes of shaders under the targets that were asked for, but for those in folders."""
        return self._wanted()[0]

    def _wanted(self) -> tuple[set[Node], tuple[str, ...]]:
        """(nodes of shaders, folders)"""
        wanted: set[Any] = set()
        folders: list[str] = []
        todo = list(SCons.Script.BUILD_TARGETS)
        seen: set[int] = set()
        fs = SCons.Node.FS.get_default_fs()
        while todo:
            target = todo.pop()
            nodes = [target]
            if isinstance(target, str):
                alias = SCons.Node.Alias.default_ans.lookup(target) or self.lookup(target, str(fs.Top.get_abspath()))
                nodes = [alias] if alias is not None else [fs.Entry(target, fs.Top)]
            for node in nodes:
                if id(node) in seen:
                    continue
                seen.add(id(node))
                if hasattr(node.attributes, "hlsl_job") or hasattr(node, "tally"):
                    wanted.add(node)
                    todo += node.waits_for() if hasattr(node, "tally") else ()
                elif isinstance(node, SCons.Node.FS.Dir):
                    folders.append(node.get_abspath() + os.sep)
                elif isinstance(node, SCons.Node.Alias.Alias):
                    todo += node.sources or ()
                elif node.has_builder():
                    todo += [*(node.sources or ()), *(node.depends or ())]
                elif isinstance(node, SCons.Node.FS.Entry) and node.isdir():
                    folders.append(node.get_abspath() + os.sep)
        return wanted, tuple(folders)

    # ---- at the end

    def finish(self) -> None:
        """After SCons has written its database, or failed to."""
        for found in self.executors:
            found.close()
        for engine in self.engines.values():
            engine.close()
        quiet = SCons.Script.GetOption("clean") or SCons.Script.GetOption("help")
        if quiet or not (self.nodes or self.trees):
            return
        self.progress.clear()
        self.console.finish()
        counts = {"current": 0, "failed": 0, "executed": 0, "unreached": 0}
        settled: dict[int, tuple[Engine, list[str]]] = {}
        requested = self.requested()
        for nodes, job, engine in requested:
            state = _STATES.get(nodes[0].get_state(), "unreached")
            counts[state] += 1
            if state in ("current", "executed"):
                settled.setdefault(id(engine), (engine, []))[1].append(job.name)
        sets = [tally for tree in self.trees for tally in tree.tallies()]
        if SCons.Script.GetOption("no_exec"):
            return
        for engine, jobs in self.manifests:
            if not (self.built or engine.records_are_loaded) or SCons.Script.GetOption("question"):
                continue
            try:
                engine.write_manifest(jobs)  # which shaders are alike is known now
            except WriteError as error:
                self._write(f"cannot write `{error.path}`: {error.reason}\n")
        if sconsign_written(self.began):
            self._settle_collected(settled)
            for engine, names in settled.values():
                if engine.records_are_loaded:  # else nothing was to be done, and all is settled
                    engine.records.settle(names)
        stale = settle_stale_outputs(self)
        in_sets = {id(engine) for tree in self.trees for engine in tree.save()}
        for engine in self.engines.values():
            if id(engine) not in in_sets:
                self._save(engine)
        if (requested or sets) and not SCons.Script.GetOption("silent"):
            self._write(stale)
            skipped = counts["executed"] - self.built
            line = summary(
                self.built + sum(each.built for each in sets),
                counts["current"] + skipped + sum(each.current for each in sets),
                counts["failed"] + sum(each.failed for each in sets),
                counts["unreached"] + sum(each.unreached for each in sets),
                time.monotonic() - self.began,
                stored=self.stored + sum(each.stored for each in sets),
            )
            self._write(line + "\n")

    def _settle_collected(self, settled: dict[int, tuple[Engine, list[str]]]) -> None:
        """Add the packs and the reports of linked stages that are up to date."""
        done = (SCons.Node.up_to_date, SCons.Node.executed)
        for node in (*self.linked, *self.packed):
            if node.get_state() in done:
                collected: Collected = node.attributes.hlsl_collected
                settled.setdefault(id(collected.engine), (collected.engine, []))[1].append(collected.name)

    def _save(self, engine: Engine) -> None:
        """Remember the stamps of files; and that a plan is current, where it is all that there is of its folder."""
        plans = [plan for each, plan in self.plans if each is engine]
        nodes = [(nodes, job) for nodes, job, each in self.nodes if each is engine]
        if len(plans) == 1 and len(nodes) == plans[0].count and engine.records_are_loaded:
            plan = plans[0]
            done = (SCons.Node.up_to_date, SCons.Node.executed)
            if all(nodes[0].get_state() in done for nodes, _ in nodes) and all(map(engine.linked, plan.links)):
                engine.save_state(plan.jobs, plan.links, plan=plan.key)
                return
        engine.save_state()

    def _write(self, text: str) -> None:
        self.progress.write(text)

    def _write_messages(self, text: str) -> None:
        """A document gets a file: SCons itself writes to both streams."""
        if not self.console.whole:
            self._write(text)
            return
        from hlsl_tool.build.compiling import relative

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
        return render_messages(diagnostics, self.form, color=sys.stdout.isatty() and "NO_COLOR" not in os.environ)


def made_by_others() -> dict[str, Node]:
    """Path → node, of files that other builders make."""
    return {
        os.path.normcase(str(node.get_abspath())): node
        for top in SCons.Node.FS.get_default_fs().Root.values()
        for node in top._lookupDict.values()
        if not isinstance(node, SCons.Node.FS.Dir) and node.is_derived() and not hasattr(node.attributes, "hlsl_ours")
    }


def message_form() -> str:
    """`scons shaders diagnostics=sarif`"""
    form = str(SCons.Script.ARGUMENTS.get("diagnostics", "text"))
    if form not in FORMS:
        raise SCons.Errors.UserError(f"diagnostics={form}: it is one of {', '.join(FORMS)}")
    return form


def _store(project: Project) -> StoreOptions:
    """`scons store=none`, `store="/mnt/store http://cache:8080"`; else the environment or the configuration."""
    from hlsl_tool.build.store.places import BadStore, project_store

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


def _address(project: Project) -> str:
    """`scons executor=dask://host:8786`; else the configuration's."""
    from hlsl_tool.build.addresses import checked_address

    try:
        return checked_address(str(SCons.Script.ARGUMENTS.get("executor", project.executor)))
    except ValueError as error:
        raise SCons.Errors.UserError(f"executor={error}") from None


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
