"""Warnings about variables that are used, and ``out`` parameters that are returned, uninitialised."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Enum, Scalar, Vector
from hlsl_tool.frontend.sema.rules.flow.assignment import Assignment, Use
from hlsl_tool.frontend.sema.rules.flow.builder import build
from hlsl_tool.frontend.sema.rules.flow.graph import Branch, Event


def check_parameters(f: Function) -> list[Raw]:
    """Return warnings about ``out`` parameters that some path through the function leaves uninitialised."""
    parameters: list[Variable] = [p for p in f.params if p.direction == "out" and p.name and _has_one_value(p)]
    if not parameters or f.body is None:
        return []
    graph = build(f.body, frozenset(parameters).__contains__)
    named = {event.variable for block in graph.blocks for event in block.events}
    results = [p for p in parameters if p in named or not any(a.name == "maybe_unused" for a in p.attributes)]
    for block, pos in graph.exits[:-1]:
        block.events += [Event("use", p, pos) for p in results]
    graph.end.events += [Event("use", p, graph.exits[-1][1]) for p in results]
    return _reported(f, Assignment(graph, parameters))


def check_variables(f: Function) -> list[Raw]:
    """Return warnings about local variables that may be uninitialised where they are used."""
    if f.body is None:
        return []
    graph = build(f.body, lambda v: v.storage == "local" and not isinstance(v, Param) and _has_one_value(v))
    return _reported(f, Assignment(graph, []))


def _has_one_value(v: Variable) -> bool:
    """Return whether a variable is tracked: a scalar, vector or enum.  Elements and members are not tracked."""
    return isinstance(v.type, (Scalar, Vector, Enum))


_RANKS = ("always", "from entry", "from declaration", "sometimes")


def _reported(f: Function, assignment: Assignment) -> list[Raw]:
    """Return a warning for each variable, about its most certain uninitialised use."""
    uses: dict[Variable, list[Use]] = {}
    for use in assignment.uses():
        if use.certainty in _RANKS:
            uses.setdefault(use.event.variable, []).append(use)
    messages: list[Raw] = []
    for variable, found in uses.items():
        messages += _warnings(f, variable, min(found, key=lambda use: _RANKS.index(use.certainty)))
    return messages


def _warnings(f: Function, v: Variable, use: Use) -> list[Raw]:
    is_parameter = isinstance(v, Param)
    what = "parameter" if is_parameter else "variable"
    note = Raw(codes.VARIABLE_DECLARED, v.pos, {"name": v.name}, f.chunk)
    if use.certainty == "always":
        code = codes.UNINITIALIZED_PARAMETER if is_parameter else codes.UNINITIALIZED
        return [Raw(code, use.event.pos, {"what": what, "name": v.name}, f.chunk, [note])]
    code = codes.SOMETIMES_UNINITIALIZED_PARAMETER if is_parameter else codes.SOMETIMES_UNINITIALIZED
    if use.certainty != "sometimes":
        when = f"function '{f.name}' is called" if use.certainty == "from entry" else "its declaration is reached"
        return [_sometimes(code, v.pos, what, v.name, when, f, note)]
    return [_sometimes(code, b.pos, what, v.name, _condition(b, taken), f, note) for b, taken in use.branches]


def _sometimes(code: Code, pos: int, what: str, name: str, when: str, f: Function, note: Raw) -> Raw:
    return Raw(code, pos, {"what": what, "name": name, "when": when}, f.chunk, [note])


def _condition(b: Branch, taken: bool) -> str:
    """Return clang's words for the condition under which a branch is (not) taken."""
    if b.name in ("case", "default"):
        return f"switch {b.name} is taken"
    if b.name in ("for", "while"):
        return f"'{b.name}' loop {'is entered' if taken else 'exits because its condition is false'}"
    if b.name == "do":
        return f"'do' loop {'condition is true' if taken else 'exits because its condition is false'}"
    return f"'{b.name}' condition is {str(taken).lower()}"
