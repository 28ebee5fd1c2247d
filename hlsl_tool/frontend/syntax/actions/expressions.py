"""Actions for expressions.

The commonest nodes are created without ``__init__``: that is a third faster, and half of parsing is creating nodes.
"""

from __future__ import annotations

from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import Tokens, split_scopes
from hlsl_tool.frontend.syntax.actions.shared import EMPTY, PARTS
from hlsl_tool.frontend.syntax.literals import char_value, string_value

Expr = ast.Expr
Args = list[ast.TemplateArg]
Scopes = list[ast.NamePart]

# ------------------------------------------------------------------------------------------------------------- names


def name(tokens: Tokens, at: int) -> Expr:
    return ast.Name(PARTS[tokens[at]], at, False)


def scoped_reference(tokens: Tokens, scopes: Scopes, at: int) -> Expr:
    is_global, parts = split_scopes(scopes)
    return ast.Name([*parts, ast.NamePart(tokens[at])], at, is_global)


def template_name_empty(tokens: Tokens, at: int, left: int, right: int) -> Expr:
    return ast.Name([ast.NamePart(tokens[at], [])], at)


def template_name(tokens: Tokens, at: int, left: int, args: Args, right: int) -> Expr:
    return ast.Name([ast.NamePart(tokens[at], args)], at)


def scoped_template_name(tokens: Tokens, scopes: Scopes, at: int, left: int, args: Args, right: int) -> Expr:
    is_global, parts = split_scopes(scopes)
    return ast.Name([*parts, ast.NamePart(tokens[at], args)], at, is_global)


def disambiguated_name(
    tokens: Tokens, scopes: Scopes, keyword: int, at: int, left: int, args: Args, right: int
) -> Expr:
    return scoped_template_name(tokens, scopes, at, left, args, right)


def operator_name(tokens: Tokens, at: int, spelling: str) -> Expr:
    return ast.Name([ast.NamePart("operator" + spelling)], at)


# ---------------------------------------------------------------------------------------------------------- literals


def number(tokens: Tokens, at: int) -> Expr:
    return ast.Number(tokens[at], at)


def string(tokens: Tokens, at: int) -> ast.String:
    return ast.String(string_value(tokens[at]), at)


def string_append(tokens: Tokens, left: ast.String, at: int) -> ast.String:
    left.value += string_value(tokens[at])
    return left


def char(tokens: Tokens, at: int) -> Expr:
    return ast.Char(char_value(tokens[at]), at)


def true(tokens: Tokens, at: int) -> Expr:
    return ast.Bool(True, at)


def false(tokens: Tokens, at: int) -> Expr:
    return ast.Bool(False, at)


def this(tokens: Tokens, at: int) -> Expr:
    return ast.This(at)


# --------------------------------------------------------------------------------------------------------- operators


def binary(tokens: Tokens, left: Expr, at: int, right: Expr) -> Expr:
    return ast.Binary(tokens[at], left, right, at)


def named_binary(tokens: Tokens, left: int, at: int, right: Expr) -> Expr:
    """Build a binary expression whose left operand is a name."""
    return ast.Binary(tokens[at], name(tokens, left), right, at)


def assign(tokens: Tokens, target: Expr, at: int, value: Expr) -> Expr:
    return ast.Assign(tokens[at], target, value, at)


def ternary(tokens: Tokens, cond: Expr, at: int, then: Expr, colon: int, otherwise: Expr) -> Expr:
    return ast.Ternary(cond, then, otherwise, at)


def prefix(tokens: Tokens, at: int, operand: Expr) -> Expr:
    return ast.Unary(tokens[at], operand, at)


def postfix(tokens: Tokens, operand: Expr, at: int) -> Expr:
    return ast.Postfix(tokens[at], operand, at)


def cast(tokens: Tokens, at: int, target: ast.TypeRef, right: int, operand: Expr) -> Expr:
    return ast.Cast(target, operand, at, "c")


def named_cast(
    tokens: Tokens, at: int, tlt: int, target: ast.TypeRef, tgt: int, left: int, operand: Expr, right: int
) -> Expr:
    return ast.Cast(target, operand, at, tokens[at])


def sizeof_expression(tokens: Tokens, at: int, operand: Expr) -> Expr:
    return ast.SizeOf(operand, at)


def sizeof_type(tokens: Tokens, at: int, left: int, operand: ast.TypeRef, right: int) -> Expr:
    return ast.SizeOf(operand, at)


# ------------------------------------------------------------------------------------------ calls, members, elements


def call(tokens: Tokens, callee: Expr, at: int, args: list[Expr], right: int) -> Expr:
    return ast.Call(callee, args, at)


