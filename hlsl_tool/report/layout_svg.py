"""A block under the four layouts as a picture (SVG): a row is 16 bytes, a box what lies in one piece."""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape

from hlsl_tool.layout.blocks import Block
from hlsl_tool.report.rows import PADDING, ROW, Picture, pictures, visible_rows
from hlsl_tool.report.ruler import heading
from hlsl_tool.sema import types as ty

BYTE, LINE, GAP, LEFT, TOP = 14, 22, 28, 44, 84
COLORS = ("#7aa6d8", "#e0a868", "#86bf91", "#d58b98", "#a99bd0", "#cfc070", "#77bfc0", "#bf8fbf", "#a8b0b8", "#c99a7a")
_STYLE = """\
text { font: 11px ui-monospace, monospace; fill: #1c2126; }
.title { font-size: 14px; font-weight: bold; }
.active { font-weight: bold; }
.place { fill: #6b747c; }
.padding { fill: url(#padding); stroke: #b6bdc3; stroke-width: 0.5; }
.piece { stroke: #ffffff; stroke-width: 1; }
.sheet { fill: #ffffff; }"""

_HATCH = (
    '<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 6 L6 0" stroke="#c5cbd0" stroke-width="1"/></pattern></defs>'
)


def svg(block: Block, active: str) -> str:
    """The picture; the same block gives the same text."""
    found = pictures(block, active)
    rows = visible_rows(found)
    panel = ROW * BYTE + GAP
    width, height = LEFT + panel * len(found) + GAP // 2, TOP + LINE * (len(rows) + 1) + 12
    title, quote = escape(heading(block)), {'"': "&quot;"}
    label = escape(heading(block), quote)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">',
        f"<style>\n{_STYLE}\n</style>",
        _HATCH,
        f'<rect class="sheet" width="{width}" height="{height}"/>',
        f'<text class="title" x="{LEFT}" y="24">{title}</text>',
        f'<text class="place" x="{LEFT}" y="42">16 bytes a row; hatched: padding</text>',
    ]
    for number, (at, count) in enumerate(rows):
        y = TOP + number * LINE + 15
        text = "⋮" if count > 1 else at * ROW
        lines.append(f'<text class="place" x="{LEFT - 8}" y="{y}" text-anchor="end">{text}</text>')
    for number, each in enumerate(found):
        lines += _panel(each, rows, LEFT + number * panel)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(each: Picture, rows: list[tuple[int, int]], x: int) -> list[str]:
    kind = ' class="active"' if each.is_active else ""
    note = " (in use)" if each.is_active else ""
    lines = [
        f'<text{kind} x="{x}" y="{TOP - 20}">{each.option}{note}</text>',
        f'<text class="place" x="{x}" y="{TOP - 7}">{escape(each.rule.value)}, {each.size} bytes</text>',
    ]
    named: set[int] = set()
    for number, (at, count) in enumerate(rows):
        y = TOP + number * LINE
        if at >= len(each.rows):
            continue
        if count > 1:
            middle = f'x="{x + ROW * BYTE // 2}" y="{y + 15}" text-anchor="middle"'
            lines.append(f'<text class="place" {middle}>{count} rows alike</text>')
            continue
        first = 0
        for member, cells in groupby(each.rows[at].cells):
            length = len(list(cells))
            lines += _piece(each, member, x + first * BYTE, y, length * BYTE, named)
            first += length
    return lines


def _piece(each: Picture, member: int, x: int, y: int, width: int, named: set[int]) -> list[str]:
    if member == PADDING:
        return [f'<rect class="padding" x="{x}" y="{y}" width="{width}" height="{LINE - 2}"/>']
    node = each.nodes[member]
    color = COLORS[member % len(COLORS)]
    title = f"{ty.display(node.type)} {node.name}: offset {node.offset}, {node.extent.size} bytes"
    place = f'x="{x}" y="{y}" width="{width}" height="{LINE - 2}"'
    box = f'<rect class="piece" {place} fill="{color}"><title>{escape(title)}</title></rect>'
    label = node.name or ty.display(node.type)
    if member in named or len(label) * 7 > width - 4:
        return [box]
    named.add(member)
    return [box, f'<text x="{x + 4}" y="{y + 14}">{escape(label)}</text>']
