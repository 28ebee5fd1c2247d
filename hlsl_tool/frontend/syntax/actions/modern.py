"""Actions for the syntax that HLSL 202x adds: constructors, lambda expressions, parameter packs, and the like."""

from __future__ import annotations

from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import Tokens, split_scopes
from hlsl_tool.frontend.syntax.actions.shared import EMPTY, PARTS
from hlsl_tool.frontend.syntax.actions.statements import ForHead
from hlsl_tool.frontend.syntax.actions.types import Quals, Scopes, add_quals

Params = list[ast.Param]
Attributes = list[ast.Attribute]

# ------------------------------------------------------------------------------------- constructors and destructors


def _special(tokens: Tokens, name: str, at: int, params: Params, scopes: Scopes) -> ast.FunctionDecl:
    void = ast.NamedType(PARTS["void"], at, False, EMPTY, EMPTY)
    return ast.FunctionDecl(void, name, params, None, at, split_scopes(scopes)[1])


def constructor_empty(tokens: Tokens, at: int, left: int, right: int) -> ast.FunctionDecl:
    return _special(tokens, ast.CONSTRUCTOR, at, EMPTY, EMPTY)


def constructor(tokens: Tokens, at: int, left: int, params: Params, right: int) -> ast.FunctionDecl:
    return _special(tokens, ast.CONSTRUCTOR, at, params, EMPTY)


def scoped_constructor_empty(tokens: Tokens, scopes: Scopes, at: int, left: int, right: int) -> ast.FunctionDecl:
    return _special(tokens, ast.CONSTRUCTOR, at, EMPTY, scopes)


def scoped_constructor(
    tokens: Tokens, scopes: Scopes, at: int, left: int, params: Params, right: int
) -> ast.FunctionDecl:
    return _special(tokens, ast.CONSTRUCTOR, at, params, scopes)


def destructor(tokens: Tokens, tilde: int, at: int, left: int, right: int) -> ast.FunctionDecl:
    return _special(tokens, ast.DESTRUCTOR, at, EMPTY, EMPTY)


def scoped_destructor(tokens: Tokens, scopes: Scopes, tilde: int, at: int, left: int, right: int) -> ast.FunctionDecl:
    return _special(tokens, ast.DESTRUCTOR, at, EMPTY, scopes)


def qualified_constructor(tokens: Tokens, quals: Quals, decl: ast.FunctionDecl) -> ast.FunctionDecl:
    decl.quals = quals
    return decl


def constructor_definition(
    tokens: Tokens, decl: ast.FunctionDecl, colon: int, inits: list[ast.MemberInit], body: ast.Block
) -> ast.FunctionDecl:
    decl.inits, decl.body = inits, body
    return decl


def defaulted_function(tokens: Tokens, decl: ast.FunctionDecl, equal: int, semicolon: int) -> ast.FunctionDecl:
    decl.is_defaulted = True
    decl.body = ast.Block(EMPTY, equal, semicolon, EMPTY)
    return decl


def deleted_function(tokens: Tokens, decl: ast.FunctionDecl, equal: int, semicolon: int) -> ast.FunctionDecl:
    decl.is_deleted = True
    return decl


def member_init(tokens: Tokens, at: int, left: int, args: list[ast.Expr], right: int) -> ast.MemberInit:
    return ast.MemberInit(ast.NamedType(PARTS[tokens[at]], at, False, EMPTY, EMPTY), args, at)


def member_init_empty(tokens: Tokens, at: int, left: int, right: int) -> ast.MemberInit:
    return member_init(tokens, at, left, EMPTY, right)


def member_init_list(tokens: Tokens, at: int, items: ast.InitList) -> ast.MemberInit:
    return member_init(tokens, at, at, [items], at)


def base_init(tokens: Tokens, target: ast.NamedType, left: int, args: list[ast.Expr], right: int) -> ast.MemberInit:
    return ast.MemberInit(target, args, target.pos)


def base_init_empty(tokens: Tokens, target: ast.NamedType, left: int, right: int) -> ast.MemberInit:
    return ast.MemberInit(target, EMPTY, target.pos)


# -------------------------------------------------------------------------------------------------------- declarations


def direct_declarator(
    tokens: Tokens, item: ast.Declarator, left: int, args: list[ast.Expr], right: int
) -> ast.Declarator:
    item.init = ast.DirectInit(args, item.pos)
    return item


def braced_declarator(
    tokens: Tokens, item: ast.Declarator, left: int, items: list[ast.Expr], *_: int
) -> ast.Declarator:
    item.init = ast.InitList(items, left)
    return item


def braced_declarator_empty(tokens: Tokens, item: ast.Declarator, left: int, right: int) -> ast.Declarator:
    item.init = ast.InitList(EMPTY, left)
    return item


def trailing_result(tokens: Tokens, decl: ast.FunctionDecl, arrow: int, result: ast.NamedType) -> ast.FunctionDecl:
    decl.return_type = result
    return decl


