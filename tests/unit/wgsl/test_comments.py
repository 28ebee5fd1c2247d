"""Comments with HLSL names, which an option enables."""

from __future__ import annotations

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.wgsl import convert

SOURCE = """
cbuffer View : register(b3) { float4 var; };
RWStructuredBuffer<float4> texture : register(u4, space1);
groupshared float4 loop[4];
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    loop[i] = var * i;
    GroupMemoryBarrierWithGroupSync();
    texture[i] = loop[3 - i];
}
"""


def test_names_of_hlsl() -> None:
    result = compile_shader(SOURCE, profile="cs_6_0")
    assert result.ok
    plain, commented = convert(result.spirv), convert(result.spirv, {"comments": True})
    assert plain in commented
    comments = commented.removesuffix(plain).strip().splitlines()
    assert comments[0] == "// Names of HLSL"
    assert any(line.endswith(": View (set 0, binding 3)") for line in comments)
    assert any(line.endswith(": texture (set 1, binding 4)") for line in comments)
    assert any(line.endswith(": loop") for line in comments)
    assert all(line.startswith("// ") for line in comments)
