"""Declarations: variables, functions, blocks, namespaces, aliases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import hlsl_tool.sema.declarations.records as records
import hlsl_tool.sema.expressions.primary as ex
import hlsl_tool.sema.templates.members as template_members
from hlsl_tool.diagnostics.catalogue import declarations as block_codes
from hlsl_tool.diagnostics.catalogue import language
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.sema import type_names
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations import attributes, inline_spirv
from hlsl_tool.sema.annotations import bindings as binding_annotations
from hlsl_tool.sema.annotations.attribute_subjects import Kind, Subject
from hlsl_tool.sema.constants import evaluate
from hlsl_tool.sema.context import BodySource, Context, Poisoned
from hlsl_tool.sema.declarations import effects, function_checks, redeclaration
from hlsl_tool.sema.expressions import initializers
from hlsl_tool.sema.hir import CBuffer, Direction, Expr, Function, Param, Storage, Variable
from hlsl_tool.sema.scope import Alias, AliasTemplate, FunctionTemplate, Namespace, Pack, Scope
from hlsl_tool.sema.types import ObjectType, Struct, Type
from hlsl_tool.syntax import ast


@dataclass(slots=True)
class DeferredDefault:
    """A default argument as written, with the context to analyse it in."""

    expression: ast.Expr
    scope: Scope
    pack: Pack
    template_depth: int


def declare(ctx: Context, d: ast.Decl) -> None:
    """Declare ``d`` in the current scope; report an error if it is invalid."""
    try:
        _DECLARE[d.__class__](ctx, d)
    except Poisoned:
        return


# ----------------------------------------------------------------------------------------------------------- variables


def variables(ctx: Context, d: ast.VarDecl, *, in_cbuffer: bool = False) -> list[Variable]:
    """Bind the variables of a declaration in the current scope and check their initialisers."""
    w = type_names.resolve(ctx, d.type, allow_auto=True)
    own = (*(d.type.quals if isinstance(d.type, ast.NamedType) else ()), *d.quals)
    quals = (*(q for q in w.quals if q not in own), *own)
    out: list[Variable] = []
    for x in d.declarators:
        if x.scope:
            _define_static_member(ctx, x)
            continue
        try:
            out.append(_variable(ctx, x, w, quals, d.attributes, in_cbuffer=in_cbuffer))
        except Poisoned:
            if x.name not in ctx.scope.names and w.type is not type_names.AUTO:  # suppress follow-up errors
                ctx.scope.names[x.name] = Variable(x.name, w.type, "local", x.pos, ctx.chunk)
            continue
    return out


def _storage(ctx: Context, quals: tuple[str, ...]) -> Storage:
    if ctx.function is not None:
        return "static_local" if "static" in quals else "local"
    if "groupshared" in quals:
        return "groupshared"
    return "static" if "static" in quals else "global"


def _variable(
    ctx: Context,
    x: ast.Declarator,
    w: type_names.Written,
    quals: tuple[str, ...],
    written: Sequence[ast.Attribute],
    *,
    in_cbuffer: bool,
) -> Variable:
    t: Type = type_names.with_dims(ctx, w.type, x.dims, x.pos, x.name)
    if ty.innermost(t) is ty.VOID:
        ctx.fail(codes.VOID_VARIABLE, x.pos)
    innermost = ty.innermost(t)
    if innermost is ty.STRING and t is not innermost:
        ctx.fail(language.STRING_TYPE, x.pos, what="array")
    if innermost is ty.STRING and ctx.function is not None:
        ctx.fail(language.STRING_SCOPE, x.pos)
    if isinstance(innermost, Struct) and not innermost.is_complete and innermost is not type_names.AUTO:
        ctx.fail(codes.INCOMPLETE_TYPE, x.pos, type=ty.display(innermost))
    if ctx.function is not None and "groupshared" in quals:
        ctx.fail(codes.GROUPSHARED_LOCAL, x.pos)
    effects.check_annotation(ctx, x)
    storage = _storage(ctx, quals)
    _check_redefined(ctx, x, t, quals)
    majorness = w.majorness_at(ctx, quals, x.pos)
    known_type = None if t is type_names.AUTO else t
    kind: Kind = "block member" if in_cbuffer else "global" if ctx.function is None else "local"
    word = "local variable" if kind == "local" else ""
    a = binding_annotations.resolve(ctx, x.annotations, binding_annotations.Subject(known_type, in_cbuffer, word))
    v = Variable(
        x.name,
        t,
        storage,
        x.pos,
        ctx.chunk,
        "const" in quals,
        quals,
        majorness,
        a.semantic,
        a.registers,
        a.packoffset,
        attributes.at(ctx, [*written, *x.attributes], Subject(kind, known_type, quals)),
        None,
        ctx.scope.namespace,
        ctx.function,
    )
    if x.init is not None and t is type_names.AUTO:
        _initialize(ctx, v, x)
        ctx.scope.names[x.name] = v
    else:
        ctx.scope.names[x.name] = v
        if x.init is not None:
            _initialize(ctx, v, x)
        elif t is type_names.AUTO:
            ctx.fail(codes.AUTO_NEEDS_INITIALIZER, x.pos, name=x.name)
    if ctx.function is None:
        ctx.globals.append(v)
    return v


def _check_redefined(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> None:
    old = ctx.scope.names.get(x.name)
    if not isinstance(old, Variable):
        redeclaration.check(ctx, x.name, x.pos, "variable")
        return
    if "extern" in quals or "extern" in old.quals or (ctx.function is None and old.scope != ctx.scope.namespace):
        return
    note = [ctx.note(codes.PREVIOUS_DEFINITION, old.pos, old.chunk)] if old.chunk is not None else None
    if old.type is not t and not (isinstance(t, ty.Array) or t is type_names.AUTO):
        ctx.fail(codes.REDEFINITION_TYPE, x.pos, name=x.name, new=ty.display(t), old=ty.display(old.type), notes=note)
    ctx.fail(codes.REDEFINITION, x.pos, name=x.name, notes=note)


def _initialize(ctx: Context, v: Variable, x: ast.Declarator) -> None:
    assert x.init is not None
    if isinstance(x.init, ast.SamplerState):
        is_sampler = ctx.chunk.tokens[x.init.pos] == "sampler_state"
        ctx.warn(block_codes.EFFECT_SAMPLER_STATE if is_sampler else codes.EFFECT_STATE, x.init.pos)
        return
    if v.type is type_names.AUTO:
        e = ex.rvalue(ctx, x.init)
        if isinstance(e.type, ty.Scalar) and e.type.is_literal:
            e = ex.convert(ctx, e, ty.concrete(e.type))
        if e.type is ty.STRING and ctx.function is not None:
            ctx.fail(language.STRING_SCOPE, x.pos)
        v.type, v.init = e.type, e
        return
    v.init = initializers.initialize(ctx, x.init, v.type, codes.CANNOT_INITIALIZE)
    if isinstance(v.type, ty.Array) and v.type.size is None:
        v.type = v.init.type


def _define_static_member(ctx: Context, x: ast.Declarator) -> None:
    """Define a static member or ``extern`` variable: ``T S::x = init;``."""
    binding = type_names.lookup_path(ctx, [*x.scope, ast.NamePart(x.name)], x.pos)
    if not isinstance(binding, Variable):
        ctx.fail(codes.NO_MEMBER, x.pos, name=x.name, type=type_names.spelled(x.scope))
    is_declared = isinstance(binding.owner, Struct) or "extern" in binding.quals
    if not is_declared or (binding.init is not None and x.init is not None):
        note = ctx.note(codes.PREVIOUS_DEFINITION, binding.pos, binding.chunk)
        ctx.fail(codes.REDEFINITION, x.pos, name=x.name, notes=[note])
    if x.init is not None:
        binding.init = initializers.initialize(ctx, x.init, binding.type, codes.CANNOT_INITIALIZE)
    if binding not in ctx.globals:
        ctx.globals.append(binding)


def _var_decl(ctx: Context, d: ast.VarDecl) -> None:
    if effects.is_ignored(ctx, d):
        return
    if d.template is not None:
        from hlsl_tool.sema.templates import instantiation as templates

        path = d.declarators[0].scope if d.declarators else []
        owner = template_members.owner_of(ctx, path, d.pos) if path else None
        if owner is not None:
            template_members.define(ctx, owner, d)
        elif path:
            ctx.fail(language.MEMBER_TEMPLATE, d.pos, name=d.declarators[0].name)
        else:
            templates.declare_variable(ctx, d)
        return
    variables(ctx, d)


# ----------------------------------------------------------------------------------------------------------- functions


def declare_function(ctx: Context, d: ast.FunctionDecl, owner: Struct | None = None) -> None:
    """Bind a function, method or template; a definition replaces its declaration."""
    from hlsl_tool.sema.templates import instantiation as templates

    if d.scope:
        _define_member(ctx, d)
        return
    function_checks.check_operator(ctx, d, owner)
    old = tuple(owner.methods.get(d.name, ())) if owner is not None else ctx.scope.names.get(d.name, ())
    overloads = old if isinstance(old, tuple) else ()
    if owner is None:
        redeclaration.check(ctx, d.name, d.pos, "function")
    if d.template is not None and d.template == []:
        templates.specialize_function(ctx, d, overloads)
        return
    if d.template is not None:
        new: Function | FunctionTemplate = FunctionTemplate(d.name, d, ctx.scope, ctx.chunk, ctx.pack, owner)
        if d.body is not None:
            overloads = tuple(
                o
                for o in overloads
                if not (isinstance(o, FunctionTemplate) and o.decl.body is None and len(o.decl.params) == len(d.params))
            )
    else:
        new = make_function(ctx, d, owner)
        overloads = _without_redeclared(ctx, overloads, new, d)
        ctx.functions.append(new)
        if new.has_body:
            ctx.pending.append(new)
    if owner is not None:
        owner.methods[d.name] = [*overloads, new]  # type: ignore[list-item]
    else:
        ctx.scope.names[d.name] = (*overloads, new)


def _without_redeclared(
    ctx: Context, overloads: tuple[Function | FunctionTemplate, ...], new: Function, d: ast.FunctionDecl
) -> tuple[Function | FunctionTemplate, ...]:
    signature = new.signature
    same = [o for o in overloads if isinstance(o, Function) and o.signature == signature and o.template_args is None]
    for o in same:
        if o.return_type is not new.return_type:
            ctx.fail(codes.RETURN_REDECLARED, d.pos, notes=[ctx.note(codes.PREVIOUS_DEFINITION, o.pos, o.chunk)])
        if o.has_body and new.has_body:
            ctx.fail(
                codes.REDEFINITION, d.pos, name=d.name, notes=[ctx.note(codes.PREVIOUS_DEFINITION, o.pos, o.chunk)]
            )
        if o.has_body:  # a redeclaration after the definition: keep the definition
            _inherit_defaults(o, new)
            ctx.definitions.append((new, o))
            return tuple(x for x in overloads if x is not o)
        _inherit_defaults(o, new)
        ctx.definitions.append((o, new))
    return tuple(o for o in overloads if o not in same) if same else overloads


def have_same_parameters(a: Function, b: Function) -> bool:
    return a.signature == b.signature


def _inherit_defaults(old: Function, new: Function) -> None:
    for p, q in zip(old.params, new.params, strict=True):
        if not q.has_default:
            q.default, q.deferred_default, q.default_chunk = p.default, p.deferred_default, p.default_chunk


def make_function(ctx: Context, d: ast.FunctionDecl, owner: Struct | None, scope: Scope | None = None) -> Function:
    """Create the function of a declaration; its body is analysed on demand."""
    w = _return_type(ctx, d)
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
        semantic=binding_annotations.resolve(ctx, d.annotations, binding_annotations.Subject(None)).semantic,
    )
    function_checks.check_string(ctx, result, "return value", d.pos)
    f.return_majorness = w.majorness_at(ctx, d.quals, d.pos)
    f.attributes = attributes.at(ctx, d.attributes, Subject("function"))
    seen: set[str] = set()
    for p in d.params:
        f.params.append(_param(ctx, p, seen))
    f.signature = tuple((id(p.type), p.direction) for p in f.params)
    started = False
    for param in f.params:
        started = started or param.has_default
        if started and not param.has_default:
            ctx.error(codes.DEFAULT_ARGUMENT, param.pos, name=param.name)
    f.source = BodySource(d, scope or ctx.scope, ctx.language, ctx.pack, template_depth=ctx.template_depth)
    return f


def _return_type(ctx: Context, d: ast.FunctionDecl) -> type_names.Written:
    """Resolve a return type outside of the function's struct, whose members must not hide it."""
    t, outer = d.return_type, ctx.scope
    parent = outer.parent
    if isinstance(t, ast.NamedType) and parent is not None and isinstance(outer.local(t.parts[0].name), ty.Field):
        ctx.scope = parent
    try:
        return type_names.resolve(ctx, t)
    finally:
        ctx.scope = outer


