"""One file of host structs for a project, in C++, Rust and C#: shared types, offsets, names."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.cli.__main__ import run
from hlsl_tool.reflection.cpp import Shader, cpp_project_header
from hlsl_tool.reflection.structs import csharp_structs, rust_structs
from tests.unit.reflect.test_cpp import LAYOUTS, random_struct, reflected

COMMON = "struct Light { float3 color; bool on; };\n"
LIT = (
    COMMON
    + """
cbuffer Frame : register(b2, space1)
{
    row_major float4x3 view; float weights[3]; Light lights[2]; float2x2 turn; float3 spread[2]; float type;
};
StructuredBuffer<Light> all_lights : register(t0);
[[vk::push_constant]] struct { float4 tint; float scale; } draw;
float4 main(nointerpolation uint id : ID) : SV_Target
{
    Light light = all_lights[id];
    float4 c = light.on ? float4(light.color * draw.scale, weights[1]) : mul(view, lights[N % 2].color) + type;
    return c + turn[0].xyxy + spread[1].xyzz;
}
"""
)
SKY = (
    COMMON
    + """
cbuffer Frame : register(b0) { float2 size; float time; };
cbuffer Lights : register(b1) { Light sun; };
[[vk::constant_id(3)]] const int STEPS = 4;
[numthreads(8, 4, 1)] void main(uint2 id : SV_DispatchThreadID) { o[id] = size.x * time * STEPS + sun.color.x; }
""".replace("[numthreads", "RWTexture2D<float> o : register(u2);\n[numthreads")
)


def shader(name: str, text: str, profile: str, *defines: str, layout: str = "vulkan") -> Shader:
    given = tuple((word.partition("=")[0], word.partition("=")[2]) for word in defines)
    result = compile_shader(text, profile=profile, options=CompileOptions(layout=layout, defines=given))  # type: ignore[arg-type]  # a word
    assert result.ok, result.diagnostics
    full = ".".join([name, *defines])
    return Shader(full, name, result.reflect())


@pytest.fixture(scope="module")
def project() -> list[Shader]:
    lit = [shader("lit/pbr.main", LIT, "ps_6_0", f"N={n}") for n in range(11)]
    return [*lit, shader("sky.main", SKY, "cs_6_0"), shader("scalar.main", LIT, "ps_6_0", "N=1", layout="scalar")]


def offsets_of_cpp(text: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for struct, member, offset in re.findall(r"offsetof\((\w+), (\w+)\) == (\d+)", text):
        found.setdefault(struct, {})[member] = int(offset)
    return found


def test_permutations_share_a_type_and_others_have_names_of_their_own(project: list[Shader]) -> None:
    text = cpp_project_header(project, namespace="shaders")
    structs = re.findall(r"^struct (\w+) \{", text, re.M)
    assert sorted(name for name in structs if name.startswith("Frame")) == [
        "Frame_lit_pbr_main",
        "Frame_scalar_main",
        "Frame_sky_main",
    ]
    assert len(structs) == len(set(structs))
    assert "namespace lit_pbr_main {" in text
    assert "/// lit/pbr.main, 11 permutations" in text
    assert "N_1" not in text


def test_permutations_that_differ_in_bindings_have_namespaces_of_their_own() -> None:
    text = "Texture2D a : register(t0); Texture2D b : register(t1); float4 main() : SV_Target { return T.Load(0); }"
    both = [shader("tint.main", text, "ps_6_0", f"T={name}") for name in ("a", "b")]
    header = cpp_project_header(both, namespace="shaders")
    assert "namespace tint_main_T_a {" in header and "namespace tint_main_T_b {" in header
    assert "pub mod tint_main_T_a {" in rust_structs(both)
    assert "public static class tint_main_T_b\n" in csharp_structs(both, namespace="Shaders")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ (Debian's g++)")
def test_cpp_compiles(project: list[Shader], tmp_path: Path) -> None:
    (tmp_path / "shaders.hpp").write_text(cpp_project_header(project, namespace="shaders"))
    (tmp_path / "a.cpp").write_text(
        '#include "shaders.hpp"\n'
        "static_assert(shaders::lit_pbr_main::bindings::Frame.binding == 2);\n"
        "static_assert(shaders::sky_main::constants::STEPS == 3);\n"
        "static_assert(shaders::sky_main::entry_points::main_workgroup_size[1] == 4);\n"
        "int main() { shaders::Frame_sky_main frame{}; return int(frame.time); }\n"
    )
    subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "a.cpp"],
        cwd=tmp_path,
        check=True,
    )


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc (rustup, or Debian's rustc)")
def test_rust_compiles_with_the_offsets_of_cpp(project: list[Shader], tmp_path: Path) -> None:
    text = rust_structs(project)
    (tmp_path / "shaders.rs").write_text(text)
    (tmp_path / "a.rs").write_text(
        "mod shaders;\n"
        "fn main() {\n"
        "    let frame = shaders::Frame_sky_main { time: 2.0, ..Default::default() };\n"
        "    assert_eq!(frame.as_bytes(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64]);\n"
        "    let lit = shaders::Frame_lit_pbr_main { type_: 1.0, ..Default::default() };\n"
        "    assert_eq!(lit.weights[1][0], 0.0);\n"
        "    assert_eq!(shaders::lit_pbr_main::bindings::Frame.set, 1);\n"
        "    assert_eq!(shaders::sky_main::entry_points::main_workgroup_size, [8, 4, 1]);\n"
        "}\n"
    )
    subprocess.run(["rustc", "--edition", "2021", "-D", "warnings", "a.rs", "-o", "a"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "a"], check=True)
    rust: dict[str, dict[str, int]] = {}
    for struct, member, offset in re.findall(r"offset_of!\((\w+), (\w+)\) == (\d+)", text):
        rust.setdefault(struct, {})[member.removesuffix("_")] = int(offset)
    assert rust == offsets_of_cpp(cpp_project_header(project, namespace="shaders"))


SIZES = {"float": 4, "double": 8, "int": 4, "uint": 4, "ushort": 2, "short": 2, "byte": 1, "ulong": 8, "long": 8}
STRUCT = re.compile(
    r"\[StructLayout\(LayoutKind\.Explicit, Size = (\d+), Pack = \d+\)\]\n"
    r" +public unsafe struct (\w+)\n +\{\n(.*?)\n +\}\n",
    re.S,
)
FIELD = re.compile(r"\[FieldOffset\((\d+)\)\] public (?:fixed )?(\w+) (\w+)(?:\[(\d+)\])?;")


def check_csharp(project: list[Shader]) -> None:
    """Check offsets, sizes and gaps that regular expressions read from the C# text."""
    text = csharp_structs(project, namespace="Shaders")
    assert text.count("{") == text.count("}")
    assert "namespace Shaders\n{" in text
    sizes = dict(SIZES)
    cpp = offsets_of_cpp(cpp_project_header(project, namespace="shaders"))
    seen = []
    for size, name, body in STRUCT.findall(text):
        fields = [(int(at), kind, word, int(count or 1)) for at, kind, word, count in FIELD.findall(body)]
        assert len(fields) == body.count("FieldOffset")
        end = 0
        for at, kind, _, count in fields:
            assert at >= end
            end = at + sizes[kind] * count
        assert end <= int(size)
        assert f"SizeInBytes = {size};" in body
        sizes[name] = int(size)
        firsts = {re.sub(r"_0$", "", word): at for at, _, word, _ in fields if not re.search(r"_[1-9]\d*$", word)}
        assert firsts == cpp[name]
        seen.append(name)
    assert sorted(seen) == sorted(cpp)


