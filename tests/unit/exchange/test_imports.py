"""Configurations made from other tools' lists compile the same shaders under the same names."""

from __future__ import annotations

import json
import os
import posixpath
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.config.keys import BUILD_WARNINGS
from hlsl_tool.project.config.load import load
from hlsl_tool.project.exchange.imports.axes import UNDEFINED, blocks_of

ROOT = Path(__file__).resolve().parents[3]

SHADERMAKE = """\
// a comment
lit/pbr.vs.hlsl -T vs -D SKIN={0,1}
lit/sky.vs.hlsl -T vs -D SKIN={0,1}
lit/pbr.ps.hlsl -T ps -E {PSMain,PSDepth} -D MODE={A,B} -D HALF
post/blur.hlsl -T cs -m 6_0 -O1 -D MODE={A,B} -D SIZE={3,5}
post/blur.hlsl -T cs -m 6_0 -O1 -D MODE=C -D SIZE=3
#ifdef EXTRA
post/extra.hlsl -T cs -s _fast -o special
#else
post/other.hlsl -T cs
#endif
#if 0
gone.hlsl -T cs
#endif
"""


def imported(folder: Path, *arguments: str) -> tuple[int, str]:
    output = folder / "new.yaml"
    status = run(["import", *arguments, "--root", str(folder), "-o", str(output)])
    return status, output.read_text() if output.exists() else ""


def shaders_of(folder: Path, text: str) -> dict[tuple[object, ...], CompileOptions]:
    """Load a configuration; return (source, macros, output files) → options for each of its shaders.

    The sources need not exist.
    """
    (folder / "check.yaml").write_text(text)
    sink = Sink()
    project = load(str(folder), ["check.yaml"], sink, generated=())
    others = [str(diagnostic) for diagnostic in sink.diagnostics if diagnostic.code.name != "config-no-include-dir"]
    assert not others
    shaders = {}
    for permutation in project.permutations:
        macros = tuple(
            sorted((name, value or "1") for name, value in permutation.options.defines if value != UNDEFINED)
        )
        files = tuple(
            posixpath.normpath(f"{project.output_dir}/{permutation.file(kind)}") for kind in permutation.outputs
        )
        includes = tuple(os.path.normpath(name) for name in permutation.options.include_dirs)
        warnings = tuple(name for name in permutation.options.warnings if name not in BUILD_WARNINGS)
        options = replace(permutation.options, defines=(), include_dirs=includes, warnings=warnings)
        shaders[permutation.source, macros, files] = options
    assert len(shaders) == len(project.permutations)
    return shaders


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_list_of_shadermake(folder: Path) -> None:
    (folder / "shaders").mkdir()
    (folder / "shaders/list.cfg").write_text(SHADERMAKE)
    switches = ["--out", "out", "--outputExt", ".bin", "--tRegShift", "7", "-I", "../inc", "-D", "EXTRA", "--WX"]
    status, text = imported(folder, "shadermake", "shaders/list.cfg", *switches, "--vulkanVersion", "1.2")
    assert status == 0
    assert "source: [lit/pbr.vs.hlsl, lit/sky.vs.hlsl]" in text
    assert 'name: "{stem}"' in text
    shaders = shaders_of(folder, text)
    shifts = {f"shift_{letter}": ((shift, -1),) for letter, shift in (("s", 100), ("t", 7), ("b", 300), ("u", 400))}
    common = CompileOptions(
        profile="cs_6_0",
        warnings_as_errors=True,
        warnings=("no-error=binding-collision", "no-error=lint", "no-error=uninitialized"),
        include_dirs=("inc",),
        target_env="vulkan1.2",
        **shifts,
    )
    blur = {key: options for key, options in shaders.items() if key[0] == "shaders/post/blur.hlsl"}
    assert blur == {
        (
            "shaders/post/blur.hlsl",
            (("EXTRA", "1"), ("MODE", mode), ("SIZE", size)),
            (f"out/post/blur.MODE={mode}.SIZE={size}.bin",),
        ): common
        for mode, size in (("A", "3"), ("A", "5"), ("B", "3"), ("B", "5"), ("C", "3"))
    }
    lit = replace(common, profile="ps_6_5", entry="PSDepth", enable_16bit_types=True)
    macros = (("EXTRA", "1"), ("HALF", "1"), ("MODE", "B"))
    assert shaders["shaders/lit/pbr.ps.hlsl", macros, ("out/lit/pbr.ps_PSDepth.MODE=B.bin",)] == lit
    assert ("shaders/post/extra.hlsl", (("EXTRA", "1"),), ("out/special/extra_fast.bin",)) in shaders
    assert len(shaders) == 5 + 4 + 4 + 1


