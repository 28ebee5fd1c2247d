"""Names in untrusted modules cannot end the comments and strings into which generated text puts them."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

from hlsl_tool.cli.dxc import run
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.cpp import cpp_header
from hlsl_tool.reflection.cpp.identifiers import in_comment, in_string
from hlsl_tool.reflection.emit_text import reflection_text
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.wgsl import convert

EVIL = '\n#error out\n*/ "); int evil = 1; //??/\\'
SOURCE = """
struct S { float4 a; float2 b; };
ConstantBuffer<S> buffer : register(b1);
Texture2D<float4> texture : register(t2);
[[vk::constant_id(3)]] const int number = 4;
float4 main() : SV_Target { return buffer.a * number + texture[uint2(0, 0)]; }
"""


def module() -> bytes:
    """A module whose names are all hostile."""
    found = decode(compile_shader(SOURCE, profile="ps_6_0").spirv)
    for number, inst in enumerate(found.names):
        if inst.op in (op.OpName, op.OpMemberName):
            inst.operands[-1] = f"n{number}{EVIL}"
    for inst in found.entry_points:
        inst.operands[2] = f"main{EVIL}"
    return encode(found)


def test_pieces() -> None:
    assert "\n" not in in_comment(EVIL) and not in_comment(EVIL).endswith("\\")
    assert in_string('a"\\\n?ü') == "a\\042\\134\\012\\077\\303\\274"


def test_text() -> None:
    text = reflection_text(reflect(decode(module())))
    assert "\\n#error out" in text
    assert not [line for line in text.split("\n") if line.startswith(("#error", "*/"))]


def test_cpp_header(tmp_path: pathlib.Path) -> None:
    text = cpp_header(reflect(decode(module())))
    assert not [line for line in text.split("\n") if line.startswith(("#error", "*/"))]
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    name = text.partition("const char* ")[2].partition(" ")[0]
    (tmp_path / "x.h").write_text(text)
    (tmp_path / "x.cpp").write_text(
        f"#include \"x.h\"\nint main() {{ return shader::entry_points::{name}[0] != 'm'; }}\n"
    )
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "x.cpp", "-o", "x"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "x"], check=False).returncode == 0


def test_wgsl() -> None:
    text = convert(module(), {"comments": True, "validate": False})
    assert not [line for line in text.split("\n") if line.startswith(("#error", "*/"))]


@pytest.mark.parametrize("begin", ["#ifndef GUARD\n#define GUARD\n#endif\n", "#error no\n", "/* open */ // it's\n"])
@pytest.mark.parametrize("debug", ["-Zi", "-fspv-debug=vulkan-with-source"])
def test_c_header_with_the_source_in_it(tmp_path: pathlib.Path, begin: str, debug: str) -> None:
    body = "float4 main() : SV_Target { return 1; }\n"
    begin = f"#if 0\n{begin}#endif\n" if "error" in begin else begin
    (tmp_path / "a.hlsl").write_text(begin + body)
    status, _, said = run(["-T", "ps_6_0", "a.hlsl", debug, "-Fh", "a.h"], str(tmp_path))
    assert (status, said) == (0, "")
    lines = (tmp_path / "a.h").read_text().split("\n")
    directives = [line for line in lines if line.startswith("#")]
    assert directives == ["#if 0", "#endif", "#pragma once", "#include <stdint.h>"]
    if shutil.which("gcc") is not None:
        (tmp_path / "x.c").write_text('#include "a.h"\nint main(void) { return (int)(g_main[0] == 0); }\n')
        command = ["gcc", "-Wall", "-Wextra", "-Werror", "-c", "x.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
