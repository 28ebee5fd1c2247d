"""Deduction of template arguments: calls that match a template, and diagnostics of those that do not."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

VARIABLES = """
    float f = c.x; int i = c.x; float2 f2 = f; float3 f3 = f; float4 f4 = f; int4 i4 = i; min16float h = (min16float)f;
    float a2[2] = {f, f}; float a3[3] = {f, f, f}; float a23[2][3] = {f, f, f, f, f, f}; float3x4 m = f; bool b = true;
    Box<float> box = {f}; Box<int> ints = {i}; Derived derived = {f, f}; E e = A; Sized<float, 3> three = {f3};
"""

FRAME = """
enum E {{ A, B }}; template<typename T> struct Box {{ T x; }}; struct Derived : Box<float> {{ float y; }};
template<typename T, int N> struct Sized {{ vector<T, N> x; }};
template{declaration}
float4 main(float4 c : A) : SV_Target {{ {variables} return {call}; }}
"""


def compiled(declaration: str, call: str) -> CompileResult:
    text = FRAME.format(declaration=declaration, variables=VARIABLES, call=call)
    options = CompileOptions(validate="no", codegen_only=True)
    return compile_shader(text, profile="ps_6_0", options=options)


SAME = "<typename T> T g(T a, T b) { return a; }"
IGNORED = "candidate template ignored: "

DEDUCED: list[tuple[str, str]] = [
    (SAME, "g(f, f)"),
    (SAME, "g(f4, f4)"),
    (SAME, "g(1, 2)"),
    (SAME, "g(1.0, 2.5)"),
    (SAME, "g<float>(1, 2u)"),
    (SAME, "g<int>(f4.x, f)"),
    (SAME, "g(a2, a2)[0]"),
    ("<typename T, int N> T g(vector<T, N> a, vector<T, N> b) { return a[0]; }", "g(f3, f3)"),
    ("<typename T, int N> T g(vector<T, N> a, vector<T, N + 1> b) { return a[0]; }", "g(f2, f3)"),
    ("<typename T> T g(vector<T, 3> a) { return a[0]; }", "g<float>(f4)"),
    ("<typename T> T g(vector<T, 3> a) { return a[0]; }", "g<float>(f)"),
    ("<typename T> T g(vector<T> a) { return a[0]; }", "g(f4)"),
    ("<typename T, int N> T g(T a[N]) { return a[0]; }", "g(a3)"),
    ("<typename T, int N, int M> T g(T a[N][M]) { return a[0][N]; }", "g(a23)"),
    ("<typename T, int R, int C> T g(matrix<T, R, C> a, vector<T, C> b) { return b[0]; }", "g(m, f4)"),
    ("<typename T> T g(Box<T> a, Box<T> b) { return a.x; }", "g(derived, box)"),
    ("<typename T> T g(T a, float b) { return a; }", "g(f, i)"),
    ("<typename, typename, typename T> T g(T a) { return a; }", "g<int, float>(f)"),
    ("<typename T> T g(T a, T b = 1) { return a; }", "g(f4)"),
]

REFUSED: list[tuple[str, str, str]] = [
    (SAME, "g(2, 0.5)", "deduced conflicting types for parameter 'T' ('literal int' vs. 'literal float')"),
    (SAME, "g(2, i)", "deduced conflicting types for parameter 'T' ('literal int' vs. 'int')"),
    (SAME, "g(f4, f)", "deduced conflicting types for parameter 'T' ('float4' vs. 'float')"),
    (SAME, "g(h, f)", "deduced conflicting types for parameter 'T' ('min16float' vs. 'float')"),
    (SAME, "g(e, 1)", "deduced conflicting types for parameter 'T' ('E' vs. 'literal int')"),
    (SAME, "g(b, 1)", "deduced conflicting types for parameter 'T' ('bool' vs. 'literal int')"),
    (SAME, "g(box, derived).x", "deduced conflicting types for parameter 'T' ('Box' vs. 'Derived')"),
    ("<typename T> T g(out T a, T b) { return a = b; }", "g(f, 1)",
     "deduced conflicting types for parameter 'T' ('float' vs. 'literal int')"),
    ("<typename T> T g(T a, T b = 1) { return a; }", "g(f, 1)",
     "deduced conflicting types for parameter 'T' ('float' vs. 'literal int')"),
    ("<typename T> T g(T a, vector<T, 2> b) { return a; }", "g(1, f2)",
     "deduced conflicting types for parameter 'T' ('literal int' vs. 'float')"),
    ("<typename T, int N> T g(vector<T, N> a, vector<T, N> b) { return a[0]; }", "g(f4, f2)",
     "deduced conflicting values for parameter 'N' (4 vs. 2)"),
    ("<typename T, int N> T g(T a[N], T b[N]) { return a[0]; }", "g(a2, a3)",
     "deduced conflicting values for parameter 'N' (2 vs. 3)"),
    ("<typename T, int R, int C> T g(matrix<T, R, C> a, vector<T, C> b) { return b[0]; }", "g(m, f3)",
     "deduced conflicting values for parameter 'C' (4 vs. 3)"),
    ("<typename T> T g(Box<T> a, Box<T> b) { return a.x; }", "g(box, ints)",
     "deduced conflicting types for parameter 'T' ('float' vs. 'int')"),
    ("<typename T> T g(vector<T, 3> a) { return a[0]; }", "g(f4)", "could not match 3 against 4"),
    ("<typename T> T g(vector<T> a) { return a[0]; }", "g(f3)", "could not match 'vector<T>' against 'float3'"),
    ("<typename T> T g(vector<T, 3> a) { return a[0]; }", "g(f)", "could not match 'vector<T, 3>' against 'float'"),
    ("<typename T, int N> T g(vector<T, N> a, vector<T, N + 1> b) { return a[0]; }", "g(f2, f4)",
     "could not match 'float3' against 'float4'"),
    ("<typename T> T g(T a[2]) { return a[0]; }", "g(a3)", "could not match 2 against 3"),
    ("<typename T> T g(T a[]) { return a[0]; }", "g(a3)", "could not match 'T[]' against 'float[3]'"),
    ("<typename T> T g(Sized<T, 4> a) { return a.x[0]; }", "g(three)", "could not match 4 against 3"),
    ("<typename T> T g(T a) { return a; }", "g<int, float>(f)",
     "invalid explicitly-specified argument for template parameter 'T'"),
    ("<typename T> T g(T a) { return a; }", "g<3>(f)",
     "invalid explicitly-specified argument for template parameter 'T'"),
    ("<typename T> typename T::type g(T a) { return a; }", "g(box)",
     "substitution failure: no member named 'type' in 'Box'"),
]  # fmt: skip


@pytest.mark.parametrize(("declaration", "call"), DEDUCED)
def test_call_is_taken(declaration: str, call: str) -> None:
    errors = [d.message for d in compiled(declaration, call).diagnostics if d.code.severity == "error"]
    assert errors == []


@pytest.mark.parametrize(("declaration", "call", "why"), REFUSED)
def test_call_is_refused(declaration: str, call: str, why: str) -> None:
    (error,) = [d for d in compiled(declaration, call).diagnostics if d.code.severity == "error"]
    assert error.message == "no matching function for call to 'g'"
    assert [note.message for note in error.notes] == [IGNORED + why]


def test_arity_is_checked_before_deduction() -> None:
    (error,) = compiled("<typename T> T g(T a, float b) { return a; }", "g(f)").diagnostics
    (note,) = error.notes
    assert note.message == "candidate function template not viable: requires 2 arguments, but 1 was provided"


def test_substitution_failure_leaves_the_other_overload() -> None:
    first = "<typename T> typename T::type g(T a) { return a; }"
    assert compiled(first + "\ntemplate<typename T> float g(T a) { return a.x; }", "g(box)").spirv


@pytest.mark.parametrize(
    ("special", "why"),
    [
        ("template<> float g<float>(int a, float b) { return a; }", "could not match 'float' against 'int'"),
        (
            "template<> float g(int a, float b) { return a; }",
            "deduced conflicting types for parameter 'T' ('int' vs. 'float')",
        ),
    ],
)
def test_specialization_of_another_signature(special: str, why: str) -> None:
    (error,) = compiled(f"{SAME}\n{special}", "g(f, f)").diagnostics
    assert error.message == "no function template matches function template specialization 'g'"
    assert [note.message for note in error.notes] == [IGNORED + why]


DEFAULTS: list[tuple[str, str]] = [
    ("<typename T> float g(T a, T b = 0.0) { return 1; }", "g(box, box)"),
    ("<typename T> float g(T a, T b = 0.0) { return 1; }", "g(f)"),
    ("<typename T> float g(T a, T b = T::zero()) { return 1; }", "g(box, box)"),
    ("<typename T> struct M { float g(T a, T b = T::zero()) { return 1; } };", "((M<Box<float> >)0).g(box, box)"),
    ("<typename T, typename U = typename T::type> float g(T a) { return 1; }", "g<float, int>(f)"),
    ("<typename T, typename U = typename T::type> struct M { U u; };", "((M<float, int>)0).u"),
]


@pytest.mark.parametrize(("declaration", "call"), DEFAULTS)
def test_a_default_that_is_not_needed_is_not_checked(declaration: str, call: str) -> None:
    errors = [d.message for d in compiled(declaration, call).diagnostics if d.code.severity == "error"]
    assert errors == []


def test_a_default_that_is_needed_is_checked() -> None:
    declaration = "<typename T> float g(T a, T b = 0.0) { return 1; }"
    (error,) = compiled(declaration, "g(box)").diagnostics
    assert error.message == "cannot initialize a parameter of type 'Box' with an rvalue of type 'literal float'"
    assert error.location is not None and error.location.line == declaration.count("\n") + 4
