"""``Interlocked*`` functions (manual: *Synchronization*, the table of atomics)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import interlocked, is_rasterizer_ordered
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.codegen.lower.expressions import union_words
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.codegen.lower.resources import texels
from hlsl_tool.codegen.lower.resources.atomic_opcodes import OPCODES, check_extension, opcode_of
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import FLOAT_ATOMICS
from hlsl_tool.spirv.enums import Scope, StorageClass


def operand(ctx: Lowering, a: hir.Expr, t: Type) -> int:
    """Lower an atomic's operand in the type of the memory; omit an implicit conversion that only changes the sign."""
    while isinstance(a, hir.Cast) and a.kind == "numeric" and a.operand.type is t and not a.is_explicit:
        a = a.operand
    v = memory.load(ctx, ctx.expr(a))
    return casts.numeric(ctx, v.id, v.type, t)


def pointer_to(ctx: Lowering, target: hir.Expr) -> int:
    """Return the pointer operand of an atomic: for a texel an OpImageTexelPointer.

    Memory that is local to an invocation is reported. For a member of a union it is a pointer to a word.
    """
    base = target
    while isinstance(base, hir.Swizzle):
        base = base.base
    if isinstance(base, hir.MethodCall) and isinstance(base.object.type, ObjectType) and texels.is_texel(base):
        if not isinstance(base.object.type.element, ty.Scalar) and not _is_half_vector(target):
            ctx.fail(codes.ATOMIC_VECTOR, first_token(ctx.chunk, target))
        return texels.pointer(ctx, base)
    v = union_words.word_of(ctx, target)[0] if union_words.is_in_union(target) else ctx.expr(target)
    if v.is_rvalue or ctx.b.storage_of(v.id) in (StorageClass.Private, StorageClass.Function):
        ctx.fail(codes.ATOMIC_LOCAL, target.pos)
    return v.id


def _is_half_vector(target: hir.Expr) -> bool:
    """Return whether the target is a complete texel of 16-bit floats."""
    return isinstance(target, hir.MethodCall) and ty.element_of(target.type) is ty.FLOAT16


def _is_ordered(target: hir.Expr) -> bool:
    """Return whether the target is in a rasterizer ordered view."""
    while isinstance(target, (hir.Member, hir.Index, hir.Swizzle)):
        target = target.base
    return isinstance(target, hir.MethodCall) and is_rasterizer_ordered(target.object.type)


def scope_of(ctx: Lowering, pointer: int) -> int:
    """Return the memory scope for an atomic on a pointer."""
    shared = ctx.b.storage_of(pointer) == StorageClass.Workgroup
    return Scope.Workgroup if shared else Scope.Device


@intrinsic(*(f"Interlocked{n}" for n in OPCODES))
def _atomic(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    b, t = ctx.b, c.args[0].type
    element = ty.element_of(t)
    assert element is not None
    if isinstance(t, ty.Vector) and t.size not in (2, 4):
        ctx.fail(codes.ATOMIC_HALF_VECTOR, first_token(ctx.chunk, c.args[0]), type=ty.display(t))
    pointer = pointer_to(ctx, c.args[0])
    value = operand(ctx, c.args[1], t)
    opcode = opcode_of(c.name.removeprefix("Interlocked"), element)
    if union_words.is_in_union(c.args[0]):
        _atomic_on_word(ctx, c, opcode, pointer, value)
        return
    if element.category == "float":
        check_extension(ctx, opcode, t, f"{c.name} on '{ty.display(t)}'", c.pos)
    with interlocked(ctx, _is_ordered(c.args[0])):
        old = b.atomic(opcode, ctx.type(t), pointer, value, scope=scope_of(ctx, pointer))
    if len(c.args) > 2:
        write_out(ctx, c.args[2], old, t)


def _bits(ctx: Lowering, value: int, type_id: int) -> int:
    return value if ctx.b.type_id_of(value) == type_id else ctx.b.unary(op.OpBitcast, type_id, value)


def _atomic_on_word(ctx: Lowering, c: hir.IntrinsicCall, opcode: int, pointer: int, value: int) -> None:
    """Emit an atomic on a member of a union, whose memory is a word of unsigned integers."""
    b, t = ctx.b, c.args[0].type
    if opcode in FLOAT_ATOMICS:
        ctx.fail(codes.FEATURE_UNSUPPORTED, c.pos, what=f"{c.name} on '{ty.display(t)}' in a union")
    word = b.pointee_of(pointer).id
    with interlocked(ctx, _is_ordered(c.args[0])):
        old = b.atomic(opcode, word, pointer, _bits(ctx, value, word), scope=scope_of(ctx, pointer))
    if len(c.args) > 2:
        write_out(ctx, c.args[2], _bits(ctx, old, ctx.type(t)), t)


@intrinsic(
    "InterlockedCompareStore",
    "InterlockedCompareExchange",
    "InterlockedCompareStoreFloatBitwise",
    "InterlockedCompareExchangeFloatBitwise",
)
def _compare(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower a compare-exchange or compare-store to one instruction.

    For floats, ``codegen/passes/float_comparisons`` later changes the memory's type to integers.
    """
    b, t = ctx.b, c.args[0].type
    is_in_union = union_words.is_in_union(c.args[0])
    if t is ty.FLOAT and not is_in_union:
        ctx.beyond_dxc(c.name, c.pos)
        if isinstance(c.args[0], hir.MethodCall) and texels.is_texel(c.args[0]):
            ctx.fail(codes.INTRINSIC_UNSUPPORTED, c.pos, name=f"{c.name} on textures and typed buffers:")
        ctx.float_comparisons.append((c.pos, ctx.chunk))
    pointer = pointer_to(ctx, c.args[0])
    comparator = operand(ctx, c.args[1], t)
    value = operand(ctx, c.args[2], t)
    of_memory = b.pointee_of(pointer).id if is_in_union else ctx.type(t)
    value, comparator = (_bits(ctx, x, of_memory) if is_in_union else x for x in (value, comparator))
    with interlocked(ctx, _is_ordered(c.args[0])):
        old = b.atomic_compare_exchange(of_memory, pointer, value, comparator, scope=scope_of(ctx, pointer))
    if len(c.args) > 3:
        write_out(ctx, c.args[3], _bits(ctx, old, ctx.type(t)) if is_in_union else old, t)