def _param(ctx: Context, p: ast.Param, seen: set[str]) -> Param:
    w = type_names.resolve(ctx, p.type)
    quals = (*w.quals, *p.quals)
    t = type_names.with_dims(ctx, w.type, p.dims, p.pos, p.name)
    if t is ty.VOID:
        ctx.fail(codes.VOID_PARAM, p.pos)
    function_checks.check_string(ctx, t, "parameter", p.pos)
    if p.name and p.name in seen:
        ctx.fail(codes.DUPLICATE_PARAM, p.pos, name=p.name)
    seen.add(p.name)
    is_out, is_in = "out" in quals, "in" in quals
    direction: Direction = "inout" if "inout" in quals or (is_out and is_in) else "out" if is_out else "in"
    if direction != "in" and "uniform" in quals:
        ctx.fail(codes.INOUT_UNIFORM, p.pos)
    a = binding_annotations.resolve(ctx, p.annotations, binding_annotations.Subject(t))
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
        attributes.at(ctx, p.attributes, Subject("parameter", t)),
        direction=direction,
    )
    if p.default is not None:
        v.default_chunk = ctx.chunk
    if p.default is not None and ctx.instance is not None:
        v.deferred_default = DeferredDefault(p.default, ctx.scope, ctx.pack, ctx.template_depth)
    elif p.default is not None:
        v.default = initializers.initialize(ctx, p.default, t, codes.CANNOT_INIT_PARAM)
    return v


