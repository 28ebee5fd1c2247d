"""The constants of a kernel: constant buffers, push constants and specialisation constants.

Constant buffers are given as mappings, or member by member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.reflection.host import PackError, dtype, pack
from hlsl_tool.reflection.reflection import SpecConstant

from .errors import ArgumentError, wrong_argument
from .signature import Parameter, member_types

_KEPT = 256
"""Number of packed blocks that a kernel keeps."""


class Constants:
    """The constants of a kernel: packs the keyword arguments of a call."""

    def __init__(self, parameters: Sequence[Parameter], special: Sequence[SpecConstant]) -> None:
        self._blocks = [p for p in parameters if p.is_constant]
        self._special = {constant.name: constant for constant in special}
        self._owners = {name: p for p in self._blocks for name in p.members}
        self._packed: dict[object, bytes] = {}

    @property
    def names(self) -> list[str]:
        """The names of members and specialisation constants, as keyword arguments."""
        return [*self._owners, *self._special]

    def has(self, name: str) -> bool:
        """Return whether ``name`` is a member of a block, or a specialisation constant."""
        return name in self._owners or name in self._special

    def specialisation(self, values: dict[str, Any]) -> dict[int, int | float | bool]:
        """Remove the specialisation constants from ``values``, a call's keyword arguments; return SpecId → value."""
        out: dict[int, int | float | bool] = {}
        for name, constant in self._special.items():
            if name in values:
                out[constant.id] = _number(constant, values.pop(name))
        return out

    def blocks(self, values: dict[str, Any]) -> tuple[dict[str, bytes], bytes]:
        """Remove blocks and members of blocks from ``values``, the keyword arguments of a call, and pack them.

        Return (name of each constant buffer → its bytes, bytes of the push constants).
        """
        out: dict[str, bytes] = {}
        push = b""
        for parameter in self._blocks:
            data = self._bytes(parameter, values)
            if parameter.kind == "push_constant":
                push = data
            else:
                out[parameter.name] = data
        return out, push

    def _bytes(self, parameter: Parameter, values: dict[str, Any]) -> bytes:
        members = {name: values.pop(name) for name in parameter.members if name in values}
        whole = values.pop(parameter.name, None)
        if whole is None:
            if not parameter.members:
                raise ArgumentError(codes.MISSING, parameter.name, what=parameter.declared)
            return self._cached(parameter, members, f"{parameter.name}.")
        if members:
            raise wrong_argument(parameter.name, f"is given as a whole, and so is its member `{next(iter(members))}`")
        return self._cached(parameter, whole, "")

    def _cached(self, parameter: Parameter, value: Any, prefix: str) -> bytes:
        try:
            # The text distinguishes 0.0 and -0.0, which are equal
            key = (parameter.name, *((tuple(value.items()), repr(value)) if isinstance(value, Mapping) else (value,)))
            hash(key)
        except TypeError:
            return _packed(parameter, value, prefix)
        if key not in self._packed:
            if len(self._packed) >= _KEPT:
                self._packed.clear()
            self._packed[key] = _packed(parameter, value, prefix)
        return self._packed[key]


def _packed(parameter: Parameter, value: Any, prefix: str) -> bytes:
    """Return the bytes of the block of a parameter for the argument ``value``.

    Raise ``ArgumentError`` with the path of a member that does not fit. ``prefix``, such as the block's name, is
    removed from this path if the caller passed the member as a keyword.
    """
    assert parameter.block is not None
    block = parameter.block
    if isinstance(value, bytes):
        if len(value) < block.size:
            raise wrong_argument(parameter.name, f"has {len(value)} bytes, and needs {block.size}")
        return value
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names is not None:
        if value.size != 1:
            raise wrong_argument(parameter.name, f"is an array of {value.size} structs, and needs one")
        if value.dtype == dtype(block):
            return value.tobytes()
        value = _mapping(value)
    assert block.type is not None
    if not isinstance(value, Mapping):
        if len(block.type.members) != 1:
            hint = "Give a mapping of its members, or a structured array."
            raise wrong_argument(parameter.name, f"is {type(value).__name__}, and has several members", hint)
        value = {block.type.members[0].name: value}
    try:
        return pack(block, value)
    except PackError as error:
        text = str(error).removeprefix(f"{error.path}: ")
        path = error.path.removeprefix(prefix)
        if text == "is missing":
            declared = next((d for name, d in member_types(parameter) if name == path), parameter.declared)
            raise ArgumentError(codes.MISSING, path, what=declared) from None
        raise wrong_argument(path, text) from None


def _mapping(value: Any) -> dict[str, Any]:
    """Convert a numpy struct, and structs in it, to mappings."""
    out: dict[str, Any] = {}
    for name in value.dtype.names:
        member = value[name]
        if isinstance(value, np.ndarray):
            member = member.reshape(member.shape[value.ndim :])
        if member.dtype.names is None:
            out[name] = member
        elif member.shape:
            out[name] = [_mapping(item) for item in member]
        else:
            out[name] = _mapping(member)
    return out


def _number(constant: SpecConstant, value: Any) -> int | float | bool:
    kind = constant.type.kind
    if isinstance(value, np.generic):
        value = value.item()
    fits = isinstance(value, (int, float)) if kind == "float" else isinstance(value, (int, bool))
    if not fits:
        raise wrong_argument(constant.name, f"is {value!r}, and needs a {constant.type.name or kind}")
    bits = constant.type.bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "int" else (0, (1 << max(bits, 1)) - 1)
    if kind in ("int", "uint") and not low <= value <= high:
        raise wrong_argument(constant.name, f"is {value}, which is out of range for {kind} of {bits} bits")
    if kind == "bool":
        return bool(value)
    number: int | float = value
    return number
