"""Calls that the parser takes for constructors: ``float4(...)``, and ``Name(...)`` if a type has that name."""

from __future__ import annotations

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import check_expression, expression
from hlsl_tool.frontend.syntax import ast


@expression(ast.Construct)
def construct(ctx: Context, e: ast.Construct) -> hir.Expr:
    """Analyse ``T(args)``, which was parsed as a constructor; a function or variable may hide the type of that name."""
    t = e.type
    if len(t.parts) == 1 and not t.is_global and t.parts[0].args is None:
        binding = ctx.scope.lookup(t.parts[0].name)
        if isinstance(binding, (tuple, hir.Variable, ty.Field)):
            return check_expression(ctx, ast.Call(ast.Name(t.parts, t.pos), e.args, e.pos))
    args = ex.check_all(ctx, e.args)
    return initializers.construct(ctx, type_names.resolve(ctx, t).type, args, e.pos)