def default_argument(ctx: Context, p: Param) -> Expr:
    """Return the default argument of a parameter."""
    deferred = p.deferred_default
    if p.default is None and isinstance(deferred, DeferredDefault) and p.chunk is not None:
        inner = Context(ctx.language, p.chunk, deferred.scope, ctx.messages, deferred.pack)
        inner.source, inner.template_depth = ctx.source, deferred.template_depth
        inner.instance, inner.used = ctx.instance, ctx.used
        inner.globals, inner.functions, inner.structs = ctx.globals, ctx.functions, ctx.structs
        inner.enums, inner.definitions, inner.pending = ctx.enums, ctx.definitions, ctx.pending
        return initializers.initialize(inner, deferred.expression, p.type, codes.CANNOT_INIT_PARAM)
    assert p.default is not None
    return p.default


def reopened(ctx: Context, namespace: Namespace, path: Sequence[str]) -> Namespace:
    """Return a copy of a namespace to add declarations to: the original may be shared with other shaders."""
    scope: Scope | None = ctx.scope
    while scope is not None and not isinstance(scope.names.get(path[0]), Namespace):
        scope = scope.parent
    if scope is None:  # reached through `using namespace`
        return Namespace(namespace.name, namespace.qualified, dict(namespace.members))
    names = scope.names
    for name in path:
        old = names[name]
        assert isinstance(old, Namespace)
        namespace = names[name] = Namespace(name, old.qualified, dict(old.members))
        names = namespace.members
    return namespace


