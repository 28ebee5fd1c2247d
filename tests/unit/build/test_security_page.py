"""The tests that docs/explanation/security.md names exist."""

from __future__ import annotations

import pathlib
import re

import hlsl_tool

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = pathlib.Path(hlsl_tool.__file__).parent


def test_the_links_of_the_page_exist() -> None:
    page = ROOT / "docs" / "explanation" / "security.md"
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len([link for link in links if link.startswith("../../tests/")]) >= 10
    assert [link for link in links if not (page.parent / link).resolve().exists()] == []


def test_nothing_is_unpickled_from_a_file() -> None:
    """Pickles are only exchanged between processes of one build; marshal only makes bytes that are hashed."""
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^\s*(import|from) (pickle|marshal|shelve|dill)\b", path.read_text(encoding="utf-8"), re.M)
    }
    assert users == {"project/build/workers/worker.py", "compiler/finished_modules.py"}
    assert "marshal.load" not in (PACKAGE / "compiler/finished_modules.py").read_text(encoding="utf-8")
