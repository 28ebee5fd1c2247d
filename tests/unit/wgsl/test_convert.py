"""Conversion of modules that HLSL cannot produce: assembly, errors, robustness."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run as command_line
from hlsl_tool.wgsl import WgslError, convert

from . import random_flow
from .conversion import assemble, compile_hlsl, compute


def body(wgsl: str) -> list[str]:
    """Return the statements of the last function."""
    return [line.strip() for line in wgsl.split("fn main(")[-1].splitlines()[1:-1]]


def test_cases_that_fall_through_run_in_turn() -> None:
    text = compute(
        """
%p0 = OpAccessChain %ptr_word %out %i0 %u0
%p1 = OpAccessChain %ptr_word %out %i0 %u1
%s = OpLoad %uint %p0
OpSelectionMerge %merge None
OpSwitch %s %default 1 %one 2 %two
%one = OpLabel
OpStore %p1 %u1
OpBranch %two
%two = OpLabel
OpStore %p0 %u2
OpBranch %merge
%default = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn"""
    )
    assert body(convert(assemble(text))) == [
        "var stage: i32;",
        "switch out.data[0] {",
        "case 1u: {", "stage = 0i;", "}",
        "case 2u: {", "stage = 1i;", "}",
        "default: {", "stage = 2i;", "}",
        "}",
        "if stage == 0i {", "out.data[1] = 1u;", "stage = 1i;", "}",
        "if stage == 1i {", "out.data[0] = 2u;", "}",
    ]  # fmt: skip


def test_a_loop_is_left_from_inside_of_a_switch() -> None:
    """WGSL's break would leave only the switch, so a flag is used to leave the loop."""
    text = compute(
        """
%p0 = OpAccessChain %ptr_word %out %i0 %u0
OpBranch %head
%head = OpLabel
OpLoopMerge %end %again None
OpBranch %body
%body = OpLabel
%s = OpLoad %uint %p0
OpSelectionMerge %after None
OpSwitch %s %after 1 %one
%one = OpLabel
OpBranch %end
%after = OpLabel
OpStore %p0 %u3
OpBranch %again
%again = OpLabel
OpBranch %head
%end = OpLabel
OpReturn"""
    )
    assert body(convert(assemble(text))) == [
        "loop {",
        "var leave = false;",
        "switch out.data[0] {",
        "case 1u: {",
        "leave = true;",
        "break;",
        "}",
        "default: {",
        "}",
        "}",
        "if leave {",
        "break;",
        "}",
        "out.data[0] = 3u;",
        "}",
    ]


def test_values_that_meet_in_phis_are_exchanged_at_once() -> None:
    """Phis that exchange two values (a, b = b, a) become assignments of which the first saves one value."""
    text = compute(
        """
%p0 = OpAccessChain %ptr_word %out %i0 %u0
%n = OpLoad %uint %p0
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %u0 %entry %next %head2
%a = OpPhi %uint %u1 %entry %b %head2
%b = OpPhi %uint %u2 %entry %a %head2
%c = OpULessThan %bool %i %n
OpLoopMerge %end %head2 None
OpBranchConditional %c %head2 %end
%head2 = OpLabel
%next = OpIAdd %uint %i %u1
OpBranch %head
%end = OpLabel
OpStore %p0 %a
OpReturn"""
    )
    assert body(convert(assemble(text)))[-6:] == [
        "let v5 = v3;",
        "v2++;",
        "v3 = v4;",
        "v4 = v5;",
        "}",
        "out.data[0] = v3;",
    ]


@pytest.mark.parametrize(
    ("operation", "written"),
    [
        ("OpUDiv %uint %n %u0", "/= v"),
        ("OpShiftLeftLogical %uint %n %big", "<< v"),
        ("OpUDiv %uint %u1 %u0", "/ v"),
    ],
)
def test_constant_operands_that_wgsl_refuses_are_hidden(operation: str, written: str) -> None:
    text = compute(
        f"%p = OpAccessChain %ptr_word %out %i0 %u0\n%n = OpLoad %uint %p\n%r = {operation}\nOpStore %p %r\nOpReturn",
        "%big = OpConstant %uint 40\n",
    )
    assert any(written in line for line in body(convert(assemble(text))))


