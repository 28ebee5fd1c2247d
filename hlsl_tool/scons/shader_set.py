"""A set: one SCons node for many shaders.

SCons needs about half a millisecond for each target of a build with nothing to do; a set needs a `stat` for each file,
because our own log and state file record what the outputs were made from.  A set is not a file, so SCons's database
does not contain it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import SCons.Builder
import SCons.Errors
import SCons.Node.FS
import SCons.Script

from hlsl_tool.base.diagnostics.visible import write_text
from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.scons.aliases import UnsignedAlias
from hlsl_tool.scons.compat import ConstantAction, reset_children
from hlsl_tool.scons.model import Node, Tree
from hlsl_tool.scons.requested import expect_builds
from hlsl_tool.scons.run import session
from hlsl_tool.scons.switches import explains, keeps_going

if TYPE_CHECKING:
    from hlsl_tool.project.build.engine import Outcome
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.outputs.packs import PackJob
    from hlsl_tool.project.build.session import BuildResult, BuildSession


class ShaderSet(UnsignedAlias):
    """The node of all shaders, link checks and packs of a plan, or of some of them."""

    def __init__(self, name: str, tree: Tree, chosen: set[str] | None) -> None:
        """Create the set ``name`` of a tree.

        ``chosen``: names of jobs, and targets of link checks and packs; `None` for the whole plan.
        """
        super().__init__(name)
        self.tree = tree
        self.chosen = chosen
        self.states: dict[str, str] | None = None
        """Job → `current`, `stale`, `built`, `stored` or `failed`; `None` before SCons has come to the set."""
        self.count: int | None = None
        """Number of shaders, if the state file records that all of them are current."""
        self.stale: list[Job] = []

    def forget(self) -> None:
        """Forget the results of the previous build, in an interactive SCons."""
        self.states, self.count, self.stale = None, None, []

    # ---- methods that SCons calls

    def scan(self) -> None:
        """Add the files that shaders read, and that other builders make, to the dependencies of the set."""
        if self.implicit is None:
            nodes = self.tree.generated_files(self.jobs)
            self.implicit: list[Node] | None = nodes
            self.implicit_set = set(nodes)
            reset_children(self)

    def get_contents(self) -> str:
        """Return the digests of all outputs, with which targets that depend on the set are signed."""
        look = self.tree.engine.digests.digest_fresh
        return "\n".join(look(path) for path in self.targets())

    def explain(self) -> str:
        """Return no explanation: the reasons are printed after each shader's line."""
        return ""

    def is_up_to_date(self) -> bool:
        """Return whether everything in the set is up to date; also sets `states` and `stale`."""
        tree = self.tree
        count = tree.quick_count() if not self.implicit else None
        if count is not None:
            self.count = count if self.chosen is None else None
            self.states = {} if self.chosen is None else dict.fromkeys((job.name for job in self.jobs()), "current")
            return True
        engine = tree.engine
        if self.implicit:
            engine.digests.forget()  # these files have been made meanwhile
        jobs = self.jobs()
        self.stale = [job for job in jobs if not engine.is_current(job)]
        self.states = dict.fromkeys((job.name for job in jobs), "current")
        self.states.update(dict.fromkeys((job.name for job in self.stale), "stale"))
        steps = self.steps()
        if self.stale or not steps.is_collected():
            return False
        return self.chosen is not None or steps.is_manifest_current()

    # ---- content

    def jobs(self) -> list[Job]:
        """Return the jobs of the set."""
        return [job for job in self.tree.plan.jobs if self.chosen is None or job.name in self.chosen]

    def links(self) -> list[LinkJob]:
        """Return the link jobs of the set."""
        return [link for link in self.tree.plan.links if self.chosen is None or link.target in self.chosen]

    def packs(self) -> list[PackJob]:
        """Return the packs of the set."""
        return [pack for pack in self.tree.plan.packs if self.chosen is None or pack.target in self.chosen]

    def targets(self) -> list[str]:
        """Return the paths of all outputs, from the root."""
        paths = [path for job in self.jobs() for path in job.targets.values()]
        paths += [link.target for link in self.links()]
        paths += [pack.target for pack in self.packs()]
        if self.chosen is None:
            paths.append(os.path.join(self.tree.plan.output_dir, MANIFEST_NAME))
        return paths

    def outdated(self) -> list[Job]:
        """Return the jobs that are out of date: according to `is_up_to_date` if SCons has called it, else as of now."""
        if self.states is not None:
            return self.stale
        if self.tree.quick_count() is not None:
            return []
        return [job for job in self.jobs() if not self.tree.engine.is_current(job)]

    def steps(self) -> BuildSession:
        """Return a build session for the jobs, link checks and packs of the set."""
        from hlsl_tool.project.build.session import BuildTargets

        tree, is_whole = self.tree, self.chosen is None
        key = tree.plan.key if is_whole else ""
        targets = BuildTargets(self.jobs(), self.links(), self.packs(), is_whole, key)
        return session().building.steps(tree.engine, targets)

    # ---- building

    def lines(self) -> str:
        """Return the lines that a build would print, for `scons -n`."""
        here = session()
        expect_builds(here)
        new = [job for job in self.stale if job.main_target not in here.lines]
        for job in new:
            causes = self.tree.engine.causes(job) if explains() else None
            here.lines[job.main_target] = here.progress.text(job.name, job.source, causes)
        return "\n".join(here.lines[job.main_target] for job in new)

    def run(self) -> None:
        """Build the jobs that are out of date; raise a SCons error if something fails."""
        from hlsl_tool.project.build.session import BuildPolicy

        here, tree = session(), self.tree
        failures = _Failures(tree.root)
        expect_builds(here)

        def blocked() -> Collection[str]:
            has_to_stop = not keeps_going() and (failures.pending or here.stopping.is_set())
            return [job.name for job in self.jobs()] if has_to_stop else ()

        policy = BuildPolicy(
            build=lambda jobs: self._build(jobs, failures),
            write=here.progress.write,
            check_link=lambda link: here.building.link(tree.engine, link),
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

    def _build(self, jobs: Sequence[Job], failures: _Failures) -> dict[str, Outcome]:
        """Build jobs in parallel; report each failure in the format in which SCons reports those of nodes."""
        from hlsl_tool.project.build.batch import build_all

        here, engine = session(), self.tree.engine

        def failed(job: Job, outcome: Outcome) -> None:
            here.progress.clear()
            failures.add(job.main_target, here.building.failure(engine, job))

        return build_all(
            engine,
            jobs,
            workers=here.width(engine) if jobs else 1,
            progress=here.progress,
            console=here.console,
            keep_going=keeps_going(),
            explain=explains(),
            stopping=here.stopping.is_set,
            failed=failed,
            build=lambda job: here.building.build(engine, job),
        )

    def _built(self, result: BuildResult, failures: _Failures) -> None:
        """Record the states of the jobs; add the failed link checks to ``failures``."""
        states = self.states or {}
        for name, outcome in result.outcomes.items():
            states[name] = "stored" if outcome.is_stored else outcome.state
        for link in result.unfit:
            failures.add(link.target, f"the stages of {link.name} do not fit together")


class _Failed(SCons.Errors.BuildError):  # type: ignore[misc]
    """The SCons error of one shader in a set, whose ``node`` is the shader's node.

    SCons assigns the node of the set, whose action failed, to ``node``; this assignment is ignored.
    """

    def __init__(self, node: Node, text: str) -> None:
        super().__init__(node=node, errstr=text, status=2, exitstatus=2)
        self.shader = node

    @property
    def node(self) -> Node:
        """The shader's node."""
        return self.shader

    @node.setter
    def node(self, node: Node) -> None:
        self.shader = getattr(self, "shader", node)


class _Failures:
    """Failures of one action.  SCons reports only the last one; the earlier ones are printed here in SCons's format."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.pending: Any = None

    def add(self, target: str, text: str) -> None:
        if self.pending is not None:
            write_text(sys.stderr, f"scons: *** [{self.pending.node}] {self.pending.errstr}\n")
            SCons.Script.GetBuildFailures().append(self.pending)
        # A node that SCons does not know: this thread must not make one that others may look up.
        folder, name = os.path.split(os.path.join(self.root, target))
        fs = SCons.Node.FS.get_default_fs()
        self.pending = _Failed(SCons.Node.FS.File(name, fs.Dir(folder), fs), text)

    def throw(self) -> None:
        """Raise the last failure, if there is one."""
        if self.pending is not None:
            raise self.pending


def _run(target: list[Node], source: list[Node], env: Any) -> int:
    target[0].run()
    return 0


def _lines(target: list[Node], source: list[Node], env: Any) -> str:
    return target[0].lines() if SCons.Script.GetOption("no_exec") else ""


SET_BUILDER = SCons.Builder.Builder(action=ConstantAction(_run, {"strfunction": _lines}), multi=1, is_explicit=None)
