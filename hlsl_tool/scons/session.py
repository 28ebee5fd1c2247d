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
import SCons.Node.Alias
import SCons.Node.FS
import SCons.Script

from hlsl_tool.build.ui.console import Console, summary
from hlsl_tool.build.ui.diagnostics import FORMS, WHOLE_FORMS, render_messages
from hlsl_tool.build.ui.progress import Progress, is_terminal
from hlsl_tool.scons.calls import Calls
from hlsl_tool.scons.compat import (
    add_lookup,
    database_paths,
    existing_node,
    is_interactive,
    known_alias,
    watch_building,
)
from hlsl_tool.scons.counts import state_of, states_of
from hlsl_tool.scons.current import is_allowed, mark_current
from hlsl_tool.scons.generated_files import made_by_others
from hlsl_tool.scons.stale import settle_stale_outputs
from hlsl_tool.system.atomic_write import WriteError, write_atomic

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine, Outcome
    from hlsl_tool.build.job import Job
    from hlsl_tool.build.outputs.links import LinkJob
    from hlsl_tool.build.plan_cache import Plan
    from hlsl_tool.build.session import BuildSession, BuildTargets
    from hlsl_tool.build.store.places import StoreOptions
    from hlsl_tool.build.workers.executors import Later
    from hlsl_tool.config.model import Project
    from hlsl_tool.diagnostics import Diagnostic, Location
    from hlsl_tool.scons.node_set import ShaderTree

Node = Any
"""SCons has no types."""

