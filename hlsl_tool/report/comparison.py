"""Two snapshots side by side: what grew, what shrank, and what grew more than it may."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from hlsl_tool.report.snapshot import Snapshot, Weight

VERSION = 1
ROWS = 20
"""So many shaders are listed in a form for people."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Growth that is no regression yet."""

    metrics: tuple[str, ...] = ("bytes", "instructions")
    growth: float = 0.0
    """Of a shader, as a part of what it was."""
    total: float | None = None
    """Of all shaders that there were before together."""
    least: int = 0
    """So little more of a metric is none, however large a part it is."""


@dataclass(slots=True)
class Change:
    """A shader that is in both snapshots."""

    name: str
    before: Weight
    after: Weight
    regressions: list[str] = field(default_factory=list)
    """The metrics that grew more than they may."""

    def difference(self, metric: str) -> int:
        return int(getattr(self.after, metric)) - int(getattr(self.before, metric))


@dataclass(slots=True)
class Comparison:
    limits: Limits
    changes: list[Change] = field(default_factory=list)
    """Of the shaders that changed, those that grew most first."""
    same: int = 0
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    before: dict[str, int] = field(default_factory=dict)
    """Metric → sum over the shaders in both."""
    after: dict[str, int] = field(default_factory=dict)
    total_regressions: list[str] = field(default_factory=list)

    @property
    def regressed(self) -> list[Change]:
        return [change for change in self.changes if change.regressions]

    @property
    def ok(self) -> bool:
        return not self.regressed and not self.total_regressions


def compare(before: Snapshot, after: Snapshot, limits: Limits) -> Comparison:
    found = Comparison(limits, added=sorted(after.keys() - before.keys()), removed=sorted(before.keys() - after.keys()))
    found.before = dict.fromkeys(limits.metrics, 0)
    found.after = dict.fromkeys(limits.metrics, 0)
    for name in sorted(before.keys() & after.keys()):
        change = Change(name, before[name], after[name])
        for metric in limits.metrics:
            old, new = getattr(change.before, metric), getattr(change.after, metric)
            found.before[metric] += old
            found.after[metric] += new
            if _grew(old, new, limits.growth) and new - old > limits.least:
                change.regressions.append(metric)
        if change.before == change.after:
            found.same += 1
        else:
            found.changes.append(change)
    found.changes.sort(key=lambda c: (*(-c.difference(metric) for metric in reversed(limits.metrics)), c.name))
    if limits.total is not None:
        found.total_regressions = [m for m in limits.metrics if _grew(found.before[m], found.after[m], limits.total)]
    return found


def _grew(old: int, new: int, part: float) -> bool:
    return new > old and new - old > old * part


# ------------------------------------------------------------------------------------------------------------- forms


def as_json(found: Comparison) -> str:
    content: dict[str, Any] = {
        "version": VERSION,
        "ok": found.ok,
        "limits": asdict(found.limits),
        "total": {m: {"before": found.before[m], "after": found.after[m]} for m in found.limits.metrics},
        "total_regressions": found.total_regressions,
        "same": found.same,
        "changed": [
            {"name": c.name, "before": asdict(c.before), "after": asdict(c.after), "regressions": c.regressions}
            for c in found.changes
        ],
        "added": found.added,
        "removed": found.removed,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def as_text(found: Comparison, rows: int | None = ROWS) -> str:
    metrics = found.limits.metrics
    lines = []
    shown, left = _shown(found, rows)
    cells = [("total", [_cell(found.before[m], found.after[m]) for m in metrics], found.total_regressions)]
    cells += [
        (c.name, [_cell(getattr(c.before, m), getattr(c.after, m)) for m in metrics], c.regressions) for c in shown
    ]
    width = max(len(name) for name, _, _ in cells)
    widths = [max(len(row[number]) for _, row, _ in cells) for number in range(len(metrics))]
    for name, row, regressions in cells:
        columns = "  ".join(f"{m} {text:<{w}}" for m, text, w in zip(metrics, row, widths, strict=True))
        mark = f"  REGRESSION: {', '.join(regressions)}" if regressions else ""
        lines.append(f"{name:<{width}}  {columns}{mark}".rstrip())
    if left:
        lines.append(f"… and {left} more that changed")
    lines += _named("new", found.added, rows) + _named("gone", found.removed, rows)
    return "\n".join([*lines, verdict(found)]) + "\n"


def as_markdown(found: Comparison, rows: int | None = ROWS) -> str:
    metrics = found.limits.metrics
    shown, left = _shown(found, rows)
    lines = [f"**{verdict(found)}**", "", "| Shader | " + " | ".join(m.capitalize() for m in metrics) + " |"]
    lines.append("|---|" + "---:|" * len(metrics))
    table: list[tuple[str, Sequence[str], Sequence[str]]] = [
        ("total", [_cell(found.before[m], found.after[m]) for m in metrics], found.total_regressions)
    ]
    table += [
        (f"`{c.name}`", [_cell(getattr(c.before, m), getattr(c.after, m)) for m in metrics], c.regressions)
        for c in shown
    ]
    for name, row, regressions in table:
        texts = [f"**{text}**" if m in regressions else text for m, text in zip(metrics, row, strict=True)]
        lines.append(f"| {name} | " + " | ".join(texts) + " |")
    if left:
        lines += ["", f"… and {left} more that changed."]
    for word, names in (("New", found.added), ("Gone", found.removed)):
        if names:
            lines += ["", *_named(word, [f"`{name}`" for name in names], rows)]
    return "\n".join(lines) + "\n"


def verdict(found: Comparison) -> str:
    parts = [f"{len(found.changes)} of {len(found.changes) + found.same} shaders changed"]
    regressed = len(found.regressed)
    if regressed:
        by = f" by more than {found.limits.growth * 100:.3g} %" if found.limits.growth else ""
        parts.append(f"{regressed} grew{by}")
    if found.total_regressions:
        parts.append("all together grew too much")
    return f"{'regression' if not found.ok else 'no regression'}: {', '.join(parts)}"


def _shown(found: Comparison, rows: int | None) -> tuple[list[Change], int]:
    """What is listed: every regression, and then what changed most; and how many are not."""
    if rows is None:
        return found.changes, 0
    first = found.regressed[:rows]
    rest = [change for change in found.changes if not change.regressions][: rows - len(first)]
    return first + rest, len(found.changes) - len(first) - len(rest)


def _cell(before: int, after: int) -> str:
    """`1200 → 1260 (+5.0 %)`"""
    if before == after:
        return str(after)
    part = f" ({(after - before) / before * 100:+.1f} %)" if before else ""
    return f"{before} → {after}{part}"


def _named(word: str, names: Sequence[str], rows: int | None) -> list[str]:
    if not names:
        return []
    shown = names if rows is None else names[:rows]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return [f"{word}: {', '.join(shown)}{more}"]


FORMS = {"text": as_text, "markdown": as_markdown}
