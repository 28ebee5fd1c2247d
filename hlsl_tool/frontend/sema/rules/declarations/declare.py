"""Declarations other than functions: maps each kind of declaration to the rule that analyses it."""

from __future__ import annotations

import hlsl_tool.frontend.sema.rules.declarations.records as records
import hlsl_tool.frontend.sema.rules.expressions.check as ex
import hlsl_tool.frontend.sema.rules.templates.members as template_members
from hlsl_tool.base.diagnostics.catalogue import declarations as block_codes
from hlsl_tool.base.diagnostics.catalogue import language, syntax
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.hir import CBuffer
from hlsl_tool.frontend.sema.model.types import VALUE_OBJECTS, ObjectType
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations import registers as binding_annotations
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Subject
from hlsl_tool.frontend.sema.rules.declarations import modifiers, redeclaration
from hlsl_tool.frontend.sema.rules.declarations.variables import variables
from hlsl_tool.frontend.sema.rules.templates.instantiation import declare_variable
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import declaration, declare
from hlsl_tool.frontend.sema.scope.scopes import Alias, AliasTemplate, Namespace, Scope
from hlsl_tool.frontend.syntax import ast


@declaration(ast.VarDecl)
def _var_decl(ctx: Context, d: ast.VarDecl) -> None:
    if d.template is not None:
        path = d.declarators[0].scope if d.declarators else []
        owner = template_members.owner_of(ctx, path, d.pos) if path else None
        if owner is not None:
            template_members.define(ctx, owner, d)
        elif path:
            ctx.fail(language.MEMBER_TEMPLATE, d.pos, name=d.declarators[0].name)
        else:
            declare_variable(ctx, d)
        return
    variables(ctx, d)


# ---------------------------------------------------------------------------------------------- blocks and namespaces


@declaration(ast.CBufferDecl)
def _cbuffer(ctx: Context, d: ast.CBufferDecl) -> None:
    if not d.name:
        ctx.error(syntax.EXPECTED_IDENTIFIER, d.pos)
    own, annotations = hlsl_attributes.split(ctx, d.attributes, None, d.keyword)
    b = CBuffer(
        d.name,
        d.keyword,
        [],
        d.pos,
        ctx.chunk,
        binding_annotations.resolve_block(ctx, [*d.annotations, *annotations], d.keyword),
        attributes.at(ctx, own, Subject("block", None, (d.keyword,))),
        ctx.scope.namespace,
    )
    outside = ctx.globals
    for m in d.members:
        if not isinstance(m, ast.VarDecl):
            _check_member(ctx, m)
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
            elif isinstance(innermost, ObjectType) and innermost.name not in VALUE_OBJECTS:
                v.owner = b
                b.other_members.append(v)
                outside.append(v)
            else:
                v.storage, v.owner = "cbuffer_member", b
                b.members.append(v)
    if len(b.members) > ty.MAX_MEMBERS:
        ctx.fail(codes.TOO_MANY_MEMBERS, d.pos, name=d.name, count=len(b.members), limit=ty.MAX_MEMBERS)
    _check_overlap(ctx, b)
    if _mixes_packoffset(d):
        ctx.warn(block_codes.PACKOFFSET_MIX, d.pos)
    ctx.globals.append(b)


def _check_member(ctx: Context, m: ast.Decl) -> None:
    """Report a namespace or block inside of a block, from HLSL 202x on."""
    if isinstance(m, (ast.NamespaceDecl, ast.CBufferDecl)) and ctx.language.hlsl_version >= HLSL_202X:
        what = "namespace declaration" if isinstance(m, ast.NamespaceDecl) else "cbuffer declaration"
        ctx.error(modifier_codes.CBUFFER_DECLARATION, m.pos, what=what)


def _check_overlap(ctx: Context, b: CBuffer) -> None:
    """Report scalars and vectors whose ``packoffset`` makes them overlap earlier members of the block.

    Members with the same offset are reported later, by the layout of the block.
    """
    placed: list[tuple[int, int, str]] = []
    for v in b.members:
        if v.packoffset is None or not isinstance(v.type, (ty.Scalar, ty.Vector)):
            continue
        component = v.type.element if isinstance(v.type, ty.Vector) else v.type
        start = v.packoffset.offset
        end = start + ty.component_count(v.type) * max(component.bits, 32) // 8
        for first, last, name in placed:
            if start != first and start < last and first < end:
                ctx.error(block_codes.PACKOFFSET_OVERLAP, v.pos, name=v.name, other=name)
                break
        placed.append((start, end, v.name))


