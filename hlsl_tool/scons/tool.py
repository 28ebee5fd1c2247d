"""The SCons tool: `env.HlslShaders('config/shaders')` and `env.HlslShader('x.hlsl', profile='ps_6_0')`.

Functions import the modules that only a build with something to do needs.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import SCons.Action
import SCons.Errors
import SCons.Script

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.file_names import DEFAULT_OUTPUT_DIR
from hlsl_tool.base.system.paths import relative
from hlsl_tool.base.system.streams import accept_all_text
from hlsl_tool.project.build import plan_cache
from hlsl_tool.project.build.workers.child_processes import isolated_python, package_environment
from hlsl_tool.project.config.parameters import Parameters, parameters
from hlsl_tool.project.config.trust import allow_outside, is_on
from hlsl_tool.scons.calls import Call
from hlsl_tool.scons.compat import check_version, source_folders
from hlsl_tool.scons.generated_files import made_below
from hlsl_tool.scons.model import Node
from hlsl_tool.scons.run import session
from hlsl_tool.scons.switches import BadArgument

Env = Any
NODES = ("auto", "single", "set")


def generate(env: Env) -> None:
    """Add `HlslShaders`, `HlslShader` and `HlslWatch` to an environment."""
    check_version()
    accept_all_text()
    env.AddMethod(_isolated(shaders), "HlslShaders")
    env.AddMethod(_isolated(shader), "HlslShader")
    env.AddMethod(watch, "HlslWatch")


def _isolated(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of environments so that its imports do not search the folders of SConscripts.

    SCons puts these folders first on `sys.path` while it reads SConscripts; a `socket.py` of the project would be
    imported instead of Python's.
    """

    parameters = inspect.signature(method)

    @wraps(method)
    def run(env: Env, *arguments: Any, **options: Any) -> Any:
        name = "HlslShaders" if method is shaders else "HlslShader"
        try:
            parameters.bind(env, *arguments, **options)
        except TypeError as error:
            own = list(parameters.parameters.values())[1:]
            shown = ", ".join(str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in own)
            problem = str(error).replace("keyword-only argument", "argument")  # the wording of Python 3.12
            _report_call(name, problem, f"it is {name}({shown})")
        before = sys.path
        theirs = {str(env.Dir(name).srcnode().get_abspath()) for name in (".", "#")}
        sys.path = [folder for folder in before if folder not in theirs]
        try:
            return method(env, *arguments, **options)
        except SCons.Errors.UserError as error:
            _report_call(name, error)
        finally:
            sys.path = before

    return run


