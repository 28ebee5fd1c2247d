"""Reflection as JSON: stable keys, two spaces, empty fields left out; the same module gives the same bytes."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from hlsl_tool.spirv.decode import decode

from .extract import InterfaceFacts, reflect
from .model import FORMAT, Member, Resource, Type

_ALWAYS = {Resource: ("count",), Member: ("name", "offset")}
"""Fields that say something when they are empty."""


def reflection_json(spirv: bytes, interface: InterfaceFacts | None = None) -> str:
    """The reflection of a module's words, with a line feed at the end; raises ``DecodeError`` for what is no module."""
    data = {"format": FORMAT, **_plain(reflect(decode(spirv), interface))}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict) or not is_dataclass(value):
        return value
    always = _ALWAYS.get(type(value), ())
    out: dict[str, Any] = {}
    for f in fields(value):
        item = getattr(value, f.name)
        if f.name in always or _counts(value, f.name, item):
            out[f.name] = _plain(item)
    return out


def _counts(owner: Any, name: str, item: Any) -> bool:
    """Whether a field is worth writing; lists of the outermost levels always are."""
    if isinstance(owner, Type):
        if name == "count":
            return owner.kind == "array"
        return bool(item)
    if item is None or item == "" or item == {}:
        return False
    return not (name in ("modes", "interpolation") and not item)
