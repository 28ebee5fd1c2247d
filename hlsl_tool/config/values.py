"""YAML nodes → values, one reader for each kind of the option table."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Values
from typing import Any

from hlsl_tool.config.nodes import Mapping, Node, Scalar, Sequence, describe, trap
from hlsl_tool.diagnostics.catalogue import config as codes
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.options.kinds import (
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
from hlsl_tool.options.model import ALL_SPACES, DEBUG_EVERYTHING, HLSL_202X


class _Wrong(Exception):
    """The node has been complained about."""


class Reader:
    """Reads the value of one key; every problem goes to the sink with the place of the node."""

    __slots__ = ("key", "sink")

    def __init__(self, key: str, sink: Sink) -> None:
        self.key = key
        self.sink = sink

    def type_error(self, node: Node, wanted: str, hint: str | None = None) -> _Wrong:
        self.sink.error(codes.WRONG_TYPE, node.at, hint=hint, key=self.key, wanted=wanted, got=describe(node))
        return _Wrong()

    def choice_error(self, node: Scalar, choices: Values[str]) -> _Wrong:
        hint = did_you_mean(node.text, choices)
        self.sink.error(codes.BAD_CHOICE, node.at, hint=hint, key=self.key, value=node.text, choices=", ".join(choices))
        return _Wrong()

    # ---- scalars

    def boolean(self, node: Node) -> bool:
        if isinstance(node, Scalar) and node.plain and node.text in ("true", "false"):
            return node.text == "true"
        hint = None
        if isinstance(node, Scalar) and (trap(node) == "true or false" or node.text in ("0", "1", "true", "false")):
            positive = node.text.lower() in ("y", "yes", "on", "1", "true")
            hint = f"write `{'true' if positive else 'false'}`"
        raise self.type_error(node, "true or false", hint)

    def integer(self, node: Node, low: int, high: int, *, hexadecimal: bool = False) -> int:
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
        kind = kind or Text()
        wanted = "text" if kind.what == "text" else f"a {kind.what}"
        if not isinstance(node, Scalar) or (not node.text and node.plain):
            raise self.type_error(node, wanted)
        meaning = trap(node)
        if meaning and kind.pattern:
            raise self.type_error(node, wanted)
        if meaning:
            self.sink.error(codes.AMBIGUOUS, node.at, text=node.text, meaning=meaning)
            raise _Wrong
        if "\0" in node.text or (kind.pattern and not re.fullmatch(kind.pattern, node.text)):
            raise self.type_error(node, wanted)
        return node.text

    def choice(self, node: Node, choices: Values[str]) -> str:
        if not isinstance(node, Scalar):
            raise self.type_error(node, f"one of {', '.join(choices)}")
        if node.text not in choices:
            raise self.choice_error(node, choices)
        return node.text

    # ---- lists

    def items(self, node: Node, wanted: str) -> list[Node]:
        """A list; one scalar stands for a list of one."""
        if isinstance(node, Sequence):
            return node.items
        if isinstance(node, Scalar) and (node.text or not node.plain):
            return [node]
        raise self.type_error(node, wanted)

    def each(self, nodes: Iterable[Node], read: Callable[[Node], object]) -> tuple[object, ...]:
        """Read all, so that several mistakes in a list are told at once."""
        found: list[object] = []
        wrong = False
        for node in nodes:
            try:
                found.append(read(node))
            except _Wrong:
                wrong = True
        if wrong:
            raise _Wrong
        return tuple(found)

    def pair(self, node: Node, wanted: str) -> list[Node]:
        if not isinstance(node, Sequence) or len(node.items) != 2:
            raise self.type_error(node, wanted)
        return node.items


def read(node: Node, kind: Kind, key: str, sink: Sink) -> object:
    """The value, or `WRONG` after a complaint."""
    try:
        return _READERS[type(kind)](Reader(key, sink), node, kind)
    except _Wrong:
        return WRONG


WRONG = object()
"""Stands for a value that was complained about."""


def did_you_mean(word: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    known = sorted(words)
    folded = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), list(folded), n=1, cutoff=cutoff)
    return f"did you mean `{folded[close[0]]}`?" if close else None


# ---------------------------------------------------------------- one function a kind

_MAX = 0x7FFFFFFF


def _list(reader: Reader, node: Node, kind: ListOf) -> object:
    item = kind.item
    what = item.what if isinstance(item, Text) else "value"
    wanted = f"a list (of one {what} or more)"
    nodes = reader.items(node, wanted)
    if not nodes and not kind.may_be_empty:
        raise reader.type_error(node, wanted)
    if isinstance(item, Choice):
        return reader.each(nodes, lambda each: reader.choice(each, item.values))
    return reader.each(nodes, lambda each: reader.text(each, item))


def _version(reader: Reader, node: Node, kind: Version) -> object:
    versions = ("2016", "2017", "2018", "2021", "202x")
    text = reader.choice(node, versions)
    return HLSL_202X if text == "202x" else int(text)


def _shifts(reader: Reader, node: Node, kind: Shifts) -> object:
    wanted = "[shift, space] or [shift, all], or a list of those"
    if not isinstance(node, Sequence) or not node.items:
        raise reader.type_error(node, wanted)
    several = all(isinstance(item, Sequence) for item in node.items)

    def one(each: Node) -> tuple[int, int]:
        shift, space = reader.pair(each, wanted)
        amount = reader.integer(shift, 0, _MAX)
        if isinstance(space, Scalar) and space.text == "all":
            return amount, ALL_SPACES
        return amount, reader.integer(space, 0, _MAX)

    found = reader.each(node.items if several else [node], one)
    if len(found) > 1 and any(pair[1] == ALL_SPACES for pair in found):  # type: ignore[index]  # pairs of int
        raise reader.type_error(node, "[shift, all] alone, or no `all`")
    return found


def _registers(reader: Reader, node: Node, kind: Registers) -> object:
    names = ("register", "space", "binding", "set")
    wanted = "a list of {register: t3, space: 0, binding: 5, set: 1}"
    if not isinstance(node, Sequence):
        raise reader.type_error(node, wanted)

    def one(each: Node) -> tuple[str, int, int, int]:
        if not isinstance(each, Mapping):
            raise reader.type_error(each, wanted)
        for name, _ in each.entries:
            if name.text not in names:
                hint = did_you_mean(name.text, names)
                reader.sink.error(codes.UNKNOWN_KEY, name.at, hint=hint, key=name.text, where=f"`{reader.key}`")
                raise _Wrong
        register, binding, space, place = (each.get(name) for name in ("register", "binding", "space", "set"))
        if register is None or binding is None:
            missing = "binding" if register else "register"
            reader.sink.error(codes.MISSING_KEY, each.at, where=f"an item of `{reader.key}`", key=missing)
            raise _Wrong
        return (
            reader.text(register, Text("register such as t3", r"[btsuBTSU][0-9]+")).lower(),
            reader.integer(space, 0, _MAX) if space else 0,
            reader.integer(binding, 0, _MAX),
            reader.integer(place, 0, _MAX) if place else 0,
        )

    return reader.each(node.items, one)


def _place(reader: Reader, node: Node, kind: Place) -> object:
    binding, place = reader.pair(node, "[binding, set]")
    return reader.integer(binding, 0, _MAX), reader.integer(place, 0, _MAX)


def _debug(reader: Reader, node: Node, kind: Debug) -> object:
    if isinstance(node, Scalar) and node.text in ("true", "false") and node.plain:
        return DEBUG_EVERYTHING if node.text == "true" else ()
    nodes = reader.items(node, "true, false or a list of categories")
    return reader.each(nodes, lambda each: reader.choice(each, kind.values))


def _optimize(reader: Reader, node: Node, kind: Optimize) -> object:
    words = ("none", "size", "performance")
    if isinstance(node, Scalar) and not node.text.startswith("-"):
        return reader.choice(node, words)
    passes = reader.each(
        reader.items(node, f"one of {', '.join(words)}, or a list of spirv-opt passes"),
        lambda each: reader.text(each, Text("spirv-opt pass such as --loop-unroll", r"-[-A-Za-z0-9_=:.]+( [^\n]*)?")),
    )
    return passes or "none"


def _validate(reader: Reader, node: Node, kind: Validate) -> object:
    words = {"true": "yes", "false": "no", "required": "required"}
    if isinstance(node, Scalar) and node.text in words:
        return words[node.text]
    hint = "write `true` or `false`" if isinstance(node, Scalar) and trap(node) else None
    raise reader.type_error(node, "true, false or required", hint)


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
}
