"""Structs, classes, interfaces and enums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import convert, evaluate_int
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import Enum, Field, Scalar, Struct, Type
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations import registers as binding_annotations
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Subject
from hlsl_tool.frontend.sema.rules.declarations import modifiers, redeclaration
from hlsl_tool.frontend.sema.rules.declarations.variables import variables, warn_nothing_declared
from hlsl_tool.frontend.sema.rules.modern import construction, destruction, unions
from hlsl_tool.frontend.sema.rules.templates.specializations import explicit_key
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import declare, type_declaration
from hlsl_tool.frontend.sema.scope.scopes import Alias, Constant, Scope, Specialization, StructTemplate
from hlsl_tool.frontend.syntax import ast


@type_declaration(ast.StructDecl)
def declare_struct(ctx: Context, decl: ast.StructDecl) -> Struct:
    """Declare a struct, define it if it has members, and return its type.  Templates are bound, not instantiated."""
    name, scope = decl.name, ctx.scope
    if decl.template is not None:
        return _declare_template(ctx, decl)
    old = scope.names.get(name) if name else None
    s: Struct | None = None
    if isinstance(old, Alias) and isinstance(old.type, Struct) and old.type.name == name:
        if decl.members is None:
            return old.type
        if old.type.is_complete:
            ctx.fail(codes.REDEFINITION, decl.pos, name=name, notes=redeclaration.previous(ctx, old))
        s = old.type
    elif isinstance(old, Alias) and decl.members is not None:
        ctx.fail(codes.REDEFINITION, decl.pos, name=name, notes=redeclaration.previous(ctx, old))
    if s is None:
        s = Struct(name or "anon", decl.keyword, pos=decl.pos, scope=scope.namespace, is_anonymous=not name)
        if name:
            redeclaration.check(ctx, name, decl.pos, "tag")
            bind_type(ctx, name, Alias(s, scope=scope.namespace))
    if decl.members is not None:
        s.chunk = ctx.chunk
        define(ctx, s, decl)
        ctx.structs.append(s)
    return s


def bind_type(ctx: Context, name: str, alias: Alias) -> None:
    """Bind a type name in the current scope; in the scope of a struct, also as a member type of the struct."""
    ctx.scope.names[name] = alias
    if ctx.scope.struct is not None:
        ctx.scope.struct.types[name] = alias.type


def _declare_template(ctx: Context, decl: ast.StructDecl) -> Struct:
    old = ctx.scope.names.get(decl.name)
    if isinstance(old, StructTemplate) and (decl.args is not None or decl.members is None or old.decl.members is None):
        scope = Scope("template", old.scope)
        specials = list(old.specializations)
        new = StructTemplate(decl.name, old.decl, scope, old.chunk, old.pack, {}, specials, old.members)
        scope.names[decl.name] = new  # inside, the name refers to the template with the specialisation
        if decl.args is not None:
            key = explicit_key(ctx, decl.template, decl.args)
            new.specializations.append(Specialization(decl, ctx.scope, ctx.chunk, ctx.pack, key))
            new.earlier = old
        elif decl.members is not None:
            new.decl, new.scope, new.chunk, new.pack = decl, ctx.scope, ctx.chunk, ctx.pack
        ctx.scope.names[decl.name] = new
    elif isinstance(old, StructTemplate):
        ctx.fail(codes.REDEFINITION, decl.pos, name=decl.name)
    else:
        ctx.scope.names[decl.name] = StructTemplate(decl.name, decl, ctx.scope, ctx.chunk, ctx.pack)
    _check_members(ctx, decl)
    return type_names.AUTO


def _check_members(ctx: Context, decl: ast.StructDecl) -> None:
    """Report errors in the members of a struct template that do not depend on its arguments."""
    for m in decl.members or ():
        if isinstance(m, ast.FunctionDecl) and m.name == "operator":
            ctx.error(language.CONVERSION_OPERATOR, m.pos)
        if isinstance(m, ast.VarDecl) and isinstance(m.type, ast.NamedType):
            type_names.check_indirections(ctx, m.type)


def define(ctx: Context, s: Struct, decl: ast.StructDecl) -> None:
    """Analyse the bases and members of a struct."""
    _add_bases(ctx, s, decl)
    _check_in_front(ctx, decl)
    s.attributes = attributes.at(ctx, decl.attributes, Subject("type"))
    count = sum(len(m.declarators) for m in decl.members or () if isinstance(m, ast.VarDecl))
    if count > ty.MAX_MEMBERS:
        ctx.fail(codes.TOO_MANY_MEMBERS, decl.pos, name=s.name, count=count, limit=ty.MAX_MEMBERS)
    _add_members(ctx, s, decl)
    if decl.keyword == "union":
        unions.lay_out(ctx, s, decl.pos)
    s.leaves = sum(b.leaves for b in s.bases) + sum(_leaves(f.type) for f in s.fields)
    if s.leaves > MAX_LEAVES:  # nested structs: the code for one value grows with their members
        ctx.fail(codes.TYPE_TOO_LARGE, decl.pos, name=s.name, limit=MAX_LEAVES)
    inner = [*s.bases, *(f.type for f in s.fields), *s.template_args]
    s.levels = 1 + max(map(ty.levels, inner), default=0)
    if s.levels > ty.MAX_LEVELS:
        ctx.fail(codes.TYPE_TOO_DEEP, decl.pos, name=s.name, limit=ty.MAX_LEVELS)
    s.is_complete = True


def _add_bases(ctx: Context, s: Struct, decl: ast.StructDecl) -> None:
    for b in decl.bases:
        base = type_names.resolve(ctx, b).type
        if isinstance(base, Struct) and base.is_final:
            ctx.fail(language.FINAL_BASE, b.pos, name=ty.display(base))
        if not isinstance(base, Struct):
            ctx.fail(codes.BASE_NOT_STRUCT, b.pos)
        if "union" in (base.keyword, decl.keyword):
            ctx.fail(modifier_codes.UNION_BASE, b.pos, verb="be" if base.keyword == "union" else "have")
        if not base.is_complete:
            ctx.fail(codes.INCOMPLETE_BASE, b.pos)
        if base.keyword != "interface" and s.base is not None:
            ctx.fail(codes.MULTIPLE_BASES, b.pos)
        s.bases.append(base)


def _add_members(ctx: Context, s: Struct, decl: ast.StructDecl) -> None:
    with ctx.inside("struct", struct=s, namespace=s.display_name):
        access = "public"
        for m in decl.members or ():
            if isinstance(m, ast.AccessDecl):
                access = m.access
            elif access != "public":
                s.hidden.update(dict.fromkeys(_names(m), access))
            try:
                _MEMBERS[m.__class__](ctx, s, m)
            except Poisoned:
                continue
        if ctx.language.hlsl_version >= HLSL_202X:
            construction.add_implicit(ctx, s, decl.pos)
            destruction.add_implicit(ctx, s, decl.pos)


def _check_in_front(ctx: Context, decl: ast.StructDecl | ast.EnumDecl) -> None:
    """Report ``[attribute] struct S``: HLSL attributes must follow the keyword ``struct``."""
    tokens = ctx.chunk.tokens
    for a in decl.attributes:
        is_in_front = any(token in _KEYWORDS for token in tokens[a.pos : decl.pos + 1])
        if not a.double and is_in_front:
            ctx.error(language.ATTRIBUTE_LIST, a.pos)
            return


_WITH_BIT_FIELDS = 2021
"""The version of HLSL that has bit-fields."""
_KEYWORDS = frozenset(("struct", "class", "interface", "enum"))


def _leaves(t: Type) -> int:
    inner = ty.innermost(t)
    return inner.leaves if isinstance(inner, Struct) else 1


def _bits(ctx: Context, d: ast.Declarator, width: ast.Expr | None, t: Type) -> int | None:
    """Return the width of a bit-field; ``None`` for other fields.

    Report a width that is not constant, negative, larger than the type, or 0 for a named field, and a type that is no
    integer, enum or bool; raise `Poisoned` after such an error.
    """
    if width is None:
        return None
    bits = evaluate_int(ex.rvalue(ctx, width))
    if bits is None:
        ctx.fail(codes.ENUM_VALUE, width.pos)
    plain = t.underlying if isinstance(t, ty.Enum) else t
    if not isinstance(plain, ty.Scalar) or plain.category not in ("int", "uint", "bool"):
        ctx.fail(codes.BIT_FIELD_TYPE, d.pos, name=d.name, type=ty.display(t))
    if bits < 0:
        ctx.fail(codes.BIT_FIELD_NEGATIVE, d.pos, name=d.name, bits=bits)
    if bits > plain.bits:
        ctx.fail(codes.BIT_FIELD_WIDTH, d.pos, name=d.name, bits=bits, size=plain.bits)
    if bits == 0 and d.name:
        ctx.fail(language.BIT_FIELD_ZERO, d.pos, name=d.name)
    return bits


def _named_width(ctx: Context, d: ast.Declarator, t: Type) -> ast.Expr | None:
    """Return the width of a bit-field if it is the name of a constant, which the parser reads as a semantic.

    Return ``None`` if the name after the colon is a semantic.
    """
    if len(d.annotations) != 1 or not isinstance(semantic := d.annotations[0], ast.Semantic):
        return None
    plain = t.underlying if isinstance(t, ty.Enum) else t
    if ctx.language.hlsl_version < _WITH_BIT_FIELDS or not (isinstance(plain, Scalar) and plain.is_integer):
        return None
    binding = ctx.scope.lookup(semantic.name)
    if not isinstance(binding, Constant) and not (isinstance(binding, Variable) and binding.is_const):
        return None
    if not isinstance(binding.type, (Scalar, Enum)):
        return None
    name = ast.Name([ast.NamePart(semantic.name)], semantic.pos)
    if not (isinstance(binding.type, Enum) or binding.type.is_integer) or evaluate_int(ex.rvalue(ctx, name)) is None:
        return None
    ctx.warn(language.NAMED_WIDTH, semantic.pos, name=semantic.name)
    return name


def _fields(ctx: Context, s: Struct, m: ast.VarDecl) -> None:
    if "static" in m.quals or "constexpr" in m.quals:
        for v in variables(ctx, m):
            v.owner = s
            s.statics[v.name] = v
        return
    w = type_names.resolve_or_invalid(ctx, m.type)
    type_names.check_decltype(ctx, m.type)
    modifiers.check(ctx, "field", m.type, w.quals, w.type)
    warn_nothing_declared(ctx, m)
    quals = (*w.quals, *m.quals)
    if "&" in quals and ctx.language.hlsl_version >= HLSL_202X:
        ctx.fail(language.REFERENCE, m.pos)
    for d in m.declarators:
        t = type_names.with_dims(ctx, w.type, d.dims, d.pos, d.name)
        _check_field_type(ctx, s, d, t)
        has_default = d.init is not None and not isinstance(d.init, ast.SamplerState)
        if has_default and (d.annotations or ctx.language.hlsl_version < HLSL_202X):
            ctx.error(language.MEMBER_DEFAULT, d.pos)
        if d.bits is not None and d.annotations:
            ctx.error(language.BIT_FIELD_ANNOTATION, d.pos)
        width = d.bits or _named_width(ctx, d, t)
        if d.name and (s.own_field(d.name) is not None or d.name in s.statics or d.name in s.methods):
            ctx.fail(codes.DUPLICATE_MEMBER, d.pos, name=d.name)
        bits = _bits(ctx, d, width, t)
        majorness = w.majorness_at(ctx, quals, d.pos)
        own, annotations = hlsl_attributes.split(ctx, [*m.attributes, *d.attributes], t)
        attrs = attributes.at(ctx, own, Subject("field", t))
        annotations = [*(d.annotations if width is d.bits else ()), *annotations]
        a = binding_annotations.resolve(ctx, annotations, binding_annotations.Subject(t, is_field=True))
        s.fields.append(
            Field(d.name, t, d.pos, majorness, tuple(quals), a.semantic, a.registers, a.packoffset, attrs, bits, s)
        )
        s.fields[-1].init = d.init if has_default else None


def _check_field_type(ctx: Context, s: Struct, d: ast.Declarator, t: Type) -> None:
    """Report a member whose type is the struct itself, ``void``, incomplete, unsized or a string."""
    if _holds(t, s):
        ctx.fail(codes.STRUCT_CYCLE, d.pos, type=ty.display(s))
    if ty.innermost(t) is ty.VOID:
        ctx.fail(codes.VOID_VARIABLE, d.pos)
    if isinstance(t, ty.Array) and t.size is None:
        ctx.error(language.UNSIZED_MEMBER, d.pos)
    if isinstance(t, Struct) and not t.is_complete:
        ctx.fail(codes.STRUCT_CYCLE, d.pos, type=ty.display(t))
    if ty.innermost(t) is ty.STRING:
        ctx.fail(codes.STRING_MEMBER, d.pos, name=d.name)


def _holds(t: Type, s: Struct) -> bool:
    return ty.innermost(t) is s


def _method(ctx: Context, s: Struct, m: ast.FunctionDecl) -> None:
    if s.own_field(m.name) is not None or m.name in s.statics:
        ctx.fail(declaration_codes.REDEFINITION_KIND, m.pos, name=m.name)
    declare(ctx, m)


def _nested_struct(ctx: Context, s: Struct, m: ast.StructDecl) -> None:
    t = declare_struct(ctx, m)
    if not m.name and ctx.language.hlsl_version >= HLSL_202X:
        for inner in t.members:
            if inner.name and s.own_field(inner.name) is not None:
                ctx.fail(codes.DUPLICATE_MEMBER, inner.pos, name=inner.name)
        s.fields.append(Field("", t, m.pos, owner=s, is_anonymous=True))


def _nested_enum(ctx: Context, s: Struct, m: ast.EnumDecl) -> None:
    declare_enum(ctx, m)


def _other(ctx: Context, s: Struct, m: ast.Decl) -> None:
    declare(ctx, m)
    if isinstance(m, (ast.TypedefDecl, ast.UsingDecl)):
        for name, b in ctx.scope.names.items():
            if isinstance(b, Alias):
                s.types.setdefault(name, b.type)


def _no_member(ctx: Context, s: Struct, m: ast.AccessDecl) -> None:
    return


def _names(m: ast.Decl) -> list[str]:
    """Return the names of the variables or the function that a member declaration declares."""
    if isinstance(m, ast.VarDecl):
        return [d.name for d in m.declarators]
    return [m.name] if isinstance(m, ast.FunctionDecl) else []


MAX_LEAVES = 1 << 16

_MEMBERS: dict[type, Callable[[Context, Struct, Any], None]] = {
    ast.VarDecl: _fields,
    ast.FunctionDecl: _method,
    ast.StructDecl: _nested_struct,
    ast.EnumDecl: _nested_enum,
    ast.TypedefDecl: _other,
    ast.UsingDecl: _other,
    ast.StaticAssertDecl: _other,
    ast.EmptyDecl: _other,
    ast.CBufferDecl: _other,
    ast.NamespaceDecl: _other,
    ast.TechniqueDecl: _other,
    ast.AccessDecl: _no_member,
}


@type_declaration(ast.EnumDecl)
def declare_enum(ctx: Context, decl: ast.EnumDecl) -> Enum:
    """Declare an enumeration; enumerators of an unscoped one are bound in the surrounding scope."""
    _check_in_front(ctx, decl)
    attributes.at(ctx, decl.attributes, Subject("type"))
    e = Enum(decl.name, _underlying(ctx, decl), decl.is_class, scope=ctx.scope.namespace, pos=decl.pos)
    if decl.name:
        if isinstance(old := ctx.scope.names.get(decl.name), Alias):
            ctx.fail(codes.REDEFINITION, decl.pos, name=decl.name, notes=redeclaration.previous(ctx, old))
        redeclaration.check(ctx, decl.name, decl.pos, "tag")
        bind_type(ctx, decl.name, Alias(e, scope=ctx.scope.namespace))
    ctx.enums.append(e)
    _evaluate_enumerators(ctx, decl, e)
    if not decl.is_class:
        for x in decl.enumerators:
            redeclaration.check(ctx, x.name, x.pos, "enumerator")
        for name, value in e.values.items():
            constant = Constant(name, value, e, ctx.scope.namespace)
            ctx.scope.names[name] = constant
            if ctx.scope.struct is not None:
                ctx.scope.struct.constants[name] = constant
    return e


def _underlying(ctx: Context, decl: ast.EnumDecl) -> Scalar:
    """Return the integer type that represents the enumerators: ``int`` unless the declaration names one."""
    if decl.underlying is None:
        return ty.INT
    t = type_names.resolve(ctx, decl.underlying).type
    if not isinstance(t, Scalar) or not (t.is_integer or t is ty.BOOL):
        ctx.fail(codes.ENUM_UNDERLYING, decl.pos, type=ty.display(t))
    return t


def _evaluate_enumerators(ctx: Context, decl: ast.EnumDecl, e: Enum) -> None:
    """Add the enumerators and their values to ``e``; later enumerators may refer to earlier ones.

    Written values wrap to the underlying type, as in DXC; only the value behind the last one of a type is an error.
    """
    following = 0
    with ctx.inside("block") as inner:
        for x in decl.enumerators:
            if x.value is not None:
                value = evaluate_int(ex.rvalue(ctx, x.value))
                if value is None:
                    ctx.fail(codes.ENUM_VALUE, x.value.pos)
                following = value
            stored = convert(following, e.underlying)
            assert isinstance(stored, int)
            if x.value is None and decl.underlying is not None and stored != following:
                ctx.error(codes.ENUM_OVERFLOW, x.pos, value=following, type=ty.display(e.underlying))
            if x.name in e.values:
                ctx.error(codes.REDEFINITION, x.pos, name=x.name)
            e.values[x.name] = int(stored)
            inner.names[x.name] = Constant(x.name, int(stored), e)
            following = int(stored) + 1
