"""HLSL0750 on: messages of the compiler as a whole."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

NOT_CHECKED = Code(
    "HLSL0750", "tools-missing", "warning",
    "{tools} not found: nothing was optimized or validated; {install}",
    doc="The module needs no legalisation and no passes were asked for by name, so it was built without SPIRV-Tools.",
)
