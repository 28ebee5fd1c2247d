"""The sub-statements and expressions of each class of statements, for generic traversals."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Expr, Stmt
from hlsl_tool.frontend.sema.model.operands import walk

_PARTS: dict[type, tuple[str, ...]] = {
    hir.Block: ("statements",),
    hir.If: ("declaration", "then", "otherwise"),
    hir.For: ("init", "declaration", "body"),
    hir.While: ("declaration", "body"),
    hir.Do: ("body",),
    hir.Switch: ("declaration", "body"),
}
"""Class of a statement → attributes that are statements or lists of them."""
_EXPRESSIONS: dict[type, tuple[str, ...]] = {
    hir.ExprStmt: ("expr",),
    hir.If: ("cond",),
    hir.For: ("cond", "step"),
    hir.While: ("cond",),
    hir.Do: ("cond",),
    hir.Switch: ("cond",),
    hir.Return: ("value",),
}


def substatements(s: Stmt) -> Iterator[Stmt]:
    """Yield the statements directly inside a statement."""
    for name in _PARTS.get(s.__class__, ()):
        value = getattr(s, name)
        if isinstance(value, list):
            yield from value
        elif value is not None:
            yield value


def expressions(s: Stmt) -> Iterator[Expr]:
    """Yield the expressions directly in a statement, not those in its sub-statements."""
    if isinstance(s, hir.DeclStmt):
        if s.var.init is not None:
            yield s.var.init
        return
    for name in _EXPRESSIONS.get(s.__class__, ()):
        value = getattr(s, name)
        if value is not None:
            yield value


def all_statements(s: Stmt) -> Iterator[Stmt]:
    """Yield a statement and all its direct and indirect sub-statements, in source order."""
    todo = [s]
    while todo:
        one = todo.pop()
        yield one
        todo += reversed(list(substatements(one)))


def root_expressions(s: Stmt) -> Iterator[Expr]:
    """Yield the expressions in a statement and all its sub-statements, but not the operands of these expressions."""
    for one in all_statements(s):
        yield from expressions(one)


def all_expressions(s: Stmt) -> Iterator[Expr]:
    """Yield the expressions in a statement and all its sub-statements, including the operands of these expressions."""
    for e in root_expressions(s):
        yield from walk(e)
