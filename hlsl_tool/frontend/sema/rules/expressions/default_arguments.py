"""Default arguments; those of template instances are analysed at the first call that uses them."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model.hir import Call, Expr, Param, VarRef
from hlsl_tool.frontend.sema.model.operands import walk
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.scopes import Pack, Scope
from hlsl_tool.frontend.syntax import ast


@dataclass(slots=True)
class DeferredDefault:
    """A default argument that is not analysed yet, with the context for its analysis."""

    expression: ast.Expr
    scope: Scope
    pack: Pack
    template_depth: int


def default_argument(ctx: Context, p: Param) -> Expr:
    """Return the default argument of a parameter; analyse it here if that was deferred."""
    deferred = p.deferred_default
    if p.default is None and isinstance(deferred, DeferredDefault) and p.chunk is not None:
        inner = Context(ctx.language, p.chunk, deferred.scope, ctx.messages, deferred.pack)
        inner.source, inner.template_depth = ctx.source, deferred.template_depth
        inner.instance, inner.used = ctx.instance, ctx.used
        inner.globals, inner.functions, inner.structs = ctx.globals, ctx.functions, ctx.structs
        inner.enums, inner.definitions, inner.pending = ctx.enums, ctx.definitions, ctx.pending
        return initializers.initialize(inner, deferred.expression, p.type, codes.CANNOT_INIT_PARAM)
    assert p.default is not None
    _record(ctx, p.default)
    return p.default


def _record(ctx: Context, e: Expr) -> None:
    """Add the variables and functions that ``e`` names to those of the function body that uses ``e``."""
    for part in walk(e):
        if isinstance(part, VarRef):
            ctx.names(part.var)
        elif isinstance(part, Call):
            ctx.uses(part.function)
