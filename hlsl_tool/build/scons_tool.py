"""The SCons tool: `env.HlslShaders('config/shaders')` and `env.HlslShader('x.hlsl', profile='ps_6_0')`."""

from __future__ import annotations

import dataclasses
import linecache
import os
import re
import subprocess
import sys
from collections.abc import Mapping as AnyMapping
from types import FrameType
from typing import Any

import SCons
import SCons.Action
import SCons.Node.FS
import SCons.Node.Python
import SCons.Script

import hlsl_tool
from hlsl_tool.build.messages import render_messages
from hlsl_tool.build.links import plan_links
from hlsl_tool.build.packs import plan_packs
from hlsl_tool.build.plan import MANIFEST_NAME, Job, job_of, manifest, plan
from hlsl_tool.build.records import LOG_NAME
from hlsl_tool.build.store.places import FOLDER
from hlsl_tool.build.scons_nodes import BUILDER, LINK_BUILDER, PACK_BUILDER, TEXT_BUILDER, Env
from hlsl_tool.build.scons_session import Node, message_form, session
from hlsl_tool.config import keys
from hlsl_tool.config.layers import Layer, over, read_layer
from hlsl_tool.config.load import load
from hlsl_tool.config.model import Project
from hlsl_tool.config.nodes import Mapping, Scalar, Sequence
from hlsl_tool.config.nodes import Node as Tree
from hlsl_tool.config.permutations import expand
from hlsl_tool.diagnostics import Location, Sink
from hlsl_tool.diagnostics.catalogue import build as codes

ALIAS = "shaders"


def generate(env: Env) -> None:
    env.AddMethod(shaders, "HlslShaders")
    env.AddMethod(shader, "HlslShader")
    env.AddMethod(watch, "HlslWatch")


def exists(env: Env) -> bool:
    return True


def shaders(env: Env, configs: Any, *, root: str | None = None) -> list[Node]:
    """Build what configurations describe (files, folders or patterns).  Paths count from the folder of SConstruct, or
    from `root`.  Returns every output and the manifest; `scons shaders` builds them all."""
    base = _root(env, root)
    names = [_from(base, env, str(name)) for name in _listed(configs)]
    session().configs.setdefault(base, []).extend(names)
    sink = Sink(error_limit=0)
    project = load(base, names, sink)
    _report(sink)
    jobs = plan(project)
    nodes = _declare(env, project, jobs)
    nodes += _declare_links(env, project, jobs)
    nodes += _declare_packs(env, project, jobs)
    text = manifest(jobs, project.output_dir)
    path = os.path.join(base, project.output_dir, MANIFEST_NAME)
    made = TEXT_BUILDER(env, path, SCons.Node.Python.ValueWithMemo(text))
    engine = session().engine(project)
    made[0].attributes.hlsl_manifest = (engine, jobs)
    session().manifests.append((engine, jobs))
    env.Precious(made)
    left = (LOG_NAME, FOLDER, "diagnostics.json", "diagnostics.sarif")
    env.Clean(made, [os.path.join(base, project.output_dir, name) for name in left])
    env.Alias(ALIAS, nodes + made)
    return nodes + list(made)


def shader(
    env: Env,
    source: Any,
    *,
    profile: str,
    entry: str = "main",
    output_dir: str = keys.DEFAULT_OUTPUT_DIR,
    **options: Any,
) -> list[Node]:
    """Build one source; `options` are the keys of a configuration (`layout='dx'`, `defines={'SHADOWS': [0, 1]}`)."""
    base = _root(env, None)
    node = env.File(source) if isinstance(source, str) else env.arg2nodes(source)[0]
    path = os.path.relpath(_real(node).get_abspath(), base).replace(os.sep, "/")
    here = _caller()
    given: dict[str, Any] = {"profile": profile, "entry": entry, **options}
    if "include_dirs" in given:
        folders = [env.Dir(folder) for folder in _listed(given["include_dirs"])]
        # Under a variant directory headers may be made there, or lie beside the SConscript.
        places = [place.get_abspath() for folder in folders for place in (folder, folder.srcnode())]
        given["include_dirs"] = list(dict.fromkeys(places))
    sink = Sink(error_limit=0)
    layer = over(Layer(), read_layer(_tree(given, here), "e", sink))
    target = os.path.relpath(env.Dir(output_dir).get_abspath(), base).replace(os.sep, "/")
    project = Project(base, os.path.dirname(path) or ".", target)
    variants = expand(path, layer, project, sink)
    _report(sink)
    for variant in variants:
        inside = tuple(_inside(folder, base) for folder in variant.options.include_dirs)
        variant.options = dataclasses.replace(variant.options, include_dirs=inside)
    return _declare(env, project, [job_of(variant, target) for variant in variants])


