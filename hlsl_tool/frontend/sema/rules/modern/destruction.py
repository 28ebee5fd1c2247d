"""Destructors of local variables, from HLSL 202x on: they are called where a variable's block is left.

Parameters and the results of expressions have no destructors called, nor have global variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Struct, Type
from hlsl_tool.frontend.sema.rules.declarations.control_flow import flow_of
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.expressions.names import member_of
from hlsl_tool.frontend.sema.scope.context import BodySource, Context
from hlsl_tool.frontend.sema.scope.handlers import declare
from hlsl_tool.frontend.syntax import ast


def add_implicit(ctx: Context, s: Struct, pos: int) -> None:
    """Declare the destructor of a struct without one if a member or base has one."""
    if destructor(s) is None and any(destructor(part) for part in (*s.bases, *(f.type for f in s.fields))):
        void = ast.NamedType([ast.NamePart("void")], pos)
        declare(ctx, ast.FunctionDecl(void, ast.DESTRUCTOR, [], ast.Block([], pos, pos), pos, is_defaulted=True))


def destructor(t: Type) -> hir.Function | None:
    """Return the destructor of a type's objects; ``None`` if it has none."""
    inner = ty.innermost(t)
    functions = inner.methods.get(ast.DESTRUCTOR) if isinstance(inner, Struct) else None
    return functions[0] if functions else None


def add_calls(ctx: Context, f: hir.Function, source: BodySource) -> None:
    """Add the calls of destructors to the body of a function."""
    assert f.body is not None
    parts: list[hir.Expr] = []
    if source.decl.name == ast.DESTRUCTOR and isinstance(f.owner, Struct):
        whole = hir.This(f.owner, f.pos)
        parts += [hir.Cast("derived_to_base", whole, b, f.pos, is_lvalue=True) for b in f.owner.bases]
        parts += [member_of(ctx, whole, member, f.pos) for member in f.owner.fields]
    _Body(source, f.body).block(f.body, [p for p in parts if destructor(p.type)], _Targets())


class _Targets(NamedTuple):
    """How many objects live outside of the statement that a ``break`` leaves, and of that of a ``continue``."""

    broken: int = 0
    continued: int = 0


class _Body:
    """The statements of a function, to which calls are added."""

    def __init__(self, source: BodySource, body: hir.Block) -> None:
        self.source = source
        self.body = body

    def block(self, b: hir.Block, outer: list[hir.Expr], targets: _Targets) -> None:
        """Add calls to a block; ``outer`` are the objects around it."""
        objects = list(outer)
        statements: list[hir.Stmt] = []
        for s in b.statements:
            statements += self.statement(s, objects, targets)
            if isinstance(s, hir.DeclStmt) and self._is_destroyed(s.var):
                objects.append(hir.VarRef(s.var, s.var.type, s.pos))
        end = b.end if b.end >= 0 else b.pos
        first = 0 if b is self.body else len(outer)
        if flow_of(hir.Block(statements, b.pos)).falls:
            statements += self.calls(objects[first:], end)
        b.statements[:] = statements

    def _is_destroyed(self, v: hir.Variable) -> bool:
        is_own = v.storage == "local" and v is not self.source.constructed and v not in self.source.hidden
        return is_own and destructor(v.type) is not None

    def calls(self, objects: list[hir.Expr], pos: int) -> Iterator[hir.Stmt]:
        """Yield the calls that destroy objects, the last one first."""
        for x in reversed(objects):
            for element in _elements(x, pos):
                f = destructor(element.type)
                assert f is not None
                self.source.calls[f] = None
                yield hir.ExprStmt(hir.Call(f, [], ty.VOID, pos, element), pos)

    def statement(self, s: hir.Stmt, objects: list[hir.Expr], targets: _Targets) -> list[hir.Stmt]:
        if isinstance(s, hir.Return) and objects:
            return self._return(s, objects)
        if isinstance(s, hir.Break):
            return [*self.calls(objects[targets.broken :], s.pos), s]
        if isinstance(s, hir.Continue):
            return [*self.calls(objects[targets.continued :], s.pos), s]
        if isinstance(s, hir.For):
            return self._for(s, objects)
        if isinstance(s, hir.Block):
            self.block(s, objects, targets)
        elif isinstance(s, hir.If):
            s.then = self._branch(s.then, objects, targets)
            s.otherwise = self._branch(s.otherwise, objects, targets) if s.otherwise is not None else None
        elif isinstance(s, hir.Switch):
            s.body = self._branch(s.body, objects, targets._replace(broken=len(objects)))
        elif isinstance(s, (hir.While, hir.Do)):
            s.body = self._branch(s.body, objects, _Targets(len(objects), len(objects)))
        return [s]

    def _for(self, s: hir.For, outer: list[hir.Expr]) -> list[hir.Stmt]:
        """Add calls to a ``for``; the objects that its head declares are destroyed behind it."""
        objects = list(outer)
        for init in s.init:
            if isinstance(init, hir.DeclStmt) and self._is_destroyed(init.var):
                objects.append(hir.VarRef(init.var, init.var.type, init.pos))
        s.body = self._branch(s.body, objects, _Targets(len(objects), len(objects)))
        return [s, *self.calls(objects[len(outer) :], s.pos)]

    def _branch(self, s: hir.Stmt, objects: list[hir.Expr], targets: _Targets) -> hir.Stmt:
        statements = self.statement(s, objects, targets)
        return statements[0] if len(statements) == 1 else hir.Block(statements, s.pos, s.pos)

    def _return(self, s: hir.Return, objects: list[hir.Expr]) -> list[hir.Stmt]:
        """Return the statements of a ``return``: the value is computed before the objects are destroyed."""
        if s.value is None or s.value.type is ty.VOID:
            return [*self.calls(objects, s.pos), s]
        v = hir.Variable("result", s.value.type, "local", s.pos, init=s.value)
        value = conversions.load(hir.VarRef(v, v.type, s.pos))
        return [hir.DeclStmt(v, s.pos), *self.calls(objects, s.pos), replace(s, value=value)]


def _elements(x: hir.Expr, pos: int) -> Iterator[hir.Expr]:
    """Yield the objects in an array, the last one first; any other object itself."""
    if not isinstance(x.type, Array):
        yield x
        return
    for n in reversed(range(x.type.size or 0)):
        yield from _elements(hir.Index(x, hir.Literal_(n, ty.INT, pos), x.type.element, pos, is_lvalue=True), pos)
