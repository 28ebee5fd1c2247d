"""Represent all shaders of a call of `HlslShaders` by a single SCons node: for projects with many shaders.

Such a node is a *set* (`shader_set`). If the command line names a shader, a folder, an entry point or a pattern, a
smaller set has only the shaders that it selects. An output that another target depends on gets a node of its own in
addition (`output_nodes`); a shader is built by whichever node is evaluated first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import SCons.Builder
import SCons.Errors
import SCons.Node
import SCons.Node.FS
import SCons.Node.Python
import SCons.Script

from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.base.system.paths import relative, without_links
from hlsl_tool.project.build.currency.state_file import State
from hlsl_tool.project.build.plan_cache import Plan
from hlsl_tool.scons.aliases import ALIAS, shaders_alias
from hlsl_tool.scons.compat import ConstantAction, lookup_key
from hlsl_tool.scons.current import is_allowed, mark_current
from hlsl_tool.scons.generated_files import made_by_others
from hlsl_tool.scons.model import Node
from hlsl_tool.scons.output_nodes import LazyNodes, OutputIndex
from hlsl_tool.scons.requested import requested_nodes
from hlsl_tool.scons.run import session
from hlsl_tool.scons.shader_set import SET_BUILDER, ShaderSet
from hlsl_tool.scons.switches import VARIABLES

if TYPE_CHECKING:
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.outputs.packs import PackJob

Env = Any


class ShaderTree:
    """The nodes of a `HlslShaders` call: of all shaders, of those that the command line selects, of single outputs."""

    def __init__(self, env: Env, root: str, names: Sequence[str], plan: Plan) -> None:
        self.env = env
        self.root = root
        self.plan = plan
        self.folder = os.path.normpath(os.path.join(root, plan.output_dir))
        self.all = self._set(f"{ALIAS} of {', '.join([*names, *plan.arguments])}", None)
        self.parts: dict[str, ShaderSet] = {}
        """SCons's key of a folder → the set of its outputs; the empty key has those that the command line names."""
        self.declared: set[str] = set()
        """Names of jobs, and targets of link checks and packs, that have nodes."""
        self.nodes: list[Node] = []
        """The nodes of single outputs."""
        self.index = OutputIndex(self)
        self._quick: tuple[int | None] | None = None

    def _set(self, name: str, chosen: set[str] | None) -> ShaderSet:
        node = ShaderSet(name, self, chosen)
        node.convert()
        built: ShaderSet = SET_BUILDER(self.env, [node], [])[0]
        return built

    @property
    def engine(self) -> Engine:
        """The engine of the output folder."""
        return session().engine(self.plan.project)

    @cached_property
    def state(self) -> State:
        """The state file as the last build left it."""
        return State(self.root, self.plan.output_dir)

    def quick_count(self) -> int | None:
        """Return the number of shaders if the state file shows that all are up to date; cached for the run.

        Else return `None`, also if a shader may read a file that another builder makes.
        """
        if self._quick is None:
            state = self.state
            count = state.count(self.plan.key)
            generated = made_by_others() if count is not None else {}
            self._quick = (None if generated and state.mentions(generated) else count,)
        return self._quick[0]

    def generated_files(self, jobs: Callable[[], list[Job]]) -> list[Node]:
        """Return the files that other builders make and that these jobs read, or look for."""
        generated = made_by_others()
        if not generated or self.quick_count() is not None:
            return []
        from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory
        from hlsl_tool.project.build.outputs.render import disk
        from hlsl_tool.project.build.scanning import scan_job

        memory = PreprocessorMemory()
        nodes: dict[str, Node] = {}
        self.engine.digests.forget()  # some of them may have been made since the last look
        for job in jobs():
            files, missing = self.engine.trace(job) or scan_job(job, self.root, disk(self.root), memory)
            for name in (job.source, *files, *missing):
                path = os.path.normcase(without_links(os.path.join(self.root, name)))
                if path in generated:
                    nodes[path] = generated[path]
        return list(nodes.values())

    # ---- targets

    def lookup(self, word: str, curdir: str | None) -> Node | None:
        """Return the node that builds the shaders which a target on the command line names.

        `None` for files, which SCons finds itself.
        """
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
        """Return the names of jobs, and the targets of link checks and packs, that a name or pattern selects."""
        is_pattern = any(letter in word for letter in "*?[")
        place = relative(path, self.root)
        chosen: set[str] = set()
        for job in self.plan.jobs:
            is_named = word in (job.name, job.stem or job.name) or (is_pattern and fnmatchcase(job.name, word))
            if is_named or (is_pattern and any(fnmatchcase(target, place) for target in job.targets.values())):
                chosen.add(job.name)
        for item in self.plan.collected:
            if is_pattern and fnmatchcase(item.target, place):
                chosen |= {item.target, *(job.name for job in item.members)}
        return chosen

    def folder_set(self, key: str) -> Node:
        """Return the node that builds all outputs below a folder.

        ``key`` is the key of the folder in SCons's dictionary of nodes.
        """
        if key == self.index.key or self.all.get_state() != SCons.Node.no_state:
            return self.all
        from hlsl_tool.project.build.job import Job

        part = self.parts.get(key)
        if part is None:
            chosen: set[str] = set()
            for path, item in self.index.files.items():
                if path.startswith(key + "/"):
                    names = {item.name} if isinstance(item, Job) else {item.target, *(job.name for job in item.members)}
                    chosen |= names
            part = self.parts[key] = self._set(f"shaders in {self.index.folders.get(key, key)}", chosen)
        return part

    def declare_output(self, item: Job | LinkJob | PackJob) -> None:
        """Create the nodes of a job, link check or pack, once."""
        from hlsl_tool.project.build.job import Job
        from hlsl_tool.project.build.outputs.links import LinkJob
        from hlsl_tool.scons.declare import declare, declare_links, declare_packs  # a null build does not load it

        name = item.name if isinstance(item, Job) else item.target
        if name in self.declared:
            return
        self.declared.add(name)
        if isinstance(item, Job):
            nodes = declare(self.env, self.plan.project, [item])[:1]
            nodes[0].attributes.hlsl_in_set = True
        elif isinstance(item, LinkJob):
            nodes = declare_links(self.env, self.plan.project, [item])
        else:
            nodes = declare_packs(self.env, self.plan.project, [item])
        self.nodes += nodes
        if session().is_building and is_allowed() and self.quick_count() is not None:
            mark_current(nodes, [], is_mixed=True)

    def mark_current(self, targets: list[Node]) -> None:
        """Mark the nodes of outputs as up to date if the state file shows that they are, except ``targets``.

        Called when SCons starts to build.
        """
        if self.nodes and self.quick_count() is not None:
            mark_current(self.nodes, targets, is_mixed=True)

    def forget(self) -> None:
        """Forget the results of the previous build, in an interactive SCons."""
        self._quick = None
        self.__dict__.pop("state", None)
        for node in (self.all, *self.parts.values()):
            node.forget()

    def outputs(self, targets: Iterable[str]) -> list[Node]:
        """Return the nodes of outputs, given by paths from the root."""
        return [self.index.make(lookup_key(os.path.normpath(os.path.join(self.root, path)))) for path in targets]

    # ---- at the end

    def write_manifest(self) -> None:
        try:
            self.all.steps().write_manifest()
        except WriteError as error:
            self.cannot_write(error)

    def cannot_write(self, error: WriteError) -> NoReturn:
        """Raise a SCons error about a manifest that cannot be written."""
        text = str(error)
        raise SCons.Errors.BuildError(node=self.all, errstr=text, status=2, exitstatus=2) from None

    def requested_sets(self) -> list[ShaderSet]:
        """Return the sets (nodes of several shaders) that SCons has evaluated, or that a target of the run needs."""
        requested = requested_nodes(session())
        return [node for node in (self.all, *self.parts.values()) if node.states is not None or node in requested]

    def save(self) -> list[Engine]:
        """Write the state file, which also records whether everything is up to date; keep one that is still right.

        Return [engine] if the run has used the engine of the output folder, else [].
        """
        engine = session().engines.get((self.root, self.plan.output_dir))
        if engine is None:
            return []  # nothing but the state has been looked at, and it is right
        if self.all.count is not None and not session().building.has_built(engine):
            return [engine]
        engine.records.confirm(())
        states, steps = self.all.states, self.all.steps()
        is_whole = states is not None and {"failed", "stale"}.isdisjoint(states.values())
        steps.save_state(is_whole=is_whole and steps.is_collected())
        return [engine]


