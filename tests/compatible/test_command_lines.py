"""The command lines of `hlsl_tool glslc` and `glslang`: output files, module formats (binary, text, C), errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlsl_tool.cli.compatible import actions, document, glslang, glslc
from hlsl_tool.cli.compatible.compiling import Program, run
from tests.compatible.interface import interface

ROOT = Path(__file__).parent.parent.parent
SOURCE = '#include "i.h"\nfloat4 main() : SV_Target { return VALUE; }\nfloat4 other() : SV_Target { return 2; }\n'
GLSLC = "-fshader-stage=frag "
GLSLANG = "-D -S frag "


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "x.hlsl").write_text(SOURCE)
    (tmp_path / "x.frag").write_text(SOURCE)
    (tmp_path / "i.h").write_text("#ifndef VALUE\n#define VALUE 1\n#endif\n")
    return tmp_path


def call(program: Program, here: Path, line: str, stdin: bytes = b"") -> tuple[int, str, str]:
    status, out, err = run(program, line.split(), str(here), stdin)
    return status, out.decode(), err


def written(here: Path) -> list[str]:
    return sorted(path.name for path in here.iterdir() if path.name not in ("x.hlsl", "x.frag", "i.h"))


@pytest.mark.parametrize(
    ("line", "files"),
    [
        (GLSLC + "x.hlsl", ["a.spv"]),
        (GLSLC + "-c x.hlsl", ["x.spv"]),
        ("-x hlsl -c x.frag", ["x.frag.spv"]),
        (GLSLC + "-S x.hlsl", ["x.spvasm"]),
        (GLSLC + "-ofile x.hlsl", ["file"]),
        (GLSLC + "-x hlsl -c x.hlsl x.frag", ["x.frag.spv", "x.spv"]),
        (GLSLC + "-MD x.hlsl", ["a.spv", "x.spv.d"]),
        (GLSLC + "-MD x.hlsl -o o.spv", ["o.spv", "o.spv.d"]),
        (GLSLC + "-MD -MF d x.hlsl -o o.spv", ["d", "o.spv"]),
        (GLSLC + "-M -MF d x.hlsl", ["d"]),
        (GLSLC + "-M -o d x.hlsl", ["d"]),
        (GLSLC + "-E x.hlsl -o o", ["o"]),
    ],
)
def test_outputs_of_glslc(here: Path, line: str, files: list[str]) -> None:
    """The names are those that glslc 2023.2 gives."""
    assert call(glslc.main, here, line) == (0, "", "")
    assert written(here) == files


@pytest.mark.parametrize(
    ("line", "files"),
    [
        (GLSLANG + "-V x.hlsl", ["frag.spv"]),
        ("-D -V x.frag", ["frag.spv"]),
        (GLSLANG + "-V x.hlsl -o o.spv --depfile o.d", ["o.d", "o.spv"]),
        (GLSLANG + "--target-env vulkan1.1 x.hlsl", ["frag.spv"]),
    ],
)
def test_outputs_of_glslang(here: Path, line: str, files: list[str]) -> None:
    assert call(glslang.main, here, line) == (0, "", "")
    assert written(here) == files


def test_dependencies(here: Path) -> None:
    assert call(glslc.main, here, GLSLC + "-M x.hlsl") == (0, "x.spv: x.hlsl \\\n  i.h\n", "")
    assert call(glslc.main, here, GLSLC + "-MM -MT t x.hlsl") == (0, "t: x.hlsl \\\n  i.h\n", "")
    assert call(glslang.main, here, GLSLANG + "-V x.hlsl --depfile d -o o.spv")[0] == 0
    assert (here / "d").read_text() == "o.spv: x.hlsl \\\n  i.h\n"


def test_forms_of_modules(here: Path) -> None:
    words = call(glslc.main, here, GLSLC + "-mfmt=num x.hlsl -o -")[1]
    assert words.startswith("0x07230203,0x00010000,")
    assert call(glslc.main, here, GLSLC + "-mfmt=c x.hlsl -o -")[1] == "{" + words.rstrip("\n") + "}\n"
    assert call(glslang.main, here, GLSLANG + "-V -x x.hlsl -o -")[1].startswith("\t0x07230203,0x00010000,")
    header = call(glslang.main, here, GLSLANG + "-V --vn blob x.hlsl -o -")[1]
    assert "static const uint32_t blob[] = {\n\t0x07230203," in header
    assert call(glslang.main, here, GLSLANG + "-H x.hlsl")[1].startswith("; SPIR-V\n")
    assert call(glslc.main, here, GLSLC + "-S x.hlsl -o -")[1].startswith("; SPIR-V\n")


def test_settings_hold_for_the_sources_that_follow(here: Path) -> None:
    line = "-x hlsl -c -fshader-stage=frag -fentry-point=other x.hlsl -fentry-point=main x.frag"
    assert call(glslc.main, here, line) == (0, "", "")
    assert "entry other Fragment OriginUpperLeft" in interface((here / "x.spv").read_bytes())
    assert "entry main Fragment OriginUpperLeft" in interface((here / "x.frag.spv").read_bytes())


def test_entry_points_and_macros_of_glslang(here: Path) -> None:
    line = GLSLANG + "-V x.hlsl -o a.spv -e main --source-entrypoint other"
    assert call(glslang.main, here, line) == (0, "", "")
    assert "entry main Fragment OriginUpperLeft" in interface((here / "a.spv").read_bytes())
    text = call(glslang.main, here, GLSLANG + "-E -DVALUE=7 x.hlsl")[1]
    assert "return 7;" in text
    assert "return 1;" in call(glslang.main, here, GLSLANG + "-E -DVALUE=7 -UVALUE x.hlsl")[1]


def test_long_options_have_any_case(here: Path) -> None:
    assert call(glslang.main, here, GLSLANG + "-V --AMB --Shift-ubo-Bindings 3 x.hlsl") == (0, "", "")


def test_dependencies_of_a_module_on_standard_output(here: Path) -> None:
    assert call(glslc.main, here, GLSLC + "-S -MD x.hlsl -o -")[0] == 0
    assert (here / "x.spv.d").read_text().startswith("x.spv: x.hlsl")


def test_a_closed_pipe_is_no_traceback(here: Path) -> None:
    command = [sys.executable, "-m", "hlsl_tool", "glslc", *f"{GLSLC} -S x.hlsl -o -".split()]
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=here, env=environment, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_standard_input(here: Path) -> None:
    source = b"float4 main() : SV_Target { return 3; }"
    status, out, _ = call(glslc.main, here, "-x hlsl -fshader-stage=frag -S - -o -", source)
    assert (status, "float_3" in out) == (0, True)
    status, out, _ = call(glslang.main, here, "--stdin -D -S frag -H -o x.spv", source)
    assert (status, "float_3" in out) == (0, True)


def test_messages(here: Path) -> None:
    (here / "x.hlsl").write_text("float4 main(float4 p : P) : SV_Target { int i = 1.5; return p * i; }\n")
    assert "warning: " in call(glslc.main, here, GLSLC + "x.hlsl")[2]
    assert call(glslc.main, here, GLSLC + "-w x.hlsl")[2] == ""
    status, _, err = call(glslc.main, here, GLSLC + "-Werror x.hlsl")
    assert (status, err.startswith("x.hlsl:1:")) == (1, True)
    (here / "x.hlsl").write_text("float4 main() : SV_Target { return oops; }\n")
    status, _, err = call(glslang.main, here, GLSLANG + "-V x.hlsl")
    assert (status, err.startswith("x.hlsl:1:36: error: ")) == (1, True)
    assert call(glslang.main, here, GLSLANG + "-V -s x.hlsl") == (1, "", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no input files"),
        ("x.hlsl", "'x.hlsl': the stage is missing (-fshader-stage=frag in front of the file)"),
        ("x.frag", "'x.frag' is GLSL; this compiler reads HLSL (-x hlsl in front of it)"),
        ("-fshader-stage=foo x.hlsl", "stage not recognized: 'foo' (one of vert, tesc, tese, geom, frag, comp)"),
        (
            "-fshader-stage=mesh x.hlsl",
            "stage 'mesh' has no HLSL in glslang; hlsl2spirv compiles it (-T ms_6_5, -T lib_6_3)",
        ),
        (
            GLSLC + "-fauto-bind-uniform x.hlsl",
            "unknown argument: '-fauto-bind-uniform' (did you mean '-fauto-bind-uniforms'?)",
        ),
        (GLSLC + "x.hlsl -o", "an argument to '-o' is missing\n"),
        (
            GLSLC + "-fubo-binding-base x x.hlsl",
            "stage not recognized: 'x' (one of vert, tesc, tese, geom, frag, comp)",
        ),
        (GLSLC + "-fubo-binding-base frag \u0663 x.hlsl", "invalid number '\u0663' for '-fubo-binding-base'"),
        (GLSLC + "-fubo-binding-base frag x x.hlsl", "invalid number 'x' for '-fubo-binding-base'"),
        (GLSLC + "-fubo-binding-base 99999999999 x.hlsl", "invalid number '99999999999' for '-fubo-binding-base'"),
        (GLSLC + "-fresource-set-binding z0 1 2 x.hlsl", "'z0' of '-fresource-set-binding' is no register such as t3"),
        (GLSLC + "--target-env=opengl x.hlsl", "'opengl' is not supported: this compiler makes SPIR-V for Vulkan only"),
        (GLSLC + "--target-env=vulkan9 x.hlsl", "invalid value 'vulkan9' of '--target-env=' (one of vulkan1.0,"),
        (GLSLC + "-c x.hlsl x.hlsl -o z", "cannot specify -o when generating multiple output files"),
        (GLSLC + "x.hlsl x.hlsl", "linking multiple files is not supported; use -c to compile them one by one"),
        (GLSLC + "-MF d x.hlsl", "-MF and -MT need -M or -MD"),
        (GLSLC + "-mfmt=binary x.hlsl", "invalid value 'binary' of '-mfmt=' (one of bin, num, c)"),
        (GLSLC + "-mfmt=z x.hlsl", "invalid value 'z' of '-mfmt=' (one of bin, num, c)"),
        (GLSLC + "-x cuda x.hlsl", "language not recognized: 'cuda'"),
        (GLSLC + "none.hlsl", "cannot read 'none.hlsl': no such file or directory"),
        (GLSLC + "x.hlsl -o x.hlsl", "cannot write 'x.hlsl': it is the source"),
    ],
)
def test_errors_of_glslc(here: Path, line: str, message: str) -> None:
    assert call(glslc.main, here, line)[:2] == (1, "")
    assert call(glslc.main, here, line)[2].startswith(f"error: {message}")
    assert (here / "x.hlsl").read_text() == SOURCE


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-V", "no input files"),
        (GLSLANG + "x.hlsl", "HLSL needs -V (SPIR-V), -H or -E"),
        ("-V x.frag", "'x.frag' is GLSL; this compiler reads HLSL (-D)"),
        ("-D -V x.hlsl", "'x.hlsl': the stage is missing (-S frag)"),
        (
            GLSLANG + "-V --target-env spirv1.2 x.hlsl",
            "SPIR-V 1.2 for Vulkan is not supported (only SPIR-V 1.0 for vulkan1.0",
        ),
        (GLSLANG + "-V x.hlsl x.hlsl", "two sources of one stage are not linked; include one in the other"),
        (GLSLANG + "-V --vn 3x x.hlsl", "'3x' is not the name of a C array"),
        (GLSLANG + "-V -I inc x.hlsl", "the value of '-I' follows without a space\n"),
        (GLSLANG + "-V x.hlsl --sub", "an argument to '--sub' is missing, or is no number\n"),
    ],
)
def test_errors_of_glslang(here: Path, line: str, message: str) -> None:
    assert call(glslang.main, here, line)[2].startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("program", "option"),
    [
        (program, option)
        for program, table in ((glslc.main, glslc.TABLE), (glslang.main, glslang.TABLE))
        for option in table
        if option.action is actions.refuse
    ],
    ids=lambda value: getattr(value, "names", [""])[0],
)
def test_refused_options_are_named_with_the_reason(here: Path, program: Program, option: glslc.Option) -> None:
    for name in option.names:
        word = name + ("1" if option.form == "joined" else "")
        status, out, err = call(program, here, f"{word} 1 x.hlsl")
        assert (status, out, err) == (1, "", f"error: '{option.names[0]}' is not supported: {option.doc}\n")


@pytest.mark.parametrize(("program", "words"), [(glslc.main, GLSLC), (glslang.main, GLSLANG + "-V ")])
def test_an_output_without_a_name(here: Path, program: Program, words: str) -> None:
    before = set(here.iterdir())
    status, out, err = run(program, [*words.split(), "x.hlsl", "-o", ""], str(here))
    assert (status, out, err) == (1, b"", "error: '-o' names no file\n")
    assert set(here.iterdir()) == before


@pytest.mark.parametrize("verb", ["glslc", "glslang"])
def test_the_verbs_run(here: Path, verb: str) -> None:
    line = {"glslc": GLSLC + "-S x.hlsl -o -", "glslang": GLSLANG + "-H -o x.spv x.hlsl"}[verb]
    command = [sys.executable, "-m", "hlsl_tool", verb]
    done = subprocess.run(
        [*command, *line.split()], cwd=here, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"; SPIR-V\n")
    shown = subprocess.run(
        [*command, "--version" if verb == "glslc" else "-v"], cwd=ROOT, capture_output=True, text=True
    )
    assert shown.stdout.startswith(f"hlsl_tool {verb} ")


def test_help_and_pages_list_every_option(here: Path) -> None:
    for program, (page, table) in zip((glslc.main, glslang.main), document.PAGES.items(), strict=True):
        text = call(program, here, "-h")[1]
        assert all(name in text for option in table for name in option.names)
        content = (ROOT / page).read_text("utf-8")
        assert document.with_table(content, table) == content, "run python -m hlsl_tool.cli.compatible.document"
