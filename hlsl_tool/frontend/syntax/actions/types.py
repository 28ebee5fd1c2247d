"""Actions for types, scopes, template parameters and arguments."""

from __future__ import annotations

from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import GLOBAL, Tokens, split_scopes
from hlsl_tool.frontend.syntax.actions.shared import EMPTY, PARTS, Frozen

Args = list[ast.TemplateArg]
Scopes = list[ast.NamePart]
Quals = list[str]

# ------------------------------------------------------------------------------------------------------------ scopes


def global_scope(tokens: Tokens, at: int) -> Scopes:
    return [GLOBAL]


def scope(tokens: Tokens, at: int, colons: int) -> ast.NamePart:
    return PARTS[tokens[at]][0]


def template_scope(tokens: Tokens, at: int, left: int, args: Args, right: int, colons: int) -> ast.NamePart:
    return ast.NamePart(tokens[at], args)


def append_disambiguated_scope(
    tokens: Tokens, scopes: Scopes, keyword: int, at: int, left: int, args: Args, right: int, colons: int
) -> Scopes:
    scopes.append(ast.NamePart(tokens[at], args))
    return scopes


# ------------------------------------------------------------------------------------------------------------- types


def named_type(tokens: Tokens, at: int) -> ast.NamedType:
    return ast.NamedType(PARTS[tokens[at]], at, False, EMPTY, EMPTY, None)


def template_type(tokens: Tokens, at: int, left: int, args: Args, right: int) -> ast.NamedType:
    return ast.NamedType([ast.NamePart(tokens[at], args)], at, False, EMPTY, EMPTY)


def template_type_empty(tokens: Tokens, at: int, left: int, right: int) -> ast.NamedType:
    return ast.NamedType([ast.NamePart(tokens[at], [])], at, False, EMPTY, EMPTY)


def scoped_type(tokens: Tokens, scopes: Scopes, at: int) -> ast.NamedType:
    is_global, parts = split_scopes(scopes)
    return ast.NamedType([*parts, ast.NamePart(tokens[at])], at, is_global, EMPTY, EMPTY)


def scoped_template_type(tokens: Tokens, scopes: Scopes, at: int, left: int, args: Args, right: int) -> ast.NamedType:
    is_global, parts = split_scopes(scopes)
    return ast.NamedType([*parts, ast.NamePart(tokens[at], args)], at, is_global, EMPTY, EMPTY)


def int_type(tokens: Tokens, words: list[int]) -> ast.NamedType:
    """Build the type ``unsigned int`` from its words, as one name."""
    return ast.NamedType(PARTS[" ".join(tokens[at] for at in words)], words[0], False, EMPTY, EMPTY)


def inline_type(tokens: Tokens, decl: ast.StructDecl | ast.EnumDecl) -> ast.TypeRef:
    return ast.InlineType(decl, decl.pos)


def decltype(tokens: Tokens, keyword: int, left: int, operand: ast.Expr, right: int) -> ast.TypeRef:
    return ast.InlineType(ast.Decltype(operand, keyword), keyword)


def elaborated(tokens: Tokens, tag: ast.StructDecl) -> ast.NamedType:
    """Build the type of an elaborated type specifier such as ``struct S``."""
    return ast.NamedType([ast.NamePart(tag.name, tag.args)], tag.pos, False, EMPTY, EMPTY, tag)


def elaborated_enum(tokens: Tokens, keyword: int, at: int) -> ast.NamedType:
    return named_type(tokens, at)


def add_quals(target: ast.TypeRef, quals: Quals) -> ast.TypeRef:
    if isinstance(target, ast.NamedType):
        target.quals = [*quals, *target.quals]
    return target


def trailing_qualifier(tokens: Tokens, target: ast.TypeRef, at: int) -> ast.TypeRef:
    return add_quals(target, [tokens[at]])


def qualified_type(tokens: Tokens, quals: Quals, target: ast.TypeRef) -> ast.TypeRef:
    return add_quals(target, quals)


def type_unsized(tokens: Tokens, target: ast.TypeRef, left: int, right: int) -> ast.TypeRef:
    return _add_dim(target, None)


def type_array(tokens: Tokens, target: ast.TypeRef, left: int, bound: ast.Expr, right: int) -> ast.TypeRef:
    return _add_dim(target, bound)


def _add_dim(target: ast.TypeRef, bound: ast.Expr | None) -> ast.TypeRef:
    if isinstance(target, ast.NamedType):
        target.dims = [*target.dims, bound]
    return target


# ------------------------------------------------------------------------------------------------------- array bounds

Dims = list[ast.Expr | None]


def dims_unsized(tokens: Tokens, left: int, right: int) -> Dims:
    return [None]


def dims(tokens: Tokens, left: int, bound: ast.Expr, right: int) -> Dims:
    return [bound]


def dims_append_unsized(tokens: Tokens, items: Dims, left: int, right: int) -> Dims:
    items.append(None)
    return items


def dims_append(tokens: Tokens, items: Dims, left: int, bound: ast.Expr, right: int) -> Dims:
    items.append(bound)
    return items


