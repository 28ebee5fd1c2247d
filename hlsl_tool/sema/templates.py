"""Templates: instantiation of structs, functions and aliases, and deduction of a call's template arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import hlsl_tool.sema.declarations as declarations
import hlsl_tool.sema.records as records
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.sema import constants, conversions, hir, type_names
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.context import MAX_TEMPLATE_DEPTH, MAX_TEMPLATE_INSTANCES, Context, Instance, Poisoned, Raw
from hlsl_tool.sema.scope import (
    Alias,
    AliasTemplate,
    Binding,
    Constant,
    FunctionTemplate,
    Overloads,
    Scope,
    Specialization,
    StructTemplate,
    VariableTemplate,
)
from hlsl_tool.sema.type_names import Written
from hlsl_tool.sema.types import Array, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.syntax import ast

_TYPES = (Scalar, Vector, Matrix, Array, Struct, ty.Enum, ObjectType)
Bindings = dict[str, object]
Made = TypeVar("Made", Struct, hir.Variable, hir.Function)


def _bind(
    ctx: Context, scope: Scope, params: Sequence[ast.TemplateParam], args: Bindings
) -> dict[str, Binding]:
    """The names of template parameters for a template that stands in ``scope``."""
    names: dict[str, Binding] = {}
    for p in params:
        v = args.get(p.name)
        if isinstance(v, _TYPES):
            names[p.name] = Alias(v)
        elif isinstance(v, (bool, int, float)):
            names[p.name] = _constant(ctx, scope, p, v, names)
    return names


def _constant(
    ctx: Context, scope: Scope, p: ast.TemplateParam, v: bool | int | float, names: dict[str, Binding]
) -> Constant:
    """A value of the type that the parameter is declared with, which may depend on those before it."""
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
"""What says where it stands."""


def _within(ctx: Context, t: Declared, names: dict[str, Binding], pos: int) -> Context:
    """A context in which what is written in a template is looked at: its chunk and scope, its arguments bound."""
    inner = _inside(ctx, t, names, pos, ctx.messages)
    inner.globals, inner.functions, inner.structs = ctx.globals, ctx.functions, ctx.structs
    inner.enums, inner.definitions, inner.pending = ctx.enums, ctx.definitions, []
    inner.instance, inner.used = ctx.instance, ctx.used
    return inner


def _making(ctx: Context, t: Declared, names: dict[str, Binding], pos: int, made: Instance) -> Context:
    """A context for an instantiation: all that is found is the instance's."""
    inner = _inside(ctx, t, names, pos, made.messages)
    inner.globals, inner.functions, inner.structs = made.globals, made.functions, made.structs
    inner.enums, inner.definitions, inner.pending = made.enums, made.definitions, made.pending
    inner.instance = made
    return inner


def _inside(ctx: Context, t: Declared, names: dict[str, Binding], pos: int, messages: list[Raw]) -> Context:
    if ctx.template_depth >= MAX_TEMPLATE_DEPTH:
        ctx.fail(codes.TEMPLATE_DEPTH, pos, limit=MAX_TEMPLATE_DEPTH)
    inner = Context(ctx.language, t.chunk, Scope("template", t.scope, names), messages, t.pack)
    inner.template_depth = ctx.template_depth + 1
    return inner


def _check_number(ctx: Context, t: StructTemplate | FunctionTemplate | VariableTemplate, pos: int) -> None:
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
        own = p.name or str(i)  # a parameter without a name has its number
        if i < len(values):
            out[own] = _checked(ctx, p, values[i], pos)
        elif p.default is not None:
            inner = _within(ctx, t, _bind(ctx, t.scope, params, out), pos)
            out[own] = type_names.template_argument(inner, p.default)[0]
        else:
            ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    return out


def _checked(ctx: Context, p: ast.TemplateParam, value: object, pos: int) -> object:
    if p.type is None and not isinstance(value, _TYPES):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a type")
    if p.type is not None and isinstance(value, _TYPES):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a constant expression")
    return value


# ------------------------------------------------------------------------------------------------------------- structs


