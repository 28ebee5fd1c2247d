"""Byte-address buffers through untyped pointers: the same results as word by word."""

from __future__ import annotations

import random

import pytest

from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from tests.execute.tables import Runner, words
from tests.execute.vulkan import storage

FEATURES = (
    "shaderUntypedPointers", "shaderInt8", "shaderInt16", "shaderInt64", "shaderFloat16", "shaderFloat64",
    "storageBuffer8BitAccess", "storageBuffer16BitAccess", "scalarBlockLayout",
)  # fmt: skip
OPTIONS = {"profile": "cs_6_6", "target_env": "vulkan1.2", "enable_16bit_types": True, "enable_8bit_types": True}
ATOMIC_FLOATS = "SPV_EXT_shader_atomic_float_add"
UNTYPED = ("SPV_KHR_untyped_pointers", ATOMIC_FLOATS)
DECLARATIONS = """
enum Colour : int { Red, Green };
struct Base { float3 position; };
struct Plain : Base { half h; bool flag; float2x3 m; row_major float3x2 r; int2x2 n; uint low : 5; uint high : 9; };
struct Wide { double d; float3 v[2]; int64_t q; Colour c; };
struct Nested { Plain p[2]; uint16_t s; uint8_t t; };
ByteAddressBuffer a : register(t1);
RWByteAddressBuffer b : register(u0);
"""
TYPES = [
    "float", "int", "bool", "double", "int64_t", "half", "uint16_t", "uint8_t", "Colour", "Plain", "Wide", "Nested",
    "float2", "float3", "float4", "bool3", "double3", "half3", "uint8_t4", "int1", "float1x1",
    "float4x4", "float3x3", "float2x3", "int3x2", "bool2x2", "half4x2", "float1x3", "double2x2",
    "float[3]", "float3[2]", "half[3]", "float2x2[2]", "int3[2][2]", "Colour[2]", "Plain[2]",
]  # fmt: skip
SIZE = 512
"""The distance in bytes of the values in the tests."""


@pytest.fixture(autouse=True)
def _features(run: Runner) -> None:
    run.needs(*FEATURES)
    run.no_wgsl("untyped pointers")


def copies() -> str:
    """Return a shader that copies a value of each type to a place that is not a multiple of 16 bytes."""
    names = [text.partition("[") for text in TYPES]
    types = [f"typedef {name} T{i}{bracket}{rest};" for i, (name, bracket, rest) in enumerate(names)]
    copied = [
        f"{{ T{i} v = a.Load<T{i}>({SIZE * i} + from); b.Store({SIZE * i} + to, v); }}" for i in range(len(TYPES))
    ]
    end = f"uint from = a.Load({SIZE * len(TYPES)}), to = a.Load({SIZE * len(TYPES) + 4});"
    return "\n".join([DECLARATIONS, *types, "[numthreads(1, 1, 1)] void main() {", end, *copied, "}"])


@pytest.mark.parametrize("matrices", ["column_major", "row_major"])
@pytest.mark.parametrize("layout", ["vulkan", "dx", "gl", "scalar"])
def test_untyped_values_have_the_same_places(run: Runner, layout: str, matrices: str) -> None:
    source, size = copies(), SIZE * len(TYPES)
    data = random.Random(layout).randbytes(size) + words(8, 24)
    resources = {(0, 0): storage(size), (0, 1): storage(data)}
    options: dict[str, object] = {**OPTIONS, "layout": layout, "matrix_layout": matrices}
    by_words = run(source, resources, **options)[0, 0]
    untyped = run(source, resources, extensions=UNTYPED, **options)[0, 0]
    slots = range(0, size, SIZE)
    assert [TYPES[at // SIZE] for at in slots if by_words[at : at + SIZE] != untyped[at : at + SIZE]] == []
    assert all(any(untyped[at : at + SIZE]) for at in slots)


def test_an_untyped_value_is_one_access(run: Runner) -> None:
    """There are no other variables, and no words remain but those that are accessed as such."""
    body = "b.Store(16, a.Load<Plain>(a.Load(0))); b.Store4(0, a.Load4(8));"
    spirv = run.compile(f"{DECLARATIONS}[numthreads(1, 1, 1)] void main() {{ {body} }}", extensions=UNTYPED, **OPTIONS)
    instructions = [inst for function in decode(spirv).functions for inst in function.instructions()]
    assert sum(inst.op == op.OpUntypedAccessChainKHR for inst in instructions) == 4
    assert sum(inst.op in (op.OpAccessChain, op.OpInBoundsAccessChain) for inst in instructions) == 1
    assert sum(inst.op == op.OpVariable for inst in decode(spirv).globals) == 2


def test_untyped_atomics(run: Runner) -> None:
    run.needs("shaderBufferInt64Atomics", "shaderBufferFloat32AtomicAdd")
    source = """
RWByteAddressBuffer b : register(u0);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    uint u; uint64_t w; float f;
    b.InterlockedAdd(0, id.x, u);
    b.InterlockedMax64(8, uint64_t(id.x) << 40, w);
    b.InterlockedCompareExchange64(16, 5, 0x700000001, w);
    b.InterlockedAddFloat(24, 0.5, f);
    b.InterlockedExchangeFloat(28, 2.5, f);
}"""
    options: dict[str, object] = {"profile": "cs_6_6", "target_env": "vulkan1.2"}
    data = words(1, 0, 0, 0, 5, 0, 0, 0)
    by_words = run(source, {(0, 0): storage(data)}, extensions=(ATOMIC_FLOATS,), **options)[0, 0]
    untyped = run(source, {(0, 0): storage(data)}, extensions=UNTYPED, **options)[0, 0]
    assert untyped == by_words == words(2017, 0, 0, 63 << 8, 1, 7, 0x42000000, 0x40200000)


@pytest.mark.parametrize("index", ["1", "NonUniformResourceIndex(id.x)"])
def test_untyped_buffers_of_an_array(run: Runner, index: str) -> None:
    source = f"""
ByteAddressBuffer a[2] : register(t1);
RWByteAddressBuffer b : register(u0);
float4 read(ByteAddressBuffer from, uint at) {{ return from.Load<float4>(at); }}
[numthreads(2, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ b.Store(16 * id.x, read(a[{index}], 4)); }}"""
    extensions = (*UNTYPED, "SPV_EXT_descriptor_indexing")
    inputs = [words(*range(n, n + 5)) for n in (10, 20)]
    resources = {(0, 0): storage(32), (0, 1, 0): storage(inputs[0]), (0, 1, 1): storage(inputs[1])}
    out = run(source, resources, target_env="vulkan1.2", profile="cs_6_6", extensions=extensions)[0, 0]
    first = range(21, 25) if index == "1" else range(11, 15)
    assert out == words(*first, *range(21, 25))
