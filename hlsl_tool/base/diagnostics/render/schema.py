"""The JSON schema of diagnostics as `as_json` writes them; events of the watcher contain the same objects."""

from __future__ import annotations

import json
from typing import Any

from .as_json import FORMAT

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer", "minimum": 0}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object that has only these keys."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _list(item: Schema, doc: str = "") -> Schema:
    return {"type": "array", "items": item, **({"description": doc} if doc else {})}


_INCLUDE = _object({"file": _TEXT, "line": _NUMBER})
_MACRO = _object({"macro": _TEXT, "file": _TEXT, "line": _NUMBER, "column": _NUMBER})
_PLACE = _object(
    {"file": _TEXT, "line": {**_NUMBER, "description": "0: the file as a whole"}, "column": _NUMBER},
    {
        "end_column": {**_NUMBER, "description": "the column after the last character"},
        "included_from": _list(_INCLUDE, "the `#include` lines that lead to the file, the outermost first"),
        "expanded_from": _list(_MACRO, "the macros whose expansion produced the token, the outermost first"),
    },
)
_FIX = _object(
    {"file": _TEXT, "line": _NUMBER, "column": _NUMBER, "end_column": _NUMBER, "text": _TEXT},
)
_OCCURRENCE = _object(
    {"shader": _TEXT, "permutation": {"type": "object", "additionalProperties": _TEXT}},
    {"pipeline": {**_TEXT, "description": "the pipeline whose link check reported the diagnostic"}},
)


def diagnostic() -> Schema:
    """Return the schema of one diagnostic, which other schemas include as the definition `diagnostic`."""
    return _object(
        {
            "severity": {"enum": ["fatal", "error", "warning", "note"]},
            "code": {**_TEXT, "description": "HLSL0301; docs/reference/diagnostics.md has them all"},
            "name": _TEXT,
            "message": _TEXT,
        },
        {
            "flag": {**_TEXT, "description": "the option that controls a warning: `-Wunknown-pragmas`"},
            "hint": _TEXT,
            "location": _PLACE,
            "fixes": _list(_FIX, "replacements that mend the source if all of them are applied"),
            "notes": _list({"$ref": "#/$defs/diagnostic"}),
            "occurrences": _list(_OCCURRENCE, "the shaders and permutations of a build that have the diagnostic"),
        },
    )


def schema() -> Schema:
    """Return the JSON schema of the output of `--diagnostics json`."""
    document = _object(
        {
            "format": {"const": FORMAT},
            "errors": _NUMBER,
            "warnings": _NUMBER,
            "diagnostics": _list({"$ref": "#/$defs/diagnostic"}),
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hlsl_tool: the diagnostics of a run",
        **document,
        "$defs": {"diagnostic": diagnostic()},
    }


def text() -> str:
    """Return the content of `config/schema/diagnostics.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
