"""Load a reflection from the ``.json`` output of a build, which includes information of the HLSL source."""

from __future__ import annotations

import json
import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from hlsl_tool.base.system.dataclass import MISSING, fields, is_dataclass
from hlsl_tool.reflection.reflection import FORMAT, Reflection

from .check import ReflectError

_LIMIT = 1 << 62


def from_json(text: str | bytes) -> Reflection:
    """Load the JSON text of ``to_json``; ignore unknown fields, which later versions may add.

    Raises ``ReflectError`` for text that is no reflection, or one with another ``FORMAT``.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReflectError(f"this is no JSON: {error}") from None
    if not isinstance(data, dict) or "format" not in data:
        raise ReflectError("this is no reflection: it has no `format`")
    if data["format"] != FORMAT:
        raise ReflectError(f"this reflection has the format {data['format']}, and this version reads {FORMAT}")
    reflection = _value(Reflection, data, "")
    assert isinstance(reflection, Reflection)
    return reflection


@cache
def _hints(owner: type) -> dict[str, Any]:
    return get_type_hints(owner)


def _value(hint: Any, data: Any, path: str) -> Any:
    origin = get_origin(hint)
    if origin is Literal:
        return _expect(data in get_args(hint), data, path)
    if origin is list:
        _expect(isinstance(data, list), data, path)
        (item,) = get_args(hint)
        return [_value(item, element, f"{path}[{i}]") for i, element in enumerate(data)]
    if origin in (Union, types.UnionType):
        return _one_of(get_args(hint), data, path)
    if is_typeddict(hint):
        _expect(isinstance(data, dict), data, path)
        hints = _hints(hint)
        return {key: _value(hints[key], entry, f"{path}.{key}") for key, entry in data.items() if key in hints}
    if is_dataclass(hint):
        return _object(hint, data, path)
    if hint is int and type(data) is int and not path.endswith(".default"):
        return _expect(0 <= data < _LIMIT, data, path)
    return _expect(type(data) is hint, data, path)


def _one_of(hints: tuple[Any, ...], data: Any, path: str) -> Any:
    for hint in hints:
        kind = dict if is_dataclass(hint) else get_origin(hint) or hint
        if type(data) is kind:
            return _value(hint, data, path)
    return _expect(False, data, path)


def _object(owner: Any, data: Any, path: str) -> Any:
    _expect(isinstance(data, dict), data, path)
    hints = _hints(owner)
    given = {}
    for f in fields(owner):
        if f.name in data:
            given[f.name] = _value(hints[f.name], data[f.name], f"{path}.{f.name}")
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ReflectError(f"this is no reflection: `{path.lstrip('.') or 'it'}` has no `{f.name}`")
    return owner(**given)


def _expect(holds: bool, data: Any, path: str) -> Any:
    if not holds:
        raise ReflectError(f"this is no reflection: `{path.lstrip('.')}` cannot be {json.dumps(data)[:40]}")
    return data
