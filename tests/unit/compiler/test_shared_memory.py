"""Shaders that are compiled with shared caches: each gives the same result as alone.

They share a header's structs, templates and namespaces, and each adds its own members and instances.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.frontend.sema.rules.templates import instantiation as templates

OPTIONS = CompileOptions(optimize="none", validate="no")
MAIN = "\nfloat4 main(float2 uv : TEXCOORD0) : SV_Target { return (%s).xxxx; }\n"
STATIC = "struct S { static float k; };\n"
SPACE = "namespace N { float f(float x); }\n"
NESTED = "namespace A { namespace B { float f(float x); } }\n"
FORWARD = "namespace N { struct S; float g(S s); }\n"
USE = "float t(float x) { N::S s; s.a = x; return N::g(s); }"
ASSERTS = 'template<typename T> struct S { T v; _Static_assert(sizeof(T) == 8, "no"); };\n'
NARROWS = "template<typename T> struct S { static const float n = float2(1, 2); T v; };\n"
BASE = "template<typename T> struct S : T { float v; };\n"
PACKED = "template<typename T> struct S { float2x3 m; };\n"
DEEP = (
    "template<int N> struct D { D<N - 1> d; static const int v = D<N - 1>::v + 1; };\n"
    "template<> struct D<0> { static const int v = 0; };\n"
)
SPECIAL = "template<typename T> struct S { T v; T f() { return v; } };\n"
SHADERS: dict[str, tuple[str, ...]] = {
    "static member": tuple(f"{STATIC}float S::k = {n};{MAIN % 'S::k'}" for n in (1, 2)),
    "static member without a value": (f"{STATIC}float S::k = 1;{MAIN % 'S::k'}", f"{STATIC}float S::k;{MAIN % 'S::k'}"),
    "constant member": tuple(
        f"struct S {{ static const int k; }};\nconst int S::k = {n};\n"
        f"float f() {{ float a[3] = {{ 1, 2, 3 }}; return a[S::k]; }}{MAIN % 'f()'}" for n in (1, 2)),
    "function of a namespace": tuple(
        f"{SPACE}float N::f(float x) {{ return x * {n}; }}{MAIN % 'N::f(uv.x)'}" for n in (1, 2, 3)),
    "function that is not defined": (
        f"{SPACE}float N::f(float x) {{ return x; }}{MAIN % 'N::f(uv.x)'}", f"{SPACE}{MAIN % 'N::f(uv.x)'}"),
    "function of a namespace in another": tuple(
        f"{NESTED}float A::B::f(float x) {{ return x * {n}; }}{MAIN % 'A::B::f(uv.x)'}" for n in (1, 2)),
    "function template of a namespace": tuple(
        "namespace N { template<typename T> T f(T x); }\n"
        f"template<typename T> T N::f(T x) {{ return x * {n}; }}{MAIN % 'N::f(uv.x)'}" for n in (1, 2)),
    "struct of a namespace": tuple(
        f"{FORWARD}namespace N {{ struct S {{ {members} }}; float g(S s) {{ return s.a; }} }}\n{USE}{MAIN % 't(uv.x)'}"
        for members in ("float a;", "int a; float b;")),
    "error in a struct template": tuple(
        f"{ASSERTS}float f() {{ S<float> s; return {n}; }}{MAIN % 'f()'}" for n in (1, 2)),
    "warning in a struct template": tuple(
        f"{NARROWS}float f() {{ S<float> s; return {n}; }}{MAIN % 'f()'}" for n in (1, 2)),
    "warning in a struct template in another": tuple(
        f"{NARROWS}template<typename T> struct O {{ S<T> s; }};\nfloat f() {{ O<float> s; return {n}; }}{MAIN % 'f()'}"
        for n in (1, 2)),
    "struct template that cannot be": tuple(
        f"{BASE}float f() {{ S<float> s; s.nothing = {n}; return s.v; }}{MAIN % 'f()'}" for n in (1, 2)),
    "warning in a variable template": tuple(
        "template<typename T> static const float V = float2(1, 2);\n"
        f"float f() {{ return V<float> * {n}; }}{MAIN % 'f()'}" for n in (1, 2)),
    "warning in a default argument": tuple(
        "template<typename T> float g(T x, float y = float2(1, 2)) { return y; }\n"
        f"float f() {{ return g<float>({n}); }}{MAIN % 'f()'}" for n in (1, 2)),
    "template that goes too deep": tuple(
        f"{DEEP}float f() {{ return D<{n}>::v; }}{MAIN % 'f()'}" for n in (300, 200)),
    "matrices of a struct template": tuple(
        f"{PACKED}{pragma}cbuffer C {{ S<int> s; }};{MAIN % 's.m[0]'}"
        for pragma in ("", "#pragma pack_matrix(row_major)\n")),
    "specialisation": tuple(
        f"{SPECIAL}{special}float f(float x) {{ S<float> s; s.v = x; return s.f(); }}{MAIN % 'f(uv.x)'}"
        for special in ("", "template<> struct S<float> { float v; float f() { return v * 2; } };\n")),
    "specialisation behind a template that uses it": tuple(
        f"{SPECIAL}template<typename T> T g(T x) {{ S<T> s; s.v = x; return s.f(); }}\n"
        f"{special}{MAIN % 'g(uv.x) + g(1)'}"
        for special in (
            "",
            "template<> struct S<float> { float v; float f() { return v * 2; } };\n",
            "template<> struct S<float> { float v; float f() { return v * 3; } };\n",
        )),
}  # fmt: skip


def compiled(text: str, memory: Memory) -> CompileResult:
    return with_deep_stack(lambda: compile_shader(text, profile="ps_6_0", options=OPTIONS, memory=memory))


@pytest.mark.parametrize("name", SHADERS)
def test_earlier_shaders_do_not_change_a_result(name: str) -> None:
    texts = SHADERS[name]
    alone = {text: compiled(text, Memory()) for text in texts}
    assert len({(result.spirv, str(result.diagnostics)) for result in alone.values()}) > 1 or name.startswith(
        ("error", "matrices", "struct template", "warning")
    )
    for order in permutations(texts):
        memory = Memory()
        for text in (*order, *order):
            found = compiled(text, memory)
            assert found.ok == alone[text].ok
            assert found.diagnostics == alone[text].diagnostics
            assert found.spirv == alone[text].spirv


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("error in a struct template", "HLSL0505"),
        ("struct template that cannot be", "HLSL"),
        ("warning in a struct template", "HLSL0382"),
        ("warning in a struct template in another", "HLSL0382"),
        ("warning in a variable template", "HLSL0382"),
        ("warning in a default argument", "HLSL0382"),
    ],
)
def test_each_shader_reports_the_errors_of_a_shared_template(name: str, code: str) -> None:
    memory = Memory()
    for text in SHADERS[name]:
        assert any(found.code.id.startswith(code) for found in compiled(text, memory).diagnostics)


def test_a_template_has_the_matrices_of_where_it_stands() -> None:
    """The matrix order at a template's declaration applies to its members, not the order at its use, as in DXC."""
    [plain, pragma] = (compiled(text, Memory()) for text in SHADERS["matrices of a struct template"])
    assert plain.ok
    assert plain.spirv == pragma.spirv


