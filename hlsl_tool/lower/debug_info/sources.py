"""Write OpSource for every file, and OpModuleProcessed for the command line (manual: *Debugging*)."""

from __future__ import annotations

from hlsl_tool.lower.debug_info.places import Sources
from hlsl_tool.options.checks import shader_model
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.enums import SourceLanguage


def write_sources(b: ModuleBuilder, options: CompileOptions, sources: Sources) -> None:
    """Write the sources into the module's debug section; rich debug information has sources of its own."""
    version = shader_model(options.profile)
    if options.debug_rich:
        for file in sources.files[:1] if options.debug_vulkan else sources.files:
            b.string(file.name)
    else:
        for file in sources.files if options.debug_file else ():
            text = file.text if options.debug_source else None
            b.source(SourceLanguage.HLSL, version, b.string(file.name), text)
        if not options.debug_file:
            b.source(SourceLanguage.HLSL, version)
    if options.debug_tool and not options.debug_vulkan and options.target_env != "vulkan1.0":
        b.module_processed(f"dxc-cl-option: {sources.files[0].name} {options.command_line}".rstrip())
