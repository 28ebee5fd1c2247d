"""Lower a program to a SPIR-V module: the stages of lowering in order."""

from __future__ import annotations

import hlsl_tool.codegen.lower.areas  # noqa: F401  (registers every area's handlers)
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.lower import debug_info
from hlsl_tool.codegen.lower.core.context import ABANDONED, Lowering
from hlsl_tool.codegen.lower.entry import program as program_entries
from hlsl_tool.codegen.lower.expressions import enumerators
from hlsl_tool.codegen.lower.functions.shared import Sharing
from hlsl_tool.codegen.lower.global_variables.declare import Resources
from hlsl_tool.codegen.lower.resources.counters import Counters
from hlsl_tool.frontend.sema.model.hir import Program
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.builder.symbols import SymbolTable
from hlsl_tool.spirv.features import Features


def lower(
    program: Program,
    options: CompileOptions,
    builder: ModuleBuilder,
    stage: str,
    features: Features,
    sources: debug_info.Sources | None = None,
    symbols: SymbolTable | None = None,
) -> Lowering:
    """Write ``program`` into ``builder``; the module is complete if the result's ``messages`` contain no error.

    ``sources`` are the files' texts, for debug information. ``symbols`` is the symbol table of the modules with which
    this one shares lowered functions.
    """
    ctx = debug_info.lowering(program, options, builder, stage, sources)
    ctx.is_enabled = features.is_enabled
    ctx.types.nv_hit_objects = features.is_enabled("SPV_NV_shader_invocation_reorder")
    if symbols is not None and not options.debug:
        ctx.sharing = Sharing(symbols, options)
    resources = Resources(ctx)
    counters = Counters(ctx)
    if stage in ("ms", "as", "lib"):
        from hlsl_tool.codegen.lower.entry import mesh  # start-up time

        ctx.payload = mesh.find_payload(ctx)
    enumerators.declare(ctx, program.enums)
    try:
        resources.declare_all()
        ctx.globals_declared()
        program_entries.write(ctx, resources)
        counters.link()
    except ABANDONED as reason:
        ctx.abandoned(reason)
        return ctx
    ctx.limits.check()
    resources.bind_all()
    ctx.finished()
    return ctx
