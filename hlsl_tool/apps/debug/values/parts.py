"""Variables that optimised code has in parts: the whole value, made of the registers of its members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.interpreter.model.types import Type
from hlsl_tool.interpreter.runtime.values import stacked
from hlsl_tool.spirv import shader_debug

from ..symbols.debug_info import DebugInfo
from ..symbols.types import HlslType, TypeNames

Indices = tuple[int, ...]
Parts = Mapping[Indices, tuple[Any, Type]]
"""Indices of a part → (its value, its type)."""


def joined(info: DebugInfo, types: TypeNames, debug: int, parts: Parts) -> tuple[HlslType, Any] | None:
    """Return the type and the value of a variable with a type of the debug information.

    Return ``None`` if a part is missing.
    """
    whole = parts.get(())
    if whole is not None:
        value, of = whole
        return types.of(of, debug), value
    if not parts:
        return None
    while info.kind_of(debug) == shader_debug.DebugTypedef:
        debug = info.operand(debug, 1)
    inner: dict[int, dict[Indices, tuple[Any, Type]]] = {}
    for indices, part in parts.items():
        inner.setdefault(indices[0], {})[indices[1:]] = part
    if info.kind_of(debug) == shader_debug.DebugTypeComposite:
        return _struct(info, types, debug, inner)
    return _array(info, types, debug, inner)


def _struct(info: DebugInfo, types: TypeNames, debug: int, inner: Mapping[int, Parts]) -> tuple[HlslType, Any] | None:
    numbers = [n for n in info.operands(debug)[9:] if info.kind_of(n) == shader_debug.DebugTypeMember]
    members: list[tuple[str, HlslType]] = []
    values = []
    for index, number in enumerate(numbers):
        member = joined(info, types, info.operand(number, 1), inner.get(index, {}))
        if member is None:
            return None
        members.append((info.text(number), member[0]))
        values.append(member[1])
    struct = Type(0, "struct", members=[of.of for _, of in members])
    return HlslType(info.text(debug), "struct", struct, members=members), values


def _array(info: DebugInfo, types: TypeNames, debug: int, inner: Mapping[int, Parts]) -> tuple[HlslType, Any] | None:
    """Return an array, a matrix or a vector; arrays of arrays have their own debug types in parts only."""
    kinds = {
        shader_debug.DebugTypeArray: "array",
        shader_debug.DebugTypeVector: "vector",
        shader_debug.DebugTypeMatrix: "matrix",
    }
    kind = kinds.get(info.kind_of(debug))
    count = info.length(debug)
    if kind is None or not count or len(info.operands(debug)) > 3 or set(inner) != set(range(count)):
        return None
    elements = [joined(info, types, info.operand(debug, 0), inner[index]) for index in range(count)]
    found = [element for element in elements if element is not None]
    if len(found) < count or isinstance(found[0][1], list):
        return None
    element = found[0][0]
    whole = Type(0, kind, element.of.dtype, (count, *element.of.shape), element.of.signed, element.of, count)
    scalar = element.element or element
    suffix = {"array": f"[{count}]", "vector": f"{count}", "matrix": f"{count}x{element.length}"}[kind]
    name = f"{scalar.name if kind == 'matrix' else element.name}{suffix}"
    made = HlslType(name, kind, whole, element.is_bool, element, count)
    return made, stacked([value for _, value in found])
