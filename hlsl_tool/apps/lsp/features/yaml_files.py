"""YAML configurations: hover with the effective value and its origin; completion of keys and values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.text import offset_of
from hlsl_tool.base.options.kinds import Bool, Choice, Debug, ListOf, Row, Tristate
from hlsl_tool.base.source import SourceFile
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.discovery import DEFAULTS_NAME
from hlsl_tool.project.config.permutation import Permutation, Project
from hlsl_tool.project.config.show import effective

_KEY = re.compile(r"^(\s*(?:-\s+)?)([A-Za-z_][\w.]*)?(\s*:)?")
_FLOW_KEY = re.compile(r"([A-Za-z_]\w*)\s*:")
_SHOWN = 6
"""Number of shaders whose values a hover shows."""
_LEVELS = {"f": "the top of a file", "s": "a shader", "e": "an entry", "o": "an override", "d": "defaults.yaml"}


class Key(NamedTuple):
    """A key of a configuration, at a position in the text."""

    path: tuple[str, ...]
    """The enclosing keys and the key itself."""
    indentation: int


def key_at(text: str, line: int, column: int) -> Key | None:
    """Return the key at a position (0-based), by its indentation; this also works in incomplete YAML."""
    lines = text.split("\n")
    if line >= len(lines):
        return None
    match = _KEY.match(lines[line])
    name = match.group(2) if match is not None and match.group(3) else None
    for flow in _FLOW_KEY.finditer(lines[line]):
        if flow.start() <= column <= flow.end():
            name = flow.group(1)
    indentation = len(match.group(1)) if match is not None else 0
    path = [name or ""]
    limit = indentation
    for at in range(line - 1, -1, -1):
        outer = _KEY.match(lines[at])
        if outer is None or not outer.group(2) or not outer.group(3) or limit == 0:
            continue
        if len(outer.group(1)) < limit:
            path.insert(0, outer.group(2))
            limit = len(outer.group(1))
    own = match.group(2) if match is not None else None
    if name and own and name != own and match is not None and match.group(3):
        path.insert(-1, own)  # a key inside of { }
    return Key(tuple(path), indentation) if name else Key((*path[:-1], ""), indentation)


def row_of(path: tuple[str, ...]) -> tuple[str, Row] | None:
    """Return (key, row of the option table) for a path of nested keys; ``None`` if no suffix of the path is a key."""
    for start in range(len(path)):
        key = ".".join(path[start:])
        row = keys.OPTION_ROWS.get(key) or keys.STRUCTURE_ROWS.get(key)
        if row is not None:
            return key, row
    return None


def hover(project: Project | None, name: str, file: SourceFile, position: lsp.Position) -> lsp.Hover | None:
    """Return the description of the key at a position, with its effective values for the shaders there."""
    key = key_at(file.text, position.line, position.character)
    found = row_of(key.path) if key is not None else None
    if found is None:
        return None
    path, row = found
    parts = [f"**{path}**: {row.doc}"]
    choices = values_of(row)
    if choices:
        parts.append("values: " + ", ".join(f"`{value}`" for value in choices))
    lines = _effective(project, name, position.line + 1, path, row) if project is not None else []
    if lines:
        parts.append("\n".join(["effective value:", "", *(f"- {line}" for line in lines)]))
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(parts)))


def _effective(project: Project, name: str, line: int, path: str, row: Row) -> list[str]:
    """Return ``value, from file:line`` for each shader to which a line of a configuration belongs."""
    if isinstance(row.kind, keys.Structure) or path == "defines":
        return []
    lines: dict[str, list[str]] = {}
    for permutation in _around(project, name, line):
        text, origin = effective(path, row, permutation.layer)
        lines.setdefault(f"`{text}` from {origin}", []).append(permutation.stem or permutation.name)
    if len(lines) == 1:
        return list(lines)
    return [f"{line}: {', '.join(dict.fromkeys(names))}" for line, names in list(lines.items())[:_SHOWN]]


def _around(project: Project, name: str, line: int) -> list[Permutation]:
    """Return the permutations of the entry at a line; outside of entries, all permutations of the file."""
    own = [permutation for permutation in project.permutations if permutation.at.file == name]
    before = [permutation.at.line for permutation in own if permutation.at.line <= line]
    if not own:  # a file of defaults
        folder = os.path.dirname(name)
        return [v for v in project.permutations if v.at.file.startswith(folder + "/" if folder else "")]
    return [v for v in own if v.at.line == max(before)] if before else own


def values_of(row: Row) -> tuple[str, ...]:
    """Return the words that are valid as the value of a key; () if any text is."""
    kind = row.kind.item if isinstance(row.kind, ListOf) else row.kind
    if isinstance(kind, (Choice, Debug)):
        return tuple(map(str, kind.values))
    return ("true", "false") if isinstance(kind, (Bool, Tristate)) else ()


def completion(name: str, file: SourceFile, position: lsp.Position) -> list[lsp.CompletionItem]:
    """Return the keys that are valid at a position, or the values of the key before the cursor."""
    offset = offset_of(file, position)
    before = file.text[file.text.rfind("\n", 0, offset) + 1 : offset]
    if re.search(r":\s+\S*$", before):
        key = key_at(file.text, position.line, len(before) - 1)
        found = row_of(key.path) if key is not None else None
        values = values_of(found[1]) if found is not None else ()
        return [lsp.CompletionItem(value, kind=lsp.CompletionItemKind.Value) for value in values]
    key = key_at(file.text, position.line, len(before))
    outer = key.path[:-1] if key is not None else ()
    return list(_keys(_level(name, outer), outer))


def _level(name: str, outer: tuple[str, ...]) -> str:
    if os.path.basename(name) == DEFAULTS_NAME:
        return "d"
    if "overrides" in outer:
        return "o"
    return "e" if "entries" in outer else "s" if "shaders" in outer else "f"


def _keys(level: str, outer: tuple[str, ...]) -> Iterator[lsp.CompletionItem]:
    """Yield the completion items of keys that are valid at a level of a configuration (file, shader, entry, …).

    ``outer`` are the keys around the cursor; if the innermost is a group of keys, only keys in this group are yielded.
    """
    group = outer[-1] + "." if outer and outer[-1] in keys.groups() else ""
    seen: set[str] = set()
    for key, row in (*keys.STRUCTURE_ROWS.items(), *keys.OPTION_ROWS.items()):
        if level not in keys.levels(key) or not key.startswith(group):
            continue
        label = key[len(group) :].partition(".")[0]
        if label not in seen:
            seen.add(label)
            is_group = "." in key[len(group) :]
            documentation = None if is_group else row.doc
            yield lsp.CompletionItem(
                label,
                kind=lsp.CompletionItemKind.Property,
                detail=f"a key of {_LEVELS[level]}",
                documentation=documentation,
                insert_text=f"{label}:" if is_group else f"{label}: ",
            )
