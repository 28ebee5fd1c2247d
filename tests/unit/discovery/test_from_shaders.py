"""`hlsl_tool init` in a folder with shaders writes a configuration that builds."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.discovery.reading.folder import read_folder

CONFIGURATION = "config/shaders/shaders.yaml"
PIXEL = "float4 PSMain(float4 p : SV_Position) : SV_Target { return p; }\n"
VERTEX = "float4 VSMain(float3 p : POSITION) : SV_Position { return float4(p, 1); }\n"


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLSL_TOOL_SERVER", "no")


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def init(folder: Path, files: dict[str, str | bytes], *words: str) -> str:
    """Write files, start `init`, which succeeds, and return the configuration."""
    write(folder, files)
    assert run(["init", str(folder), "-j1", *words]) == 0
    return (folder / CONFIGURATION).read_text("utf-8")


def settings(text: str) -> dict[str, Any]:
    content = yaml.safe_load(text)
    assert isinstance(content, dict)
    return content


def outputs(folder: Path) -> list[str]:
    top = folder / "build/shaders"
    return sorted(path.relative_to(top).as_posix() for path in top.rglob("*.spv"))


def test_a_configuration_with_its_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = init(
        tmp_path,
        {
            "shaders/lit.hlsl": '#include "core/math.hlsli"\n' + VERTEX + PIXEL + "#if FOG > 1\n#endif\n",
            "shaders/blur.cs.hlsl": "[numthreads(8, 8, 1)] void main() {}\n",
            "include/core/math.hlsli": "#ifdef FAST\n#endif\nstatic const float PI = 3.14;\n",
        },
    )
    assert (
        text
        == """\
