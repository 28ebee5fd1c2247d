"""Functions: signatures, parameters, redeclarations and definitions."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Direction, Function, Param
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations import registers as binding_annotations
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Subject
from hlsl_tool.frontend.sema.rules.declarations import function_checks, modifiers
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.rules.expressions.default_arguments import DeferredDefault
from hlsl_tool.frontend.sema.scope.context import BodySource, Context
from hlsl_tool.frontend.sema.scope.scopes import FunctionTemplate, Scope
from hlsl_tool.frontend.syntax import ast


def without_redeclared(
    ctx: Context, overloads: tuple[Function | FunctionTemplate, ...], new: Function, d: ast.FunctionDecl
) -> tuple[Function | FunctionTemplate, ...]:
    """Return the overloads without those that ``new`` redeclares or defines; fail if ``new`` is a second definition."""
    signature = new.signature
    same = [o for o in overloads if isinstance(o, Function) and o.signature == signature and o.template_args is None]
    for o in same:
        if o.return_type is not new.return_type:
            ctx.fail(codes.RETURN_REDECLARED, d.pos, notes=[ctx.note(codes.PREVIOUS_DEFINITION, o.pos, o.chunk)])
        if o.has_body and new.has_body:
            ctx.fail(
                codes.REDEFINITION, d.pos, name=new.name, notes=[ctx.note(codes.PREVIOUS_DEFINITION, o.pos, o.chunk)]
            )
        if o.has_body:  # a redeclaration after the definition: keep the definition
            inherit_defaults(o, new, ctx)
            ctx.definitions.append((new, o))
            return tuple(x for x in overloads if x is not o)
        inherit_defaults(o, new, ctx)
        ctx.definitions.append((o, new))
    return tuple(o for o in overloads if o not in same) if same else overloads


def have_same_parameters(a: Function, b: Function) -> bool:
    """Return whether two functions have parameters of the same types and directions."""
    return a.signature == b.signature


def inherit_defaults(old: Function, new: Function, ctx: Context | None = None) -> None:
    """Copy default arguments from the declaration ``old`` to the parameters of ``new``."""
    for p, q in zip(old.params, new.params, strict=True):
        if p.has_default and q.has_default and ctx is not None:
            ctx.error(language.DEFAULT_REDEFINED, q.pos)
        if not q.has_default:
            q.default, q.deferred_default, q.default_chunk = p.default, p.deferred_default, p.default_chunk


def make_function(ctx: Context, d: ast.FunctionDecl, owner: Struct | None, scope: Scope | None = None) -> Function:
    """Create the function of a declaration.  Its body is analysed later, on demand."""
    w = _return_type(ctx, d)
    own, annotations = hlsl_attributes.split(ctx, d.attributes, None)
    modifiers.check(ctx, "function" if owner is None else "method", d.return_type, w.quals, w.type)
    result = type_names.with_dims(ctx, w.type, d.return_dims, d.pos) if d.return_dims else w.type
    f = Function(
        d.name,
        result,
        [],
        d.pos,
        ctx.chunk,
        tuple(d.quals),
        owner=owner,
        is_static="static" in d.quals and owner is not None,
        is_const=d.is_const,
        scope=ctx.scope.namespace,
        has_body=d.body is not None,
        semantic=binding_annotations.resolve(
            ctx, [*d.annotations, *annotations], binding_annotations.Subject(result)
        ).semantic,
    )
    if d.trailing is not None:
        ctx.error(language.TRAILING_QUALIFIER, d.trailing, name=ctx.chunk.tokens[d.trailing])
    elif d.is_const and owner is None:
        ctx.error(language.TRAILING_QUALIFIER, d.pos, name="const")
    if d.name == ast.CONSTRUCTOR and owner is not None:
        f.return_type, f.is_static = owner, True
    if d.name in (ast.CONSTRUCTOR, ast.DESTRUCTOR) and owner is not None:
        f.name = owner.name if f.is_static else f"~{owner.name}"
    f.is_deleted = d.is_deleted
    if "&" in w.quals and "const" not in w.quals and "const" not in d.quals:
        f.referred, f.return_type = result, ty.VOID
    function_checks.check_string(ctx, result, "return value", d.pos)
    f.return_majorness = w.majorness_at(ctx, d.quals, d.pos)
    f.attributes = attributes.at(ctx, own, Subject("function"))
    f.math_mode = hlsl_attributes.math_mode(ctx, own)
    if "constexpr" in d.quals:
        from hlsl_tool.frontend.sema.rules.modern import constant_calls  # noqa: F401  evaluates its calls; start-up time
    seen: set[str] = set()
    for p in d.params:
        f.params.append(_param(ctx, p, seen))
    modifiers.check_shared_parameters(ctx, f)
    f.signature = tuple((id(p.type), p.direction) for p in f.params)
    if ctx.language.hlsl_version >= HLSL_202X:
        shared = tuple(n for n, p in enumerate(f.params) if "groupshared" in p.quals)
        f.signature = (*f.signature, (shared, f.is_const))
    started = False
    for param in f.params:
        started = started or param.has_default
        if started and not param.has_default:
            ctx.error(codes.DEFAULT_ARGUMENT, param.pos, name=param.name)
    f.source = BodySource(d, scope or ctx.scope, ctx.language, ctx.pack, template_depth=ctx.template_depth)
    return f


def _return_type(ctx: Context, d: ast.FunctionDecl) -> type_names.Written:
    """Resolve the return type of a method outside of its struct's scope, whose members must not hide the type."""
    t, outer = d.return_type, ctx.scope
    parent = outer.parent
    if isinstance(t, ast.NamedType) and parent is not None and isinstance(outer.local(t.parts[0].name), ty.Field):
        ctx.scope = parent
    try:
        return type_names.resolve_or_invalid(ctx, t)
    finally:
        ctx.scope = outer


