"""List the modules with rules, which the registries (`sema.scope.handlers`) load on demand."""

from __future__ import annotations

from hlsl_tool.frontend.sema.scope.handlers import DECLARATIONS, EXPRESSIONS, OBJECTS, REFERENCES, TEMPLATES, TYPES

EXPRESSIONS.searched = (
    *(
        f"hlsl_tool.frontend.sema.rules.expressions.{name}"
        for name in ("literals", "constructors", "names", "operators", "members", "calls", "subscripts")
    ),
    "hlsl_tool.frontend.sema.rules.modern.lambdas",
)
DECLARATIONS.searched = (
    "hlsl_tool.frontend.sema.rules.declarations.function_declarations",
    "hlsl_tool.frontend.sema.rules.declarations.declare",
)
TYPES.searched = (
    "hlsl_tool.frontend.sema.rules.declarations.records",
    "hlsl_tool.frontend.sema.rules.templates.traits",
)
REFERENCES.searched = ("hlsl_tool.frontend.sema.rules.modern.references",)
OBJECTS.searched = tuple(f"hlsl_tool.frontend.sema.rules.modern.{name}" for name in ("constructor_calls", "aggregates"))
TEMPLATES.searched = (
    "hlsl_tool.frontend.sema.rules.templates.instantiation",
    "hlsl_tool.frontend.sema.rules.templates.traits",
)
