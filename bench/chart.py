"""Draw docs/images/build_times.svg: builds of engines by hlsl_tool beside ninja with DXC, from the committed records.

    python bench/chart.py            # writes the picture

Each group of bars has a scale of its own.  The time of ninja is the mean of the runs beside which the forms of
hlsl_tool were measured.  A test compares the picture with what this program would write.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "build_times.svg"
RECORDS = ("interpreted", "compiled")

TREES = {"wicked": "WickedEngine, 125 shaders", "sascha": "Sascha Willems's Vulkan samples, 100 shaders"}
COLD, STORED = "cold, default: scons, set node", "full store, build folder deleted: scons, set node"

WIDTH, LABEL, BAR, GAP, HEAD, MARGIN = 760, 250, 22, 8, 34, 12
SECONDS = 70
"""Width in pixels of the text behind the longest bar."""

STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1c2126}.head{font-weight:600;font-size:15px}.note{font-size:12px}"
    ".peer{fill:#9aa5ae}.ours{fill:#2f6fad}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e8eb}.peer{fill:#66717a}.ours{fill:#6ba3d9}}"
)


class Bar(NamedTuple):
    """A labelled time in seconds."""

    label: str
    seconds: float
    kind: str
    """The class of its colour: `peer` or `ours`."""


def read() -> dict[str, Any]:
    """Return form → record of the committed measurements."""
    return {form: json.loads((ROOT / f"bench/records/{form}.json").read_text(encoding="utf-8")) for form in RECORDS}


def bars_of(records: dict[str, Any], tree: str) -> list[Bar]:
    """Return the bars of a tree: ninja, both forms of hlsl_tool, and a build whose results are in the store."""
    rows = {form: {row["name"]: row for row in record["runs"]["engine"][tree]} for form, record in records.items()}
    interpreted, compiled = (rows[form] for form in RECORDS)
    return [
        Bar("ninja with DXC", mean(form[COLD]["dxc_wall"] for form in rows.values()), "peer"),
        Bar("hlsl_tool", interpreted[COLD]["wall"], "ours"),
        Bar("hlsl_tool, compiled form", compiled[COLD]["wall"], "ours"),
        Bar("hlsl_tool, results in the store", interpreted[STORED]["wall"], "ours"),
    ]


def picture(groups: Sequence[tuple[str, Sequence[Bar]]], note: str) -> str:
    """Return the SVG of groups of bars, each with a heading."""
    parts: list[str] = []
    top = MARGIN
    for heading, group in groups:
        parts.append(f'<text class="head" x="{MARGIN}" y="{top + 18}">{escape(heading)}</text>')
        top += HEAD
        longest = max(bar.seconds for bar in group)
        for bar in group:
            width = max((WIDTH - LABEL - SECONDS - MARGIN) * bar.seconds / longest, 2)
            middle = top + BAR - 6
            parts += [
                f'<text x="{LABEL - 10}" y="{middle}" text-anchor="end">{escape(bar.label)}</text>',
                f'<rect class="{bar.kind}" x="{LABEL}" y="{top}" width="{width:.1f}" height="{BAR}" rx="3"/>',
                f'<text x="{LABEL + width + 8:.1f}" y="{middle}">{bar.seconds:.1f} s</text>',
            ]
            top += BAR + GAP
        top += GAP
    parts.append(f'<text class="note" x="{MARGIN}" y="{top + 10}">{escape(note)}</text>')
    height = top + 10 + MARGIN
    words = "; ".join(
        f"{heading}: " + ", ".join(f"{b.label} {b.seconds:.1f} s" for b in group) for heading, group in groups
    )
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(words)}</title>'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


def chart() -> str:
    """Return the picture of the committed records."""
    records = read()
    about = records[RECORDS[0]]["about"]
    note = f"Builds from nothing with -j2, wall time; Python {about['python']}, {about['peers']}, one machine."
    return picture([(title, bars_of(records, tree)) for tree, title in TREES.items()], note)


if __name__ == "__main__":
    PICTURE.write_text(chart(), encoding="utf-8")
