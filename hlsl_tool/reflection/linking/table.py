"""Write binding tables as text, JSON or CSV; equal shaders give equal bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.reflection.linking.binding_table import Binding, Shared, rule_words

FORMAT = 1
"""Version of the JSON, incremented when a field is removed or changes its meaning."""

FORMS = ("text", "json", "csv")


@dataclass(slots=True)
class Table:
    """The bindings of one shader."""

    name: str
    source: str
    entry: str
    profile: str
    rows: list[Binding] = field(default_factory=list)


@dataclass(slots=True)
class GroupTable:
    """The bindings of all entries and permutations of one shader together."""

    name: str
    rows: list[Shared] = field(default_factory=list)


_HEADINGS = ("set", "binding", "resource", "type", "register", "rule", "count", "descriptor", "place")
_COLUMNS = ("shader", "resource", "type", "register", "space", "rule", "shift", "set", "binding", "count", "descriptor",
            "used", "place")  # fmt: skip


def text(tables: Sequence[Table], groups: Sequence[GroupTable] = ()) -> str:
    """Return the tables as aligned columns; resources that the shader does not use are marked as unused."""
    blocks = []
    for table in tables:
        rows = [_cells(row) for row in table.rows]
        blocks.append(_titled(f"{table.name}  ({table.source}, {table.profile})", _HEADINGS, rows))
    for group in groups:
        rows = [(*_cells(shared.row), ", ".join(shared.used_by)) for shared in group.rows]
        blocks.append(_titled(f"{group.name}: all entries", (*_HEADINGS, "used by"), rows))
    return "\n".join(blocks)


def as_json(tables: Sequence[Table], groups: Sequence[GroupTable] = ()) -> str:
    """Return the tables in the documented JSON format; ``groups`` are the merged tables of several shaders."""
    content: dict[str, Any] = {"format": FORMAT, "shaders": [table_content(table) for table in tables]}
    if groups:
        content["groups"] = [
            {
                "name": group.name,
                "bindings": [{**shared.row.plain(), "used_by": shared.used_by} for shared in group.rows],
            }
            for group in groups
        ]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def table_content(table: Table) -> dict[str, Any]:
    """Return one table as JSON data."""
    return {
        "name": table.name,
        "source": table.source,
        "entry": table.entry,
        "profile": table.profile,
        "bindings": [row.plain() for row in table.rows],
    }


def as_csv(tables: Sequence[Table], groups: Sequence[GroupTable] = ()) -> str:
    """Return CSV with one line for each entry of each shader; merged tables are omitted, since they are redundant."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for table in tables:
        for row in table.rows:
            content = {**row.plain(), "shader": table.name, "used": "true" if row.used else "false"}
            content["count"] = "unbounded" if row.count is None and row.descriptor else row.count
            writer.writerow(["" if content[name] is None else content[name] for name in _COLUMNS])
    return out.getvalue()


RENDERERS = {"text": text, "json": as_json, "csv": as_csv}


def _cells(row: Binding) -> tuple[str, ...]:
    register = row.register or ""
    if row.space is not None:
        register = f"{register}, space{row.space}" if register else f"space{row.space}"
    count = "" if not row.descriptor else "unbounded" if row.count is None else str(row.count)
    descriptor = (row.descriptor if row.used else "unused").replace("_", " ")
    return (
        _number(row.set),
        _number(row.binding),
        row.resource,
        row.type,
        register,
        rule_words(row),
        count,
        descriptor,
        row.place,
    )


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _titled(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return f"{title}\n  no resources\n"
    widths = [max(len(line[n]) for line in (headings, *rows)) for n in range(len(headings))]
    lines = [title]
    for line in (headings, *rows):
        cells = [
            cell.rjust(width) if n < 2 else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
