"""The typed expressions of function bodies, indexed by token."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hlsl_tool.base.system.dataclass import fields
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Field, Struct
from hlsl_tool.frontend.sema.scope.context import BodySource

Target = hir.Variable | hir.Function | Field
_PARTS = (*hir.Expr.__args__, *hir.Stmt.__args__)
_NAMES = (
    hir.VarRef, hir.Member, hir.Call, hir.MethodCall, hir.IntrinsicCall, hir.Swizzle, hir.MatrixSwizzle,
)  # fmt: skip
Typed = dict[int, list[hir.Expr]]


class TypedTable:
    """Typed expressions by top-level declaration and token; computed at the first use of a declaration."""

    def __init__(self, program: hir.Program) -> None:
        self.program = program
        self._all: list[hir.Function] | None = None
        self._functions: dict[SourceChunk, list[hir.Function]] | None = None
        self._globals: dict[SourceChunk, list[hir.Variable | hir.CBuffer]] | None = None
        self._typed: dict[SourceChunk, Typed] = {}

    def all_functions(self) -> list[hir.Function]:
        """Return all functions of the shader, including the instances of templates that it calls."""
        if self._all is None:
            self._all = list(_all_functions(self.program))
        return self._all

    def functions(self, chunk: SourceChunk) -> list[hir.Function]:
        """Return the analysed functions with bodies in a top-level declaration, including instances of templates."""
        if self._functions is None:
            self._functions = {}
            for function in self.all_functions():
                if function.chunk is not None:
                    self._functions.setdefault(function.chunk, []).append(function)
        return self._functions.get(chunk, [])

    def globals(self, chunk: SourceChunk) -> list[hir.Variable | hir.CBuffer]:
        """Return the global variables and blocks that a top-level declaration declares."""
        if self._globals is None:
            self._globals = {}
            for variable in self.program.globals:
                if variable.chunk is not None:
                    self._globals.setdefault(variable.chunk, []).append(variable)
        return self._globals.get(chunk, [])

    def at(self, chunk: SourceChunk, pos: int) -> list[hir.Expr]:
        """Return the expressions at a token: several for instances of a template; names precede conversions."""
        return self.expressions(chunk).get(pos, [])

    def expressions(self, chunk: SourceChunk) -> Typed:
        """Return token → expressions of a top-level declaration."""
        typed = self._typed.get(chunk)
        if typed is None:
            typed = self._typed[chunk] = {}
            for function in self.functions(chunk):
                _collect(function.body, typed)
                _collect([p.default for p in function.params if p.default_chunk is chunk], typed)
            for variable in self.globals(chunk):
                if isinstance(variable, hir.Variable):
                    _collect(variable.init, typed)
        return typed

    def variable(self, chunk: SourceChunk, pos: int) -> hir.Variable | None:
        """Return the variable that the token ``pos`` declares: local, parameter or global.

        ``None`` if it declares none.
        """
        for item in self.globals(chunk):
            members = [*item.members, *item.other_members] if isinstance(item, hir.CBuffer) else [item]
            for variable in members:
                if variable.pos == pos:
                    return variable
        for function in self.functions(chunk):
            for variable in (*function.params, *_locals(function.body)):
                if variable.pos == pos and variable.chunk in (chunk, None):
                    return variable
        return None


def _all_functions(program: hir.Program) -> Iterable[hir.Function]:
    functions = dict.fromkeys([*program.functions, *program.reachable, *program.definitions.values()])
    todo = list(functions)
    while todo:
        source = todo.pop().source
        if isinstance(source, BodySource):
            for callee in source.calls:
                callee = program.definitions.get(callee, callee)
                if callee not in functions:
                    functions[callee] = None
                    todo.append(callee)
    return functions


def _locals(body: hir.Block | None) -> Iterable[hir.Variable]:
    todo: list[Any] = [body]
    while todo:
        node = todo.pop()
        if isinstance(node, hir.DeclStmt):
            yield node.var
        elif isinstance(node, (list, tuple)):
            todo += node
        elif isinstance(node, hir.Stmt):
            todo += [getattr(node, part.name) for part in fields(node)]


def _collect(root: object, typed: Typed) -> None:
    """Add all expressions below ``root``, a node of the typed syntax tree, to ``typed`` (token → expressions).

    If a token has several expressions, one that is a name comes first.
    """
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += reversed(node)
            continue
        if not isinstance(node, _PARTS):
            continue
        if isinstance(node, hir.DeclStmt):
            todo.append(node.var.init)
            continue
        if isinstance(node, hir.Expr):
            _add(typed, node)
        todo += [getattr(node, part.name) for part in reversed(fields(node)) if part.name not in _NO_CHILDREN]


_NO_CHILDREN = frozenset(
    ("type", "var", "function", "field", "param_types", "attributes", "default_chunks", "compute_type")
)


def _add(typed: Typed, node: hir.Expr) -> None:
    present = typed.setdefault(node.pos, [])
    if isinstance(node, _NAMES) or (isinstance(node, hir.Literal_) and node.enumerator):
        if not present or not isinstance(present[0], _NAMES):
            present.insert(0, node)
        elif type(present[0]) is not type(node) or target_of(present[0]) is not target_of(node):
            present.append(node)
    elif not present:
        present.append(node)


def target_of(e: hir.Expr) -> Target | None:
    """Return the declaration to which an expression refers; ``None`` for intrinsics and computed values."""
    if isinstance(e, hir.VarRef):
        return e.var
    if isinstance(e, hir.Call):
        return e.function
    return e.field if isinstance(e, hir.Member) else None


def place_of(target: Target) -> tuple[SourceChunk | None, int]:
    """Return (chunk, token) where a variable, function or field is declared."""
    if isinstance(target, Field):
        return (target.owner.chunk if isinstance(target.owner, Struct) else None), target.pos
    return target.chunk, target.pos
