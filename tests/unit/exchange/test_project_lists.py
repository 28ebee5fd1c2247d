"""Lists of Visual Studio and CMake become configurations."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.config.load import load
from hlsl_tool.project.exchange.imports.cmake_scripts import Script, calls_of

PROJECT = """\
<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <ItemGroup>
    <ProjectConfiguration Include="Debug|x64" />
    <ProjectConfiguration Include="Release|x64" />
  </ItemGroup>
  <PropertyGroup><ShaderFolder>fx</ShaderFolder></PropertyGroup>
  <ItemDefinitionGroup Condition="'$(Configuration)|$(Platform)'=='Debug|x64'">
    <FxCompile><PreprocessorDefinitions>DEBUG=1</PreprocessorDefinitions></FxCompile>
  </ItemDefinitionGroup>
  <ItemDefinitionGroup>
    <FxCompile>
      <ShaderModel>6.2</ShaderModel>
      <PreprocessorDefinitions>SHARED;$(OtherFile)</PreprocessorDefinitions>
      <AdditionalIncludeDirectories>$(ProjectDir)include;%(AdditionalIncludeDirectories)</AdditionalIncludeDirectories>
    </FxCompile>
  </ItemDefinitionGroup>
  <ItemGroup>
    <FxCompile Include="$(ShaderFolder)\\sky.hlsl">
      <ShaderType>Vertex</ShaderType>
      <EntryPointName>VSMain</EntryPointName>
      <PreprocessorDefinitions>LAYERS=2;NAME=\\"x\\";%(PreprocessorDefinitions)</PreprocessorDefinitions>
    </FxCompile>
    <FxCompile Include="fx/old.hlsl"><ShaderType>Pixel</ShaderType><ShaderModel>4.0_level_9_3</ShaderModel></FxCompile>
    <FxCompile Include="fx/rays.hlsl"><ShaderType>Library</ShaderType><ShaderModel>6.0</ShaderModel></FxCompile>
    <FxCompile Include="fx/rows.hlsl">
      <ShaderType>Compute</ShaderType>
      <AdditionalOptions>/Zpr /Fd"$(OutDir)%(Filename).pdb" %(AdditionalOptions)</AdditionalOptions>
      <TreatWarningAsError>true</TreatWarningAsError>
    </FxCompile>
    <FxCompile Include="fx/kindless.hlsl" />
    <FxCompile Include="fx/gone.hlsl">
      <ShaderType>Pixel</ShaderType><ExcludedFromBuild>true</ExcludedFromBuild>
    </FxCompile>
    <FxCompile Include="fx/debug.hlsl">
      <ShaderType>Pixel</ShaderType>
      <ExcludedFromBuild Condition="'$(Configuration)'=='Release'">true</ExcludedFromBuild>
    </FxCompile>
  </ItemGroup>
