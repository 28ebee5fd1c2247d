"""Typed views of byte-address buffers: one variable for each type, one resource in the reflection."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration

ATOMIC = "b.InterlockedAdd64(8 * i, 1ull);"


def compiled(body: str, optimize: str = "performance", target_env: str = "vulkan1.2") -> CompileResult:
    source = "RWByteAddressBuffer b : register(u3);"
    source += f"[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {{ {body} }}"
    options = CompileOptions(target_env=target_env, optimize=optimize, enable_16bit_types=True)
    result = compile_shader(source, profile="cs_6_6", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    assert not result.diagnostics
    return result


def aliased(result: CompileResult) -> set[int]:
    assert result.module is not None
    return {i.id(0) for i in result.module.annotations if i.op == op.OpDecorate and i.id(1) == Decoration.Aliased}


def test_words_and_64_bits_are_two_variables() -> None:
    for optimize in ("none", "performance"):
        result = compiled(ATOMIC + "b.Store(4 * i, i);", optimize)
        assert result.module is not None
        variables = {i.result_id for i in result.module.globals if i.op == op.OpVariable}
        buffers = variables & aliased(result)
        assert len(buffers) == 2
        (entry,) = result.module.entry_points
        assert buffers <= set(entry.operands[3:])


def test_one_type_alone_is_one_variable_without_aliases() -> None:
    assert not aliased(compiled(ATOMIC))


def test_reflection_has_one_resource() -> None:
    reflection = compiled(ATOMIC + "b.Store(4 * i, i); b.Store<uint16_t>(2 * i, uint16_t(i));").reflect()
    assert [(r.name, r.binding) for r in reflection.resources] == [("b", 3)]
    assert [(use.name, use.access) for use in reflection.entry_points[0].resources] == [("b", "read_write")]


def test_16_bit_stores_declare_their_storage() -> None:
    result = compiled("b.Store<uint16_t>(2 * i, uint16_t(i));", target_env="vulkan1.0")
    assert {"StorageBuffer16BitAccess"} & set(result.reflect().capabilities)
    assert "SPV_KHR_16bit_storage" in result.reflect().extensions


@pytest.mark.parametrize("debug", ["rich", "vulkan", "vulkan-with-source", "line"])
def test_debug_information_of_a_replaced_variable(debug: str) -> None:
    source = "RWByteAddressBuffer b; [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {"
    source += " b.Store<float16_t>(2 * i, (float16_t)i); }"
    options = CompileOptions(enable_16bit_types=True, debug=(debug,))
    result = compile_shader(source, profile="cs_6_2", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
