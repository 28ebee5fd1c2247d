"""Templates: instantiate structs, variables, functions and aliases; deduce a call's template arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import hlsl_tool.sema.declarations.declare as declarations
import hlsl_tool.sema.declarations.records as records
import hlsl_tool.sema.templates.members as template_members
from hlsl_tool.diagnostics.catalogue import language
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.sema import constants, hir, type_names
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
from hlsl_tool.sema.templates.deduction import Bindings, Deduction, concrete
from hlsl_tool.sema.type_names import Written
from hlsl_tool.sema.types import Array, Matrix, ObjectType, Scalar, Struct, Vector
from hlsl_tool.syntax import ast

TYPES = (Scalar, Vector, Matrix, Array, Struct, ty.Enum, ObjectType)
Result = TypeVar("Result", Struct, hir.Variable, hir.Function)


def bind(ctx: Context, scope: Scope, params: Sequence[ast.TemplateParam], args: Bindings) -> dict[str, Binding]:
    """Bind template parameters to their arguments, for a template declared in ``scope``."""
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
    """Convert ``v`` to the declared type of the parameter, which may depend on earlier parameters."""
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
    """Return a context in the template's chunk and scope with its arguments bound; results go to ``ctx``."""
    inner = _inside(ctx, t, names, pos, ctx.messages)
    inner.globals, inner.functions, inner.structs = ctx.globals, ctx.functions, ctx.structs
    inner.enums, inner.definitions, inner.pending = ctx.enums, ctx.definitions, []
    inner.instance, inner.used = ctx.instance, ctx.used
    return inner


def making(ctx: Context, t: Declared, names: dict[str, Binding], pos: int, instance: Instance) -> Context:
    """Return a context for an instantiation; results go to the instance."""
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
        own = p.name or str(i)  # an unnamed parameter gets its index
        if i < len(values):
            out[own] = _checked(ctx, p, values[i], pos)
        elif p.default is not None:
            inner = within(ctx, t, bind(ctx, t.scope, params, out), pos)
            out[own] = type_names.template_argument(inner, p.default)[0]
        else:
            ctx.fail(codes.TEMPLATE_ARG_COUNT, pos, name=t.name)
    return out


def _checked(ctx: Context, p: ast.TemplateParam, value: object, pos: int) -> object:
    if p.type is None and not isinstance(value, TYPES):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a type")
    if p.type is not None and isinstance(value, (*TYPES, str)):
        ctx.fail(codes.TEMPLATE_ARG_KIND, pos, name=p.name, wanted="a constant expression")
    return value


# ------------------------------------------------------------------------------------------------------------- structs


