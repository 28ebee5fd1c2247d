"""The JSON schemas of configurations, for editors, generated from the tables of the reader."""

from __future__ import annotations

import json
from collections.abc import Callable

from hlsl_tool.base.options.kinds import Row
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.yaml.kinds import MACRO_VALUE, Schema, one_or_many, schema_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_CONDITION: Schema = {"type": "object", "minProperties": 1, "additionalProperties": one_or_many(MACRO_VALUE)}

_STRUCTURES: dict[str, Schema] = {
    "shaders": {"type": "array", "items": {"$ref": "#/$defs/shader"}},
    "entries": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/entry"}},
    "source": one_or_many({"type": "string"}),
    "pipelines": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[A-Za-z0-9_.+/-]+$"},
                "stages": {"type": "array", "minItems": 2, "items": {"type": "string"}},
            },
            "required": ["name", "stages"],
            "additionalProperties": False,
        },
    },
    "packs": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[A-Za-z0-9_.+/-]+$"},
                "shaders": one_or_many({"type": "string"}),
                "outputs": one_or_many({"enum": list(keys.OUTPUT_KINDS)}),
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    },
    "except": one_or_many({"type": "string"}, may_be_empty=False),
    "exclude": one_or_many(_CONDITION),
    "variants": {"type": "object", "additionalProperties": {"type": ["object", "null"]}},
    "overrides": one_or_many({"$ref": "#/$defs/override"}),
}


def _value(row: Row) -> Schema:
    schema = _STRUCTURES[row.key] if isinstance(row.kind, keys.Structure) else schema_of(row.kind)
    return {"description": row.doc, **schema}


def _level(level: str, required: list[str]) -> Schema:
    properties: Schema = {}
    for row in (*keys.STRUCTURE_ROWS.values(), *keys.OPTION_ROWS.values()):
        if level not in keys.levels(row.key):
            continue
        place = properties
        *parents, leaf = row.key.split(".")
        for parent in parents:
            group = place.setdefault(parent, {"type": "object", "properties": {}, "additionalProperties": False})
            place = group["properties"]
        place[leaf] = _value(row)
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


_OWN_KEYS = {"^x-": {"description": "ignored: a place for anchors"}}


def _override() -> Schema:
    schema = _level("o", [])
    selectors = dict.fromkeys(("source", "entry"), one_or_many({"type": "string"}, may_be_empty=False))
    schema["properties"] |= selectors | {"if": {"description": "macros and their values", **_CONDITION}}
    return schema | {"anyOf": [{"required": [key]} for key in ("source", "entry", "if")]}


def shaders_schema() -> Schema:
    """Return the JSON schema of `config/shaders/*.yaml`."""
    return {
        "$schema": DIALECT,
        "title": "hlsl_tool: shaders to build",
        **_level("f", ["shaders"]),
        "patternProperties": _OWN_KEYS,
        "$defs": {"shader": _level("s", ["source"]), "entry": _level("e", []), "override": _override()},
    }


def defaults_schema() -> Schema:
    """Return the JSON schema of `defaults.yaml`: only keys of options, no shaders."""
    return {"$schema": DIALECT, "title": "hlsl_tool: defaults", **_level("d", []), "patternProperties": _OWN_KEYS}


def manifest_schema() -> Schema:
    """Return the JSON schema of the manifest in an output folder."""
    text = {"type": "string"}
    macros = {"type": "object", "additionalProperties": text}
    shader = {
        "type": "object",
        "description": "one entry point under one choice of macros",
        "properties": {
            "name": {**text, "description": "unique; the outputs are called <name>.<suffix>"},
            "shader": {**text, "description": "the name without the permutation"},
            "source": {**text, "description": "the source, from the project's root"},
            "entry": {**text, "description": "the entry point in HLSL; empty for a library"},
            "entry_point": {**text, "description": "the entry point's name in SPIR-V"},
            "stage": {**text, "description": "vertex, fragment, compute … or library"},
            "profile": text,
            "target_env": text,
            "defines": {**macros, "description": "every macro that the configuration gives"},
            "permutation": {**macros, "description": "the macros that vary: the key to look a permutation up by"},
            "outputs": {
                "type": "object",
                "description": "kind → file, relative to the manifest",
                "propertyNames": {"enum": list(keys.OUTPUT_KINDS)},
                "additionalProperties": text,
            },
            "alias_of": {**text, "description": "the first shader with the same binary, if there is one"},
        },
        "required": [
            "name",
            "shader",
            "source",
            "entry",
            "entry_point",
            "stage",
            "profile",
            "target_env",
            "defines",
            "permutation",
            "outputs",
        ],
        "additionalProperties": False,
    }
    return {
        "$schema": DIALECT,
        "title": "hlsl_tool: what was built",
        "type": "object",
        "properties": {
            "version": {
                "const": 1,
                "description": "incremented when old readers would misread the new format",
            },
            "variant": {**text, "description": "the variant of the build, such as debug, if there is one"},
            "shaders": {"type": "array", "items": shader},
        },
        "required": ["version", "shaders"],
        "additionalProperties": False,
    }


FILES: dict[str, Callable[[], Schema]] = {
    "shaders.json": shaders_schema,
    "defaults.json": defaults_schema,
    "manifest.json": manifest_schema,
}


def text(name: str) -> str:
    """Return the content of the file ``name`` of `project/config/schema`."""
    return json.dumps(FILES[name](), indent=1, ensure_ascii=False) + "\n"
