"""Create SCons's nodes for jobs, link checks and packs."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import SCons.Errors
import SCons.Node.Alias
import SCons.Node.FS
import SCons.Node.Python
import SCons.Script
from SCons.Util import NodeList

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.base.system.file_names import LOG_NAME, MANIFEST_NAME
from hlsl_tool.base.system.paths import relative, without_links
from hlsl_tool.project.build import plan_cache
from hlsl_tool.project.build.currency.state_file import STATE_NAME
from hlsl_tool.project.build.currency.toolchain import fingerprint_of
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.links import LinkJob, is_link_current
from hlsl_tool.project.build.outputs.packs import PackJob, is_pack_current
from hlsl_tool.project.build.plan import job_of
from hlsl_tool.project.build.store.choice import FOLDER, PROJECT_FOLDER
from hlsl_tool.project.config.expansion.collisions import check_outputs
from hlsl_tool.project.config.expansion.overrides import check_used
from hlsl_tool.project.config.expansion.permutations import expand
from hlsl_tool.project.config.expansion.selection import Selector
from hlsl_tool.project.config.layers import Layer, merge_layers, read_layer
from hlsl_tool.project.config.parameters import Parameters
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.trust import fence
from hlsl_tool.scons.aliases import shaders_alias
from hlsl_tool.scons.arguments import inside, listed, location, report, tree
from hlsl_tool.scons.calls import calling_line
from hlsl_tool.scons.compat import change_class, ignore_defaults, name_in_one_line
from hlsl_tool.scons.model import Collected, DeclaredJob, DeclaredPlan, Node
from hlsl_tool.scons.nodes import (
    BUILDER,
    FOLLOWER,
    LINK_BUILDER,
    PACK_BUILDER,
    TEXT_BUILDER,
    CollectedFile,
    Env,
    ShaderFile,
)
from hlsl_tool.scons.run import session


def read_plan(base: str, names: Sequence[str], generated: Collection[str], given: Parameters) -> plan_cache.Plan:
    """Read configurations and return their plan; end SCons if they have errors.

    ``generated``: the files of other builders that have been declared so far.
    """
    here = session()  # its end writes the document of diagnostics, also after errors
    sink = Sink(error_limit=0)
    given = dataclasses.replace(given, at=location(calling_line()))
    plan = plan_cache.read(base, names, sink, generated, given)
    report(sink)
    assert plan is not None  # `report` ends SCons if there are errors
    here.unmade += [(base, *source) for source in plan.project.unmade]
    return plan


def declare_plan(env: Env, base: str, names: Sequence[str], plan: plan_cache.Plan) -> NodeList:
    """Create a node for each output of a plan, and one for the manifest."""
    project, jobs, links, packs = plan.loaded()
    nodes = declare(env, project, jobs)
    nodes += declare_links(env, project, links)
    nodes += declare_packs(env, project, packs)
    path = os.path.join(base, project.output_dir, MANIFEST_NAME)
    manifest = TEXT_BUILDER(env, _file(path, base), SCons.Node.Python.ValueWithMemo(plan.key))
    engine = session().engine(project)
    manifest[0].attributes.hlsl_ours = True
    manifest[0].attributes.hlsl_manifest = (engine, jobs)
    # The manifest names shaders with the same SPIR-V.
    manifest[0].add_dependency([node for node in nodes if hasattr(node.attributes, "hlsl_job")])
    manifest[0].attributes.hlsl_waits = len(jobs)
    session().manifests.append((engine, jobs))
    session().plans.append(DeclaredPlan(engine, plan, manifest[0]))
    env.Precious(manifest)
    env.NoCache(manifest)
    if SCons.Script.GetOption("clean"):  # else `Glob` would find nodes of files that are not there
        _clean(env, manifest, project)
        env.Clean(manifest, [plan_cache.path_of(base, names, plan.arguments), f"#{plan_cache.CALLS_NAME}"])
    alone = [node for node in nodes if node.builder is not FOLLOWER]
    shaders_alias(env, (nodes if SCons.Script.GetOption("clean") else alone) + manifest)
    return NodeList([*nodes, *manifest])


def _clean(env: Env, targets: list[Node], project: Project) -> None:
    """Make `scons -c` also remove log, state, store and similar files when it removes the targets."""
    folder = os.path.join(project.root, project.output_dir)
    left = [LOG_NAME, STATE_NAME, FOLDER, "diagnostics.json", "diagnostics.sarif"]
    stored = os.path.join(project.root, PROJECT_FOLDER)
    name_in_one_line([stored, os.path.join(folder, FOLDER)], fence(project.root, project.output_dir))
    env.Clean(targets, [*(os.path.join(folder, name) for name in left), stored])


def declare_shader(env: Env, source: Any, given: dict[str, Any], output_dir: str) -> NodeList:
    """Create the nodes of one source, whose options are the arguments of `HlslShader`."""
    base = str(env.Dir("#").get_abspath())
    try:
        node = env.File(source) if isinstance(source, str) else env.arg2nodes(source)[0]
    except TypeError:  # SCons knows the name as that of a folder
        raise SCons.Errors.UserError(f"the source `{source}` is a folder") from None
    path = relative(_real(node).get_abspath(), base)
    line = calling_line()
    here = location(line)
    if "include_dirs" in given:
        places = [env.Dir(folder) for folder in listed(given["include_dirs"])]
        # Under a variant directory headers may be made there, or lie beside the SConscript.
        paths = [place.get_abspath() for folder in places for place in (folder, folder.srcnode())]
        given["include_dirs"] = list(dict.fromkeys(paths))
    if "libraries" in given:
        given["libraries"] = [env.File(file).get_abspath() for file in listed(given["libraries"])]
    sink = Sink(error_limit=0)
    layer = merge_layers(Layer(), read_layer(tree(given, here), "e", sink))
    target = relative(env.Dir(output_dir).get_abspath(), base)
    project = Project(base, os.path.dirname(path) or ".", target)
    entries = Selector(project, sink).entries(path, layer)
    permutations = [permutation for entry in entries for permutation in expand(path, entry, project, sink)]
    check_used(layer.overrides, sink)
    check_outputs(permutations, sink)
    report(sink)
    for permutation in permutations:
        o = permutation.options
        folders, libraries = (tuple(inside(path, base) for path in paths) for paths in (o.include_dirs, o.libraries))
        permutation.options = dataclasses.replace(o, include_dirs=folders, libraries=libraries)
    calls, outputs = session().calls, NodeList([])
    for job in (job_of(permutation, target) for permutation in permutations):
        nodes = calls.shader(base, job, line)
        if nodes is None:
            nodes = declare(env, project, [job])
            calls.add_shader(base, job, line, nodes)
            is_cleaning = bool(SCons.Script.GetOption("clean"))
            shaders_alias(env, nodes if is_cleaning else nodes[:1])
            if is_cleaning:
                _clean(env, nodes, project)
        outputs += nodes
    return outputs


def _real(node: Node) -> Node:
    """Return the node of the file that is read, for a source in a variant directory or a repository.

    Sources are not copied to variant directories. A file that a builder makes keeps its node.
    """
    return node if node.is_derived() else node.srcnode().rfile()


def declare(env: Env, project: Project, jobs: list[Job]) -> list[Node]:
    """Create a node for each output of jobs, and an alias for each of their entry points."""
    here = session()
    base = project.root
    engine = here.engine(project)
    outputs: list[Node] = []
    collecting = gc.isenabled()
    gc.disable()  # nodes live as long as SCons does: looking for garbage among them is a third of the time
    for job in jobs:
        job.fingerprint = job.fingerprint or fingerprint_of(job)
        paths = [os.path.join(base, path) for path in job.targets.values()]
        nodes = list(BUILDER(env, _file(paths[0], base), [_file(without_links(os.path.join(base, job.source)), base)]))
        others = [_follower(env, _file(path, base), nodes[0]) for path in paths[1:]]
        for node in nodes:
            change_class(node, ShaderFile)
            node.attributes.hlsl_ours = True
            node.attributes.hlsl_job = job
            node.attributes.hlsl_engine = engine
            node.set_precious(True)  # SCons removes a target before it builds it; the last good one is to stay
            node.set_nocache(1)
        here.jobs.append(DeclaredJob(nodes, job, engine))
        outputs += nodes + others
        here.entries.setdefault(job.stem or job.name, (env, []))[1].extend(nodes + others)
    gc.freeze()
    if collecting:
        gc.enable()
    targets_with_macros(base, jobs)
    return outputs


def _follower(env: Env, node: Node, first: Node) -> Node:
    """Make ``node`` the node of a further output of a job, and return it.

    The builder of ``first``, the node of the job's first output, writes this output, too.
    """
    change_class(node, ShaderFile)
    node.builder_set(FOLLOWER)
    node.env_set(env)
    node.add_source([first])
    node.set_precious(True)
    node.set_nocache(1)
    node.attributes.hlsl_ours = True
    return node


def declare_links(env: Env, project: Project, links: list[LinkJob]) -> list[Node]:
    """Create a target for each link check; it depends on the outputs of its stages."""
    base = project.root
    engine = session().engine(project)
    targets: list[Node] = []
    for link in links:
        stages = [_file(os.path.join(base, job.main_target), base) for job in link.jobs.values()]
        node = LINK_BUILDER(env, _file(os.path.join(base, link.target), base), stages)[0]
        change_class(node, CollectedFile)
        node.attributes.hlsl_ours = True
        node.attributes.hlsl_link = link
        node.attributes.hlsl_waits = 1  # for the Value
        node.attributes.hlsl_engine = engine
        node.attributes.hlsl_collected = Collected(
            engine, link.record_name, list(link.jobs.values()), partial(is_link_current, engine, link)
        )
        node.add_dependency([SCons.Node.Python.ValueWithMemo(f"link: {link.cache_key()}")])
        node.set_precious(True)
        node.set_nocache(1)
        session().collected.append(node)
        targets.append(node)
    return targets


def declare_packs(env: Env, project: Project, packs: list[PackJob]) -> list[Node]:
    """Create a target for each pack; it depends on the outputs of its members."""
    base = project.root
    engine = session().engine(project)
    targets: list[Node] = []
    for job in packs:
        members = [_file(os.path.join(base, path), base) for path in job.paths()]
        node = PACK_BUILDER(env, _file(os.path.join(base, job.target), base), members)[0]
        change_class(node, CollectedFile)
        node.attributes.hlsl_ours = True
        node.attributes.hlsl_pack = (engine, job)
        node.attributes.hlsl_waits = 1  # for the Value
        node.attributes.hlsl_collected = Collected(
            engine, job.record_name, job.jobs, partial(is_pack_current, engine, job)
        )
        node.add_dependency([SCons.Node.Python.ValueWithMemo(f"pack: {job.cache_key()}")])
        node.set_precious(True)
        node.set_nocache(1)
        session().collected.append(node)
        targets.append(node)
    return targets


def _file(path: str, base: str) -> Node:
    """Return the node of a file without expanding `$NAME` in its path, as SCons would."""
    try:
        return SCons.Node.FS.get_default_fs().File(path)
    except TypeError as error:
        in_the_way(error, base)
        raise


def in_the_way(error: TypeError, base: str) -> None:
    """Report a file where a folder is needed, or the reverse: SCons's own message comes with a traceback."""
    match = re.match(r"(File|Directory) (.*) found where (directory|file) expected", str(error))
    if match:
        reason = f"there is a {'file' if match[1] == 'File' else 'folder'} of this name"
        sink = Sink()
        sink.error(codes.CANNOT_WRITE, None, path=relative(match[2], base), reason=reason)
        report(sink)


def targets_with_macros(base: str, jobs: list[Job]) -> None:
    """Add targets from the command line such as `…SHADOWS=1.spv`, which SCons takes for variables."""
    paths = {path: path for job in jobs for path in job.targets.values()}
    names = {job.name: job.main_target for job in jobs}
    chosen = []
    for name, value in SCons.Script.ARGLIST:
        word = f"{name}={value}".replace("\\", "/")
        path = paths.get(os.path.normpath(word).replace(os.sep, "/")) or names.get(word)
        if path is not None:
            chosen.append(os.path.join(base, path))
        elif any(letter in word for letter in "*?[") and any(fnmatchcase(name, word) for name in (*paths, *names)):
            chosen.append(word)
    if chosen:
        targets = SCons.Script.BUILD_TARGETS
        if not SCons.Script.COMMAND_LINE_TARGETS:
            targets.clear()  # removes targets of Default()
        targets.extend(chosen)
        ignore_defaults()
        SCons.Script.COMMAND_LINE_TARGETS.extend(chosen)