def call_empty(tokens: Tokens, callee: Expr, at: int, right: int) -> Expr:
    return ast.Call(callee, EMPTY, at)


def construct(tokens: Tokens, target: ast.NamedType, at: int, args: list[Expr], right: int) -> Expr:
    return ast.Construct(target, args, at)


def construct_empty(tokens: Tokens, target: ast.NamedType, at: int, right: int) -> Expr:
    return ast.Construct(target, EMPTY, at)


def index(tokens: Tokens, base: Expr, at: int, element: Expr, right: int) -> Expr:
    return ast.Index(base, element, at)


def member(tokens: Tokens, base: Expr, dot: int, at: int) -> Expr:
    return ast.Member(base, PARTS[tokens[at]][0], at, EMPTY, False)


def arrow(tokens: Tokens, base: Expr, dot: int, at: int) -> Expr:
    return ast.Member(base, PARTS[tokens[at]][0], at, EMPTY, True)


def template_member(tokens: Tokens, base: Expr, dot: int, at: int, left: int, args: Args, right: int) -> Expr:
    return ast.Member(base, ast.NamePart(tokens[at], args), at, EMPTY, False)


def arrow_template_member(tokens: Tokens, base: Expr, dot: int, at: int, left: int, args: Args, right: int) -> Expr:
    return ast.Member(base, ast.NamePart(tokens[at], args), at, EMPTY, True)


def disambiguated_member(
    tokens: Tokens, base: Expr, dot: int, keyword: int, at: int, left: int, args: Args, right: int
) -> Expr:
    return ast.Member(base, ast.NamePart(tokens[at], args), at, EMPTY, False)


def scoped_member(tokens: Tokens, base: Expr, dot: int, scopes: Scopes, at: int) -> Expr:
    return ast.Member(base, ast.NamePart(tokens[at]), at, split_scopes(scopes)[1], False)


def scoped_template_member(
    tokens: Tokens, base: Expr, dot: int, scopes: Scopes, at: int, left: int, args: Args, right: int
) -> Expr:
    return ast.Member(base, ast.NamePart(tokens[at], args), at, split_scopes(scopes)[1], False)


def operator_member(tokens: Tokens, base: Expr, dot: int, at: int, spelling: str) -> Expr:
    return ast.Member(base, ast.NamePart("operator" + spelling), at, EMPTY, False)


# ------------------------------------------------------------------------------------------------------ initialisers


def init_list(tokens: Tokens, at: int, items: list[Expr], *_: int) -> Expr:
    return ast.InitList(items, at)


def init_list_empty(tokens: Tokens, at: int, right: int) -> Expr:
    return ast.InitList(EMPTY, at)


def sampler_state(tokens: Tokens, at: int, block: int = -1) -> Expr:
    return ast.SamplerState(at)


# -------------------------------------------------------------------------------------------------------- attributes

AttributeList = list[ast.Attribute]


def attribute(tokens: Tokens, left: int, items: AttributeList, right: int) -> AttributeList:
    return items


def double_attribute(tokens: Tokens, *values: int | AttributeList) -> AttributeList:
    items = values[2]
    assert isinstance(items, list)
    for item in items:
        item.double = True
    return items


def using_attribute(
    tokens: Tokens, left: int, second: int, keyword: int, prefix: int, colon: int, items: AttributeList, *right: int
) -> AttributeList:
    """Apply the prefix of ``[[using vk: binding(1), location(2)]]`` to each attribute in it."""
    for item in items:
        item.double, item.prefix = True, tokens[prefix]
    return items


def no_attribute(tokens: Tokens, *brackets: int) -> AttributeList:
    return []


def attribute_name(tokens: Tokens, at: int) -> ast.Attribute:
    return ast.Attribute(tokens[at], EMPTY, at)


def scoped_attribute_name(tokens: Tokens, scope: int, colons: int, at: int) -> ast.Attribute:
    return ast.Attribute(tokens[at], EMPTY, scope, tokens[scope])


def attribute_no_args(tokens: Tokens, item: ast.Attribute, left: int, right: int) -> ast.Attribute:
    return item


def attribute_args(tokens: Tokens, item: ast.Attribute, left: int, args: list[Expr], right: int) -> ast.Attribute:
    item.args = args
    return item


def attribute_default(tokens: Tokens, item: ast.Attribute, left: int, word: int, right: int) -> ast.Attribute:
    """Build ``math_mode(default)``; only there an argument is a keyword."""
    item.args = [ast.Name([ast.NamePart("default")], word)]
    return item