def watch(env: Env, name: str = "watch") -> list[Node]:
    """A target that builds what `HlslShaders` described and goes on as files are saved, until it is interrupted."""

    def run(target: list[Node], source: list[Node], env: Env) -> int:
        folder = os.path.dirname(os.path.dirname(os.path.abspath(str(hlsl_tool.__file__))))
        path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        for base, names in session().configs.items():
            command = [sys.executable, "-m", "hlsl_tool", "watch", "--root", base]
            command += ["-j", str(SCons.Script.GetOption("num_jobs"))]
            command += [word for name in names for word in ("--config", name)]
            # An interrupt from the terminal reaches both processes: the watcher ends, and then SCons.
            status = subprocess.call(command, env={**os.environ, "PYTHONPATH": path})
            if status:
                return status
        return 0

    found: list[Node] = env.Alias(name, [], SCons.Action.Action(run, cmdstr=None))
    env.AlwaysBuild(found)
    return found


def _real(node: Node) -> Node:
    """Where a source lies: a variant directory has no copy of it, unless it is made there."""
    return node if node.is_derived() else node.srcnode()


def _inside(folder: str, base: str) -> str:
    """An absolute folder as seen from the root, so that signatures do not hang on where the project lies."""
    try:
        return os.path.relpath(folder, base).replace(os.sep, "/")
    except ValueError:
        return folder


# ---------------------------------------------------------------- declaring


def _declare(env: Env, project: Project, jobs: list[Job]) -> list[Node]:
    from hlsl_tool.build.toolchain import fingerprint

    here = session()
    base = project.root
    engine = here.engine(project)
    found: list[Node] = []
    entries: dict[str, list[Node]] = {}
    for job in jobs:
        job.fingerprint = fingerprint(job.options.spirv_tools)
        targets = [_literal(os.path.join(base, path)) for path in job.targets.values()]
        try:
            nodes = list(BUILDER(env, targets, [_literal(os.path.join(base, job.source))]))
        except TypeError as error:
            _in_the_way(error, base)
            raise
        for node in nodes:
            node.attributes.hlsl_job = job
            node.attributes.hlsl_engine = engine
            node.attributes.hlsl_nodes = nodes
        # One Value an option, so that --debug=explain tells which of them it was.
        values = [SCons.Node.Python.ValueWithMemo(text) for text in (*job.signature_lines(), job.fingerprint)]
        for node in nodes:
            node.add_dependency(values)
            node.set_precious(True)  # SCons removes a target before it builds it; the last good one is to stay
        here.nodes.append((nodes, job, engine))
        found += nodes
        entries.setdefault(_stem(job), []).extend(nodes)
    for stem, nodes in entries.items():
        env.Alias(stem, nodes)
    _targets_with_macros(base, jobs)
    return found


def _declare_links(env: Env, project: Project, jobs: list[Job]) -> list[Node]:
    """A target for each group of stages: it depends on what they were compiled to."""
    base = project.root
    engine = session().engine(project)
    found: list[Node] = []
    for link in plan_links(project, jobs):
        sources = [_literal(os.path.join(base, job.main_target)) for job in link.jobs.values()]
        node = LINK_BUILDER(env, _literal(os.path.join(base, link.target)), sources)[0]
        node.attributes.hlsl_link = link
        node.attributes.hlsl_engine = engine
        node.add_dependency([SCons.Node.Python.ValueWithMemo(f"link: {link.decided()}")])
        node.set_precious(True)
        found.append(node)
    return found


def _declare_packs(env: Env, project: Project, jobs: list[Job]) -> list[Node]:
    """A target for each pack: it depends on its members."""
    base = project.root
    engine = session().engine(project)
    found: list[Node] = []
    for job in plan_packs(project, jobs):
        paths = [member.targets[kind] for member in job.jobs for kind in job.kinds if kind in member.targets]
        sources = [_literal(os.path.join(base, path)) for path in paths]
        node = PACK_BUILDER(env, _literal(os.path.join(base, job.target)), sources)[0]
        node.attributes.hlsl_pack = (engine, job)
        node.add_dependency([SCons.Node.Python.ValueWithMemo(f"pack: {job.decided()}")])
        node.set_precious(True)
        found.append(node)
    return found


