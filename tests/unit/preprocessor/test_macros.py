"""Macro expansion: definitions, arguments, rescanning, ``#``, ``##``, variadics."""

from __future__ import annotations

import pytest

from .helper import expand, run

EXPANSIONS = {
    "object": ("#define A 1\nA + A", "1 + 1"),
    "nested objects": ("#define A B\n#define B 2\nA", "2"),
    "empty": ("#define A\n[A]", "[ ]"),
    "undefined again": ("#define A 1\nA\n#undef A\nA", "1 A"),
    "undefining nothing": ("#undef A\nA", "A"),
    "function": ("#define F(x, y) y x\nF(1, 2)", "2 1"),
    "function without call": ("#define F(x) x\nF + F;", "F + F ;"),
    "space before parenthesis": ("#define F(x) x\n#define G (x)\nF (1) G", "1 ( x )"),
    "call over lines": ("#define F(x, y) x|y\nF(\n 1,\n 2\n)", "1 | 2"),
    "nested parentheses": ("#define F(x) [x]\nF((1, 2))", "[ ( 1 , 2 ) ]"),
    "no parameters": ("#define F() 1\nF() F( )", "1 1"),
    "empty argument": ("#define F(x) [x]\nF()", "[ ]"),
    "recursive object": ("#define A A + 1\nA", "A + 1"),
    "mutual recursion": ("#define A B\n#define B A\nA B", "A B"),
    "recursive function": ("#define F(x) F(x) g\nF(F(1))", "F ( F ( 1 ) g ) g"),
    "painted for ever": ("#define F(x) x F\nF(1)(2)", "1 F ( 2 )"),
    "standard's example": (
        (
            "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
            "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n"
            "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);"
        ),
        (
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;"
        ),
    ),
    "open end of a body": ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"),
    "deferred": ("#define E\n#define D(i) i E\n#define A() 1\n#define X(...) __VA_ARGS__\nD(A)() X(D(A)())", "A ( ) 1"),
    "argument expands before": ("#define F(x) x x\n#define A 1\nF(A)", "1 1"),
    "unbalanced body": ("#define LP (\n#define F(x) [x]\n#define X(x) x\nF LP 1) X(F LP 1))", "F ( 1 ) [ 1 ]"),
    "stringise": ('#define S(x) #x\nS( a  b\n c "q\\n" )', '"a b c \\"q\\\\n\\""'),
    "stringise unexpanded": ("#define A 1\n#define S(x) #x\n#define X(x) S(x)\nS(A) X(A)", '"A" "1"'),
    "stringise nothing": ("#define S(x) #x\nS() S( )", '"" ""'),
    "paste": ("#define P(a, b) a##b\nP(x, 1) P(0x, FF) P(+, =)", "x1 0xFF +="),
    "paste unexpanded": ("#define A 1\n#define P(a, b) a##b\nP(A, B)", "AB"),
    "paste makes a macro": ("#define AB 7\n#define P(a, b) a##b\nP(A, B)", "7"),
    "paste in an object": ("#define A x##1\nA", "x1"),
    "paste with empty": ("#define T(x,y,z) x##y##z\nT(1,,3) T(,2,) T(,,)", "13 2"),
    "number takes the hash": ("#define T(x) x##_1\nT(a)", "a_1"),
    "variadic": ("#define V(...) [__VA_ARGS__]\nV() V(1) V(1, 2)", "[ ] [ 1 ] [ 1 , 2 ]"),
    "named variadic": ("#define V(a...) [a]\nV(1, 2)", "[ 1 , 2 ]"),
    "comma elided": ('#define L(f, ...) p(f, ##__VA_ARGS__)\nL("a") L("a", 1, 2)', 'p ( "a" ) p ( "a" , 1 , 2 )'),
    "comma kept for an empty argument": ("#define L(f, ...) p(f, ##__VA_ARGS__)\nL(1,)", "p ( 1 , )"),
    "variadic stringised": ("#define S(...) #__VA_ARGS__\nS(a, b)", '"a, b"'),
    "builtin line": ("__LINE__\n\n__LINE__", "1 3"),
    "line of a call is its end": ("#define F(x) x __LINE__\nF(\n1\n)", "1 4"),
    "counter": ("__COUNTER__ __COUNTER__", "0 1"),
    "file": ("__FILE__", '"main.hlsl"'),
    "register": ("#define R(n) register(t##n)\nTexture2D x : R(3);", "Texture2D x : register ( t3 ) ;"),
    "call over a directive": ("#define F(x) [x]\nF(1\n#if 1\n+ 2\n#else\n+ 3\n#endif\n)", "[ 1 + 2 ]"),
    "definition inside a call": ("#define F(x) [x]\nF(\n#define A 5\nA)", "[ 5 ]"),
    "a directive ends the look-ahead": ("#define F(x) [x]\nF\n#if 1\n(1)\n#endif", "F ( 1 )"),
}


