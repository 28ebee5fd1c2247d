from __future__ import annotations

import pytest

from hlsl_tool.frontend.syntax import ast

from .helper import body, show

STATEMENTS = [
    (";", "EmptyStmt()"),
    ("a;", "ExprStmt(expr=a)"),
    ("{ a; }", "Block(statements=[ExprStmt(expr=a)])"),
    ("return;", "Return()"),
    ("return a + b;", "Return(value=(a + b))"),
    ("discard;", "Discard()"),
    ("if (a) b; else c;", "If(cond=a, then=ExprStmt(expr=b), otherwise=ExprStmt(expr=c))"),
    (
        "if (a) if (b) c; else d;",
        "If(cond=a, then=If(cond=b, then=ExprStmt(expr=c), otherwise=ExprStmt(expr=d)))",
    ),
    (
        "if (a) while (b) if (c) d; else e;",
        "If(cond=a, then=While(cond=b, body=If(cond=c, then=ExprStmt(expr=d), otherwise=ExprStmt(expr=e))))",
    ),
    (
        "[branch] if (a) { }",
        "If(cond=a, then=Block(), attributes=[Attribute(name='branch')])",
    ),
    (
        "[unroll(4)] for (int i = 0; i < 4; ++i) a;",
        "For(init=DeclStmt(decl=VarDecl(type=`int`, declarators=[Declarator(name='i', init=0)])), cond=(i < 4), "
        "step=(++i), body=ExprStmt(expr=a), attributes=[Attribute(name='unroll', args=[4])])",
    ),
    ("for (;;) ;", "For(init=EmptyStmt(), body=EmptyStmt())"),
    ("for (a = 1, b = 2; ; c) { }", "For(init=ExprStmt(expr=((a = 1) , (b = 2))), step=c, body=Block())"),
    (
        "while (int x = f()) { }",
        "While(cond=VarDecl(type=`int`, declarators=[Declarator(name='x', init=f())]), body=Block())",
    ),
    ("do a; while (b);", "Do(body=ExprStmt(expr=a), cond=b)"),
    (
        "switch (a) { case 1: case N::B: b; break; default: continue; }",
        "Switch(cond=a, body=Block(statements=[Case(value=1), Case(value=N::B), ExprStmt(expr=b), Break(), Default(), "
        "Continue()]))",
    ),
    ("[[vk::x]] a;", "ExprStmt(expr=a, attributes=[Attribute(name='x', scope='vk', double=True)])"),
    ("float3(1, 2, 3).x;", "ExprStmt(expr=`float3`(1, 2, 3).x)"),
    ("a < b;", "ExprStmt(expr=(a < b))"),
    ("sample = sample * point;", "ExprStmt(expr=(sample = (sample * point)))"),
]


@pytest.mark.parametrize(("text", "tree"), STATEMENTS)
def test_statements(text: str, tree: str) -> None:
    (statement,) = body(text)
    assert show(statement) == tree


def test_a_block_knows_its_closing_brace() -> None:
    (statement,) = body("{ a; }")
    assert isinstance(statement, ast.Block)
    assert (statement.pos, statement.end) == (5, 8)
