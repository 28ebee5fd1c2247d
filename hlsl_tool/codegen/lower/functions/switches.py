"""Handlers of ``switch`` (manual: *Control Flows*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.access import is_repeatable
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import lowers
from hlsl_tool.codegen.lower.core.values import Loop
from hlsl_tool.codegen.lower.functions.conditions import condition
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.statement_walk import substatements


@lowers(hir.Switch)
def _switch(ctx: Lowering, s: hir.Switch) -> None:
    forced = bool(s.attributes) and s.attributes[0].name == "forcecase"
    if s.declaration is not None:
        ctx.stmt(s.declaration)
    statements = _flat(s.body)
    if s.attributes and not forced and is_repeatable(s.cond) and not any(map(_breaks, _opened(statements))):
        _switch_by_ifs(ctx, s, statements)
        return
    b = ctx.b
    selector = condition(ctx, s.cond)
    merge = b.new_block("switch.merge")
    ctx.loops.append(Loop(merge, ctx.loops[-1].continue_label if ctx.loops else 0))
    labels: dict[int, int] = {}
    targets: list[tuple[int, int]] = []
    default = merge
    for x in statements:
        if not isinstance(x, hir.Case):
            continue
        if x.value is None:
            default = labels[id(x)] = b.new_block("switch.default")
        else:
            sign = "n" if x.value < 0 else ""
            labels[id(x)] = b.new_block(f"switch.{sign}{abs(x.value)}")
            targets.append((x.value, labels[id(x)]))
    ctx.at_begin(s, s.cond)
    b.switch(selector, default, targets, merge=merge)
    ctx.block_begun(s.body)
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        for x in statements:
            if isinstance(x, hir.Case):
                ctx.at_begin(x)
                b.branch(labels[id(x)])
                b.set_insert_point(labels[id(x)])
            else:
                ctx.stmt(x)
    ctx.block_ended(s.body)
    ctx.at_end(s)
    b.branch(merge)
    b.set_insert_point(merge)
    ctx.loops.pop()


def _flat(body: hir.Stmt) -> list[hir.Stmt]:
    """Return the statements of a switch body as one list.

    Nested blocks with ``case`` labels are replaced by their statements.
    """
    if not isinstance(body, hir.Block):
        return [body]
    out: list[hir.Stmt] = []
    for x in body.statements:
        if isinstance(x, hir.Block) and any(isinstance(y, hir.Case) for y in _flat(x)):
            out += _flat(x)
        else:
            out.append(x)
    return out


def _breaks(s: hir.Stmt) -> bool:
    """Return whether a ``break`` inside a statement, other than the statement itself, leaves the switch around it."""
    if isinstance(s, (hir.For, hir.While, hir.Do, hir.Switch)):
        return False
    return any(isinstance(inner, hir.Break) or _breaks(inner) for inner in substatements(s))


def _opened(statements: list[hir.Stmt]) -> list[hir.Stmt]:
    out: list[hir.Stmt] = []
    for x in statements:
        out += _opened(x.statements) if isinstance(x, hir.Block) else [x]
    return out


def _switch_by_ifs(ctx: Lowering, s: hir.Switch, statements: list[hir.Stmt]) -> None:
    """Lower a switch to a chain of ``if``, as DXC does for ``[branch]`` and ``[flatten]``.

    Statements that a case falls through to are duplicated.
    """
    flat = _opened(statements)
    default: hir.Block | None = None
    arms: list[tuple[hir.Case, hir.Block]] = []
    for i, x in enumerate(flat):
        if not isinstance(x, hir.Case):
            continue
        body: list[hir.Stmt] = []
        for y in flat[i + 1 :]:
            if isinstance(y, hir.Break):
                break
            if not isinstance(y, hir.Case):
                body.append(y)
            if isinstance(y, hir.Return):
                break
        if x.value is None:
            default = hir.Block(body, x.pos)
        else:
            arms.append((x, hir.Block(body, x.pos)))
    chain: hir.Stmt | None = default
    for case, block in reversed(arms):
        assert case.expr is not None
        cond = hir.Binary("==", s.cond, case.expr, ty.BOOL, case.pos)
        chain = hir.If(cond, block, chain, case.pos)
    if chain is not None:
        ctx.stmt(chain)
