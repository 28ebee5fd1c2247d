"""Symbols: numbers for types, constants and instruction sets by content, the same in the builders of all modules.

A function that one builder wrote refers to types and constants by that builder's ids. With symbols instead of these
ids, its instructions can be written into another module: `SymbolTable.symbol` returns the symbol of an id, and
`SymbolTable.place` the id of a symbol, for one builder each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import op
from . import ModuleBuilder
from .type_info import INTERFACE_NONE, Member, TypeInfo

FIRST_SYMBOL = 1 << 40
"""Symbols are greater than ids and literals, so that they can be distinguished among operands."""

_FIELDS = {
    "vector": ("count",),
    "matrix": ("count",),
    "array": ("count", "stride", "is_columns"),
    "runtime_array": ("stride",),
    "pointer": ("storage",),
    "image": ("dim", "depth", "arrayed", "ms", "sampled", "format"),
    "sampled_image": (),
    "int": ("width", "signed"),
    "float": ("width",),
    "void": (),
    "bool": (),
    "sampler": (),
    "acceleration_structure": (),
    "ray_query": (),
}
"""Kind of type → the fields that describe it besides its element."""
_WITH_ELEMENT = frozenset(("vector", "matrix", "array", "runtime_array", "pointer", "image", "sampled_image"))

Key = tuple[object, ...]


class NotShareable(Exception):
    """Raised for an id without a symbol, or for a symbol that a module has no equivalent of."""


class SymbolTable:
    """The symbols of all modules so far, by content."""

    def __init__(self) -> None:
        self._next = FIRST_SYMBOL
        self._symbols: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}

    def reserve(self, count: int) -> int:
        """Return the first of ``count`` new symbols for ids that a function itself defines."""
        first = self._next
        self._next += count
        return first

    def symbol(self, b: ModuleBuilder, number: int, symbols: dict[int, int]) -> int:
        """Return the symbol of a type, constant, undef or instruction set.

        ``symbols`` caches the symbols of the builder's ids. Raises `NotShareable` for other ids, and for types and
        constants that are specific to one module.
        """
        symbol = symbols.get(number)
        if symbol is None:
            key = self._key(b, number, symbols)
            symbol = self._symbols.get(key)
            if symbol is None:
                symbol = self._symbols[key] = self.reserve(1)
                self._keys[symbol] = key
            symbols[number] = symbol
        return symbol

    def place(self, b: ModuleBuilder, symbol: int, ids: dict[int, int]) -> int:
        """Return the builder's id for a symbol; add the type or constant if the builder does not have it.

        ``ids`` caches the ids of symbols. Raises `NotShareable` for a struct with a layout that the builder does not
        have: only the lowering can add it, because it also records the layout.
        """
        number = ids.get(symbol)
        if number is None:
            number = ids[symbol] = self._place(b, self._keys[symbol], ids)
        return number

    # ---- id → content

    def _key(self, b: ModuleBuilder, number: int, symbols: dict[int, int]) -> Key:
        info = b.types.get(number)
        if info is not None:
            return self._type_key(b, info, symbols)
        constant = b.constants.get(number)
        if constant is not None:
            if constant.is_spec or not constant.type_id:
                raise NotShareable
            type_symbol = self.symbol(b, constant.type_id, symbols)
            operands = constant.operands
            if constant.op == op.OpConstantComposite:
                operands = [self.symbol(b, part, symbols) for part in operands if isinstance(part, int)]
            return ("constant", constant.op, type_symbol, constant.value, *operands)
        if number in b.requested:
            for name, set_id in b.ext_sets.items():
                if set_id == number:
                    return ("set", name)
            return ("undef", self.symbol(b, b.type_id_of(number), symbols))
        raise NotShareable

    def _type_key(self, b: ModuleBuilder, info: TypeInfo, symbols: dict[int, int]) -> Key:
        if info.decorations or info.length_id:
            raise NotShareable
        if info.kind == "struct":
            if b.find_struct(info.name, info.members, info.interface, read_only=info.read_only) != info.id:
                raise NotShareable
            members = [member._replace(type=self.symbol(b, member.type, symbols)) for member in info.members]
            return ("struct", info.name, tuple(members), info.interface, info.read_only)
        if info.kind == "function":
            return ("function", *[self.symbol(b, t.id, symbols) for t in (info.elem, *info.params)])
        fields = _FIELDS.get(info.kind)
        if fields is None:
            raise NotShareable
        element = self.symbol(b, info.elem.id, symbols) if info.kind in _WITH_ELEMENT else 0
        return (info.kind, element, *[getattr(info, name) for name in fields])

    # ---- content → id

    def _place(self, b: ModuleBuilder, key: Key, ids: dict[int, int]) -> int:
        kind = key[0]
        if kind == "constant":
            return self._place_constant(b, key, ids)
        if kind == "set":
            return b.ext_set(str(key[1]))
        if kind == "undef":
            return b.undef(self.place(b, _number(key[1]), ids))
        if kind == "struct":
            return self._place_struct(b, key, ids)
        if kind == "function":
            result, *params = [self.place(b, _number(symbol), ids) for symbol in key[1:]]
            return b.function_type(result, params)
        element = self.place(b, _number(key[1]), ids) if key[1] else 0
        return _place_type(b, str(kind), element, key[2:])

    def _place_constant(self, b: ModuleBuilder, key: Key, ids: dict[int, int]) -> int:
        _, opcode, type_symbol, value, *operands = key
        if opcode == op.OpConstantComposite:
            operands = [self.place(b, _number(part), ids) for part in operands]
        type_id = self.place(b, _number(type_symbol), ids)
        return b.lazy_constant(_number(opcode), type_id, operands, value)  # type: ignore[arg-type]  # of `ConstInfo`

    def _place_struct(self, b: ModuleBuilder, key: Key, ids: dict[int, int]) -> int:
        _, name, members, interface, read_only = key
        assert isinstance(members, tuple)
        placed = tuple([member._replace(type=self.place(b, member.type, ids)) for member in members])
        number = b.find_struct(str(name), placed, str(interface), read_only=bool(read_only))
        if not number:
            if interface != INTERFACE_NONE or any(map(_has_declarations, placed)):
                raise NotShareable
            number = b.struct(str(name), placed, interface=str(interface), read_only=bool(read_only))
        return number


def _place_type(b: ModuleBuilder, kind: str, element: int, fields: tuple[Any, ...]) -> int:
    """Return the builder's id for a type other than a struct; add the type if the builder does not have it.

    ``element`` is the id of its element type or pointee; ``fields`` are its other properties, such as a vector's size.
    """
    if kind == "vector":
        return b.vector(element, *fields)
    if kind == "matrix":
        return b.matrix(element, *fields)
    if kind == "array":
        count, stride, is_columns = fields
        return b.array(element, count, stride, is_columns=is_columns)
    if kind == "runtime_array":
        return b.runtime_array(element, *fields)
    if kind == "pointer":
        return b.pointer(fields[0], element)
    if kind == "image":
        return b.image(element, **dict(zip(_FIELDS["image"], fields, strict=True)))
    if kind == "sampled_image":
        return b.sampled_image(element)
    return _SCALARS_AND_HANDLES[kind](b, *fields)


_SCALARS_AND_HANDLES: dict[str, Callable[..., int]] = {
    "int": ModuleBuilder.int_type,
    "float": ModuleBuilder.float_type,
    "void": ModuleBuilder.void_type,
    "bool": ModuleBuilder.bool_type,
    "sampler": ModuleBuilder.sampler,
    "acceleration_structure": ModuleBuilder.acceleration_structure,
    "ray_query": ModuleBuilder.ray_query,
}


def _has_declarations(member: Member) -> bool:
    return member.offset is not None or bool(member.decorations)


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
