"""Lines that no permutation compiles: regions that the preprocessor skipped in all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hlsl_tool.apps.report.coverage import Coverage, as_text, coverage
from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.permutation import Project

Macros = Sequence[tuple[str, str | None]]


def covered(root: Path, files: Mapping[str, str], *permutations: Macros, source: str = "a.hlsl") -> Coverage:
    for name, text in files.items():
        path = root / "shaders" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    jobs = [
        Job(
            f"a{number}", f"shaders/{source}", CompileOptions(profile="ps_6_0", defines=tuple(macros)), {"spv": "a.spv"}
        )
        for number, macros in enumerate(permutations)
    ]
    return coverage(Project(str(root), output_dir="out"), jobs, [])


def regions(result: Coverage, name: str = "a.hlsl") -> list[tuple[int, int, int, str]]:
    (file,) = (file for file in result.files if file.name == f"shaders/{name}")
    return [(region.first, region.last, region.lines, region.condition) for region in file.regions]


BRANCHES = """\
#if MODE == 0
float zero;

#elif MODE == 1
float one;
// a comment
float more;
#else
float other;
#endif
float all;
"""


@pytest.mark.parametrize(
    ("permutations", "left"),
    [
        ([[("MODE", "0")]], [(5, 7, 2, "#elif MODE == 1"), (9, 9, 1, "#else of #elif MODE == 1")]),
        ([[("MODE", "0")], [("MODE", "1")]], [(9, 9, 1, "#else of #elif MODE == 1")]),
        ([[("MODE", "2")]], [(2, 2, 1, "#if MODE == 0"), (5, 7, 2, "#elif MODE == 1")]),
        ([[("MODE", str(n))] for n in range(3)], []),
    ],
)
def test_branches(tmp_path: Path, permutations: list[Macros], left: list[tuple[int, int, int, str]]) -> None:
    result = covered(tmp_path, {"a.hlsl": BRANCHES}, *permutations)
    assert regions(result) == left
    assert result.lines == 5


def test_nested_regions_are_one(tmp_path: Path) -> None:
    text = "#ifdef A\nint a;\n#ifdef B\nint b;\n#else\nint c;\n#endif\nint d;\n#endif\n"
    assert regions(covered(tmp_path, {"a.hlsl": text}, [])) == [(2, 8, 4, "#ifdef A")]
    assert regions(covered(tmp_path, {"a.hlsl": text}, [("A", "1")])) == [(4, 4, 1, "#ifdef B")]
    assert regions(covered(tmp_path, {"a.hlsl": text}, [("A", "1")], [("A", "1"), ("B", "1")])) == []


def test_a_header_counts_once_for_all_that_include_it(tmp_path: Path) -> None:
    header = "#ifdef FAST\nint fast;\n#else\nint exact;\n#endif\n#define TWICE 2\n"
    source = '#include "h.hlsli"\n#define FAST\n#include "h.hlsli"\nint x;\n'
    assert regions(covered(tmp_path, {"a.hlsl": source, "h.hlsli": header}, []), "h.hlsli") == []
    once = source.replace("#define FAST\n", "")
    result = covered(tmp_path, {"a.hlsl": once, "h.hlsli": header}, [], [])
    assert regions(result, "h.hlsli") == [(2, 2, 1, "#ifdef FAST")]


def test_guards_hide_nothing(tmp_path: Path) -> None:
    header = "#ifndef H\n#define H\nint h;\n#endif\n"
    once = "#pragma once\nint o;\n"
    source = '#include "h.hlsli"\n#include "h.hlsli"\n#include "o.hlsli"\n#include "o.hlsli"\n'
    result = covered(tmp_path, {"a.hlsl": source, "h.hlsli": header, "o.hlsli": once}, [])
    assert result.left == 0
    assert result.lines == 4 + 2 + 2


def test_lines_of_directives_and_continuations(tmp_path: Path) -> None:
    text = "#if 0\n#define F(x) \\\n  (x) \\\n  + 1\n/* one\n two */ int a; // b\n#\n#pragma once\n#endif\nint z;\n"
    assert regions(covered(tmp_path, {"a.hlsl": text}, [])) == [(2, 8, 5, "#if 0")]


def test_directives_inside_of_an_invocation(tmp_path: Path) -> None:
    text = "#define F(x, y) x y\nF(int a,\n#ifdef A\nfloat\n#else\nuint\n#endif\nb);\n"
    assert regions(covered(tmp_path, {"a.hlsl": text}, [])) == [(4, 4, 1, "#ifdef A")]


def test_an_unterminated_condition(tmp_path: Path) -> None:
    assert regions(covered(tmp_path, {"a.hlsl": "int a;\n#if 0\nint b;\n"}, [])) == [(3, 3, 1, "#if 0")]


def test_files_that_no_permutation_reads(tmp_path: Path) -> None:
    files = {
        "a.hlsl": "int a;\n",
        "old/b.hlsl": "// old\nint b;\n\nint c;\n",
        "notes.txt": "no shader\n",
        "e.hlsl": "\n",
        "binary.hlsl": "int x;\0\n",
    }
    (tmp_path / "out").mkdir()
    (tmp_path / "out/c.hlsl").write_text("int c;\n")
    result = covered(tmp_path, files, [])
    assert [(file.name, file.lines, file.left, file.is_read) for file in result.files] == [
        ("shaders/old/b.hlsl", 2, 2, False),
        ("shaders/a.hlsl", 1, 0, True),
    ]
    assert "shaders/old/b.hlsl: no permutation reads it, 2 lines\n" in as_text(result)


def test_the_lines_of_the_preprocessor_are_those_that_are_printed(tmp_path: Path) -> None:
    """Each line of a file is in the printed text of a permutation, or in a region."""
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler.preprocessing import preprocess_options
    from hlsl_tool.frontend.preprocessor import PreprocessorMemory, preprocess

    text = "".join(f"#if N & {1 << bit}\nint a{bit};\n#else\nint b{bit};\n#endif\n" for bit in range(4))
    chosen: list[Macros] = [[("N", "5")], [("N", "4")]]
    result = covered(tmp_path, {"a.hlsl": text}, *chosen)
    printed = set()
    fs = CachedFileSystem(OSFileSystem(str(tmp_path)))
    for macros in chosen:
        source = SourceFile.from_bytes("shaders/a.hlsl", str(tmp_path / "shaders/a.hlsl"), text.encode())
        options = preprocess_options(CompileOptions(profile="ps_6_0", defines=tuple(macros)))
        stream = preprocess(source, options, fs=fs, memory=PreprocessorMemory(), sink=Sink())
        printed |= {stream.locate(index).line for index in range(len(stream.tokens))}
    code = {number for number, line in enumerate(text.splitlines(), 1) if line.startswith("int")}
    left = {number for first, last, _, _ in regions(result) for number in range(first, last + 1)} & code
    assert printed & left == set()
    assert printed | left == code


# ---------------------------------------------------------------- the command


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shaders").mkdir()
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "shaders/lit.hlsl").write_text(
        "float4 main(float4 c : C) : SV_Target\n{\n#if MODE == 1\n    c *= 2;\n#elif MODE == 2\n    c *= 3;\n#endif\n"
        "    return c;\n}\n"
    )
    (tmp_path / "config/shaders/lit.yaml").write_text(
        "output_dir: out\nshaders:\n  - source: lit.hlsl\n"
        "    entries: [{entry: main, profile: ps_6_0, defines: {MODE: [0, 1]}}]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HLSL_TOOL_STORE", "none")
    return tmp_path


def test_the_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--quiet"]) == 0
    assert run(["report", "--coverage"]) == 0
    sentence = "83.3 % of 6 lines are compiled by 2 of 2 permutations; 1 line by none"
    assert capsys.readouterr().out == f"{sentence}\nshaders/lit.hlsl:6: #elif MODE == 2: 1 line\n"
    assert run(["report"]) == 0
    assert capsys.readouterr().out.endswith(f"\n\n{sentence}\n")
    assert run(["report", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["coverage"] == {"lines": 6, "not_compiled": 1, "permutations": 2, "not_counted": []}
    assert run(["report", "--coverage", "--format", "json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["regions"] == [{"first": 6, "last": 6, "lines": 1, "condition": "#elif MODE == 2"}]
    assert run(["report", "--coverage", "--format", "markdown"]) == 0
    assert "| `shaders/lit.hlsl` | 6–6 | `#elif MODE == 2` | 1 |\n" in capsys.readouterr().out
    assert run(["report", "--coverage", "--html", "page.html"]) == 2


def test_permutations_that_are_not_counted_are_stated(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = project / "shaders/lit.hlsl"
    source.write_text(source.read_text().replace("c *= 2;", "c *= nothing;"))
    assert run(["build", "--quiet"]) != 0
    capsys.readouterr()
    assert run(["report", "--coverage"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "66.7 % of 6 lines are compiled by 1 of 2 permutations; 2 lines by none",
        "not counted: lit.main.MODE=1 (not built)",
        "shaders/lit.hlsl:4: #if MODE == 1: 1 line",
    ]


def test_a_build_of_which_nothing_is_up_to_date(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--coverage"]) == 2
    assert "nothing to report: all 2 shaders are not built; run `hlsl_tool build`" in capsys.readouterr().err
    assert run(["build", "--quiet"]) == 0
    with (project / "shaders/lit.hlsl").open("a") as source:
        source.write("float x;\n")
    assert run(["report", "--coverage", "-o", "coverage.txt"]) == 2
    assert "nothing to report: all 2 shaders are out of date" in capsys.readouterr().err
    assert not (project / "coverage.txt").exists()
    assert run(["report"]) == 0
    assert capsys.readouterr().out.endswith("\nno lines are counted: none of 2 permutations is up to date\n")


@pytest.mark.parametrize(
    "words", [["--max-growth", "5%"], ["--metric", "bytes"], ["--all"], ["--history", "h"], ["--ignore-below", "2"]]
)
def test_options_about_sizes_are_refused(words: list[str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--quiet"]) == 0
    capsys.readouterr()
    assert run(["report", "--coverage", *words]) == 2
    assert f"{words[0]} is about sizes, which --coverage does not report" in capsys.readouterr().err


def test_the_page(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="the extra `html` is not installed")
    assert run(["build", "--quiet", "lit.main.MODE=0"]) == 0
    assert run(["report", "--html", "page.html"]) == 0
    assert "1 not up to date, 2 lines compiled by none" in capsys.readouterr().out
    page = (project / "page.html").read_text(encoding="utf-8")
    assert "lit.main.MODE=1 (not built)" in page
    assert "behind <code>#if MODE == 1</code>" in page
    assert "<pre>    c *= 2;</pre>" in page
