"""``pack`` and ``unpack``: walk the type of a block, and write or read its numbers through strided views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from hlsl_tool.reflection.reflection import BitField, Member, MemberFacts, Pointee, Resource, Type

from ..blocks import Block, block_of, member_names
from .errors import PackError, numpy
from .leaves import HostMatrix, leaf, read, write

Order = Literal["row_major", "column_major"]
What = Block | Resource | Pointee | Type


def pack(
    block: What, values: object, *, order: Order = "row_major", padded: bool = False, partial: bool = False
) -> bytes:
    """Convert the values of a block to its bytes.

    ``values`` is a mapping of member names to values: numbers, sequences or arrays, mappings for structs, sequences of
    mappings for arrays of structs.  For a structured buffer it is the sequence of its elements.  Matrices are
    ``value[row][column]``, or ``value[column][row]`` with ``order="column_major"``, independent of the order in the
    shader; with ``padded``, each row (or column) of the host has four numbers.  Every member must be given, unless
    ``partial`` is set: then missing members are zero.  Raises ``PackError`` with the path of the member.
    """
    numpy()
    target = block_of(block)
    host = HostMatrix(order, padded)
    writer = _Writer(host, partial)
    name = target.name or "block"
    if target.tail is None:
        assert target.type is not None
        data = bytearray(target.size)
        writer.value(target.type, data, 0, values, name, {})
        return bytes(data)
    tail: object = values
    if target.type is not None:
        key = member_names([target.tail])[0]
        if not isinstance(values, Mapping):
            raise PackError(name, f"needs a mapping with `{key}`")
        tail = values.get(key, ())
        values = {k: v for k, v in values.items() if k != key}
        name_of_tail = f"{name}.{key}"
    else:
        name_of_tail = name
    count = _count(tail, name_of_tail)
    data = bytearray(max((target.tail.offset or 0) + count * target.stride, target.size))
    if target.type is not None:
        writer.value(target.type, data, 0, values, name, {})
    elements = Type("array", element=target.element, count=count, stride=target.stride)
    if count:
        writer.value(elements, data, target.tail.offset or 0, tail, name_of_tail, target.tail.hlsl)
    return bytes(data)


def unpack(block: What, data: bytes, *, order: Order = "row_major", padded: bool = False) -> object:
    """Convert the bytes of a block to values: to a mapping as for ``pack``, or to a list for a structured buffer.

    Scalars become Python numbers, vectors and matrices arrays; an array of these is one numpy array.
    """
    numpy()
    source = block_of(block)
    host = HostMatrix(order, padded)
    if len(data) < source.size:
        raise PackError(source.name, f"{len(data)} bytes are too few: it has {source.size}")
    view, name = memoryview(data), source.name or "block"
    if source.tail is None:
        assert source.type is not None
        return _value(source.type, view, 0, name, {}, host)
    begin = source.tail.offset or 0
    count = max(len(data) - begin, 0) // source.stride
    elements = Type("array", element=source.element, count=count, stride=source.stride)
    tail = _value(elements, view, begin, name, source.tail.hlsl, host)
    if source.type is None:
        return tail
    whole = _value(source.type, view, 0, name, {}, host)
    assert isinstance(whole, dict)
    return {**whole, member_names([source.tail])[0]: tail}


def _count(values: object, path: str) -> int:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise PackError(path, "needs a sequence of elements")
    return len(values)


class _Writer:
    def __init__(self, host: HostMatrix, partial: bool) -> None:
        self.host, self.partial = host, partial

    def value(self, t: Type, data: bytearray, offset: int, value: object, path: str, facts: MemberFacts) -> None:
        numbers = leaf(t, facts)
        if numbers is not None:
            write(numbers, data, offset, value, path, self.host)
        elif t.kind == "struct":
            self._struct(t, data, offset, value, path)
        elif t.kind == "array" and t.element is not None and t.count is not None and t.stride is not None:
            if _count(value, path) != t.count:
                raise PackError(path, f"has {_count(value, path)} elements, and needs {t.count}")
            assert isinstance(value, Sequence) or hasattr(value, "__getitem__")
            for i in range(t.count):
                self.value(t.element, data, offset + i * t.stride, value[i], f"{path}[{i}]", {})
        else:
            raise PackError(path, f"a {t.name or t.kind} has no bytes that a host could write")

    def _struct(self, t: Type, data: bytearray, offset: int, value: object, path: str) -> None:
        if not isinstance(value, Mapping):
            raise PackError(path, "needs a mapping of its members")
        left = dict(value)
        for name, member in zip(member_names(t.members), t.members, strict=True):
            if member.offset is None:
                raise PackError(f"{path}.{name}", "does not lie in memory")
            at = offset + member.offset
            fields = member.hlsl.get("bit_fields")
            if fields:
                self._bit_fields(fields, member, data, at, left, path)
            elif name in left:
                self.value(member.type, data, at, left.pop(name), f"{path}.{name}", member.hlsl)
            elif not self.partial:
                raise PackError(f"{path}.{name}", "is missing")
        if left:
            names = ", ".join(f"`{name}`" for name in _fields(t))
            raise PackError(f"{path}.{next(iter(left))}", f"there is no such member; there are {names}")

    def _bit_fields(
        self, fields: list[BitField], member: Member, data: bytearray, at: int, values: dict[str, object], path: str
    ) -> None:
        word = 0
        for f in fields:
            here = f"{path}.{f['name']}"
            if f["name"] not in values:
                if not self.partial:
                    raise PackError(here, "is missing")
                continue
            value = values.pop(f["name"])
            if isinstance(value, float) or not hasattr(value, "__index__"):
                raise PackError(here, f"{value!s} is no integer")
            number = int(value)
            signed = member.type.kind == "int"
            low, high = (-(1 << f["bits"] - 1), (1 << f["bits"] - 1) - 1) if signed else (0, (1 << f["bits"]) - 1)
            if not low <= number <= high:
                raise PackError(here, f"{number} is out of range for {f['bits']} bits")
            word |= (number & (1 << f["bits"]) - 1) << f["offset"]
        size = member.type.bits // 8
        data[at : at + size] = word.to_bytes(size, "little")


def _fields(t: Type) -> list[str]:
    """Return the names of a struct's values: of its members, or of the bit-fields in them."""
    names: list[str] = []
    for name, member in zip(member_names(t.members), t.members, strict=True):
        names += [f["name"] for f in member.hlsl.get("bit_fields", [])] or [name]
    return names


