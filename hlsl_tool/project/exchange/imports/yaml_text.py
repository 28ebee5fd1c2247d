"""Write a configuration as YAML text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from hlsl_tool.base.options.compile_options import DEBUG_EVERYTHING, space_text, version_text
from hlsl_tool.base.options.kinds import (
    Bool,
    Debug,
    HexInt,
    Int,
    Kind,
    ListOf,
    Optimize,
    Place,
    Registers,
    Shifts,
    Tristate,
    Validate,
    Version,
)

WIDTH = 116
"""Columns of a line, above which a mapping or a list is written over several."""

Tree = str | list["Tree"] | dict[str, "Tree"]
"""YAML: a scalar as it is written, a list, or a mapping."""

_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)|[A-Za-z_][A-Za-z0-9_./+-]*")
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")


def scalar(text: str) -> str:
    """Return a text as a YAML scalar that every YAML parser reads as this text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def value_tree(kind: Kind, value: Any) -> Tree:
    """Convert the value of an option to the tree that a configuration contains."""
    write = _WRITTEN.get(type(kind))
    return scalar(str(value)) if write is None else write(value)


def _pairs(value: tuple[tuple[int, int], ...]) -> Tree:
    pairs: list[Tree] = [[str(shift), space_text(space)] for shift, space in value]
    return pairs[0] if len(pairs) == 1 else pairs


def _registers(value: tuple[tuple[str, int, int, int], ...]) -> Tree:
    names = ("register", "space", "binding", "set")
    return [dict(zip(names, map(str, register), strict=True)) for register in value]


def _debug(value: tuple[str, ...]) -> Tree:
    return "true" if value == DEBUG_EVERYTHING else [scalar(category) for category in value]


_WRITTEN: dict[type[Kind], Callable[[Any], Tree]] = {
    Bool: lambda value: "true" if value else "false",
    Tristate: lambda value: "true" if value else "false",
    Int: str,
    HexInt: lambda value: f"{value:#x}",
    ListOf: lambda value: [scalar(str(item)) for item in value],
    Version: version_text,
    Shifts: _pairs,
    Registers: _registers,
    Place: lambda value: [str(number) for number in value],
    Debug: _debug,
    Optimize: lambda value: [scalar(item) for item in value] if isinstance(value, tuple) else str(value),
    Validate: lambda value: {"yes": "true", "no": "false"}.get(value, value),
}
"""Kind of value → function that writes it; the default is a scalar."""


def document(content: Mapping[str, Tree]) -> str:
    """Return the YAML text of a configuration."""
    return "".join(_item(key, value, 0) for key, value in content.items())


def _item(key: str, value: Tree, indent: int) -> str:
    """Return one key of a mapping with its value, in several lines if one would be too long."""
    start = " " * indent + f"{key}:"
    flow = _flow(value)
    is_block = isinstance(value, list) and bool(value) and isinstance(value[0], dict) and key in ("shaders", "entries")
    if not is_block and (isinstance(value, str) or indent + len(key) + len(flow) + 2 <= WIDTH):
        return f"{start} {flow}\n"
    if isinstance(value, dict):
        return f"{start}\n" + "".join(_item(name, item, indent + 2) for name, item in value.items())
    return f"{start}\n" + "".join(_element(item, indent + 2) for item in value)


def _element(value: Tree, indent: int) -> str:
    flow = _flow(value)
    if not isinstance(value, dict) or (indent + len(flow) + 2 <= WIDTH and "entries" not in value):
        return " " * indent + f"- {flow}\n"
    lines = "".join(_item(name, item, indent + 2) for name, item in value.items())
    return lines[:indent] + "- " + lines[indent + 2 :]


def _flow(value: Tree) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        inner = ", ".join(f"{name}: {_flow(item)}".rstrip() for name, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(map(_flow, value))}]"
