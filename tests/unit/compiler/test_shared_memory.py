"""Shaders that are compiled one after the other with one memory: each is as if it were alone.

What they share, a header's structs, templates and namespaces, is completed by each of them in its own way.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from hlsl_tool.compiler.compile import CompileResult, Memory, compile_shader
from hlsl_tool.compiler.options import CompileOptions

OPTIONS = CompileOptions(optimize="none", validate="no")
MAIN = "\nfloat4 main(float2 uv : TEXCOORD0) : SV_Target { return (%s).xxxx; }\n"
STATIC = "struct S { static float k; };\n"
SPACE = "namespace N { float f(float x); }\n"
NESTED = "namespace A { namespace B { float f(float x); } }\n"
FORWARD = "namespace N { struct S; float g(S s); }\n"
USE = "float t(float x) { N::S s; s.a = x; return N::g(s); }"
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
}  # fmt: skip


def compiled(text: str, memory: Memory) -> CompileResult:
    return compile_shader(text, profile="ps_6_0", options=OPTIONS, memory=memory)


@pytest.mark.parametrize("name", SHADERS)
def test_what_came_before_makes_no_difference(name: str) -> None:
    texts = SHADERS[name]
    alone = {text: compiled(text, Memory()) for text in texts}
    assert len({(result.spirv, str(result.diagnostics)) for result in alone.values()}) > 1
    for order in permutations(texts):
        memory = Memory()
        for text in (*order, *order):
            found = compiled(text, memory)
            assert found.ok == alone[text].ok
            assert found.diagnostics == alone[text].diagnostics
            assert found.spirv == alone[text].spirv


@pytest.mark.parametrize("text", [
    "struct S { static const int k = 2; };\nconst int S::k = 3;",
    "namespace A { static float f = 1; }\nstatic float A::f = 2;",
])
def test_a_variable_has_one_value(text: str) -> None:
    [found] = compiled(text + MAIN % "1.0", Memory()).diagnostics
    assert found.code.id == "HLSL0306"
    assert found.location is not None
    assert found.location.line == 2
    assert [note.location.line for note in found.notes if note.location is not None] == [1]
