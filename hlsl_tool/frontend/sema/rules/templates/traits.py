"""Built-in templates: ``std::is_same``; and the type that ``__decltype`` denotes."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.modern import numeric_limits
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import template, type_declaration
from hlsl_tool.frontend.sema.scope.scopes import Constant, Trait
from hlsl_tool.frontend.syntax import ast


@type_declaration(ast.Decltype)
def decltype(ctx: Context, d: ast.Decltype) -> Type:
    """Return the type of the operand of ``__decltype``, which is analysed but not evaluated."""
    return ex.check(ctx, d.operand).type


@template(Trait)
def instantiate_trait(ctx: Context, t: Trait, args: Sequence[ast.TemplateArg] | None, pos: int) -> Struct:
    """Return the struct whose ``value`` is true if both arguments are the same type."""
    if t.name == numeric_limits.NAME:
        return _numeric_limits(ctx, t, args, pos)
    if args is None or len(args) != 2:
        ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    first, second = (type_names.template_argument(ctx, a)[0] for a in args)
    result = Struct(t.name, "struct", pos=pos, scope="std", is_complete=True)
    result.constants["value"] = Constant("value", first is second, ty.BOOL, "std::is_same")
    return result


def _numeric_limits(ctx: Context, t: Trait, args: Sequence[ast.TemplateArg] | None, pos: int) -> Struct:
    """Return ``numeric_limits<T>`` of a scalar type."""
    if args is None or len(args) != 1:
        ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    element, _ = type_names.template_argument(ctx, args[0])
    if not isinstance(element, ty.Scalar) or element.category in ("void", "string"):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=t.name, wanted="a type of numbers")
    return numeric_limits.instance(ctx, element, pos)