def _define_member(ctx: Context, d: ast.FunctionDecl) -> None:
    """Define a function outside of its scope: ``T S::f(...) { ... }`` or ``T N::f(...) { ... }``."""
    from hlsl_tool.sema.type_names import lookup_path, spelled

    template = template_members.owner_of(ctx, d.scope, d.pos)
    if template is not None and d.template is not None:
        template_members.define(ctx, template, d)
        return
    binding = lookup_path(ctx, d.scope, d.pos)
    if isinstance(binding, Namespace):
        binding = reopened(ctx, binding, [part.name for part in d.scope])
        outer, ctx.scope = ctx.scope, Scope("namespace", ctx.scope, binding.members, namespace=binding.qualified)
        try:
            declare_function(ctx, _unscoped(d))
        finally:
            ctx.scope = outer
        return
    if not isinstance(binding, Alias) or not isinstance(binding.type, Struct):
        ctx.fail(codes.NOT_A_TYPE, d.pos, name=spelled(d.scope))
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


def define_method(ctx: Context, old: Function, new: Function) -> None:
    """Record ``new`` as the definition of the method that ``old`` declares."""
    new.is_static, new.is_const = old.is_static, old.is_const or new.is_const
    _inherit_defaults(old, new)
    ctx.definitions.append((old, new))
    ctx.functions.append(new)
    if new.has_body:
        ctx.pending.append(new)


