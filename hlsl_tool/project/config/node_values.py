"""Convert YAML nodes to values, with one function for each kind of value in the option table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Values
from typing import Any

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import ALL_SPACES, DEBUG_EVERYTHING, HLSL_202X
from hlsl_tool.base.options.kinds import (
    Bool,
    Choice,
    Debug,
    HexInt,
    Int,
    Kind,
    ListOf,
    Optimize,
    Place,
    Registers,
    Shifts,
    Text,
    Tristate,
    Validate,
    Version,
)
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.project.config.expansion import name_templates as names
from hlsl_tool.project.config.keys import Template
from hlsl_tool.project.config.nodes import Mapping, Node, Scalar, Sequence, describe, trap


class _Wrong(Exception):
    """Raised after an error about the node was reported."""


class Reader:
    """Converts the value of one key.

    Methods raise ``_Wrong`` after reporting an error at the location of the node.
    """

    __slots__ = ("key", "sink")

    def __init__(self, key: str, sink: Sink) -> None:
        self.key = key
        self.sink = sink

    def type_error(self, node: Node, expected: str, hint: str | None = None) -> _Wrong:
        """Report that a value has the wrong type; return the exception that the caller raises."""
        self.sink.error(codes.WRONG_TYPE, node.at, hint=hint, key=self.key, wanted=expected, got=describe(node))
        return _Wrong()

    def choice_error(self, node: Scalar, choices: Values[str]) -> _Wrong:
        """Report a value that is none of the choices; return the exception that the caller raises."""
        hint = did_you_mean(node.text, choices)
        self.sink.error(codes.BAD_CHOICE, node.at, hint=hint, key=self.key, value=node.text, choices=", ".join(choices))
        return _Wrong()

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
            raise _Wrong
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
            raise _Wrong
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

        If nodes have errors, all of these are reported before ``_Wrong`` is raised.
        """
        values: list[object] = []
        wrong = False
        for node in nodes:
            try:
                values.append(read(node))
            except _Wrong:
                wrong = True
        if wrong:
            raise _Wrong
        return tuple(values)

    def pair(self, node: Node, expected: str) -> list[Node]:
        """Return the two items of a list; report another number of items, or another kind of value."""
        if not isinstance(node, Sequence) or len(node.items) != 2:
            raise self.type_error(node, expected)
        return node.items


def read(node: Node, kind: Kind, key: str, sink: Sink) -> object:
    """Convert the value of a key; return `WRONG` after an error."""
    try:
        return _READERS[type(kind)](Reader(key, sink), node, kind)
    except _Wrong:
        return WRONG


WRONG = object()
"""The result for an invalid value, about which an error has been reported."""


# ---------------------------------------------------------------- one function a kind

_MAX = 0x7FFFFFFF


def _list(reader: Reader, node: Node, kind: ListOf) -> object:
    item = kind.item
    expected = f"a list (of one {item.what if isinstance(item, Text) else 'value'} or more)"
    nodes = reader.items(node, expected)
    if not nodes and not kind.may_be_empty:
        raise reader.type_error(node, expected)
    if isinstance(item, Choice):
        return reader.read_all(nodes, lambda node: reader.choice(node, item.values))
    return reader.read_all(nodes, lambda node: reader.text(node, item))


def _version(reader: Reader, node: Node, kind: Version) -> object:
    versions = ("2016", "2017", "2018", "2021", "202x")
    text = reader.choice(node, versions)
    return HLSL_202X if text == "202x" else int(text)


def _shifts(reader: Reader, node: Node, kind: Shifts) -> object:
    expected = "[shift, space] or [shift, all], or a list of those"
    if not isinstance(node, Sequence) or not node.items:
        raise reader.type_error(node, expected)
    several = all(isinstance(item, Sequence) for item in node.items)

    def one(item: Node) -> tuple[int, int]:
        shift, space = reader.pair(item, expected)
        amount = reader.integer(shift, 0, _MAX)
        if isinstance(space, Scalar) and space.text == "all":
            return amount, ALL_SPACES
        return amount, reader.integer(space, 0, _MAX)

    pairs = reader.read_all(node.items if several else [node], one)
    if len(pairs) > 1 and any(pair[1] == ALL_SPACES for pair in pairs):  # type: ignore[index]  # pairs of int
        raise reader.type_error(node, "[shift, all] alone, or no `all`")
    return pairs


