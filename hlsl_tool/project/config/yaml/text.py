"""Write YAML text."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence

WIDTH = 116
"""Columns of a line, above which a mapping or a list is written over several."""

Tree = str | list["Tree"] | dict[str, "Tree"]
"""YAML: a scalar as it is written, a list, or a mapping."""


class Commented(dict[str, "Tree"]):
    """A mapping of a list, with lines of comment that are written above it."""

    def __init__(self, content: Mapping[str, Tree], comment: Sequence[str]) -> None:
        super().__init__(content)
        self.comment = tuple(comment)


_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)|[A-Za-z_][A-Za-z0-9_./+-]*")
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")


def scalar(text: str) -> str:
    """Return a text as a YAML scalar that every YAML parser reads as this text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def document(content: Mapping[str, Tree]) -> str:
    """Return the YAML text of a configuration."""
    return "".join(_item(key, value, 0) for key, value in content.items())


def _item(key: str, value: Tree, indent: int) -> str:
    """Return one key of a mapping with its value, in several lines if one would be too long."""
    start = " " * indent + f"{key}:"
    line = flow(value)
    is_block = isinstance(value, list) and bool(value) and isinstance(value[0], dict) and key in ("shaders", "entries")
    if not is_block and (isinstance(value, str) or indent + len(key) + len(line) + 2 <= WIDTH):
        return f"{start} {line}\n"
    if isinstance(value, dict):
        return f"{start}\n" + "".join(_item(name, item, indent + 2) for name, item in value.items())
    return f"{start}\n" + "".join(_element(item, indent + 2) for item in value)


def comments(lines: Sequence[str], indent: int = 0) -> str:
    """Return lines of comment, broken where they would be too long."""
    width = WIDTH - indent - 2
    broken = [part for line in lines for part in textwrap.wrap(line, width, break_on_hyphens=False) or [""]]
    return "".join(f"{' ' * indent}# {line}".rstrip() + "\n" for line in broken)


def _element(value: Tree, indent: int) -> str:
    above = comments(value.comment, indent) if isinstance(value, Commented) else ""
    return above + _plain_element(value, indent)


def _plain_element(value: Tree, indent: int) -> str:
    line = flow(value)
    if not isinstance(value, dict) or (indent + len(line) + 2 <= WIDTH and "entries" not in value):
        return " " * indent + f"- {line}\n"
    lines = "".join(_item(name, item, indent + 2) for name, item in value.items())
    return lines[:indent] + "- " + lines[indent + 2 :]


def flow(value: Tree) -> str:
    """Return YAML in one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        inner = ", ".join(f"{name}: {flow(item)}".rstrip() for name, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(map(flow, value))}]"
