"""The state of one SCons run: plans, engines, nodes of shaders, progress and diagnostics."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import SCons.Node.FS
import SCons.Script

from hlsl_tool.base.diagnostics.visible import write_text
from hlsl_tool.base.system.paths import UP, without_links
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.build.ui.diagnostics import WHOLE_FORMS, render_messages
from hlsl_tool.project.build.ui.progress import Progress, is_terminal
from hlsl_tool.scons.aliases import hints_for_unknown, matching
from hlsl_tool.scons.building import Building
from hlsl_tool.scons.calls import Calls
from hlsl_tool.scons.compat import add_lookup, existing_node, generates_ninja, is_interactive, watch_building
from hlsl_tool.scons.current import is_allowed, mark_current
from hlsl_tool.scons.generated_files import made_by_others
from hlsl_tool.scons.model import Collected, DeclaredJob, DeclaredPlan, Node, Tree, Unmade
from hlsl_tool.scons.switches import (
    executor_address,
    explains,
    job_count,
    keeps_going,
    message_form,
    store_of,
    uses_server,
    verified_share,
)

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.project.build.engine import Engine, Outcome
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.workers.choice import Later
    from hlsl_tool.project.config.permutation import Project


class Session:
    """State of one SCons run; it may include several projects and output folders."""

    def __init__(self, requested: Callable[[Session], Collection[Node]]) -> None:
        """Create the session.

        ``requested`` returns the nodes of shaders that the targets of the run depend on.
        """
        self.requested = requested
        self.began = time.monotonic()
        self.calls = Calls()
        self._declarations()
        self._memos()
        self._output()
        self.building = Building(self.console)
        self.targets: list[Node] = []
        """The targets of the run, once SCons has begun to build."""
        self.is_building = False
        """True once SCons has read all SConscripts."""
        self.stopping = threading.Event()
        """Set when SCons begins nothing more: it was interrupted, or something failed without -k."""
        add_lookup(self.lookup)
        watch_building(self.begin, self.clean, self.stopping)
        # Nodes live as long as SCons does; looking for garbage among them more often is a tenth of its time.
        gc.set_threshold(20_000, 20, 100)

    def _declarations(self) -> None:
        self.engines: dict[tuple[str, str], Engine] = {}
        """(root, output folder) → engine."""
        self.configured: set[tuple[str, str]] = set()
        """The keys of `engines` whose store and executor a configuration has set."""
        self.executors: list[Later] = []
        self.trees: list[Tree] = []
        self.jobs: list[DeclaredJob] = []
        self.plans: list[DeclaredPlan] = []
        self.collected: list[Node] = []
        """Nodes of packs and of link reports."""
        self.manifests: list[tuple[Engine, list[Job]]] = []
        self.entries: dict[str, tuple[Any, list[Node]]] = {}
        """`lit/pbr.PSMain` → environment, outputs of all its permutations.  A name becomes an alias on first use."""
        self.unmade: list[Unmade] = []
        """Sources that did not exist when the configurations were read."""
        self.patterns: list[tuple[str, list[Any]]] = []
        """(root, [folder, pattern, the sources that match])"""

    def _memos(self) -> None:
        self.scans: dict[tuple[str, str], list[Node]] = {}
        """(root, job) → implicit dependencies of its outputs."""
        self.scan_memory: Any = None
        """The preprocessor's memory that all scans share."""
        self._files: dict[tuple[str, str], Node] = {}
        self._keys: dict[int, dict[str, str]] = {}
        self._derived: dict[tuple[str, str], bool] = {}
        self._settled: set[tuple[int, str]] = set()
        """Records that an earlier build of an interactive SCons wrote: (id of the engine, name)."""

    def _output(self) -> None:
        self.form = message_form()
        self.console = Console(self._write_messages, self._render, whole=self.form in WHOLE_FORMS)
        live = is_terminal(sys.stdout) and not SCons.Script.GetOption("no_exec")
        self.progress = Progress(sys.stdout, live=live, quiet=bool(SCons.Script.GetOption("silent")))
        self.lines: dict[str, str] = {}
        """Main target of a job → the line that SCons has printed for it."""
        self.total = -1
        """Number of jobs that this run will build; -1 before they were counted."""

    def engine(self, project: Project) -> Engine:
        """Return the engine of an output folder, with the store and executor that its configurations select.

        A call of `HlslShader`, which has no configuration, may have created the engine before.
        """
        from hlsl_tool.apps.server.builds import lender
        from hlsl_tool.project.build.engine import Engine
        from hlsl_tool.project.build.workers.choice import Later

        key = root, output_dir = project.root, project.output_dir
        engine = self.engines.get(key)
        if engine is not None and (key in self.configured or not project.files):
            return engine
        store = store_of(project)
        is_quiet = bool(SCons.Script.GetOption("silent"))
        workers = lender(is_wanted=uses_server(), is_quiet=is_quiet)
        later = Later(root, 1, store, executor_address(project), workers)
        self.executors.append(later)
        if project.files:
            self.configured.add(key)
        if engine is None:
            engine = self.engines[key] = Engine(root, output_dir, later, store, verify=verified_share())
        else:
            engine.close()
            engine.equip(later, store)
        return engine

    # ---- nodes

    def lookup(self, name: str, curdir: str | None = None, **more: Any) -> Node | None:
        """Return the node of a name that SCons does not know, or `None`.

        Only names on the command line have a ``curdir``.
        """
        for tree in self.trees:
            node = tree.lookup(name, curdir)
            if node is not None:
                return node
        if name in self.entries:
            env, nodes = self.entries.pop(name)
            return env.Alias(name, nodes)[0]  # the next time SCons knows it
        if curdir is None or not any(letter in name for letter in "*?["):
            return None
        return matching(name, curdir, self.jobs)

    def file(self, root: str, name: str) -> Node:
        """Return the node of a file, given by its path from the root."""
        node = self._files.get((root, name))
        if node is None:
            node = self._files[root, name] = SCons.Node.FS.get_default_fs().File(
                without_links(os.path.join(root, name))
            )
        return node

    def is_derived(self, root: str, name: str) -> bool:
        """Return whether another builder makes this file; never creates a node."""
        derived = self._derived.get((root, name))
        if derived is None:
            is_folder = name.endswith(UP)
            node = None if is_folder else existing_node(without_links(os.path.join(root, name)))
            derived = self._derived[root, name] = bool(node is not None and node.is_derived())
        return derived

    def current_key(self, engine: Engine, job: Job) -> str | None:
        """Return the key of a job's log record if the state file shows that everything in its plan is up to date.

        Else return `None`, also if a job of the plan may read a file that another builder makes.
        """
        keys = self._keys.get(id(engine))
        if keys is None:
            is_current = self._is_plan_current(engine, made_by_others())
            keys = self._keys[id(engine)] = engine.state.keys() if is_current else {}
        return keys.get(job.name)

    def _is_plan_current(self, engine: Engine, generated: Mapping[str, Node]) -> bool:
        """Return whether exactly one plan uses the engine's output folder, and all its shaders are up to date.

        Return False also if a shader reads one of the files in ``generated``, which other builders make.
        """
        plans = [declared.plan for declared in self.plans if declared.engine is engine]
        if len(plans) != 1 or (generated and engine.state.mentions(generated)):
            return False
        return engine.state.count(plans[0].key) is not None

    def _is_all_current(self, current: list[DeclaredPlan]) -> bool:
        """Return whether the state files show that everything which was declared is up to date."""
        count = sum(declared.plan.count for declared in current)
        return count == len(self.jobs) and all(tree.quick_count() is not None for tree in self.trees)

    # ---- while building

    def begin(self, targets: list[Node]) -> None:
        """Prepare a build: hint at unknown targets, report missing sources, and mark nodes that are up to date."""
        self.is_building = True
        self.targets = targets
        if is_interactive():
            self._begin_again()
        if generates_ninja():
            from hlsl_tool.scons.arguments import report_ninja

            report_ninja()
        for hint in hints_for_unknown(targets, self._all_jobs):
            sys.stderr.write(f"{hint}\n")
        if self.unmade or self.patterns:
            from hlsl_tool.scons.arguments import check_generated  # a null build loads no configurations

            check_generated(self.unmade if self.requested(self) else [], self.patterns, self.is_derived)
        generated = made_by_others() if self.plans else {}
        current = [declared for declared in self.plans if self._is_plan_current(declared.engine, generated)]
        if job_count() > 1 and not self._is_all_current(current):
            _load_for_threads()
        if not is_allowed():
            return
        for tree in self.trees:
            tree.mark_current(targets)
        for declared in current:
            mark_current(self._nodes_of(declared), targets, is_mixed=bool(generated))

    def _all_jobs(self) -> Iterator[Job]:
        yield from (declared.job for declared in self.jobs)
        for tree in self.trees:
            yield from tree.plan.jobs

    def _nodes_of(self, declared: DeclaredPlan) -> list[Node]:
        """Return the nodes of one plan: the outputs of its jobs, its packs and link reports, and its manifest.

        Another call of the tool may write other nodes to the same output folder.
        """
        plan = declared.plan
        jobs = set(map(id, plan.jobs))
        names = {(id(declared.engine), item.record_name) for item in plan.collected}
        nodes = [node for other in self.jobs if id(other.job) in jobs for node in other.nodes]
        for node in self.collected:
            collected: Collected = node.attributes.hlsl_collected
            if (id(collected.engine), collected.name) in names:
                nodes.append(node)
        return [*nodes, declared.manifest]

    def is_settled(self, engine: Engine, name: str) -> bool:
        """Return whether a log record is confirmed: SCons's database agrees with it."""
        record = engine.records.get(name)
        return record is not None and (record.is_confirmed or (id(engine), name) in self._settled)

    def clean(self, targets: list[Node]) -> list[Node]:
        """Return the nodes that SCons must remove: ``targets``, and the outputs of nodes that build several shaders.

        An interactive SCons also removes further outputs of shaders.
        """
        self.targets = targets
        nodes = [node for tree in self.trees for part in tree.requested_sets() for node in tree.outputs(part.targets())]
        return [*targets, *nodes, *(self._further_outputs(targets) if is_interactive() else ())]

    def _further_outputs(self, targets: list[Node]) -> Iterator[Node]:
        """Yield the outputs of requested shaders other than their first ones, which no alias contains."""
        requested = self.requested(self)
        for declared in self.jobs:
            if declared.nodes[0] in requested and declared.nodes[0] not in targets:
                for name in list(declared.job.targets.values())[1:]:
                    node = existing_node(without_links(os.path.join(declared.engine.root, name)))
                    if node is not None:
                        yield node

    def _begin_again(self) -> None:
        """Forget the previous build of an interactive SCons: files may have changed since."""
        self._settled |= {(engine, name) for (engine, name), state in self.building.states.items() if state != "failed"}
        self.building.clear()
        self.lines.clear()
        self.total = -1
        self.scans.clear()
        self._keys.clear()
        self._derived.clear()
        for engine in self.engines.values():
            engine.digests.forget()
        for tree in self.trees:
            tree.forget()

    def line(self, job: Job, engine: Engine) -> str:
        """Return the line that SCons prints before it runs a job; empty if the job is up to date."""
        if job.main_target in self.lines:
            return self.lines[job.main_target]  # SCons asks again for its messages
        if engine.is_current(job):
            return ""
        causes = engine.causes(job) if explains() else None
        if self.progress.live:
            self.lines[job.main_target] = ""
            self.progress.begin(job.name, job.source, causes)
        else:
            self.lines[job.main_target] = self.progress.text(job.name, job.source, causes)
        return self.lines[job.main_target]

    def width(self, engine: Engine) -> int:
        """Return how many jobs to submit to an engine at a time."""
        return next(executor.width() for executor in self.executors if executor is engine.executor)

    def done(self, job: Job, outcome: Outcome) -> None:
        """Report the diagnostics of a job whose node SCons has built."""
        self.progress.end()
        has_failed = outcome.state == "failed"
        if outcome.state != "current":
            self.console.add(job, outcome.result.diagnostics, urgent=has_failed and not keeps_going())
        if has_failed:
            self.progress.clear()  # SCons writes a message of its own

    # ---- diagnostics

    def _write_messages(self, text: str) -> None:
        """Write diagnostics to the standard error, below the progress."""
        self.progress.clear()
        write_text(sys.stderr, text)
        sys.stderr.flush()

    def _render(self, diagnostics: list[Diagnostic]) -> str:
        return render_messages(diagnostics, self.form, color=sys.stderr.isatty() and "NO_COLOR" not in os.environ)


_THREADED = (
    "hlsl_tool.project.build.scanning",
    "hlsl_tool.project.build.store.normalised_hash",
    "hlsl_tool.compiler.preprocessing",
    "hlsl_tool.reflection.linking.pipeline",
    "hlsl_tool.frontend.preprocessor.memory",
)
"""Modules that functions import while SCons builds."""


def _load_for_threads() -> None:
    """Import modules before threads start: of two threads that import a package, one may see it half-initialised."""
    for name in _THREADED:
        with contextlib.suppress(ImportError):  # the function that needs the module reports it
            import_module(name)
