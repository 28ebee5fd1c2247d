"""Declarations: variables, functions, parameters, blocks and namespaces."""

from __future__ import annotations

from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import Tokens, split_scopes
from hlsl_tool.frontend.syntax.actions.shared import EMPTY, PARTS
from hlsl_tool.frontend.syntax.actions.types import Args, Quals, Scopes

Attributes = list[ast.Attribute]

# -------------------------------------------------------------------------------------------------------- declarators


def declarator(tokens: Tokens, at: int) -> ast.Declarator:
    return ast.Declarator(tokens[at], at, EMPTY, EMPTY, None, EMPTY, None, EMPTY, None)


def scoped_declarator(tokens: Tokens, scopes: Scopes, at: int) -> ast.Declarator:
    return ast.Declarator(tokens[at], at, split_scopes(scopes)[1], EMPTY, None, EMPTY, None, EMPTY)


def specialised_declarator(tokens: Tokens, at: int, left: int, args: Args, right: int) -> ast.Declarator:
    return ast.Declarator(tokens[at], at, EMPTY, EMPTY, None, EMPTY, None, EMPTY, args)


def scoped_specialised_declarator(
    tokens: Tokens, scopes: Scopes, at: int, left: int, args: Args, right: int
) -> ast.Declarator:
    return ast.Declarator(tokens[at], at, split_scopes(scopes)[1], EMPTY, None, EMPTY, None, EMPTY, args)


def array_declarator(tokens: Tokens, item: ast.Declarator, left: int, bound: ast.Expr, right: int) -> ast.Declarator:
    item.dims = [*item.dims, bound]
    return item


def unsized_declarator(tokens: Tokens, item: ast.Declarator, left: int, right: int) -> ast.Declarator:
    item.dims = [*item.dims, None]
    return item


def annotated_declarator(
    tokens: Tokens, item: ast.Declarator, colon: int, annotation: ast.Annotation
) -> ast.Declarator:
    item.annotations = [*item.annotations, annotation]
    return item


def bits_declarator(tokens: Tokens, item: ast.Declarator, colon: int, width: ast.Expr) -> ast.Declarator:
    item.bits = width
    return item


def attributed_declarator(tokens: Tokens, item: ast.Declarator, attributes: Attributes) -> ast.Declarator:
    item.attributes = [*item.attributes, *attributes]
    return item


def initialised(tokens: Tokens, item: ast.Declarator, equal: int, init: ast.Expr) -> ast.Declarator:
    item.init = init
    return item


def state_declarator(tokens: Tokens, item: ast.Declarator, block: int) -> ast.Declarator:
    item.init = ast.SamplerState(block)
    return item


# -------------------------------------------------------------------------------------------------------- annotations


def semantic(tokens: Tokens, at: int) -> ast.Annotation:
    return ast.Semantic(tokens[at], at)


def register_item(tokens: Tokens, at: int) -> ast.RegisterItem:
    return ast.RegisterItem(tokens[at], at)


def register_item_index(tokens: Tokens, at: int, left: int, index: ast.Expr, right: int) -> ast.RegisterItem:
    return ast.RegisterItem(tokens[at], at, index)


def register(tokens: Tokens, at: int, left: int, items: list[ast.RegisterItem], right: int) -> ast.Annotation:
    return ast.Register(items, at)


def packoffset(tokens: Tokens, at: int, left: int, name: int, right: int) -> ast.Annotation:
    return ast.PackOffset(tokens[name], at, None, name, name)


def packoffset_component(
    tokens: Tokens, at: int, left: int, name: int, dot: int, component: int, right: int
) -> ast.Annotation:
    return ast.PackOffset(tokens[name], at, tokens[component], name, component)


def payload_access(tokens: Tokens, at: int, left: int, stages: list[str], right: int) -> ast.Annotation:
    return ast.PayloadAccess(tokens[at], stages, at)


def payload_access_none(tokens: Tokens, at: int, left: int, right: int) -> ast.Annotation:
    return ast.PayloadAccess(tokens[at], [], at)


