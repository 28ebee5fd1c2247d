"""Debug output and breakpoints: non-semantic instructions, which drivers may ignore."""

from __future__ import annotations

from hlsl_tool.lower.core import memory
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.registry import intrinsic
from hlsl_tool.sema import hir
from hlsl_tool.spirv import debug_printf

_BREAK_SET = "NonSemantic.DebugBreak"
_BREAK = 1


@intrinsic("printf")
def _printf(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    b = ctx.b
    operands = [_format(ctx, c.args[0])]
    operands += [memory.load(ctx, ctx.expr(a)).id for a in c.args[1:]]
    b.ext_inst(debug_printf.SET, b.void_type(), debug_printf.DebugPrintf, *operands)


def _format(ctx: Lowering, e: hir.Expr) -> int:
    """Return the format string, a literal or the initialiser of a variable: SPIR-V has no memory for strings."""
    while isinstance(e, (hir.Load, hir.Cast)):
        e = e.operand
    if isinstance(e, hir.VarRef) and e.var.init is not None:
        return _format(ctx, e.var.init)
    return memory.load(ctx, ctx.expr(e)).id


@intrinsic("DebugBreak")
def _break(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    ctx.b.ext_inst(_BREAK_SET, ctx.b.void_type(), _BREAK)
