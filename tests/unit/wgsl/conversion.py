"""Modules for the tests of the converter: from assembly, and from HLSL by our own compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hlsl_tool.cli import dxc


def assemble(text: str, env: str = "vulkan1.1") -> bytes:
    """Assemble a module with spirv-as."""
    tool = shutil.which("spirv-as")
    if tool is None:
        pytest.skip("spirv-as is not installed")
    done = subprocess.run(
        [tool, "--preserve-numeric-ids", "--target-env", env, "-", "-o", "-"],
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def compile_hlsl(path: Path, options: list[str], folder: Path) -> bytes:
    """Compile a shader with our compiler; return the module."""
    output = folder / "out.spv"
    status, _, errors = dxc.run([*options, "-spirv", "-Fo", str(output), path.name], str(path.parent))
    assert status == 0, errors
    return output.read_bytes()


PREAMBLE = """
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %main "main"
OpName %out "out"
OpMemberName %Out 0 "data"
OpDecorate %words ArrayStride 4
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v4float = OpTypeVector %float 4
%procedure = OpTypeFunction %void
%words = OpTypeRuntimeArray %uint
%Out = OpTypeStruct %words
%ptr_out = OpTypePointer StorageBuffer %Out
%ptr_word = OpTypePointer StorageBuffer %uint
%ptr_local = OpTypePointer Function %uint
%out = OpVariable %ptr_out StorageBuffer
%true = OpConstantTrue %bool
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%f1 = OpConstant %float 1
"""


def compute(body: str, globals_: str = "") -> str:
    """Return a compute shader with an output buffer of words ``out``."""
    return f"{PREAMBLE}{globals_}%main = OpFunction %void None %procedure\n%entry = OpLabel\n{body}\nOpFunctionEnd\n"
