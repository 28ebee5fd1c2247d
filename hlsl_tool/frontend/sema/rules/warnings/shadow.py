"""Warnings about local variables and parameters that hide a variable of an outer scope, by clang's rules."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import CBuffer, Function, Stmt, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.statement_walk import substatements
from hlsl_tool.frontend.sema.model.types import Field, Struct
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.frontend.sema.scope.scopes import Scope


def check(f: Function) -> list[Raw]:
    """Return a warning for each parameter and local variable that hides another variable."""
    if not isinstance(f.source, BodySource) or f.body is None:
        return []
    walker = _Walker(f, f.source.scope)
    for p in f.params:
        walker.declare(p)
    walker.statement(f.body)
    return walker.messages


class _Walker:
    """Walks the blocks of a body with the local variables in scope."""

    def __init__(self, function: Function, outside: Scope) -> None:
        self.function = function
        self.outside = outside
        self.scopes: list[dict[str, Variable]] = [{}]
        self.messages: list[Raw] = []

    def declare(self, v: Variable) -> None:
        """Add a variable to the innermost scope; report the variable that it hides.

        Static variables hide without a warning.
        """
        if not v.name:
            return
        local = next((scope[v.name] for scope in reversed(self.scopes) if v.name in scope), None)
        hidden = local or self.outside.lookup(v.name)
        if v.storage in ("local", "param") and isinstance(hidden, (Variable, Field)):
            what = "a local variable" if local is not None else _described(hidden)
            chunk = _chunk_of(hidden)
            note = [Raw(codes.SHADOWED, hidden.pos, {}, chunk)] if chunk is not None else []
            self.messages.append(Raw(codes.SHADOW, v.pos, {"what": what}, self.function.chunk, note))
        self.scopes[-1][v.name] = v

    def statement(self, s: Stmt) -> None:
        """Walk a statement and its sub-statements; one that has sub-statements opens a scope."""
        if isinstance(s, hir.DeclStmt):
            self.declare(s.var)
            return
        self.scopes.append({})
        for one in substatements(s):
            self.statement(one)
        self.scopes.pop()


def _described(hidden: Variable | Field) -> str:
    """Return the kind of a hidden variable for the message."""
    if isinstance(hidden, Field):
        return f"a field of '{hidden.owner.name}'" if hidden.owner is not None else "a field"
    if isinstance(hidden.owner, Struct):
        return f"a static data member of '{hidden.owner.name}'"
    if isinstance(hidden.owner, CBuffer):
        return f"a member of '{hidden.owner.name}'"
    return f"a variable in namespace '{hidden.scope}'" if hidden.scope else "a variable in the global namespace"


def _chunk_of(hidden: Variable | Field) -> SourceChunk | None:
    """Return the top-level declaration that contains a variable or member."""
    if isinstance(hidden, Field):
        return hidden.owner.chunk if hidden.owner is not None else None
    return hidden.chunk