def test_nan_is_tested_by_its_bits() -> None:
    text = compute(
        """
%p = OpAccessChain %ptr_word %out %i0 %u0
%n = OpLoad %uint %p
%f = OpBitcast %float %n
%t = OpIsNan %bool %f
%r = OpSelect %uint %t %u1 %u2
OpStore %p %r
OpReturn"""
    )
    assert body(convert(assemble(text))) == [
        "out.data[0] = select(2u, 1u, (bitcast<u32>(bitcast<f32>(out.data[0])) & 0x7fffffffu) > 0x7f800000u);"
    ]


# -------------------------------------------------------------------------------------------------------------- errors


def test_an_error_names_the_instruction_and_the_line(tmp_path: Path) -> None:
    source = tmp_path / "wide.hlsl"
    source.write_text(
        "RWByteAddressBuffer b;\n[numthreads(1, 1, 1)]\nvoid main() {\n"
        "  b.Store<uint64_t>(0, b.Load<uint64_t>(8) * 3);\n}\n"
    )
    spirv = compile_hlsl(source, ["-T", "cs_6_0", "-E", "main", "-Zi"], tmp_path)
    with pytest.raises(WgslError) as caught:
        convert(spirv)
    assert "64-bit integer" in caught.value.reason
    assert caught.value.instruction
    assert re.search(r"wide\.hlsl:4(:\d+)?$", caught.value.place)


def test_atomics_on_textures_are_errors(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text("RWTexture2D<uint> t;\n[numthreads(1, 1, 1)] void main() {InterlockedAdd(t[uint2(0, 0)],1); }\n")
    with pytest.raises(WgslError, match="no atomics on textures"):
        convert(compile_hlsl(source, ["-T", "cs_6_0", "-E", "main"], tmp_path))


@pytest.mark.parametrize(
    ("declaration", "use", "reason"),
    [
        ("Texture2D<float4> t[];", "t[id.x].Load(int3(0, 0, 0))", "without a length is indexed at run time"),
        ("Texture2D<float4> t[300];", "t[id.x].Load(int3(0, 0, 0))", "more than 256 elements"),
        ("RWTexture2D<uint> t[2];", "InterlockedAdd(t[id.x][id.xy], 1)", "no atomics on textures"),
        ("Buffer<float3> t[2];", "t[id.x][0].xyzz", "no texel buffers of this format"),
    ],
)
def test_arrays_that_wgsl_cannot_take_apart_are_errors(declaration: str, use: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    result = "" if "Interlocked" in use else "o[0] = "
    source.write_text(
        f"{declaration}\nRWStructuredBuffer<float4> o;\n"
        f"[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{\n  {result}{use};\n}}\n"
    )
    with pytest.raises(WgslError, match=reason) as caught:
        convert(compile_hlsl(source, ["-T", "cs_6_0", "-E", "main", "-Zi"], tmp_path))
    assert "a.hlsl:4" in caught.value.place
    assert "%t" in caught.value.instruction or "OpImageTexelPointer" in caught.value.instruction


@pytest.mark.parametrize(
    ("declaration", "use"),
    [("RWStructuredBuffer<float4> o;", "o[id] = 1"), ("RWTexture2D<float4> o;", "o[uint2(id, 0)] = 1")],
)
def test_vertex_shaders_that_write_are_errors(declaration: str, use: str, tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(f"{declaration}\nfloat4 main(uint id : SV_VertexID) : SV_Position {{ {use}; return 1; }}\n")
    with pytest.raises(WgslError, match="vertex shaders cannot write"):
        convert(compile_hlsl(source, ["-T", "vs_6_0", "-E", "main"], tmp_path))


def test_vertex_shaders_read_what_others_write(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "RWStructuredBuffer<float4> o;\nfloat4 main(uint id : SV_VertexID) : SV_Position { return o[id]; }\n"
    )
    assert "var<storage, read> o:" in convert(compile_hlsl(source, ["-T", "vs_6_0", "-E", "main"], tmp_path))


def test_constant_indices_beyond_the_integers(tmp_path: Path) -> None:
    body = "%p = OpAccessChain %ptr_word %out %i0 %big\nOpStore %p %u1\nOpReturn"
    text = compute(body, "%big = OpConstant %uint 2147483648\n")
    assert "out.data[2147483648u] = 1u;" in convert(assemble(text))


def test_a_comparison_with_another_texture_in_each_pixel_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "Texture2D t[2];\nSamplerComparisonState s;\n"
        "float main(float3 p : P, nointerpolation uint i : I) : SV_Target {\n"
        "  return t[NonUniformResourceIndex(i)].SampleCmp(s, p.xy, p.z);\n}\n"
    )
    with pytest.raises(WgslError, match="no comparison by gradients"):
        convert(compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path))


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ("float3 b : SV_Target1", "both colours of dual-source blending to have one type"),
        ("float4 b : SV_Target1; [[vk::location(1)]] float4 c : SV_Target2", "no other colours beside the two"),
    ],
)
def test_outputs_that_dual_source_blending_excludes(second: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "struct Out { [[vk::location(0)]] float4 a : SV_Target0;\n"
        f"  [[vk::location(0), vk::index(1)]] {second}; }};\nOut main() {{ return (Out)1; }}\n"
    )
    with pytest.raises(WgslError, match=reason):
        convert(compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path))