def test_blobs_of_shadermake(folder: Path) -> None:
    """A loader finds a permutation by all macros of its line, including those that do not vary."""
    (folder / "list.cfg").write_text("a.cs.hlsl -T cs -D N=4 -D X={0,1}\na.cs.hlsl -T cs -D N=8 -D X=1\nb.hlsl -T cs\n")
    status, text = imported(folder, "shadermake", "list.cfg", "--headerBlob", "-D", "ALL", "--flatten")
    assert status == 0
    assert "outputs: [blob_header]" in text
    assert "defines: { ALL: 1 }" in text
    assert "{ N: [8], X: [1] }" in text
    assert 'array: "g_{stem}_spirv"' in text
    (folder / "check.yaml").write_text(text)
    project = load(str(folder), ["check.yaml"], Sink(), generated=())
    found = {
        (permutation.file("blob_header"), permutation.array, permutation.chosen) for permutation in project.permutations
    }
    file, array = "a.cs.spirv.h", "g_a.cs_spirv"  # the build replaces the dot
    assert found == {
        (file, array, (("N", "4"), ("X", "0"))),
        (file, array, (("N", "4"), ("X", "1"))),
        (file, array, (("N", "8"), ("X", "1"))),
        ("b.spirv.h", "g_b_spirv", ()),
    }


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("a.hlsl", "1:1", "the line has no profile: `-T ps`"),
        ("  a.hlsl -T ps -D A={0,1", "1:21", "`{` has no `}`"),
        ("a.hlsl -T ps -q", "1:1", "`-q` is no option of a line"),
        ("{}", "1:1", "the line has no source"),
        ("{a.hlsl -T ps,}", "1:1", "the line has no source"),
        ('"" -T ps', "1:1", "the line has no source"),
        ("a/ -T ps", "1:1", "the source `a/` is a folder"),
        ("a.hlsl -T", "1:1", "`-T` has no value"),
        ("a.hlsl -T ps -m six", "1:1", "`six` is no shader model such as 6_5"),
        ("a.hlsl -T ps -O fast", "1:1", "`fast` is no level of optimization from 0 to 3"),
        ("a.hlsl -T ps -D 'A", "1:1", "no closing quotation"),
        ("a.hlsl -T xx", "1:1", "unable to parse shader model"),
        ("#endif", "1:1", "`#endif` is unexpected here"),
        ("\n#if X > 1", "2:1", "`#if` is unexpected here"),
        ("a.hlsl -T ps\n#if 1\nb.hlsl -T ps\n#if 0\n#endif", "2:1", "the block has no `#endif`"),
        ("a.hlsl -T ps " + "-D A={0,1} " * 20, "1:", "more than 100000 permutations"),
    ],
)
def test_wrong_lines_of_shadermake(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, place: str, message: str
) -> None:
    (folder / "list.cfg").write_text(line + "\n")
    assert imported(folder, "shadermake", "list.cfg") == (2, "")
    error = capsys.readouterr().err
    assert error.startswith(f"list.cfg:{place}")
    assert message.lower() in error.lower()
    assert "[HLSL175" in error


def test_each_else_turns_a_block_as_in_shadermake(folder: Path) -> None:
    text = "#if 1\na.hlsl -T ps\n#else\nb.hlsl -T ps\n#else\nc.hlsl -T ps\n#endif\n"
    (folder / "list.cfg").write_text(text)
    status, output = imported(folder, "shadermake", "list.cfg")
    assert status == 0
    assert [f"{name}.hlsl" in output for name in "abc"] == [True, False, True]


