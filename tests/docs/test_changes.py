"""Changelog fragments have names that the assembling script understands; it puts each into its section."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = runpy.run_path(str(ROOT / "changes" / "assemble.py"))
CHANGELOG = """# Changelog

## 0.2.0 – unreleased

### Added

- One.

### Corrected

- Two.

## 0.1.0

### Added

- Old.
"""


def test_fragments_of_this_checkout() -> None:
    by_kind = PROGRAM["fragments"]()
    for path in (path for paths in by_kind.values() for path in paths):
        text = path.read_text(encoding="utf-8")
        assert text.strip().endswith("."), path
        assert not text.startswith(("-", "*", "#")), path
    titles = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    PROGRAM["assembled"](titles, by_kind)


def test_assembled(tmp_path: Path) -> None:
    (tmp_path / "a.added.md").write_text("Three, in " + "many " * 40 + "words.\n")
    (tmp_path / "b.removed.md").write_text("Four.\n")
    text = PROGRAM["assembled"](CHANGELOG, PROGRAM["fragments"](tmp_path))
    newest, _, oldest = text.partition("## 0.1.0")
    assert "- One.\n- Three, in many" in newest
    assert "### Corrected\n\n- Two.\n" in newest
    assert "### Removed\n\n- Four.\n" in newest
    assert oldest == CHANGELOG.partition("## 0.1.0")[2]
    assert max(map(len, text.splitlines())) <= 120


def test_bad_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Five.\n")
    with pytest.raises(ValueError, match="WORDS"):
        PROGRAM["fragments"](tmp_path)
