"""``&&``, ``||``, ``?:`` and the comma: operators that control evaluation (manual: *Operators*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import lowers
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import enumerators
from hlsl_tool.codegen.lower.expressions.operators import check_matrix_operator
from hlsl_tool.codegen.lower.expressions.selection_chains import LONGEST_NEST, write_groups, write_nest
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import op


@lowers(hir.Comma)
def _comma(ctx: Lowering, e: hir.Comma) -> Value:
    chain = [e]
    while isinstance(e.left, hir.Comma):  # a loop, since chains may be of any length
        e = e.left
        chain.append(e)
    ctx.expr_or_none(e.left)
    for link in reversed(chain[1:]):
        ctx.expr(link.right)
    return ctx.expr(chain[0].right)


@lowers(hir.Logical)
def _logical(ctx: Lowering, e: hir.Logical) -> Value:
    b = ctx.b
    if not e.short_circuits:
        check_matrix_operator(ctx, e, e.left)
        left, right = memory.value_of(ctx, e.left), memory.value_of(ctx, e.right)
        opcode = op.OpLogicalAnd if e.op == "&&" else op.OpLogicalOr
        return ctx.rvalue(_logical_on(ctx, opcode, left.id, right.id, e.type), e.type)
    left = memory.value_of(ctx, e.left)
    result = b.local_variable(b.bool_type(), "temp.var.logical")
    then, merge = b.new_block("logical.lhs.cond"), b.new_block("logical.merge")
    b.store(result, b.const_bool(e.op == "||"))
    cond = left.id if e.op == "&&" else b.unary(op.OpLogicalNot, b.bool_type(), left.id)
    b.branch_conditional(cond, then, merge, merge=merge)
    b.set_insert_point(then)
    with ctx.limits.nested():
        ctx.limits.deeper(e.pos)
        b.store(result, memory.value_of(ctx, e.right).id)
    b.branch(merge)
    b.set_insert_point(merge)
    return ctx.rvalue(b.load(result), e.type)


def _logical_on(ctx: Lowering, opcode: int, left: int, right: int, t: Type) -> int:
    if casts.is_matrix(t):
        row = ctx.type(casts.row_type(t))
        return casts.each_row(ctx, left, t, t, lambda x, i: ctx.b.binary(opcode, row, x, ctx.b.extract(right, i)))
    return ctx.b.binary(opcode, ctx.type(t), left, right)


@lowers(hir.Ternary)
def _ternary(ctx: Lowering, e: hir.Ternary) -> Value:
    if e.short_circuits:
        links = [e] if ctx.options.codegen_only else _links(e)  # -fcgl writes DXC's modules
        return _branching(ctx, links if len(links) > LONGEST_NEST else [e])
    cond_expr = e.cond
    if isinstance(cond_expr, hir.Cast) and cond_expr.kind == "splat" and casts.is_matrix(cond_expr.type):
        cond_expr = cond_expr.operand
    cond = memory.value_of(ctx, cond_expr)
    return select(ctx, cond, enumerators.as_number(ctx, e.then), enumerators.as_number(ctx, e.otherwise), e.type)


def select(ctx: Lowering, cond: Value, then: Value, otherwise: Value, t: Type) -> Value:
    """Select between two values: by OpSelect, for a matrix condition row by row, else by a branch."""
    b = ctx.b
    if casts.is_matrix(t) and casts.is_matrix(cond.type):
        rows = casts.each_row(
            ctx, cond.id, cond.type, t, lambda c, i: b.select(c, b.extract(then.id, i), b.extract(otherwise.id, i))
        )
        return ctx.rvalue(rows, t)
    if ty.is_numeric(t) and not casts.is_matrix(t):
        n, c = ty.component_count(t), cond.id
        if n > 1 and ty.component_count(cond.type) == 1:
            make = b.const_composite if b.is_spec_constant(c) else b.construct
            c = make(b.vector(b.bool_type(), n), [c] * n)
        return ctx.rvalue(b.select(c, then.id, otherwise.id), t)
    result = memory.local(ctx, t, "temp.var.ternary")
    yes, merge, no = b.new_block("if.true"), b.new_block("if.merge"), b.new_block("if.false")
    b.branch_conditional(cond.id, yes, no, merge=merge)
    for label, value in ((yes, then), (no, otherwise)):
        b.set_insert_point(label)
        memory.store(ctx, result, value)
        b.branch(merge)
    b.set_insert_point(merge)
    return memory.load(ctx, result)


def _links(e: hir.Ternary) -> list[hir.Ternary]:
    """Return an expression and those of its type that each are the last operand of the one before."""
    links = [e]
    while isinstance(e.otherwise, hir.Ternary) and e.otherwise.short_circuits and e.otherwise.type is e.type:
        e = e.otherwise
        links.append(e)
    return links


def _branching(ctx: Lowering, links: list[hir.Ternary]) -> Value:
    """Lower a chain of short-circuiting ``?:``, which all store their value in one variable."""
    b = ctx.b
    result = memory.local(ctx, links[0].type, "temp.var.ternary")

    def write(link: hir.Ternary, _has_else: bool) -> int:
        if link is not links[0]:
            ctx.at(link)
        yes, no, merge = (b.new_block(n) for n in ("ternary.lhs", "ternary.rhs", "ternary.merge"))
        cond = memory.value_of(ctx, link.cond)
        b.branch_conditional(cond.id, yes, no, merge=merge)
        b.set_insert_point(yes)
        memory.store(ctx, result, enumerators.as_number(ctx, link.then))
        b.branch(merge)
        b.set_insert_point(no)
        return merge

    def otherwise() -> None:
        memory.store(ctx, result, enumerators.as_number(ctx, links[-1].otherwise))

    if len(links) > LONGEST_NEST:
        write_groups(ctx, links, write, otherwise)
    else:
        write_nest(ctx, links, write, otherwise)
    return memory.load(ctx, result)
