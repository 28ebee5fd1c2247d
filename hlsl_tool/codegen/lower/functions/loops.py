"""Handlers of ``for``, ``while`` and ``do`` (manual: *Control Flows*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import lowers
from hlsl_tool.codegen.lower.core.values import Loop
from hlsl_tool.codegen.lower.functions.conditions import condition, short_circuits
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.spirv.enums import LoopControl

_LOOP = {"unroll": LoopControl.Unroll, "loop": LoopControl.DontUnroll, "fastopt": LoopControl.DontUnroll}


def _loop_control(ctx: Lowering, attributes: tuple[Attribute, ...]) -> int:
    if attributes and attributes[0].name == "allow_uav_condition" and not ctx.options.no_warn_ignored_features:
        ctx.warn(codes.ALLOW_UAV_CONDITION, attributes[0].pos)
    return _LOOP.get(attributes[0].name, 0) if attributes else 0


@lowers(hir.For)
def _for(ctx: Lowering, s: hir.For) -> None:
    for x in s.init:
        ctx.stmt(x)
    with ctx.limits.nested():
        if s.attributes and s.attributes[0].name == "unroll":
            ctx.limits.unrolled(s)
        ctx.limits.deeper(s.pos)
        _check_first(ctx, s, "for", s.step)


@lowers(hir.While)
def _while(ctx: Lowering, s: hir.While) -> None:
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        _check_first(ctx, s, "while", None)


def _check_first(ctx: Lowering, s: hir.For | hir.While, name: str, step: hir.Expr | None) -> None:
    b, cond, declaration = ctx.b, s.cond, s.declaration
    control = _loop_control(ctx, s.attributes)
    branching = short_circuits(cond)
    check = b.new_block(f"{name}.check")
    header = b.new_block(f"{name}.header") if branching else check
    inside, continuing, merge = (b.new_block(f"{name}.{x}") for x in ("body", "continue", "merge"))
    ctx.loops.append(Loop(merge, continuing))
    if isinstance(s, hir.For):
        ctx.at_check(s)
    else:
        ctx.at_begin(s)
    b.branch(header)
    if branching:
        b.set_insert_point(header)
        ctx.at_begin(cond or s.body, cond)
        b.loop_merge(merge, continuing, control)
        b.branch(check)
        b.set_insert_point(check)
        if declaration is not None:
            ctx.stmt(declaration)
        assert cond is not None
        go_on = condition(ctx, cond)
        ctx.at_end(cond, cond)
        b.branch_conditional(go_on, inside, merge)
    else:
        b.set_insert_point(check)
        if declaration is not None:
            ctx.stmt(declaration)
        go_on = condition(ctx, cond) if cond is not None else b.const_bool(True)
        if name == "while" or cond is None:
            ctx.at_begin(s if name == "while" else s.body, cond)
        else:
            ctx.at_end(cond, cond)
        b.branch_conditional(go_on, inside, merge, merge=merge, continuing=continuing, control=control)
    b.set_insert_point(inside)
    ctx.stmt(s.body)
    ctx.at_end(s, step)
    b.branch(continuing)
    b.set_insert_point(continuing)
    if step is not None:
        ctx.expr_or_none(step)
    ctx.at_end(s, step)
    b.branch(header)
    b.set_insert_point(merge)
    ctx.loops.pop()


@lowers(hir.Do)
def _do(ctx: Lowering, s: hir.Do) -> None:
    b = ctx.b
    control = _loop_control(ctx, s.attributes)
    header, inside, continuing, merge = (b.new_block(f"do_while.{x}") for x in ("header", "body", "continue", "merge"))
    ctx.loops.append(Loop(merge, continuing))
    ctx.at_begin(s)
    b.branch(header)
    b.set_insert_point(header)
    ctx.at_begin(s.body)
    b.loop_merge(merge, continuing, control)
    b.branch(inside)
    b.set_insert_point(inside)
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        ctx.stmt(s.body)
    ctx.at_end(s.body)
    b.branch(continuing)
    b.set_insert_point(continuing)
    cond = condition(ctx, s.cond)
    ctx.at_end(s, s.cond)
    b.branch_conditional(cond, header, merge)
    b.set_insert_point(merge)
    ctx.loops.pop()
