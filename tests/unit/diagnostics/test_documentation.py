"""docs/reference/diagnostics.md is generated from the catalogue and the cases of tests/diagnostics."""

import json

from hlsl_tool.diagnostics import document
from hlsl_tool.diagnostics.catalogue.registry import all_codes


def headings() -> list[str]:
    return [line.split()[1].rstrip(":") for line in document.text().splitlines() if line.startswith("### ")]


def test_page_is_in_step() -> None:
    page = document.PAGE.read_text(encoding="utf-8")
    assert page == document.text(), "run: python -m hlsl_tool.diagnostics.document"


def test_explanations_are_in_step() -> None:
    shipped = document.EXPLANATIONS.read_text(encoding="utf-8")
    assert shipped == document.explanations(), "run: python -m hlsl_tool.diagnostics.document"
    assert list(json.loads(shipped)) == [code for code in all_codes() if code in json.loads(shipped)]


def test_every_code_has_one_entry() -> None:
    assert sorted(headings()) == sorted(all_codes())


def test_every_code_has_a_remedy() -> None:
    fixes = document.fixes()
    lacking = [code.id for code in all_codes().values() if not code.doc and code.id not in fixes]
    assert not lacking, "add lines to docs/reference/fixes.txt, or `doc` to the rows"
    assert not fixes.keys() - all_codes().keys()
    assert all(fix.endswith(".") for fix in fixes.values())


def test_most_codes_have_an_example() -> None:
    assert len(document.examples()) >= 400


def test_markup_is_escaped() -> None:
    assert document._escaped("a <b> *c* `d_*<e>` f_g") == "a &lt;b> \\*c\\* `d_*<e>` f\\_g"