# ---------------------------------------------------------------------------------------------------------- variables


def _variable(quals: Quals, target: ast.TypeRef, items: list[ast.Declarator]) -> ast.VarDecl:
    return ast.VarDecl(target, items, items[0].pos, quals, EMPTY, None)


def variable(tokens: Tokens, target: ast.TypeRef, items: list[ast.Declarator], semicolon: int) -> ast.VarDecl:
    return _variable(EMPTY, target, items)


def qualified_variable(
    tokens: Tokens, quals: Quals, target: ast.TypeRef, items: list[ast.Declarator], semicolon: int
) -> ast.VarDecl:
    return _variable(quals, target, items)


def bare_type(tokens: Tokens, target: ast.NamedType, semicolon: int) -> ast.VarDecl:
    return ast.VarDecl(target, [], target.pos, EMPTY, EMPTY)


def qualified_bare_type(tokens: Tokens, quals: Quals, target: ast.NamedType, semicolon: int) -> ast.VarDecl:
    return ast.VarDecl(target, [], target.pos, quals, EMPTY)


def unnamed_bits(tokens: Tokens, target: ast.NamedType, colon: int, width: ast.Expr, semicolon: int) -> ast.VarDecl:
    item = ast.Declarator("", colon, EMPTY, EMPTY, width, EMPTY, None, EMPTY)
    return ast.VarDecl(target, [item], colon, EMPTY, EMPTY)


def unnamed_named_bits(tokens: Tokens, target: ast.NamedType, colon: int, at: int, semicolon: int) -> ast.VarDecl:
    return unnamed_bits(tokens, target, colon, ast.Name(PARTS[tokens[at]], at, False), semicolon)


def aggregate_declaration(
    tokens: Tokens, decl: ast.StructDecl | ast.EnumDecl, semicolon: int
) -> ast.StructDecl | ast.EnumDecl:
    return decl


def qualified_aggregate_declaration(
    tokens: Tokens, quals: Quals, decl: ast.StructDecl | ast.EnumDecl, semicolon: int
) -> ast.StructDecl | ast.EnumDecl:
    """Build a struct or enum declaration with qualifiers but no declarator; as in C, the qualifiers have no effect."""
    return decl


def struct_forward(tokens: Tokens, tag: ast.StructDecl, semicolon: int) -> ast.StructDecl:
    return tag


# ------------------------------------------------------------------------------------------------- everything around


def empty_declaration(tokens: Tokens, at: int) -> ast.Decl:
    return ast.EmptyDecl(at)


def attributed_declaration(tokens: Tokens, attributes: Attributes, decl: ast.Decl) -> ast.Decl:
    if isinstance(
        decl,
        ast.VarDecl
        | ast.FunctionDecl
        | ast.StructDecl
        | ast.EnumDecl
        | ast.CBufferDecl
        | ast.UsingDecl
        | ast.TypedefDecl,
    ):
        decl.attributes = [*attributes, *decl.attributes]
    return decl


def template_declaration(tokens: Tokens, head: list[ast.TemplateParam], decl: ast.Decl) -> ast.Decl:
    if isinstance(decl, ast.VarDecl | ast.FunctionDecl | ast.StructDecl | ast.UsingDecl) and decl.template is None:
        decl.template = head
    return decl


def explicit_instantiation(tokens: Tokens, keyword: int, decl: ast.Decl) -> ast.Decl:
    """Ignore an explicit instantiation ``template void f<int>(int);``: templates are instantiated on use."""
    return ast.EmptyDecl(keyword)


def typedef(tokens: Tokens, keyword: int, target: ast.TypeRef, items: list[ast.Declarator], semicolon: int) -> ast.Decl:
    return ast.TypedefDecl(target, items, items[0].pos, EMPTY)


def qualified_typedef(
    tokens: Tokens, keyword: int, quals: Quals, target: ast.TypeRef, items: list[ast.Declarator], semicolon: int
) -> ast.Decl:
    return ast.TypedefDecl(target, items, items[0].pos, quals)