def _unscoped(d: ast.FunctionDecl) -> ast.FunctionDecl:
    return ast.FunctionDecl(
        d.return_type,
        d.name,
        d.params,
        d.body,
        d.pos,
        [],
        d.quals,
        d.attributes,
        d.annotations,
        d.template,
        d.args,
        d.is_const,
        d.return_dims,
    )


# ---------------------------------------------------------------------------------------------- blocks and namespaces


def _cbuffer(ctx: Context, d: ast.CBufferDecl) -> None:
    b = CBuffer(
        d.name,
        d.keyword,
        [],
        d.pos,
        ctx.chunk,
        binding_annotations.resolve_block(ctx, d.annotations, d.keyword),
        attributes.at(ctx, d.attributes, Subject("block", None, (d.keyword,))),
        ctx.scope.namespace,
    )
    outside = ctx.globals
    for m in d.members:
        if not isinstance(m, ast.VarDecl):
            declare(ctx, m)
            continue
        ctx.globals = []
        try:
            members = variables(ctx, m, in_cbuffer=True)
        except Poisoned:
            members = []
        ctx.globals = outside
        for v in members:
            innermost = ty.innermost(v.type)
            if v.storage == "groupshared":
                v.storage = "global"  # the qualifier has no effect inside a block
            if innermost is ty.STRING and v.storage == "global":
                ctx.fail(codes.STRING_MEMBER, v.pos, name=v.name)
            if v.storage != "global":
                outside.append(v)
            elif isinstance(innermost, ObjectType) and innermost.name not in inline_spirv.VALUES:
                v.owner = b
                b.other_members.append(v)
                outside.append(v)
            else:
                v.storage, v.owner = "cbuffer_member", b
                b.members.append(v)
    if len(b.members) > ty.MAX_MEMBERS:
        ctx.fail(codes.TOO_MANY_MEMBERS, d.pos, name=d.name, count=len(b.members), limit=ty.MAX_MEMBERS)
    if _mixes_packoffset(d):
        ctx.warn(block_codes.PACKOFFSET_MIX, d.pos)
    ctx.globals.append(b)


def _mixes_packoffset(d: ast.CBufferDecl) -> bool:
    """Return whether only some members of a block have a ``packoffset``."""
    placed = {
        any(isinstance(a, ast.PackOffset) for a in x.annotations)
        for m in d.members
        if isinstance(m, ast.VarDecl)
        for x in m.declarators
    }
    return len(placed) > 1


