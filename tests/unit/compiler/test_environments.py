"""Differences between target environments, as docs/reference/environments.md lists them."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.options.environments import TARGET_ENVS
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.locate import Tool

SHADER = """
RWStructuredBuffer<float> buffer;
float4 main(float4 p : SV_Position) : SV_Target {
    if (p.x > 3) discard;
    return buffer[0] + (IsHelperLane() ? 1 : 2);
}
"""
LATER = ("vulkan1.3", "vulkan1.4")


def _module(env: str) -> Module:
    result = compile_shader(SHADER, profile="ps_6_0", options=CompileOptions(target_env=env))
    assert result.ok, result.diagnostics
    return decode(result.spirv)


@pytest.mark.parametrize("env", TARGET_ENVS)
def test_the_header_has_the_environments_version(env: str) -> None:
    assert _module(env).version_tuple == TARGET_ENVS[env].version


@pytest.mark.parametrize("env", TARGET_ENVS)
def test_discard_and_helper_lanes_change_in_vulkan_1_3(env: str) -> None:
    module = _module(env)
    opcodes = {inst.op for function in module.functions for inst in function.instructions()}
    is_later = env in LATER
    assert (op.OpDemoteToHelperInvocation in opcodes) == is_later
    assert (op.OpKill in opcodes) == (not is_later)
    builtins = {inst.id(2) for inst in module.annotations if inst.operands[1] == Decoration.BuiltIn}
    assert (BuiltIn.HelperInvocation in builtins) == is_later


@pytest.mark.parametrize("env", TARGET_ENVS)
def test_buffers_change_their_storage_class_in_spirv_1_4(env: str) -> None:
    classes = {inst.id(0) for inst in _module(env).globals if inst.op == op.OpVariable}
    assert (StorageClass.StorageBuffer in classes) == (TARGET_ENVS[env].version >= (1, 4))


def test_vulkan_1_4_has_the_words_of_1_3() -> None:
    earlier, later = (
        compile_shader(SHADER, profile="ps_6_0", options=CompileOptions(target_env=env)).spirv for env in LATER
    )
    assert earlier == later


@pytest.mark.parametrize(
    ("version", "name"),
    [("v2023.1", "vulkan1.3"), ("v2024.3", "vulkan1.3"), ("v2024.4", "vulkan1.4"), ("v2025.5", "vulkan1.4"),
     ("unknown", "vulkan1.4")],
)  # fmt: skip
def test_older_tools_get_the_name_that_they_know(version: str, name: str) -> None:
    assert Tool("spirv-val", "spirv-val", version).environment("vulkan1.4") == name
    assert Tool("spirv-val", "spirv-val", version).environment("vulkan1.1spirv1.4") == "vulkan1.1spv1.4"
