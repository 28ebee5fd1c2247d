"""Members by name: ``camera.view``, ``lights[2].color``, ``view`` where only one is called so."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hlsl_tool.layout.blocks import Block
from hlsl_tool.layout.rules import Extent, extent
from hlsl_tool.layout.tree import Node, all_nodes, tree
from hlsl_tool.sema.types import Array, Majorness, Type

_INDEX = re.compile(r"\[([0-9]*)\]")


class LookupProblem(Exception):
    """Nothing, or more than one thing, is called so; the text says what there is."""


@dataclass(slots=True)
class Found:
    block: Block
    node: Node
    path: str
    """As it was asked for, with the block's name."""
    shift: int
    """Bytes to the elements that the indices of the path name."""
    type: Type
    """Of that element, or of the member."""

    @property
    def extent(self) -> Extent:
        """Of what the path names."""
        block = self.block
        return extent(self.type, block.rule, self.node.row_major, block.default_row_major)

    @property
    def quals(self) -> tuple[str, ...]:
        """Of the declaration."""
        return self.node.field.quals if self.node.field is not None else self.block.element_quals

    @property
    def majorness(self) -> Majorness | None:
        """As the declaration or a pragma states it."""
        return self.node.field.majorness if self.node.field is not None else self.block.element_majorness


def find_block(blocks: Sequence[Block], name: str) -> Block:
    for block in blocks:
        if block.name == name:
            return block
    raise LookupProblem(_missing(f"no block is called `{name}`", name, [block.name for block in blocks]))


def find_member(blocks: Sequence[Block], name: str) -> Found:
    """The member that a path names, with or without its block, from any member on."""
    wanted = _plain(name)
    candidates = [(block, node) for block in blocks for node in all_nodes(tree(block))]
    if not wanted:
        raise LookupProblem(f"`{name}` is no name of a member")
    found = [(b, n) for b, n in candidates if _full(b, n) == wanted]
    found = found or [(b, n) for b, n in candidates if _full(b, n).endswith(f".{wanted}")]
    if len(found) > 1:
        raise LookupProblem(f"`{name}` may be {_listed(sorted(_full(b, n) for b, n in found))}")
    if not found:
        for block in blocks:
            if block.name == name:
                members = _listed([_plain(n.path) for n in tree(block)], "and")
                raise LookupProblem(f"`{name}` is a block, with {members}")
        known = [_full(b, n) for b, n in candidates]
        known += [n.name for _, n in candidates if n.name]
        raise LookupProblem(_missing(f"no member is called `{name}`", wanted, known))
    block, node = found[0]
    shift, t = _element(block, node, name)
    path = name if name.startswith(block.name) else f"{block.name}.{name}" if node.path else name
    return Found(block, node, path, shift, t)


def _plain(path: str) -> str:
    return _INDEX.sub("", path).strip(".")


def _full(block: Block, node: Node) -> str:
    return f"{block.name}.{_plain(node.path)}".rstrip(".")


def _element(block: Block, node: Node, name: str) -> tuple[int, Type]:
    """What the indices of the path add to the offset, and the type of what it names."""
    shift, found = 0, node.type
    at: Node | None = node
    for part in reversed(name.split(".")):
        if at is None:
            break
        t = at.type
        for number in [int(number) for number in _INDEX.findall(part) if number]:
            if not isinstance(t, Array):
                raise LookupProblem(f"`{at.name}` of `{block.name}` has fewer dimensions than `{part}`")
            if t.size is not None and number >= t.size:
                raise LookupProblem(f"`{part}`: there is no [{number}] among {t.size} elements")
            shift += number * extent(t, block.rule, at.row_major, block.default_row_major).stride
            t = t.element
        if at is node:
            found = t
        at = at.parent
    return shift, found


def _listed(names: Sequence[str], word: str = "or") -> str:
    quoted = [f"`{each}`" for each in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


def _missing(text: str, name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.5)
    if close:
        return f"{text}; did you mean {_listed(close)}?"
    shown = list(dict.fromkeys(known))[:8]
    return f"{text}; there is {', '.join(f'`{each}`' for each in shown)}" if shown else f"{text}: the shader has none"
