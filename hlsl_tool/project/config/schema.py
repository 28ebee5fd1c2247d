"""The JSON schemas of configurations, for editors, generated from the tables of the reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hlsl_tool.base.options.kinds import (
    Bool,
    Choice,
    Debug,
    Defines,
    HexInt,
    Int,
    Kind,
    ListOf,
    Optimize,
    Place,
    Registers,
    Row,
    Shifts,
    Text,
    Tristate,
    Validate,
    Version,
)
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.expansion import name_templates as names

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NUMBER = {"type": "integer", "minimum": 0}
_MACRO_VALUE = {"type": ["string", "number", "boolean", "null"]}


def _one_or_many(item: Schema, *, may_be_empty: bool = True) -> Schema:
    return {"anyOf": [item, {"type": "array", "items": item, **({} if may_be_empty else {"minItems": 1})}]}


def _text(kind: Text) -> Schema:
    return {"type": "string", "pattern": f"^(?:{kind.pattern})$"} if kind.pattern else {"type": "string"}


def _item(kind: Text | Choice) -> Schema:
    return {"enum": list(kind.values)} if isinstance(kind, Choice) else _text(kind)


def _shifts(kind: Shifts) -> Schema:
    pair = {
        "type": "array",
        "prefixItems": [_NUMBER, {"anyOf": [_NUMBER, {"const": "all"}]}],
        "minItems": 2,
        "maxItems": 2,
    }
    return {"anyOf": [pair, {"type": "array", "items": pair, "minItems": 1}]}


def _registers(kind: Registers) -> Schema:
    fields = {"register": {"type": "string", "pattern": "^[btsuBTSU][0-9]+$"}}
    numbers = dict.fromkeys(("space", "binding", "set"), _NUMBER)
    one = {
        "type": "object",
        "properties": {**fields, **numbers},
        "required": ["register", "binding"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": one}


def _optimize(kind: Optimize) -> Schema:
    passes = {"type": "string", "pattern": "^-"}
    return {"anyOf": [{"enum": ["none", "size", "performance"]}, passes, {"type": "array", "items": passes}]}


_KINDS: dict[type[Kind], Callable[[Any], Schema]] = {
    Bool: lambda kind: {"type": "boolean"},
    Tristate: lambda kind: {"type": "boolean"},
    Int: lambda kind: {"type": "integer", "minimum": kind.low, "maximum": kind.high},
    HexInt: lambda kind: {"type": "integer", "minimum": 1, "maximum": 0xFFFFFFFF},
    Text: _text,
    Choice: lambda kind: {"enum": list(kind.values)},
    ListOf: lambda kind: _one_or_many(_item(kind.item), may_be_empty=kind.may_be_empty),
    Version: lambda kind: {"enum": [2016, 2017, 2018, 2021, "2016", "2017", "2018", "2021", "202x"]},
    Defines: lambda kind: {
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "additionalProperties": _one_or_many(_MACRO_VALUE),
    },
    Shifts: _shifts,
    Registers: _registers,
    Place: lambda kind: {"type": "array", "prefixItems": [_NUMBER, _NUMBER], "minItems": 2, "maxItems": 2},
    Debug: lambda kind: {"anyOf": [{"type": "boolean"}, _one_or_many({"enum": list(kind.values)})]},
    Optimize: _optimize,
    Validate: lambda kind: {"enum": [True, False, "required"]},
    keys.Template: lambda kind: {"type": "string", "pattern": f"^(?:{names.PATTERN})$"},
}

_CONDITION: Schema = {"type": "object", "minProperties": 1, "additionalProperties": _one_or_many(_MACRO_VALUE)}

_STRUCTURES: dict[str, Schema] = {
    "shaders": {"type": "array", "items": {"$ref": "#/$defs/shader"}},
    "entries": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/entry"}},
    "source": _one_or_many({"type": "string"}),
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
                "shaders": _one_or_many({"type": "string"}),
                "outputs": _one_or_many({"enum": list(keys.OUTPUT_KINDS)}),
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    },
    "except": _one_or_many({"type": "string"}, may_be_empty=False),
    "exclude": _one_or_many(_CONDITION),
    "variants": {"type": "object", "additionalProperties": {"type": ["object", "null"]}},
    "overrides": _one_or_many({"$ref": "#/$defs/override"}),
}


def _value(row: Row) -> Schema:
    schema = _STRUCTURES[row.key] if isinstance(row.kind, keys.Structure) else _KINDS[type(row.kind)](row.kind)
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
    selectors = dict.fromkeys(("source", "entry"), _one_or_many({"type": "string"}, may_be_empty=False))
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