def _value(t: Type, data: memoryview, offset: int, path: str, facts: MemberFacts, host: HostMatrix) -> object:
    numbers = leaf(t, facts)
    if numbers is not None:
        return read(numbers, data, offset, path, host)
    if t.kind == "struct":
        out: dict[str, object] = {}
        for name, member in zip(member_names(t.members), t.members, strict=True):
            here = f"{path}.{name}"
            if member.offset is None:
                raise PackError(here, "does not lie in memory")
            fields = member.hlsl.get("bit_fields")
            if fields:
                out.update(_read_fields(fields, member, data, offset + member.offset))
            else:
                out[name] = _value(member.type, data, offset + member.offset, here, member.hlsl, host)
        return out
    if t.kind == "array" and t.element is not None and t.count is not None and t.stride is not None:
        step = t.stride
        return [_value(t.element, data, offset + i * step, f"{path}[{i}]", {}, host) for i in range(t.count)]
    raise PackError(path, f"a {t.name or t.kind} has no bytes that a host could read")


def _read_fields(fields: list[BitField], member: Member, data: memoryview, at: int) -> dict[str, object]:
    word = int.from_bytes(data[at : at + member.type.bits // 8], "little")
    out: dict[str, object] = {}
    for f in fields:
        value = word >> f["offset"] & (1 << f["bits"]) - 1
        negative = member.type.kind == "int" and value >> f["bits"] - 1
        out[f["name"]] = value - (1 << f["bits"]) if negative else value
    return out
