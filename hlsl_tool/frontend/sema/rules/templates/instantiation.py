"""Instances of struct, variable and alias templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import hlsl_tool.frontend.sema.rules.declarations.records as records
import hlsl_tool.frontend.sema.rules.templates.members as template_members
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.instances import Instance
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations.variables import variables as declare_variables
from hlsl_tool.frontend.sema.rules.templates.arguments import TYPES, Bindings, Declared, bind, making, within
from hlsl_tool.frontend.sema.rules.templates.renewal import is_changed
from hlsl_tool.frontend.sema.rules.templates.specializations import explicit_key, keeps_instance, match_specialization
from hlsl_tool.frontend.sema.rules.type_names import Written
from hlsl_tool.frontend.sema.scope.context import MAX_TEMPLATE_INSTANCES, Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import template
from hlsl_tool.frontend.sema.scope.scopes import (
    AliasTemplate,
    FunctionTemplate,
    Scope,
    Specialization,
    StructTemplate,
    VariableTemplate,
)
from hlsl_tool.frontend.syntax import ast

Result = TypeVar("Result", Struct, hir.Variable, hir.Function)


def check_number(ctx: Context, t: StructTemplate | FunctionTemplate | VariableTemplate, pos: int) -> None:
    """Fail if a template already has `MAX_TEMPLATE_INSTANCES` instances."""
    if len(t.instances) >= MAX_TEMPLATE_INSTANCES:
        ctx.fail(codes.TEMPLATE_INSTANCES, pos, name=t.name, limit=MAX_TEMPLATE_INSTANCES)


def _arguments(
    ctx: Context,
    t: StructTemplate | AliasTemplate | VariableTemplate,
    params: Sequence[ast.TemplateParam],
    written: Sequence[ast.TemplateArg] | None,
    pos: int,
) -> Bindings:
    values: list[object] = [type_names.template_argument(ctx, a)[0] for a in written or ()]
    if len(values) > len(params):
        ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    out: Bindings = {}
    for i, p in enumerate(params):
        own = p.name or str(i)  # an unnamed parameter gets its index
        if i < len(values):
            out[own] = checked_argument(ctx, p, values[i], pos)
        elif p.default is not None:
            inner = within(ctx, t, bind(ctx, t.scope, params, out), pos)
            out[own] = type_names.template_argument(inner, p.default)[0]
        else:
            ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    return out


def checked_argument(ctx: Context, p: ast.TemplateParam, value: object, pos: int) -> object:
    """Return a template argument; fail if it is a type instead of a value, or a value instead of a type."""
    if p.type is None and not isinstance(value, TYPES):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a type")
    if p.type is not None and isinstance(value, (*TYPES, str)):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a constant expression")
    return value


# ------------------------------------------------------------------------------------------------------------- structs


@template(StructTemplate)
def instantiate_struct(ctx: Context, t: StructTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Struct:
    """Return the instance of a struct template; without arguments, the instance inside of which the name is used."""
    if args is None:
        inside = ctx.scope.enclosing_struct()  # injected class name
        if inside is not None and inside.template_name == t.name:
            return inside
        if any(p.default is None for p in t.decl.template or ()):
            ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=t.name)
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    key = tuple(bound[p.name or str(i)] for i, p in enumerate(params))
    instance = t.instances.get(key)
    if instance is not None:
        return used(ctx, instance, Struct)
    check_number(ctx, t, pos)
    place: Declared = t
    decl, names = t.decl, bind(ctx, t.scope, params, bound)
    for special in t.specializations:
        own = special.decl
        assert isinstance(own, ast.StructDecl)
        matched = match_specialization(ctx, special, own.template, own.args, own.pos, key)
        if matched is not None:
            decl, place, names = own, special, bind(ctx, special.scope, own.template or (), matched)
    if decl.members is None:
        ctx.fail(codes.INCOMPLETE_TYPE, pos, type=t.name)
    if t.earlier is not None and keeps_instance(t, place):
        return instantiate_struct(ctx, t.earlier, args, pos)
    s = Struct(t.name, decl.keyword, pos=decl.pos, scope=t.scope.namespace, template_name=t.name, template_args=key)
    s.chunk = place.chunk
    instance = Instance(s)
    inner = making(ctx, place, names, pos, instance)
    t.instances[key] = instance
    try:
        records.define(inner, s, decl)
        template_members.complete(ctx, t, s, instance, pos)
        instance.structs.append(s)
    except Poisoned:
        instance.is_poisoned = True
    if t.renewal is not None and not is_changed(t.renewal, instance):
        assert isinstance(t.renewal.earlier, StructTemplate)
        s = instantiate_struct(ctx, t.renewal.earlier, args, pos)
        t.instances[key] = t.renewal.earlier.instances[key]
        return s
    return used(ctx, instance, Struct)


def used(ctx: Context, instance: Instance, kind: type[Result]) -> Result:
    """Return the declaration of an instance and add its diagnostics to ``ctx``; raise `Poisoned` if it is invalid."""
    ctx.use(instance)
    if instance.is_poisoned:
        raise Poisoned
    assert isinstance(instance.result, kind)
    return instance.result


@template(AliasTemplate)
def instantiate_alias(ctx: Context, t: AliasTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Written:
    """Return the type that an alias template denotes for these arguments."""
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    inner = within(ctx, t, bind(ctx, t.scope, params, bound), pos)
    assert t.decl.type is not None
    w = type_names.resolve(inner, t.decl.type)
    quals = (*w.quals, *t.decl.quals)
    return Written(w.type, type_names.majorness_of(quals) or w.majorness, quals)


# ----------------------------------------------------------------------------------------------------------- variables


def declare_variable(ctx: Context, d: ast.VarDecl) -> None:
    """Declare a variable template or a specialisation of one."""
    if not d.declarators:
        ctx.fail(codes.TEMPLATE_OF_NOTHING, d.pos)
    x = d.declarators[0]
    old = ctx.scope.names.get(x.name)
    if x.args is None:
        if isinstance(old, VariableTemplate):
            ctx.fail(codes.REDEFINITION, x.pos, name=x.name)
        ctx.scope.names[x.name] = VariableTemplate(x.name, d, ctx.scope, ctx.chunk, ctx.pack)
        return
    if not isinstance(old, VariableTemplate):
        ctx.fail(codes.NOT_A_TEMPLATE, x.pos, name=x.name)
    scope = Scope("template", old.scope)
    key = explicit_key(ctx, d.template, x.args)
    special = Specialization(d, ctx.scope, ctx.chunk, ctx.pack, key)
    new = VariableTemplate(x.name, old.decl, scope, old.chunk, old.pack, {}, [*old.specializations, special], old)
    scope.names[x.name] = ctx.scope.names[x.name] = new


@template(VariableTemplate)
def instantiate_variable(
    ctx: Context, t: VariableTemplate, args: Sequence[ast.TemplateArg] | None, pos: int
) -> hir.Variable:
    """Return the instance of a variable template, created at its first use; report arguments that do not fit."""
    if args is None:
        ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=t.name)
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    names = [p.name or str(i) for i, p in enumerate(params)]
    key = tuple(bound[n] for n in names)
    instance = t.instances.get(key)
    if instance is not None:
        return used(ctx, instance, hir.Variable)
    check_number(ctx, t, pos)
    place: Declared = t
    decl, own = t.decl, bind(ctx, t.scope, params, bound)
    for special in t.specializations:
        assert isinstance(special.decl, ast.VarDecl)
        x = special.decl.declarators[0]
        matched = match_specialization(ctx, special, special.decl.template, x.args, x.pos, key)
        if matched is not None:
            decl, place = special.decl, special
            own = bind(ctx, special.scope, special.decl.template or (), matched)
    if t.earlier is not None and keeps_instance(t, place):
        return instantiate_variable(ctx, t.earlier, args, pos)
    instance = Instance()
    inner = making(ctx, place, own, pos, instance)
    plain = replace(decl, template=None, declarators=[replace(decl.declarators[0], args=None)])
    try:
        variables = declare_variables(inner, plain)
        instance.result, instance.is_poisoned = (variables[0], False) if variables else (None, True)
    except Poisoned:
        instance.is_poisoned = True
    t.instances[key] = instance
    if t.renewal is not None and not is_changed(t.renewal, instance):
        assert isinstance(t.renewal.earlier, VariableTemplate)
        v = instantiate_variable(ctx, t.renewal.earlier, args, pos)
        t.instances[key] = t.renewal.earlier.instances[key]
        return v
    return used(ctx, instance, hir.Variable)
