"""Convert data classes to and from JSON; check the types of fields when data is read back.

Any user who can write to the project may have written the files that a build reads back.  JSON cannot run code, and
data that does not match the annotations raises ValueError.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.project.config.secrets import SecretAddress, revealed

T = TypeVar("T")
Read = Callable[[Any], Any]
_SECRET = "address"


def plain(value: Any) -> Any:
    """Convert data classes, tuples, lists, mappings and scalars to JSON values; omit fields that have their default."""
    if isinstance(value, SecretAddress):
        return {_SECRET: revealed(value)}
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    rows = ((name, getattr(value, name), default) for name, default in _written(value.__class__))
    return {name: plain(content) for name, content, default in rows if content != default}


@cache
def _written(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return (name, default) of each public field of a data class."""
    return tuple((field.name, _default(field)) for field in dataclasses.fields(kind) if field.name[0] != "_")


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def restored(kind: type[T], data: Any) -> T:
    """Return the instance of ``kind`` that `plain` converted to ``data``; raise ValueError for data of other types."""
    as_any: Any = kind
    result: T = reader(as_any)(data)
    return result


@cache
def reader(kind: Any) -> Read:
    """Return a function that converts JSON to the annotated type ``kind``, and raises ValueError for other data."""
    if kind is str:
        return _read_text
    if kind is Any:
        return _read_scalar
    if kind in (int, bool, float, type(None)):
        return _scalar_reader(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_reader([reader(argument) for argument in arguments])
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return _sequence_reader(tuple, reader(arguments[0]))
    if origin is tuple:
        return _tuple_reader([reader(argument) for argument in arguments])
    if origin is list:
        return _sequence_reader(list, reader(arguments[0]))
    if origin is dict and arguments[0] is str:
        return _mapping_reader(reader(arguments[1]))
    if dataclasses.is_dataclass(kind):
        return _class_reader(kind)
    raise ValueError(f"{kind} is not plain data")


def _read_text(data: Any) -> str:
    if type(data) is str:
        return data
    if type(data) is dict and list(data) == [_SECRET] and type(data[_SECRET]) is str:
        return SecretAddress(data[_SECRET])
    raise ValueError(f"{type(data).__name__} in place of str")


def _read_scalar(data: Any) -> Any:
    if isinstance(data, (str, int, float)) or data is None:
        return data
    raise ValueError("no scalar")


def _scalar_reader(kind: type) -> Read:
    accepted = (int, float) if kind is float else (kind,)

    def read(data: Any) -> Any:
        if type(data) not in accepted:
            raise ValueError(f"{type(data).__name__} in place of {kind.__name__}")
        return data

    return read


def _union_reader(readers: list[Read]) -> Read:
    def read(data: Any) -> Any:
        for read_one in readers:
            try:
                return read_one(data)
            except ValueError:
                continue
        raise ValueError("another type")

    return read


def _sequence_reader(kind: Callable[[list[Any]], Any], item: Read) -> Read:
    def read(data: Any) -> Any:
        if type(data) is not list:
            raise ValueError("no list")
        return kind([item(element) for element in data])

    return read


def _tuple_reader(items: list[Read]) -> Read:
    def read(data: Any) -> Any:
        if type(data) is not list or len(data) != len(items):
            raise ValueError(f"no list of {len(items)}")
        return tuple(item(element) for item, element in zip(items, data, strict=True))

    return read


def _mapping_reader(item: Read) -> Read:
    def read(data: Any) -> Any:
        if type(data) is not dict:
            raise ValueError("no mapping")
        return {key: item(element) for key, element in data.items()}

    return read


def _class_reader(kind: Any) -> Read:
    """Return the reader of a data class.  The readers of its fields are created at first use: some are never needed."""
    names = {name for name, _ in _written(kind)}
    readers: dict[str, Read] = {}

    def read(data: Any) -> Any:
        if type(data) is not dict:
            raise ValueError("no mapping")
        values = {}
        for name, content in data.items():
            if name not in readers:
                if name not in names:
                    raise ValueError(f"unknown field {name}")
                readers[name] = reader(_annotations(kind)[name])
            values[name] = readers[name](content)
        try:
            return kind(**values)
        except TypeError as error:  # a field is missing
            raise ValueError(str(error)) from None

    return read


@cache
def _annotations(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
