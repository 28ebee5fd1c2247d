"""``vk::`` intrinsics for memory at 64-bit addresses, and for clocks (manual: *Vulkan-specific features*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import AddressingModel, StorageClass

_DEFAULT_ALIGNMENT = 4


def _alignment(ctx: Lowering, c: hir.IntrinsicCall, at: int, t: Type) -> int:
    """Return the value of the alignment argument; without one, 4 or the size of the largest component.

    Vulkan requires at least the size of the largest component; with DXC's default of 4 such modules are invalid.
    """
    least = 0 if ctx.options.codegen_only else _largest_component(t)
    if len(c.args) <= at:
        return max(_DEFAULT_ALIGNMENT, least)
    a = c.args[at]
    while isinstance(a, hir.Cast) and not a.is_explicit:
        a = a.operand
    n = evaluation.evaluate_int(a)
    if n is None or n < 0:
        ctx.fail(codes.RAW_ALIGNMENT, a.pos)
    if n < least:
        ctx.fail(codes.RAW_ALIGNMENT_SMALL, a.pos, alignment=n, type=ty.display(t), least=least)
    return n


def _largest_component(t: Type) -> int:
    """Return the size in bytes of the largest number or address in a type.

    Booleans are ignored: a separate warning reports them.
    """
    sizes = [0]
    for part in ty.flatten(t):
        scalar = part.underlying if isinstance(part, ty.Enum) else part
        if isinstance(scalar, ty.Scalar):
            sizes.append(0 if scalar.category == "bool" else scalar.bits // 8)
        elif isinstance(scalar, ty.ObjectType) and scalar.name == "vk::BufferPointer":
            sizes.append(8)
    return max(sizes)


def _pointer(ctx: Lowering, address: int, t: Type) -> int:
    b = ctx.b
    b.promote_addressing_model(AddressingModel.PhysicalStorageBuffer64)
    pointee = ctx.type(t, ctx.types.sbuffer_rule)
    return b.unary(op.OpBitcast, b.pointer(StorageClass.PhysicalStorageBuffer, pointee), address)


def _check_bool(ctx: Lowering, c: hir.IntrinsicCall, t: Type, alignment: int) -> None:
    element = ty.element_of(t)
    if element is not None and element.category == "bool" and alignment % 4:
        ctx.warn(codes.RAW_BOOL_ALIGNMENT, first_token(ctx.chunk, c))


@intrinsic("vk::RawBufferLoad")
def _load(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    alignment = _alignment(ctx, c, 1, c.type)
    address = memory.load(ctx, ctx.expr(c.args[0])).id
    _check_bool(ctx, c, c.type, alignment)
    loaded = ctx.b.load(_pointer(ctx, address, c.type), align=alignment)
    return ctx.rvalue(relayout.plain(ctx, loaded, c.type), c.type)


@intrinsic("vk::RawBufferStore")
def _store(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    alignment = _alignment(ctx, c, 2, c.args[1].type)
    address = memory.load(ctx, ctx.expr(c.args[0])).id
    v = memory.load(ctx, ctx.expr(c.args[1]))
    _check_bool(ctx, c, v.type, alignment)
    value = v.id
    type_id = ctx.type(v.type, ctx.types.sbuffer_rule)
    if ty.is_numeric(v.type):
        value = relayout.to_type(ctx, value, v.type, type_id)
    pointer = _pointer(ctx, address, v.type)
    if not ty.is_numeric(v.type):
        value = relayout.to_type(ctx, value, v.type, type_id)
    ctx.b.store(pointer, value, align=alignment)


@intrinsic("vk::ReadClock")
def _read_clock(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    scope = memory.load(ctx, ctx.expr(c.args[0])).id
    return ctx.rvalue(ctx.b.emit(op.OpReadClockKHR, ctx.type(c.type), scope), c.type)