def using_alias(tokens: Tokens, keyword: int, at: int, equal: int, target: ast.TypeRef, semicolon: int) -> ast.Decl:
    return ast.UsingDecl(tokens[at], at, target)


def using_alias_attributed(
    tokens: Tokens,
    keyword: int,
    at: int,
    attributes: Attributes,
    equal: int,
    target: ast.TypeRef,
    semicolon: int,
) -> ast.Decl:
    return ast.UsingDecl(tokens[at], at, target, attributes=attributes)


ScopedName = tuple[Scopes, int]


def scoped_name(tokens: Tokens, at: int) -> ScopedName:
    return [], at


def scoped_name_in(tokens: Tokens, scopes: Scopes, at: int) -> ScopedName:
    return split_scopes(scopes)[1], at


def using_namespace(tokens: Tokens, keyword: int, word: int, item: ScopedName, semicolon: int) -> ast.Decl:
    scopes, at = item
    return ast.UsingDecl(tokens[at], at, scope=scopes, is_namespace=True)


def using_name(tokens: Tokens, keyword: int, scopes: Scopes, at: int, semicolon: int) -> ast.Decl:
    return ast.UsingDecl(tokens[at], at, scope=split_scopes(scopes)[1])


def namespace_path(tokens: Tokens, at: int, colons: int, rest: list[int]) -> list[int]:
    return [at, *rest]


def namespace(
    tokens: Tokens, keyword: int, path: list[int], left: int, members: list[ast.Decl], right: int
) -> ast.Decl:
    *outer, last = path
    decl = ast.NamespaceDecl(tokens[last], members, last)
    for at in reversed(outer):  # `namespace A::B` declares B inside A
        decl = ast.NamespaceDecl(tokens[at], [decl], at)
    return decl


def namespace_empty(tokens: Tokens, keyword: int, path: list[int], left: int, right: int) -> ast.Decl:
    return namespace(tokens, keyword, path, left, [], right)


def namespace_anonymous(tokens: Tokens, keyword: int, left: int, members: list[ast.Decl], right: int) -> ast.Decl:
    return ast.NamespaceDecl("", members, keyword)


def namespace_anonymous_empty(tokens: Tokens, keyword: int, left: int, right: int) -> ast.Decl:
    return ast.NamespaceDecl("", [], keyword)


def cbuffer_unnamed(tokens: Tokens, keyword: int) -> ast.CBufferDecl:
    return ast.CBufferDecl(tokens[keyword], "", [], keyword, EMPTY, EMPTY)


def cbuffer_head(tokens: Tokens, keyword: int, at: int) -> ast.CBufferDecl:
    return ast.CBufferDecl(tokens[keyword], tokens[at], [], at, EMPTY, EMPTY)


def cbuffer_annotation(
    tokens: Tokens, decl: ast.CBufferDecl, colon: int, annotation: ast.Annotation
) -> ast.CBufferDecl:
    decl.annotations = [*decl.annotations, annotation]
    return decl


def cbuffer_empty(tokens: Tokens, decl: ast.CBufferDecl, left: int, right: int) -> ast.Decl:
    return decl


def cbuffer(tokens: Tokens, decl: ast.CBufferDecl, left: int, members: list[ast.Decl], right: int) -> ast.Decl:
    decl.members = members
    return decl


def static_assert(tokens: Tokens, at: int, left: int, cond: ast.Expr, right: int, semicolon: int) -> ast.Decl:
    return ast.StaticAssertDecl(cond, None, at)


def static_assert_message(
    tokens: Tokens,
    at: int,
    left: int,
    cond: ast.Expr,
    comma: int,
    message: ast.String,
    right: int,
    semicolon: int,
) -> ast.Decl:
    return ast.StaticAssertDecl(cond, message.value, at)


def technique(tokens: Tokens, at: int, *_: int) -> ast.Decl:
    return ast.TechniqueDecl(tokens[at], at)
