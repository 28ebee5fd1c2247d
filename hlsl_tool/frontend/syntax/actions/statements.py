"""Actions for statements."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import Tokens
from hlsl_tool.frontend.syntax.actions.shared import EMPTY
from hlsl_tool.frontend.syntax.actions.types import Quals

Condition = ast.Expr | ast.VarDecl
AttributedStmt = ast.Block | ast.ExprStmt | ast.If | ast.For | ast.While | ast.Do | ast.Switch
ForInit = ast.DeclStmt | ast.ExprStmt | ast.EmptyStmt


def block_empty(tokens: Tokens, left: int, right: int) -> ast.Block:
    return ast.Block([], left, right, EMPTY)


def block(tokens: Tokens, left: int, statements: list[ast.Stmt], right: int) -> ast.Block:
    return ast.Block(statements, left, right, EMPTY)


def declaration_statement(tokens: Tokens, decl: ast.Decl) -> ast.Stmt:
    return ast.DeclStmt(decl, decl.pos)


def expression_statement(tokens: Tokens, expr: ast.Expr, semicolon: int) -> ast.Stmt:
    return ast.ExprStmt(expr, expr.pos, EMPTY)


def empty_statement(tokens: Tokens, at: int) -> ast.Stmt:
    return ast.EmptyStmt(at)


def attributed_statement(tokens: Tokens, attributes: list[ast.Attribute], statement: AttributedStmt) -> AttributedStmt:
    statement.attributes = attributes
    return statement


def attributed_jump(tokens: Tokens, attributes: list[ast.Attribute], statement: ast.Stmt) -> ast.Stmt:
    return ast.AttributedJump(statement, statement.pos, attributes)


# ------------------------------------------------------------------------------------------------------------- jumps


def case(tokens: Tokens, at: int, value: ast.Expr, colon: int) -> ast.Stmt:
    return ast.Case(value, at)


def default(tokens: Tokens, at: int, colon: int) -> ast.Stmt:
    return ast.Default(at)


def break_(tokens: Tokens, at: int, semicolon: int) -> ast.Stmt:
    return ast.Break(at)


def continue_(tokens: Tokens, at: int, semicolon: int) -> ast.Stmt:
    return ast.Continue(at)


def discard(tokens: Tokens, at: int, semicolon: int) -> ast.Stmt:
    return ast.Discard(at)


def return_nothing(tokens: Tokens, at: int, semicolon: int) -> ast.Stmt:
    return ast.Return(None, at)


def return_(tokens: Tokens, at: int, value: ast.Expr, semicolon: int) -> ast.Stmt:
    return ast.Return(value, at)


# ----------------------------------------------------------------------------------------------------------- control


def if_(tokens: Tokens, at: int, left: int, cond: Condition, right: int, then: ast.Stmt) -> ast.Stmt:
    return ast.If(cond, then, None, at, EMPTY)


def if_else(
    tokens: Tokens, at: int, left: int, cond: Condition, right: int, then: ast.Stmt, word: int, otherwise: ast.Stmt
) -> ast.Stmt:
    return ast.If(cond, then, otherwise, at, EMPTY)


def while_(tokens: Tokens, at: int, left: int, cond: Condition, right: int, body: ast.Stmt) -> ast.Stmt:
    return ast.While(cond, body, at, EMPTY)


def switch(tokens: Tokens, at: int, left: int, cond: Condition, right: int, body: ast.Stmt) -> ast.Stmt:
    return ast.Switch(cond, body, at, EMPTY)


def do(
    tokens: Tokens, at: int, body: ast.Stmt, word: int, left: int, cond: ast.Expr, right: int, semicolon: int
) -> ast.Stmt:
    return ast.Do(body, cond, at, EMPTY)


class ForHead(NamedTuple):
    """The parts of a ``for`` between the parentheses."""

    pos: int
    init: ForInit
    cond: Condition | None
    step: ast.Expr | None
    element: ast.DeclStmt | None = None
    """The declaration of the variable of ``for (T x : array)``, which begins the body."""
    range: ast.DeclStmt | None = None
    """The declaration of a reference to the array of ``for (T x : array)``."""


def for_head(tokens: Tokens, at: int, left: int, init: ForInit, semicolon: int, right: int) -> ForHead:
    return ForHead(at, init, None, None)


def for_head_cond(
    tokens: Tokens, at: int, left: int, init: ForInit, cond: Condition, semicolon: int, right: int
) -> ForHead:
    return ForHead(at, init, cond, None)


def for_head_step(
    tokens: Tokens, at: int, left: int, init: ForInit, semicolon: int, step: ast.Expr, right: int
) -> ForHead:
    return ForHead(at, init, None, step)


def for_head_cond_step(
    tokens: Tokens, at: int, left: int, init: ForInit, cond: Condition, semicolon: int, step: ast.Expr, right: int
) -> ForHead:
    return ForHead(at, init, cond, step)


def for_(tokens: Tokens, head: ForHead, body: ast.Stmt) -> ast.Stmt:
    if head.element is not None:
        body = ast.Block([head.element, body], head.pos, head.pos, EMPTY)
    return ast.For(head.init, head.cond, head.step, body, head.pos, EMPTY, head.range)


# ---------------------------------------------------------------------------------------------------------- conditions


def condition_variable(
    tokens: Tokens, target: ast.TypeRef, item: ast.Declarator, equal: int, init: ast.Expr
) -> ast.VarDecl:
    item.init = init
    return ast.VarDecl(target, [item], item.pos, EMPTY, EMPTY)


def qualified_condition_variable(
    tokens: Tokens, quals: Quals, target: ast.TypeRef, item: ast.Declarator, equal: int, init: ast.Expr
) -> ast.VarDecl:
    item.init = init
    return ast.VarDecl(target, [item], item.pos, quals, EMPTY)