def instantiate_struct(ctx: Context, t: StructTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Struct:
    if args is None:
        inside = ctx.scope.enclosing_struct()  # the template's own name inside itself
        if inside is not None and inside.template_name == t.name:
            return inside
        if any(p.default is None for p in t.decl.template or ()):
            ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=t.name)
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    key = tuple(bound[p.name or str(i)] for i, p in enumerate(params))
    found = t.instances.get(key)
    if found is not None:
        return _used(ctx, found, Struct)
    _check_number(ctx, t, pos)
    place: Declared = t
    decl, names = t.decl, _bind(ctx, t.scope, params, bound)
    for special in t.specializations:
        own = special.decl
        assert isinstance(own, ast.StructDecl)
        matched = _match_specialization(ctx, special, own.template, own.args, own.pos, key)
        if matched is not None:
            decl, place, names = own, special, _bind(ctx, special.scope, own.template or (), matched)
    if decl.members is None:
        ctx.fail(codes.INCOMPLETE_TYPE, pos, type=t.name)
    s = Struct(t.name, decl.keyword, pos=decl.pos, scope=t.scope.namespace, template_name=t.name, template_args=key)
    s.chunk = place.chunk
    made = Instance(s)
    inner = _making(ctx, place, names, pos, made)
    t.instances[key] = made
    try:
        records.define(inner, s, decl)
        made.structs.append(s)
    except Poisoned:
        made.is_poisoned = True
    return _used(ctx, made, Struct)


def _used(ctx: Context, made: Instance, kind: type[Made]) -> Made:
    """What an instantiation gave, with all that it said."""
    ctx.use(made)
    if made.is_poisoned:
        raise Poisoned
    assert isinstance(made.result, kind)
    return made.result


def _match_specialization(
    ctx: Context,
    special: Specialization,
    params: Sequence[ast.TemplateParam] | None,
    patterns: Sequence[ast.TemplateArg] | None,
    pos: int,
    key: tuple[object, ...],
) -> Bindings | None:
    params = params or ()
    names = {p.name for p in params}
    found: Bindings = {}
    inner = _within(ctx, special, {}, pos)
    for pattern, value in zip(patterns or (), key, strict=False):
        if not _unify(inner, pattern, value, names, found):
            return None
    return found if all(p.name in found for p in params) else None