def test_commands_of_dxc(folder: Path) -> None:
    (folder / "build.log").write_text(
        r"""
[1/9] Compiling
cd x && "C:\Program Files\dxc.exe" -spirv -T ps_6_0 -E PSMain -D HALF=1 -I inc src\lit\pbr.hlsl -Fo bin\pbr_half.spv
dxc -spirv -T ps_6_0 -E PSMain -D HALF=0 -I inc src/lit/pbr.hlsl -Fo bin/pbr.spv 2>&1
dxc -spirv -T vs_6_0 -E VSMain src/lit/pbr.hlsl -Fh bin/vs.h -Vn g_pbr_vs \
    -I inc
dxc -spirv -T cs_6_0 src/post/blur.hlsl -D FAST -Fo bin/blur-fast.spirv
dxc -spirv -T cs_6_0 src/post/blur.hlsl -Fo bin/blur.spirv -Qstrip_reflect -Fd x.pdb
cl /c main.cpp -Tfoo
"""
    )
    status, text = imported(folder, "dxc-commands", "build.log")
    assert status == 0
    shaders = shaders_of(folder, text)
    assert set(shaders) == {
        ("src/lit/pbr.hlsl", (("HALF", "1"),), ("bin/pbr_half.spv",)),
        ("src/lit/pbr.hlsl", (("HALF", "0"),), ("bin/pbr.spv",)),
        ("src/lit/pbr.hlsl", (), ("bin/vs.h",)),
        ("src/post/blur.hlsl", (("FAST", "1"),), ("bin/blur-fast.spirv",)),
        ("src/post/blur.hlsl", (), ("bin/blur.spirv",)),
    }
    assert {options.include_dirs for options in shaders.values()} == {("inc",), ()}
    assert 'array: "g_{stem}_vs"' in text
    assert 'name: "./{stem}{HALF=1?_half}"' in text
    assert "FAST: [1, ~]" in text


@pytest.mark.parametrize(
    ("options", "outputs"),
    [
        ("-Zi -Fd o/a.dbg", ("o/a.spv", "o/a.dbg")),
        ("-Zi -Fd o/", ("o/a.spv",)),
        ("-Fd o/a.dbg", ("o/a.spv",)),
    ],
)
def test_files_of_debug_information(folder: Path, options: str, outputs: tuple[str, ...]) -> None:
    (folder / "l.txt").write_text(f"dxc -spirv -T ps_6_0 a.hlsl -Fo o/a.spv {options}")
    status, text = imported(folder, "dxc-commands", "l.txt")
    assert status == 0
    assert [files for _, _, files in shaders_of(folder, text)] == [outputs]


def test_several_commands_on_a_line(folder: Path) -> None:
    lines = (
        "dxc -T vs_6_0 a.hlsl -Fo o/a.spv && dxc -T ps_6_0 b.hlsl -Fo o/b.spv > log; dxc -T cs_6_0 c.hlsl -Fo o/c.spv",
        "set -e; dxc -T ps_6_0 d.hlsl -Fo o/d.spv; -T ps_6_0 e.hlsl",
        "dxc -T ps_6_0 f.hlsl -Fo o/f.spv | tee dxc",
    )
    (folder / "build.sh").write_text("\n".join(lines))
    status, text = imported(folder, "dxc-commands", "build.sh")
    assert status == 0
    assert {source for source, *_ in shaders_of(folder, text)} == {f"{name}.hlsl" for name in "abcdf"}


def test_a_root_that_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "build.sh").write_text("dxc -T vs_6_0 a.hlsl -Fo a.spv")
    assert run(["import", "dxc-commands", "build.sh", "--root", "nowhere"]) == 2
    assert "there is no folder `nowhere`" in capsys.readouterr().err


