"""Each configuration of `configurations.yaml` gets exactly the diagnostics that its lines name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.project.config.load import load

FILE = Path(__file__).with_name("configurations.yaml")
EXPECTED = re.compile(r"# (error|warning|note|fatal): ((?:HLSL|CFG)\d+)")
Row = tuple[int, str, str]


def sections() -> list[tuple[int, str]]:
    """Return the line and the text of each configuration; the line of dashes is the first of the text."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("# ----")]
    return [
        (start + 1, "\n".join(lines[start:end]).rstrip() + "\n")
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


@pytest.mark.parametrize(("line", "text"), sections(), ids=lambda value: value if isinstance(value, int) else "")
def test_codes_by_line(line: int, text: str, tmp_path: Path) -> None:
    for name in ("a.hlsl", "b.hlsl"):
        (tmp_path / "shaders").mkdir(exist_ok=True)
        (tmp_path / "shaders" / name).touch()
    (tmp_path / "config" / "shaders").mkdir(parents=True)
    (tmp_path / "config" / "shaders" / "x.yaml").write_text(text)
    sink = Sink(error_limit=0)
    load(str(tmp_path), ["config/shaders"], sink)
    rows: set[Row] = set()
    count = text.count("\n")
    for item in (item for diagnostic in sink.diagnostics for item in diagnostic.flatten()):
        at = item.location.line if item.location is not None else 0
        rows.add((at if at <= count else 0, item.severity, item.code.id))
    expected: set[Row] = set()
    for number, words in enumerate(text.splitlines(), 1):
        at = 0 if number == 1 else number
        expected.update((at, severity, code) for severity, code in EXPECTED.findall(words))
    assert rows == expected, f"{FILE.name}:{line}"
