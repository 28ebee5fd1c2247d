"""Features of atomics on floats, by the memory that they work on."""

from __future__ import annotations

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.reflect import reflect
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
