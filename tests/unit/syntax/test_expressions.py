from __future__ import annotations

import pytest

from hlsl_tool.frontend.syntax import ast

from .helper import body, expression, show

PRECEDENCE = [
    ("a + b * c", "(a + (b * c))"),
    ("a - b - c", "((a - b) - c)"),
    ("a << b + c", "(a << (b + c))"),
    ("a < b == c >= d", "((a < b) == (c >= d))"),
    ("a & b ^ c | d && e || f", "(((((a & b) ^ c) | d) && e) || f)"),
    ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
    ("a = b += c", "(a = (b += c))"),
    ("-a * ~b", "((-a) * (~b))"),
    ("!a.b", "(!a.b)"),
    ("- -a", "(-(-a))"),
    ("++a--", "(++(a--))"),
    ("(a, b)", "(a , b)"),
    ("a % b / c", "((a % b) / c)"),
]


@pytest.mark.parametrize(("text", "tree"), PRECEDENCE)
def test_precedence_and_associativity(text: str, tree: str) -> None:
    assert show(expression(text)) == tree


POSTFIX = [
    ("a.b.c", "a.b.c"),
    ("a[1][2]", "a[1][2]"),
    ("f()", "f()"),
    ("f(a, b)(c)", "f(a, b)(c)"),
    ("buf.Load<float4>(0).x", "buf.Load<`float4`>(0).x"),
    ("a.template f<int>()", "a.f<`int`>()"),
    ("a->b", "a->b"),
    ("this.a", "This().a"),
    ("a.Base::b", "a.Base::b"),
    ("a.operator+(b)", "a.operator+(b)"),
    ("N::f(1)", "N::f(1)"),
    ("::g", "::g"),
    ("A::B::c", "A::B::c"),
    ("vk::RawBufferLoad<uint>(p, 4)", "vk::RawBufferLoad<`uint`>(p, 4)"),
]


@pytest.mark.parametrize(("text", "tree"), POSTFIX)
def test_postfix(text: str, tree: str) -> None:
    assert show(expression(text)) == tree


TYPES = [
    ("(float3)a.b", "(`float3`)a.b"),
    ("(float)-a", "(`float`)(-a)"),
    ("(a)-b", "(a - b)"),
    ("(int[2])a", "(`int[2]`)a"),
    ("(unsigned int)a", "(`unsigned int`)a"),
    ("(const float4)a", "(`const float4`)a"),
    ("(vector<float, 2>)a", "(`vector<`float`, 2>`)a"),
    ("float4(a, 1)", "`float4`(a, 1)"),
    ("float4(a, 1).xyz", "`float4`(a, 1).xyz"),
    ("float4x4(m)[0]", "`float4x4`(m)[0]"),
    ("sizeof(float4)", "SizeOf(operand=`float4`)"),
    ("sizeof(a.b)", "SizeOf(operand=a.b)"),
    ("sizeof(int[2])", "SizeOf(operand=`int[2]`)"),
    ("static_cast<int>(a)", "static_cast(`int`)a"),
    ("a < float(b)", "(a < `float`(b))"),
    ("a < b > (c)", "((a < b) > c)"),
    ("a < b && c > d", "((a < b) && (c > d))"),
    ("(a < b) == (c > d)", "((a < b) == (c > d))"),
    ("a >> 1 >> 2", "((a >> 1) >> 2)"),
    ("i < n.x ? a : b", "((i < n.x) ? a : b)"),
]


@pytest.mark.parametrize(("text", "tree"), TYPES)
def test_types_in_expressions(text: str, tree: str) -> None:
    assert show(expression(text)) == tree


def test_literals() -> None:
    assert expression("true") == ast.Bool(True, 0)
    assert expression('"a" "b\\n"') == ast.String("ab\n", 0)
    assert expression("'a'") == ast.Char(97, 0)
    assert expression("1.5f") == ast.Number("1.5f", 0)


def test_initialiser_lists() -> None:
    (statement,) = body("float a[] = { 1, { 2, 3 }, };")
    assert isinstance(statement, ast.DeclStmt) and isinstance(statement.decl, ast.VarDecl)
    assert show(statement.decl.declarators[0].init) == "{1, {2, 3}}"


def test_a_known_function_template_takes_any_argument() -> None:
    before = "template<int N> int f(int x) { return N; }"
    assert show(expression("f<3>(a)", before=before)) == "f<3>(a)"
    assert show(expression("g < 3 > (a)", before=before)) == "((g < 3) > a)"


def test_positions_are_those_of_the_characteristic_tokens() -> None:
    # void f ( ) { x = a . b + c ( 1 ) ; }
    #  0   1 2 3 4 5 6 7 8 9 10 11 12 13
    (statement,) = body("x = a.b + c(1);")
    assert isinstance(statement, ast.ExprStmt)
    assign = statement.expr
    assert isinstance(assign, ast.Assign) and assign.pos == 6
    plus = assign.value
    assert isinstance(plus, ast.Binary) and plus.pos == 10
    assert isinstance(plus.left, ast.Member) and plus.left.pos == 9 and plus.left.base.pos == 7
    assert isinstance(plus.right, ast.Call) and plus.right.pos == 12


def test_a_long_chain_does_not_recurse() -> None:
    tree = expression(" + ".join(["a"] * 10_000))
    depth = 0
    while isinstance(tree, ast.Binary):
        tree = tree.left
        depth += 1
    assert depth == 9_999
