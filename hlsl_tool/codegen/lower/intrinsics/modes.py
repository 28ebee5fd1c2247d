"""Intrinsics that add execution modes by number (manual: *Inline SPIR-V*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir


def _literals(ctx: Lowering, c: hir.IntrinsicCall, args: list[hir.Expr], code: Code) -> list[int]:
    literals: list[int] = []
    for a in args:
        n = evaluation.evaluate_int(a)
        if n is None:
            ctx.fail(code, first_token(ctx.chunk, c))
        literals.append(n & 0xFFFFFFFF)
    return literals


@intrinsic("vk::ext_execution_mode")
def _mode(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    literals = _literals(ctx, c, c.args, codes.MODE_ARGUMENT)
    ctx.entry_mode(lambda ctx: ctx.b.execution_mode(ctx.wrapper, *literals))


@intrinsic("vk::ext_execution_mode_id")
def _mode_id(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    (mode,) = _literals(ctx, c, c.args[:1], codes.MODE_ID_CONSTANT)
    operands = [memory.load(ctx, ctx.expr(a)).id for a in c.args[1:]]
    ctx.entry_mode(lambda ctx: ctx.b.execution_mode_id(ctx.wrapper, mode, *operands))
