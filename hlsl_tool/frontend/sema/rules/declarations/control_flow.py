"""Control flow: whether the end of a function is reachable.  Conditions that are constant are evaluated."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate


@dataclass(slots=True)
class Flow:
    """The ways in which control may leave a statement: to the next one, by ``break``, ``continue`` or ``return``."""

    falls: bool = True
    """Control may reach the next statement."""
    breaks: bool = False
    """The statement may leave the enclosing loop or switch."""
    continues: bool = False
    """The statement may go to the condition of the enclosing loop."""
    returns: bool = False
    """The statement contains a reachable ``return``."""


def flow_of(s: hir.Stmt | None) -> Flow:
    """Return the ways in which control may leave a statement; statements after a jump add none."""
    if isinstance(s, hir.Block):
        return _sequence(s.statements)
    if isinstance(s, hir.If):
        return _if(s)
    if isinstance(s, (hir.For, hir.While)):
        return _loop(s.body, s.cond)
    if isinstance(s, hir.Do):
        return _do(s)
    if isinstance(s, hir.Switch):
        return _switch(s)
    if isinstance(s, hir.Return):
        return Flow(falls=False, returns=True)
    if isinstance(s, hir.Break):
        return Flow(falls=False, breaks=True)
    if isinstance(s, hir.Continue):
        return Flow(falls=False, continues=True)
    return Flow()


def _sequence(statements: list[hir.Stmt]) -> Flow:
    out = Flow()
    for s in statements:
        if not out.falls:
            if not isinstance(s, hir.Case):
                continue
            out.falls = True
        one = flow_of(s)
        _join(out, one)
        out.falls = one.falls
    return out


def _if(s: hir.If) -> Flow:
    """Return how control may leave an ``if``; iterate over long ``else if`` chains instead of recursing."""
    out = Flow(False)
    link: hir.Stmt | None = s
    while isinstance(link, hir.If):
        if not _is(link.cond, False):
            _join(out, flow_of(link.then))
        if _is(link.cond, True):
            return out
        link = link.otherwise
    _join(out, flow_of(link))
    return out


def _join(out: Flow, branch: Flow) -> None:
    out.falls |= branch.falls
    out.breaks |= branch.breaks
    out.continues |= branch.continues
    out.returns |= branch.returns


def _loop(body: hir.Stmt, cond: hir.Expr | None) -> Flow:
    if cond is not None and _is(cond, False):
        return Flow()
    inner = flow_of(body)
    endless = cond is None or _is(cond, True)
    return Flow(falls=inner.breaks or not endless, returns=inner.returns)


def _do(s: hir.Do) -> Flow:
    body = flow_of(s.body)
    reaches_condition = body.falls or body.continues
    return Flow(falls=body.breaks or (reaches_condition and not _is(s.cond, True)), returns=body.returns)


def _switch(s: hir.Switch) -> Flow:
    statements: list[hir.Stmt] = s.body.statements if isinstance(s.body, hir.Block) else [s.body]
    body = _sequence(statements)
    has_default = any(isinstance(x, hir.Case) and x.value is None for x in statements)
    falls = body.falls or body.breaks or not has_default
    return Flow(falls=falls, continues=body.continues, returns=body.returns)


def _is(cond: hir.Expr, expected: bool) -> bool:
    value = evaluate(cond)
    return isinstance(value, (bool, int, float)) and bool(value) is expected