# 3 shaders of 2 sources, by `hlsl_tool init`, which does not write this file again. Correct what it guessed:
# - target_env: vulkan1.3 has all operations; choose an earlier one for older drivers.
# - include_dirs: `core/math.hlsli` in shaders/lit.hlsl is found in include.
# - defines: included files test macros that no file defines: FAST.
source_dir: shaders
output_dir: build/shaders
include_dirs: ["../include"]
target_env: vulkan1.3
outputs: [spv]
shaders:
  # compute by `[numthreads]`
  - { source: blur.cs.hlsl, profile: cs_6_0 }
  # vertex by its result SV_Position; pixel by its result SV_Target
  # lit.hlsl tests macros that no file defines: defines: { FOG: [0, 1] }
  - source: lit.hlsl
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: PSMain, profile: ps_6_0 }
"""
    )
    out = capsys.readouterr().out
    assert out.startswith("3 shaders in 2 sources; 1 file for others to include\n")
    assert "vertex       1       0\npixel        1       0\ncompute      1       0\nall          3       0\n" in out
    assert outputs(tmp_path) == ["blur.cs.main.spv", "lit.PSMain.spv", "lit.VSMain.spv"]
    assert run(["build", "--root", str(tmp_path)]) == 0
    assert "3 up to date" in capsys.readouterr().out


TREES: dict[str, tuple[dict[str, str | bytes], list[str]]] = {
    "one file per stage": (
        {"fx/a.vert": VERTEX.replace("VSMain", "main"), "fx/a.frag": PIXEL.replace("PSMain", "main")},
        ["a.ps.spv", "a.vs.spv"],
    ),
    "dotted stages": (
        {"a.vs.hlsl": VERTEX.replace("VSMain", "main"), "a.ps.hlsl": PIXEL.replace("PSMain", "main")},
        ["a.ps.main.spv", "a.vs.main.spv"],
    ),
    "equal names with different ends": (
        {"a.hlsl": PIXEL, "a.fx": PIXEL, "b.hlsl": VERTEX},
        ["a_fx.PSMain.ps.spv", "a_hlsl.PSMain.ps.spv", "b.VSMain.vs.spv"],
    ),
    "a folder for each stage": (
        {"vs/sky.hlsl": VERTEX, "ps/sky.hlsl": PIXEL},
        ["ps/sky.PSMain.spv", "vs/sky.VSMain.spv"],
    ),
    "a library of ray tracing": (
        {
            "rays.hlsl": '[shader("miss")] void Miss(inout float4 p : P) { p = 0; }\n'.replace(" : P", "")
            .replace("float4 p", "Load p")
            .replace("[shader", "struct Load { float4 c; };\n[shader")
            .replace("p = 0", "p.c = 0")
        },
        ["rays.lib.spv"],
    ),
    "a shader model by need": (
        {"wave.hlsl": "[WaveSize(32)] [numthreads(32, 1, 1)] void main() {}\n"},
        ["wave.main.spv"],
    ),
    "types of 16 bits": (
        {"half.hlsl": "uint16_t g;\n[numthreads(1, 1, 1)] void main() { uint16_t x = g; }\n"},
        ["half.main.spv"],
    ),
    "an older language": (
        {"old.hlsl": "float4 a, b;\nfloat4 PSMain(float4 p : P) : SV_Target { return p > 0 ? a : b; }\n"},
        ["old.PSMain.spv"],
    ),
    "a macro that a shader needs": (
        {"x.hlsl": "#ifndef QUALITY\n#error set QUALITY\n#endif\n" + PIXEL},
        ["x.PSMain.spv"],
    ),
    "a macro of a build script": (
        {
            "x.hlsl": "static const int N = SAMPLES;\nTYPE f;\n" + PIXEL,
            "build.py": "args = ['-DSAMPLES=16', '-D TYPE={float4,int4}']\n",
        },
        ["x.PSMain.spv"],
    ),
    "includes in another case": (
        {"x.hlsl": '#include "Common.HLSLI"\n' + PIXEL, "common.hlsli": ""},
        ["x.PSMain.spv"],
    ),
    "a byte order mark and Latin-1": (
        {"x.hlsl": b"\xef\xbb\xbf// gr\xfc\xdfe\n" + PIXEL.encode(), "y.hlsl": PIXEL.encode("utf-16")},
        ["x.PSMain.spv", "y.PSMain.spv"],
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_build(name: str, tmp_path: Path) -> None:
    files, expected = TREES[name]
    init(tmp_path, files)
    assert outputs(tmp_path) == expected


def test_mended_settings_have_their_reasons(tmp_path: Path) -> None:
    text = init(
        tmp_path,
        {
            "a.hlsl": "static const int N = SAMPLES;\n" + PIXEL,
            "b.hlsl": "float4 c, d;\nfloat4 PSMain(float4 p : P) : SV_Target { return p > 0 ? c : d; }\n",
            "list.cmake": "add_definitions(-DSAMPLES=16)\n",
        },
    )
    assert "# SAMPLES is not defined by a shader: 16 is from list.cmake:1\n" in text
    assert "# HLSL 2018: the text is not valid in HLSL 2021\n" in text
    first, second = settings(text)["shaders"]
    assert first["defines"] == {"SAMPLES": 16}
    assert second["hlsl_version"] == 2018


def test_registers_that_would_collide_are_shifted(tmp_path: Path) -> None:
    source = "Texture2D t : register(t0); SamplerState s : register(s0);\n"
    text = init(tmp_path, {"a.hlsl": source + PIXEL.replace("return p", "return t.Sample(s, p.xy)")})
    assert settings(text)["bindings"]["shifts"] == {
        "b": [300, "all"], "t": [200, "all"], "s": [100, "all"], "u": [400, "all"],
    }  # fmt: skip


def test_bindings_in_the_source_are_not_shifted(tmp_path: Path) -> None:
    source = "[[vk::binding(0)]] Texture2D t : register(t0); [[vk::binding(1)]] SamplerState s : register(s0);\n"
    assert "bindings" not in init(tmp_path, {"a.hlsl": source + PIXEL})


def test_include_folders_of_several_projects(tmp_path: Path) -> None:
    """Each of two projects finds its own header of the same name."""
    files: dict[str, str | bytes] = {}
    for name, value in (("one", "1"), ("two", "2")):
        files[f"{name}/fx/a.hlsl"] = f'#include "shared.hlsli"\n#if VALUE != {value}\n#error\n#endif\n' + PIXEL
        files[f"{name}/inc/shared.hlsli"] = f"#define VALUE {value}\n"
    text = init(tmp_path, files)
    assert [shader["include_dirs"] for shader in settings(text)["shaders"]] == [["one/inc"], ["two/inc"]]


def test_stages_that_do_not_fit_are_not_linked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pixel = "float4 PSMain(float4 p : SV_Position, float4 c : COLOR) : SV_Target { return c; }\n"
    text = init(tmp_path, {"a.hlsl": VERTEX + pixel})
    assert settings(text)["link"] is False
    assert "# - link: stages of one source do not fit together, so they are not checked.\n" in text
    assert run(["build", "--root", str(tmp_path)]) == 0


def test_values_of_proposed_permutations(tmp_path: Path) -> None:
    source = """\
