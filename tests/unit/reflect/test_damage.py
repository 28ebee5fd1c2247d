"""Damaged modules: reflection, header and pipeline files succeed or raise a `ValueError` that describes the damage.

Words of types, constants, variables and decorations are replaced, because reflection follows these.
"""

from __future__ import annotations

import random
import struct

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.emit_json import to_json
from hlsl_tool.reflection.emit_text import reflection_text
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import DecodeError, decode

SHADER = """
struct Light { float3 color; row_major float3x4 world; uint2 ids[3]; double d; };
cbuffer Frame { float4x4 view; Light lights[2]; float tail[3]; };
[[vk::push_constant]] struct { Light light; float x; } push;
[[vk::constant_id(3)]] const int N = 3;
StructuredBuffer<Light> more; RWTexture2D<float4> image; Texture2D<float4> all[]; SamplerState s;
AppendStructuredBuffer<float4> list;
[numthreads(8, 8, 1)] void main(uint3 i : SV_DispatchThreadID) {
    image[i.xy] = view[0] + lights[1].world[2] + push.light.color.x + N + tail[1] + more[i.x].color.y
        + all[NonUniformResourceIndex(i.z)].SampleLevel(s, 0, 0);
    list.Append(1);
}"""
TOUCHED = frozenset(
    (
        op.OpTypeInt, op.OpTypeFloat, op.OpTypeVector, op.OpTypeMatrix, op.OpTypeImage, op.OpTypeArray,
        op.OpTypeRuntimeArray, op.OpTypeStruct, op.OpTypePointer, op.OpConstant, op.OpSpecConstant, op.OpVariable,
        op.OpDecorate, op.OpMemberDecorate, op.OpEntryPoint, op.OpExecutionMode, op.OpAccessChain,
    )
)  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_damaged_modules(part: int) -> None:
    options = CompileOptions(target_env="vulkan1.2", validate="no", optimize="none")
    result = compile_shader(SHADER, profile="cs_6_0", options=options)
    assert result.ok
    words = list(struct.unpack(f"<{len(result.spirv) // 4}I", result.spirv))
    places: list[int] = []
    at = 5
    while at < len(words):
        count = words[at] >> 16
        if words[at] & 0xFFFF in TOUCHED:
            places += range(at + 1, at + count)
        at += count
    outcomes = {"fine": 0, "refused": 0}
    for number in range(150):
        rng = random.Random(f"{part} {number}")
        changed = list(words)
        for _ in range(rng.randrange(1, 4)):
            place = rng.choice(places)
            old = changed[place]
            changed[place] = rng.choice((old + 1, old ^ 1, 0, rng.randrange(words[3]), 0xFFFFFFFF)) & 0xFFFFFFFF
        try:
            found = reflect(decode(struct.pack(f"<{len(changed)}I", *changed)))
            to_json(found)
            reflection_text(found)
            cpp_header(found)
            outcomes["fine"] += 1
        except (DecodeError, ReflectError) as error:
            assert str(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20