def instantiate_struct(ctx: Context, t: StructTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Struct:
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
        return _used(ctx, instance, Struct)
    _check_number(ctx, t, pos)
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
    return _used(ctx, instance, Struct)


def _used(ctx: Context, instance: Instance, kind: type[Result]) -> Result:
    """Return the result of an instance and replay its diagnostics; raise `Poisoned` if it failed."""
    ctx.use(instance)
    if instance.is_poisoned:
        raise Poisoned
    assert isinstance(instance.result, kind)
    return instance.result


def match_specialization(
    ctx: Context,
    special: Specialization,
    params: Sequence[ast.TemplateParam] | None,
    patterns: Sequence[ast.TemplateArg] | None,
    pos: int,
    key: tuple[object, ...],
) -> Bindings | None:
    params = params or ()
    deduction = Deduction(within(ctx, special, {}, pos), {p.name for p in params})
    for pattern, value in zip(patterns or (), key, strict=False):
        if not deduction.unify(pattern, value):
            return None
    return deduction.bindings if all(p.name in deduction.bindings for p in params) else None


def instantiate_alias(ctx: Context, t: AliasTemplate, args: Sequence[ast.TemplateArg] | None, pos: int) -> Written:
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
    instance = t.instances.get(key)
    if instance is not None:
        return _used(ctx, instance, hir.Variable)
    _check_number(ctx, t, pos)
    place: Declared = t
    decl, own = t.decl, bind(ctx, t.scope, params, bound)
    for special in t.specializations:
        assert isinstance(special.decl, ast.VarDecl)
        x = special.decl.declarators[0]
        matched = match_specialization(ctx, special, special.decl.template, x.args, x.pos, key)
        if matched is not None:
            decl, place = special.decl, special
            own = bind(ctx, special.scope, special.decl.template or (), matched)
    instance = Instance()
    inner = making(ctx, place, own, pos, instance)
    plain = replace(decl, template=None, declarators=[replace(decl.declarators[0], args=None)])
    try:
        variables = declarations.variables(inner, plain)
        instance.result, instance.is_poisoned = (variables[0], False) if variables else (None, True)
    except Poisoned:
        instance.is_poisoned = True
    t.instances[key] = instance
    return _used(ctx, instance, hir.Variable)


# ----------------------------------------------------------------------------------------------------------- functions


def deduce(
    ctx: Context,
    t: FunctionTemplate,
    args: Sequence[hir.Expr],
    written: Sequence[ast.TemplateArg] | None,
    pos: int,
    notes: list[Raw],
) -> hir.Function | None:
    """Return the instance that a call selects; ``None`` with a note if deduction fails."""
    params = t.decl.template or []
    own = _parameter_names(params)
    why = arity_mismatch(t.decl.params, args)
    if why:
        notes.append(ctx.note(language.TEMPLATE_ARITY, t.decl.pos, t.chunk, why=why))
        return None
    explicit = _explicit_arguments(ctx, t, written or (), pos, notes)
    if explicit is None:
        return None
    inner = within(ctx, t, bind(ctx, t.scope, params, explicit), pos)
    deduction = Deduction(inner, {name for name in own if name not in explicit})
    for param, arg in zip(t.decl.params, args, strict=False):
        if not deduction.parameter(param, arg.type):
            notes += deduction.notes(ctx, t)
            return None
    bindings = {**explicit, **{name: concrete(value) for name, value in deduction.bindings.items()}}
    for p, name in zip(params, own, strict=True):
        if name not in bindings and p.default is not None:
            inner = within(ctx, t, bind(ctx, t.scope, params, bindings), pos)
            bindings[name] = type_names.template_argument(inner, p.default)[0]
        if name not in bindings:
            notes.append(ctx.note(codes.CANNOT_DEDUCE, t.decl.pos, t.chunk, name=p.name))
            return None
    f = _substituted(ctx, t, tuple(bindings[name] for name in own), pos, notes)
    return f if f is not None and _takes_exactly(ctx, t, f, deduction, args, notes) else None


def _takes_exactly(
    ctx: Context,
    t: FunctionTemplate,
    f: hir.Function,
    deduction: Deduction,
    args: Sequence[hir.Expr],
    notes: list[Raw],
) -> bool:
    """Return whether the deduced parameters have exactly the types of their arguments, or of base classes."""
    for param, arg in zip(f.params, args, strict=False):
        own = concrete(arg.type)
        is_base = isinstance(own, Struct) and isinstance(param.type, Struct) and own.derives_from(param.type)
        if param.name in deduction.exact and param.type is not own and not is_base:
            values = {"pattern": f"'{ty.display(param.type)}'", "type": f"'{ty.display(arg.type)}'"}
            notes.append(ctx.note(language.DEDUCTION_MISMATCH, t.decl.pos, t.chunk, **values))
            return False
    return True


def _parameter_names(params: Sequence[ast.TemplateParam]) -> list[str]:
    """Return the names of template parameters; an unnamed one gets its index."""
    return [p.name or str(i) for i, p in enumerate(params)]


def arity_mismatch(params: Sequence[ast.Param] | Sequence[hir.Param], args: Sequence[object]) -> str:
    """Return why a function does not accept this number of arguments; empty if it does."""
    required = sum(1 for p in params if not (p.has_default if isinstance(p, hir.Param) else p.default))
    if required <= len(args) <= len(params):
        return ""
    s = "" if required == 1 else "s"
    at_least = "at least " if required != len(params) else ""
    were = "was" if len(args) == 1 else "were"
    return f"requires {at_least}{required} argument{s}, but {len(args)} {were} provided"


def _explicit_arguments(
    ctx: Context, t: FunctionTemplate, written: Sequence[ast.TemplateArg], pos: int, notes: list[Raw]
) -> Bindings | None:
    """Return the explicit template arguments of a call; ``None`` with a note if ``t`` does not accept them."""
    params = t.decl.template or []
    if params and len(written) > len(params):
        notes.append(ctx.note(language.EXPLICIT_ARGUMENT, t.decl.pos, t.chunk, name=params[-1].name))
        return None
    explicit: Bindings = {}
    for p, name, a in zip(params, _parameter_names(params), written, strict=False):
        before = ctx.mark()
        try:
            explicit[name] = _checked(ctx, p, type_names.template_argument(ctx, a)[0], pos)
        except Poisoned:  # a type where a number is expected, or vice versa: another overload may match
            ctx.forget(before)
            notes.append(ctx.note(language.EXPLICIT_ARGUMENT, t.decl.pos, t.chunk, name=p.name))
            return None
    return explicit


def _substituted(
    ctx: Context, t: FunctionTemplate, key: tuple[object, ...], pos: int, notes: list[Raw]
) -> hir.Function | None:
    """Instantiate the function; ``None`` with a note if substitution into its signature fails."""
    before = ctx.mark()
    try:
        return instantiate_function(ctx, t, key, pos)
    except Poisoned:
        errors = [m for m in ctx.messages[before[0] :] if m.code.severity == "error"]
        if any(m.code in _LIMITS for m in errors):
            raise
        if errors:
            ctx.forget(before)
            why = errors[0].code.template.format(**errors[0].fmt)
            notes.append(ctx.note(language.SUBSTITUTION_FAILURE, t.decl.pos, t.chunk, why=why))
        return None


_LIMITS = (codes.TEMPLATE_DEPTH, codes.TEMPLATE_INSTANCES)


def instantiate_function(ctx: Context, t: FunctionTemplate, key: tuple[object, ...], pos: int) -> hir.Function:
    for args, f in t.specializations:
        if args == key:
            return f
    instance = t.instances.get(key)
    if instance is not None:
        return _used(ctx, instance, hir.Function)
    _check_number(ctx, t, pos)
    params = t.decl.template or []
    bound: Bindings = dict(zip((p.name for p in params), key, strict=True))
    instance = Instance()
    inner = making(ctx, t, bind(ctx, t.scope, params, bound), pos, instance)
    try:
        f = instance.result = declarations.make_function(inner, t.decl, t.owner)
        f.template_args = key
    except Poisoned:
        instance.is_poisoned = True
    t.instances[key] = instance
    return _used(ctx, instance, hir.Function)


def specialize_function(ctx: Context, d: ast.FunctionDecl, overloads: Overloads) -> None:
    """``template<> T f<int>(...) { ... }``."""
    f = declarations.make_function(ctx, d, None)
    notes: list[Raw] = []
    for t in overloads:
        if not isinstance(t, FunctionTemplate) or len(t.decl.params) != len(d.params):
            continue
        key = _specialized_arguments(ctx, t, d, f, notes)
        if key is None:
            continue
        f.template_args = key
        scope = Scope("template", t.scope)
        new = FunctionTemplate(
            t.name, t.decl, scope, t.chunk, t.pack, t.owner, {}, [*t.specializations, (f.template_args, f)]
        )
        # Bind the name inside the template too, so that its body sees the specialisation.
        scope.names[d.name] = ctx.scope.names[d.name] = tuple(new if o is t else o for o in overloads)
        ctx.functions.append(f)
        if f.has_body:
            ctx.pending.append(f)
        return
    if not any(isinstance(o, FunctionTemplate) for o in overloads):
        ctx.fail(codes.NOT_A_TEMPLATE, d.pos, name=d.name)
    ctx.fail(language.NO_TEMPLATE_MATCHES, d.pos, name=d.name, notes=notes)


def _specialized_arguments(
    ctx: Context, t: FunctionTemplate, d: ast.FunctionDecl, f: hir.Function, notes: list[Raw]
) -> tuple[object, ...] | None:
    """Return the template arguments that ``d`` specialises; ``None`` with a note if it does not match ``t``."""
    params = t.decl.template or []
    explicit = _explicit_arguments(ctx, t, d.args or (), d.pos, notes)
    if explicit is None:
        return None
    names = [n for n in _parameter_names(params) if n not in explicit]
    deduction = Deduction(within(ctx, t, bind(ctx, t.scope, params, explicit), d.pos), set(names))
    for param, own in zip(t.decl.params, f.params, strict=True):
        if not deduction.parameter(param, own.type):
            notes += deduction.notes(ctx, t)
            return None
    bindings = {**explicit, **deduction.bindings}
    for p in params:
        if p.name not in bindings:
            notes.append(ctx.note(codes.CANNOT_DEDUCE, t.decl.pos, t.chunk, name=p.name))
            return None
    inner = within(ctx, t, bind(ctx, t.scope, params, bindings), d.pos)
    for param, own in zip(t.decl.params, f.params, strict=True):
        substituted = type_names.with_dims(inner, type_names.resolve(inner, param.type).type, param.dims, param.pos)
        if substituted is not own.type:
            values = {"pattern": f"'{ty.display(substituted)}'", "type": f"'{ty.display(own.type)}'"}
            notes.append(ctx.note(language.DEDUCTION_MISMATCH, t.decl.pos, t.chunk, **values))
            return None
    return tuple(bindings[n] for n in _parameter_names(params))


__all__ = [
    "declare_variable",
    "deduce",
    "instantiate_alias",
    "instantiate_function",
    "instantiate_struct",
    "instantiate_variable",
    "specialize_function",
]
