"""Calls of the constructors of structs."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules.expressions.overloads import choose, finish
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import construction
from hlsl_tool.frontend.syntax import ast


@construction(Struct)
def _constructor(ctx: Context, s: Struct, args: list[hir.Expr], pos: int) -> hir.Expr:
    f = choose(ctx, tuple(s.constructors), ast.CONSTRUCTOR, args, None, pos)
    return finish(ctx, f, None, args, pos)
