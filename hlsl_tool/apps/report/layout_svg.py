"""Draw a block under the layouts `vulkan`, `dx`, `gl` and `scalar` as an SVG picture.

A row is 16 bytes, a box is a contiguous part of a member.
"""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape

from hlsl_tool.apps.report.rows import PADDING, ROW, Picture, flat, pictures, visible_rows
from hlsl_tool.apps.report.ruler import heading
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.frontend.sema.model import types as ty

BYTE, LINE, GAP, LEFT, TOP = 14, 22, 28, 44, 84
_PAGE_TOP = 36
COLORS = ("#7aa6d8", "#e0a868", "#86bf91", "#d58b98", "#a99bd0", "#cfc070", "#77bfc0", "#bf8fbf", "#a8b0b8", "#c99a7a")
_STYLE = """\
text { font: 11px ui-monospace, monospace; fill: #1c2126; }
.title { font-size: 14px; font-weight: bold; }
.active { font-weight: bold; }
.place { fill: #6b747c; }
.padding { fill: url(#padding); stroke: #b6bdc3; stroke-width: 0.5; }
.piece { stroke: #ffffff; stroke-width: 1; }
.sheet { fill: #ffffff; }"""

HATCH = (
    '<defs><pattern id="padding" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 6 L6 0" stroke="#c5cbd0" stroke-width="1"/></pattern></defs>'
)
_QUOTE = {'"': "&quot;"}
_Panels = list[tuple[list[str], Picture]]
"""Names of layouts, and the picture that they have in common."""


def svg(block: BlockLayout, active: str) -> str:
    """Return the picture as SVG text; the same block gives the same text."""
    panels = [([picture.option], picture) for picture in pictures(block, active)]
    rows = visible_rows([picture for _, picture in panels])
    label = escape(heading(block), _QUOTE)
    width, height = _size(panels, rows, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">',
        f"<style>\n{_STYLE}\n</style>",
        HATCH,
        f'<rect class="sheet" width="{width}" height="{height}"/>',
        f'<text class="title" x="{LEFT}" y="24">{escape(heading(block))}</text>',
        f'<text class="place" x="{LEFT}" y="42">16 bytes a row; hatched: padding</text>',
        *_drawn(panels, rows, TOP),
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def svg_in_page(block: BlockLayout, active: str, max_rows: int) -> str:
    """Return the picture for a page that defines the styles and `HATCH`; identical layouts share a panel.

    Rows after ``max_rows`` are omitted.
    """
    panels = distinct(pictures(block, active))
    rows = visible_rows([picture for _, picture in panels])
    hidden = len(rows) - max_rows
    rows = rows[:max_rows]
    width, height = _size(panels, rows, _PAGE_TOP)
    label = escape(f"{heading(block)}: bytes and padding", _QUOTE)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg class="block" {size} role="img" aria-label="{label}">',
        *_drawn(panels, rows, _PAGE_TOP),
    ]
    if hidden > 0:
        lines.append(f'<text class="place" x="{LEFT}" y="{height - 4}">… and {hidden} more rows</text>')
    return "\n".join([*lines, "</svg>"])


def distinct(pictures: list[Picture]) -> list[tuple[list[str], Picture]]:
    """Return the distinct pictures of a block, each with the names of all layouts that look like it.

    The picture of the active layout comes first.
    """
    panels: dict[object, tuple[list[str], Picture]] = {}
    for picture in sorted(pictures, key=lambda picture: not picture.is_active):
        panels.setdefault((picture.size, tuple(picture.pieces)), ([], picture))[0].append(picture.option)
    return list(panels.values())


def _size(panels: _Panels, rows: list[tuple[int, int]], top: int) -> tuple[int, int]:
    """Return (width, height) of an SVG picture with these panels and rows, in pixels; ``top`` is the height above."""
    return LEFT + (ROW * BYTE + GAP) * len(panels) + GAP // 2, top + LINE * (len(rows) + 1) + 12


def _drawn(panels: _Panels, rows: list[tuple[int, int]], top: int) -> list[str]:
    """Return SVG elements: the byte offset of each row at the left, and a panel with boxes for each layout."""
    lines = []
    for number, (at, count) in enumerate(rows):
        y = top + number * LINE + 15
        text = "⋮" if count > 1 else at * ROW
        lines.append(f'<text class="place" x="{LEFT - 8}" y="{y}" text-anchor="end">{text}</text>')
    for number, (options, picture) in enumerate(panels):
        lines += _panel(options, picture, rows, LEFT + number * (ROW * BYTE + GAP), top)
    return lines


def _panel(options: list[str], picture: Picture, rows: list[tuple[int, int]], x: int, top: int) -> list[str]:
    kind = ' class="active"' if picture.is_active else ""
    active = f"{options[0]} (in use)" if picture.is_active else options[0]
    lines = [
        f'<text{kind} x="{x}" y="{top - 20}">{", ".join([active, *options[1:]])}</text>',
        f'<text class="place" x="{x}" y="{top - 7}">{escape(picture.rule.value)}, {picture.size} bytes</text>',
    ]
    shown = {at: (top + number * LINE, count) for number, (at, count) in enumerate(rows) if at < len(picture.rows)}
    for at, (y, count) in shown.items():
        if count > 1:
            middle = f'x="{x + ROW * BYTE // 2}" y="{y + 15}" text-anchor="middle"'
            lines.append(f'<text class="place" {middle}>{count} rows alike</text>')
            continue
        first = 0
        for member, cells in groupby(picture.rows[at].cells):
            length = len(list(cells))
            if member == PADDING:
                lines.append(f'<rect class="padding" {_box(x, y, first, length)}/>')
            first += length
    names = {node.offset: (node.path, node.name) for node in reversed(flat(picture)) if not node.children}
    for member, offset, size in picture.pieces:
        node = picture.nodes[member]
        title = escape(f"{ty.display(node.type)} {node.name}: offset {node.offset}, {node.extent.size} bytes")
        for start, length in _by_rows(offset, size):
            y, count = shown.get(start // ROW, (0, 0))
            if count == 1:
                color = COLORS[member % len(COLORS)]
                place = _box(x, y, start % ROW, length)
                lines.append(f'<rect class="piece" {place} fill="{color}"><title>{title}</title></rect>')
                lines += _label(names.get(start, ()), x + start % ROW * BYTE, y, length * BYTE)
    return lines


def _by_rows(offset: int, size: int) -> list[tuple[int, int]]:
    """Split a range of bytes at the rows; return (offset, size) of each part."""
    out = []
    end = offset + size
    while offset < end:
        length = min(ROW - offset % ROW, end - offset)
        out.append((offset, length))
        offset += length
    return out


def _box(x: int, y: int, first: int, length: int) -> str:
    return f'x="{x + first * BYTE}" y="{y}" width="{length * BYTE}" height="{LINE - 2}"'


def _label(names: tuple[str, ...], x: int, y: int, width: int) -> list[str]:
    """Return a text element with the longest of ``names`` that fits; if none fits, with a truncated last one."""
    room = (width - 4) // 7
    fitting = [name for name in names if len(name) <= room]
    if not names or not names[-1]:
        return []
    name = fitting[0] if fitting else f"{names[-1][: room - 1]}…"
    return [f'<text x="{x + 4}" y="{y + 14}">{escape(name)}</text>']
