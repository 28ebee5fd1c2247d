"""Syntax errors: messages as in clang and DXC, locations, and that the rest is still parsed."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.catalogue import syntax as codes
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.errors.recovery import MAX_PROBLEMS

from .helper import errors, parse_text

ONE = [
    ("void f() { a = 1 }", "expected ';' after expression"),
    ("void f() { float a = 1 b; }", "expected ';' at end of declaration"),
    ("float f() { return 1 }", "expected ';' after return statement"),
    ("void f() { for (;;) { break } }", "expected ';' after break statement"),
    ("void f() { do { } while (a) b; }", "expected ';' after do/while statement"),
    ("void f() { for (int i = 0; i < 3) { } }", "expected ';' in 'for' statement specifier"),
    ("struct S { float a }; ", "expected ';' at end of declaration list"),
    ("struct S { float a; } float b;", "expected ';' after struct"),
    ("enum E { A } float b;", "expected ';' after enum"),
    ("float a = 1 float b;", "expected ';' after top level declarator"),
    ("using T = float U u;", "expected ';' after alias declaration"),
    ("void f() int a;", "expected function body after function declarator"),
    ("void f() { a = ; }", "expected expression"),
    ("void f() { a = b + ; }", "expected expression"),
    ("void f() { else { } }", "expected expression"),
    ("void f() { g(1, ); }", "expected expression"),
    ("void f() { float3 a = float3; }", "expected '(' for function-style cast or type construction"),
    ("void f() { g(1; }", "expected ')'"),
    ("void f() { a[1; }", "expected ']'"),
    ("void f() { if a) { } }", "expected '(' after 'if'"),
    ("void f() { switch (a) { case 1 b; } }", "expected ':' after 'case'"),
    ("void f() {", "expected '}'"),
    ("namespace N { float a;", "expected '}'"),
    ("void f() { } }", "extraneous closing brace ('}')"),
    ("Foo a;", "unknown type name 'Foo'"),
    ("void f(Foo a) { }", "unknown type name 'Foo'"),
    ("void f() { Foo a; }", "unknown type name 'Foo'"),
    ("void f() { Foo<int> a; }", "unknown type name 'Foo'"),
    ("struct S { N::Foo a; };", "unknown type name 'Foo'"),
    ("a = 1;", "HLSL requires a type specifier for all declarations"),
    ("float 1;", "expected unqualified-id"),
    ("float a, ;", "expected unqualified-id"),
    ("1;", "expected unqualified-id"),
    ("void f(int a, ) { }", "expected parameter declarator"),
    ("float4 a : ;", "expected HLSL semantic identifier"),
    ("enum E { A B };", "missing ',' between enumerators"),
    ("goto a;", "'goto' is a reserved keyword in HLSL"),
    ("struct ;", "expected identifier or '{'"),
    ("Texture2D<float4 t;", "expected '>'"),
]


@pytest.mark.parametrize(("text", "message"), ONE)
def test_one_mistake_gives_one_message(text: str, message: str) -> None:
    assert errors(text) == [message]


def test_several_errors_in_one_body() -> None:
    text = """void f() {
        a = ;
        b = 1;
        c = (2;
        { d = 3 }
        Foo e;
    }"""
    _, sink = parse_text(text)
    assert [(d.message, d.location.line) for d in sink.diagnostics if d.location] == [
        ("expected expression", 2),
        ("expected ')'", 4),
        ("expected ';' after expression", 5),
        ("unknown type name 'Foo'", 6),
    ]


def test_an_error_in_one_declaration_does_not_lose_the_others() -> None:
    unit, sink = parse_text("float a;\nfloat b = ;\nfloat c;\nvoid f() { a = = 1; }\nvoid g() { }")
    assert [d.location.line for d in sink.diagnostics if d.location] == [2, 4]
    kinds = [[type(decl).__name__ for decl in chunk.decls] for chunk in unit.chunks]
    assert kinds == [["VarDecl"], ["EmptyDecl"], ["VarDecl"], ["FunctionDecl"], ["FunctionDecl"]]
    assert [chunk.has_errors for chunk in unit.chunks] == [False, True, False, True, False]


def test_an_unbalanced_bracket_gets_a_note_to_its_opening() -> None:
    _, sink = parse_text("void f()\n{\n  if (a) {\n    b;\n}\n")
    (error,) = sink.diagnostics
    assert error.code is codes.EXPECTED_CLOSING
    (note,) = error.notes
    assert note.message == "to match this '{'" and note.location is not None and note.location.line == 2


def test_the_caret_for_a_missing_semicolon_is_behind_the_last_token() -> None:
    _, sink = parse_text("void f() { a = 1 }")
    (error,) = sink.diagnostics
    assert error.location is not None and error.location.col == 8  # the helper's columns are token indices


def test_members_behind_a_broken_one_are_kept() -> None:
    unit, sink = parse_text("struct S { float a; float = 3; float b; void f() { x = ; } int c; };")
    assert sink.error_count == 2
    struct = unit.chunks[0].decl
    assert isinstance(struct, ast.StructDecl) and struct.members is not None
    assert [type(member).__name__ for member in struct.members] == ["VarDecl", "VarDecl", "FunctionDecl", "VarDecl"]


def test_an_unknown_type_is_reported_once_a_declaration() -> None:
    assert errors("void f(Foo a, Foo b) { }") == ["unknown type name 'Foo'"]


def test_there_is_a_limit_to_the_errors_of_one_declaration() -> None:
    unit, _ = parse_text("void f() {" + "a = ; " * 1000 + "}")
    assert len(unit.chunks[0].problems) == MAX_PROBLEMS


DEEP = {
    "parentheses": "float x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
    "blocks": "void f() {" + "{" * 10_000 + "}" * 10_000 + "}",
    "open parentheses": "float x = " + "(" * 10_000,
    "open blocks": "void f() " + "{" * 10_000,
}
CHAINS = {
    "prefixes": "float x = " + "- " * 10_000 + "1;",
    "casts": "float x = " + "(int)" * 10_000 + "1;",
    "ternaries": "float x = " + "a ? b : " * 10_000 + "1;",
    "members": "float x = a" + ".a" * 10_000 + ";",
    "elements": "float x = a" + "[0]" * 10_000 + ";",
    "assignments": "void f() { " + "a = " * 10_000 + "1; }",
    "loops": "void f() { " + "for (;;) " * 10_000 + "; }",
    "conditions": "void f() { " + "if (a) " * 10_000 + "; }",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_brackets_are_an_error(name: str) -> None:
    assert errors(DEEP[name]) == ["bracket nesting level exceeded maximum of 256"]


@pytest.mark.parametrize("name", CHAINS)
def test_deep_trees_are_an_error(name: str) -> None:
    assert errors(CHAINS[name]) == ["nesting too deep: expressions or statements exceed 256 levels"]


def test_long_code_is_no_deep_code() -> None:
    assert not errors("float x = " + " + ".join(["-a.b[1]"] * 10_000) + ";")
    assert not errors("float x[] = { " + ", ".join(["-1.0"] * 10_000) + " };")
    assert not errors("void f() { " + "if (a) { b; } else " * 2_000 + "; }")
    assert not errors("void f() { " + "a = b ? c : d; " * 2_000 + "}")
    assert not errors("float x = " + "(" * 200 + "1" + ")" * 200 + ";")


@pytest.mark.parametrize("count", [1, 300])
def test_any_number_of_stray_brackets(count: int) -> None:
    for bracket in "(){}[]":
        assert errors(bracket * count)
