"""Intrinsics for the header ``vk/khr/cooperative_matrix.h`` that inline SPIR-V cannot express."""

from __future__ import annotations

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.registry import intrinsic
from hlsl_tool.lower.core.values import Value
from hlsl_tool.sema import hir
from hlsl_tool.spirv import op


@intrinsic("__builtin_spv_CooperativeMatrixLengthKHR")
def _length(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``<T>()`` to OpCooperativeMatrixLengthKHR, whose operand is a type."""
    (matrix,) = c.template_args
    return ctx.rvalue(ctx.b.emit_raw(op.OpCooperativeMatrixLengthKHR, ctx.type(c.type), ctx.type(matrix)), c.type)
