"""Render diagnostics as SARIF 2.1.0 (OASIS), which code hosts show next to the changed lines."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic, Location, Replacement

from .words import occurrences

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"fatal": "error", "error": "error", "warning": "warning", "note": "note"}


def as_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Return a SARIF run with the violated rules and a result for each diagnostic; notes become related locations."""
    rules: dict[str, Code] = {}
    for d in diagnostics:
        rules.setdefault(d.code.id, d.code)
    index = {number: at for at, number in enumerate(sorted(rules))}
    run = {
        "tool": {"driver": {"name": "hlsl_tool", "rules": [_rule(rules[number]) for number in sorted(rules)]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, index) for d in diagnostics],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": _sentence(code.template)},
        "fullDescription": {"text": code.doc or code.template},
    }


def _sentence(template: str) -> str:
    """Return a template with the doubled braces of `str.format` undoubled."""
    return template.replace("{{", "{").replace("}}", "}")


def _result(d: Diagnostic, index: dict[str, int]) -> dict[str, Any]:
    text = d.message if d.hint is None else f"{d.message}\n{d.hint}"
    out: dict[str, Any] = {
        "ruleId": d.code.id,
        "ruleIndex": index[d.code.id],
        "level": _LEVELS[d.severity],
        "message": {"text": text},
    }
    if d.location is not None:
        out["locations"] = [{"physicalLocation": _physical(d.location)}]
    related = [_related(note) for note in d.notes if note.location is not None]
    if related:
        out["relatedLocations"] = related
    if d.fixes:
        out["fixes"] = [_fix(d.fixes)]
    if d.occurrences:
        out["properties"] = {"occurrences": occurrences(d)}
    return out


def _fix(replacements: Sequence[Replacement]) -> dict[str, Any]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for item in replacements:
        region = {"startLine": item.line, "startColumn": item.col, "endLine": item.line, "endColumn": item.end_col}
        change = {"deletedRegion": region, "insertedContent": {"text": item.text}}
        by_file.setdefault(item.file, []).append(change)
    return {
        "artifactChanges": [
            {"artifactLocation": _artifact(file), "replacements": changes} for file, changes in by_file.items()
        ]
    }


def _artifact(file: str) -> dict[str, str]:
    return {"uri": quote(file.replace(os.sep, "/"))}


def _related(note: Diagnostic) -> dict[str, Any]:
    assert note.location is not None
    return {"physicalLocation": _physical(note.location), "message": {"text": note.message}}


def _physical(place: Location) -> dict[str, Any]:
    out: dict[str, Any] = {"artifactLocation": _artifact(place.file)}
    if place.line:
        region = {"startLine": place.line, "startColumn": max(place.col, 1)}
        if place.end_col > place.col:
            region["endColumn"] = place.end_col
        out["region"] = region
    return out