def _literal(path: str) -> str:
    """SCons puts values in the place of `$NAME`, in names of files too."""
    return path.replace("$", "$$")


def _in_the_way(error: TypeError, base: str) -> None:
    """SCons's words where a file stands in the place of a folder, or the other way round, come with a traceback."""
    found = re.match(r"(File|Directory) (.*) found where (directory|file) expected", str(error))
    if found:
        reason = f"there is a {'file' if found[1] == 'File' else 'folder'} of this name"
        sink = Sink()
        sink.error(codes.CANNOT_WRITE, None, path=os.path.relpath(found[2], base).replace(os.sep, "/"), reason=reason)
        _report(sink)


def _stem(job: Job) -> str:
    """`lit/pbr.PSMain`, under which all its permutations can be asked for."""
    count = len(job.permutation)
    return job.name.rsplit(".", count)[0] if count else job.name


def _targets_with_macros(base: str, jobs: list[Job]) -> None:
    """SCons takes `…SHADOWS=1.spv` on its command line for a variable; here it is understood as a target."""
    paths = {path: path for job in jobs for path in job.targets.values()}
    names = {job.name: job.main_target for job in jobs}
    wanted = []
    for name, value in SCons.Script.ARGLIST:
        word = f"{name}={value}".replace("\\", "/")
        path = paths.get(os.path.normpath(word).replace(os.sep, "/")) or names.get(word)
        if path is not None:
            wanted.append(os.path.join(base, path))
    if wanted:
        targets = SCons.Script.BUILD_TARGETS
        if not SCons.Script.COMMAND_LINE_TARGETS:
            targets.clear()  # of what Default() may have put there
        targets.extend(wanted)
        targets._add_Default = targets._do_nothing
        SCons.Script.COMMAND_LINE_TARGETS.extend(wanted)


# ---------------------------------------------------------------- arguments


def _root(env: Env, root: str | None) -> str:
    return str(env.Dir(root if root is not None else "#").get_abspath())


def _from(base: str, env: Env, name: str) -> str:
    """A path of a SConscript as seen from the root; patterns are kept."""
    path = name if os.path.isabs(name) else os.path.join(env.Dir(".").srcnode().get_abspath(), name)
    if name.startswith("#"):
        path = os.path.join(env.Dir("#").get_abspath(), name[1:].lstrip("/"))
    return os.path.relpath(path, base).replace(os.sep, "/")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _caller() -> Location:
    """The line of the SConscript that calls."""
    ours = tuple(os.path.dirname(os.path.abspath(str(module.__file__))) + os.sep for module in (SCons, hlsl_tool))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = os.path.abspath(frame.f_code.co_filename)
        if not name.startswith(ours):
            top = SCons.Node.FS.get_default_fs().Top.get_abspath()
            return Location(_inside(name, top), frame.f_lineno, 1, 2, linecache.getline(name, frame.f_lineno).rstrip())
        frame = frame.f_back
    return Location("SConstruct", 1, 1, 2)


def _tree(value: Any, at: Location) -> Tree:
    """Python values as a tree of YAML nodes, so that one reader checks both."""
    if isinstance(value, AnyMapping):
        return Mapping([(Scalar(str(name), True, at), _tree(item, at)) for name, item in value.items()], at)
    if isinstance(value, (list, tuple)):
        return Sequence([_tree(item, at) for item in value], at)
    if value is None:
        return Scalar("", True, at)
    if isinstance(value, bool):
        return Scalar("true" if value else "false", True, at)
    return Scalar(str(value), not isinstance(value, str) or value in ("true", "false", "required", "all"), at)


def _report(sink: Sink) -> None:
    """Show the messages of a configuration; with errors SCons ends here, with status 2 and no traceback."""
    if sink.diagnostics:
        sys.stderr.write(render_messages(sink.diagnostics, message_form(), color=sys.stderr.isatty()))
        sys.stderr.flush()
    if sink.error_count:
        SCons.Script.Exit(2)
