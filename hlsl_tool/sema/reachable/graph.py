"""The call graph of a program."""

from __future__ import annotations

from hlsl_tool.sema.context import BodySource
from hlsl_tool.sema.hir import Function, Program


def callees(program: Program, f: Function) -> list[Function]:
    """Return the definitions of the functions that ``f`` calls, in order of first appearance."""
    if not isinstance(f.source, BodySource):
        return []
    return [program.definitions.get(callee, callee) for callee in f.source.calls]


def reached(program: Program, root: Function) -> list[Function]:
    """Return a function and all that it reaches, in order of first call."""
    found: dict[Function, None] = {}
    todo = [root]
    while todo:
        f = todo.pop()
        if f not in found:
            found[f] = None
            todo += reversed(callees(program, f))
    return list(found)


def recursive(program: Program, root: Function) -> Function | None:
    """Return the first function on a cycle of calls that ``root`` reaches."""
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
