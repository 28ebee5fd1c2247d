"""docs/reference/diagnostics.md is what the catalogue says."""

from hlsl_tool.diagnostics import document
from hlsl_tool.diagnostics.catalogue.registry import all_codes


def rows() -> list[str]:
    return [line for line in document.text().splitlines() if line.startswith(("| HLSL", "| CFG"))]


def test_page_is_in_step() -> None:
    wanted = document.text()
    assert document.PAGE.read_text(encoding="utf-8") == wanted, "run: python -m hlsl_tool.diagnostics.document"


def test_every_code_has_one_row() -> None:
    assert sorted(line.split("|")[1].strip() for line in rows()) == sorted(all_codes())


def test_cells_do_not_break_the_table() -> None:
    assert all(line.replace("\\|", "").count("|") == 5 for line in rows())
