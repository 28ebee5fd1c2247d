"""The operand of every access with a non-uniform index is decorated NonUniform, also after legalisation."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration

DECLARATIONS = """
RWByteAddressBuffer o[] : register(u1); Texture2D<float4> t[4][4] : register(t0, space1); SamplerState s : register(s9);
float4 sampled(Texture2D<float4> x) { return x.SampleLevel(s, 0, 0); }
void stored(RWByteAddressBuffer b, uint x) { b.Store(0, x); }
"""


@pytest.mark.parametrize("optimize", ["none", "performance"])
@pytest.mark.parametrize(
    "statement",
    [
        "RWByteAddressBuffer b = o[NonUniformResourceIndex(i)]; b.Store(4, i);",
        "stored(o[NonUniformResourceIndex(i)], i);",
        "stored(i > 3 ? o[NonUniformResourceIndex(i)] : o[NonUniformResourceIndex(0)], i);",
        "o[0].Store(0, (uint)sampled(t[NonUniformResourceIndex(i)][1]).x);",
        "o[0].Store(0, (uint)sampled(t[NonUniformResourceIndex(i)][NonUniformResourceIndex(i + 1)]).x);",
        "Texture2D<float4> x = t[2][0]; if (i > 3) x = t[NonUniformResourceIndex(i)][1]; "
        "o[0].Store(0, (uint)sampled(x).x);",
    ],
)
def test_operands_of_accesses(statement: str, optimize: str) -> None:
    source = f"{DECLARATIONS}[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) {{ {statement} }}"
    options = CompileOptions(target_env="vulkan1.3", optimize=optimize)
    result = compile_shader(source, profile="cs_6_0", options=options)
    assert result.ok and result.module is not None, [d.message for d in result.diagnostics]
    marked = {
        inst.id(0)
        for inst in result.module.annotations
        if inst.op == op.OpDecorate and inst.id(1) == Decoration.NonUniform
    }
    accessed = [
        inst.id(0)
        for function in result.module.functions
        for inst in function.instructions()
        if inst.op in ((op.OpImageSampleExplicitLod,) if "sampled(" in statement else (op.OpStore,))
    ]
    assert accessed and set(accessed) <= marked
