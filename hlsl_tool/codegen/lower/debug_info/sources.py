"""Write OpSource for every file, and OpModuleProcessed for the command line (manual: *Debugging*)."""

from __future__ import annotations

from hlsl_tool.base.options.checks import shader_model
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.lower.debug_info.token_locations import Sources
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.builder.declarations import chop
from hlsl_tool.spirv.builder.limits import MAX_STRING
from hlsl_tool.spirv.enums import SourceLanguage

_PROCESS = "dxc-cl-option: "
"""Prefix of an OpModuleProcessed with a command line, or with a part of a long one."""


def write_sources(b: ModuleBuilder, options: CompileOptions, sources: Sources) -> None:
    """Write the files' texts into the module's debug section.

    With rich debug information, DebugSource does that instead.
    """
    version = shader_model(options.profile)
    if options.debug_rich:
        for file in sources.files[:1] if options.debug_vulkan else sources.files:
            name = b.string(file.name)
            if options.debug_source and not options.debug_vulkan and len(source_pieces(file.text, options)) > 1:
                b.source(SourceLanguage.HLSL, version, name, file.text)
    else:
        for file in sources.files if options.debug_file else ():
            text = file.text if options.debug_source else None
            b.source(SourceLanguage.HLSL, version, b.string(file.name), text)
        if not options.debug_file:
            b.source(SourceLanguage.HLSL, version)
    if options.debug_tool and not options.debug_vulkan and options.target_env != "vulkan1.0":
        command = f"{sources.files[0].name} {options.command_line}".rstrip()
        for part in chop(command, MAX_STRING - len(_PROCESS)):
            b.module_processed(_PROCESS + part)


def source_pieces(text: str, options: CompileOptions) -> list[str]:
    """Split the text of a file into strings no longer than SPIR-V (or the option) allows."""
    return chop(text, min(options.debug_source_words * 4 - 1, MAX_STRING))
