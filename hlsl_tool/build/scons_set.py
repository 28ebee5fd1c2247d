"""One node of SCons for all shaders of a plan: what large trees are built with.

SCons needs about half a millisecond for each target of a build with nothing to do; this needs a `stat` for each file,
because our own log and state tell what outputs were made from.  The node is no file, so nothing of it is in SCons's
database.  Targets on the command line (outputs, shaders, entries, folders, patterns) are looked up when they are asked
for, and stand for a part of the set.  Where a SConscript uses an output as a source of something else, that output gets
a node of its own, which the set waits for.
"""

from __future__ import annotations

import os
import sys
from collections import UserList
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import SCons.Action
import SCons.Builder
import SCons.Errors
import SCons.Node.Alias
import SCons.Node.FS
import SCons.Node.Python
import SCons.Script

from hlsl_tool.build.plan_cache import Plan
from hlsl_tool.build.scons_session import Node, made_by_others, session
from hlsl_tool.build.state import State
from hlsl_tool.diagnostics.visible import write_text

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine, Outcome
    from hlsl_tool.build.links import LinkJob
    from hlsl_tool.build.plan import Job

Env = Any
ALIAS = "shaders"
MANIFEST_NAME = "manifest.json"
VARIABLES = ("allow_outside", "diagnostics", "executor", "prune", "scons_nodes", "store", "verify_cache")
"""What the command line may set; SCons takes `…SHADOWS=1.spv` for a variable, too."""


@dataclass(slots=True)
class Tally:
    """What became of the shaders of one node."""

    built: int = 0
    current: int = 0
    failed: int = 0
    unreached: int = 0
    stored: int = 0


