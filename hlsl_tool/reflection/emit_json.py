"""Write a reflection as JSON.

Keys have a fixed order, the indentation is two spaces, and fields with default values are omitted, so that the same
module gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hlsl_tool.base.system.dataclass import MISSING, fields, is_dataclass
from hlsl_tool.reflection.reflection import FORMAT, MslSlots, Reflection, Type
from hlsl_tool.spirv.decode import decode

from .extract import reflect
from .resources import InterfaceRecord


def reflection_json(
    spirv: bytes, interface: InterfaceRecord | None = None, msl: Mapping[int, MslSlots] | None = None
) -> str:
    """Return the reflection of a binary module as JSON text that ends with a line feed.

    The arguments are those of `reflect`.
    Raises ``DecodeError`` if the bytes are no module, ``ReflectError`` if the module is not valid (both are
    ``ValueError``).
    """
    return to_json(reflect(decode(spirv), interface, msl=msl))


def to_json(reflection: Reflection) -> str:
    """Return the JSON text of a reflection, in the format of its schema and with a final newline."""
    return json.dumps(to_dict(reflection), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_dict(reflection: Reflection) -> dict[str, Any]:
    """Convert a reflection to dictionaries, lists and scalars for ``json.dumps``."""
    return {"format": FORMAT, **_plain(reflection)}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    out: dict[str, Any] = {}
    for name, default in _plan(type(value)):
        item = getattr(value, name)
        if item != default:
            out[name] = _plain(item)
    if isinstance(value, Type) and value.kind == "array":
        out.setdefault("count", None)
    return out


_ALWAYS = object()
"""A default that equals no value, so that the field is always written."""


@cache
def _plan(owner: type) -> tuple[tuple[str, Any], ...]:
    """Return (field name, default) for each field of a class; a field with its default value is omitted."""
    plan: list[tuple[str, Any]] = []
    for f in fields(owner):
        default: Any = _ALWAYS
        if not f.metadata.get("written"):
            if f.default is not MISSING:
                default = f.default
            elif f.default_factory is not MISSING:
                default = f.default_factory()
        plan.append((f.name, default))
    return tuple(plan)
