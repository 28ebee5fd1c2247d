"""The JSON schemas of reflections and pipelines, generated from ``reflection.py`` and ``pipeline_tables.py``.

    python -m hlsl_tool.reflection.schema

writes ``reflection.schema.json`` and ``pipelines.schema.json``, which are shipped; a test checks that they are up to
date.
"""

from __future__ import annotations

import ast
import inspect
import json
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from hlsl_tool.base.system.dataclass import MISSING, fields, is_dataclass
from hlsl_tool.reflection import reflection as model
from hlsl_tool.reflection.pipeline import pipeline_tables as pipeline_model

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = Path(__file__).with_name("reflection.schema.json")
PIPELINES_FILE = Path(__file__).with_name("pipelines.schema.json")

Schema = dict[str, Any]
_SCALARS: dict[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


def shipped(file: Path = FILE) -> str:
    """Return the text of a shipped schema file."""
    return file.read_text(encoding="utf-8")


def text(content: Schema | None = None) -> str:
    """Return the JSON text of ``content``, by default of the schema of reflections."""
    return json.dumps(schema() if content is None else content, indent=1, ensure_ascii=False) + "\n"


def schema() -> Schema:
    """Return the JSON schema of a reflection."""
    maker = _Maker(model)
    body = maker.object(model.Reflection)
    properties = {"format": {"const": model.FORMAT, "description": _flat(maker.docs["FORMAT"])}, **body["properties"]}
    return {
        "$schema": DIALECT,
        "title": "hlsl_tool: reflection of a SPIR-V module",
        "type": "object",
        "properties": properties,
        "required": ["format", *body["required"]],
        "additionalProperties": False,
        "$defs": {name: maker.definitions[name] for name in sorted(maker.definitions)},
    }


def pipelines_schema() -> Schema:
    """Return the JSON schema of pipeline files.

    A build writes one file with all pipelines of a project; the command line prints one pipeline. Fields with default
    values are written, too.
    """
    maker = _Maker(pipeline_model, is_whole=True)
    body = maker.object(pipeline_model.PipelineTables)
    form = {"const": pipeline_model.FORMAT, "description": _flat(maker.docs["FORMAT"])}
    named = {"name": {"type": "string", "description": "The name, with the permutation."}, **body["properties"]}
    pipeline = {**body, "properties": named, "required": ["name", *body["required"]]}
    single = {**body, "properties": {"format": form, **body["properties"]}, "required": ["format", *body["required"]]}
    project = {
        "type": "object",
        "properties": {"format": form, "pipelines": {"type": "array", "items": pipeline}},
        "required": ["format", "pipelines"],
        "additionalProperties": False,
    }
    return {
        "$schema": DIALECT,
        "title": "hlsl_tool: tables of pipelines for Vulkan",
        "oneOf": [project, single],
        "$defs": {name: maker.definitions[name] for name in sorted(maker.definitions)},
    }


class _Maker:
    """Converts the classes of a module to JSON schemas.

    ``is_whole``: the JSON contains fields with default values, too, so the schema requires all fields.
    """

    def __init__(self, source: types.ModuleType, *, is_whole: bool = False) -> None:
        self.docs = _field_docs(source)
        self.is_whole = is_whole
        self.definitions: dict[str, Schema] = {}

    def object(self, owner: type) -> Schema:
        hints = get_type_hints(owner)
        if is_dataclass(owner):
            required = [f.name for f in fields(owner) if self.is_whole or _is_written(f)]
        else:
            required = sorted(owner.__required_keys__)  # type: ignore[attr-defined]  # a TypedDict
        properties = {}
        for name, hint in hints.items():
            doc = self.docs.get(f"{owner.__name__}.{name}")
            properties[name] = ({"description": _flat(doc)} if doc else {}) | self.of(hint)
        return {
            "type": "object",
            "description": _flat(inspect.getdoc(owner) or ""),
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def of(self, hint: Any) -> Schema:
        origin = get_origin(hint)
        if origin is Literal:
            return {"enum": list(get_args(hint))}
        if origin is list:
            return {"type": "array", "items": self.of(get_args(hint)[0])}
        if origin in (Union, types.UnionType):
            parts = [self.of(arg) for arg in get_args(hint)]
            if all(set(part) == {"type"} for part in parts):
                return {"type": [part["type"] for part in parts]}
            return {"anyOf": parts}
        if is_dataclass(hint) or is_typeddict(hint):
            assert isinstance(hint, type)
            if hint.__name__ not in self.definitions:
                self.definitions[hint.__name__] = {}  # types contain types
                self.definitions[hint.__name__] = self.object(hint)
            return {"$ref": f"#/$defs/{hint.__name__}"}
        return dict(_SCALARS[hint])


def _is_written(f: Any) -> bool:
    has_default = f.default is not MISSING or f.default_factory is not MISSING
    return bool(f.metadata.get("written")) or not has_default


def _field_docs(source: types.ModuleType) -> dict[str, str]:
    """Return the docstring after each field or module-level name: ``Class.field`` → text."""
    docs: dict[str, str] = {}

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for statement, after in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, ast.ClassDef):
                collect(statement.body, f"{statement.name}.")
                continue
            target = statement.target if isinstance(statement, ast.AnnAssign) else None
            if isinstance(statement, ast.Assign):
                target = statement.targets[0]  # type: ignore[assignment]
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if isinstance(target, ast.Name) and is_text:
                docs[prefix + target.id] = str(after.value.value)  # type: ignore[union-attr]

    collect(ast.parse(inspect.getsource(source)).body, "")
    return docs


def _flat(doc: str) -> str:
    """Convert a docstring to one line of plain text."""
    return " ".join(doc.split()).replace("``", "`")


def main() -> None:
    """Write both schema files."""
    FILE.write_text(text(), encoding="utf-8")
    PIPELINES_FILE.write_text(text(pipelines_schema()), encoding="utf-8")


if __name__ == "__main__":
    main()
