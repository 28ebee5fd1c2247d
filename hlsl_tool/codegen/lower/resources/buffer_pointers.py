"""``vk::BufferPointer<T, alignment>``: typed physical addresses (manual: *Buffer device address*).

Its value is a SPIR-V pointer; ``Get()`` is the l-value that it points to, in the layout of a structured buffer.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import method
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op


def is_pointer(t: Type) -> bool:
    """Return whether a type is ``vk::BufferPointer``."""
    return isinstance(t, ObjectType) and t.name == "vk::BufferPointer"


@method("buffer_pointer", "Get")
def _get(ctx: Lowering, c: hir.MethodCall) -> Value:
    pointer = memory.load(ctx, ctx.expr(c.object))
    t = c.object.type
    assert isinstance(t, ObjectType)
    alignment = t.args[1]
    if isinstance(alignment, int) and alignment:
        memory.set_alignment(ctx, pointer.id, alignment)
    return Value(pointer.id, c.type, False)


def converted(ctx: Lowering, v: Value, t: Type) -> Value | None:
    """Convert a buffer pointer to or from an address or another pointer type; return ``None`` for other conversions."""
    if not is_pointer(v.type) and not is_pointer(t):
        return None
    value, type_id = memory.load(ctx, v).id, ctx.type(t)
    if ctx.b.type_id_of(value) == type_id:
        return Value(value, t, True)
    if not is_pointer(t):
        opcode = op.OpConvertPtrToU
    elif not is_pointer(v.type):
        opcode = op.OpConvertUToPtr
    else:
        opcode = op.OpBitcast
    return Value(ctx.b.unary(opcode, type_id, value), t, True)
