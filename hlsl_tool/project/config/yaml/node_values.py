"""Convert YAML nodes to booleans, numbers, texts and lists, and report nodes of another type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Values

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.kinds import (
    Text,
)
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.project.config.yaml.nodes import Node, Scalar, Sequence, describe, trap


class Wrong(Exception):
    """Raised after an error about the node was reported."""


class Reader:
    """Converts the value of one key.

    Methods raise ``Wrong`` after reporting an error at the location of the node.
    """

    __slots__ = ("key", "sink")

    def __init__(self, key: str, sink: Sink) -> None:
        self.key = key
        self.sink = sink

    def type_error(self, node: Node, expected: str, hint: str | None = None) -> Wrong:
        """Report that a value has the wrong type; return the exception that the caller raises."""
        self.sink.error(codes.WRONG_TYPE, node.at, hint=hint, key=self.key, wanted=expected, got=describe(node))
        return Wrong()

    def choice_error(self, node: Scalar, choices: Values[str]) -> Wrong:
        """Report a value that is none of the choices; return the exception that the caller raises."""
        hint = did_you_mean(node.text, choices)
        self.sink.error(codes.BAD_CHOICE, node.at, hint=hint, key=self.key, value=node.text, choices=", ".join(choices))
        return Wrong()

    # ---- scalars

    def boolean(self, node: Node) -> bool:
        """Convert an unquoted `true` or `false`."""
        if isinstance(node, Scalar) and node.plain and node.text in ("true", "false"):
            return node.text == "true"
        hint = None
        if isinstance(node, Scalar) and (trap(node) == "true or false" or node.text in ("0", "1", "true", "false")):
            positive = node.text.lower() in ("y", "yes", "on", "1", "true")
            hint = f"write `{'true' if positive else 'false'}`"
        raise self.type_error(node, "true or false", hint)

    def integer(self, node: Node, low: int, high: int, *, hexadecimal: bool = False) -> int:
        """Convert an unquoted number; report one that is not from ``low`` to ``high``."""
        if not isinstance(node, Scalar) or not node.plain:
            raise self.type_error(node, "a whole number")
        text = node.text
        if hexadecimal and re.fullmatch(r"0x[0-9A-Fa-f]+", text):
            value = int(text, 16)
        elif re.fullmatch(r"-?(0|[1-9][0-9]*)", text) and len(text) < 40:
            value = int(text)
        else:
            raise self.type_error(node, "a whole number")
        if not low <= value <= high:
            self.sink.error(codes.OUT_OF_RANGE, node.at, key=self.key, value=text, low=low, high=high)
            raise Wrong
        return value

    def text(self, node: Node, kind: Text | None = None) -> str:
        """Return a text.

        Report it if it does not match the pattern of ``kind``, or if some YAML parsers read it as no text.
        """
        kind = kind or Text()
        expected = "text" if kind.what == "text" else f"a {kind.what}"
        if not isinstance(node, Scalar) or (not node.text and node.plain):
            raise self.type_error(node, expected)
        meaning = trap(node)
        if meaning and kind.pattern:
            raise self.type_error(node, expected)
        if meaning:
            self.sink.error(codes.AMBIGUOUS, node.at, text=node.text, meaning=meaning)
            raise Wrong
        if "\0" in node.text or (kind.pattern and not re.fullmatch(kind.pattern, node.text)):
            raise self.type_error(node, expected)
        return node.text

    def choice(self, node: Node, choices: Values[str]) -> str:
        if not isinstance(node, Scalar):
            raise self.type_error(node, f"one of {', '.join(choices)}")
        if node.text not in choices:
            raise self.choice_error(node, choices)
        return node.text

    # ---- lists

    def items(self, node: Node, expected: str) -> list[Node]:
        """Return the items of a list; a scalar counts as a list with one item."""
        if isinstance(node, Sequence):
            return node.items
        if isinstance(node, Scalar) and (node.text or not node.plain):
            return [node]
        raise self.type_error(node, expected)

    def read_all(self, nodes: Iterable[Node], read: Callable[[Node], object]) -> tuple[object, ...]:
        """Convert all nodes with ``read`` and return the values.

        If nodes have errors, all of these are reported before ``Wrong`` is raised.
        """
        values: list[object] = []
        wrong = False
        for node in nodes:
            try:
                values.append(read(node))
            except Wrong:
                wrong = True
        if wrong:
            raise Wrong
        return tuple(values)

    def pair(self, node: Node, expected: str) -> list[Node]:
        """Return the two items of a list; report another number of items, or another kind of value."""
        if not isinstance(node, Sequence) or len(node.items) != 2:
            raise self.type_error(node, expected)
        return node.items


WRONG = object()
"""The result for an invalid value, about which an error has been reported."""
