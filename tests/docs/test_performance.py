"""The page of measurements equals the text that its generator writes from the committed measurements."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = sorted((ROOT / "bench/records").glob("*.json"))


def test_the_page_shows_the_records(tmp_path: Path) -> None:
    assert RECORDS
    page = tmp_path / "performance.md"
    command = [sys.executable, str(ROOT / "bench/record.py"), "--page", str(page), *map(str, reversed(RECORDS))]
    subprocess.run(command, check=True)
    assert page.read_text() == (ROOT / "docs/performance.md").read_text()


def test_the_chart_shows_the_records() -> None:
    program = runpy.run_path(str(ROOT / "bench" / "chart.py"))
    assert program["PICTURE"].read_text(encoding="utf-8") == program["chart"](), "run: python bench/chart.py"
    groups = [program["bars_of"](program["read"](), tree) for tree in program["TREES"]]
    assert [[bar.kind for bar in group] for group in groups] == [["peer", "ours", "ours", "ours"]] * 2


def test_every_record_names_machine_and_peers() -> None:
    for path in RECORDS:
        about = json.loads(path.read_text())["about"]
        assert all(about[name] for name in ("date", "form", "hlsl_tool", "machine", "python", "peers")), path