# --------------------------------------------------------------------------------------------------------- templates


def template_head_empty(tokens: Tokens, keyword: int, left: int, right: int) -> list[ast.TemplateParam]:
    return []


def template_head(
    tokens: Tokens, keyword: int, left: int, params: list[ast.TemplateParam], right: int
) -> list[ast.TemplateParam]:
    return params


def defaulted_template_param(
    tokens: Tokens, param: ast.TemplateParam, equal: int, default: ast.TemplateArg
) -> ast.TemplateParam:
    param.default = default
    return param


def type_param_unnamed(tokens: Tokens, keyword: int) -> ast.TemplateParam:
    return ast.TemplateParam("", keyword)


def type_param(tokens: Tokens, keyword: int, at: int) -> ast.TemplateParam:
    return ast.TemplateParam(tokens[at], at)


def value_param_unnamed(tokens: Tokens, target: ast.TypeRef) -> ast.TemplateParam:
    return ast.TemplateParam("", target.pos, target)


def value_param(tokens: Tokens, target: ast.TypeRef, at: int) -> ast.TemplateParam:
    return ast.TemplateParam(tokens[at], at, target)


def qualified_value_param_unnamed(tokens: Tokens, quals: Quals, target: ast.TypeRef) -> ast.TemplateParam:
    return ast.TemplateParam("", target.pos, add_quals(target, quals))


def qualified_value_param(tokens: Tokens, quals: Quals, target: ast.TypeRef, at: int) -> ast.TemplateParam:
    return ast.TemplateParam(tokens[at], at, add_quals(target, quals))


# --------------------------------------------------------------------------------------------------- structs and enums


def struct_tag(tokens: Tokens, keyword: int, at: int) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], tokens[at], None, at, EMPTY, EMPTY)


def struct_tag_args(tokens: Tokens, keyword: int, at: int, left: int, args: Args, right: int) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], tokens[at], None, at, EMPTY, EMPTY, None, args)


def struct_tag_attributed(tokens: Tokens, keyword: int, attributes: list[ast.Attribute], at: int) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], tokens[at], None, at, EMPTY, attributes)


def struct_tag_attributed_args(
    tokens: Tokens, keyword: int, attributes: list[ast.Attribute], at: int, left: int, args: Args, right: int
) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], tokens[at], None, at, EMPTY, attributes, None, args)


def struct_bases(tokens: Tokens, tag: ast.StructDecl, colon: int, bases: list[ast.NamedType]) -> ast.StructDecl:
    tag.bases = bases
    return tag


def struct_empty(tokens: Tokens, tag: ast.StructDecl, left: int, right: int) -> ast.StructDecl:
    tag.members = Frozen()
    return tag


def struct(tokens: Tokens, tag: ast.StructDecl, left: int, members: list[ast.Decl], right: int) -> ast.StructDecl:
    tag.members = members
    return tag


def struct_anonymous_empty(tokens: Tokens, keyword: int, left: int, right: int) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], "", [], keyword, EMPTY, EMPTY)


def struct_anonymous(tokens: Tokens, keyword: int, left: int, members: list[ast.Decl], right: int) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], "", members, keyword, EMPTY, EMPTY)


def struct_anonymous_attributed(
    tokens: Tokens, keyword: int, attributes: list[ast.Attribute], left: int, members: list[ast.Decl], right: int
) -> ast.StructDecl:
    return ast.StructDecl(tokens[keyword], "", members, keyword, EMPTY, attributes)


def enum_anonymous(tokens: Tokens, keyword: int) -> ast.EnumDecl:
    return ast.EnumDecl("", EMPTY, keyword, False, None, EMPTY)


def enum_tag(tokens: Tokens, keyword: int, at: int) -> ast.EnumDecl:
    return ast.EnumDecl(tokens[at], EMPTY, at, False, None, EMPTY)


def enum_class_tag(tokens: Tokens, keyword: int, word: int, at: int) -> ast.EnumDecl:
    return ast.EnumDecl(tokens[at], EMPTY, at, True, None, EMPTY)


def enum_attributed_tag(tokens: Tokens, keyword: int, attributes: list[ast.Attribute], at: int) -> ast.EnumDecl:
    return ast.EnumDecl(tokens[at], EMPTY, at, False, None, attributes)


def enum_underlying(tokens: Tokens, tag: ast.EnumDecl, colon: int, target: ast.NamedType) -> ast.EnumDecl:
    tag.underlying = target
    return tag


def enum_empty(tokens: Tokens, tag: ast.EnumDecl, left: int, right: int) -> ast.EnumDecl:
    return tag


def enum(tokens: Tokens, tag: ast.EnumDecl, left: int, items: list[ast.Enumerator], *_: int) -> ast.EnumDecl:
    tag.enumerators = items
    return tag


def enumerator(tokens: Tokens, at: int) -> ast.Enumerator:
    return ast.Enumerator(tokens[at], None, at)


def enumerator_value(tokens: Tokens, at: int, equal: int, value: ast.Expr) -> ast.Enumerator:
    return ast.Enumerator(tokens[at], value, at)
