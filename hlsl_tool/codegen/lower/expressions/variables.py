"""Handlers of variables, members and subscripts: l-values in memory (manual: *Expressions*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import lowers
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.global_variables import resource_structs
from hlsl_tool.codegen.lower.types.kinds import has_counter, type_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Array, Matrix, Struct, Vector, innermost


@lowers(hir.Member, hir.Index)
def _access(ctx: Lowering, e: hir.Member | hir.Index) -> Value:
    if ctx.resource_structs:
        part = resource_structs.lowered(ctx, e)
        if part is not None:
            return part
    if isinstance(e, hir.Index) and isinstance(e.base.type, Array):
        array = access.object_pointer(ctx, e.base)  # an element of an array begins a chain of its own
        index = access.index_of(ctx, e)
        if has_counter(innermost(e.type)) and not access.is_repeatable(e.index):
            ctx.counted_indices[e.index] = index
        return access.chain(ctx, array, [index], e.type)
    indices: list[int] = []
    base_expr = access.collect(ctx, e, indices)
    base = access.object_pointer(ctx, base_expr)
    if not indices:
        return Value(base.id, e.type, base.is_rvalue, base.is_alias, row=base.row)
    is_vector = isinstance(e, hir.Index) and isinstance(e.base.type, (Vector, Matrix))
    bits = None
    if isinstance(e, hir.Member) and e.field.bits is not None:
        assert isinstance(e.base.type, Struct)
        bits = access.member_index(ctx, e.base.type, e.field)[1]
    if bits is not None and base.is_rvalue:
        holder = Value(
            ctx.b.local_variable(ctx.b.type_id_of(base.id), f"temp.var.{type_name(base.type)}"), base.type, False
        )
        ctx.b.store(holder.id, base.id)
        v = access.chain(ctx, holder, indices, e.type)
        return memory.load(ctx, Value(v.id, v.type, False, bits=bits))
    v = access.chain(ctx, base, indices, e.type, "vector" if is_vector else "")
    v.bits = bits
    return v


@lowers(hir.VarRef)
def _variable(ctx: Lowering, e: hir.VarRef) -> Value:
    if e.var in ctx.resource_structs:
        part = resource_structs.lowered(ctx, e)
        assert part is not None
        return part
    v = ctx.locals.get(e.var) or ctx.globals.get(e.var)
    if v is None:
        v = ctx.resources.late(ctx, e.var)
    if e.var in ctx.block_members:
        block, index = ctx.block_members[e.var]
        return access.chain(ctx, Value(block, e.type, False), [ctx.b.const_i32(index)], e.type)
    return Value(v.id, v.type, v.is_rvalue, v.is_alias, v.bits, v.rasterizer_ordered)


@lowers(hir.This)
def _this(ctx: Lowering, e: hir.This) -> Value:
    assert ctx.this is not None
    return ctx.this
