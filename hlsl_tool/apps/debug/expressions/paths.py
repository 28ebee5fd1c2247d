"""Names with members and constant indices, which need no compiler: ``item.weights[2].x``."""

from __future__ import annotations

import re

from ..values.nodes import HandleNode, MemoryNode, Node, ValueNode
from ..values.scopes import View
from ..values.stack import Level

_PATH = re.compile(r"\s*([A-Za-z_]\w*)((?:\s*\.\s*[A-Za-z_]\w*|\s*\[\s*\d{1,15}\s*\])*)\s*")
_STEP = re.compile(r"\.\s*([A-Za-z_]\w*)|\[\s*(\d+)\s*\]")


def node_of_path(text: str, view: View, level: Level | None) -> Node | None:
    """Return the node that a path leads to; ``None`` if the text is another expression, or leads nowhere."""
    parsed = _PATH.fullmatch(text)
    if parsed is None:
        return None
    node = view.find(parsed[1], level)
    for step in _STEP.finditer(parsed[2]):
        if node is None:
            return None
        if isinstance(node, HandleNode):  # its children are facts, not members
            return None
        node = _index(node, int(step[2])) if step[2] else node.named(step[1])
    if node is not None and node.name != text.strip():
        node.name = text.strip()
    return node


def _index(node: Node, number: int) -> Node | None:
    """Return an element; ``None`` for values whose children are no elements, and out of bounds."""
    if isinstance(node, (ValueNode, MemoryNode)) and node.of.kind == "struct":
        return None
    return node.child(number) if number < node.count() else None
