"""Intrinsic functions: tables for those that become one instruction, handlers for the others.

Manual: *Intrinsic Functions*, with its three tables.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import INTRINSICS, lowers
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty

NO_EQUIVALENT = frozenset(
    ("abort", "dx::IsDebuggingEnabled", "GetRenderTargetSampleCount", "GetRenderTargetSamplePosition")
)
"""Intrinsics without a counterpart in Vulkan (manual: *Unsupported HLSL Features*)."""


@lowers(hir.IntrinsicCall)
def _call(ctx: Lowering, e: hir.IntrinsicCall) -> Value:
    if e.name in NO_EQUIVALENT:
        ctx.fail(codes.NO_EQUIVALENT, first_token(ctx.chunk, e), name=e.name.rpartition("::")[2])
    handler = INTRINSICS.find(e.name)
    if handler is None:
        ctx.fail(codes.INTRINSIC_UNSUPPORTED, e.pos, name=e.name)
    return handler(ctx, e) or Value(0, ty.VOID, True)
