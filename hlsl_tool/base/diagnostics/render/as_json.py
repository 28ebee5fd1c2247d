"""Render diagnostics as JSON with all their fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location, Replacement

from .words import occurrences

FORMAT = 1
"""Version of the format; incremented when a field changes its meaning or is removed."""


def as_json(diagnostics: Sequence[Diagnostic]) -> str:
    """Return a JSON object: ``format``, ``errors`` and ``warnings`` (counts), ``diagnostics``."""
    counts = [d.severity for d in diagnostics]
    document = {
        "format": FORMAT,
        "errors": counts.count("error") + counts.count("fatal"),
        "warnings": counts.count("warning"),
        "diagnostics": [_entry(d) for d in diagnostics],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _entry(d: Diagnostic) -> dict[str, Any]:
    out: dict[str, Any] = {"severity": d.severity, "code": d.code.id, "name": d.code.name, "message": d.message}
    if d.flag:
        out["flag"] = d.flag
    if d.location is not None:
        out["location"] = _place(d.location)
    if d.hint:
        out["hint"] = d.hint
    if d.fixes:
        out["fixes"] = [_replacement(fix) for fix in d.fixes]
    if d.notes:
        out["notes"] = [_entry(note) for note in d.notes]
    if d.occurrences:
        out["occurrences"] = occurrences(d)
    return out


def _replacement(fix: Replacement) -> dict[str, Any]:
    return {"file": fix.file, "line": fix.line, "column": fix.col, "end_column": fix.end_col, "text": fix.text}


def _place(place: Location) -> dict[str, Any]:
    out: dict[str, Any] = {"file": place.file, "line": place.line, "column": place.col}
    if place.end_col:
        out["end_column"] = place.end_col
    if place.include_stack:
        out["included_from"] = [{"file": frame.file, "line": frame.line} for frame in place.include_stack]
    if place.macro_stack:
        out["expanded_from"] = [
            {"macro": frame.name, "file": frame.file, "line": frame.line, "column": frame.col}
            for frame in place.macro_stack
        ]
    return out
