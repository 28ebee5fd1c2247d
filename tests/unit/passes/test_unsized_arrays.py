"""Unsized arrays of resources as parameters become pointers to the global array."""

from __future__ import annotations

import shutil

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.before_optimizer.unsized_arrays import pass_unsized_arrays_by_reference
from hlsl_tool.compiler.compile import compile_shader
from tests.unit.passes.helpers import body

SOURCE = """
Texture2D many[]; Texture2D others[]; SamplerState s[];
float4 one(Texture2D t[], SamplerState q[], int k) { return t[k].Sample(q[k], 0); }
float4 two(Texture2D t[], int k) { return one(t, s, k); }
float4 main(int i : I) : SV_Target { Texture2D l[] = many; return two(many, i) + two(others, 1) + two(l, 2); }
"""


def test_parameters_become_pointers_to_the_global_array() -> None:
    result = compile_shader(SOURCE, profile="ps_6_0", options=CompileOptions(codegen_only=True))
    assert result.module is not None
    before = body(result.module)
    assert any("OpVariable %_ptr_Function__runtimearr_type_2d_image" in line for line in before)
    pass_unsized_arrays_by_reference(result.module)
    after = body(result.module)
    assert not any("_ptr_Function__runtimearr" in line for line in after)
    parameters = [line for line in after if "OpFunctionParameter" in line and "runtimearr" in line]
    assert {line.split()[-1] for line in parameters} == {
        "%_ptr_UniformConstant__runtimearr_type_2d_image",
        "%_ptr_UniformConstant__runtimearr_type_sampler",
    }
    types = [line for line in after if line.startswith("%_ptr_UniformConstant__runtimearr_type_2d_image =")]
    assert len(types) == 1, "pointer types must not be there twice"


@pytest.mark.skipif(not shutil.which("spirv-opt"), reason="no SPIRV-Tools")
@pytest.mark.parametrize(
    ("env", "debug"),
    [
        ("vulkan1.0", ()),
        ("vulkan1.0", ("line",)),
        ("vulkan1.2", ()),
        ("vulkan1.2", ("line",)),
        ("vulkan1.2", ("vulkan-with-source",)),  # needs the newer environment
    ],
)
def test_they_are_legalised(env: str, debug: tuple[str, ...]) -> None:
    result = compile_shader(SOURCE, profile="ps_6_0", options=CompileOptions(target_env=env, debug=debug))
    assert result.ok, [d.message for d in result.diagnostics]