class ShaderSet(SCons.Node.Alias.Alias):  # type: ignore[misc]  # SCons has no types
    """The shaders of a plan, or those of them that were named."""

    def __init__(self, name: str, tree: ShaderTree, chosen: set[str] | None) -> None:
        super().__init__(name)
        self.tree = tree
        self.chosen = chosen
        """Names of jobs and links; none where all are meant."""
        self.tally: Tally | None = None
        self.stale: list[Job] | None = None

    def scan(self) -> None:
        """The nodes that the set waits for: what other builders make, outputs that have nodes of their own."""
        if self.implicit is None:
            nodes = [*self.tree.foreign(self.jobs), *self.waits_for()]
            self.implicit: list[Node] | None = nodes
            self.implicit_set = set(nodes)
            self._children_reset()

    def waits_for(self) -> list[Node]:
        """The outputs among its own that have nodes."""
        if self.chosen is None:
            return list(self.tree.nodes.values())
        names = {path for job in self.tree.plan.jobs if job.name in self.chosen for path in job.targets.values()}
        return [node for path, node in self.tree.nodes.items() if path in names]

    def explain(self) -> str:
        """The causes stand below each shader's line."""
        return ""

    def is_up_to_date(self) -> bool:
        tree = self.tree
        alone = not self.implicit
        count = tree.quick_count() if self.chosen is None and alone else None
        if count is not None:
            self.tally = Tally(current=count)
            return True
        engine = tree.engine
        if not alone:
            engine.digests.forget()  # of what has been made meanwhile
        jobs = self.jobs()
        self.stale = [job for job in jobs if not engine.current(job)]
        self.tally = Tally(current=len(jobs) - len(self.stale), unreached=len(self.stale))
        if self.stale or not all(engine.linked(link) for link in self.links()):
            return False
        return self.chosen is not None or engine.manifest_is_current(tree.plan.jobs)

    def outdated(self) -> list[Job]:
        """Its jobs that are not current: as SCons found them, or as they are now if it has not come to the set."""
        if self.tally is not None:
            return self.stale or []
        if self.chosen is None and self.tree.quick_count() is not None:
            return []
        return [job for job in self.jobs() if not self.tree.engine.current(job)]

    def jobs(self) -> list[Job]:
        """But for those with nodes of their own."""
        chosen, apart = self.chosen, self.tree.apart
        return [job for job in self.tree.plan.jobs if (chosen is None or job.name in chosen) and job.name not in apart]

    def links(self) -> list[LinkJob]:
        return [link for link in self.tree.plan.links if self.chosen is None or link.target in self.chosen]

    # ---- building

    def lines(self) -> str:
        """What a build would say, for -n."""
        session().expect_builds()
        progress = session().progress
        stale = self.stale or []
        return "\n".join(progress.text(job.name, job.source, self._causes(job)) for job in stale)

    def _causes(self, job: Job) -> list[str] | None:
        return self.tree.engine.causes(job) if _explains() else None

    def run(self) -> None:
        """Build what is not current; raises SCons's error where something fails."""
        from hlsl_tool.build.batch import build_all

        here, tree, tally = session(), self.tree, self.tally or Tally()
        stale = self.stale or []
        keep_going = bool(SCons.Script.GetOption("keep_going"))
        failures = _Failures(tree.root)
        here.expect_builds()

        def failed(job: Job, outcome: Outcome) -> None:
            here.progress.clear()
            errors = sum(d.severity in ("error", "fatal") for d in outcome.result.diagnostics)
            failures.add(job.main_target, f"{errors} error{'' if errors == 1 else 's'}")

        outcomes = build_all(
            tree.engine, stale, workers=here.width(tree.engine) if stale else 1, progress=here.progress,
            console=here.console, keep_going=keep_going, explain=_explains(), stopping=here.stopping.is_set,
            failed=failed,
        )  # fmt: skip
        for outcome in outcomes.values():
            tally.unreached -= 1
            tally.built += outcome.state == "built"
            tally.current += outcome.state == "current"
            tally.failed += outcome.state == "failed"
            tally.stored += outcome.state == "built" and outcome.result.reused != ""
        undone = {job.name for job in stale if job.name not in outcomes or outcomes[job.name].state == "failed"}
        if keep_going or not (failures.pending or here.stopping.is_set()):
            links = [link for link in self.links() if undone.isdisjoint(link.jobs)]
            for link in tree.engine.link_all(links, here.console):
                failures.add(link.target, f"the stages of {link.name} do not fit together")
        if self.chosen is None:
            tree.write_manifest()
        failures.throw()


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
        self.pending = _Failed(SCons.Node.FS.get_default_fs().File(os.path.join(self.root, target)), text)

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
        self.apart: set[str] = set()
        """Jobs that have nodes of their own."""
        self.nodes: dict[str, Node] = {}
        """Those nodes, by path from the root."""
        self.all = self._set(f"{ALIAS} of {', '.join(names)}", None)
        self.some: ShaderSet | None = None
        """What the command line names."""

    def _set(self, name: str, chosen: set[str] | None) -> ShaderSet:
        node = ShaderSet(name, self, chosen)
        node.convert()
        found: ShaderSet = BUILDER(self.env, [node], [])[0]
        return found

    @property
    def engine(self) -> Engine:
        return session().engine(self.plan.project)

    def quick_count(self) -> int | None:
        """How many shaders there are, if nothing has changed since all of them were current."""
        return State(self.root, self.plan.output_dir).count(self.plan.key)

    # ---- files of others

    def foreign(self, jobs: Callable[[], list[Job]]) -> list[Node]:
        """What other builders make, and shaders read."""
        made = made_by_others()
        if not made:
            return []
        state = State(self.root, self.plan.output_dir)
        if state.count(self.plan.key) is not None and not state.mentions(made):
            return []
        from hlsl_tool.build.compiling import disk
        from hlsl_tool.build.scanning import scan_job
        from hlsl_tool.preprocessor.memory import PreprocessorMemory

        memory = PreprocessorMemory()
        found: dict[str, Node] = {}
        for job in jobs():
            files, missing = self.engine.trace(job) or scan_job(job, self.root, disk(self.root), memory)
            for name in (job.source, *files, *missing):
                path = os.path.normcase(os.path.normpath(os.path.join(self.root, name)))
                if path in made:
                    found[path] = made[path]
        return list(found.values())

    # ---- targets

    def lookup(self, word: str, curdir: str | None) -> Node | None:
        """The node of a word: of the command line, or (without ``curdir``) of a SConscript, where files are meant."""
        fs = SCons.Node.FS.get_default_fs()
        top = str(fs.Top.get_abspath())
        base = curdir if curdir is not None else str(fs.getcwd().get_abspath())
        path = os.path.join(top, word[1:].lstrip("/")) if word[:1] == "#" else os.path.join(base, word)
        path = os.path.normpath(path)
        if curdir is None:
            return self.output(path) if path.startswith(self.folder + os.sep) else None
        if path == self.folder:
            return SCons.Node.Alias.default_ans.lookup(ALIAS)
        chosen = self._chosen(word.replace("\\", "/"), path)
        if not chosen:
            return None
        if self.some is None:
            self.some = self._set("shaders that are named", set())
        assert self.some.chosen is not None
        self.some.chosen |= chosen
        return self.some

    def _chosen(self, word: str, path: str) -> set[str]:
        """The names of jobs, and targets of links, that a word means."""
        from hlsl_tool.build.plan import stem_of

        pattern = any(letter in word for letter in "*?[")
        place = os.path.relpath(path, self.root).replace(os.sep, "/")
        found: set[str] = set()
        for job in self.plan.jobs:
            if word in (job.name, stem_of(job)) or (pattern and fnmatchcase(job.name, word)):
                found.add(job.name)
                continue
            for target in job.targets.values():
                if target == place or target.startswith(place + "/") or (pattern and fnmatchcase(target, place)):
                    found.add(job.name)
                    break
        for link in self.plan.links:
            if link.target == place or link.target.startswith(place + "/"):
                found |= {link.target, *link.jobs}
        return found

    def output(self, path: str) -> Node | None:
        """A node for one output, made when a SConscript asks for it."""
        name = os.path.relpath(path, self.root).replace(os.sep, "/")
        if name not in self.nodes:
            job = next((job for job in self.plan.jobs if name in job.targets.values()), None)
            if job is None:
                return None
            self.declare([job])
        return self.nodes[name]

    def declare(self, jobs: list[Job]) -> None:
        from hlsl_tool.build.scons_declare import declare

        new = [job for job in jobs if job.name not in self.apart]
        self.apart |= {job.name for job in new}
        for node in declare(self.env, self.plan.project, new):
            self.nodes[os.path.relpath(node.get_abspath(), self.root).replace(os.sep, "/")] = node

    def outputs(self) -> list[Node]:
        self.declare(self.plan.jobs)
        return list(self.nodes.values())

    # ---- at the end

    def write_manifest(self) -> None:
        from hlsl_tool.build.files import WriteError

        try:
            self.engine.write_manifest(self.plan.jobs)
        except WriteError as error:
            text = f"cannot write `{error.path}`: {error.reason}"
            raise SCons.Errors.BuildError(node=self.all, errstr=text, status=2, exitstatus=2) from None

    def sets(self) -> list[ShaderSet]:
        return [node for node in (self.all, self.some) if node is not None]

    def tallies(self) -> list[Tally]:
        """Of the nodes that SCons came to, and of those it would have come to."""
        asked = session().asked()
        for node in self.sets():
            if node.tally is None and node in asked:
                node.tally = Tally(unreached=len(node.jobs()))
        return [node.tally for node in self.sets() if node.tally is not None]

    def save(self) -> list[Engine]:
        """Remember that all is current, if it is; returns the engines that were in use."""
        found = session().engines.get((self.root, self.plan.output_dir))
        if found is None:
            return []  # nothing has been looked at but the state, which is right
        found.records.settle(())
        tally, apart = self.all.tally, self.apart
        if tally is not None and not (tally.failed or tally.unreached or apart):
            links = self.plan.links
            if all(found.linked(link) for link in links):
                found.save_state(self.plan.jobs, links, plan=self.plan.key)
                return [found]
        found.save_state()
        return [found]


