"""Registries through which the mutually recursive rules of semantic analysis call each other.

An expression contains types, a type contains expressions (array bounds) and may instantiate a template, whose
declarations contain both.  Each rule registers a handler here for the syntax nodes that it analyses.  It calls other
rules through `check_expression`, `declare`, `declare_type` and `instantiate`, so that modules of rules do not import
each other in cycles.  `frontend.sema.rules.modules` lists the modules of all rules, which are loaded on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hlsl_tool.base.system.handlers import HandlerTable
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import INVALID, Struct, Type
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import AliasTemplate, StructTemplate, Trait, VariableTemplate
from hlsl_tool.frontend.syntax import ast

Handler = TypeVar("Handler", bound=Callable[..., Any])
Template = StructTemplate | AliasTemplate | VariableTemplate | Trait

EXPRESSIONS: HandlerTable[type, Callable[..., hir.Expr]] = HandlerTable()
DECLARATIONS: HandlerTable[type, Callable[..., None]] = HandlerTable()
TYPES: HandlerTable[type, Callable[..., Type]] = HandlerTable()
TEMPLATES: HandlerTable[type, Callable[..., Any]] = HandlerTable()
REFERENCES: HandlerTable[type, Callable[..., Any]] = HandlerTable()
OBJECTS: HandlerTable[type, Callable[..., hir.Expr]] = HandlerTable()


def expression(node: type[ast.Expr]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which analyses expressions of this class and returns the HIR."""
    return EXPRESSIONS.register((node,))


def declaration(node: type[ast.Decl]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which binds the names that a declaration of this class introduces."""
    return DECLARATIONS.register((node,))


def type_declaration(node: type[ast.StructDecl | ast.EnumDecl | ast.Decltype]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, node)``, which declares a type and returns it."""
    return TYPES.register((node,))


def template(kind: type[Template]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, template, args, pos)``, which returns the template's instance for ``args``."""
    return TEMPLATES.register((kind,))


def reference(kind: type) -> Callable[[Handler], Handler]:
    """Register a handler of references: of their declaration, their name, and results of functions."""
    return REFERENCES.register((kind,))


def construction(kind: type[Struct | ast.InitList]) -> Callable[[Handler], Handler]:
    """Register ``handler(ctx, struct, args, pos)``, which calls a constructor of a struct that has some.

    For lists it is ``handler(ctx, list, type)``, which initialises an aggregate by the rules of C++.
    """
    return OBJECTS.register((kind,))


def construct(ctx: Context, s: Struct, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Build the call of the constructor of ``s`` that takes these arguments; report an error if there is none."""
    return OBJECTS[Struct](ctx, s, args, pos)


def aggregate(ctx: Context, e: ast.InitList, to: Type) -> hir.Expr:
    """Convert an initialiser list to ``to`` by the rules of C++."""
    return OBJECTS[ast.InitList](ctx, e, to)


def check_expression(ctx: Context, e: ast.Expr) -> hir.Expr:
    """Analyse an expression; raise `Poisoned` if it is invalid."""
    checked = EXPRESSIONS[e.__class__](ctx, e)
    if checked.type is INVALID:
        raise Poisoned
    return checked


def check_expressions(ctx: Context, expressions: Sequence[ast.Expr]) -> list[hir.Expr]:
    """Analyse all expressions, including those after an invalid one; raise `Poisoned` if any is invalid."""
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
    """Analyse the declaration ``d`` in the current scope; report an error if it is invalid."""
    try:
        DECLARATIONS[d.__class__](ctx, d)
    except Poisoned:
        return


def declare_type(ctx: Context, d: ast.StructDecl | ast.EnumDecl | ast.Decltype) -> Type:
    """Declare a type where it is used, as in ``struct S { ... } s;``, and return it.

    Raise `Poisoned` if it is invalid.
    """
    return TYPES[d.__class__](ctx, d)


def instantiate(ctx: Context, t: Template, args: Sequence[ast.TemplateArg] | None, pos: int) -> Any:
    """Return the instance of a template: a struct, a variable, or the type of an alias (`type_names.Written`).

    Raise `Poisoned`, after reporting an error, if the arguments do not fit or the instance is invalid.
    """
    return TEMPLATES[t.__class__](ctx, t, args, pos)