def test_response_files_and_absolute_paths(folder: Path) -> None:
    """A source path may look like an option: `/Data` is not `-D ata`."""
    (folder / "a.rsp").write_text("-T ps_6_0 -D A=1\n-Fo out/a.spv")
    (folder / "Data").mkdir()
    rows = [
        {"arguments": ["dxc", "@a.rsp", f"{folder}/a.hlsl"], "directory": str(folder), "file": "a.hlsl"},
        {"command": "dxc -T vs_6_0 /Data/b.hlsl -Fo out/b.spv", "directory": str(folder), "file": "b.hlsl"},
        {"command": "cc -c main.c", "directory": str(folder), "file": "main.c"},
    ]
    (folder / "c.json").write_text(json.dumps(rows))
    status, text = imported(folder, "compile-commands", "c.json")
    assert status == 0
    (folder / "check.yaml").write_text(text)
    project = load(str(folder), ["check.yaml"], Sink(), generated=())
    sources = [
        (os.path.basename(permutation.source), dict(permutation.options.defines))
        for permutation in project.permutations
    ]
    assert sources == [("a.hlsl", {"A": "1"}), ("b.hlsl", {})]
    assert {permutation.name for permutation in project.permutations} == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("echo nothing\n", "l.txt", "HLSL1754"),
        ("dxc -T ps_6_0 %FILE%\n", "l.txt:1:1", "HLSL1753"),
        ("\n  dxc -T ps_6_0 ${X} a.hlsl\n", "l.txt:2:3", "HLSL1753"),
        ("dxc -T ps_6_0 %~dp0a.hlsl\n", "l.txt:1:1", "HLSL1753"),
        ("dxc @none.rsp\n", "l.txt:1:1", "HLSL1752"),
        ("dxc -T ps_6_0 @none.rsp\n", "l.txt:1:1", "HLSL1752"),
        ("dxc -T ps_9_0 a.hlsl\n", "l.txt:1:1", "HLSL1752"),
        ("dxc -T ps_6_0\n", "l.txt:1:1", "HLSL1752"),
        ('dxc -T ps_6_0 "a.hlsl\n', "l.txt:1:1", "HLSL1751"),
        ('dxc -T ps_6_0 ""\n', "l.txt:1:1", "HLSL1751"),
    ],
)
def test_wrong_commands(folder: Path, capsys: pytest.CaptureFixture[str], text: str, place: str, code: str) -> None:
    (folder / "l.txt").write_text(text)
    assert imported(folder, "dxc-commands", "l.txt") == (2, "")
    error = capsys.readouterr().err
    assert error.startswith(place + ":")
    assert f"[{code}]" in error


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("{}", "1:1"),
        ("[\n  {]", "2:4"),
        ('[{"arguments": 3}]', "1:1"),
        ("[{} {}]", "1:1"),
        ("[1,\n2]", "1:1"),
        ("[" * 100_000, ""),
    ],
)
def test_wrong_databases(folder: Path, capsys: pytest.CaptureFixture[str], text: str, place: str) -> None:
    (folder / "c.json").write_text(text)
    assert imported(folder, "compile-commands", "c.json") == (2, "")
    error = capsys.readouterr().err
    assert error.startswith(f"c.json:{place}")
    assert "[HLSL1751]" in error


@pytest.mark.parametrize("start", ["", '"directory": null, ', '"directory": "", '])
def test_a_database_without_folders_counts_from_the_working_folder(folder: Path, start: str) -> None:
    (folder / "c.json").write_text(f'[{{{start}"command": "dxc -T ps_6_0 a.hlsl -Fo a.spv"}}]')
    status, text = imported(folder, "compile-commands", "c.json")
    assert status == 0
    assert "{ source: a.hlsl, profile: ps_6_0 }" in text


def test_lists_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert imported(folder, "dxc-commands", "none.txt") == (2, "")
    (folder / "binary").write_bytes(b"\xff\xfe")
    assert imported(folder, "dxc-commands", "binary") == (2, "")
    error = capsys.readouterr().err
    assert "none.txt: error: cannot read `none.txt`: No such file or directory [HLSL1750]" in error
    assert "byte 0 is not UTF-8" in error


def test_a_second_shader_with_the_same_file_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "l.txt").write_text(
        "-T ps_6_0 a.hlsl -Fo x.spv\n-T ps_6_0 b.hlsl -Fo x.spv\n-T ps_6_0 a.hlsl -Fo x.spv\n"
    )
    status, text = imported(folder, "dxc-commands", "l.txt")
    assert (status, len(shaders_of(folder, text))) == (0, 1)
    assert capsys.readouterr().err.splitlines()[0] == (
        "l.txt:2:1: warning: `b.hlsl` is left out: line 1 writes `x.spv`, too [HLSL1755]"
    )


def test_names_that_would_be_patterns_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "l.txt").write_text(
        "-T ps_6_0 'a*.hlsl' -Fo x.spv\n-T ps_6_0 b.hlsl -Fo 'x y.spv'\n-T ps_6_0 c.hlsl -D F(x)=x"
    )
    status, text = imported(folder, "dxc-commands", "l.txt")
    assert status == 0
    assert [key[0] for key in shaders_of(folder, text)] == ["b.hlsl"]
    assert capsys.readouterr().err.splitlines() == [
        "l.txt:1:1: warning: `a*.hlsl` is left out: a configuration reads the name as a pattern [HLSL1755]",
        "l.txt:2:1: warning: `x y.spv` is left out: names of configurations have no such characters [HLSL1755]",
        "l.txt:3:1: warning: `c.hlsl` is left out: `F(x)` is no name of a macro [HLSL1755]",
    ]


def test_existing_files_are_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "l.txt").write_text("-T ps_6_0 a.hlsl\n")
    (folder / "new.yaml").write_text("mine\n")
    assert imported(folder, "dxc-commands", "l.txt") == (2, "mine\n")
    assert "exists" in capsys.readouterr().err


