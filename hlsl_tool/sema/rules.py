"""List of the modules with the rules of semantic analysis, which the registries (`sema.handlers`) load on demand."""

from __future__ import annotations

from hlsl_tool.sema.handlers import DECLARATIONS, EXPRESSIONS, TEMPLATES, TYPES

EXPRESSIONS.searched = tuple(
    f"hlsl_tool.sema.expressions.{name}"
    for name in ("literals", "constructors", "names", "operators", "members", "calls", "subscripts")
)
DECLARATIONS.searched = (
    "hlsl_tool.sema.declarations.function_declarations",
    "hlsl_tool.sema.declarations.declare",
)
TYPES.searched = ("hlsl_tool.sema.declarations.records", "hlsl_tool.sema.templates.traits")
TEMPLATES.searched = ("hlsl_tool.sema.templates.instantiation", "hlsl_tool.sema.templates.traits")
