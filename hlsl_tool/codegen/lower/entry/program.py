"""Write a program's entry points and all functions that they call, in the order of DXC's work queue.

Entry points and exported functions come first, in the order of the source, then the functions that they call.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.function_names import spirv_name
from hlsl_tool.codegen.lower.core.values import VertexValues
from hlsl_tool.codegen.lower.entry import wrapper
from hlsl_tool.codegen.lower.entry.items import word
from hlsl_tool.codegen.lower.entry.stages import BY_ATTRIBUTE, GROUP_STAGES, LIBRARY, MESH_NV, STAGES
from hlsl_tool.codegen.lower.entry.wrapper import Entry
from hlsl_tool.codegen.lower.functions import calls as functions
from hlsl_tool.codegen.lower.global_variables import module_init
from hlsl_tool.codegen.lower.global_variables.declare import Resources
from hlsl_tool.codegen.lower.stage_io import locations
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.scope.context import BodySource


def write(ctx: Lowering, resources: Resources) -> None:
    """Write the entry points and all functions that are exported or called."""
    profile = ctx.stage
    builtins = list(ctx.extra_inputs)  # of global variables: they come before the signature's
    _prepare_vertex_values(ctx)
    entries, exported = _entries(ctx, profile), _exported(ctx, profile)
    if not entries and not exported and ctx.options.validate != "no":
        ctx.error(
            codes.EMPTY_LIBRARY, hint='write `export` before a function, or `[shader("…")]` before an entry point'
        )
    for entry in entries:
        ctx.functions[entry.function] = ctx.b.declare_function()
    for f in exported:
        ctx.function_id(f)
    for entry in entries:
        wrapper.write(ctx, entry, resources)
    wrapper.enter(ctx, profile, 0)
    inits = module_init.write_export(ctx, resources.statics.initialize) if exported else []
    while ctx.worklist:
        g = ctx.worklist.pop(0)
        wrapper.enter(ctx, *ctx.reached_from.get(g, (profile, 0)))
        functions.define(ctx, g, name=spirv_name(g), function=ctx.functions[g])
    _complete_modes(ctx, entries)
    if entries:
        ctx.chunk = entries[0].function.chunk
    inline_spirv.check_types(ctx)
    for entry in entries:
        _declare(ctx, entry, builtins)
    wrapper.enter(ctx, profile, entries[0].wrapper if entries else 0)
    if exported and ctx.group_init:  # entry points of other modules would not call it
        ctx.error(codes.FEATURE_UNSUPPORTED, what="`GetCoordinate` or an identity matrix in an exported function")
    groups = [entry.wrapper for entry in entries if entry.stage.name in GROUP_STAGES]
    module_init.write(ctx, [*(entry.wrapper for entry in entries), *inits], groups)
    if ctx.vertex_values is not None:
        from hlsl_tool.codegen.lower.functions import vertex_values  # start-up time

        vertex_values.expand(ctx, [entry.wrapper for entry in entries])


def _complete_modes(ctx: Lowering, entries: list[Entry]) -> None:
    """Write the execution modes that functions need for all entry points that reach them, not only for the first."""
    for entry in entries if ctx.entry_modes else ():
        wrapper.enter(ctx, entry.stage.name, entry.wrapper)
        for f in reach(ctx.program, [entry.function]):
            for write_mode in ctx.entry_modes.get(f, ()):
                write_mode(ctx)


def _prepare_vertex_values(ctx: Lowering) -> None:
    """Record which values are not interpolated if the program reads them at each vertex of the triangle."""
    sources = (f.source for f in ctx.program.reachable)
    if any(isinstance(source, BodySource) and source.vertex_reads for source in sources):
        ctx.vertex_values = VertexValues()


def _entries(ctx: Lowering, profile: str) -> list[Entry]:
    if profile != LIBRARY:
        return [Entry(ctx.definition(f), STAGES[profile]) for f in ctx.program.entries]
    out: list[Entry] = []
    for f in ctx.program.entries:
        name = word(f, "shader") or ""
        out.append(Entry(ctx.definition(f), BY_ATTRIBUTE[name]))
    return out


def _exported(ctx: Lowering, profile: str) -> list[Function]:
    """Return the functions of a library to export: those with ``export``, or those that the options list."""
    if profile != LIBRARY:
        return []
    entries, names = set(ctx.program.entries), ctx.options.exports
    return [
        f
        for f in ctx.program.functions
        if "export" in f.quals and f.has_body and f not in entries and (not names or f.qualified_name in names)
    ]


def _declare(ctx: Lowering, entry: Entry, builtins: list[int]) -> None:
    """Write OpEntryPoint and assign locations to its interface variables.

    As in DXC, every entry point lists all built-ins that any function of the module reads.
    """
    b, f, io = ctx.b, entry.function, entry.io
    ctx.chunk = f.chunk
    wrapper.enter(ctx, entry.stage.name, entry.wrapper)
    locations.check_duplicates(ctx, io.variables)
    locations.assign(ctx, io.variables, is_input=True)
    locations.assign(ctx, io.variables, is_input=False)
    renamed = ctx.options.entry_point_name if f.name == ctx.options.entry else ""
    model = entry.stage.model
    if entry.stage.name in MESH_NV:
        from hlsl_tool.codegen.lower.intrinsics import meshes  # start-up time

        if not ctx.is_enabled(meshes.EXT):
            model = MESH_NV[entry.stage.name]
    b.entry_point(
        model,
        entry.wrapper,
        renamed or f.name,
        list(dict.fromkeys([*builtins, *io.ids(), *ctx.extra_inputs])),
        owners=ctx.owned_globals,
    )
    ctx.interface.entry, ctx.interface.stage = f.name, entry.stage.name
