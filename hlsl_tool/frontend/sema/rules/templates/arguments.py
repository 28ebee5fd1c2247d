"""Bind template parameters to arguments, and create the context in which the template is analysed."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import constants
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.instances import Instance, Raw
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Scalar, Struct, Vector
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.scope.context import MAX_TEMPLATE_DEPTH, Context
from hlsl_tool.frontend.sema.scope.scopes import (
    Alias,
    AliasTemplate,
    Binding,
    Constant,
    FunctionTemplate,
    Scope,
    Specialization,
    StructTemplate,
    VariableTemplate,
)
from hlsl_tool.frontend.syntax import ast

Bindings = dict[str, object]
"""Template parameter → type or value."""

TYPES = (Scalar, Vector, Matrix, Array, Struct, ty.Enum, ObjectType)


def bind(ctx: Context, scope: Scope, params: Sequence[ast.TemplateParam], args: Bindings) -> dict[str, Binding]:
    """Return name → binding of the template parameters ``params``, for a template that is declared in ``scope``."""
    names: dict[str, Binding] = {}
    for p in params:
        v = args.get(p.name)
        if isinstance(v, TYPES):
            names[p.name] = Alias(v)
        elif isinstance(v, (bool, int, float)):
            names[p.name] = _constant(ctx, scope, p, v, names)
    return names


def _constant(
    ctx: Context, scope: Scope, p: ast.TemplateParam, v: bool | int | float, names: dict[str, Binding]
) -> Constant:
    """Convert ``v`` to the declared type of a template parameter, which may depend on earlier parameters."""
    assert p.type is not None
    outer, ctx.scope = ctx.scope, Scope("template", scope, dict(names))
    try:
        t = type_names.resolve(ctx, p.type).type
    finally:
        ctx.scope = outer
    converted = constants.convert(v, t)
    if not isinstance(converted, (bool, int, float)) or not isinstance(t, (Scalar, ty.Enum)):
        ctx.fail(codes.TEMPLATE_ARG_KIND, p.pos, name=p.name, wanted=f"a constant of type '{ty.display(t)}'")
    return Constant(p.name, converted, t)


Declared = FunctionTemplate | StructTemplate | AliasTemplate | VariableTemplate | Specialization
"""Declarations that record their scope and chunk."""


def within(ctx: Context, t: Declared, names: dict[str, Binding], pos: int) -> Context:
    """Return a context for analysing in the template's scope, at its top-level declaration, with ``names`` bound.

    Results are added to those of ``ctx``.
    """
    inner = _inside(ctx, t, names, pos, ctx.messages)
    inner.globals, inner.functions, inner.structs = ctx.globals, ctx.functions, ctx.structs
    inner.enums, inner.definitions, inner.pending = ctx.enums, ctx.definitions, []
    inner.instance, inner.used = ctx.instance, ctx.used
    return inner


def making(ctx: Context, t: Declared, names: dict[str, Binding], pos: int, instance: Instance) -> Context:
    """Return a context for an instantiation; results are added to ``instance``."""
    inner = _inside(ctx, t, names, pos, instance.messages)
    inner.globals, inner.functions, inner.structs = instance.globals, instance.functions, instance.structs
    inner.enums, inner.definitions, inner.pending = instance.enums, instance.definitions, instance.pending
    inner.instance = instance
    return inner


def _inside(ctx: Context, t: Declared, names: dict[str, Binding], pos: int, messages: list[Raw]) -> Context:
    if ctx.template_depth >= MAX_TEMPLATE_DEPTH:
        ctx.fail(codes.TEMPLATE_DEPTH, pos, limit=MAX_TEMPLATE_DEPTH)
    inner = Context(ctx.language, t.chunk, Scope("template", t.scope, names), messages, t.pack)
    inner.template_depth = ctx.template_depth + 1
    return inner
