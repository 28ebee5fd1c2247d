"""The JSON schema of reflections, made from the classes of ``model.py``.

    python -m hlsl_tool.reflect.schema

writes ``reflection.schema.json``, which is shipped; a test keeps it in step.
"""

from __future__ import annotations

import ast
import inspect
import json
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from hlsl_tool.system.dataclass import MISSING, fields, is_dataclass

from . import model

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = Path(__file__).with_name("reflection.schema.json")

Schema = dict[str, Any]
_SCALARS: dict[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


def shipped() -> str:
    """Return the text of the schema file that is shipped."""
    return FILE.read_text(encoding="utf-8")


def text() -> str:
    """Return the text of the schema that the classes of ``model.py`` describe."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def schema() -> Schema:
    """Return the JSON schema of a reflection."""
    maker = _Maker()
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


class _Maker:
    def __init__(self) -> None:
        self.docs = _field_docs()
        self.definitions: dict[str, Schema] = {}

    def object(self, owner: type) -> Schema:
        hints = get_type_hints(owner)
        if is_dataclass(owner):
            required = [f.name for f in fields(owner) if _is_written(f)]
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


def _field_docs() -> dict[str, str]:
    """Map ``Class.field``, or a name of the module, to the docstring behind it."""
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

    collect(ast.parse(inspect.getsource(model)).body, "")
    return docs


def _flat(doc: str) -> str:
    """Return a docstring as one line of plain text."""
    return " ".join(doc.split()).replace("``", "`")


def main() -> None:
    """Write ``reflection.schema.json``."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