class Outputs(UserList):  # type: ignore[type-arg]
    """Every output and the manifest; they become nodes when somebody looks at them."""

    def __init__(self, tree: ShaderTree, manifest: Node) -> None:
        self.tree = tree
        self.manifest = manifest

    @property
    def data(self) -> list[Node]:  # type: ignore[override]
        return [*self.tree.outputs(), self.manifest]


def declare_set(env: Env, root: str, names: Sequence[str], plan: Plan) -> Outputs:
    """One node for all shaders of a plan; the manifest's depends on it."""
    tree = ShaderTree(env, root, names, plan)
    session().trees.append(tree)
    fs = SCons.Node.FS.get_default_fs()
    try:
        path = fs.File(os.path.join(root, plan.output_dir, MANIFEST_NAME))
    except TypeError as error:
        from hlsl_tool.build.scons_declare import in_the_way

        in_the_way(error, root)
        raise
    made = WRITER(env, path, SCons.Node.Python.ValueWithMemo(plan.key))[0]
    made.attributes.hlsl_ours = True
    made.attributes.hlsl_tree = tree
    made.add_dependency([tree.all])
    made.set_precious(True)
    env.Alias(ALIAS, [tree.all])  # which writes the manifest, too; its node is for those who ask for a folder
    if any(name not in VARIABLES for name, _ in SCons.Script.ARGLIST):
        from hlsl_tool.build.scons_declare import targets_with_macros

        targets_with_macros(root, plan.jobs)
    return Outputs(tree, made)


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


class _Constant(SCons.Action.FunctionAction):  # type: ignore[misc]
    """See `scons_nodes.ConstantAction`, which comes with the compiler's side of things."""

    def get_presig(self, target: Any, source: Any, env: Any, executor: Any = None) -> bytes:
        return b"hlsl_tool"

    def get_varlist(self, target: Any, source: Any, env: Any, executor: Any = None) -> tuple[str, ...]:
        return ()


BUILDER = SCons.Builder.Builder(
    action=_Constant(_run, {"strfunction": _lines, "cmdstr": SCons.Action._null}), multi=1, is_explicit=None
)
WRITER = SCons.Builder.Builder(action=_Constant(_write, {"cmdstr": None}))
