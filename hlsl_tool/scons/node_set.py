"""One node of SCons for all shaders of a plan: what large trees are built with.

SCons needs about half a millisecond for each target of a build with nothing to do; this needs a `stat` for each file,
because our own log and state tell what outputs were made from.  The node is no file, so nothing of it is in SCons's
database.  Shaders, entries and patterns on the command line stand for a part of the set.  An output that something asks
for has a node of its own beside the set (see `output_nodes`); whichever comes to a shader first builds it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import SCons.Builder
import SCons.Errors
import SCons.Node.Alias
import SCons.Node.FS
import SCons.Node.Python
import SCons.Script

from hlsl_tool.build.currency.state import State
from hlsl_tool.build.plan_cache import Plan
from hlsl_tool.diagnostics.visible import write_text
from hlsl_tool.scons.aliases import ALIAS, UnsignedAlias, shaders_alias
from hlsl_tool.scons.compat import lookup_key, reset_children
from hlsl_tool.scons.constant_action import ConstantAction
from hlsl_tool.scons.current import is_allowed, mark_current
from hlsl_tool.scons.generated_files import made_by_others
from hlsl_tool.scons.output_nodes import LazyNodes, OutputIndex
from hlsl_tool.scons.session import Node, session
from hlsl_tool.system.atomic_write import WriteError
from hlsl_tool.system.file_names import MANIFEST_NAME

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine, Outcome
    from hlsl_tool.build.job import Job
    from hlsl_tool.build.outputs.links import LinkJob
    from hlsl_tool.build.outputs.packs import PackJob
    from hlsl_tool.build.session import BuildResult, BuildSession

Env = Any
VARIABLES = ("allow_outside", "diagnostics", "executor", "prune", "scons_nodes", "store", "verify_cache")
"""What the command line may set; SCons takes `…SHADOWS=1.spv` for a variable, too."""


class ShaderSet(UnsignedAlias):
    """The shaders of a plan, or those of them that were named."""

    def __init__(self, name: str, tree: ShaderTree, chosen: set[str] | None) -> None:
        super().__init__(name)
        self.tree = tree
        self.chosen = chosen
        """Names of jobs and links; none where all are meant."""
        self.states: dict[str, str] | None = None
        """Job → `current`, `stale`, `built`, `stored` or `failed`; none before SCons has come to the set."""
        self.count: int | None = None
        """How many shaders there are, where the state has it that all of them are current."""
        self.stale: list[Job] = []

    def scan(self) -> None:
        """The nodes that the set waits for: what other builders make."""
        if self.implicit is None:
            nodes = self.tree.foreign(self.jobs)
            self.implicit: list[Node] | None = nodes
            self.implicit_set = set(nodes)
            reset_children(self)

    def get_contents(self) -> str:
        """The digests of all outputs, for what depends on the set."""
        look = self.tree.engine.digests.look
        return "\n".join(look(path) for path in self.targets())

    def targets(self) -> list[str]:
        """All outputs, from the root."""
        paths = [path for job in self.jobs() for path in job.targets.values()]
        paths += [item.target for items in (self.links(), self.packs()) for item in items]
        if self.chosen is None:
            paths.append(os.path.join(self.tree.plan.output_dir, MANIFEST_NAME))
        return paths

    def explain(self) -> str:
        """The causes stand below each shader's line."""
        return ""

    def is_up_to_date(self) -> bool:
        tree = self.tree
        count = tree.quick_count() if not self.implicit else None
        if count is not None:
            self.count = count if self.chosen is None else None
            self.states = {} if self.chosen is None else dict.fromkeys((job.name for job in self.jobs()), "current")
            return True
        engine = tree.engine
        if self.implicit:
            engine.digests.forget()  # of what has been made meanwhile
        jobs = self.jobs()
        self.stale = [job for job in jobs if not engine.is_current(job)]
        self.states = dict.fromkeys((job.name for job in jobs), "current")
        self.states.update(dict.fromkeys((job.name for job in self.stale), "stale"))
        steps = self.steps()
        if self.stale or not steps.is_collected():
            return False
        return self.chosen is not None or steps.is_manifest_current()

    def outdated(self) -> list[Job]:
        """Its jobs that are not current: as SCons found them, or as they are now if it has not come to the set."""
        if self.states is not None:
            return self.stale
        if self.tree.quick_count() is not None:
            return []
        return [job for job in self.jobs() if not self.tree.engine.is_current(job)]

    def jobs(self) -> list[Job]:
        return [job for job in self.tree.plan.jobs if self.chosen is None or job.name in self.chosen]

    def links(self) -> list[LinkJob]:
        return [link for link in self.tree.plan.links if self.chosen is None or link.target in self.chosen]

    def packs(self) -> list[PackJob]:
        """Return the packs of the set."""
        return [pack for pack in self.tree.plan.packs if self.chosen is None or pack.target in self.chosen]

    def steps(self) -> BuildSession:
        """Return the steps of a build of the set."""
        from hlsl_tool.build.session import BuildTargets

        tree, is_whole = self.tree, self.chosen is None
        key = tree.plan.key if is_whole else ""
        return session().steps(tree.engine, BuildTargets(self.jobs(), self.links(), self.packs(), is_whole, key))

    # ---- building

    def lines(self) -> str:
        """What a build would say, for -n."""
        here = session()
        here.expect_builds()
        new = [job for job in self.stale if job.main_target not in here.lines]
        for job in new:
            here.lines[job.main_target] = here.progress.text(job.name, job.source, self._causes(job))
        return "\n".join(here.lines[job.main_target] for job in new)

    def _causes(self, job: Job) -> list[str] | None:
        return self.tree.engine.causes(job) if _explains() else None

    def run(self) -> None:
        """Build the jobs that are not current; raise SCons's error if something fails."""
        from hlsl_tool.build.session import BuildPolicy

        here, tree = session(), self.tree
        failures = _Failures(tree.root)
        keep_going = bool(SCons.Script.GetOption("keep_going"))
        here.expect_builds()

        def blocked() -> Collection[str]:
            has_to_stop = not keep_going and (failures.pending or here.stopping.is_set())
            return [job.name for job in self.jobs()] if has_to_stop else ()

        policy = BuildPolicy(
            build=lambda jobs: self._build(jobs, failures, keep_going=keep_going),
            write=here.progress.write,
            check_link=lambda link: here.link(tree.engine, link),
            blocked=blocked,
            packs_last_good=False,
            built=lambda result: self._built(result, failures),
            pack_failed=lambda pack, reason: failures.add(pack.target, reason),
        )
        try:
            self.steps().run(self.stale, policy)
        except WriteError as error:
            tree.cannot_write(error)
        failures.throw()

    def _build(self, jobs: Sequence[Job], failures: _Failures, *, keep_going: bool) -> dict[str, Outcome]:
        """Build jobs side by side; each failure is reported as SCons reports those of its own nodes."""
        from hlsl_tool.build.batch import build_all

        here, engine = session(), self.tree.engine

        def failed(job: Job, outcome: Outcome) -> None:
            here.progress.clear()
            failures.add(job.main_target, here.failure(engine, job))

        return build_all(
            engine,
            jobs,
            workers=here.width(engine) if jobs else 1,
            progress=here.progress,
            console=here.console,
            keep_going=keep_going,
            explain=_explains(),
            stopping=here.stopping.is_set,
            failed=failed,
            build=lambda job: here.build(engine, job),
        )

    def _built(self, result: BuildResult, failures: _Failures) -> None:
        """Record the states of the jobs, and the groups of stages that do not fit."""
        states = self.states or {}
        for name, outcome in result.outcomes.items():
            states[name] = "stored" if outcome.is_stored else outcome.state
        for link in result.unfit:
            failures.add(link.target, f"the stages of {link.name} do not fit together")


