"""A block's memory as rows of 16 bytes, for the ruler and the picture."""

from __future__ import annotations

from dataclasses import dataclass

from hlsl_tool.layout.blocks import Block
from hlsl_tool.layout.rules import Rule
from hlsl_tool.layout.tree import Node, all_nodes, runs, tree

ROW = 16
LIMIT = 4096
"""Bytes of a block that are shown."""
OPTIONS = ("vulkan", "dx", "gl", "scalar")
PADDING = -1


@dataclass(frozen=True, slots=True)
class Row:
    offset: int
    cells: tuple[int, ...]
    """For each byte the position of its member among those of the block, or PADDING; short at the block's end."""


@dataclass(slots=True)
class Picture:
    """A block under one rule."""

    option: str
    rule: Rule
    nodes: list[Node]
    size: int
    """The end of the last member; of a structured buffer, what one element takes."""
    rows: list[Row]
    pieces: list[tuple[int, int, int]]
    """(member, offset, size) of what lies in one piece."""
    is_active: bool = False
    hidden: int = 0
    """Bytes behind the last row."""


def pictures(block: Block, active: str) -> list[Picture]:
    """The block under the four values of the layout option; ``active`` is the one that is compiled with."""
    return [picture(block, option, option == active) for option in OPTIONS]


def picture(block: Block, option: str, is_active: bool = False) -> Picture:
    rule = block.rule if is_active else block.rule_under(option)
    nodes = tree(block, rule)
    size = max([block.stride(rule) or 0, *(node.end for node in nodes)])
    shown = min(size, LIMIT)
    cells = [PADDING] * shown
    pieces: list[tuple[int, int, int]] = []
    for number, node in enumerate(nodes):
        for offset, length in runs(node.type, rule, node.row_major, block.default_row_major, node.offset):
            if offset >= shown:
                break
            length = min(length, shown - offset)
            cells[offset : offset + length] = [number] * length
            pieces.append((number, offset, length))
    rows = [Row(at, tuple(cells[at : at + ROW])) for at in range(0, shown, ROW)]
    return Picture(option, rule, nodes, size, rows, pieces, is_active, size - shown)


def flat(found: Picture) -> list[Node]:
    """Every member with those inside it; the first elements of arrays stand for the others."""
    return all_nodes(found.nodes)


def repeated(found: list[Picture], number: int) -> bool:
    """Whether row ``number`` is in every picture as the one before and the one behind it."""
    for each in found:
        around = [each.rows[n].cells if n < len(each.rows) else None for n in (number - 1, number, number + 1)]
        if len(set(around)) > 1:
            return False
    return True


def visible_rows(found: list[Picture]) -> list[tuple[int, int]]:
    """(number of the first row, how many rows stand for it): runs of equal rows are shown by their ends only."""
    out: list[tuple[int, int]] = []
    count = max(len(each.rows) for each in found)
    at = 0
    while at < count:
        last = at
        while at > 0 and last < count - 1 and repeated(found, last):
            last += 1
        if last - at > 1:
            out.append((at, last - at))
            at = last
        else:
            out.append((at, 1))
            at += 1
    return out
