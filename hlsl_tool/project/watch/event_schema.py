"""The JSON schema of the event stream; it describes one event, which is one line of the stream."""

from __future__ import annotations

import json
from typing import Any

from hlsl_tool.base.diagnostics.render.schema import diagnostic
from hlsl_tool.project.watch.stream import VERSION

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NAME = {**_TEXT, "description": "of the shader, as in the manifest"}
_OUTPUTS = {"type": "object", "additionalProperties": _TEXT, "description": "kind → file, from `root`"}
_MS = {"type": "number", "description": "from when the change was known until the outputs were written"}
_COMPILE_MS = {"type": "number", "description": "of these, what the compiler took"}
_REUSED = {
    "enum": ["", "files", "meanings", "tokens", "reach"],
    "description": "the key under which the store had the result; empty where it was compiled",
}
_DIAGNOSTICS = {"type": "array", "items": {"$ref": "#/$defs/diagnostic"}}

_EVENTS: dict[str, tuple[str, Schema]] = {
    "hello": (
        "what is watched: the first event, and again whenever the plan changed",
        {
            "version": {"const": VERSION, "description": "raised when a reader of the old form would misread the new"},
            "root": {**_TEXT, "description": "the project's folder, absolute"},
            "manifest": {**_TEXT, "description": "the manifest, from `root`"},
            "shaders": {"type": "integer", "description": "how many there are"},
        },
    ),
    "config": (
        "the configuration has messages; while it is not `ok` the last good one is followed",
        {"ok": {"type": "boolean"}, "diagnostics": _DIAGNOSTICS},
    ),
    "built": (
        "a shader's outputs are on disk, whole",
        {
            "name": _NAME,
            "outputs": _OUTPUTS,
            "changed": {"type": "array", "items": _TEXT, "description": "the kinds whose bytes are others than before"},
            "ms": _MS,
            "compile_ms": _COMPILE_MS,
            "reused": _REUSED,
        },
    ),
    "unchanged": (
        "a shader was looked at, because a file of it changed, and its outputs have the bytes that they had",
        {"name": _NAME, "ms": _MS, "compile_ms": _COMPILE_MS, "reused": _REUSED},
    ),
    "failed": (
        "a shader has errors; its last good outputs stay",
        {"name": _NAME, "diagnostics": _DIAGNOSTICS, "ms": _MS, "compile_ms": _COMPILE_MS, "reused": _REUSED},
    ),
    "removed": (
        "a shader is not configured any more; its outputs stay, but the manifest does not name them",
        {"name": _NAME, "outputs": _OUTPUTS},
    ),
    "settled": (
        "nothing is out of date, and the manifest is written",
        {
            "built": {"type": "integer", "description": "how many shaders were built since the last time"},
            "failing": {"type": "array", "items": _TEXT, "description": "the shaders whose last attempt failed"},
            "ms": {"type": "number"},
        },
    ),
}


def schema() -> Schema:
    """Return the JSON schema of one line of `hlsl_tool watch --events`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hlsl_tool watch --events: one event",
        "oneOf": [
            {
                "type": "object",
                "description": doc,
                "properties": {"event": {"const": name}, **properties},
                "required": ["event", *properties],
            }
            for name, (doc, properties) in _EVENTS.items()
        ],
        "$defs": {"diagnostic": diagnostic()},
    }


def text() -> str:
    """Return the content of `config/schema/event.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
