"""Distinguish names of values from names of types, which makes HLSL hard to parse."""

from __future__ import annotations

import pytest

from hlsl_tool.frontend.syntax import ast

from .helper import decls, errors, parse_text, show


def last_function(text: str) -> list[str]:
    *_, function = decls(text)
    assert isinstance(function, ast.FunctionDecl) and function.body is not None
    return [show(statement) for statement in function.body.statements]


def test_a_local_hides_a_type() -> None:
    assert last_function("struct L1 { int a; }; void f() { float3 L1 = 1; (L1) - x; { L1.x; } }")[1:] == [
        "ExprStmt(expr=(L1 - x))",
        "Block(statements=[ExprStmt(expr=L1.x)])",
    ]


def test_hiding_ends_with_the_block() -> None:
    (block, cast) = last_function("struct L1 { int a; }; void f() { { int L1 = 2; (L1) - x; } (L1) - x; }")
    assert "(L1 - x)" in block
    assert cast == "ExprStmt(expr=(`L1`)(-x))"


def test_a_parameter_hides_a_type_in_its_function_only() -> None:
    text = "struct T { int a; }; void f(float T) { (T) - x; } void g() { (T) - x; }"
    *_, first, second = decls(text)
    assert "(T - x)" in show(first)
    assert "(`T`)(-x)" in show(second)


def test_a_global_hides_a_type_from_there_on() -> None:
    assert last_function("struct T { int a; }; float T; void f() { (T) - x; }") == ["ExprStmt(expr=(T - x))"]


def test_a_member_named_like_a_type() -> None:
    assert last_function("struct T { int a; }; struct S { T T; }; void f() { s.T = (T) - x; }") == [
        "ExprStmt(expr=(s.T = (`T`)(-x)))"
    ]


def test_a_semantic_named_like_a_type() -> None:
    decls("struct color { int a; }; struct S { float4 c : color; };")


def test_a_template_parameter_is_a_type_in_its_declaration_only() -> None:
    text = "template<typename T> void f() { (T) - x; } void g(float T) { (T) - x; }"
    first, second = decls(text)
    assert "(`T`)(-x)" in show(first)
    assert "(T - x)" in show(second)


def test_types_of_a_namespace() -> None:
    text = """namespace N { struct S { int a; }; void f() { (S) - x; } }
        void g(float S) { (S) - x; (N::S) - x; }
        namespace N { void h() { (S) - x; } }
        using namespace N; void i() { (S) - x; }"""
    first, second, third, _, fourth = decls(text)
    assert "(`S`)(-x)" in show(first)
    assert "(S - x)" in show(second) and "(`N::S`)(-x)" in show(second)
    assert "(`S`)(-x)" in show(third)
    assert "(`S`)(-x)" in show(fourth)


def test_nested_types_need_their_struct() -> None:
    *_, function = decls("struct A { struct B { int x; }; B b; }; void f() { A::B b; float B; (B) - x; }")
    assert "(B - x)" in show(function)


def test_enumerators_are_no_types() -> None:
    assert last_function("struct Red { int a; }; enum class E { Green }; void f() { x = E::Green + E::Red; }") == [
        "ExprStmt(expr=(x = (E::Green + E::Red)))"
    ]


def test_builtin_names_that_are_no_keywords_can_be_variables() -> None:
    decls("Texture2D texture; float4x4 matrix; sampler s; void f(float4 vector) { vector.x = matrix[0][1]; }")


WORDS = [
    "sample",
    "point",
    "line",
    "linear",
    "centroid",
    "shared",
    "payload",
    "vertices",
    "indices",
    "primitives",
    "triangle",
    "center",
    "pass",
]


@pytest.mark.parametrize("word", WORDS)
def test_contextual_keywords_are_names_elsewhere(word: str) -> None:
    decls(f"float {word}; struct S {{ float {word}; }}; void f(float {word}) {{ {word} = s.{word} * {word}; }}")
    decls(f"void f() {{ {word}++; ({word}) - x; }}")


def test_template_brackets() -> None:
    text = """template<typename T, int N> T get(T x) { return x; }
        void f() { y = get<float, 2>(1); y = get<S<int> >(1); y = a < b; y = get<vk::T<vector<int, 2>>>(1); }"""
    types = "template<typename T> struct S { }; namespace vk { template<typename T> struct T { }; }"
    assert last_function(types + text) == [
        "ExprStmt(expr=(y = get<`float`, 2>(1)))",
        "ExprStmt(expr=(y = get<`S<`int`>`>(1)))",
        "ExprStmt(expr=(y = (a < b)))",
        "ExprStmt(expr=(y = get<`vk::T<`vector<`int`, 2>`>`>(1)))",
    ]


def test_only_the_names_a_chunk_uses_decide_its_meaning() -> None:
    text = "void f() { (T) - x; }"
    unit, _ = parse_text(f"struct T {{ int a; }}; {text}")
    assert "(`T`)(-x)" in show(unit.chunks[1].decls)
    unit, _ = parse_text(f"struct U {{ int a; }}; {text}")
    assert "(T - x)" in show(unit.chunks[1].decls)


def test_a_keyword_type_cannot_be_a_name() -> None:
    assert errors("int float;") == ["expected unqualified-id"]


def test_types_of_a_base_and_types_declared_further_down() -> None:
    decls("struct A { struct B { int x; }; }; struct C : A { B b; void f() { B c; } };")
    decls("struct A { void f() { B b; b.x = (B)0; } struct B { int x; }; };")


def test_a_member_template_of_a_dependent_type() -> None:
    """A name after the keyword `template` is parsed as a template, whether such a template is declared or not."""
    decls("template<typename T> int f(T t) { return t.template unknown<int>(3); }")
    decls("template<typename T> int f(T t) { return t.template unknown<3>(3); }")
    decls("struct S { template<typename T> T get() { return 1; } }; int f(S s) { return s.template get<int>(); }")


def test_conditions_in_the_arguments_of_a_dependent_type() -> None:
    assert not errors(
        "template <bool B, typename T> struct If { using type = T; };"
        "template <int N> typename If<N == 2 && N != 3 || (N > 4), float>::type f() { return 1; }"
    )


def test_types_of_a_namespace_that_is_reopened_in_the_same_declaration() -> None:
    text = "namespace a { namespace d { struct T { int b; }; } namespace d { void f() { (T) - x; } } }"
    assert "(`T`)(-x)" in show(parse_text(text)[0].chunks[0].decls)


def test_a_typedef_with_attributes_between_type_and_name() -> None:
    handle = "__builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(9, 4, 4, 0, 1)]]"
    assert not errors(f"typedef {handle} Named; Named f(Named a) {{ Named b; return a; }}")