def test_large_offsets_are_errors(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "Texture2D t; [[vk::binding(1)]] SamplerState s;\n"
        "float4 main(float2 p : P) : SV_Target { return t.Gather(s, p, int2(8, 0)); }\n"
    )
    with pytest.raises(WgslError, match="offsets from -8 to 7 only, not 8, 0"):
        convert(compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path))


def test_data_that_are_no_module_are_an_error() -> None:
    for data in (b"", b"abc", b"\x03\x02\x23\x07", bytes(40)):
        with pytest.raises(WgslError, match="no SPIR-V module"):
            convert(data)


def test_a_module_that_is_no_shader_is_an_error() -> None:
    kernel = """
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main "main"
%void = OpTypeVoid
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%entry = OpLabel
OpReturn
OpFunctionEnd"""
    for options in ({}, {"validate": False}):
        with pytest.raises(WgslError, match="kernel for OpenCL"):
            convert(assemble(kernel, "spv1.3"), options)


def test_an_invalid_module_is_an_error() -> None:
    with pytest.raises(WgslError, match="not valid"):
        convert(assemble(compute("%x = OpIAdd %uint %u0 %f1\nOpReturn")))


def test_unknown_options_are_errors() -> None:
    with pytest.raises(ValueError, match="no option `colour`"):
        convert(b"", {"colour": True})


def test_control_flow_that_is_nested_too_deep_is_an_error() -> None:
    lines = ["%p = OpAccessChain %ptr_word %out %i0 %u0"]
    for k in range(130):
        lines += [f"OpSelectionMerge %m{k} None", f"OpBranchConditional %true %t{k} %m{k}", f"%t{k} = OpLabel"]
    lines.append("OpStore %p %u1")
    for k in reversed(range(130)):
        lines += [f"OpBranch %m{k}", f"%m{k} = OpLabel"]
    with pytest.raises(WgslError, match="nested more than 120 deep"):
        convert(assemble(compute("\n".join([*lines, "OpReturn"]))))


def test_long_expressions_are_split() -> None:
    lines = ["%p = OpAccessChain %ptr_word %out %i0 %u0", "%v0 = OpLoad %uint %p"]
    lines += [f"%v{k + 1} = OpIAdd %uint %v{k} %u1" for k in range(2000)]
    wgsl = convert(assemble(compute("\n".join([*lines, "OpStore %p %v2000", "OpReturn"]))))
    assert max(map(len, wgsl.splitlines())) < 400
    assert wgsl.count("+ 1u") == 2000


# --------------------------------------------------------------------------------------------------- random and stable


@pytest.mark.parametrize("seed", range(40))
def test_random_control_flow_is_converted(seed: int) -> None:
    wgsl = convert(assemble(random_flow.module(seed)))
    assert wgsl.count("{") == wgsl.count("}")


