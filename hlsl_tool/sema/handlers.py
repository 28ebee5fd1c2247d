"""Registries through which the mutually recursive rules of semantic analysis call each other.

An expression contains types, a type contains expressions (array bounds) and may instantiate a template, whose
declarations contain both. Each rule registers the syntax that it analyses here, and calls the other rules through
`check_expression`, `declare`, `declare_type` and `instantiate`; no rule imports one that imports it. `sema.rules`
imports all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hlsl_tool.sema import hir
from hlsl_tool.sema.context import Context, Poisoned
from hlsl_tool.sema.scope import AliasTemplate, StructTemplate, Trait, VariableTemplate
from hlsl_tool.sema.types import INVALID, Type
from hlsl_tool.syntax import ast

Handler = TypeVar("Handler", bound=Callable[..., Any])
Template = StructTemplate | AliasTemplate | VariableTemplate | Trait

_EXPRESSIONS: dict[type, Callable[..., hir.Expr]] = {}
_DECLARATIONS: dict[type, Callable[..., None]] = {}
_TYPES: dict[type, Callable[..., Type]] = {}
_TEMPLATES: dict[type, Callable[..., Any]] = {}


def _registers(table: dict[type, Any], node: type) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        assert node not in table, node
        table[node] = handler
        return handler

    return register


def expression(node: type[ast.Expr]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which returns the checked expression."""
    return _registers(_EXPRESSIONS, node)


def declaration(node: type[ast.Decl]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which binds the names that the node declares."""
    return _registers(_DECLARATIONS, node)


def type_declaration(node: type[ast.StructDecl | ast.EnumDecl | ast.Decltype]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which declares a type and returns it."""
    return _registers(_TYPES, node)


def template(kind: type[Template]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, template, args, pos)``, which returns the instance for the arguments as written."""
    return _registers(_TEMPLATES, kind)


def check_expression(ctx: Context, e: ast.Expr) -> hir.Expr:
    """Analyse an expression; raise `Poisoned` if it is invalid."""
    checked = _EXPRESSIONS[e.__class__](ctx, e)
    if checked.type is INVALID:
        raise Poisoned
    return checked


def check_expressions(ctx: Context, expressions: Sequence[ast.Expr]) -> list[hir.Expr]:
    """Analyse all expressions, also those after an invalid one; raise `Poisoned` if one is invalid."""
    checked: list[hir.Expr] = []
    is_valid = True
    for e in expressions:
        try:
            checked.append(check_expression(ctx, e))
        except Poisoned:
            is_valid = False
    if not is_valid:
        raise Poisoned
    return checked


def declare(ctx: Context, d: ast.Decl) -> None:
    """Declare ``d`` in the current scope; report an error if it is invalid."""
    try:
        _DECLARATIONS[d.__class__](ctx, d)
    except Poisoned:
        return


def declare_type(ctx: Context, d: ast.StructDecl | ast.EnumDecl | ast.Decltype) -> Type:
    """Declare a type where it is named, as in ``struct S { ... } s;``, and return it; raise `Poisoned` if invalid."""
    return _TYPES[d.__class__](ctx, d)


def instantiate(ctx: Context, t: Template, args: Sequence[ast.TemplateArg] | None, pos: int) -> Any:
    """Return the instance of a template: a struct, an alias as written (`type_names.Written`) or a variable.

    Raise `Poisoned`, after reporting an error, if the arguments do not fit or the instance is invalid.
    """
    return _TEMPLATES[t.__class__](ctx, t, args, pos)
