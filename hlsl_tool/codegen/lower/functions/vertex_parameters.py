"""Parameters of which ``GetAttributeAtVertex`` reads the value at a vertex: they are arrays of three values.

A function may be called with several inputs, so that its parameter cannot be traced to one of them.  The caller passes
the values at all vertices of the triangle; plain reads of the parameter get that of the first vertex.  Parameters whose
members are read are traced instead (`intrinsics.vertices`).
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.operands import walk
from hlsl_tool.frontend.sema.model.statement_walk import all_statements, expressions
from hlsl_tool.frontend.sema.scope.context import BodySource


def find(ctx: Lowering) -> set[Variable]:
    """Return the parameters with a value for each vertex, of all functions that the entry points reach."""
    entries = set(ctx.program.entries)
    functions = [f for f in reach(ctx.program, entries) if f not in entries]
    found: set[Variable] = set()
    for f in functions:
        if isinstance(f.source, BodySource):
            found.update(_named(f, (call.args[0] for call in f.source.vertex_reads)))
    while found:
        before = len(found)
        for f in functions:
            found.update(_named(f, _passed(ctx, f, found)))
        if len(found) == before:
            break
    return found


def _passed(ctx: Lowering, f: Function, parameters: set[Variable]) -> Iterator[hir.Expr]:
    """Yield the arguments that calls in the body of ``f`` pass for the parameters in ``parameters``."""
    if f.body is None:
        return
    for statement in all_statements(f.body):
        for call in (x for e in expressions(statement) for x in walk(e) if isinstance(x, hir.Call)):
            callee = ctx.definition(call.function)
            yield from (a for p, a in zip(callee.params, call.args, strict=True) if p in parameters)


def _named(f: Function, arguments: Iterator[hir.Expr]) -> Iterator[Param]:
    """Yield the numeric parameters of ``f`` that ``arguments`` name, also if they name only components of one."""
    for argument in arguments:
        x = argument
        while isinstance(x, (hir.Load, hir.Cast, hir.Swizzle)):
            x = x.base if isinstance(x, hir.Swizzle) else x.operand
        if isinstance(x, hir.VarRef) and isinstance(x.var, Param) and x.var in f.params and ty.is_numeric(x.var.type):
            yield x.var