def _mixes_packoffset(d: ast.CBufferDecl) -> bool:
    """Return whether some, but not all, members of a block have a ``packoffset``."""
    placed = {
        any(isinstance(a, ast.PackOffset) for a in x.annotations)
        for m in d.members
        if isinstance(m, ast.VarDecl)
        for x in m.declarators
    }
    return len(placed) > 1


@declaration(ast.NamespaceDecl)
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


@declaration(ast.TypedefDecl)
def _typedef(ctx: Context, d: ast.TypedefDecl) -> None:
    w = type_names.resolve(ctx, d.type)
    modifiers.check(ctx, "typedef", d.type, w.quals, w.type)
    attributes.at(ctx, d.attributes, Subject("type"))
    quals = (*w.quals, *(q for q in d.quals if q != "typedef"))
    for x in d.declarators:
        t = type_names.with_dims(ctx, w.type, x.dims, x.pos, x.name)
        if x.init is not None:
            ctx.error(language.TYPEDEF_INITIALIZER, x.pos)
        if ctx.scope.kind == "struct":
            ctx.error(language.NESTED_TYPEDEF, x.pos)
        binding_annotations.resolve(ctx, x.annotations, binding_annotations.Subject(t, word="typedef"))
        majorness = w.majorness_at(ctx, quals, x.pos)
        redeclaration.check_typedef(ctx, x.name, x.pos, t)
        records.bind_type(ctx, x.name, Alias(t, majorness, quals, ctx.scope.namespace, is_typedef=True))


@declaration(ast.UsingDecl)
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
        own = binding if isinstance(binding, Namespace) else None
        opened = [x for x in (own, _built_in_namespace(ctx, d)) if x is not None]
        if not opened:
            ctx.fail(codes.UNDECLARED, d.pos, name=d.name)
        if ctx.function is not None:
            ctx.scope.usings += opened
            return
        for namespace in opened:
            for name, b in namespace.members.items():
                ctx.scope.names.setdefault(name, b)
        return
    if binding is None and len(d.scope) == 1:
        built_in = type_names.built_in_namespace(d.scope[0].name)
        binding = built_in.members.get(d.name) if built_in is not None else None
    if binding is None:
        ctx.fail(codes.UNDECLARED, d.pos, name=d.name)
    ctx.scope.names[d.name] = binding


def _built_in_namespace(ctx: Context, d: ast.UsingDecl) -> Namespace | None:
    """Return the built-in namespace that a declaration opens, without the names that the program declares itself."""
    if d.name == "hlsl" and not d.scope and ctx.language.hlsl_version >= HLSL_202X:
        return Namespace("hlsl", "hlsl", {})
    namespace = type_names.built_in_namespace(d.name) if not d.scope else None
    if namespace is None:
        return None
    free = {name: b for name, b in namespace.members.items() if ctx.scope.lookup(name) is None}
    return Namespace(namespace.name, namespace.qualified, free)


@declaration(ast.StaticAssertDecl)
def _static_assert(ctx: Context, d: ast.StaticAssertDecl) -> None:
    value = evaluate(ex.rvalue(ctx, d.cond))
    if value is None:
        ctx.fail(codes.STATIC_ASSERT_CONSTANT, d.pos)
    if not value:
        ctx.fail(codes.STATIC_ASSERT, d.pos, message=f' "{d.message}"' if d.message else "")


@declaration(ast.TechniqueDecl)
def _technique(ctx: Context, d: ast.TechniqueDecl) -> None:
    ctx.warn(codes.TECHNIQUE, d.pos)


@declaration(ast.EmptyDecl)
def _empty(ctx: Context, d: ast.EmptyDecl) -> None:
    return


@declaration(ast.StructDecl)
def _struct(ctx: Context, d: ast.StructDecl) -> None:
    records.declare_struct(ctx, d)


@declaration(ast.EnumDecl)
def _enum(ctx: Context, d: ast.EnumDecl) -> None:
    records.declare_enum(ctx, d)