def _namespace(ctx: Context, d: ast.NamespaceDecl) -> None:
    outer = ctx.scope
    old = outer.names.get(d.name)
    qualified = f"{outer.namespace}::{d.name}" if outer.namespace else d.name
    redeclaration.check(ctx, d.name, d.pos, "namespace")
    n = Namespace(d.name, qualified, dict(old.members) if isinstance(old, Namespace) else {})
    outer.names[d.name] = n
    ctx.scope = Scope("namespace", outer, n.members, namespace=qualified)
    try:
        for m in d.members:
            declare(ctx, m)
    finally:
        ctx.scope = outer


def _typedef(ctx: Context, d: ast.TypedefDecl) -> None:
    w = type_names.resolve(ctx, d.type)
    attributes.at(ctx, d.attributes, Subject("type"))
    quals = (*w.quals, *(q for q in d.quals if q != "typedef"))
    for x in d.declarators:
        t = type_names.with_dims(ctx, w.type, x.dims, x.pos, x.name)
        binding_annotations.resolve(ctx, x.annotations, binding_annotations.Subject(t, word="typedef"))
        majorness = w.majorness_at(ctx, quals, x.pos)
        redeclaration.check_typedef(ctx, x.name, x.pos, t)
        records.bind_type(ctx, x.name, Alias(t, majorness, quals, ctx.scope.namespace, is_typedef=True))


def _using(ctx: Context, d: ast.UsingDecl) -> None:
    if d.template is not None:
        ctx.scope.names[d.name] = AliasTemplate(d.name, d, ctx.scope, ctx.chunk, ctx.pack)
        return
    if d.type is not None:
        w = type_names.resolve(ctx, d.type)
        attributes.at(ctx, d.attributes, Subject("type"))
        quals = (*w.quals, *d.quals)
        redeclaration.check_typedef(ctx, d.name, d.pos, w.type)
        majorness = type_names.majorness_of(quals) or w.majorness
        records.bind_type(ctx, d.name, Alias(w.type, majorness, quals, ctx.scope.namespace, is_typedef=True))
        return
    binding = type_names.lookup_path(ctx, [*d.scope, ast.NamePart(d.name)], d.pos)
    if d.is_namespace:
        if not isinstance(binding, Namespace):
            if d.name in ("vk", "dx"):
                return
            ctx.fail(codes.UNDECLARED, d.pos, name=d.name)
        if ctx.function is not None:
            ctx.scope.usings.append(binding)
            return
        for name, b in binding.members.items():
            ctx.scope.names.setdefault(name, b)
        return
    if binding is None:
        ctx.fail(codes.UNDECLARED, d.pos, name=d.name)
    ctx.scope.names[d.name] = binding


def _static_assert(ctx: Context, d: ast.StaticAssertDecl) -> None:
    value = evaluate(ex.rvalue(ctx, d.cond))
    if value is None:
        ctx.fail(codes.STATIC_ASSERT_CONSTANT, d.pos)
    if not value:
        ctx.fail(codes.STATIC_ASSERT, d.pos, message=f' "{d.message}"' if d.message else "")


def _technique(ctx: Context, d: ast.TechniqueDecl) -> None:
    ctx.warn(codes.TECHNIQUE, d.pos)


def _empty(ctx: Context, d: ast.EmptyDecl) -> None:
    return


def _struct(ctx: Context, d: ast.StructDecl) -> None:
    records.declare_struct(ctx, d)


def _enum(ctx: Context, d: ast.EnumDecl) -> None:
    records.declare_enum(ctx, d)


_DECLARE: dict[type, Callable[..., None]] = {
    ast.VarDecl: _var_decl,
    ast.FunctionDecl: declare_function,
    ast.StructDecl: _struct,
    ast.CBufferDecl: _cbuffer,
    ast.NamespaceDecl: _namespace,
    ast.EnumDecl: _enum,
    ast.TypedefDecl: _typedef,
    ast.UsingDecl: _using,
    ast.StaticAssertDecl: _static_assert,
    ast.TechniqueDecl: _technique,
    ast.EmptyDecl: _empty,
}
