"""The text ruler: a block under the four layouts side by side."""

from __future__ import annotations

from hlsl_tool.layout.blocks import Block
from hlsl_tool.layout.tree import Node
from hlsl_tool.report.rows import PADDING, ROW, Picture, flat, pictures, visible_rows
from hlsl_tool.sema import types as ty

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
MARK = "*"
_COLUMN = 17


def heading(block: Block) -> str:
    element = f"<{block.type_name}>" if block.type_name else ""
    words = f"{block.kind}{element} {block.name}" if block.kind != block.name else block.name
    return words if block.element is None else f"{words} (one element)"


def ruler(block: Block, active: str) -> str:
    """Two tables: offset, size and padding of each member, and the bytes, a letter for each member."""
    found = pictures(block, active)
    lines = [heading(block), "", *_members(found), "", *_bytes(found)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def letter(number: int) -> str:
    return "." if number == PADDING else LETTERS[number % len(LETTERS)]


def _title(each: Picture) -> str:
    return each.option + (f" {MARK}" if each.is_active else "")


def _members(found: list[Picture]) -> list[str]:
    columns = [flat(each) for each in found]
    labels = [_label(node) for node in columns[0]]
    width = max(len("member"), *map(len, labels))
    lines = [f"{'':4}{'':{width}}    " + "".join(f"{_title(each):<{_COLUMN}}" for each in found)]
    lines.append(f"{'':4}{'member':{width}}  " + f"{'  at  size  pad':<{_COLUMN}}" * len(found))
    number = -1
    for i, label in enumerate(labels):
        number += columns[0][i].depth == 0
        key = letter(number) if columns[0][i].depth == 0 else ""
        cells = "".join(f"{_place(column[i]):<{_COLUMN}}" for column in columns)
        lines.append(f"{key:<4}{label:{width}}  {cells}")
    ends = "".join(f"{f'{each.size:>4}':<{_COLUMN}}" for each in found)
    lines.append(f"{'':4}{'end':{width}}  {ends}")
    rules = [f"{MARK + ' ' if each.is_active else ''}{each.option}: {each.rule.value}" for each in found]
    lines += ["", "; ".join(rules)]
    return lines


def _label(node: Node) -> str:
    bits = f" : {node.bits[1]}" if node.bits is not None else ""
    dims = ""
    t = node.type
    while isinstance(t, ty.Array):
        dims += f"[{'' if t.size is None else t.size}]"
        t = t.element
    return f"{'  ' * node.depth}{ty.display(t)} {node.name}{dims}{bits}".rstrip()


def _place(node: Node) -> str:
    return f"{node.offset:>4}  {node.extent.size:>4} {node.padding or '':>4}"


def _bytes(found: list[Picture]) -> list[str]:
    lines = [f"{'byte':>6}  " + "".join(f"{_title(each):<{ROW + 4}}" for each in found)]
    for at, count in visible_rows(found):
        if count > 1:
            lines.append(f"{'⋮':>6}  {count} rows like the one above")
            continue
        cells = []
        for each in found:
            row = each.rows[at].cells if at < len(each.rows) else None
            cells.append(f"{'|' + ''.join(map(letter, row)) + '|' if row is not None else '':<{ROW + 4}}")
        lines.append(f"{at * ROW:>6}  " + "".join(cells))
    if any(each.hidden for each in found):
        more = ", ".join(f"{each.option} {each.hidden}" for each in found if each.hidden)
        lines.append(f"{'⋮':>6}  bytes that are not shown: {more}")
    return lines
