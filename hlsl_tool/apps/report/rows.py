"""The memory of a block as rows of 16 bytes, for the text ruler and the picture."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.layout.tree import Node, all_nodes, runs, tree

ROW = 16
LIMIT = 4096
"""The number of bytes of a block that are shown."""
OPTIONS = ("vulkan", "dx", "gl", "scalar")
PADDING = -1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of 16 bytes."""

    offset: int
    cells: tuple[int, ...]
    """For each byte the index of its member in the block, or PADDING; the last row of a block may be shorter."""


@dataclass(slots=True)
class Picture:
    """A block as laid out by one rule."""

    option: str
    rule: Rule
    nodes: list[Node]
    size: int
    """The end of the last member; for a structured buffer the size of an element."""
    rows: list[Row]
    pieces: list[tuple[int, int, int]]
    """(member, offset, size) of the contiguous parts."""
    is_active: bool = False
    hidden: int = 0
    """The number of bytes behind the last row."""


def pictures(block: BlockLayout, active: str) -> list[Picture]:
    """Return a block as laid out by each value of the layout option; ``active`` is the value of the compilation."""
    return [picture(block, option, option == active) for option in OPTIONS]


def picture(block: BlockLayout, option: str, is_active: bool = False) -> Picture:
    """Return a block as laid out by one value of the layout option."""
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


def flat(picture: Picture) -> list[Node]:
    """Return all members of a block at any depth; of an array of structs, only the members of the first element."""
    return all_nodes(picture.nodes)


def repeated(pictures: list[Picture], number: int) -> bool:
    """Return whether a row equals the previous and the next row in every picture."""
    for picture in pictures:
        around = [picture.rows[n].cells if n < len(picture.rows) else None for n in (number - 1, number, number + 1)]
        if len(set(around)) > 1:
            return False
    return True


def visible_rows(pictures: list[Picture]) -> list[tuple[int, int]]:
    """Return (first row, number of rows) for each line of the ruler; successive equal rows share a line."""
    out: list[tuple[int, int]] = []
    count = max(len(picture.rows) for picture in pictures)
    at = 0
    while at < count:
        last = at
        while at > 0 and last < count - 1 and repeated(pictures, last):
            last += 1
        if last - at > 1:
            out.append((at, last - at))
            at = last
        else:
            out.append((at, 1))
            at += 1
    return out
