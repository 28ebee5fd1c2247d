"""Check the functions that entry points and exported functions reach."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.checks.entries import hull, nodes
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter, check_elements
from hlsl_tool.frontend.sema.checks.entries.stage_checks import STAGES, shader_model, written_stage
from hlsl_tool.frontend.sema.checks.reachable import calls, graph, shared_memory
from hlsl_tool.frontend.sema.checks.reachable.root import Place, Root, profile_of
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Language


def check_reachable(
    program: Program, language: Language, profile: str, exports: frozenset[str], *, exports_all: bool = False
) -> list[Raw]:
    """Return errors about functions that entry points or exported functions reach.

    They concern recursion, patch constant functions, and calls and built-in names that the reaching entry point's stage
    or shader model does not support.
    """
    messages: list[Raw] = []
    reported: set[Function] = set()
    seen: set[Place] = set()
    for name, pos, chunk in program.state_constants:
        model = watched.CONSTANTS[name]
        if shader_model(profile) < model:
            dotted = f"{model[0]}.{model[1]}"
            needed = profile_of(profile, dotted)
            fmt: dict[str, object] = {"name": name, "profile": profile, "model": dotted, "needed": needed}
            messages.append(Raw(codes.CONSTANT_MODEL, pos, fmt, chunk))
    for f in _roots(program, language, profile, exports, exports_all=exports_all):
        _check_recursion(program, f, reported, messages)
        stage = written_stage(f) if language.stage == "lib" else STAGES.get(language.stage, "")
        if stage == "hull":
            hull.check_tessellation(Reporter(f, messages))
            _check_patch_function(program, f, reported, messages)
        if not stage and profile == "lib_6_x":
            continue
        launch = nodes.launch_type(Reporter(f, messages)) if stage == "node" else ""
        root = Root(f, stage, launch, shader_model(profile), profile, messages, seen)
        reached = graph.reach(program, [f])
        for g in reached:
            calls.check(root, g)
        if language.hlsl_version >= HLSL_202X:
            shared_memory.check(root, reached)
    return messages


def _roots(
    program: Program, language: Language, profile: str, exports: frozenset[str], *, exports_all: bool
) -> list[Function]:
    """Return the entry points and, of a library, the exported functions, in source order."""
    if language.stage != "lib":
        return program.entries
    exports_all = exports_all or profile == "lib_6_x"
    return [f for f in program.functions if f.has_body and _is_exported(f, exports, exports_all=exports_all)]


def _is_exported(f: Function, exports: frozenset[str], *, exports_all: bool) -> bool:
    if written_stage(f):
        return True
    if "static" in f.quals or f.template_args is not None:
        return False
    return "export" in f.quals or f.qualified_name in exports or exports_all


def _check_recursion(program: Program, f: Function, reported: set[Function], messages: list[Raw]) -> None:
    g = graph.recursive(program, f)
    if g is None or g in reported:
        return
    reported.add(g)
    note = Raw(codes.RECURSIVE_HERE, g.pos, {}, g.chunk)
    fmt: dict[str, object] = {"caller": f.qualified_name, "name": g.qualified_name}
    messages.append(Raw(sema_codes.RECURSION, g.pos, fmt, g.chunk, [note]))


def _check_patch_function(program: Program, f: Function, reported: set[Function], messages: list[Raw]) -> None:
    """Report recursion of a hull shader's patch constant function, and calls between the two functions.

    Also report hit objects and vectors of more than four components in its parameters and return type.
    """
    a = find_attribute(f.attributes, "patchconstantfunc")
    name = a.args[0] if a is not None and a.args else ""
    candidates = [g for g in program.functions if g.name == name and g.owner is None and g.has_body]
    if not candidates:
        return
    patch = candidates[-1]
    _check_recursion(program, patch, reported, messages)
    report = Reporter(patch, messages)
    rows = [(p.pos, p.type, "patch constant function parameters") for p in patch.params]
    for pos, t, place in (*rows, (patch.pos, patch.return_type, "patch constant function return type")):
        check_elements(report, pos, t, place)
    for caller, callee in ((patch, f), (f, patch)):
        if callee in graph.reach(program, [caller]):
            fmt: dict[str, object] = {"callee": callee.name, "caller": caller.name}
            messages.append(Raw(codes.PATCH_REACHED, f.pos, fmt, f.chunk))