#define FAST 1
#define EXACT 2
#if MODE == FAST
#elif EXACT == MODE
#endif
#if SAMPLES > 4 || SAMPLES == 16u
#endif
#if defined(SKIN) && LAYERS
#endif
#ifndef LODS
#endif
"""
    text = init(tmp_path, {"a.hlsl": source + PIXEL})
    proposed = "MODE: [FAST, EXACT], SAMPLES: [4, 16], SKIN: [~, 1], LAYERS: [0, 1], LODS: [~, 1]"
    comment = " ".join(line.strip("# ") for line in text.splitlines() if line.lstrip().startswith("# "))
    assert f"a.hlsl tests macros that no file defines: defines: {{ {proposed} }}" in comment


def test_includes_for_cpp_need_no_folder(tmp_path: Path) -> None:
    text = init(
        tmp_path,
        {
            "a.hlsl": '#include "both.h"\n' + PIXEL,
            "both.h": "#ifdef __cplusplus\n#include <host.h>\n#else\n#include <gpu.hlsli>\n#endif\n",
            "host/host.h": "",
            "gpu/gpu.hlsli": "",
        },
    )
    assert settings(text)["include_dirs"] == ["gpu"]


def test_guessed_values_are_one_note(tmp_path: Path) -> None:
    text = init(tmp_path, {"a.hlsl": "static const int N = WIDTH + Height_;\n" + PIXEL})
    assert "# WIDTH, Height_ are not defined by any file: their values 1 are guesses\n" in text


def test_lists_are_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = init(
        tmp_path,
        {
            "fx/a.hlsl": PIXEL,
            "fx/b.hlsl": PIXEL,
            "fx/list.cfg": "a.hlsl -T ps -E PSMain -D FOG={0,1}\ngone.hlsl -T ps\n",
        },
    )
    assert "  fx/list.cfg: 2 shaders, as by `hlsl_tool import shadermake`\n" in capsys.readouterr().out
    assert "# pixel by list.cfg\n" in text
    assert outputs(tmp_path) == ["a.PSMain.FOG=0.spv", "a.PSMain.FOG=1.spv", "b.PSMain.spv"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("out/compile_commands.json", '[{"directory": "..", "command": "dxc -T ps_6_1 -E PSMain -D FOG=2 fx/a.hlsl"}]'),
        ("tools/build.sh", "dxc -T ps_6_1 -E PSMain -D FOG=2 fx/a.hlsl -Fo a.spv\n"),
        ("build.bat", "@echo off\ndxc.exe -T ps_6_1 -E PSMain -D FOG=2 fx/a.hlsl -Fo a.dxil\n"),
        (
            "game.vcxproj",
            '<Project><ItemGroup><FxCompile Include="fx\\a.hlsl"><ShaderType>Pixel</ShaderType>'
            "<ShaderModel>6.1</ShaderModel><EntryPointName>PSMain</EntryPointName>"
            "<PreprocessorDefinitions>FOG=2</PreprocessorDefinitions></FxCompile></ItemGroup></Project>",
        ),
        (
            "CMakeLists.txt",
            "set_source_files_properties(fx/a.hlsl PROPERTIES VS_SHADER_TYPE Pixel VS_SHADER_MODEL 6.1"
            ' VS_SHADER_ENTRYPOINT PSMain VS_SHADER_FLAGS "-D FOG=2")\n',
        ),
    ],
)
def test_kinds_of_lists(file: str, text: str, tmp_path: Path) -> None:
    content = settings(init(tmp_path, {"fx/a.hlsl": PIXEL + VERTEX, file: text, "out/CMakeCache.txt": ""}))
    assert content["shaders"] == [{"source": "a.hlsl", "entry": "PSMain", "profile": "ps_6_1"}]
    assert content["defines"] == {"FOG": 2}


def test_a_list_that_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    lists: dict[str, str | bytes] = {
        "compile_commands.json": '{"dxc": [',
        "game.vcxproj": "<Project><FxCompile",
        "list.cfg": "a.hlsl -T {ps\n",
        "build.sh": "dxc -T $PROFILE a.hlsl\n",
        "CMakeLists.txt": b"\xff VS_SHADER_TYPE",
    }
    init(tmp_path, {"a.hlsl": PIXEL, **lists})
    assert outputs(tmp_path) == ["a.PSMain.spv"]


def test_lists_may_be_ignored(tmp_path: Path) -> None:
    init(tmp_path, {"a.hlsl": PIXEL, "list.cfg": "a.hlsl -T ps -E PSMain -D FOG={0,1}\n"}, "--no-lists")
    assert outputs(tmp_path) == ["a.PSMain.spv"]


def test_failures_have_a_next_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.hlsl": '#include "gone.hlsli"\n' + PIXEL, "b.hlsl": PIXEL})
    assert run(["init", str(tmp_path), "-j1"]) == 2
    out = capsys.readouterr().out
    assert "pixel      1       1\n" in out
    assert "  a.hlsl PSMain (ps_6_0)\n    a.hlsl:1: 'gone.hlsli' file not found [HLSL0101]\n    next: the folder" in out
    assert outputs(tmp_path) == ["b.PSMain.spv"]


def test_an_included_file_that_needs_its_includer_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = init(
        tmp_path,
        {
            "part.hlsl": PIXEL.replace("return p", "return tinted(p)"),
            "wholePS.hlsl": 'float4 tinted(float4 c) { return c; }\n#include "part.hlsl"\n',
        },
    )
    assert [shader["source"] for shader in settings(text)["shaders"]] == ["wholePS.hlsl"]
    assert "left out, as it compiles in other files only: part.hlsl\n" in capsys.readouterr().out


def test_a_configuration_has_a_shader(tmp_path: Path) -> None:
    write(tmp_path, {"part.hlsl": PIXEL.replace("return p", "return tinted(p)"), "whole.hlsli": '#include "part.hlsl"'})
    assert run(["init", str(tmp_path), "-j1"]) == 2
    assert [shader["source"] for shader in settings((tmp_path / CONFIGURATION).read_text())["shaders"]] == ["part.hlsl"]


def test_a_second_init_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = init(tmp_path, {"a.hlsl": PIXEL})
    assert run(["init", str(tmp_path)]) == 2
    assert f"`{CONFIGURATION}` is a configuration already, and is not changed" in capsys.readouterr().err
    other = tmp_path / "config/shaders/other.yaml"
    assert run(["init", str(tmp_path), "-o", str(other), "--no-build"]) == 0
    assert run(["init", str(tmp_path), "-o", str(other)]) == 2
    assert (tmp_path / CONFIGURATION).read_text() == text == other.read_text()


def test_folders_may_be_nested_deeply(tmp_path: Path) -> None:
    deep = "d/" * 200 + "a.hlsl"
    write(tmp_path, {deep: PIXEL})
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        folder = read_folder(str(tmp_path))
    finally:
        sys.setrecursionlimit(before)
    assert folder.shaders == [deep]


def test_numbers_with_many_digits(tmp_path: Path) -> None:
    nines = "9" * 5000
    condition = f"#if MODE == {nines} || MODE == 3\n#endif\n"
    text = f"#if 0\n{condition}Texture2D t : register(t{nines});\n#endif\n"
    assert "MODE: [0, 1, 3]" in init(tmp_path, {"a.hlsl": text + PIXEL})


def test_an_interrupted_init_can_be_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.hlsl": PIXEL.replace("return p", "return p * SCALE")})

    def interrupt(*arguments: object) -> bool:
        assert (tmp_path / CONFIGURATION).exists()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("hlsl_tool.project.discovery.mending.Mender.mend_all", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(["init", str(tmp_path), "-j1"])
    assert not (tmp_path / "config").exists()
    assert run(["init", str(tmp_path), "-j1"]) == 0


def test_the_configuration_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"a.hlsl": PIXEL})
    monkeypatch.chdir(tmp_path)
    assert run(["init", "-o", "-"]) == 2
    assert "-o cannot be the standard output" in capsys.readouterr().err
    assert os.listdir() == ["a.hlsl"]


def test_a_failure_without_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.hlsl": PIXEL, "build/shaders": ""})
    assert run(["init", str(tmp_path), "-j1"]) == 2
    assert "\n    nothing can be written to `build/shaders`: " in capsys.readouterr().out


def test_the_order_of_listings_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {f"{name}/{name}.hlsl": PIXEL + VERTEX for name in "cab"}
    write(tmp_path, files)
    scandir = os.scandir

    class Reversed:
        def __init__(self, path: Any) -> None:
            with scandir(path) as entries:
                self.entries = sorted(entries, key=lambda entry: entry.name, reverse=True)

        def __enter__(self) -> Iterator[Any]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None: ...

    first = init(tmp_path, files, "--no-build")
    (tmp_path / CONFIGURATION).unlink()
    monkeypatch.setattr("hlsl_tool.project.discovery.reading.folder.os.scandir", Reversed)
    assert init(tmp_path, files, "--no-build") == first


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.hlsl": b"\0\1\2" * 99}, "none of the 1 file can be read: `a.hlsl`: it is binary"),
        ({"a.vert": "#version 450\nvoid main() {}"}, "the folder has GLSL only (1 file such as `a.vert`)"),
        ({"a.hlsl": "float f(float x) { return x; }"}, "no entry point in 1 file such as `a.hlsl`"),
        ({"a.hlsl": ""}, "no entry point in 1 file such as `a.hlsl`"),
        ({"a.txt": ""}, "is not empty: it has `a.txt`, and no HLSL"),
    ],
)
def test_folders_without_shaders(
    files: dict[str, str | bytes], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, files)
    assert run(["init", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "config").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = ["#a", "-x", "1", "A", "a", "a,b", "a: b", 'd"q', "my shader", "on", "q'uote", "sp ace/x", "{e}", "ü"]
    bad = ["a[1]", "${x}", "star*", "back\\slash", "tab\tx"]
    init(tmp_path, {f"{name}.hlsl": PIXEL for name in good + bad})
    assert len(outputs(tmp_path)) == len(good)
    out = capsys.readouterr().out
    assert "${x}.hlsl (in a configuration, `$` in a name has a meaning)" in out
    assert "tab\\tx.hlsl (the name has characters that cannot be printed)" in out


@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission on Windows")
def test_links_and_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"fx/a.hlsl": PIXEL, "fx/b.hlsl": b"\0" * 99})
    (tmp_path / "fx/again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "fx/nowhere.hlsl").symlink_to("missing.hlsl")
    (tmp_path / "fx/circle.hlsl").symlink_to("circle.hlsl")
    (tmp_path / "fx/$circle").symlink_to("$circle")
    os.mkfifo(tmp_path / "fx/pipe.hlsl")
    assert run(["init", str(tmp_path), "-j1"]) == 0
    out = capsys.readouterr().out
    assert "fx/again (links to folders are not followed)" in out
    assert "fx/b.hlsl (it is binary)" in out
    assert "fx/nowhere.hlsl (" in out
    assert "fx/circle.hlsl (" in out
    assert "fx/pipe.hlsl (it is a pipe)" in out
    assert outputs(tmp_path) == ["a.PSMain.spv"]


def test_a_folder_with_too_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hlsl_tool.project.discovery.reading.folder.MAX_SHADERS", 2)
    write(tmp_path, {f"{number}.hlsl": PIXEL for number in range(3)})
    assert run(["init", str(tmp_path)]) == 2
    assert "more than 2 shaders: name a folder inside of it" in capsys.readouterr().err


def test_build_folders_are_searched_for_includes_only(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.hlsl": '#include "made.hlsli"\n' + PIXEL,
        "out/CMakeCache.txt": "",
        "out/copy.hlsl": PIXEL,
        "out/gen/made.hlsli": "",
        ".git/x.hlsl": PIXEL,
    }
    text = init(tmp_path, files)
    assert settings(text)["include_dirs"] == ["out/gen"]
    assert outputs(tmp_path) == ["a.PSMain.spv"]


def test_build_without_a_configuration_names_init(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.hlsl": PIXEL})
    assert run(["build", "--root", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "there is no configuration in `config/shaders`: `hlsl_tool init`" in err
    assert "`hlsl_tool import`" in err
