"""Objects in places that cannot have them are reported at the declaration."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader

TYPES = {
    "dx::linalg::Matrix": """#include <dx/linalg.h>
        using namespace dx::linalg;
        typedef Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave> T;""",
    "dx::linalg::Matrix of a thread": """#include <dx/linalg.h>
        using namespace dx::linalg;
        typedef Matrix<ComponentType::F32, 8, 12, MatrixUse::A, MatrixScope::Thread> T;""",
    "__builtin_LinAlgMatrix": "typedef __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(9, 16, 16, 2, 1)]] T;",
    "vk::khr::CooperativeMatrix": """#include <vk/khr/cooperative_matrix.h>
        typedef vk::khr::CooperativeMatrix<
            float, vk::ScopeSubgroup, 16, 16, vk::CooperativeMatrixUseMatrixAccumulatorKHR> T;""",
    "TriangleStream": "typedef TriangleStream<float4> T;",
    "InputPatch": "typedef InputPatch<float4, 3> T;",
}
PLACES = {
    "groupshared variables": "groupshared T t;",
    "groupshared variables (array)": "struct S { int a; T t[2]; };\ngroupshared S s[2];",
    "cbuffers or tbuffers": "cbuffer Block {\n T t; }",
    "cbuffers or tbuffers (global)": "T t;",
    "cbuffers or tbuffers (push constants)": "struct S { T t; };\n[[vk::push_constant]] S s;",
    "ConstantBuffers or TextureBuffers": "struct S { T t; };\nConstantBuffer<S> s;",
    "structured buffers": "struct S { T t; };\nRWStructuredBuffer<S> s;",
    "builtin template parameters": "RWByteAddressBuffer b; void f() {\n T t; b.Store(0, t); }",
    "builtin template parameters (explicit)": "RWByteAddressBuffer b; void f() {\n b.Load<T>(0); }",
    "builtin template parameters (load)": "void f() {\n vk::RawBufferLoad<T>(0); }",
    "builtin template parameters (store)": "void f() {\n T t; vk::RawBufferStore<T>(0, t); }",
}
OPTIONS = CompileOptions(target_env="vulkan1.3")


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("place", PLACES)
def test_object_in_memory(name: str, place: str) -> None:
    declaration = PLACES[place]
    source = f"{TYPES[name]}\n{declaration}\n[numthreads(32, 1, 1)] void main() {{}}"
    line = TYPES[name].count("\n") + 2 + declaration.count("\n")
    result = compile_shader(source, profile="cs_6_10", options=OPTIONS)
    error = next(d for d in result.diagnostics if d.severity == "error")
    assert error.code.id == "HLSL1415"
    assert f"object '{name.partition(' ')[0]}" in error.message
    assert error.message.endswith(f"is not allowed in {place.partition(' (')[0]}")
    assert error.location is not None
    assert error.location.line == line


@pytest.mark.parametrize("name", [name for name in TYPES if "Stream" not in name and "Patch" not in name])
@pytest.mark.parametrize("parameter", ["T t : T", "out T t : T"])
def test_matrix_as_a_parameter_of_an_entry_function(name: str, parameter: str) -> None:
    source = f"{TYPES[name]}\n[numthreads(32, 1, 1)] void main({parameter}) {{}}"
    result = compile_shader(source, profile="cs_6_10", options=OPTIONS)
    assert "is not allowed in entry function parameters" in next(iter(result.diagnostics)).message


@pytest.mark.parametrize("name", TYPES)
def test_static_variables_may_be_objects(name: str) -> None:
    source = f"{TYPES[name]}\nstatic T t; [numthreads(32, 1, 1)] void main() {{}}"
    assert compile_shader(source, profile="cs_6_10", options=OPTIONS).ok


@pytest.mark.parametrize(
    "resource", ["Texture2D", "SamplerState", "RWByteAddressBuffer", "StructuredBuffer<int>", "RayQuery<0>"]
)
def test_groupshared_resource(resource: str) -> None:
    source = f"groupshared {resource} shared_resource; [numthreads(32, 1, 1)] void main() {{}}"
    result = compile_shader(source, profile="cs_6_6", options=OPTIONS)
    assert "is not allowed in groupshared variables" in next(iter(result.diagnostics)).message


@pytest.mark.parametrize("t", ["Texture2D<float4>", "SamplerState", "S"])
def test_printf_of_an_object(t: str) -> None:
    source = f'struct S {{ int a; Texture2D t; }}; [numthreads(32, 1, 1)] void main() {{ {t} x; printf("%d", x); }}'
    result = compile_shader(source, profile="cs_6_6", options=OPTIONS)
    assert [d.code.id for d in result.diagnostics if d.severity == "error"] == ["HLSL0361"]


def test_handles_without_attributes() -> None:
    """They are no matrices yet, and stand anywhere."""
    source = """groupshared __builtin_LinAlgMatrix shared_handle;
        __builtin_LinAlgMatrix handles[2];
        cbuffer Block { __builtin_LinAlgMatrix in_block; }
        [numthreads(32, 1, 1)] void main() { }"""
    result = compile_shader(source, profile="cs_6_10", options=OPTIONS)
    assert "HLSL1415" not in [d.code.id for d in result.diagnostics]
