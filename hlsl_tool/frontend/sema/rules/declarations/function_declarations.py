"""Declarations of functions and methods, and of function templates."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations import function_checks, modifiers, redeclaration
from hlsl_tool.frontend.sema.rules.declarations.functions import (
    define_method,
    have_same_parameters,
    make_function,
    without_redeclared,
)
from hlsl_tool.frontend.sema.rules.declarations.namespaces import reopened
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import declaration
from hlsl_tool.frontend.sema.scope.scopes import Alias, FunctionTemplate, Namespace, Scope
from hlsl_tool.frontend.syntax import ast


@declaration(ast.FunctionDecl)
def declare_function(ctx: Context, d: ast.FunctionDecl) -> None:
    """Bind a function, function template, or method of the struct being defined.

    A definition replaces its declaration.
    """
    if d.scope:
        _define_member(ctx, d)
        return
    owner = ctx.scope.struct if ctx.scope.kind == "struct" else None
    function_checks.check_operator(ctx, d, owner)
    old = tuple(owner.methods.get(d.name, ())) if owner is not None else ctx.scope.names.get(d.name, ())
    overloads = old if isinstance(old, tuple) else ()
    if owner is None:
        redeclaration.check(ctx, d.name, d.pos, "function")
    if d.template is not None and d.template == []:
        from hlsl_tool.frontend.sema.rules.templates.functions import specialize_function  # start-up time

        specialize_function(ctx, d, overloads)
        return
    if d.template is not None:
        for p in d.params:
            modifiers.check(ctx, "parameter", p.type, (), ty.INVALID)
        new: Function | FunctionTemplate = FunctionTemplate(d.name, d, ctx.scope, ctx.chunk, ctx.pack, owner)
        if d.body is not None:
            overloads = tuple(
                o
                for o in overloads
                if not (isinstance(o, FunctionTemplate) and o.decl.body is None and len(o.decl.params) == len(d.params))
            )
    else:
        new = make_function(ctx, d, owner)
        function_checks.check_operands(ctx, new)
        overloads = without_redeclared(ctx, overloads, new, d)
        ctx.functions.append(new)
        if new.has_body:
            ctx.pending.append(new)
    if owner is not None:
        owner.methods[d.name] = [*overloads, new]
    else:
        ctx.scope.names[d.name] = (*overloads, new)


def _define_member(ctx: Context, d: ast.FunctionDecl) -> None:
    """Define a function outside of its struct or namespace: ``T S::f(...) { ... }`` or ``T N::f(...) { ... }``."""
    from hlsl_tool.frontend.sema.rules.templates import members as template_members  # start-up time

    template = template_members.owner_of(ctx, d.scope, d.pos)
    if template is not None and d.template is not None:
        template_members.define(ctx, template, d)
        return
    binding = type_names.lookup_path(ctx, d.scope, d.pos)
    if isinstance(binding, Namespace):
        binding = reopened(ctx, binding, [part.name for part in d.scope])
        outer, ctx.scope = ctx.scope, Scope("namespace", ctx.scope, binding.members, namespace=binding.qualified)
        try:
            declare_function(ctx, _unscoped(d))
        finally:
            ctx.scope = outer
        return
    if not isinstance(binding, Alias) or not isinstance(binding.type, Struct):
        ctx.fail(codes.NOT_A_TYPE, d.pos, name=type_names.spelled(d.scope))
    if d.template is not None:
        ctx.fail(language.MEMBER_TEMPLATE, d.pos, name=d.name)
    s = binding.type
    with ctx.inside("struct", struct=s, namespace=s.display_name):
        new = make_function(ctx, _unscoped(d), s)
        for old in s.methods.get(d.name, ()):
            if isinstance(old, Function) and have_same_parameters(old, new):
                define_method(ctx, old, new)
                return
    ctx.fail(codes.NOT_DECLARED_IN, d.pos, name=d.name, scope=ty.display(s))


def _unscoped(d: ast.FunctionDecl) -> ast.FunctionDecl:
    return replace(d, scope=[])