def _param(ctx: Context, p: ast.Param, seen: set[str]) -> Param:
    w = type_names.resolve_or_invalid(ctx, p.type)
    modifiers.check(ctx, "parameter", p.type, w.quals, w.type)
    quals = modifiers.parameter_qualifiers(ctx, p, (*w.quals, *p.quals))
    t = type_names.with_dims(ctx, w.type, p.dims, p.pos, p.name)
    if t is ty.VOID:
        ctx.fail(codes.VOID_PARAM, p.pos)
    if isinstance(t, ty.Array) and t.size is None and ctx.language.hlsl_version >= HLSL_202X:
        ctx.error(modifier_codes.UNSIZED_PARAMETER, p.pos, name=p.name)
    function_checks.check_string(ctx, t, "parameter", p.pos)
    if p.name and p.name in seen:
        ctx.fail(codes.DUPLICATE_PARAM, p.pos, name=p.name)
    seen.add(p.name)
    is_out, is_in = "out" in quals, "in" in quals
    is_reference = "&" in quals and "const" not in quals
    direction: Direction = (
        "inout" if is_reference or "inout" in quals or (is_out and is_in) else "out" if is_out else "in"
    )
    function_checks.check_stream(ctx, t, direction, p.pos)
    if direction != "in" and "uniform" in quals:
        ctx.fail(codes.INOUT_UNIFORM, p.pos)
    own, annotations = hlsl_attributes.split(ctx, p.attributes, t)
    a = binding_annotations.resolve(ctx, [*p.annotations, *annotations], binding_annotations.Subject(t))
    attrs = attributes.at(ctx, own, Subject("parameter", t))
    function_checks.check_records(ctx, attrs, p.name)
    v = Param(
        p.name,
        t,
        "param",
        p.pos,
        ctx.chunk,
        "const" in quals,
        quals,
        w.majorness_at(ctx, quals, p.pos),
        a.semantic,
        a.registers,
        a.packoffset,
        attrs,
        direction=direction,
    )
    if p.default is not None:
        v.default_chunk = ctx.chunk
    if p.default is not None and ctx.instance is not None:
        v.deferred_default = DeferredDefault(p.default, ctx.scope, ctx.pack, ctx.template_depth)
    elif p.default is not None:
        v.default = initializers.initialize(ctx, p.default, t, codes.CANNOT_INIT_PARAM)
    return v


def define_method(ctx: Context, old: Function, new: Function) -> None:
    """Record ``new`` as the definition of the method that ``old`` declares."""
    new.is_static, new.is_const = old.is_static, old.is_const or new.is_const
    inherit_defaults(old, new)
    ctx.definitions.append((old, new))
    ctx.functions.append(new)
    if new.has_body:
        ctx.pending.append(new)
