"""Calls of ``constexpr`` functions in constant expressions, from HLSL 202x on."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model import constants, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import Value, evaluate
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body

MAX_STEPS = 100_000
"""Limit on the statements that the calls of one constant expression execute."""


class _Jump(Exception):
    """Leaves a loop or function: ``kind`` is ``break``, ``continue``, ``return``, or ``""`` if there is no value."""

    def __init__(self, kind: str, value: Value | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value


_steps = [0]


def call(e: hir.Call, depth: int) -> Value | None:
    """Return the value of a call; ``None`` if the function or an argument is not constant."""
    f = e.function
    if "constexpr" not in f.quals or e.this is not None:
        return None
    analyze_body(f)
    if f.body is None or len(e.args) != len(f.params):
        return None
    values = [evaluate(a, depth) for a in e.args]
    if any(v is None for v in values) or any(p.direction != "in" for p in f.params):
        return None
    if depth == 1:
        _steps[0] = 0
    outer, constants.BOUND = constants.BOUND, dict(zip(f.params, values, strict=True))  # type: ignore[arg-type]
    try:
        _execute(f.body, depth)
    except _Jump as jump:
        return jump.value if jump.kind == "return" else None
    except RecursionError:
        return None
    finally:
        constants.BOUND = outer
    return None


def _value(e: hir.Expr, depth: int) -> Value:
    """Return the value of an expression in a constant call, after its side effects."""
    if isinstance(e, hir.Assign):
        return _store(e.target, _value(e.value, depth))
    if isinstance(e, hir.CompoundAssign):
        target = hir.Load(e.target, e.target.type, e.pos)
        wide = target if e.compute_type is e.target.type else hir.Cast("numeric", target, e.compute_type, e.pos)
        value = evaluate(hir.Binary(e.op, wide, e.value, e.compute_type, e.pos), depth)
        changed = constants.convert(value, e.target.type) if value is not None else None
        return _store(e.target, changed)
    if isinstance(e, hir.IncDec):
        old = evaluate(hir.Load(e.operand, e.operand.type, e.pos), depth)
        if not isinstance(old, (int, float)):
            raise _Jump("")
        new = constants.convert(old + (1 if e.op == "++" else -1), e.operand.type)
        _store(e.operand, new)
        return new if e.is_prefix and new is not None else old
    if isinstance(e, hir.Comma):
        _value(e.left, depth)
        return _value(e.right, depth)
    if isinstance(e, (hir.Load, hir.Cast)) and isinstance(e.operand, (hir.Assign, hir.IncDec, hir.CompoundAssign)):
        return _value(e.operand, depth)
    value = evaluate(e, depth)
    if value is None:
        raise _Jump("")
    return value


def _store(target: hir.Expr, value: Value | None) -> Value:
    if not isinstance(target, hir.VarRef) or target.var not in constants.BOUND or value is None:
        raise _Jump("")
    constants.BOUND[target.var] = value
    return value


def _execute(s: hir.Stmt | None, depth: int) -> None:
    _steps[0] += 1
    if _steps[0] > MAX_STEPS:
        raise _Jump("")
    if isinstance(s, hir.Block):
        for inner in s.statements:
            _execute(inner, depth)
    elif isinstance(s, hir.DeclStmt):
        if not isinstance(s.var.type, (ty.Scalar, ty.Vector, ty.Enum)):
            raise _Jump("")
        constants.BOUND[s.var] = _value(s.var.init, depth) if s.var.init is not None else 0
    elif isinstance(s, hir.ExprStmt):
        _value(s.expr, depth)
    elif isinstance(s, hir.If) and s.declaration is None:
        _execute(s.then if _value(s.cond, depth) else s.otherwise, depth)
    elif isinstance(s, hir.Return) and s.value is not None:
        raise _Jump("return", _value(s.value, depth))
    elif isinstance(s, (hir.Break, hir.Continue)):
        raise _Jump("break" if isinstance(s, hir.Break) else "continue")
    elif isinstance(s, (hir.For, hir.While, hir.Do)):
        _loop(s, depth)
    elif s is not None and not isinstance(s, hir.EmptyStmt):
        raise _Jump("")


def _loop(s: hir.For | hir.While | hir.Do, depth: int) -> None:
    for init in s.init if isinstance(s, hir.For) else ():
        _execute(init, depth)
    is_first = isinstance(s, hir.Do)
    while is_first or s.cond is None or _value(s.cond, depth):
        is_first = False
        try:
            _execute(s.body, depth)
        except _Jump as jump:
            if jump.kind == "break":
                return
            if jump.kind != "continue":
                raise
        if isinstance(s, hir.For) and s.step is not None:
            _value(s.step, depth)


constants.HANDLERS[hir.Call] = call