def test_the_text_does_not_depend_on_hash_seeds(tmp_path: Path) -> None:
    path = tmp_path / "m.spv"
    path.write_bytes(assemble(random_flow.module(11)))
    texts = set()
    for seed in ("0", "1", "77"):
        done = subprocess.run(
            [sys.executable, "-m", "hlsl_tool", "wgsl", str(path)],
            env={"PYTHONHASHSEED": seed, "PATH": __import__("os").environ["PATH"], "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        )
        texts.add(done.stdout)
    assert len(texts) == 1


def test_acceleration_structures_are_an_error(tmp_path: Path) -> None:
    shader = tmp_path / "query.hlsl"
    shader.write_text(
        "RaytracingAccelerationStructure scene; RWBuffer<uint> hits;"
        "[numthreads(1, 1, 1)] void main() { RayQuery<RAY_FLAG_NONE> q; RayDesc ray = (RayDesc)0;"
        " q.TraceRayInline(scene, 0, 255, ray); q.Proceed(); hits[0] = q.CommittedStatus(); }"
    )
    options = ["-T", "cs_6_5", "-E", "main", "-fspv-target-env=vulkan1.2"]
    with pytest.raises(WgslError, match="no handles of this type"):
        convert(compile_hlsl(shader, options, tmp_path))


# -------------------------------------------------------------------------------------------------------- command line


def test_the_command_line_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module, output = tmp_path / "m.spv", tmp_path / "m.wgsl"
    module.write_bytes(assemble(compute("OpReturn")))
    assert command_line(["wgsl", str(module), "-o", str(output)]) == 0
    assert output.read_text() == convert(module.read_bytes())
    assert command_line(["wgsl", str(module)]) == 0
    assert capsys.readouterr().out == output.read_text()


def test_the_exit_status_distinguishes_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.spv"
    bad.write_bytes(b"nothing")
    assert command_line(["wgsl", str(bad)]) == 1
    assert "bad.spv: error: this is no SPIR-V module" in capsys.readouterr().err
    assert command_line(["wgsl", str(tmp_path / "missing.spv")]) == 2
    assert command_line(["wgsl", str(tmp_path)]) == 2
    good = tmp_path / "good.spv"
    good.write_bytes(assemble(compute("OpReturn")))
    assert command_line(["wgsl", str(good), "-o", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert command_line(["wgsl", str(tmp_path / "missing.spv")]) == 2
    assert "cannot read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("OpDecorate %Out Block\n", "OpDecorate %Out BufferBlock\n"),
        ("OpStore %p %n\n", "OpControlBarrier %u2 %u2 %order\nOpStore %p %n\n"),
    ],
)
def test_common_faults_are_repaired(old: str, new: str) -> None:
    text = compute(
        "%p = OpAccessChain %ptr_word %out %i0 %u0\n%n = OpLoad %uint %p\nOpStore %p %n\nOpReturn",
        "%order = OpConstant %uint 8\n",
    ).replace(old, new)
    assert "out.data[0] = " in convert(assemble(text))


def test_parameters_that_may_alias_stay_pointers() -> None:
    """Two pointer parameters for the same variable remain pointers in WGSL, and are not copied.

    A function writes through one and then reads through the other; its caller's caller passes the same variable twice.
    """
    functions = """
%inner = OpFunction %uint None %two_pointers
%a = OpFunctionParameter %local
%b = OpFunctionParameter %local
%l0 = OpLabel
OpStore %b %u2
%r0 = OpLoad %uint %a
OpReturnValue %r0
OpFunctionEnd
%outer = OpFunction %uint None %two_pointers
%c = OpFunctionParameter %local
%d = OpFunctionParameter %local
%l1 = OpLabel
%r1 = OpFunctionCall %uint %inner %c %d
OpReturnValue %r1
OpFunctionEnd
"""
    types = "%local = OpTypePointer Function %uint\n%two_pointers = OpTypeFunction %uint %local %local\n"
    text = compute(
        "%v = OpVariable %local Function\n%p = OpAccessChain %ptr_word %out %i0 %u0\nOpStore %v %u1\n"
        "%r = OpFunctionCall %uint %outer %v %v\nOpStore %p %r\nOpReturn",
        types,
    )
    place = text.index("%main = OpFunction")
    wgsl = convert(assemble(text[:place] + functions.lstrip() + text[place:]))
    assert wgsl.count("ptr<function, u32>") == 4


def test_insertions_of_all_components_construct_a_vector() -> None:
    body = """%p = OpAccessChain %ptr_word %out %i0 %u0
%x = OpLoad %uint %p
%y = OpIAdd %uint %x %u3
%one = OpCompositeInsert %v2uint %x %undef 0
%both = OpCompositeInsert %v2uint %y %one 1
%sum = OpIMul %v2uint %both %both
%z = OpCompositeExtract %uint %sum 1
OpStore %p %z
OpReturn"""
    text = convert(assemble(compute(body, "%undef = OpUndef %v2uint\n")))
    assert "vec2u(v1, v1 + 3u)" in text
