"""Matrices in byte-address buffers: structs have the layout of structured buffers, in both orders and all rules."""

from __future__ import annotations

import struct

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import find_block
from tests.execute.vulkan import Vulkan, storage

STRUCT = """
struct Inner { float a; column_major float3x2 m; };
struct S
{
    row_major float2x3 rows;
    float after;
    column_major float2x3 columns;
    float3x3 plain[2];
    int2x3 whole;
    float3 vectors[3];
    Inner inner[2];
    float last;
};
"""
READ = """
StructuredBuffer<S> structured : register(t0);
ByteAddressBuffer raw : register(t1);
RWStructuredBuffer<S> out_ : register(u2);
RWByteAddressBuffer written : register(u3);
[numthreads(1, 1, 1)] void main()
{
    out_[0] = structured[0];
    out_[1] = raw.Load<S>(0);
    written.Store(0, structured[0]);
}
"""
WHOLE = """
ByteAddressBuffer raw : register(t0);
RWByteAddressBuffer written : register(u1);
[numthreads(1, 1, 1)] void main()
{
    float4x4 m = raw.Load<float4x4>(8);
    float2x3 n[2] = raw.Load<float2x3[2]>(0);
    written.Store(0, m[2][3]);
    written.Store(4, n[1][0][1]);
    written.Store(8, raw.Load<float2x3>(4));
}
"""


def compiled(source: str, **options: object) -> object:
    chosen = CompileOptions(target_env="vulkan1.2", **options)  # type: ignore[arg-type]
    result = compile_shader(source, entry="main", profile="cs_6_6", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return result


@pytest.mark.parametrize("level", ["performance", "none"])
@pytest.mark.parametrize("order", ["column_major", "row_major"])
@pytest.mark.parametrize("rule", ["vulkan", "dx", "gl", "scalar"])
def test_as_in_structured_buffers(vulkan: Vulkan, rule: str, order: str, level: str) -> None:
    result = compiled(STRUCT + READ, layout=rule, matrix_layout=order, optimize=level)
    stride = find_block(result.reflect(), "structured").stride  # type: ignore[attr-defined]
    data = struct.pack(f"<{stride // 4}I", *range(1, stride // 4 + 1))
    resources = {(0, 0): storage(data), (0, 1): storage(data), (0, 2): storage(2 * stride), (0, 3): storage(stride)}
    out = vulkan.run_compute(result.spirv, resources)  # type: ignore[attr-defined]
    expected = out[0, 2][:stride]
    assert sum(map(bool, struct.unpack(f"<{stride // 4}I", expected))) == 6 + 1 + 6 + 18 + 6 + 9 + 2 * 7 + 1
    assert out[0, 2][stride:] == expected
    assert out[0, 3][: len(expected)] == expected


@pytest.mark.parametrize("level", ["performance", "none"])
@pytest.mark.parametrize("order", ["column_major", "row_major"])
def test_matrices_that_are_no_members(vulkan: Vulkan, order: str, level: str) -> None:
    """Matrices outside of structs have no gaps, and the default order."""
    result = compiled(WHOLE, matrix_layout=order, optimize=level)
    data = struct.pack("<24f", *range(24))
    out = vulkan.run_compute(result.spirv, {(0, 0): storage(data), (0, 1): storage(32)})  # type: ignore[attr-defined]
    by_rows = order == "row_major"
    assert struct.unpack("<8f", out[0, 1]) == (13 if by_rows else 16, 7 if by_rows else 8, *range(1, 7))
