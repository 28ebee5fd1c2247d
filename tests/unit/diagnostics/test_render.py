"""Rendering of diagnostics as text and as documents."""

from __future__ import annotations

import json

import pytest

from hlsl_tool.base.diagnostics import Code, Diagnostic, IncludeFrame, Location, MacroFrame, Replacement
from hlsl_tool.base.diagnostics.render import FORMS, render
from hlsl_tool.base.diagnostics.render.text import WIDTH, snippet

UNDECLARED = Code("HLSL0301", "undeclared", "error", "use of undeclared identifier '{name}'")
TRUNCATION = Code("HLSL0302", "conversion", "warning", "implicit truncation of vector type")
NOTE = Code("", "previous", "note", "declared here")


def _error() -> Diagnostic:
    place = Location(
        "inc/a.hlsli",
        3,
        12,
        15,
        "    return foo;",
        (IncludeFrame("main.hlsl", 1),),
        (MacroFrame("GET", "inc/a.hlsli", 1, 13, "#define GET foo"),),
    )
    note = Diagnostic(NOTE, "note", "declared here", Location("main.hlsl", 9, 1, 0, "float f;"))
    return Diagnostic(UNDECLARED, "error", "use of undeclared identifier 'foo'", place, [note], "did you mean 'fool'?")


def _warning() -> Diagnostic:
    return Diagnostic(TRUNCATION, "warning", "implicit truncation of vector type", None, flag="-Wconversion")


def test_text() -> None:
    assert render([_error(), _warning()]) == (
        "In file included from main.hlsl:1:\n"
        "inc/a.hlsli:3:12: error: use of undeclared identifier 'foo' [HLSL0301]\n"
        "    return foo;\n"
        "           ^~~\n"
        "inc/a.hlsli:1:13: note: expanded from macro 'GET'\n"
        "#define GET foo\n"
        "            ^\n"
        "hint: did you mean 'fool'?\n"
        "main.hlsl:9:1: note: declared here\n"
        "float f;\n"
        "^\n"
        "warning: implicit truncation of vector type [-Wconversion] [HLSL0302]\n"
    )


def test_gcc_and_msvc() -> None:
    assert render([_error()], "gcc").splitlines()[0] == (
        "inc/a.hlsli:3:12: error: use of undeclared identifier 'foo' (hint: did you mean 'fool'?) [HLSL0301]"
    )
    assert render([_error(), _warning()], "msvc").splitlines() == [
        "inc/a.hlsli(3,12): error HLSL0301: use of undeclared identifier 'foo' (hint: did you mean 'fool'?)",
        "main.hlsl(9,1): note: declared here",
        "hlsl_tool : warning HLSL0302: implicit truncation of vector type",
    ]


def test_github() -> None:
    assert render([_error(), _warning()], "github").splitlines() == [
        "::error file=inc/a.hlsli,line=3,col=12,title=HLSL0301 undeclared::"
        "use of undeclared identifier 'foo' [HLSL0301]"
        "%0Ahint: did you mean 'fool'?%0Amain.hlsl:9:1: note: declared here",
        "::warning title=HLSL0302 conversion::implicit truncation of vector type [-Wconversion] [HLSL0302]",
    ]


def test_github_escapes_what_ends_a_property_or_a_message() -> None:
    place = Location("odd,name:100%.hlsl", 1, 1)
    diagnostic = Diagnostic(Code("X1", "a:b,c", "note", ""), "note", "100%: first,\nsecond\r::error::\x1b[31m", place)
    assert render([diagnostic], "github") == (
        "::notice file=odd%2Cname%3A100%25.hlsl,line=1,col=1,title=X1 a%3Ab%2Cc::"
        "100%25: first,%0Asecond\\r::error::\\x1b[31m\n"
    )


def test_json() -> None:
    document = json.loads(render([_error(), _warning()], "json"))
    assert (document["errors"], document["warnings"]) == (1, 1)
    first = document["diagnostics"][0]
    assert first["location"]["column"] == 12
    assert first["location"]["expanded_from"][0]["macro"] == "GET"
    assert first["notes"][0]["message"] == "declared here"


def test_sarif() -> None:
    (run,) = json.loads(render([_error(), _warning()], "sarif"))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["HLSL0301", "HLSL0302"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 12, "endColumn": 15}
    assert "locations" not in run["results"][1]


def test_color_changes_nothing_but_color() -> None:
    import re

    colored = render([_error()], color=True)
    assert "\033[" in colored
    assert re.sub("\033\\[[0-9;]*m", "", colored) == render([_error()])


@pytest.mark.parametrize("form", FORMS)
def test_no_message(form: str) -> None:
    text = render([], form)
    assert text == "" or json.loads(text)


def test_unknown_form() -> None:
    with pytest.raises(ValueError, match="unknown form of diagnostics 'xml'"):
        render([], "xml")


def test_tabs_and_control_characters() -> None:
    assert snippet("\t\tx = \x07y;", 7, 8) == ["\t\tx = \N{REPLACEMENT CHARACTER}y;", "\t\t    ^"]


@pytest.mark.parametrize("col", [1, 500, 999, 1200])
def test_long_lines_are_cut_around_the_caret(col: int) -> None:
    source = "".join(chr(ord("a") + i % 26) for i in range(1000))
    line, mark = snippet(source, col, col + 1)
    assert len(line) == WIDTH
    at = mark.index("^")
    if col <= 1000:
        assert line[at] == source[col - 1]


def _with_fixes(*fixes: Replacement) -> Diagnostic:
    return Diagnostic(UNDECLARED, "error", "no 'a'", Location("a.hlsl", 3, 5, 8, "\tx = foo(b);"), fixes=fixes)


def test_text_of_replacements_stands_below_their_columns() -> None:
    insert, replace = Replacement("a.hlsl", 3, 12, 12, ";"), Replacement("a.hlsl", 3, 6, 9, "fool")
    elsewhere = Replacement("b.hlsl", 3, 1, 1, "no")
    assert render([_with_fixes(insert, replace, elsewhere)]).splitlines()[1:] == [
        "\tx = foo(b);",
        "\t   ^~~",
        "\t    fool  ;",
    ]
    crowded = _with_fixes(Replacement("a.hlsl", 3, 6, 9, "long_name"), Replacement("a.hlsl", 3, 10, 11, "c"))
    assert render([crowded]).splitlines()[3] == "\t    long_name c"


def test_replacements_in_json_and_sarif() -> None:
    diagnostic = _with_fixes(Replacement("a dir/a.hlsl", 3, 6, 9, "fool", 7))
    (entry,) = json.loads(render([diagnostic], "json"))["diagnostics"]
    assert entry["fixes"] == [{"file": "a dir/a.hlsl", "line": 3, "column": 6, "end_column": 9, "text": "fool"}]
    (result,) = json.loads(render([diagnostic], "sarif"))["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "a%20dir/a.hlsl"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 3, "startColumn": 6, "endLine": 3, "endColumn": 9},
            "insertedContent": {"text": "fool"},
        }
    ]
