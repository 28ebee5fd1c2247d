"""The text ruler: print a block under the layouts `vulkan`, `dx`, `gl` and `scalar`, side by side."""

from __future__ import annotations

from hlsl_tool.apps.report.rows import PADDING, ROW, Picture, flat, pictures, visible_rows
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.tree import Node
from hlsl_tool.frontend.sema.model import types as ty

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
MARK = "*"
_COLUMN = 17


def heading(block: BlockLayout) -> str:
    """Return a line with the kind, type and name of a block."""
    element = f"<{block.type_name}>" if block.type_name else ""
    words = f"{block.kind}{element} {block.name}" if block.kind != block.name else block.name
    return words if block.element is None else f"{words} (one element)"


def ruler(block: BlockLayout, active: str) -> str:
    """Return two tables: offset, size and padding of each member; and all bytes, with a letter for each member."""
    columns = pictures(block, active)
    lines = [heading(block), "", *_members(columns), "", *_bytes(columns)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def letter(number: int) -> str:
    """Return the letter for the bytes of a member; after the last letter they repeat, and `.` is used for padding."""
    return "." if number == PADDING else LETTERS[number % len(LETTERS)]


def _title(picture: Picture) -> str:
    return picture.option + (f" {MARK}" if picture.is_active else "")


def _members(shown: list[Picture]) -> list[str]:
    columns = [flat(picture) for picture in shown]
    labels = [_label(node) for node in columns[0]]
    width = max(len("member"), *map(len, labels))
    lines = [f"{'':4}{'':{width}}    " + "".join(f"{_title(picture):<{_COLUMN}}" for picture in shown)]
    lines.append(f"{'':4}{'member':{width}}  " + f"{'  at  size  pad':<{_COLUMN}}" * len(shown))
    number = -1
    for i, label in enumerate(labels):
        number += columns[0][i].depth == 0
        key = letter(number) if columns[0][i].depth == 0 else ""
        cells = "".join(f"{_place(column[i]):<{_COLUMN}}" for column in columns)
        lines.append(f"{key:<4}{label:{width}}  {cells}")
    ends = "".join(f"{f'{picture.size:>4}':<{_COLUMN}}" for picture in shown)
    lines.append(f"{'':4}{'end':{width}}  {ends}")
    rules = [f"{MARK + ' ' if picture.is_active else ''}{picture.option}: {picture.rule.value}" for picture in shown]
    lines += ["", "; ".join(rules)]
    return lines


def type_words(node: Node, name: str = "") -> str:
    """Return the declaration of a member, `float4 tint[3] : 5`, or only its type if ``name`` is empty."""
    bits = f" : {node.bits[1]}" if node.bits is not None else ""
    dims = ""
    t = node.type
    while isinstance(t, ty.Array):
        dims += f"[{'' if t.size is None else t.size}]"
        t = t.element
    return f"{ty.display(t)}{' ' if name else ''}{name}{dims}{bits}"


def _label(node: Node) -> str:
    return f"{'  ' * node.depth}{type_words(node, node.name)}"


def _place(node: Node) -> str:
    return f"{node.offset:>4}  {node.extent.size:>4} {node.padding or '':>4}"


def _bytes(shown: list[Picture]) -> list[str]:
    lines = [f"{'byte':>6}  " + "".join(f"{_title(picture):<{ROW + 4}}" for picture in shown)]
    for at, count in visible_rows(shown):
        if count > 1:
            lines.append(f"{'⋮':>6}  {count} rows like the one above")
            continue
        cells = []
        for picture in shown:
            row = picture.rows[at].cells if at < len(picture.rows) else None
            cells.append(f"{'|' + ''.join(map(letter, row)) + '|' if row is not None else '':<{ROW + 4}}")
        lines.append(f"{at * ROW:>6}  " + "".join(cells))
    if any(picture.hidden for picture in shown):
        more = ", ".join(f"{picture.option} {picture.hidden}" for picture in shown if picture.hidden)
        lines.append(f"{'⋮':>6}  bytes that are not shown: {more}")
    return lines