def access(tokens: Tokens, at: int, colon: int) -> ast.Decl:
    return ast.AccessDecl(tokens[at], at)


def annotated(tokens: Tokens, left: int, items: Attributes, right: int, operand: ast.Expr) -> ast.Expr:
    return ast.Annotated(items, operand, left)


def double_annotated(
    tokens: Tokens, left: int, second: int, items: Attributes, right: int, last: int, operand: ast.Expr
) -> ast.Expr:
    for item in items:
        item.double = True
    return ast.Annotated(items, operand, left)


# ------------------------------------------------------------------------------------------------------ parameter packs


def expansion(tokens: Tokens, operand: ast.Expr | ast.TypeRef, dots: int) -> ast.Expansion:
    return ast.Expansion(operand, dots)


def pack_parameter(tokens: Tokens, target: ast.TypeRef, dots: int, item: ast.Declarator) -> ast.Param:
    return ast.Param(target, item.name, item.pos, EMPTY, item.dims, EMPTY, None, EMPTY, True)


def qualified_pack_parameter(
    tokens: Tokens, quals: Quals, target: ast.TypeRef, dots: int, item: ast.Declarator
) -> ast.Param:
    return ast.Param(target, item.name, item.pos, quals, item.dims, EMPTY, None, EMPTY, True)


def type_pack(tokens: Tokens, keyword: int, dots: int, at: int) -> ast.TemplateParam:
    return ast.TemplateParam(tokens[at], at, None, None, True)


def value_pack(tokens: Tokens, target: ast.TypeRef, dots: int, at: int) -> ast.TemplateParam:
    return ast.TemplateParam(tokens[at], at, target, None, True)


def sizeof_pack(tokens: Tokens, keyword: int, dots: int, left: int, at: int, right: int) -> ast.Expr:
    return ast.SizeOfPack(tokens[at], at)


# ---------------------------------------------------------------------------------------------------------- statements


def for_range(
    tokens: Tokens,
    at: int,
    left: int,
    target: ast.TypeRef,
    item: ast.Declarator,
    colon: int,
    elements: ast.Expr,
    right: int,
) -> ForHead:
    """Build the head of ``for (T x : array)``: a loop over a hidden index that begins with ``T x = array[i]``."""
    name = f"{item.name} index"
    index = ast.Name(PARTS[name], at, False)
    counter = ast.Declarator(name, at, init=ast.Number("0", at))
    declaration = ast.VarDecl(ast.NamedType(PARTS["uint"], at, False, EMPTY, EMPTY), [counter], at)
    array_name = f"{item.name} range"
    array = ast.Name(PARTS[array_name], colon, False)
    auto = ast.NamedType(PARTS["auto"], colon, False, ["&", "&&"], EMPTY)
    whole = ast.DeclStmt(ast.VarDecl(auto, [ast.Declarator(array_name, colon, init=elements)], colon), colon)
    length = ast.Member(array, PARTS["Length"][0], colon)
    item.init = ast.Index(array, index, colon)
    element = ast.DeclStmt(ast.VarDecl(target, [item], item.pos, EMPTY), item.pos)
    cond, step = ast.Binary("<", index, length, colon), ast.Unary("++", index, colon)
    return ForHead(at, ast.DeclStmt(declaration, at), cond, step, element, whole)


def qualified_for_range(
    tokens: Tokens,
    at: int,
    left: int,
    quals: Quals,
    target: ast.TypeRef,
    item: ast.Declarator,
    colon: int,
    elements: ast.Expr,
    right: int,
) -> ForHead:
    return for_range(tokens, at, left, add_quals(target, quals), item, colon, elements, right)


# --------------------------------------------------------------------------------------------------- lambda expressions


def no_captures(tokens: Tokens, left: int, right: int) -> ast.Lambda:
    return ast.Lambda([], [], None, None, left)


def captures(tokens: Tokens, left: int, items: list[tuple[str, int]], right: int) -> ast.Lambda:
    return ast.Lambda(items, [], None, None, left)


def capture(tokens: Tokens, at: int) -> tuple[str, int]:
    return tokens[at], at


def capture_reference(tokens: Tokens, ampersand: int, at: int) -> tuple[str, int]:
    return f"&{tokens[at]}", at


def lambda_head(tokens: Tokens, item: ast.Lambda, *_: int) -> ast.Lambda:
    return item


def lambda_parameters(tokens: Tokens, item: ast.Lambda, left: int, params: Params, right: int) -> ast.Lambda:
    item.params = params
    return item


def lambda_(tokens: Tokens, item: ast.Lambda, body: ast.Block) -> ast.Expr:
    item.body = body
    return item


def lambda_result(tokens: Tokens, item: ast.Lambda, arrow: int, result: ast.NamedType, body: ast.Block) -> ast.Expr:
    item.result, item.body = result, body
    return item