def test_the_sample_project_comes_back(folder: Path) -> None:
    """All samples, converted to a compilation database and back: the same options under the same names."""
    database = folder / "compile_commands.json"
    assert run(["generate", "compile-commands", "--root", str(ROOT), "-o", str(database)]) == 0
    rows = json.loads(database.read_text())
    assert len(rows) > 150
    for row in rows:
        row["directory"] = str(folder)
    database.write_text(json.dumps(rows))
    status, text = imported(folder, "compile-commands", str(database))
    assert status == 0
    assert len(text.splitlines()) < 450
    shaders = {
        (source, files[0]): (macros, options) for (source, macros, files), options in shaders_of(folder, text).items()
    }
    expected = {}
    for row in rows:
        options = parse(row["arguments"][1:]).options
        macros = tuple(sorted((name, value or "1") for name, value in options.defines))
        warnings = tuple(name for name in options.warnings if name not in BUILD_WARNINGS)
        includes = tuple(os.path.normpath(name) for name in options.include_dirs)
        entry = "" if options.profile.startswith("lib") else options.entry
        options = replace(options, defines=(), warnings=warnings, include_dirs=includes, entry=entry)
        expected[row["file"], row["output"]] = macros, options
    assert shaders == expected


MACROS = st.dictionaries(st.sampled_from("ABCD"), st.sampled_from("012"), max_size=4)


@given(st.lists(MACROS, min_size=1, max_size=12))
def test_blocks_hold_each_set_once(sets: list[dict[str, str]]) -> None:
    def product(block: dict[str, list[str]]) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = [{}]
        for name, values in block.items():
            rows = [row | ({name: value} if value != UNDEFINED else {}) for row in rows for value in values]
        return rows

    rows = [row for block in blocks_of(sets) for row in product(block)]
    assert len(rows) == len({tuple(sorted(row.items())) for row in rows})
    assert {tuple(sorted(row.items())) for row in rows} == {tuple(sorted(macros.items())) for macros in sets}


NAMES = st.text("ab01_", min_size=1, max_size=6)


@given(
    st.lists(
        st.tuples(MACROS, NAMES),
        min_size=1,
        max_size=8,
        unique_by=(lambda r: str(sorted(r[0].items())), lambda r: r[1]),
    )
)
def test_names_are_kept(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[dict[str, str], str]]) -> None:
    """In a configuration imported from command lines, each set of macros keeps the name of its output file."""
    folder = tmp_path_factory.mktemp("names")
    lines = [
        " ".join(["-T ps_6_0 s/x.hlsl", *(f"-D {name}={value}" for name, value in macros.items()), f"-Fo o/{name}.spv"])
        for macros, name in rows
    ]
    (folder / "l.txt").write_text("\n".join(lines))
    status, text = imported(folder, "dxc-commands", str(folder / "l.txt"), "--folder", str(folder))
    assert status == 0
    expected = {("s/x.hlsl", tuple(sorted(macros.items())), (f"o/{name}.spv",)) for macros, name in rows}
    assert set(shaders_of(folder, text)) == expected


PIECES = """
dxc -T ps_6_0 -Tcs_6_0 lib_6_3 -E main -D A A=1 A={0,1} { } , a.hlsl b/c.hlsl -Fo x.spv -Fh x.h -Vn n -I .. -O3 -O 2
-m 6_6 #ifdef #if #else #endif 1 // " ' ^ \\ && -spirv -Zi -Fd -Qstrip_reflect -fvk-b-shift 0 all @a %A% $A -s -o -o/
--compilerOptionsSPIRV=-Zi {} {,} \0 é -fspv-debug= -W -exports
"""
WORDS = st.sampled_from(["", "\t", *PIECES.split()])


@given(st.lists(st.lists(WORDS, max_size=10).map(" ".join), max_size=5).map("\n".join))
def test_any_text_gives_a_configuration_or_messages(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "l.txt").write_text(text)
    for kind in (["shadermake"], ["dxc-commands", "--folder", str(folder)]):
        status, document = imported(folder, *kind, str(folder / "l.txt"))
        assert (status == 0) == bool(document)
        if status == 0:
            (folder / "check.yaml").write_text(document)
            sink = Sink()
            load(str(folder), ["check.yaml"], sink, generated=())
            problems = {diagnostic.code.name for diagnostic in sink.diagnostics}
            # Commands without an output may share a name; after an error, missing sources are reported as well
            known = {"config-bad-option", "config-same-file", "config-same-blob-key", "config-same-output"}
            assert problems <= known | {"config-missing-source"}, (document, problems)
            (folder / "new.yaml").unlink()
