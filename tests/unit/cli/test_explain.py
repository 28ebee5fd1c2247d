"""`hlsl_tool explain`: pages of diagnostics in the terminal."""

from __future__ import annotations

import pytest

from hlsl_tool.apps.report import diagnostic_pages as pages
from hlsl_tool.base.diagnostics.catalogue.registry import all_codes
from hlsl_tool.cli.__main__ import run


def explain(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(["explain", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_page_of_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    status, page, errors = explain(capsys, "HLSL0101")
    lines = page.splitlines()
    assert (status, errors) == (0, "")
    assert lines[0].startswith("HLSL0101: ")
    assert lines[1].startswith("fatal: ") or lines[1].startswith("error: ")
    assert "Check the name, and name the folder with `-I` or `include_dirs`." in lines
    example = lines[lines.index("Example:") + 2 :]
    assert any("HLSL0101" in line for line in example)
    assert all(not line or line.startswith("    ") for line in example)
    assert "```" not in page


@pytest.mark.parametrize("name", ["hlsl0310", "0310", "HLSL0310"])
def test_spellings_of_a_code(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(capsys, name)[1].startswith("HLSL0310: ")


@pytest.mark.parametrize("flag", ["-Wconversion", "-Wno-conversion", "-Werror=conversion", "-Wno-error=conversion"])
def test_warning_flags(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, page, _ = explain(capsys, flag)
    expected = [code.id for code in pages.codes_of("conversion") if code.severity == "warning"]
    headings = [line.split(":")[0] for line in page.splitlines() if line[:4] == "HLSL" and line[8:9] == ":"]
    assert status == 0
    assert expected
    assert headings == expected
    assert "Switches: -W" in page


def test_a_group_of_clang_names_the_warnings_that_it_selects(capsys: pytest.CaptureFixture[str]) -> None:
    status, page, _ = explain(capsys, "-Wextra")
    assert (status, page.splitlines()[0]) == (0, "HLSL1621: unused-parameter")
    every = {code.name for code in pages.codes_of("-Wall")}
    assert every > {"unused-variable", "sometimes-uninitialized"}
    assert "unused-parameter" not in every


def test_equal_codes_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(capsys, "HLSL0310", "0310")[1] == explain(capsys, "HLSL0310")[1]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("HLSL031O", "did you mean `HLSL0"),
        ("-Wconversio", "did you mean `-Wconversion`?"),
        ("undeclard-identifier", "did you mean `"),
        ("zzzzzzzzzzzz", "`hlsl_tool explain --list` prints all codes"),
        ("", "there is no diagnostic ``"),
        ("-W", "there is no diagnostic `-W`"),
        ("-Wno-", "there is no diagnostic `-Wno-`"),
    ],
)
def test_unknown_names(name: str, suggestion: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, page, errors = explain(capsys, name)
    assert (status, page) == (2, "")
    assert errors.startswith(f"hlsl_tool: error: there is no diagnostic `{name}`; ")
    assert suggestion in errors


def test_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, errors = explain(capsys)
    assert status == 2
    assert "--list" in errors


def test_list_has_all_codes(capsys: pytest.CaptureFixture[str]) -> None:
    status, overview, _ = explain(capsys, "--list")
    assert status == 0
    assert [line.split()[0] for line in overview.splitlines()] == list(all_codes())


@pytest.mark.parametrize("code", all_codes())
def test_every_code_is_explained(code: str) -> None:
    row = all_codes()[code]
    page = pages.page(row)
    assert page.startswith(f"{code}: {row.name}\n")
    assert page.endswith("\n")
    assert row.doc in page
    assert row in pages.codes_of(code)
    assert row in pages.codes_of(row.name)
