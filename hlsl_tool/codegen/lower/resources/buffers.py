"""Methods of structured and byte-address buffers (manual: *HLSL Methods*)."""

from __future__ import annotations

from contextlib import AbstractContextManager

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.rounding import round_up
from hlsl_tool.codegen.layout.rules import extent, is_row_major
from hlsl_tool.codegen.lower.core import access, casts, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import interlocked, is_rasterizer_ordered
from hlsl_tool.codegen.lower.core.registry import METHODS, family_of, lowers, method
from hlsl_tool.codegen.lower.core.spans import first_token
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import raw_memory, untyped_memory
from hlsl_tool.codegen.lower.resources.atomic_opcodes import OPCODES
from hlsl_tool.codegen.lower.types.kinds import is_append_consume
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar
from hlsl_tool.spirv import op


@lowers(hir.MethodCall)
def _call(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Dispatch a method call on a built-in object to the handler of the object's family."""
    t = c.object.type
    assert isinstance(t, ObjectType)
    handler = METHODS.find((family_of(t), c.name))
    if handler is None:
        ctx.fail(codes.METHOD_UNSUPPORTED, c.pos, name=c.name, type=t.name)
    return handler(ctx, c) or Value(0, ty.VOID, True)


def value(ctx: Lowering, a: hir.Expr) -> int:
    return memory.load(ctx, ctx.expr(a)).id


# ----------------------------------------------------------------------------------------------------------- structured


@method("structured", "operator[]")
@method("patch", "operator[]")
def _element(ctx: Lowering, c: hir.MethodCall) -> Value:
    indices: list[int] = []
    base_expr = access.collect(ctx, c, indices)
    base = access.object_pointer(ctx, base_expr)
    return access.chain(ctx, base, indices, c.type)


@method("structured", "Load")
def _load(ctx: Lowering, c: hir.MethodCall) -> Value:
    if len(c.args) == 2:
        ctx.fail(codes.BUFFER_STATUS, first_token(ctx.chunk, c), name="(RW)StructuredBuffer", place="location")
    return _element(ctx, c)


@method("structured", "IncrementCounter", "DecrementCounter")
def _counter(ctx: Lowering, c: hir.MethodCall) -> Value:
    origin = _origin(c.object)
    if not isinstance(origin, (hir.VarRef, hir.This)):
        ctx.expr(origin)  # a call that selects the buffer may have side effects
    index = _step(ctx, c.object, increment=c.name == "IncrementCounter")
    return ctx.rvalue(ctx.b.unary(op.OpBitcast, ctx.b.u32(), index), c.type)


def _step(ctx: Lowering, obj: hir.Expr, *, increment: bool) -> int:
    """Increment or decrement the counter; return its value before an increment, or after a decrement."""
    b = ctx.b
    pointer = b.access_chain(b.i32(), _counter_of(ctx, obj), [b.const_uint(0)])
    one = b.const_i32(1)
    if increment:
        return b.atomic(op.OpAtomicIAdd, b.i32(), pointer, one)
    previous = b.atomic(op.OpAtomicISub, b.i32(), pointer, one)
    return b.binary(op.OpISub, b.i32(), previous, one)


def _origin(x: hir.Expr) -> hir.Expr:
    """Return the variable, call or other expression that a chain of members and subscripts starts from."""
    while isinstance(x, (hir.Index, hir.Member, hir.Load)):
        x = x.operand if isinstance(x, hir.Load) else x.base
    return x


def _counter_of(ctx: Lowering, obj: hir.Expr) -> int:
    """Return a pointer to the counter of a buffer; report a buffer without a counter.

    The buffer may also be an alias, or an element of an array.
    """
    counter = ctx.hooks.counter_of(obj)
    if counter is None:
        ctx.fail(codes.COUNTER_ALIAS, _origin(obj).pos)
    return counter


@method("structured", "Append")
def _append(ctx: Lowering, c: hir.MethodCall) -> None:
    """Lower ``Append``: increment the counter and store the element at its old value."""
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    buffer = access.object_pointer(ctx, c.object)
    index = _step(ctx, c.object, increment=True)
    place = access.chain(ctx, buffer, [b.const_uint(0), index], t.element)
    consumed = _consumed_bool(c.args[0])
    if consumed is None:
        memory.store(ctx, place, memory.load(ctx, ctx.expr(c.args[0])))
    else:
        b.store(place.id, b.load(ctx.expr(consumed).id))


def _consumed_bool(x: hir.Expr) -> hir.Expr | None:
    """Return the call of ``Consume`` in an argument that is a boolean from another buffer, else ``None``.

    Buffers store booleans as integers. As in DXC, the integer is appended without a conversion to 0 or 1.
    """
    while isinstance(x, hir.Load):
        x = x.operand
    element = ty.element_of(x.type)
    source = x.base if isinstance(x, hir.Swizzle) and len(x.components) == 1 else x
    is_consumed = isinstance(source, hir.MethodCall) and source.name == "Consume"
    return x if is_consumed and element is ty.BOOL and not casts.is_matrix(source.type) else None


@method("structured", "Consume")
def _consume(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Lower ``Consume``: decrement the counter and return the element at its new value."""
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    buffer = access.object_pointer(ctx, c.object)
    index = _step(ctx, c.object, increment=False)
    return access.chain(ctx, buffer, [b.const_uint(0), index], t.element)


@method("structured", "GetDimensions")
@method("byte_address", "GetDimensions")
def _get_dimensions(ctx: Lowering, c: hir.MethodCall) -> None:
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    buffer = access.object_pointer(ctx, c.object)
    length = b.emit(op.OpArrayLength, b.u32(), buffer.id, 0)
    if not t.name.endswith("StructuredBuffer"):
        length = b.binary(op.OpIMul, b.u32(), length, b.const_uint(4))
    _write_out(ctx, c.args[0], length)
    if t.name.endswith("StructuredBuffer"):
        default = ctx.types.default_row_major
        element = extent(t.element, ctx.types.sbuffer_rule, is_row_major(t.majorness, default), default)
        _write_out(ctx, c.args[1], b.const_uint(round_up(element.size, element.align)))


def _write_out(ctx: Lowering, target: hir.Expr, v: int, t: Scalar = ty.UINT) -> None:
    """Assign a value of type ``t`` to an ``out`` argument."""
    ctx.at_begin(target)
    assign(ctx, target, casts.convert(ctx, ctx.rvalue(v, t), target.type))


# ------------------------------------------------------------------------------------------------------- byte address

_WORDS = {"": 1, "2": 2, "3": 3, "4": 4}


@method("byte_address", "Load", "Load2", "Load3", "Load4")
def _byte_load(ctx: Lowering, c: hir.MethodCall) -> Value:
    if len(c.args) == 2:
        ctx.fail(codes.BUFFER_STATUS, first_token(ctx.chunk, c), name="(RW)ByteAddressBuffer", place="address")
    b = ctx.b
    buffer = access.object_pointer(ctx, c.object)
    address = value(ctx, c.args[0])
    is_untyped = untyped_memory.is_used(ctx, c.type)
    if (is_untyped or c.name == "Load") and c.type is not ty.UINT:
        load = untyped_memory.load if is_untyped else raw_memory.load
        with _ordered(ctx, c):
            return ctx.rvalue(load(ctx, buffer.id, address, c.type), c.type)
    words = _WORDS[c.name[4:]]
    base = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(2))
    with _ordered(ctx, c):
        parts = [b.load(_word(ctx, buffer.id, base, i)) for i in range(words)]
        return ctx.rvalue(parts[0] if words == 1 else b.construct(ctx.type(c.type), parts), c.type)


def _word(ctx: Lowering, buffer: int, base: int, i: int) -> int:
    b = ctx.b
    at = b.binary(op.OpIAdd, b.u32(), base, b.const_uint(i)) if i else base
    return b.access_chain(b.u32(), buffer, [b.const_uint(0), at])


@method("byte_address", "Store", "Store2", "Store3", "Store4")
def _byte_store(ctx: Lowering, c: hir.MethodCall) -> None:
    b = ctx.b
    buffer = access.object_pointer(ctx, c.object)
    address = value(ctx, c.args[0])
    t = c.args[1].type
    is_untyped = untyped_memory.is_used(ctx, t)
    with _ordered(ctx, c):
        if (is_untyped or c.name == "Store") and t is not ty.UINT:
            store = untyped_memory.store if is_untyped else raw_memory.store
            store(ctx, buffer.id, address, memory.load(ctx, ctx.expr(c.args[1])))
            return
        words = _WORDS[c.name[5:]]
        base = b.binary(op.OpShiftRightLogical, b.u32(), address, b.const_uint(2))
        data = value(ctx, c.args[1])
        for i in range(words):
            part = data if words == 1 else b.extract(data, i)
            b.store(_word(ctx, buffer.id, base, i), part)


def _ordered(ctx: Lowering, c: hir.MethodCall) -> AbstractContextManager[None]:
    """Return a context manager that puts accesses to a rasterizer ordered buffer in a critical section."""
    return interlocked(ctx, is_rasterizer_ordered(c.object.type))


def _place(ctx: Lowering, c: hir.MethodCall) -> tuple[int, Scalar]:
    """Return (pointer operand of a byte-address buffer's atomic, type of its pointee: ``uint`` or ``uint64_t``)."""
    b = ctx.b
    buffer = access.object_pointer(ctx, c.object)
    if c.name.endswith("64"):
        address = value(ctx, c.args[0])
        return raw_memory.typed_pointer(ctx, buffer.id, address, ctx.types.scalar(ty.UINT64)), ty.UINT64
    zero = b.const_uint(0)
    index = b.binary(op.OpShiftRightLogical, b.u32(), value(ctx, c.args[0]), b.const_uint(2))
    return b.access_chain(b.u32(), buffer.id, [zero, index]), ty.UINT


@method("byte_address", *(f"Interlocked{n}{bits}" for n in OPCODES for bits in ("", "64")))
def _atomic(ctx: Lowering, c: hir.MethodCall) -> None:
    pointer, element = _place(ctx, c)
    v = memory.load(ctx, ctx.expr(c.args[1]))
    operand = casts.numeric(ctx, v.id, v.type, element)
    signed, unsigned = OPCODES[c.name.removeprefix("Interlocked").removesuffix("64")]
    is_signed = c.param_types[1] in (ty.INT, ty.INT64)
    with _ordered(ctx, c):
        old = ctx.b.atomic(signed if is_signed else unsigned, ctx.types.scalar(element), pointer, operand)
    if len(c.args) > 2:
        _write_out(ctx, c.args[2], old, element)


@method("byte_address", *(f"InterlockedCompare{n}{bits}" for n in ("Store", "Exchange") for bits in ("", "64")))
def _compare(ctx: Lowering, c: hir.MethodCall) -> None:
    pointer, element = _place(ctx, c)
    comparator = value(ctx, c.args[1])
    exchanged = value(ctx, c.args[2])
    with _ordered(ctx, c):
        old = ctx.b.atomic_compare_exchange(ctx.types.scalar(element), pointer, exchanged, comparator)
    if len(c.args) > 3:
        _write_out(ctx, c.args[3], old, element)


__all__ = ["is_append_consume"]
