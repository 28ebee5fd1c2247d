"""`run(argv, cwd)` around the compiler: files, outputs, exit status."""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.cli.dxc import called_as, run, run_safely, usage

GOOD = "float4 main() : SV_Target { return 1; }\n"


@pytest.fixture
def here(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "x.hlsl").write_text(GOOD)
    return tmp_path


def compile_to(here: pathlib.Path, line: str) -> tuple[int, str, str]:
    return run(["-T", "ps_6_0", "-fcgl", *line.split()], str(here))


def test_without_an_output_the_listing_is_printed(here: pathlib.Path) -> None:
    status, out, err = compile_to(here, "x.hlsl")
    assert (status, err) == (0, "")
    assert out.startswith("; SPIR-V\n")
    assert "OpEntryPoint Fragment %main" in out


def test_outputs(here: pathlib.Path) -> None:
    assert compile_to(here, "x.hlsl -Fo o/x.spv -Fc x.s -Fh x.h -Vn blob") == (0, "", "")
    data = (here / "o/x.spv").read_bytes()
    assert data[:4] == bytes.fromhex("03022307")
    assert (here / "x.s").read_text().startswith("; SPIR-V\n")
    assert f"static const uint32_t blob[{len(data) // 4}]" in (here / "x.h").read_text()


def test_the_header_is_named_after_the_entry_point(here: pathlib.Path) -> None:
    compile_to(here, "x.hlsl -E main -Fh x.h")
    assert "uint32_t g_main[" in (here / "x.h").read_text()


def test_dependencies(here: pathlib.Path) -> None:
    (here / "i.h").write_text("int i;\n")
    (here / "x.hlsl").write_text('#include "i.h"\n' + GOOD)
    assert compile_to(here, "x.hlsl -M")[1] == "x.o: x.hlsl \\\n  i.h\n"
    assert compile_to(here, "x.hlsl -MD")[:2] == (0, "")
    assert (here / "x.d").read_text() == "x.o: x.hlsl \\\n  i.h\n"


@pytest.mark.parametrize(
    ("options", "output", "dependencies"),
    [
        ("-Fo o/x.spv -MD", "o/x.spv", "o/x.d"),
        ("-Fo x.spv -MD -MF d/x.d", "x.spv", "d/x.d"),
        ("-Fo x.spv -MF x.dep", "x.spv", "x.dep"),
        ("-Fh x.h -MD", "x.h", "x.d"),
        ("-Fc x.s -MD", "x.s", "x.d"),
    ],
)
def test_dependencies_beside_an_output(here: pathlib.Path, options: str, output: str, dependencies: str) -> None:
    (here / "i.h").write_text("int i;\n")
    (here / "x.hlsl").write_text('#include "i.h"\n' + GOOD)
    assert compile_to(here, f"x.hlsl {options}") == (0, "", "")
    assert (here / output).stat().st_size > 100
    assert (here / dependencies).read_text() == f"{output}: x.hlsl \\\n  i.h\n"


def test_the_target_of_dependencies(here: pathlib.Path) -> None:
    assert compile_to(here, "x.hlsl -Fo a=1.spv -MD -MT a$(equals)1.spv") == (0, "", "")
    assert (here / "a=1.d").read_text() == "a$(equals)1.spv: x.hlsl\n"
    status, out, err = compile_to(here, "x.hlsl -Fo b=1.spv -MD")
    assert (status, out) == (0, "")
    assert err == "warning: make misreads the target 'b=1.spv' of the dependencies; -MT gives it another\n"
    assert (here / "b=1.d").read_text() == "b=1.spv: x.hlsl\n"


def test_a_failure_writes_no_dependencies(here: pathlib.Path) -> None:
    (here / "x.hlsl").write_text("int i = j;\n" + GOOD)
    assert compile_to(here, "x.hlsl -Fo x.spv -MD -MF x.dep")[0] == 1
    assert sorted(path.name for path in here.iterdir()) == ["x.hlsl"]


def test_the_dependencies_do_not_overwrite_the_source(here: pathlib.Path) -> None:
    status, _, err = compile_to(here, "x.hlsl -Fo x.spv -MF x.hlsl")
    assert (status, err) == (1, "error: cannot write 'x.hlsl': it is the source\n")
    assert (here / "x.hlsl").read_text() == GOOD


def test_preprocessing(here: pathlib.Path) -> None:
    (here / "x.hlsl").write_text("#define A 7\nint a = A;\n")
    assert run(["-P", "x.hlsl"], str(here)) == (0, "", "")
    assert "int a = 7;" in (here / "x.i").read_text()
    assert run(["-P", "x.hlsl", "-Fi", "y.txt"], str(here)) == (0, "", "")
    assert "int a = 7;" in (here / "y.txt").read_text()


