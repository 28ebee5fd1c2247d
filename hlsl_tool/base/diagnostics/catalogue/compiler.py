"""HLSL00xx and HLSL0750 on: messages of the compiler as a whole."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

TOO_MANY_ERRORS = Code("HLSL0001", "too-many-errors", "fatal", "too many errors emitted, stopping now", doc="Correct the errors above; `-ferror-limit=0` shows all of them.")
INTERNAL_ERROR = Code("HLSL0002", "internal-error", "fatal", "internal compiler error: {message}", doc="The compiler is at fault, not your shader. Report the whole message with the archive that `hlsl_tool repro` makes of the shader: it has all that the compilation read.")
OUT_OF_MEMORY = Code(
    "HLSL0003", "out-of-memory", "fatal", "out of memory{limit}",
    doc="Compile fewer shaders at a time (`-j`), or raise the limit of the process (`ulimit -v`) or of the container.",
)

NOT_CHECKED = Code(
    "HLSL0750", "tools-missing", "warning",
    "{tools} not found: nothing was {what}; {install}",
    doc="The module needs no legalisation, and the options name no passes, so it was built without SPIRV-Tools.",
)
TOO_LONG = Code(
    "HLSL0751", "expression-too-long", "error",
    "an expression or chain of statements is too long to be compiled; split it",
    doc="The expression or statement has thousands of operators, or of `else if`.  Move the inner part into a function or a variable of its own.",
)
RICH_METHODS = Code(
    "HLSL0752", "debug-info-methods", "warning",
    "Member functions will not be linked to their class in the debug information. Prefer using "
    "-fspv-debug=vulkan-with-source. See https://github.com/KhronosGroup/SPIRV-Registry/issues/203",
    doc="OpenCL.DebugInfo.100 cannot name a class before its functions.",
)
DEBUG_INFO_REDUCED = Code(
    "HLSL1156", "debug-info-reduced", "warning",
    "the debug information is reduced to lines: spirv-opt cannot legalize the module with scopes and variables",
    of_environment=True,
    doc="The compiler's own passes legalise what spirv-opt does not. If the module that they make with scopes and"
    " variables is not valid, they run once more with lines only. The hint is the error with which spirv-opt ended.",
)
OPTION_UNSUPPORTED = Code(
    "HLSL0754", "option-unsupported", "error", "{option} is not supported{why}",
    doc="The option is DXC's and would change the module, so it is not ignored in silence.",
)
ID_BOUND = Code(
    "HLSL0755", "id-bound", "error", "the module has ids up to {highest}, more than -fspv-max-id allows ({limit})",
    doc="The limit is for drivers that keep tables of ids; optimised modules have fewer ids than those of -O0.",
)
EXPORT_UNKNOWN = Code(
    "HLSL0756", "export-unknown", "error", "the library has no '{name}' to export",
    doc="`exports` names entry points, which have `[shader(...)]`, and functions that are marked `export`.",
)
UNKNOWN_WARNING = Code(
    "HLSL0757", "unknown-warning-option", "warning", "unknown warning option '-W{name}'",
    doc="Neither hlsl_tool nor clang, on which DXC is built, has a warning or group of this name: docs/reference/diagnostics.md lists those of hlsl_tool.",
)
