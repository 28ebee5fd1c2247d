"""The status of accesses to sparse resources, and other ``out`` arguments of methods of textures."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty


class Status:
    """The residency code of a sparse access, and the ``out`` argument for it."""

    def __init__(self, ctx: Lowering, target: hir.Expr) -> None:
        self.target = target
        self.is_direct = isinstance(target, hir.VarRef) and target.type is ty.UINT
        place = ctx.expr(target) if self.is_direct else memory.local(ctx, ty.UINT, "temp.var.uint")
        self.pointer = place.id
        """The variable to which the instruction stores the code: the argument itself if it is a ``uint``."""

    def write(self, ctx: Lowering) -> None:
        """Store the code to an argument that is not the variable itself."""
        if not self.is_direct:
            write_uint(ctx, self.target, ctx.b.load(self.pointer))


def write_uint(ctx: Lowering, target: hir.Expr, v: int) -> None:
    """Store a ``uint`` to an ``out`` argument, with a conversion."""
    ctx.at_begin(target)
    assign(ctx, target, casts.convert(ctx, ctx.rvalue(v, ty.UINT), target.type))