</Project>
"""


def imported(folder: Path, kind: str, name: str, text: str) -> tuple[int, dict[tuple[str, str], CompileOptions]]:
    """Import a list; return the exit status, and (source, entry point) → options of the shaders."""
    (folder / name).write_text(text, encoding="utf-8")
    status = run(["import", kind, str(folder / name), "--root", str(folder), "-o", str(folder / "new.yaml")])
    if status:
        return status, {}
    sink = Sink()
    project = load(str(folder), ["new.yaml"], sink, generated=())
    assert not sink.error_count
    return 0, {(one.source, one.options.entry): one.options for one in project.permutations}


def test_items_of_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, shaders = imported(tmp_path, "visual-studio", "game.vcxproj", PROJECT)
    assert status == 0
    assert {name: options.profile for name, options in shaders.items()} == {
        ("fx/sky.hlsl", "VSMain"): "vs_6_2",
        ("fx/old.hlsl", "main"): "ps_6_0",
        ("fx/rays.hlsl", ""): "lib_6_3",
        ("fx/rows.hlsl", "main"): "cs_6_2",
    }
    sky = shaders["fx/sky.hlsl", "VSMain"]
    assert dict(sky.defines) == {"LAYERS": "2", "NAME": '"x"', "SHARED": "1"}
    assert [os.path.normpath(path) for path in sky.include_dirs] == ["include"]
    rows = shaders["fx/rows.hlsl", "main"]
    assert (rows.matrix_layout, rows.warnings_as_errors) == ("row_major", True)
    assert "`fx/kindless.hlsl` is left out: it has no ShaderType [HLSL1755]" in capsys.readouterr().err


BAD_ITEMS = {
    "<ShaderModel>9.9</ShaderModel>": "invalid profile",
    "<AdditionalOptions>-HV 1</AdditionalOptions>": "",
    "<AdditionalOptions>-no-such-option</AdditionalOptions>": "Unknown argument: '-no-such-option'",
    "<AdditionalOptions>@none.rsp</AdditionalOptions>": "",
    "<PreprocessorDefinitions>1X=2</PreprocessorDefinitions>": "`1X` is no name of a macro",
}


@pytest.mark.parametrize("setting", BAD_ITEMS)
def test_a_wrong_item_is_left_out(setting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"""<Project><ItemGroup>
        <FxCompile Include="bad.hlsl"><ShaderType>Pixel</ShaderType>{setting}</FxCompile>
        <FxCompile Include="good.hlsl"><ShaderType>Pixel</ShaderType></FxCompile>
        </ItemGroup></Project>"""
    status, shaders = imported(tmp_path, "visual-studio", "game.vcxproj", text)
    assert (status, list(shaders)) == (0, [("good.hlsl", "main")])
    error = capsys.readouterr().err
    assert "game.vcxproj:2:1: warning: `bad.hlsl` is left out: " in error
    assert BAD_ITEMS[setting] in error


def test_a_wrong_source_of_cmake_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """set_source_files_properties(bad.hlsl PROPERTIES VS_SHADER_TYPE Pixel VS_SHADER_FLAGS -no-such-option)
        set_source_files_properties(good.hlsl PROPERTIES VS_SHADER_TYPE Pixel)
        add_custom_command(OUTPUT x COMMAND dxc -spirv -T xs_6_0 worse.hlsl)"""
    status, shaders = imported(tmp_path, "cmake", "CMakeLists.txt", text)
    assert (status, list(shaders)) == (0, [("good.hlsl", "main")])
    error = capsys.readouterr().err
    assert "`bad.hlsl` is left out: Unknown argument: '-no-such-option'" in error
    assert "`worse.hlsl` is left out: " in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<Project>", "not XML"),
        ("", "not XML"),
        ('<!DOCTYPE p [<!ENTITY a "b">]><Project>&a;</Project>', "projects have no entities"),
        ("<a>" * 100 + "</a>" * 100, "nested too deeply"),
        ("<Project/>", "no command compiles a shader"),
    ],
)
def test_texts_that_are_no_project(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert imported(tmp_path, "visual-studio", "game.vcxproj", text)[0] == 2
    assert message in capsys.readouterr().err


CMAKE = """\
cmake_minimum_required(VERSION 3.20) # set(NOTHING here.hlsl)
#[[ set_source_files_properties(comment.hlsl PROPERTIES VS_SHADER_TYPE Pixel) ]]
set(PIXEL sky.hlsl "${CMAKE_CURRENT_SOURCE_DIR}/sun.hlsl")
set_source_files_properties(${PIXEL} PROPERTIES VS_SHADER_TYPE Pixel VS_SHADER_MODEL 6.1 VS_SHADER_ENTRYPOINT PSMain)
set_property(SOURCE sky.hlsl PROPERTY VS_SHADER_FLAGS "-Zpr -D SKY=1")
set_source_files_properties(main.cpp PROPERTIES COMPILE_FLAGS -O3)
list(APPEND BLURS blur_x blur_y)
foreach(BLUR IN LISTS BLURS ITEMS blur_z)
  get_filename_component(STEM ${BLUR}.hlsl NAME_WE)
  add_custom_command(
    OUTPUT ${STEM}.spv
    COMMAND ${DXC_EXECUTABLE} -spirv -T cs_6_0 -E CSMain -I include -D AXIS_${BLUR} ${BLUR}.hlsl -Fo ${STEM}.spv
    DEPENDS ${BLUR}.hlsl)
