"""The README and the home page of the documentation lead to every how-to page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.name for path in (ROOT / "docs/how-to").glob("*.md"))
MAX_WIDTH = 110
"""Width of a table's row in the README, which is also read in a terminal."""


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_every_how_to_page_is_linked(name: str) -> None:
    linked = set(re.findall(r"\(\S*how-to/([\w-]+\.md)", (ROOT / name).read_text(encoding="utf-8")))
    assert [page for page in PAGES if page not in linked] == []


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_pictures_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pictures = re.findall(r"""(?:src="|\]\()((?:docs/)?images/[\w.]+)""", text)
    assert len(pictures) >= 3
    assert all(((ROOT / name).parent / picture).is_file() for picture in pictures)


def test_tables_of_the_readme_fit_into_a_terminal() -> None:
    rows = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert rows
    assert [row for row in rows if len(row) > MAX_WIDTH] == []
