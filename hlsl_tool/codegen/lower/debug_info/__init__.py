"""Debug information: source locations of instructions, and names and types of the source (``-Zi``, ``-fspv-debug``).

Without these options ``lowering`` returns a plain ``Lowering``; with them it returns a subclass that records positions,
scopes and variables while it dispatches.

=============  =====================================================================================================
``spans``      HIR node → the tokens it was written with
``places``     token → file, line and column
``sources``    OpSource with files and texts, OpModuleProcessed
``lines``      the position of every instruction
``rich``       functions, scopes and variables
``types``      types
``graph``      the order of debug instructions
=============  =====================================================================================================
"""

from __future__ import annotations

from hlsl_tool.base.options.checks import shader_model
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.debug_info.token_locations import Places, Sources
from hlsl_tool.frontend.sema.model.hir import Program
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.enums import SourceLanguage


def lowering(
    program: Program, options: CompileOptions, builder: ModuleBuilder, stage: str, sources: Sources | None
) -> Lowering:
    """Return the lowering context of the subclass that the options' debug information requires."""
    if not options.debug or sources is None:
        builder.source(SourceLanguage.HLSL, shader_model(options.profile))
        return Lowering(program, options, builder, stage)
    from hlsl_tool.codegen.lower.debug_info.sources import write_sources  # start-up time

    places = Places(builder, sources)
    write_sources(builder, options, sources)
    if not options.debug_line:
        return Lowering(program, options, builder, stage)
    from hlsl_tool.codegen.lower.debug_info.instruction_lines import LineLowering
    from hlsl_tool.codegen.lower.debug_info.rich import RichLowering
    from hlsl_tool.spirv.builder.debugging import DebugModuleBuilder

    assert isinstance(builder, DebugModuleBuilder)
    builder.line_mode = "debug" if options.debug_vulkan else "line"
    kind = RichLowering if options.debug_rich else LineLowering
    return kind(program, options, builder, stage, places)


__all__ = ["Sources", "lowering"]
