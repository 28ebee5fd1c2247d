"""Line charts of the history, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from hlsl_tool.apps.report.html.page_data import PointRow

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 560, 170, 78, 14, 24
SPARK_WIDTH, SPARK_HEIGHT = 48, 18


def line_chart(values: Sequence[int], title: str, rows: Sequence[PointRow]) -> Markup:
    """Return a chart of a value over the points of the history, of which there are at least two."""
    low, high = min(values), max(values)
    places = _places(values, LEFT, TOP, WIDTH - LEFT - 12, HEIGHT - TOP - BOTTOM)
    label = f"{title}: from {values[0]:,} on {rows[0].time} to {values[-1]:,} on {rows[-1].time}"
    dots = Markup("").join(
        Markup('<circle cx="{}" cy="{}" r="3.5"><title>{}: {}</title></circle>').format(x, y, row.time, f"{value:,}")
        for (x, y), value, row in zip(places, values, rows, strict=True)
    )
    bottom, first, last = HEIGHT - BOTTOM, rows[0].time, rows[-1].time
    axis = Markup('<line class="axis" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(LEFT - 8, TOP, bottom)
    labels = Markup("").join(
        Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(*text)
        for text in (
            (LEFT - 14, TOP + 4, "end", f"{high:,}"),
            *([(LEFT - 14, bottom, "end", f"{low:,}")] if low != high else []),
            (LEFT, HEIGHT - 4, "start", first),
            (WIDTH - 12, HEIGHT - 4, "end", last),
        )
    )
    return Markup('<svg class="line" viewBox="0 0 {} {}" role="img" aria-label="{}">{}<path d="{}"/>{}{}</svg>').format(
        WIDTH, HEIGHT, label, axis, _path(places), dots, labels
    )


def sparkline(values: Sequence[int], name: str, unit: str) -> Markup:
    """Return a small chart of the size, or the number of instructions, of a shader."""
    places = _places(values, 2, 2, SPARK_WIDTH - 4, SPARK_HEIGHT - 4)
    label = f"{name}: from {values[0]:,} to {values[-1]:,} {unit}"
    return Markup(
        '<svg class="spark" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">'
        '<path d="{3}"/></svg>'
    ).format(SPARK_WIDTH, SPARK_HEIGHT, label, _path(places))


def _places(values: Sequence[int], left: int, top: int, width: int, height: int) -> list[tuple[str, str]]:
    """Return the (x, y) coordinates of the points of a line chart, as texts with one decimal.

    The chart fills the given box from the first to the last, and from the smallest to the largest value.
    """
    low, high = min(values), max(values)
    step = width / max(1, len(values) - 1)
    return [
        (f"{left + number * step:.1f}", f"{top + height * (high - value) / ((high - low) or 1):.1f}")
        for number, value in enumerate(values)
    ]


def _path(places: Sequence[tuple[str, str]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)
