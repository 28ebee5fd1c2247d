"""Compare two snapshots of shader sizes, and detect growth beyond limits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hlsl_tool.apps.report.snapshot import Snapshot, Weight
from hlsl_tool.base.system.dataclass import asdict, dataclass, field

VERSION = 1
ROWS = 20
"""The number of shaders that text and Markdown list by default."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of growth: a shader that grows beyond them is a regression."""

    metrics: tuple[str, ...] = ("bytes", "instructions")
    growth: float = 0.0
    """The growth of a shader, as a fraction of its size before."""
    total: float | None = None
    """The growth of all shaders in both snapshots together, as a fraction; ``None`` for no limit."""
    least: int = 0
    """The absolute growth of a metric up to which the fraction does not matter."""


@dataclass(slots=True)
class Change:
    """A shader that both snapshots contain, with its sizes."""

    name: str
    before: Weight
    after: Weight
    regressions: list[str] = field(default_factory=list)
    """The metrics that grew beyond the limits."""

    def difference(self, metric: str) -> int:
        """Return the growth of a metric; negative if it became smaller."""
        return int(getattr(self.after, metric)) - int(getattr(self.before, metric))


@dataclass(slots=True)
class Comparison:
    """The changes between two snapshots: of each shader, of the sums of sizes, added and removed shaders."""

    limits: Limits
    changes: list[Change] = field(default_factory=list)
    """The shaders that changed, by growth, the largest first."""
    same: int = 0
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    before: dict[str, int] = field(default_factory=dict)
    """Metric → sum over the shaders in both."""
    after: dict[str, int] = field(default_factory=dict)
    total_regressions: list[str] = field(default_factory=list)

    @property
    def regressed(self) -> list[Change]:
        """The shaders that grew beyond the limits."""
        return [change for change in self.changes if change.regressions]

    @property
    def ok(self) -> bool:
        """Whether neither a shader nor the total grew beyond the limits."""
        return not self.regressed and not self.total_regressions


def compare(before: Snapshot, after: Snapshot, limits: Limits) -> Comparison:
    """Compare the sizes of shaders in two snapshots; growth beyond ``limits`` is a regression."""
    comparison = Comparison(
        limits, added=sorted(after.keys() - before.keys()), removed=sorted(before.keys() - after.keys())
    )
    comparison.before = dict.fromkeys(limits.metrics, 0)
    comparison.after = dict.fromkeys(limits.metrics, 0)
    for name in sorted(before.keys() & after.keys()):
        change = Change(name, before[name], after[name])
        for metric in limits.metrics:
            old, new = getattr(change.before, metric), getattr(change.after, metric)
            comparison.before[metric] += old
            comparison.after[metric] += new
            if _grew(old, new, limits.growth) and new - old > limits.least:
                change.regressions.append(metric)
        if change.before == change.after:
            comparison.same += 1
        else:
            comparison.changes.append(change)
    comparison.changes.sort(key=lambda c: (*(-c.difference(metric) for metric in reversed(limits.metrics)), c.name))
    if limits.total is not None:
        comparison.total_regressions = [
            m for m in limits.metrics if _grew(comparison.before[m], comparison.after[m], limits.total)
        ]
    return comparison


def _grew(old: int, new: int, part: float) -> bool:
    return new > old and new - old > old * part


# ------------------------------------------------------------------------------------------------------------- forms


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON text, in the documented format."""
    content: dict[str, Any] = {
        "version": VERSION,
        "ok": comparison.ok,
        "limits": asdict(comparison.limits),
        "total": {m: {"before": comparison.before[m], "after": comparison.after[m]} for m in comparison.limits.metrics},
        "total_regressions": comparison.total_regressions,
        "same": comparison.same,
        "changed": [
            {"name": c.name, "before": asdict(c.before), "after": asdict(c.after), "regressions": c.regressions}
            for c in comparison.changes
        ],
        "added": comparison.added,
        "removed": comparison.removed,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def as_text(comparison: Comparison, rows: int | None = ROWS) -> str:
    """Return the comparison as text with at most ``rows`` shaders; `None` for all."""
    metrics = comparison.limits.metrics
    lines = []
    shown, left = _shown(comparison, rows)
    cells = [
        ("total", [_cell(comparison.before[m], comparison.after[m]) for m in metrics], comparison.total_regressions)
    ]
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
    lines += _named("new", comparison.added, rows) + _named("gone", comparison.removed, rows)
    return "\n".join([*lines, verdict(comparison)]) + "\n"


def as_markdown(comparison: Comparison, rows: int | None = ROWS) -> str:
    """Return the comparison as Markdown with at most ``rows`` shaders; `None` for all."""
    metrics = comparison.limits.metrics
    shown, left = _shown(comparison, rows)
    lines = [f"**{verdict(comparison)}**", "", "| Shader | " + " | ".join(m.capitalize() for m in metrics) + " |"]
    lines.append("|---|" + "---:|" * len(metrics))
    table: list[tuple[str, Sequence[str], Sequence[str]]] = [
        ("total", [_cell(comparison.before[m], comparison.after[m]) for m in metrics], comparison.total_regressions)
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
    for word, names in (("New", comparison.added), ("Gone", comparison.removed)):
        if names:
            lines += ["", *_named(word, [f"`{name}`" for name in names], rows)]
    return "\n".join(lines) + "\n"


def verdict(comparison: Comparison) -> str:
    """Return the result of the comparison as one line."""
    parts = [f"{len(comparison.changes)} of {len(comparison.changes) + comparison.same} shaders changed"]
    regressed = len(comparison.regressed)
    if regressed:
        by = f" by more than {comparison.limits.growth * 100:.3g} %" if comparison.limits.growth else ""
        parts.append(f"{regressed} grew{by}")
    if comparison.total_regressions:
        parts.append("all together grew too much")
    return f"{'regression' if not comparison.ok else 'no regression'}: {', '.join(parts)}"


def _shown(comparison: Comparison, rows: int | None) -> tuple[list[Change], int]:
    """Return (changes to list: regressions, then the largest changes; number of omitted changes)."""
    if rows is None:
        return comparison.changes, 0
    first = comparison.regressed[:rows]
    rest = [change for change in comparison.changes if not change.regressions][: rows - len(first)]
    return first + rest, len(comparison.changes) - len(first) - len(rest)


def _cell(before: int, after: int) -> str:
    """Return the change of a metric as text: `1200 → 1260 (+5.0 %)`."""
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
