"""docs/reference/diagnostics.md is generated from the catalogue and the cases of tests/diagnostics."""

import json

from hlsl_tool.apps.report import diagnostic_pages
from hlsl_tool.base.diagnostics import document
from hlsl_tool.base.diagnostics.catalogue.registry import all_codes


def headings() -> list[str]:
    return [line.split()[1].rstrip(":") for line in document.text().splitlines() if line.startswith("### ")]


def test_page_is_in_step() -> None:
    page = document.PAGE.read_text(encoding="utf-8")
    assert page == document.text(), "run: python -m hlsl_tool.base.diagnostics.document"


def test_explanations_are_in_step() -> None:
    shipped = document.EXPLANATIONS.read_text(encoding="utf-8")
    assert shipped == document.explanations(), "run: python -m hlsl_tool.base.diagnostics.document"
    assert list(json.loads(shipped)) == [code for code in all_codes() if code in json.loads(shipped)]


def test_every_code_has_one_entry() -> None:
    assert sorted(headings()) == sorted(all_codes())


def test_every_code_has_an_explanation() -> None:
    lacking = [code.id for code in all_codes().values() if not code.doc.endswith((".", "`"))]
    assert not lacking, "add `doc` to the rows of the catalogue: sentences"


def test_every_code_has_a_page() -> None:
    for code in all_codes().values():
        assert diagnostic_pages.codes_of(code.id) == [code]
        page = diagnostic_pages.page(code)
        assert code.doc in page
        if code.severity == "warning":
            assert f"-W{code.name}" in page
            assert code in diagnostic_pages.codes_of(f"-W{code.name}")
            assert code in diagnostic_pages.codes_of(f"-W{code.group or code.name}")


def test_most_codes_have_an_example() -> None:
    assert len(document.examples()) >= 400


def test_markup_is_escaped() -> None:
    assert document._escaped("a <b> *c* `d_*<e>` f_g") == "a &lt;b> \\*c\\* `d_*<e>` f\\_g"