class _Failed(SCons.Errors.BuildError):  # type: ignore[misc]
    """Of one shader; SCons would name the node whose action it was."""

    def __init__(self, node: Node, text: str) -> None:
        super().__init__(node=node, errstr=text, status=2, exitstatus=2)
        self.place = node

    @property
    def node(self) -> Node:
        return self.place

    @node.setter
    def node(self, node: Node) -> None:
        """It stays as it is."""
        self.place = getattr(self, "place", node)


class _Failures:
    """SCons knows one failure of an action.  The others are told in its words, and listed where it lists its own."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.pending: Any = None

    def add(self, target: str, text: str) -> None:
        if self.pending is not None:
            write_text(sys.stderr, f"scons: *** [{self.pending.node}] {self.pending.errstr}\n")
            SCons.Script.GetBuildFailures().append(self.pending)
        # A node that SCons does not know: in this thread none is to be made that others may look up.
        folder, name = os.path.split(os.path.join(self.root, target))
        fs = SCons.Node.FS.get_default_fs()
        self.pending = _Failed(SCons.Node.FS.File(name, fs.Dir(folder), fs), text)

    def throw(self) -> None:
        if self.pending is not None:
            raise self.pending


class ShaderTree:
    """One call of `HlslShaders` whose shaders are a set."""

    def __init__(self, env: Env, root: str, names: Sequence[str], plan: Plan) -> None:
        self.env = env
        self.root = root
        self.plan = plan
        self.folder = os.path.normpath(os.path.join(root, plan.output_dir))
        self.all = self._set(f"{ALIAS} of {', '.join(names)}", None)
        self.parts: dict[str, ShaderSet] = {}
        """Sets of what is in one folder, by SCons's key of it; and of what the command line names."""
        self.declared: set[str] = set()
        """Jobs, and targets of links, that have nodes."""
        self.nodes: list[Node] = []
        """The nodes of jobs and links whose state the log tells."""
        self.index = OutputIndex(self)
        self._quick: tuple[int | None] | None = None

    def _set(self, name: str, chosen: set[str] | None) -> ShaderSet:
        node = ShaderSet(name, self, chosen)
        node.convert()
        found: ShaderSet = BUILDER(self.env, [node], [])[0]
        return found

    @property
    def engine(self) -> Engine:
        return session().engine(self.plan.project)

    @cached_property
    def state(self) -> State:
        """The state as the last build left it."""
        return State(self.root, self.plan.output_dir)

    def quick_count(self) -> int | None:
        """How many shaders there are, if nothing had changed since all of them were current when this was first
        asked for, and no other builder makes files that they may read."""
        if self._quick is None:
            state = self.state
            count = state.count(self.plan.key)
            made = made_by_others() if count is not None else {}
            self._quick = (None if made and state.mentions(made) else count,)
        return self._quick[0]

    # ---- files of others

    def foreign(self, jobs: Callable[[], list[Job]]) -> list[Node]:
        """What other builders make, and shaders read."""
        made = made_by_others()
        if not made or self.quick_count() is not None:
            return []
        from hlsl_tool.build.outputs.render import disk
        from hlsl_tool.build.scanning import scan_job
        from hlsl_tool.preprocessor.memory import PreprocessorMemory

        memory = PreprocessorMemory()
        found: dict[str, Node] = {}
        self.engine.digests.forget()  # some of them may have been made since the last look
        for job in jobs():
            files, missing = self.engine.trace(job) or scan_job(job, self.root, disk(self.root), memory)
            for name in (job.source, *files, *missing):
                path = os.path.normcase(os.path.normpath(os.path.join(self.root, name)))
                if path in made:
                    found[path] = made[path]
        return list(found.values())

    # ---- targets

    def lookup(self, word: str, curdir: str | None) -> Node | None:
        """The node of a word of the command line that names shaders; SCons itself finds files and folders."""
        if curdir is None:
            return None
        top = str(SCons.Node.FS.get_default_fs().Top.get_abspath())
        path = os.path.join(top, word[1:].lstrip("/")) if word[:1] == "#" else os.path.join(curdir, word)
        path = os.path.normpath(path)
        if path == self.folder:
            return None
        if lookup_key(path).startswith(self.index.prefix) and not any(letter in word for letter in "*?["):
            return None
        chosen = self._chosen(word.replace("\\", "/"), path)
        if not chosen:
            return None
        part = self.parts.get("") or self._set("shaders that are named", set())
        assert part.chosen is not None
        part.chosen |= chosen
        self.parts[""] = part
        return part

    def _chosen(self, word: str, path: str) -> set[str]:
        """The names of jobs, and targets of links, that a word means."""
        from hlsl_tool.build.job import stem_of

        pattern = any(letter in word for letter in "*?[")
        place = os.path.relpath(path, self.root).replace(os.sep, "/")
        found: set[str] = set()
        for job in self.plan.jobs:
            if word in (job.name, stem_of(job)) or (pattern and fnmatchcase(job.name, word)):
                found.add(job.name)
                continue
            for target in job.targets.values():
                if pattern and fnmatchcase(target, place):
                    found.add(job.name)
                    break
        for item in self.plan.collected:
            if pattern and fnmatchcase(item.target, place):
                found |= {item.target, *(job.name for job in item.members)}
        return found

    def folder_set(self, key: str) -> Node:
        """The set that builds the outputs below a folder."""
        if key == self.index.key or self.all.get_state() != SCons.Node.no_state:
            return self.all
        from hlsl_tool.build.job import Job

        part = self.parts.get(key)
        if part is None:
            chosen: set[str] = set()
            for path, job in self.index.files.items():
                if path.startswith(key + "/"):
                    chosen |= {job.name} if isinstance(job, Job) else {job.target, *(each.name for each in job.members)}
            part = self.parts[key] = self._set(f"shaders in {self.index.folders.get(key, key)}", chosen)
        return part

    def declare_output(self, job: Job | LinkJob | PackJob) -> None:
        """Make the nodes of a job, a link check or a pack."""
        from hlsl_tool.build.job import Job
        from hlsl_tool.build.outputs.links import LinkJob
        from hlsl_tool.scons.declare import declare, declare_links, declare_packs

        name = job.name if isinstance(job, Job) else job.target
        if name in self.declared:
            return
        self.declared.add(name)
        if isinstance(job, LinkJob):
            nodes = declare_links(self.env, self.plan.project, [job])
        elif not isinstance(job, Job):
            nodes = declare_packs(self.env, self.plan.project, [job])
        else:
            nodes = declare(self.env, self.plan.project, [job])[:1]
            nodes[0].attributes.hlsl_in_set = True
        self.nodes += nodes
        if session().is_building and is_allowed() and self.quick_count() is not None:
            mark_current(nodes, [], is_mixed=True)

    def mark_current(self, asked: list[Node]) -> None:
        """SCons begins to build: it need not look at nodes of which the state tells that they are current."""
        if self.nodes and self.quick_count() is not None:
            mark_current(self.nodes, asked, is_mixed=True)

    def forget(self) -> None:
        """Forget the last build of an interactive SCons."""
        self._quick = None
        self.__dict__.pop("state", None)
        for node in (self.all, *self.parts.values()):
            node.states, node.count, node.stale = None, None, []

    def outputs(self) -> list[Node]:
        """A node for each output, as `declare.declare_plan` has them."""
        make = self.index.make
        jobs = [make(lookup_key(self._path(path))) for job in self.plan.jobs for path in job.targets.values()]
        return [*jobs, *(make(lookup_key(self._path(item.target))) for item in self.plan.collected)]

    def _path(self, target: str) -> str:
        return os.path.normpath(os.path.join(self.root, target))

    # ---- at the end

    def write_manifest(self) -> None:
        """Write the manifest of all shaders of the plan."""
        try:
            self.all.steps().write_manifest()
        except WriteError as error:
            self.cannot_write(error)

    def cannot_write(self, error: WriteError) -> NoReturn:
        """Raise SCons's error for a manifest that cannot be written."""
        text = f"cannot write `{error.path}`: {error.reason}"
        raise SCons.Errors.BuildError(node=self.all, errstr=text, status=2, exitstatus=2) from None

    def asked_sets(self) -> list[ShaderSet]:
        """The sets that SCons came to, and those it would have come to."""
        asked = session().asked()
        return [node for node in (self.all, *self.parts.values()) if node.states is not None or node in asked]

    def save(self) -> list[Engine]:
        """Remember that all is current, if it is; returns the engines that were in use."""
        engine = session().engines.get((self.root, self.plan.output_dir))
        if engine is None:
            return []  # nothing has been looked at but the state, which is right
        if self.all.count is not None and not session().has_built(engine):
            return [engine]
        engine.records.settle(())
        states, steps = self.all.states, self.all.steps()
        is_whole = states is not None and {"failed", "stale"}.isdisjoint(states.values())
        steps.save_state(is_whole=is_whole and steps.is_collected())
        return [engine]