def test_csharp_has_the_offsets_of_cpp_and_no_overlaps(project: list[Shader]) -> None:
    check_csharp(project)


@pytest.mark.skipif(shutil.which("mcs") is None, reason="no C# compiler (Debian's mono-mcs)")
def test_csharp_of_unity_compiles_with_the_offsets_of_cpp(project: list[Shader], tmp_path: Path) -> None:
    """Unity compiles C# 9 at most; mcs compiles C# 7, and the structs have the same offsets in memory."""
    (tmp_path / "shaders.cs").write_text(csharp_structs(project, namespace="Shaders"))
    checks = [
        f'        Check("{struct}.{member}", (int)Marshal.OffsetOf(typeof({struct}), "{field}"), {offset});'
        for struct, members in offsets_of_cpp(cpp_project_header(project, namespace="shaders")).items()
        for member, offset in members.items()
        for field in re.findall(rf" ({member}(?:_|_0)?)[;\[]", (tmp_path / "shaders.cs").read_text())[:1]
    ]
    assert len(checks) > 5
    (tmp_path / "a.cs").write_text(
        "using System;\nusing System.Runtime.InteropServices;\nusing Shaders;\n"
        "static class Program\n{\n"
        "    static int wrong = 0;\n"
        "    static void Check(string name, int found, int expected)\n"
        '    {\n        if (found != expected) { Console.WriteLine(name + " " + found); wrong++; }\n    }\n'
        "    static int Main()\n    {\n" + "\n".join(checks) + "\n"
        '        Check("size", Marshal.SizeOf(typeof(Frame_sky_main)), Frame_sky_main.SizeInBytes);\n'
        '        Check("set", (int)lit_pbr_main.Bindings.Frame.Set, 1);\n'
        "        return wrong;\n    }\n}\n"
    )
    words = ["mcs", "-langversion:7", "-unsafe", "-warnaserror", "-warn:4", "a.cs", "shaders.cs", "-out:a.exe"]
    subprocess.run(words, cwd=tmp_path, check=True)
    if shutil.which("mono") is not None:
        done = subprocess.run(["mono", "a.exe"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None or shutil.which("rustc") is None, reason="no g++ or no rustc")
def test_random_structs(tmp_path: Path) -> None:
    """All assertions hold for the structs of a random project, in all languages and under every layout."""
    shaders = []
    for layout in LAYOUTS:
        for number in range(12):
            rng = random.Random(f"{layout} {number}")
            inner, middle, outer = (" ".join(random_struct(rng, depth)) for depth in (0, 1, 2))
            source = (
                f"struct S1 {{ {inner} }}; struct S2 {{ {middle} }}; struct T {{ {outer} }};\n"
                "ConstantBuffer<T> a; RWStructuredBuffer<T> b; StructuredBuffer<S2> c; RWByteAddressBuffer o;\n"
                "[numthreads(1, 1, 1)] void main() { b[0] = a; o.Store(0, c.Load(1)); }"
            )
            shaders.append(Shader(f"{layout}{number}.main", f"{layout}{number}.main", reflected(source, layout=layout)))
    (tmp_path / "shaders.hpp").write_text(cpp_project_header(shaders, namespace="shaders"))
    (tmp_path / "a.cpp").write_text('#include "shaders.hpp"\n')
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    subprocess.run(["g++", *flags, "a.cpp"], cwd=tmp_path, check=True)
    (tmp_path / "shaders.rs").write_text(rust_structs(shaders))
    subprocess.run(
        ["rustc", "--edition", "2021", "--crate-type", "lib", "-D", "warnings", "shaders.rs"], cwd=tmp_path, check=True
    )
    check_csharp(shaders)
    if shutil.which("mcs") is not None:
        (tmp_path / "shaders.cs").write_text(csharp_structs(shaders, namespace="Shaders"))
        words = ["mcs", "-langversion:7", "-unsafe", "-warnaserror", "-target:library", "shaders.cs"]
        subprocess.run(words, cwd=tmp_path, check=True)


def test_names_of_the_languages_are_kept_apart() -> None:
    text = "cbuffer fn { float match; float lock; float4 impl[2]; };"
    text += "float4 main() : SV_Target { return match + lock + impl[1]; }"
    shaders = [shader("mod.main", text, "ps_6_0")]
    rust = rust_structs(shaders)
    assert "pub struct fn_ {" in rust and "pub match_: f32," in rust and "pub lock: f32," in rust
    sharp = csharp_structs(shaders, namespace="namespace")
    assert "float lock_;" in sharp and "float match;" in sharp and "namespace namespace_" in sharp


def test_names_of_shaders_and_structs_do_not_clash() -> None:
    """Namespaces, modules and classes have different names than structs, and than each other."""
    text = "cbuffer a_main { float x; }; float4 main() : SV_Target { return x; }"
    shaders = [shader(name, text, "ps_6_0") for name in ("a.main", "a-main", "u32")]
    header = cpp_project_header(shaders, namespace="shaders")
    assert [header.count(f"namespace {name} {{") for name in ("a_main_", "a_main_2", "u32")] == [1, 1, 1]
    rust = rust_structs(shaders)
    assert [rust.count(f"pub mod {name} {{") for name in ("a_main_", "a_main_2", "u32_")] == [1, 1, 1]
    assert csharp_structs(shaders, namespace="Shaders").count("public static class a_main") == 2


@pytest.mark.parametrize(
    ("form", "word"),
    [("rust", "pub struct Frame {"), ("csharp", "public unsafe struct Frame"), ("cpp", "struct Frame {")],
)
def test_the_command_line_prints_structs(
    form: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = compile_shader(SKY, profile="cs_6_0")
    (tmp_path / "sky.spv").write_bytes(result.spirv)
    assert run(["reflect", str(tmp_path / "sky.spv"), "--format", form]) == 0
    assert word in capsys.readouterr().out
