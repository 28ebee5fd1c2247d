"""``GetAttributeAtVertex``: a pixel shader input's value at a vertex of the triangle (KHR barycentrics).

`functions.vertex_values` gives inputs, parameters and members a value for each vertex.
"""

from __future__ import annotations

from typing import TypeGuard

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic, passes
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import VERTICES
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Param
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Operand


@intrinsic("GetAttributeAtVertex")
def _at_vertex(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    if ctx.stage != "ps":
        ctx.fail(codes.AT_VERTEX_STAGE, c.pos)
    source = _without_casts(c.args[0])
    element = ty.element_of(source.type)
    if element is None or element.category == "bool":
        ctx.error(codes.NOT_AN_INPUT, c.pos)
        return ctx.rvalue(ctx.b.undef(ctx.type(c.type)), c.type)
    vertex = memory.load(ctx, ctx.expr(c.args[1])).id
    pointer = _pointer(ctx, source, c.pos)
    return _value(ctx, _chain(ctx, _split(ctx, pointer.id), pointer.id, vertex, c.pos), source, c.type)


@passes("vertex")
def _argument(ctx: Lowering, source: hir.Expr, p: Param) -> int:
    """Return an array with the converted values, or some components, of an argument at all vertices."""
    b = ctx.b
    source = _without_casts(source)
    pointer = _pointer(ctx, source, source.pos)
    holder = memory.local(ctx, p.type, f"param.var.{p.name}")
    ctx.holds(p, holder.id)
    for vertex in map(b.const_uint, range(VERTICES)):
        value = _value(ctx, _chain(ctx, [pointer.id], pointer.id, vertex, source.pos), source, p.type)
        b.store(_chain(ctx, [holder.id], holder.id, vertex, source.pos), value.id)
    return holder.id


def _pointer(ctx: Lowering, source: hir.Expr, pos: int) -> Value:
    """Return the value that ``source``, or the vector that it takes components of, has at a vertex: an l-value."""
    v = ctx.expr(_without_casts(source.base) if _is_swizzle(source) else source)
    if v.is_rvalue or v.row is not None or ctx.vertex_values is None:
        ctx.fail(codes.NOT_AN_INPUT, pos)
    return v


def _split(ctx: Lowering, pointer: int) -> list[Operand]:
    """Return the operands of the access chain that was just written, and remove it; otherwise only the pointer."""
    written = ctx.b.block.instructions if ctx.b.block is not None else []
    if written and written[-1].result_id == pointer and written[-1].op == op.OpAccessChain:
        return written.pop().operands
    return [pointer]


def _chain(ctx: Lowering, path: list[Operand], like: int, vertex: int, pos: int) -> int:
    """Return a pointer like ``like`` to the value at a vertex of what ``path``, a base and indices, leads to."""
    chain = ctx.b.emit(op.OpAccessChain, ctx.b.type_id_of(like), *path, vertex)
    assert ctx.vertex_values is not None
    ctx.vertex_values.places[chain] = pos, ctx.chunk
    return chain


def _value(ctx: Lowering, pointer: int, source: hir.Expr, to: Type) -> Value:
    """Return the value of ``source`` as type ``to``; ``pointer`` leads to the vector that it may take components of."""
    b = ctx.b
    value = b.load(pointer)
    if _is_swizzle(source):
        picked = source.components
        value = b.extract(value, picked[0]) if len(picked) == 1 else b.shuffle(value, value, picked)
    return casts.convert(ctx, ctx.rvalue(value, source.type), to)


def _is_swizzle(x: hir.Expr) -> TypeGuard[hir.Swizzle]:
    return isinstance(x, hir.Swizzle) and isinstance(x.base.type, ty.Vector)


def _without_casts(x: hir.Expr) -> hir.Expr:
    while isinstance(x, hir.Load) or (isinstance(x, hir.Cast) and not x.is_explicit):
        x = x.operand
    return x