def declare_set(env: Env, root: str, names: Sequence[str], plan: Plan) -> LazyNodes:
    """Create one node for all shaders of a plan, and one for the manifest, which depends on it."""
    tree = ShaderTree(env, root, names, plan)
    session().trees.append(tree)
    fs = SCons.Node.FS.get_default_fs()
    try:
        path = fs.File(os.path.join(root, plan.output_dir, MANIFEST_NAME))
    except TypeError as error:
        from hlsl_tool.scons.declare import in_the_way

        in_the_way(error, root)
        raise
    manifest = _MANIFEST_BUILDER(env, path, SCons.Node.Python.ValueWithMemo(plan.key))[0]
    manifest.attributes.hlsl_ours = True
    manifest.attributes.hlsl_tree = tree
    manifest.add_prerequisite([tree.all])  # the set writes the manifest, too; the node makes it a target
    manifest.set_precious(True)
    manifest.set_nocache(1)
    shaders_alias(env, [tree.all])
    tree.index.install()
    if any(name not in VARIABLES for name, _ in SCons.Script.ARGLIST):
        from hlsl_tool.scons.declare import targets_with_macros

        targets_with_macros(root, plan.jobs)
    return LazyNodes(load=lambda: tree.outputs(tree.all.targets()))


def _write(target: list[Node], source: list[Node], env: Env) -> int:
    target[0].attributes.hlsl_tree.write_manifest()
    return 0


_MANIFEST_BUILDER = SCons.Builder.Builder(action=ConstantAction(_write, {"cmdstr": None}))