def _report_call(method: str, problem: SCons.Errors.UserError | str, hint: str | None = None) -> None:
    """Report a wrong call at its line in the SConscript; SCons's own message would name a line of this file."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.diagnostics.catalogue import config as codes
    from hlsl_tool.scons.arguments import location, report
    from hlsl_tool.scons.calls import calling_line

    sink = Sink(error_limit=0)
    if isinstance(problem, BadArgument):
        sink.error(codes.BAD_ARGUMENT, None, hint=hint, reason=problem)
    else:
        sink.error(codes.BAD_CALL, location(calling_line()), hint=hint, method=method, reason=problem)
    report(sink)


def exists(env: Env) -> bool:
    """Return True: the tool has no external requirements."""
    return True


def shaders(
    env: Env,
    configs: Any,
    *,
    root: str | None = None,
    nodes: str | None = None,
    variant: str = "",
    variables: Mapping[str, object] | None = None,
    defines: Mapping[str, object] | None = None,
    output_dir: Any = "",
) -> Any:
    """Build the shaders of configurations (files, folders or patterns); return every output and the manifest.

    `scons shaders` builds them all.  Paths are relative to `root`, which defaults to the folder of SConstruct; sources
    of a variant directory or a repository are not copied.  `nodes` overrides the configurations: `single` makes a
    node for each shader, `set` one for all.  `variant` chooses one of their `variants`, `variables` gives values for
    `${NAME}` in them, `defines` macros, and `output_dir` replaces theirs.
    """
    folder = env.Dir(root if root is not None else "#")
    if nodes is not None and nodes not in NODES:
        raise SCons.Errors.UserError(f"nodes={nodes!r}: it is one of {', '.join(NODES)}")
    own = str(folder.srcnode().get_abspath())
    names = [_from(own, env, str(name)) for name in (configs if isinstance(configs, (list, tuple)) else [configs])]
    base = next((top for top in source_folders(folder) if any(os.path.exists(f"{top}/{name}") for name in names)), own)
    if is_on(str(SCons.Script.ARGUMENTS.get("allow_outside", ""))):
        allow_outside()
    target = relative(env.Dir(output_dir).get_abspath(), base) if output_dir else ""
    try:
        given = parameters(variables or {}, defines or {}, target, variant)
    except ValueError as problem:
        raise SCons.Errors.UserError(str(problem)) from None
    plan = _plan(base, names, given)
    if not target and base != folder.get_abspath():  # the outputs of a variant directory belong there
        place = os.path.join(folder.get_abspath(), plan.output_dir)
        plan = _plan(base, names, replace(given, output_dir=relative(place, base)))
    session().patterns += [(base, pattern) for pattern in plan.patterns]
    as_set = _as_set(plan, nodes)
    calls = session().calls
    call = calls.add(base, names, plan)
    if call.nodes is None:
        calls.check(call)
        call.nodes = _declare(env, call, as_set=as_set)
    return call.nodes


def _plan(base: str, names: list[str], given: Parameters) -> plan_cache.Plan:
    generated = made_below(base)
    plan = plan_cache.cached(base, names, generated, given)
    if plan is None:
        from hlsl_tool.scons.declare import read_plan

        plan = read_plan(base, names, generated, given)
    return plan


def _declare(env: Env, call: Call, *, as_set: bool) -> Any:
    if as_set:
        from hlsl_tool.scons.node_set import declare_set

        return declare_set(env, call.root, call.names, call.plan)
    from hlsl_tool.scons.declare import declare_plan

    return declare_plan(env, call.root, call.names, call.plan)


def _as_set(plan: plan_cache.Plan, nodes: str | None) -> bool:
    choice = str(SCons.Script.ARGUMENTS.get("scons_nodes", nodes or plan.nodes))
    if choice not in NODES:
        raise BadArgument(f"scons_nodes={choice}: it is one of {', '.join(NODES)}")
    if SCons.Script.GetOption("clean"):
        return False  # SCons removes only files that have nodes
    return choice == "set" or (choice == "auto" and plan.count > plan.limit)


def shader(
    env: Env, source: Any, *, profile: str, entry: str = "main", output_dir: str = DEFAULT_OUTPUT_DIR, **options: Any
) -> Any:
    """Build one source; `options` are the keys of a configuration (`layout='dx'`, `defines={'SHADOWS': [0, 1]}`)."""
    from hlsl_tool.scons.declare import declare_shader

    return declare_shader(env, source, {"profile": profile, "entry": entry, **options}, output_dir)


def watch(env: Env, name: str = "watch") -> list[Node]:
    """Add a target that builds the shaders of `HlslShaders`, and rebuilds them whenever files are saved.

    It runs until it is interrupted.
    """

    def run(target: list[Node], source: list[Node], env: Env) -> int:
        given = SCons.Script.ARGUMENTS
        commands = []
        for options in session().calls.options():
            command = [*isolated_python(), "-m", "hlsl_tool", "watch", *options]
            command += ["-j", str(SCons.Script.GetOption("num_jobs"))]
            command += [word for place in given.get("store", "").split() for word in ("--store", place)]
            command += ["--executor", given["executor"]] if "executor" in given else []
            commands.append(command)
        return _run_all(commands)

    alias: list[Node] = env.Alias(name, [], SCons.Action.Action(run, cmdstr=None))
    env.AlwaysBuild(alias)
    return alias


def _run_all(commands: list[list[str]]) -> int:
    """Run watchers in parallel until all have ended or one fails; return its exit status, else 0.

    An interrupt from the terminal reaches all processes: the watchers end, and then SCons.
    """
    running = [subprocess.Popen(command, env=package_environment()) for command in commands]
    try:
        while running:
            for process in running:
                try:
                    status = process.wait(1 if len(running) > 1 else None)
                except subprocess.TimeoutExpired:
                    continue
                if status:
                    return status
            running = [process for process in running if process.returncode is None]
        return 0
    finally:
        for process in running:
            process.terminate()


def _from(base: str, env: Env, name: str) -> str:
    """Return a path or pattern of a SConscript relative to the root ``base``."""
    path = name if os.path.isabs(name) else os.path.join(env.Dir(".").srcnode().get_abspath(), name)
    if name.startswith("#"):
        path = os.path.join(env.Dir("#").get_abspath(), name[1:].lstrip("/"))
    return relative(path, base)
