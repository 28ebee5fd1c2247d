"""Stripping removes all debug information of a module and nothing else."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.compiler.stripping import stripped
from hlsl_tool.spirv import op
from hlsl_tool.spirv.text import disassemble

SHADER = """
struct S { float4 v; float twice() { return v.x * 2; } };
cbuffer C { S s; };
[numthreads(4, 1, 1)] void main(uint3 t : SV_DispatchThreadID) { S l = s; printf("%f %s", l.twice(), "kept"); }
"""


@pytest.mark.parametrize("debug", ["line", "rich-with-source", "vulkan-with-source"])
@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_nothing_is_left_but_what_computes(debug: str, optimize: str) -> None:
    options = CompileOptions(debug=(debug,), optimize=optimize, target_env="vulkan1.2")
    result = compile_shader(SHADER, profile="cs_6_0", options=options)
    assert result.ok
    whole = result.spirv
    bare = stripped(result)
    assert result.spirv is whole, "the result itself does not change"
    assert bare.module is not None
    text = disassemble(bare.module)
    for word in ("OpLine", "DebugLine", "DebugInfo.100", "OpModuleProcessed", "numthreads", "relaxed_ext"):
        assert word not in text
    strings = [inst.text(0) for inst in bare.module.sources if inst.op == op.OpString]
    assert strings == ["%f %s", "kept"], "the strings of printf stay"
    assert 'OpExtInstImport "NonSemantic.DebugPrintf"' in text
    assert 'OpExtension "SPV_KHR_non_semantic_info"' in text
    assert len(bare.spirv) < len(whole)


def test_a_module_without_debug_information_stays() -> None:
    source = SHADER.replace('printf("%f %s", l.twice(), "kept");', "")
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions())
    assert stripped(result).spirv == result.spirv
