"""The call graph of a program."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body
from hlsl_tool.frontend.sema.rules.declarations.functions import have_same_parameters
from hlsl_tool.frontend.sema.scope.context import BodySource


def body_of(program: Program, f: Function) -> Function:
    """Return the definition of ``f`` in this shader, after analysing its body."""
    f = program.definitions.get(f, f)
    if not f.has_body and f.owner is None and f not in program.definitions:
        f = program.definitions[f] = _defined_elsewhere(program, f)
    analyze_body(f)
    return f


def _defined_elsewhere(program: Program, f: Function) -> Function:
    """Return the global definition of a function that is declared inside another function; ``f`` if there is none."""
    for g in program.functions:
        if g.name == f.name and g.owner is None and g.has_body and have_same_parameters(f, g):
            return g
    return f


def reach(program: Program, roots: Iterable[Function], reached: Iterable[Function] = ()) -> list[Function]:
    """Return all functions reachable from ``roots``, in order of first call, after those that are ``reached``.

    The functions that ``reached`` ones call must be among these.
    """
    out = dict.fromkeys(reached)
    todo = list(reversed(list(roots)))
    while todo:
        f = todo.pop()
        if f in out:
            continue
        f = body_of(program, f)
        if f in out:
            continue
        out[f] = None
        if isinstance(f.source, BodySource):
            todo += reversed(f.source.calls)
    return list(out)


def callees(program: Program, f: Function) -> list[Function]:
    """Return the definitions of the functions that ``f`` calls, in order of first appearance."""
    if not isinstance(f.source, BodySource):
        return []
    return [program.definitions.get(callee, callee) for callee in f.source.calls]


def recursive(program: Program, root: Function) -> Function | None:
    """Return the first function on a call cycle that is reachable from ``root``; ``None`` if there is no recursion."""
    states: dict[Function, bool] = {}
    stack = [(root, iter(callees(program, root)))]
    states[root] = True
    while stack:
        f, rest = stack[-1]
        callee = next(rest, None)
        if callee is None:
            states[f] = False
            stack.pop()
        elif states.get(callee) is True:
            return callee
        elif callee not in states:
            states[callee] = True
            stack.append((callee, iter(callees(program, callee))))
    return None