def declare_set(env: Env, root: str, names: Sequence[str], plan: Plan) -> LazyNodes:
    """One node for all shaders of a plan; the manifest's depends on it."""
    tree = ShaderTree(env, root, names, plan)
    session().trees.append(tree)
    fs = SCons.Node.FS.get_default_fs()
    try:
        path = fs.File(os.path.join(root, plan.output_dir, MANIFEST_NAME))
    except TypeError as error:
        from hlsl_tool.scons.declare import in_the_way

        in_the_way(error, root)
        raise
    made = WRITER(env, path, SCons.Node.Python.ValueWithMemo(plan.key))[0]
    made.attributes.hlsl_ours = True
    made.attributes.hlsl_tree = tree
    made.add_prerequisite([tree.all])  # which writes the manifest, too; its node is for those who ask for it
    made.set_precious(True)
    made.set_nocache(1)
    shaders_alias(env, [tree.all])
    tree.index.install()
    if any(name not in VARIABLES for name, _ in SCons.Script.ARGLIST):
        from hlsl_tool.scons.declare import targets_with_macros

        targets_with_macros(root, plan.jobs)
    return LazyNodes(load=lambda: [*tree.outputs(), made])


def _explains() -> bool:
    return "explain" in (SCons.Script.GetOption("debug") or ())


def _run(target: list[Node], source: list[Node], env: Env) -> int:
    target[0].run()
    return 0


def _lines(target: list[Node], source: list[Node], env: Env) -> str:
    return target[0].lines() if SCons.Script.GetOption("no_exec") else ""


def _write(target: list[Node], source: list[Node], env: Env) -> int:
    target[0].attributes.hlsl_tree.write_manifest()
    return 0


BUILDER = SCons.Builder.Builder(action=ConstantAction(_run, {"strfunction": _lines}), multi=1, is_explicit=None)
WRITER = SCons.Builder.Builder(action=ConstantAction(_write, {"cmdstr": None}))
