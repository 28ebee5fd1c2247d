"""Modules of other front ends: SPIR-V that HLSL never produces, as assembly."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.host import pack, unpack
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.spirv.decode import decode

pytestmark = pytest.mark.skipif(not shutil.which("spirv-as"), reason="no spirv-as on PATH")


def assembled(text: str, folder: pathlib.Path, env: str = "vulkan1.1") -> Reflection:
    target = folder / "a.spv"
    command = ["spirv-as", "--target-env", env, "-", "-o", str(target)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return reflect(decode(target.read_bytes()))


BLOCKS = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %per_vertex %unnamed
OpSource GLSL 450
OpName %per_vertex "gl_out"
OpName %gl_PerVertex "gl_PerVertex"
OpMemberName %gl_PerVertex 0 "gl_Position"
OpMemberName %gl_PerVertex 1 "gl_ClipDistance"
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 0 Invariant
OpMemberDecorate %gl_PerVertex 1 BuiltIn ClipDistance
OpDecorate %gl_PerVertex Block
OpMemberDecorate %io 0 Location 2
OpMemberDecorate %io 1 Location 3
OpMemberDecorate %io 1 Component 1
OpMemberDecorate %io 1 Flat
OpDecorate %io Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%two = OpConstant %uint 2
%clips = OpTypeArray %float %two
%gl_PerVertex = OpTypeStruct %v4 %clips
%io = OpTypeStruct %v4 %uint
%p0 = OpTypePointer Output %gl_PerVertex
%p1 = OpTypePointer Output %io
%per_vertex = OpVariable %p0 Output
%unnamed = OpVariable %p1 Output
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
"""


def test_blocks_of_stage_variables(tmp_path: pathlib.Path) -> None:
    found = assembled(BLOCKS, tmp_path)
    outputs = {v.name: v for v in found.entry_points[0].outputs}
    position, clips = outputs["gl_out"].type.members
    assert (position.builtin, position.decorations, position.offset) == ("Position", ["invariant"], None)
    assert (clips.builtin, clips.type.name) == ("ClipDistance", "float[2]")
    a, b = outputs[""].type.members
    assert (a.location, b.location, b.component, b.interpolation) == (2, 3, 1, ["nointerpolation"])
    assert [(s.language, s.version) for s in found.sources] == [("GLSL", 450)]


SPECIALISED = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %items "items"
OpName %B "B"
OpMemberName %B 0 "count"
OpMemberName %B 1 "fixed"
OpMemberName %B 2 "items"
OpDecorate %n SpecId 3
OpDecorate %x SpecId 1
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %fixed ArrayStride 16
OpDecorate %open ArrayStride 32
OpMemberDecorate %Item 0 Offset 0
OpMemberDecorate %Item 0 ColMajor
OpMemberDecorate %Item 0 MatrixStride 8
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 16
OpMemberDecorate %B 2 Offset 96
OpDecorate %B Block
OpDecorate %items DescriptorSet 0
OpDecorate %items Binding 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v3u = OpTypeVector %uint 3
%m = OpTypeMatrix %v2 3
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%n = OpSpecConstant %uint 2
%x = OpSpecConstant %uint 64
%length = OpSpecConstantOp %uint IMul %n %two
%more = OpSpecConstantOp %uint IAdd %length %one
%size = OpSpecConstantComposite %v3u %x %one %n
%fixed = OpTypeArray %float %more
%Item = OpTypeStruct %m
%open = OpTypeRuntimeArray %Item
%B = OpTypeStruct %uint %fixed %open
%p = OpTypePointer StorageBuffer %B
%items = OpVariable %p StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
"""


def test_specialised_arrays_and_groups(tmp_path: pathlib.Path) -> None:
    found = assembled(SPECIALISED, tmp_path)
    (entry,) = found.entry_points
    assert (entry.workgroup_size, entry.workgroup_size_ids) == ([64, 1, 2], [1, None, 3])
    block = find_block(found, "items")
    assert block.type is not None
    fixed = block.type.members[1].type
    assert (fixed.count, fixed.count_constants, fixed.stride, fixed.size) == (5, [3], 16, 68)
    assert (block.size, block.stride, block.element.members[0].type.name) == (96, 32, "float3x2")


def test_fixed_members_before_an_open_array(tmp_path: pathlib.Path) -> None:
    found = assembled(SPECIALISED, tmp_path)
    block = find_block(found, "items")
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    values = {"count": 2, "fixed": [1, 2, 3, 4, 5], "items": [{"member0": rows}, {"member0": rows}]}
    data = pack(block, values)
    assert len(data) == 96 + 2 * 32
    got = unpack(block, data)
    assert isinstance(got, dict)
    assert got["fixed"].tolist() == values["fixed"]
    assert got["items"][1]["member0"].tolist() == rows
    header = cpp_header(found)
    assert "static constexpr std::size_t items_offset = 96;" in header
    assert "static constexpr std::size_t items_stride = 32;" in header
    assert "  // float[5]: the length depends on the specialisation constant 3\n" in header
    assert "float member0[3][2];  // float3x2: row_major, [row][column]" in header
    if shutil.which("g++"):
        command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-"]
        header = header.replace("#pragma once", "")
        done = subprocess.run(command, input=header, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


def test_blocks_without_an_instance_name(tmp_path: pathlib.Path) -> None:
    found = assembled(SPECIALISED.replace('OpName %items "items"\n', ""), tmp_path)
    assert [r.name for r in found.resources] == ["B"]
    assert find_block(found, "B").stride == 32


def test_counters_and_functions(tmp_path: pathlib.Path) -> None:
    """A function that gets a resource as an argument may read and write it."""
    text = SPECIALISED.replace(
        "%main = OpFunction",
        "%inner = OpTypeFunction %void %p\n%callee = OpFunction %void None %inner\n%arg = OpFunctionParameter %p\n"
        "%l2 = OpLabel\nOpReturn\nOpFunctionEnd\n%main = OpFunction",
    ).replace("%l = OpLabel\n", "%l = OpLabel\n%c = OpFunctionCall %void %callee %items\n")
    (entry,) = assembled(text, tmp_path).entry_points
    assert [(u.name, u.access) for u in entry.resources] == [("items", "unknown")]
