"""Atomics on floats: features for each kind of memory, and types of memory whose bits are compared."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.cpp import Shader, cpp_project_header
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.structs import csharp_structs, rust_structs
from hlsl_tool.spirv.decode import decode

SHADER = """
RWStructuredBuffer<float> f;
RWStructuredBuffer<double> d;
RWTexture2D<float> t;
groupshared float cell;
[numthreads(1, 1, 1)] void main() {
    float before;
    double wide;
    STATEMENTS
    f[1] = before + wide;
}"""


def features_of(statements: str) -> list[tuple[str, list[str]]]:
    source = SHADER.replace("STATEMENTS", statements)
    result = compile_shader(source, profile="cs_6_6", options=CompileOptions(target_env="vulkan1.2"))
    assert result.ok, [d.message for d in result.diagnostics]
    features = reflect(decode(result.spirv), result.interface).requirements.features
    return [(f.name, [need.partition("::")[2] for need in f.needs_one_of]) for f in features if "tomic" in f.name]


def test_a_feature_for_each_memory() -> None:
    assert features_of("InterlockedAdd(f[0], 1, before); InterlockedAdd(cell, before);") == [
        ("AtomicFloat32AddEXT", ["shaderBufferFloat32AtomicAdd"]),
        ("AtomicFloat32AddEXT", ["shaderSharedFloat32AtomicAdd"]),
    ]
    assert features_of("InterlockedMax(t[uint2(0, 0)], 1, before);") == [
        ("AtomicFloat32MinMaxEXT", ["shaderImageFloat32AtomicMinMax"])
    ]


def test_exchanges_have_features_without_a_capability() -> None:
    assert features_of("InterlockedExchange(d[0], 1, wide);") == [("OpAtomicExchange", ["shaderBufferFloat64Atomics"])]


def test_integers_are_left_alone() -> None:
    assert features_of("") == []


PARTICLES = """
struct Particle { float3 position; float weight; uint flags; float2x3 turn; float list[3][2]; bool on; };
RWStructuredBuffer<Particle> particles : register(u0);
RWStructuredBuffer<float> plain : register(u1);
RWStructuredBuffer<float2> pairs[2] : register(u2);
[numthreads(1, 1, 1)] void main() {
    float before = 0;
    particles[0].turn[0] = particles[0].on ? particles[0].list[0][1] : plain[0] + pairs[1][0].y;
    STATEMENTS
}"""
COMPARED = """
    InterlockedCompareExchangeFloatBitwise(particles[0].weight, 1.0, 2.0, before);
    InterlockedCompareStoreFloatBitwise(plain[1], 1.0, before);
    InterlockedCompareStoreFloatBitwise(pairs[0][1].x, 1.0, before);
"""


def particles(name: str, statements: str, optimize: str) -> Shader:
    options = CompileOptions(target_env="vulkan1.2", optimize=optimize)  # type: ignore[arg-type]  # a word
    result = compile_shader(PARTICLES.replace("STATEMENTS", statements), profile="cs_6_6", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    return Shader(name, name, result.reflect())


@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_compared_memory_has_the_types_of_the_source(optimize: str) -> None:
    """Reflection and host structs have float members, although the module stores the bits of the floats as integers.

    Modules do so for memory on which atomics compare floats bitwise.
    """
    compared, left = (particles("same", statements, optimize) for statements in (COMPARED, ""))
    for name in ("particles", "plain", "pairs"):
        block, other = (find_block(shader.reflection, name) for shader in (compared, left))
        assert block.tail == other.tail
        assert block.type == other.type
    for generate in (cpp_project_header, csharp_structs):
        assert generate([compared], namespace="n") == generate([left], namespace="n")
    assert rust_structs([compared]) == rust_structs([left])
    assert "float weight;" in cpp_project_header([compared], namespace="n")