def test_messages(here: pathlib.Path) -> None:
    (here / "x.hlsl").write_text('#include "none.h"\n')
    status, out, err = compile_to(here, "x.hlsl")
    assert (status, out) == (1, "")
    assert err.startswith("x.hlsl:1:10: fatal error: 'none.h' file not found")
    assert compile_to(here, "x.hlsl -Fe log.txt")[2] == ""
    assert "none.h" in (here / "log.txt").read_text()
    assert compile_to(here, "x.hlsl --diagnostics=msvc")[2].startswith("x.hlsl(1,10)")
    assert compile_to(here, "x.hlsl --diagnostics=github")[2].startswith("::error file=x.hlsl,line=1,col=10,title=HLSL")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("none.hlsl", "error: cannot read 'none.hlsl': no such file or directory\n"),
        (".", "error: cannot read '.': it is a folder\n"),
        ("x.hlsl -Fo x.hlsl/y", "error: cannot write 'x.hlsl/y': "),
        ("x.hlsl -Gec", "dxc failed : -Gec is not supported with -spirv\n"),
        ("x.hlsl -fspv-target-env=x", "error: unknown SPIR-V target environment 'x'"),
        ("@none", "dxc failed : cannot read the response file 'none'\n"),
        ("x.hlsl -ast-dump", "error: -ast-dump: "),
    ],
)
def test_mistakes(here: pathlib.Path, line: str, message: str) -> None:
    status, out, err = compile_to(here, line)
    assert (status, out) == (1, "")
    assert err.startswith(message)


def test_response_files(here: pathlib.Path) -> None:
    (here / "options").write_text("x.hlsl\n-Fo from.spv\n")
    assert compile_to(here, "@options") == (0, "", "")
    assert (here / "from.spv").exists()


def test_help_and_version(here: pathlib.Path) -> None:
    for spelling in ("-help", "--help", "/?", "-h"):
        assert run([spelling], str(here)) == (0, usage(is_whole=False), "")
    for spelling in ("--help-all", "--help-hidden"):
        assert run([spelling], str(here)) == (0, usage(is_whole=True), "")
    assert run(["--version"], str(here))[1].startswith("hlsl2spirv")
    assert all(len(line) < 200 for line in usage(is_whole=True).splitlines())


def test_the_help_has_the_twenty_options_that_are_used_first(here: pathlib.Path) -> None:
    _, text, _ = run(["--help"], str(here))
    first = [line for line in text.splitlines() if line.startswith("  -")]
    assert len(first) == 20
    assert all(any(line.startswith(f"  {name}") for line in first) for name in ("-T", "-E", "-D", "-I", "-Fo", "-O0"))
    assert "--help-all" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-T", "ps_7_0", "x.hlsl"), "invalid profile ps_7_0 (`ps_6_0` to `ps_6_10` are valid)"),
        (("-T", "ps_6_0", "none.hlsl"), "cannot read 'none.hlsl': no such file or directory"),
        (("-T", "ps_6_0", "x.hlsl", "-fspv-target-env=x"), "unknown SPIR-V target environment 'x'"),
        (("-T", "ps_6_0", "x.hlsl", "-Fo", "x.hlsl"), "cannot write 'x.hlsl': it is the source"),
        (("-T", "ps_6_0", "x.hlsl", "-Fo", "."), "cannot write '.': "),
    ],
)
def test_errors_begin_with_the_name_of_the_program(
    here: pathlib.Path, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "x.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    for program in ("hlsl2spirv", "hlsl_tool"):
        status, out, err = run_safely(words, str(here), program=program)
        assert (status, out, err.startswith(f"{program}: error: {message}")) == (1, "", True), err
    err = run(words, str(here))[2]
    assert err.startswith((f"dxc failed : {message}", f"error: {message}"))
    monkeypatch.setattr("sys.argv", ["/usr/bin/dxc", *words])
    assert called_as() == "dxc"
    monkeypatch.setattr("sys.argv", ["/usr/bin/hlsl2spirv", *words])
    assert called_as() == "hlsl2spirv"


@pytest.mark.parametrize("option", ["-Fo", "-Fc", "-Fh"])
def test_an_output_on_the_standard_output(
    here: pathlib.Path, option: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (here / "x.hlsl").write_text("float4 main() : SV_Target { return 1; }")
    words = ["-T", "ps_6_0", "x.hlsl", option]
    assert run([*words, "-"], str(here)) == (0, "", "")
    streamed = capfdbinary.readouterr().out
    assert run([*words, "file"], str(here)) == (0, "", "")
    assert streamed == (here / "file").read_bytes()
    assert not (here / "-").exists()


def test_an_old_profile_is_promoted(here: pathlib.Path) -> None:
    status, _, err = run(["-T", "ps_5_0", "-fcgl", "x.hlsl"], str(here))
    assert status == 0
    assert err == "warning: Promoting older shader model profile to 6.0 version.\n"


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("-enable-templates", "templates are part of HLSL 2021, -HV 2021"),
        ("-enable-operator-overloading", "operators of structs are part of HLSL 2021, -HV 2021"),
        ("/enable_unbounded_descriptor_tables", "arrays without a size are always allowed"),
        ("-Gdp", "effects and preshaders are gone"),
    ],
)
def test_retired_options_are_accepted_with_a_warning(tmp_path: pathlib.Path, option: str, why: str) -> None:
    (tmp_path / "x.hlsl").write_text("float4 main() : SV_Target { return 0; }")
    status, _, err = run(["-T", "ps_6_0", option, "x.hlsl"], str(tmp_path))
    assert (status, err) == (0, f"dxc warning : {option.replace('/', '-')} is ignored: {why}\n")
