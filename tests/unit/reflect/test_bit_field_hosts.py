"""The structs of C++, Rust, C# and numpy have the same bytes as shaders' structs with 16, 32 and 64-bit bit-fields."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.cpp import Shader, cpp_project_header
from hlsl_tool.reflection.host import dtype
from hlsl_tool.reflection.structs import csharp_structs, rust_structs
from tests.execute.bit_field_layouts import Layout, filled

SEEDS = range(12)
RULES = ("vulkan", "scalar", "gl", "dx")


@dataclass(frozen=True)
class Case:
    """A struct of a shader, and an example of its bytes."""

    name: str
    shader: Shader
    layout: Layout
    values: dict[str, int]

    @property
    def words(self) -> dict[str, tuple[int, int, int]]:
        """Return name of a host's member → (offset, size in bytes, unsigned value)."""
        data = self.layout.pack(self.values)
        names: dict[tuple[int, int], list[str]] = {}
        for f in self.layout.fields:
            names.setdefault((f.at, f.size), []).append(f.name)
        return {
            "_".join(group): (at, size, int.from_bytes(data[at : at + size], "little"))
            for (at, size), group in names.items()
        }


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    made = []
    for seed in SEEDS:
        layout, values = filled(seed, (2, 4, 8))
        name = f"Bits{seed}"
        first = layout.fields[0].name
        text = f"""{layout.declarations.replace("struct Bits {", f"struct {name} {{")}
StructuredBuffer<{name}> all : register(t0);
RWStructuredBuffer<uint> result : register(u1);
[numthreads(1, 1, 1)] void main() {{ result[0] = uint(all[1].{first}); }}"""
        options = CompileOptions(enable_16bit_types=True, target_env="vulkan1.2", layout=RULES[seed % len(RULES)])
        result = compile_shader(text, profile="cs_6_6", options=options)
        assert result.ok, result.diagnostics
        made.append(Case(name, Shader(f"s{seed}.main", f"s{seed}.main", result.reflect()), layout, values))
    return made


def _check(cases: list[Case], printed: str) -> None:
    """Compare printed lines of hexadecimal bytes with those of the cases."""
    lines = printed.split()
    assert len(lines) == len(cases)
    for case, line in zip(cases, lines, strict=True):
        got, expected = bytes.fromhex(line), case.layout.pack(case.values)
        assert got[: case.layout.end] == expected[: case.layout.end], case.layout.declarations
        assert len(got) == (find_block(case.shader.reflection, "all").stride or len(got))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ (Debian's g++)")
def test_cpp(cases: list[Case], tmp_path: Path) -> None:
    (tmp_path / "shaders.hpp").write_text(cpp_project_header([case.shader for case in cases], namespace="shaders"))
    body = [
        line
        for case in cases
        for line in (
            f"{{ shaders::{case.name} b{{}};",
            *(f"b.{name} = static_cast<decltype(b.{name})>({n}ull);" for name, (_, _, n) in case.words.items()),
            "show(&b, sizeof(b)); }",
        )
    ]
    (tmp_path / "a.cpp").write_text(
        '#include "shaders.hpp"\n#include <cstdio>\n'
        "static void show(const void* data, std::size_t size) {\n"
        "    for (std::size_t i = 0; i < size; i++)\n"
        '        std::printf("%02x", static_cast<const unsigned char*>(data)[i]);\n'
        '    std::printf("\\n");\n}\n'
        "int main() {\n" + "\n".join(body) + "\n}\n"
    )
    subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "a.cpp", "-o", "a"], cwd=tmp_path, check=True)
    _check(cases, subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc (rustup, or Debian's rustc)")
def test_rust(cases: list[Case], tmp_path: Path) -> None:
    (tmp_path / "shaders.rs").write_text(rust_structs([case.shader for case in cases]))
    body = [
        line
        for case in cases
        for line in (
            f"{{ let mut b = shaders::{case.name}::default();",
            *(f"b.{name} = {n}u64 as _;" for name, (_, _, n) in case.words.items()),
            "show(b.as_bytes()); }",
        )
    ]
    (tmp_path / "a.rs").write_text(
        "#[allow(dead_code)] mod shaders;\n"
        'fn show(data: &[u8]) { for b in data { print!("{:02x}", b); } println!(); }\n'
        "fn main() {\n" + "\n".join(body) + "\n}\n"
    )
    subprocess.run(["rustc", "--edition", "2021", "a.rs", "-o", "a"], cwd=tmp_path, check=True)
    _check(cases, subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout)


CSHARP_SIZES = {"uint": 4, "int": 4, "ushort": 2, "short": 2, "ulong": 8, "long": 8, "byte": 1}


def test_csharp(cases: list[Case]) -> None:
    """Offsets and types are compared in the text, because there is no C# compiler."""
    text = csharp_structs([case.shader for case in cases], namespace="Shaders")
    for case in cases:
        body = text[text.index(f"public unsafe struct {case.name}\n") :]
        body = body[: re.search(r"\n    \}", body).start()]  # type: ignore[union-attr]
        fields = re.findall(r"\[FieldOffset\((\d+)\)\] public (\w+) (\w+);", body)
        assert {name: (int(at), CSHARP_SIZES[kind]) for at, kind, name in fields} == {
            name: (at, size) for name, (at, size, _) in case.words.items()
        }


def test_numpy(cases: list[Case]) -> None:
    numpy = pytest.importorskip("numpy")
    for case in cases:
        structure = dtype(find_block(case.shader.reflection, "all"))
        value = numpy.zeros((), structure)
        places = {structure.fields[name][1]: name for name in structure.names}
        assert len(places) == len(case.words)
        for at, size, number in case.words.values():
            kind = structure.fields[places[at]][0]
            assert kind.itemsize == size
            value[places[at]] = numpy.frombuffer(number.to_bytes(size, "little"), kind)[0]
        assert value.tobytes()[: case.layout.end] == case.layout.pack(case.values)[: case.layout.end]