def test_a_specialisation_stands_where_it_is_written() -> None:
    """A template specialisation can use the names declared before it, and its errors have its own position."""
    text = "template<typename T> struct S { T v; };\nstruct X { float a; };\ntemplate<> struct S<float> { X v;%s };\n"
    use = "float f(float x) { S<float> s; s.v.a = x; return s.v.a; }"
    assert compiled(text % "" + use + MAIN % "f(uv.x)", Memory()).ok
    found = compiled(text % " nothing q;" + use + MAIN % "f(uv.x)", Memory())
    assert {d.location.line for d in found.diagnostics if d.location is not None} == {3}


def test_instances_of_other_shaders_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_TEMPLATE_INSTANCES", 3)
    memory = Memory()
    for n in range(8):
        text = f"template<int N> struct I {{ float v; }};\nfloat f() {{ I<{n}> i; i.v = 1; return i.v; }}{MAIN % 'f()'}"
        assert compiled(text, memory).ok


@pytest.mark.parametrize(
    "text",
    [
        "struct S { static const int k = 2; };\nconst int S::k = 3;",
        "namespace A { static float f = 1; }\nstatic float A::f = 2;",
    ],
)
def test_a_variable_has_one_value(text: str) -> None:
    [found] = compiled(text + MAIN % "1.0", Memory()).diagnostics
    assert found.code.id == "HLSL0306"
    assert found.location is not None
    assert found.location.line == 2
    assert [note.location.line for note in found.notes if note.location is not None] == [1]
