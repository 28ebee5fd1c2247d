"""Each shader of this folder gets exactly the diagnostics that its lines name (`sections.py` describes the files)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.sections import Section, read, reported

FOLDER = Path(__file__).resolve().parent
SECTIONS = [section for path in sorted(FOLDER.glob("*.hlsl")) for section in read(path)]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: f"{s.path.stem}:{s.line}")
def test_codes_by_line(section: Section) -> None:
    notes = any(severity == "note" for _, severity, _ in section.expected)
    actual = reported(section, notes=notes)
    assert actual == section.expected, f"{section.path}:{section.line}: line (from there), severity, code"


def test_every_section_expects_something() -> None:
    assert len(SECTIONS) >= 200
    assert all(section.expected for section in SECTIONS if section.path.stem != "mistakes")
