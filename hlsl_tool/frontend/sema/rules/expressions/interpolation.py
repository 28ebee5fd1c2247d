"""Arguments for ``nointerpolation`` parameters: inputs that are not interpolated, or parts of these."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.scope.context import Context


def check(ctx: Context, argument: hir.Expr, function: str, index: int) -> None:
    """Report an argument for a ``nointerpolation`` parameter that is no input, or an interpolated one."""
    if not _is_flat(argument):
        ctx.error(language.NO_INTERPOLATION, argument.pos, function=function, index=index)


def _is_flat(e: hir.Expr) -> bool:
    """Return whether a value is, or is part of, an input that is not interpolated."""
    while True:
        if isinstance(e, hir.VarRef):
            return "nointerpolation" in e.var.quals
        if isinstance(e, hir.Member):
            if "nointerpolation" in e.field.quals:
                return True
            e = e.base
        elif isinstance(e, (hir.Swizzle, hir.MatrixSwizzle, hir.Index)):
            e = e.base
        elif isinstance(e, (hir.Load, hir.Cast)):
            e = e.operand
        else:
            return False
