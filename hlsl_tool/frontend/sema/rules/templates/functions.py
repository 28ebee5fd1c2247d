"""Function templates: deduce the arguments of a call, instantiate and specialise."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.instances import Instance, Raw
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations.functions import make_function
from hlsl_tool.frontend.sema.rules.modern.packs import expanded
from hlsl_tool.frontend.sema.rules.templates.arguments import Bindings, bind, making, within
from hlsl_tool.frontend.sema.rules.templates.deduction import Deduction, concrete
from hlsl_tool.frontend.sema.rules.templates.instantiation import check_number, checked_argument, used
from hlsl_tool.frontend.sema.rules.templates.renewal import is_changed
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import (
    FunctionTemplate,
    Overloads,
    Scope,
)
from hlsl_tool.frontend.syntax import ast


def deduce(
    ctx: Context,
    t: FunctionTemplate,
    args: Sequence[hir.Expr],
    written: Sequence[ast.TemplateArg] | None,
    pos: int,
    notes: list[Raw],
) -> hir.Function | None:
    """Return the instance that a call selects; if deduction fails, add a note and return ``None``."""
    t = expanded(t, len(args), len(written or ()))
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
    """Return whether each deduced parameter has exactly the type of its argument, or of a base class of it."""
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
    """Return the reason why a function does not accept this number of arguments; empty if it does."""
    required = sum(1 for p in params if not (p.has_default if isinstance(p, hir.Param) else p.default))
    return wrong_count(required, len(params), len(args))


def wrong_count(required: int, most: int, given: int) -> str:
    """Return the reason why ``given`` arguments are too few or too many; empty if the number is accepted."""
    if required <= given <= most:
        return ""
    s = "" if required == 1 else "s"
    at_least = "at least " if required != most else ""
    were = "was" if given == 1 else "were"
    return f"requires {at_least}{required} argument{s}, but {given} {were} provided"


def _explicit_arguments(
    ctx: Context, t: FunctionTemplate, written: Sequence[ast.TemplateArg], pos: int, notes: list[Raw]
) -> Bindings | None:
    """Return the explicit template arguments of a call.

    If the template rejects them, add a note and return ``None``.
    """
    params = t.decl.template or []
    if params and len(written) > len(params):
        notes.append(ctx.note(language.EXPLICIT_ARGUMENT, t.decl.pos, t.chunk, name=params[-1].name))
        return None
    explicit: Bindings = {}
    for p, name, a in zip(params, _parameter_names(params), written, strict=False):
        before = ctx.mark()
        try:
            explicit[name] = checked_argument(ctx, p, type_names.template_argument(ctx, a)[0], pos)
        except Poisoned:  # a type where a number is expected, or vice versa: another overload may match
            ctx.forget(before)
            notes.append(ctx.note(language.EXPLICIT_ARGUMENT, t.decl.pos, t.chunk, name=p.name))
            return None
    return explicit


def _substituted(
    ctx: Context, t: FunctionTemplate, key: tuple[object, ...], pos: int, notes: list[Raw]
) -> hir.Function | None:
    """Instantiate the function; if substitution into its signature fails, add a note and return ``None``."""
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
    """Return the instance of a function template for the arguments ``key``; raise `Poisoned` if it is invalid."""
    for args, f in t.specializations:
        if args == key:
            return f
    instance = t.instances.get(key)
    if instance is not None:
        return used(ctx, instance, hir.Function)
    check_number(ctx, t, pos)
    params = t.decl.template or []
    bound: Bindings = dict(zip((p.name for p in params), key, strict=True))
    instance = Instance()
    inner = making(ctx, t, bind(ctx, t.scope, params, bound), pos, instance)
    try:
        f = instance.result = make_function(inner, t.decl, t.owner)
        f.template_args = key
    except Poisoned:
        instance.is_poisoned = True
    t.instances[key] = instance
    if t.renewal is not None and not is_changed(t.renewal, instance):
        assert isinstance(t.renewal.earlier, FunctionTemplate)
        f = instantiate_function(ctx, t.renewal.earlier, key, pos)
        t.instances[key] = t.renewal.earlier.instances[key]
        return f
    return used(ctx, instance, hir.Function)


def specialize_function(ctx: Context, d: ast.FunctionDecl, overloads: Overloads) -> None:
    """Declare an explicit specialisation of a function template: ``template<> T f<int>(...) { ... }``."""
    f = make_function(ctx, d, None)
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
    """Return the template arguments of the specialisation ``d``.

    If it does not match ``t``, add a note, return ``None``.
    """
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
