"""Atomic methods of byte-address buffers on floats.

Exchanges and comparisons of 32-bit floats operate on their bits; all others need the buffer declared as an array of
floats.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import interlocked, is_rasterizer_ordered
from hlsl_tool.codegen.lower.core.registry import method
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.resources import raw_memory
from hlsl_tool.codegen.lower.resources.atomic_opcodes import FLOAT_OPCODES, check_extension
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.rules.intrinsics.methods import FLOAT_ATOMICS
from hlsl_tool.spirv import op


def _word(ctx: Lowering, c: hir.MethodCall) -> int:
    b = ctx.b
    buffer = access.object_pointer(ctx, c.object)
    address = memory.load(ctx, ctx.expr(c.args[0])).id
    index = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(2))
    return b.access_chain(b.u32(), buffer.id, [b.const_uint(0), index])


def _bits(ctx: Lowering, a: hir.Expr) -> int:
    return ctx.b.unary(op.OpBitcast, ctx.b.u32(), memory.load(ctx, ctx.expr(a)).id)


def _write(ctx: Lowering, target: hir.Expr, old: int) -> None:
    write_out(ctx, target, ctx.b.unary(op.OpBitcast, ctx.b.f32(), old), ty.FLOAT)


@method("byte_address", "InterlockedExchangeFloat")
def _exchange(ctx: Lowering, c: hir.MethodCall) -> None:
    pointer = _word(ctx, c)
    old = ctx.b.atomic(op.OpAtomicExchange, ctx.b.u32(), pointer, _bits(ctx, c.args[1]))
    _write(ctx, c.args[2], old)


@method(
    "byte_address",
    *(
        f"Interlocked{n}{suffix}"
        for n in FLOAT_OPCODES
        for suffix in FLOAT_ATOMICS
        if (n, suffix) != ("Exchange", "Float")
    ),
)
def _on_floats(ctx: Lowering, c: hir.MethodCall) -> None:
    name, t = next((c.name.removesuffix(suffix), t) for suffix, t in FLOAT_ATOMICS.items() if c.name.endswith(suffix))
    opcode = FLOAT_OPCODES[name.removeprefix("Interlocked")]
    check_extension(ctx, opcode, t, c.name, c.pos)
    buffer = access.object_pointer(ctx, c.object)
    address = memory.load(ctx, ctx.expr(c.args[0])).id
    type_id = ctx.type(t)
    pointer = raw_memory.typed_pointer(ctx, buffer.id, address, type_id)
    value = memory.load(ctx, ctx.expr(c.args[1])).id
    with interlocked(ctx, is_rasterizer_ordered(c.object.type)):
        old = ctx.b.atomic(opcode, type_id, pointer, value)
    if len(c.args) > 2:
        write_out(ctx, c.args[2], old, t)


@method("byte_address", "InterlockedCompareStoreFloatBitwise", "InterlockedCompareExchangeFloatBitwise")
def _compare(ctx: Lowering, c: hir.MethodCall) -> None:
    pointer = _word(ctx, c)
    comparator = _bits(ctx, c.args[1])
    old = ctx.b.atomic_compare_exchange(ctx.b.u32(), pointer, _bits(ctx, c.args[2]), comparator)
    if len(c.args) > 3:
        _write(ctx, c.args[3], old)
