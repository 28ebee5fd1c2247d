"""Assignment to any l-value (manual: *Expressions*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import ASSIGNMENTS
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model.hir import Expr


def assign(ctx: Lowering, target: Expr, value: Value, pointer: Value | None = None) -> Value:
    """Store to the object that ``target`` denotes: memory, a swizzle, matrix elements, a texel, a mesh output.

    ``pointer`` is the lowered target, if it has been lowered already.  Return the pointer that was stored to, or the
    value if there is no pointer.
    """
    output = ctx.mesh_output(target)
    if output is not None:
        output.assign(ctx, target, value)
        return value
    handler = ASSIGNMENTS.find(target.__class__)
    if handler is not None and handler(ctx, target, value):
        return value
    if pointer is None:
        pointer = ctx.expr(target)
    if pointer.is_rvalue:
        ctx.fail(codes.NOT_MEMORY, target.pos)
    memory.store(ctx, pointer, value)
    return pointer