@pytest.mark.parametrize("name", EXPANSIONS)
def test_expansion(name: str) -> None:
    source, expected = EXPANSIONS[name]
    assert expand(source) == expected


def test_named_variadic_and_its_comma() -> None:
    assert expand("#define L(f, a...) p(f, ## a)\nL(1) L(1, 2)") == "p ( 1 ) p ( 1 , 2 )"


def test_legacy_expansion_pastes_expanded_operands() -> None:
    source = "#define A 1\n#define P(a, b) a##b\nP(x, A)"
    assert expand(source) == "xA"
    assert expand(source, legacy_macro_expansion=True) == "x1"


def test_command_line_macros() -> None:
    defines = (("A", None), ("B", "2"), ("F(x)", "x x"), ("C", "3"))
    assert expand("A B F(7) C D", defines=defines, undefines=("C",)) == "1 2 7 7 C D"


PROBLEMS = {
    "#define F(x) x\nF(1, 2)": ("too-many-arguments", 2, 6),
    "#define F(x, y) x\nF(1)": ("too-few-arguments", 2, 4),
    "#define F() x\nF(1)": ("too-many-arguments", 2, 3),
    "#define F(x) x\nF(1": ("unterminated-invocation", 2, 1),
    "#define": ("macro-name-missing", 1, 2),
    "#define 1": ("macro-name", 1, 9),
    "#define defined": ("defined-macro-name", 1, 9),
    "#define F(x": ("macro-parameters-rparen", 1, 12),
    "#define F(x y) x": ("macro-parameter-comma", 1, 13),
    "#define F(x,) x": ("macro-parameter-name", 1, 13),
    "#define F(1) x": ("macro-parameter-token", 1, 11),
    "#define F(x, x) x": ("duplicate-parameter", 1, 14),
    "#define F(x) #y": ("stringise", 1, 15),
    "#define F(x) ## x": ("paste-at-start", 1, 14),
    "#define F(x) x ##": ("paste-at-end", 1, 16),
    "#define P(a, b) a##b\nP(x, +)": ("invalid-token-paste", 2, 1),
    "#define A 1\n#define A 2": ("macro-redefined", 2, 9),
    "#define __LINE__ 2": ("builtin-macro-redefined", 1, 9),
    "#undef __FILE__": ("builtin-macro-redefined", 1, 8),
    "__DATE__": ("date-time", 1, 1),
}


@pytest.mark.parametrize("source", PROBLEMS)
def test_problem(source: str) -> None:
    name, line, col = PROBLEMS[source]
    assert run(source).places == [(name, "main.hlsl", line, col)]


def test_same_definition_again_is_silent() -> None:
    assert run("#define F(x) x + 1\n#define F(x)   x  +  1").names == []
    assert run("#define A x+1\n#define A x + 1").names == ["macro-redefined"]


def test_redefinition_shows_the_first_definition() -> None:
    result = run('#include "a.h"\n#define A 2', {"a.h": "\n#define A 1"})
    (note,) = result.sink.diagnostics[0].notes
    assert note.location is not None
    assert (note.location.file, note.location.line) == ("./a.h", 2)


def test_macro_bomb_is_stopped() -> None:
    lines = ["#define A0 x x"] + [f"#define A{i} A{i - 1} A{i - 1}" for i in range(1, 60)]
    assert run("\n".join(lines) + "\nA59").names == ["macro-bomb"]


def test_growing_token_is_stopped() -> None:
    lines = ["#define P(a, b) a##b", "#define X(a, b) P(a, b)", "#define A0 x"]
    lines += [f"#define A{i} X(A{i - 1}, A{i - 1})" for i in range(1, 60)]
    assert run("\n".join(lines) + "\nA59").names == ["token-length"]


def test_deep_arguments_are_bounded() -> None:
    deep = 90
    assert expand("#define F(x) x\n" + "F(" * deep + "1" + ")" * deep) == "1"
    assert run("#define F(x) x\n" + "F(" * 5000 + "1" + ")" * 5000).names == ["macro-argument-depth"]
