"""Reflection as JSON: stable keys, two spaces, fields at their defaults left out; the same module, the same bytes."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any

from hlsl_tool.spirv.decode import decode

from .extract import reflect
from .model import FORMAT, Reflection, Type
from .resources import InterfaceRecord


def reflection_json(spirv: bytes, interface: InterfaceRecord | None = None) -> str:
    """The reflection of a module's words, with a line feed at the end.

    Raises ``DecodeError`` for what is no module, ``ReflectError`` for one that is not valid (both ``ValueError``).
    """
    return to_json(reflect(decode(spirv), interface))


def to_json(reflection: Reflection) -> str:
    """A reflection as text."""
    return json.dumps(to_dict(reflection), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_dict(reflection: Reflection) -> dict[str, Any]:
    """A reflection as what JSON is made of."""
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
"""Equal to nothing: the field is always written."""


@cache
def _plan(owner: type) -> tuple[tuple[str, Any], ...]:
    """(field, the value at which it is left out)"""
    found: list[tuple[str, Any]] = []
    for f in fields(owner):
        default: Any = _ALWAYS
        if not f.metadata.get("written"):
            if f.default is not MISSING:
                default = f.default
            elif f.default_factory is not MISSING:
                default = f.default_factory()
        found.append((f.name, default))
    return tuple(found)
