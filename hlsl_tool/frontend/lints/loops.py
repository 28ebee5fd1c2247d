"""Find expensive operations in loops whose operands are the same in all iterations."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.frontend.lints.expressions import literal_of
from hlsl_tool.frontend.lints.intrinsics import ELEMENTWISE
from hlsl_tool.frontend.lints.tree import LOOPS, root_variable, targets
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Stmt, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.operands import operands, walk
from hlsl_tool.frontend.sema.model.statement_walk import all_expressions, all_statements, substatements
from hlsl_tool.frontend.sema.model.types import ObjectType

LOOP_WORDS = frozenset(("for", "while", "do"))
EXPENSIVE = frozenset((
    "acos", "asin", "atan", "atan2", "cos", "cosh", "determinant", "distance", "exp", "exp2", "fmod", "length", "log",
    "log10", "log2", "normalize", "pow", "rcp", "refract", "rsqrt", "sin", "sincos", "sinh", "smoothstep", "sqrt",
    "tan", "tanh",
))  # fmt: skip
"""Functions that take a slow unit of the GPU, or several instructions."""
FETCHES = ("Sample", "Load", "Gather")
_CHEAP = frozenset(("all", "any", "cross", "dot", "mul", "reflect", "transpose", "NonUniformResourceIndex"))
_PURE = (hir.Load, hir.Cast, hir.Unary, hir.Binary, hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.InitList)
_READ_ONLY = ("Texture1D", "Texture2D", "Texture3D", "TextureCube")
_FIXED_STORAGE = frozenset(("local", "param", "cbuffer_member", "global"))

Loop = hir.For | hir.While | hir.Do


def check_loops(f: Function) -> list[Raw]:
    """Return a finding for each expensive expression in a loop that has the same value in every iteration."""
    if f.body is None:
        return []
    findings: dict[int, Raw] = {}
    for s in all_statements(f.body):
        if isinstance(s, LOOPS) and not _may_unroll(s):
            _check_loop(f, s, findings)
    return list(findings.values())


def _may_unroll(s: Loop) -> bool:
    """Return whether compilers may unroll a loop, after which its iterations share equal expressions."""
    if find_attribute(s.attributes, "unroll") is not None:
        return True
    cond = s.cond
    if isinstance(cond, hir.Binary):
        return literal_of(cond.left) is not None or literal_of(cond.right) is not None
    return cond is None or literal_of(cond) is not None


def _check_loop(f: Function, s: Loop, findings: dict[int, Raw]) -> None:
    changing = _changing_variables(s)
    for e in _every_round(s):
        for one in _maximal(e, changing):
            if one.pos not in findings:
                findings[one.pos] = _finding(f, s, one)


def _finding(f: Function, s: Loop, e: Expr) -> Raw:
    notes = [Raw(codes.LOOP_HERE, s.pos, {}, f.chunk)]
    hint = "compute it before the loop"
    if isinstance(e, hir.MethodCall):
        return Raw(codes.INVARIANT_FETCH, e.pos, {"name": e.name}, f.chunk, notes, hint)
    name = e.name if isinstance(e, hir.IntrinsicCall) else e.op if isinstance(e, hir.Binary) else ""
    return Raw(codes.INVARIANT_OPERATION, e.pos, {"name": name}, f.chunk, notes, hint)


def _changing_variables(s: Loop) -> set[Variable]:
    """Return the variables that a loop declares or assigns."""
    changing: set[Variable] = set()
    for one in all_statements(s):
        if isinstance(one, hir.DeclStmt):
            changing.add(one.var)
    for e in all_expressions(s):
        for target in targets(e):
            var = root_variable(target)
            if var is not None:
                changing.add(var)
    return changing


def _every_round(s: Loop) -> Iterator[Expr]:
    """Yield the expressions that every iteration evaluates, up to the first statement that may leave the loop."""
    if not isinstance(s, hir.Do):
        yield from _parts(s.cond)
    todo: list[Stmt] = [s.body]
    while todo:
        one = todo.pop()
        if isinstance(one, hir.Block):
            todo += reversed(list(substatements(one)))
        elif isinstance(one, hir.DeclStmt):
            yield from _parts(one.var.init)
        elif isinstance(one, hir.ExprStmt):
            yield from _parts(one.expr)
        elif isinstance(one, hir.If):
            yield from _parts(one.cond)
            if any(isinstance(inner, (hir.Break, hir.Continue, hir.Return)) for inner in all_statements(one)):
                return
        else:
            return


def _parts(e: Expr | None) -> Iterator[Expr]:
    """Yield the largest part of an expression that is always evaluated.

    It is the condition of ``?:``, the left operand of ``&&`` or ``||``, and any other expression itself.
    """
    if isinstance(e, hir.Ternary):
        yield from _parts(e.cond)
    elif isinstance(e, hir.Logical):
        yield from _parts(e.left)
    elif e is not None:
        yield e


def _maximal(e: Expr, changing: set[Variable]) -> Iterator[Expr]:
    """Yield the largest loop-invariant expensive subexpressions of an expression."""
    todo = [e]
    while todo:
        one = todo.pop()
        if _is_expensive(one) and _is_invariant(one, changing) and _has_variable(one):
            yield one
        elif isinstance(one, (hir.Ternary, hir.Logical)):
            todo += _parts(one)
        else:
            todo += operands(one)


def _is_expensive(e: Expr) -> bool:
    if isinstance(e, hir.IntrinsicCall):
        return e.name in EXPENSIVE and "out" not in e.directions
    if isinstance(e, hir.Binary):
        return e.op in ("/", "%") and not _is_literal(e.right)
    return isinstance(e, hir.MethodCall) and _is_fetch(e)


def _is_literal(e: Expr) -> bool:
    """Return whether an expression consists of literals: compilers replace a division by a literal by a product."""
    return all(isinstance(one, (hir.Literal_, hir.Cast, hir.InitList, hir.Unary)) for one in walk(e))


def _is_fetch(e: hir.MethodCall) -> bool:
    t = e.object.type
    return (
        isinstance(t, ObjectType)
        and t.name.startswith(_READ_ONLY)
        and e.name.startswith(FETCHES)
        and "out" not in e.directions
    )


def _is_invariant(e: Expr, changing: set[Variable]) -> bool:
    return all(_keeps(one, changing) for one in walk(e))


def _keeps(e: Expr, changing: set[Variable]) -> bool:
    """Return whether an expression's value is the same in every iteration if its operands' values are."""
    if isinstance(e, hir.VarRef):
        return e.var not in changing and e.var.storage in _FIXED_STORAGE
    if isinstance(e, hir.MethodCall):
        return _is_fetch(e)
    if isinstance(e, hir.IntrinsicCall):
        return e.name in EXPENSIVE or e.name in ELEMENTWISE or e.name in _CHEAP
    return isinstance(e, (*_PURE, hir.Literal_))


def _has_variable(e: Expr) -> bool:
    """Return whether an expression contains a numeric variable; other expressions are folded."""
    return any(isinstance(one, hir.VarRef) and not isinstance(one.type, ObjectType) for one in walk(e))