def instantiate_alias(ctx: Context, t: AliasTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Written:
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    inner = _within(ctx, t, _bind(ctx, t.scope, params, bound), pos)
    assert t.decl.type is not None
    w = type_names.resolve(inner, t.decl.type)
    quals = (*w.quals, *t.decl.quals)
    return Written(w.type, type_names.majorness_of(quals) or w.majorness, quals)


# ----------------------------------------------------------------------------------------------------------- variables


def declare_variable(ctx: Context, d: ast.VarDecl) -> None:
    """A variable template, or a specialisation of one."""
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
    special = Specialization(d, ctx.scope, ctx.chunk, ctx.pack)
    new = VariableTemplate(x.name, old.decl, scope, old.chunk, old.pack, {}, [*old.specializations, special])
    scope.names[x.name] = ctx.scope.names[x.name] = new


def instantiate_variable(
    ctx: Context, t: VariableTemplate, args: Sequence[ast.TemplateArg] | None, pos: int
) -> hir.Variable:
    if args is None:
        ctx.fail(codes.TEMPLATE_NEEDS_ARGS, pos, name=t.name)
    params = t.decl.template or ()
    bound = _arguments(ctx, t, params, args, pos)
    names = [p.name or str(i) for i, p in enumerate(params)]
    key = tuple(bound[n] for n in names)
    found = t.instances.get(key)
    if found is not None:
        return _used(ctx, found, hir.Variable)
    _check_number(ctx, t, pos)
    place: Declared = t
    decl, own = t.decl, _bind(ctx, t.scope, params, bound)
    for special in t.specializations:
        assert isinstance(special.decl, ast.VarDecl)
        x = special.decl.declarators[0]
        matched = _match_specialization(ctx, special, special.decl.template, x.args, x.pos, key)
        if matched is not None:
            decl, place = special.decl, special
            own = _bind(ctx, special.scope, special.decl.template or (), matched)
    made = Instance()
    inner = _making(ctx, place, own, pos, made)
    plain = replace(decl, template=None, declarators=[replace(decl.declarators[0], args=None)])
    try:
        variables = declarations.variables(inner, plain)
        made.result, made.is_poisoned = (variables[0], False) if variables else (None, True)
    except Poisoned:
        made.is_poisoned = True
    t.instances[key] = made
    return _used(ctx, made, hir.Variable)


# ----------------------------------------------------------------------------------------------------------- functions


def deduce(
    ctx: Context,
    t: FunctionTemplate,
    args: Sequence[hir.Expr],
    written: Sequence[ast.TemplateArg] | None,
    pos: int,
    notes: list[Raw],
) -> hir.Function | None:
    """The instance a call means, or ``None`` with a note where arguments cannot be deduced."""
    params = t.decl.template or []
    names = {p.name for p in params}
    found: Bindings = {}
    before = ctx.mark()
    for p, a in zip(params, written or (), strict=False):
        try:
            found[p.name] = _checked(ctx, p, type_names.template_argument(ctx, a)[0], pos)
        except Poisoned:  # a type for a number or the other way round: another overload may take it
            ctx.forget(before)
            notes.append(ctx.note(codes.CANNOT_DEDUCE, t.decl.pos, t.chunk, name=p.name))
            return None
    inner = _within(ctx, t, _bind(ctx, t.scope, params, found), pos)
    for param, arg in zip(t.decl.params, args, strict=False):
        _deduce_from(inner, param, arg.type, names, found, fixed=len(written or ()))
    for p in params:
        if p.name not in found and p.default is not None:
            inner = _within(ctx, t, _bind(ctx, t.scope, params, found), pos)
            found[p.name] = type_names.template_argument(inner, p.default)[0]
        if p.name not in found:
            notes.append(ctx.note(codes.CANNOT_DEDUCE, t.decl.pos, t.chunk, name=p.name))
            return None
    try:
        return instantiate_function(ctx, t, tuple(found[p.name] for p in params), pos)
    except Poisoned:
        return None


def _deduce_from(ctx: Context, param: ast.Param, t: Type, names: set[str], found: Bindings, *, fixed: int) -> None:
    for _ in param.dims:
        if not isinstance(t, Array):
            return
        if param.dims[0] is not None and isinstance(param.dims[0], ast.Name) and t.size is not None:
            n = param.dims[0].parts[0].name
            if n in names:
                found.setdefault(n, t.size)
        t = t.element
    if isinstance(t, Scalar) and t.is_literal:
        t = ty.concrete(t)
    _unify(ctx, param.type, t, names, found)


def _unify(ctx: Context, pattern: ast.TemplateArg, value: object, names: set[str], found: Bindings) -> bool:
    """Match a type as written against a type; template parameters take what they stand for."""
    if isinstance(pattern, (ast.NamedType, ast.Name)):
        part = pattern.parts[-1]
        if len(pattern.parts) == 1 and part.name in names and part.args is None:
            old = found.setdefault(part.name, value)
            return old is value or old == value
        if part.args is not None:
            alias = _alias_named(ctx, pattern)
            if alias is not None:
                return _unify_alias(ctx, alias, part.args, value, names, found)
            return _unify_args(ctx, part, value, names, found)
    if isinstance(pattern, (ast.NamedType, ast.InlineType)):
        try:
            before = ctx.mark()
            resolved = type_names.resolve(ctx, pattern).type
        except Poisoned:
            ctx.forget(before)
            return False
        return resolved is value
    try:
        before = ctx.mark()
        v = type_names.template_argument(ctx, pattern)[0]
    except Poisoned:
        ctx.forget(before)
        return False
    return v is value or v == value


def _alias_named(ctx: Context, pattern: ast.NamedType | ast.Name) -> AliasTemplate | None:
    before = ctx.mark()
    try:
        named = type_names.lookup_path(ctx, pattern.parts, pattern.pos, pattern.is_global)
    except Poisoned:
        ctx.forget(before)
        return None
    return named if isinstance(named, AliasTemplate) else None


def _unify_alias(
    ctx: Context,
    alias: AliasTemplate,
    args: Sequence[ast.TemplateArg],
    value: object,
    names: set[str],
    found: Bindings,
) -> bool:
    """An alias is transparent: what it stands for is matched, then its own arguments with what that gave."""
    assert alias.decl.type is not None
    params = alias.decl.template or ()
    inner = _within(ctx, alias, {}, alias.decl.pos)
    own: Bindings = {}
    if not _unify(inner, alias.decl.type, value, {p.name for p in params}, own):
        return False
    return all(_unify(ctx, a, own[p.name], names, found) for p, a in zip(params, args, strict=False) if p.name in own)


def _unify_args(ctx: Context, part: ast.NamePart, value: object, names: set[str], found: Bindings) -> bool:
    actual: tuple[object, ...]
    if isinstance(value, Vector) and part.name == "vector":
        actual = (value.element, value.size)
    elif isinstance(value, Scalar) and part.name == "vector":
        actual = (value, 1)
    elif isinstance(value, Matrix) and part.name == "matrix":
        actual = (value.element, value.rows, value.cols)
    elif isinstance(value, ObjectType) and value.name.rpartition("::")[2] == part.name:
        actual = value.args
    elif isinstance(value, Struct):
        s: Struct | None = value
        while s is not None and s.template_name != part.name:
            s = s.base
        if s is None:
            return False
        actual = s.template_args
    else:
        return False
    return all(_unify(ctx, a, v, names, found) for a, v in zip(part.args or (), actual, strict=False))


def instantiate_function(ctx: Context, t: FunctionTemplate, key: tuple[object, ...], pos: int) -> hir.Function:
    for args, f in t.specializations:
        if args == key:
            return f
    found = t.instances.get(key)
    if found is not None:
        return _used(ctx, found, hir.Function)
    _check_number(ctx, t, pos)
    params = t.decl.template or []
    bound: Bindings = dict(zip((p.name for p in params), key, strict=True))
    made = Instance()
    inner = _making(ctx, t, _bind(ctx, t.scope, params, bound), pos, made)
    try:
        f = made.result = declarations.make_function(inner, t.decl, t.owner)
        f.template_args = key
    except Poisoned:
        made.is_poisoned = True
    t.instances[key] = made
    return _used(ctx, made, hir.Function)


def specialize_function(ctx: Context, d: ast.FunctionDecl, overloads: Overloads) -> None:
    """``template<> T f<int>(...) { ... }``."""
    f = declarations.make_function(ctx, d, None)
    for t in overloads:
        if not isinstance(t, FunctionTemplate) or len(t.decl.params) != len(d.params):
            continue
        params = t.decl.template or []
        found: Bindings = {}
        for p, a in zip(params, d.args or (), strict=False):
            found[p.name] = type_names.template_argument(ctx, a)[0]
        inner = _within(ctx, t, _bind(ctx, t.scope, params, found), d.pos)
        for param, own in zip(t.decl.params, f.params, strict=True):
            _deduce_from(inner, param, own.type, {p.name for p in params}, found, fixed=0)
        if all(p.name in found for p in params):
            f.template_args = tuple(found[p.name] for p in params)
            scope = Scope("template", t.scope)
            new = FunctionTemplate(
                t.name, t.decl, scope, t.chunk, t.pack, t.owner, {}, [*t.specializations, (f.template_args, f)]
            )
            # Inside the template its own name means the one that knows the specialisation.
            scope.names[d.name] = ctx.scope.names[d.name] = tuple(new if o is t else o for o in overloads)
            ctx.functions.append(f)
            if f.has_body:
                ctx.pending.append(f)
            return
    ctx.fail(codes.NOT_A_TEMPLATE, d.pos, name=d.name)


__all__ = [
    "conversions",
    "declare_variable",
    "deduce",
    "instantiate_alias",
    "instantiate_function",
    "instantiate_struct",
    "instantiate_variable",
    "specialize_function",
]
