"""Find members by name: ``camera.view``, ``lights[2].color``, or ``view`` if the name is unique."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.rules import Extent, extent
from hlsl_tool.codegen.layout.tree import Node, all_nodes, tree
from hlsl_tool.frontend.sema.model.types import Array, Majorness, Type

_INDEX = re.compile(r"\[([0-9]*)\]")


class LookupProblem(Exception):
    """Raised for a missing or ambiguous name; the message lists the candidates."""


@dataclass(slots=True)
class MemberPath:
    """The member of a block, or the array element of one, that a path such as ``lights[2].color`` denotes."""

    block: BlockLayout
    node: Node
    path: str
    """The given path, with the block's name."""
    shift: int
    """The bytes that the indices of the path add to the member's offset."""
    type: Type
    """The type of the element, or of the member."""

    @property
    def extent(self) -> Extent:
        block = self.block
        return extent(self.type, block.rule, self.node.row_major, block.default_row_major)

    @property
    def quals(self) -> tuple[str, ...]:
        return self.node.field.quals if self.node.field is not None else self.block.element_quals

    @property
    def majorness(self) -> Majorness | None:
        """The majorness that the declaration or a pragma states, if any."""
        return self.node.field.majorness if self.node.field is not None else self.block.element_majorness


def find_block(blocks: Sequence[BlockLayout], name: str) -> BlockLayout:
    """Return the block with this name; raise ``LookupProblem`` if there is none."""
    for block in blocks:
        if block.name == name:
            return block
    raise LookupProblem(_missing(f"no block is called `{name}`", name, [block.name for block in blocks]))


def find_member(blocks: Sequence[BlockLayout], name: str) -> MemberPath:
    """Return the member that a path denotes; the path may start at the block or at any member.

    Raises ``LookupProblem`` for a missing or ambiguous name, or an index out of range.
    """
    plain = _plain(name)
    candidates = [(block, node) for block in blocks for node in all_nodes(tree(block))]
    if not plain:
        raise LookupProblem(f"`{name}` is no name of a member")
    matches = [(b, n) for b, n in candidates if _full(b, n) == plain]
    matches = matches or [(b, n) for b, n in candidates if _full(b, n).endswith(f".{plain}")]
    if len(matches) > 1:
        raise LookupProblem(f"`{name}` may be {_listed(sorted(_full(b, n) for b, n in matches))}")
    if not matches:
        for block in blocks:
            if block.name == name:
                members = _listed([_plain(n.path) for n in tree(block)], "and")
                raise LookupProblem(f"`{name}` is a block, with {members}")
        names = [_full(b, n) for b, n in candidates]
        names += [n.name for _, n in candidates if n.name]
        raise LookupProblem(_missing(f"no member is called `{name}`", plain, names))
    block, node = matches[0]
    shift, t = _element(block, node, name)
    path = name if name.startswith(block.name) else f"{block.name}.{name}" if node.path else name
    return MemberPath(block, node, path, shift, t)


def _plain(path: str) -> str:
    return _INDEX.sub("", path).strip(".")


def _full(block: BlockLayout, node: Node) -> str:
    return f"{block.name}.{_plain(node.path)}".rstrip(".")


def _element(block: BlockLayout, node: Node, name: str) -> tuple[int, Type]:
    """Return (bytes that the path's indices add to the member's offset, type of the element)."""
    shift, element = 0, node.type
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
            element = t
        at = at.parent
    return shift, element


def _listed(names: Sequence[str], word: str = "or") -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


def _missing(text: str, name: str, names: Sequence[str]) -> str:
    hint = did_you_mean(name, names)
    if hint is not None:
        return f"{text}; {hint}"
    shown = list(dict.fromkeys(names))[:8]
    return f"{text}; there is {', '.join(f'`{other}`' for other in shown)}" if shown else f"{text}: the shader has none"