def _registers(reader: Reader, node: Node, kind: Registers) -> object:
    names = ("register", "space", "binding", "set")
    expected = "a list of {register: t3, space: 0, binding: 5, set: 1}"
    if not isinstance(node, Sequence):
        raise reader.type_error(node, expected)

    def one(item: Node) -> tuple[str, int, int, int]:
        if not isinstance(item, Mapping):
            raise reader.type_error(item, expected)
        for name, _ in item.entries:
            if name.text not in names:
                hint = did_you_mean(name.text, names)
                reader.sink.error(codes.UNKNOWN_KEY, name.at, hint=hint, key=name.text, where=f"`{reader.key}`")
                raise _Wrong
        register, binding, space, place = (item.get(name) for name in ("register", "binding", "space", "set"))
        if register is None or binding is None:
            missing = "binding" if register else "register"
            reader.sink.error(codes.MISSING_KEY, item.at, where=f"an item of `{reader.key}`", key=missing)
            raise _Wrong
        return (
            reader.text(register, Text("register such as t3", r"[btsuBTSU][0-9]+")).lower(),
            reader.integer(space, 0, _MAX) if space else 0,
            reader.integer(binding, 0, _MAX),
            reader.integer(place, 0, _MAX) if place else 0,
        )

    return reader.read_all(node.items, one)


def _place(reader: Reader, node: Node, kind: Place) -> object:
    binding, place = reader.pair(node, "[binding, set]")
    return reader.integer(binding, 0, _MAX), reader.integer(place, 0, _MAX)


def _debug(reader: Reader, node: Node, kind: Debug) -> object:
    if isinstance(node, Scalar) and node.text in ("true", "false") and node.plain:
        return DEBUG_EVERYTHING if node.text == "true" else ()
    nodes = reader.items(node, "true, false or a list of categories")
    return reader.read_all(nodes, lambda word: reader.choice(word, kind.values))


def _optimize(reader: Reader, node: Node, kind: Optimize) -> object:
    words = ("none", "size", "performance")
    if isinstance(node, Scalar) and not node.text.startswith("-"):
        return reader.choice(node, words)
    passes = reader.read_all(
        reader.items(node, f"one of {', '.join(words)}, or a list of spirv-opt passes"),
        lambda option: reader.text(
            option, Text("spirv-opt pass such as --loop-unroll", r"-[-A-Za-z0-9_=:.]+( [^\n]*)?")
        ),
    )
    return passes or "none"


def _validate(reader: Reader, node: Node, kind: Validate) -> object:
    words = {"true": "yes", "false": "no", "required": "required"}
    if isinstance(node, Scalar) and node.text in words:
        return words[node.text]
    hint = "write `true` or `false`" if isinstance(node, Scalar) and trap(node) else None
    raise reader.type_error(node, "true, false or required", hint)


_TEMPLATE_HINT = "it has letters, digits, `_.+-/`, and placeholders such as {stem}, {MACRO} and {MACRO=1?text}"


def _template(reader: Reader, node: Node, kind: Template) -> object:
    text = reader.text(node)
    if not names.is_template(text):
        raise reader.type_error(node, f"a {kind.what}", _TEMPLATE_HINT)
    return text


_READERS: dict[type[Kind], Callable[[Reader, Node, Any], object]] = {
    Bool: lambda reader, node, kind: reader.boolean(node),
    Tristate: lambda reader, node, kind: reader.boolean(node),
    Int: lambda reader, node, kind: reader.integer(node, kind.low, kind.high),
    HexInt: lambda reader, node, kind: reader.integer(node, 1, 0xFFFFFFFF, hexadecimal=True),
    Text: lambda reader, node, kind: reader.text(node, kind),
    Choice: lambda reader, node, kind: reader.choice(node, kind.values),
    ListOf: _list,
    Version: _version,
    Shifts: _shifts,
    Registers: _registers,
    Place: _place,
    Debug: _debug,
    Optimize: _optimize,
    Validate: _validate,
    Template: _template,
}