Unmade = tuple[str, str, "Location", "str | None"]
"""Root, source, where the configuration names it, hint."""


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
        self.configured: set[tuple[str, str]] = set()
        """Those of them whose settings are those of configurations."""
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
        self.plans: list[tuple[Engine, Plan, Node]] = []
        """Those of which every shader has a node, each with the node of its manifest."""
        self.calls = Calls()
        self.unmade: list[Unmade] = []
        """Sources that were not there when configurations were read."""
        self.patterns: list[tuple[str, list[Any]]] = []
        """(root, [folder, pattern, the sources that it found])"""
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
        self.is_building = False
        """SCons has read all SConscripts."""
        self.targets: list[Node] = []
        """What was asked for, as SCons has it then."""
        self.lock = threading.Lock()
        self.claims: dict[tuple[int, str], threading.Lock] = {}
        """(engine, job or link) → held by who builds it: a set and a node may both come to it."""
        self.outcomes: dict[tuple[int, str], str] = {}
        """(engine, job) → `built`, `stored`, `current` or `failed`, of what was built in this run."""
        self.failures: dict[tuple[int, str], str] = {}
        self.links: dict[tuple[int, str], bool] = {}
        add_lookup(self.lookup)
        watch_building(self.begin, self.stopping)
        # Nodes live as long as SCons does; looking for garbage among them more often is a tenth of its time.
        gc.set_threshold(20_000, 20, 100)
        atexit.register(self.finish)

    def engine(self, project: Project) -> Engine:
        """The engine of an output folder.  Its configurations say what its store and executor are; `HlslShader`, which
        may have been called before, has none."""
        from hlsl_tool.build.engine import Engine
        from hlsl_tool.build.workers.executors import Later

        key = root, output_dir = project.root, project.output_dir
        found = self.engines.get(key)
        if found is not None and (key in self.configured or not project.files):
            return found
        store = _store(project)
        later = Later(root, 1, store, _address(project))
        self.executors.append(later)
        if project.files:
            self.configured.add(key)
        if found is None:
            found = self.engines[key] = Engine(root, output_dir, later, store, verify=_verified_part())
        else:
            found.close()
            found.equip(later, store)
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
        from hlsl_tool.scons.declare import matching

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
        plans = [plan for each, plan, _ in self.plans if each is engine]
        if len(plans) != 1 or (made and engine.state.mentions(made)):
            return False
        return engine.state.count(plans[0].key) is not None

    def _is_whole(self, current: list[tuple[Engine, Plan, Node]]) -> bool:
        """Whether everything that was declared is current, as far as the state tells."""
        count = sum(plan.count for _, plan, _ in current)
        return count == len(self.nodes) and all(tree.quick_count() is not None for tree in self.trees)

    def begin(self, asked: list[Node]) -> None:
        """SCons begins to build: what is known to be current it need not look at."""
        self.is_building = True
        self.targets = asked
        if is_interactive():
            self._begin_again()
        if self.unmade or self.patterns:
            from hlsl_tool.scons.declare import check_generated

            check_generated(self.unmade, self.patterns)
        made = made_by_others() if self.plans else {}
        current = [(engine, plan, manifest) for engine, plan, manifest in self.plans if self._all_current(engine, made)]
        if int(SCons.Script.GetOption("num_jobs")) > 1 and not self._is_whole(current):
            _load_for_threads()
        if is_allowed():
            for tree in self.trees:
                tree.mark_current(asked)
            for _, plan, manifest in current:
                mine = set(map(id, (*plan.jobs, *plan.links, *plan.packs)))  # another call may use the folder, too
                nodes = [node for nodes, job, _ in self.nodes if id(job) in mine for node in nodes]
                nodes += [node for node in self.linked if id(node.attributes.hlsl_link) in mine]
                nodes += [node for node in self.packed if id(node.attributes.hlsl_pack[1]) in mine]
                nodes.append(manifest)
                mark_current(nodes, asked, is_mixed=bool(made))

    def _begin_again(self) -> None:
        """Forget the last build of an interactive SCons: files may have changed since."""
        for memo in (self.claims, self.outcomes, self.failures, self.links, self.scans, self.keys, self.made):
            memo.clear()
        for engine in self.engines.values():
            engine.digests.forget()
        for tree in self.trees:
            tree.forget()

    def derived(self, root: str, name: str) -> bool:
        """Whether another builder makes this file; no node is made for one of which SCons has not heard."""
        known = self.made.get((root, name))
        if known is None:
            node = existing_node(os.path.normpath(os.path.join(root, name)))
            known = self.made[root, name] = bool(node is not None and node.is_derived())
        return known

    # ---- while building

    def build(self, engine: Engine, job: Job) -> Outcome:
        """Build a job, once in a run: whoever comes to it second gets what became of it, without the messages."""
        from hlsl_tool.build.engine import Outcome

        key = id(engine), job.name
        with self._claim(key):
            known = self.outcomes.get(key)
            if known is not None:
                return Outcome("failed" if known == "failed" else "current")
            outcome = engine.build(job)
            self.outcomes[key] = "stored" if outcome.is_stored else outcome.state
            if outcome.state == "failed":
                errors = sum(d.severity in ("error", "fatal") for d in outcome.result.diagnostics)
                self.failures[key] = f"{errors} error{'' if errors == 1 else 's'}"
            return outcome

    def steps(self, engine: Engine, targets: BuildTargets | None = None) -> BuildSession:
        """Return the steps of a build, for actions that SCons schedules and for sets."""
        # Imported here: a set with nothing to do needs no engine.
        from hlsl_tool.build.session import BuildSession, BuildTargets

        return BuildSession(engine, self.console, targets or BuildTargets(()))

    def failure(self, engine: Engine, job: Job) -> str:
        """The words for SCons's message about a job that failed."""
        return self.failures.get((id(engine), job.name), "an error")

    def link(self, engine: Engine, job: LinkJob) -> bool:
        """Check stages against each other, once in a run; whether they fit."""
        key = id(engine), job.target
        with self._claim(key):
            if key not in self.links:
                self.links[key] = self.steps(engine).check_link(job)
            return self.links[key]

    def _claim(self, key: tuple[int, str]) -> threading.Lock:
        with self.lock:
            return self.claims.setdefault(key, threading.Lock())

    def has_built(self, engine: Engine) -> bool:
        """Whether this run has built anything of an engine's."""
        return any(state in ("built", "stored") for (which, _), state in self.outcomes.items() if which == id(engine))

    def line(self, job: Job, engine: Engine) -> str:
        """What SCons prints for a job it is about to run."""
        if job.main_target in self.lines:
            return self.lines[job.main_target]  # SCons asks again for its messages
        if engine.is_current(job):
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
        single = [(job, engine) for _, job, engine in self.requested() if not engine.is_current(job)]
        sets = [(job, tree.engine) for tree in self.trees for node in tree.asked_sets() for job in node.outdated()]
        jobs = {(id(engine), job.name): (job, engine) for job, engine in (*single, *sets)}
        self.total = len(jobs)
        self.expect_work(sum(engine.estimate([job]) for job, engine in jobs.values()))
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
        """The nodes of shaders under the targets that were asked for; of folders, only the sets in them."""
        wanted, folders = self._wanted()
        return wanted | {tree.all for tree in self.trees if (tree.folder + os.sep).startswith(folders)}

    def _wanted(self) -> tuple[set[Node], tuple[str, ...]]:
        """(nodes of shaders, folders)"""
        wanted: set[Any] = set()
        folders: list[str] = []
        todo = list(self.targets or SCons.Script.BUILD_TARGETS)
        seen: set[int] = set()
        fs = SCons.Node.FS.get_default_fs()
        while todo:
            target = todo.pop()
            nodes = [target]
            if isinstance(target, str):
                alias = known_alias(target) or self.lookup(target, str(fs.Top.get_abspath()))
                nodes = [alias] if alias is not None else [fs.Entry(target, fs.Top)]
            for node in nodes:
                if id(node) in seen:
                    continue
                seen.add(id(node))
                if hasattr(node.attributes, "hlsl_job") or hasattr(node, "states"):
                    wanted.add(node)
                    continue
                if isinstance(node, SCons.Node.FS.Entry) and node.isdir():
                    folders.append(node.get_abspath() + os.sep)
                elif isinstance(node, SCons.Node.FS.Dir):
                    folders.append(node.get_abspath() + os.sep)
                    # Not by the dictionary's own methods, which would make nodes of all outputs in the folder.
                    todo += [each for name, each in dict.items(node.entries) if name not in (".", "..")]
                todo += [*(node.sources or ()), *(node.depends or ()), *(node.implicit or ())]
                todo += node.prerequisites or ()
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
        requested = self.requested()
        states = states_of(self, requested)
        if SCons.Script.GetOption("no_exec"):
            return
        for engine, jobs in self.manifests:
            if (self.has_built(engine) or engine.records_are_loaded) and not SCons.Script.GetOption("question"):
                self._write_manifest(engine, jobs)  # which shaders are alike is known now
        if sconsign_written(self.began):
            self._settle(requested)
        for tree in self.trees:
            if (tree.root, tree.plan.output_dir) in self.engines and self.has_built(tree.engine):
                self._write_manifest(tree.engine, tree.plan.jobs)
        stale = settle_stale_outputs(self)
        in_sets = {id(engine) for tree in self.trees for engine in tree.save()}
        for engine in self.engines.values():
            if id(engine) not in in_sets:
                self._save(engine)
        if states is not None and not SCons.Script.GetOption("silent"):
            self._write(stale)
            count = states.count
            line = summary(
                count("built") + count("stored"),
                count("current"),
                count("failed"),
                count("stale"),
                time.monotonic() - self.began,
                stored=count("stored"),
            )
            self._write(line + "\n")

    def _settle(self, requested: list[tuple[list[Node], Job, Engine]]) -> None:
        """Record that SCons's database agrees with the disk about what is up to date: jobs, packs, reports of links."""
        settled: dict[int, tuple[Engine, list[str]]] = {}
        for nodes, job, engine in requested:
            if state_of(nodes[0]) == "current":
                settled.setdefault(id(engine), (engine, []))[1].append(job.name)
        for node in (*self.linked, *self.packed):
            if state_of(node) == "current":
                collected: Collected = node.attributes.hlsl_collected
                settled.setdefault(id(collected.engine), (collected.engine, []))[1].append(collected.name)
        for engine, names in settled.values():
            if engine.records_are_loaded:  # else nothing was to be done, and all is settled
                engine.records.settle(names)

    def _write_manifest(self, engine: Engine, jobs: list[Job]) -> None:
        from hlsl_tool.build.outputs.manifest import write_manifest

        try:
            write_manifest(engine, jobs)
        except WriteError as error:
            self._write(f"cannot write `{error.path}`: {error.reason}\n")

    def _save(self, engine: Engine) -> None:
        """Remember the stamps of files; and that a plan is current, where it is all that there is of its folder."""
        from hlsl_tool.build.session import BuildTargets

        plans = [plan for each, plan, _ in self.plans if each is engine]
        nodes = [(nodes, job) for nodes, job, each in self.nodes if each is engine]
        is_whole = False
        targets = BuildTargets(())
        if len(plans) == 1 and len(nodes) == plans[0].count and engine.records_are_loaded:
            plan = plans[0]
            targets = BuildTargets(plan.jobs, plan.links, plan.packs, is_whole=True, plan_key=plan.key)
            is_whole = all(state_of(nodes[0]) == "current" for nodes, _ in nodes)
        steps = self.steps(engine, targets)
        steps.save_state(is_whole=is_whole and steps.is_collected())

    def _write(self, text: str) -> None:
        self.progress.write(text)

    def _write_messages(self, text: str) -> None:
        """A document gets a file: SCons itself writes to both streams."""
        if not self.console.whole:
            self._write(text)
            return
        from hlsl_tool.build.outputs.render import relative

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


def _load_for_threads() -> None:
    """Import what jobs need before there are threads: two that import one package get half of it."""


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
    from hlsl_tool.build.workers.addresses import checked_address

    try:
        return checked_address(str(SCons.Script.ARGUMENTS.get("executor", project.executor)))
    except ValueError as error:
        raise SCons.Errors.UserError(f"executor={error}") from None


def sconsign_written(since: float) -> bool:
    """Whether SCons has written a database in this run (it has not if it was killed by an error of its own)."""
    began = time.time() - (time.monotonic() - since)
    for name in database_paths():
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