endforeach()
add_custom_command(OUTPUT x COMMAND ${DXC_EXECUTABLE} -T ps_6_0 ${ELSEWHERE}/x.hlsl)
add_custom_command(OUTPUT y COMMAND python -T y.py)
"""


def test_properties_and_commands_of_cmake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, shaders = imported(tmp_path, "cmake", "CMakeLists.txt", CMAKE)
    assert status == 0
    assert {name: options.profile for name, options in shaders.items()} == {
        ("sky.hlsl", "PSMain"): "ps_6_1",
        ("sun.hlsl", "PSMain"): "ps_6_1",
        ("blur_x.hlsl", "CSMain"): "cs_6_0",
        ("blur_y.hlsl", "CSMain"): "cs_6_0",
        ("blur_z.hlsl", "CSMain"): "cs_6_0",
    }
    sky = shaders["sky.hlsl", "PSMain"]
    assert (sky.matrix_layout, dict(sky.defines)) == ("row_major", {"SKY": "1"})
    blur = shaders["blur_x.hlsl", "CSMain"]
    assert (blur.include_dirs, dict(blur.defines)) == (("include",), {"AXIS_blur_x": "1"})
    assert "`${ELSEWHERE}/x.hlsl` is left out: its value is not known before CMake runs" in capsys.readouterr().err


def test_flags_with_an_open_quote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """\
set_source_files_properties(a.hlsl PROPERTIES VS_SHADER_TYPE Pixel VS_SHADER_FLAGS "/D \\"x")
set_source_files_properties(b.hlsl PROPERTIES VS_SHADER_TYPE Pixel)
"""
    status, shaders = imported(tmp_path, "cmake", "CMakeLists.txt", text)
    assert (status, list(shaders)) == (0, [("b.hlsl", "main")])
    assert "`a.hlsl` is left out: its VS_SHADER_FLAGS have no words: no closing quotation" in capsys.readouterr().err


def test_variables_of_other_scripts(tmp_path: Path) -> None:
    """`-D` gives a variable that the script itself does not set."""
    (tmp_path / "CMakeLists.txt").write_text("add_custom_command(OUTPUT x COMMAND dxc -T ps_6_0 ${ROOT}/x.hlsl)")
    output = tmp_path / "new.yaml"
    words = ["import", "cmake", str(tmp_path / "CMakeLists.txt"), "--root", str(tmp_path), "-o", str(output)]
    assert run(words) == 2
    assert run([*words, "-D", "ROOT=fx"]) == 0
    assert "source_dir: fx" in output.read_text()


def test_globs_are_sorted_and_stay_in_the_folder(tmp_path: Path) -> None:
    for name in ("b.hlsl", "a.hlsl", "sub/c.hlsl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    script = Script(tmp_path.as_posix())
    script.run(calls_of("file(GLOB A *.hlsl)\nfile(GLOB_RECURSE B RELATIVE ${R} *.hlsl)\nfile(GLOB C ../*)"))
    assert [Path(path).name for path in script.variables["A"].split(";")] == ["a.hlsl", "b.hlsl"]
    assert script.variables["C"] == ""


def test_loops_are_bounded(tmp_path: Path) -> None:
    text = "set(L a b c d e f g h i j)\n" + "".join(f"foreach(V{n} ${{L}})\n" for n in range(8)) + "set(x y)\n"
    script = Script(tmp_path.as_posix())
    script.run(calls_of(text + "endforeach()\n" * 8))
    assert script.steps <= 100_000


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("", []),
        (".", []),
        ("x/..", []),
        ("[", []),
        ("/", []),
        ("**", ["a.hlsl"]),
        ("a**.hlsl", ["a.hlsl"]),
        ("${CMAKE_SOURCE_DIR}/./*.hlsl", ["a.hlsl"]),
        ("x/../../*", []),
    ],
)
def test_every_pattern_is_accepted(pattern: str, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.hlsl").write_text("")
    (tmp_path / "x").mkdir()
    script = Script(tmp_path.as_posix(), {"CMAKE_SOURCE_DIR": tmp_path.as_posix()})
    script.run(calls_of(f'file(GLOB A "{pattern}")\nfile(GLOB_RECURSE B RELATIVE)'))
    assert [Path(name).name for name in script.variables["A"].split(";") if name] == files


def test_nested_loops_are_bounded(tmp_path: Path) -> None:
    script = Script(tmp_path.as_posix())
    script.run(calls_of("foreach(x 1 2)\n" * 3000 + "set(DONE 1)\n" + "endforeach()\n" * 3000 + "set(A 1)"))
    assert "DONE" not in script.variables


def test_loops_in_loops_and_functions(tmp_path: Path) -> None:
    script = Script(tmp_path.as_posix())
    text = """
    function(f)
      foreach(x 1 2)
        list(APPEND A f${x})
      endforeach()
    endfunction()
    foreach(x 1 2)
      foreach(y a b)
        list(APPEND A ${x}${y})
      endforeach()
      list(APPEND A ${x})
    endforeach()
    list(APPEND A end)
    """
    script.run(calls_of(text))
    assert script.variables["A"] == "1a;1b;1;2a;2b;2;end"


def test_values_are_bounded(tmp_path: Path) -> None:
    script = Script(tmp_path.as_posix())
    script.run(calls_of('set(A "' + "${A}" * 12 + '")\n' + 'set(B "${B}${A}${B}${B}x")\n' * 40))
    assert max(map(len, script.variables.values())) < 1 << 22


def test_properties_are_bounded(tmp_path: Path) -> None:
    doubled = "<A>$(A)$(A)</A>" * 40
    macros = (
        "<PreprocessorDefinitions>X;%(PreprocessorDefinitions);%(PreprocessorDefinitions)</PreprocessorDefinitions>"
    )
    text = (
        f"<Project><PropertyGroup><A>xxxxxxxx</A>{doubled}</PropertyGroup>"
        f"<ItemDefinitionGroup><FxCompile>{macros * 40}</FxCompile></ItemDefinitionGroup>"
        '<ItemGroup><FxCompile Include="a.hlsl"><ShaderType>Pixel</ShaderType></FxCompile></ItemGroup></Project>'
    )
    status, shaders = imported(tmp_path, "visual-studio", "a.vcxproj", text)
    assert (status, [entry for _, entry in shaders]) == (0, ["main"])


def test_numbers_in_compilation_databases(tmp_path: Path) -> None:
    text = f'[{{ "directory": "{tmp_path.as_posix()}", "command": "dxc -T ps_6_0 a.hlsl", "id": {"9" * 5000} }}]'
    status, shaders = imported(tmp_path, "compile-commands", "compile_commands.json", text)
    assert (status, list(shaders)) == (0, [("a.hlsl", "main")])


def test_folders_in_compilation_databases_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[{ "directory": "a\\u0000b", "command": "dxc -T ps_6_0 a.hlsl" }]'
    assert imported(tmp_path, "compile-commands", "compile_commands.json", text)[0] == 2
    assert "compile_commands.json:1:1: error: a `directory` with a NUL character" in capsys.readouterr().err


def test_declared_encodings_do_not_matter(tmp_path: Path) -> None:
    for encoding in ("utf-16", "ut8", "windows-1252"):
        text = PROJECT.replace('encoding="utf-8"', f'encoding="{encoding}"')
        (tmp_path / "new.yaml").unlink(missing_ok=True)
        status, shaders = imported(tmp_path, "visual-studio", "game.vcxproj", text)
        assert (status, ("fx/sky.hlsl", "VSMain") in shaders) == (0, True)
