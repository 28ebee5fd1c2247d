"""Values as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..symbols.types import HlslType

WIDTH = 100
"""The length of the text of a struct or array, after which it is cut."""


def text_of(of: HlslType, value: Any) -> str:
    """Return the value of one lane as text: ``(1.0, 2.0)``, ``{ position = (0.0, 1.0), kind = 3 }``."""
    if of.kind == "scalar":
        return scalar_text(of, value)
    if of.kind == "vector":
        assert of.element is not None
        return f"({', '.join(scalar_text(of.element, part) for part in value)})"
    if of.kind == "matrix":
        assert of.element is not None
        return f"({', '.join(text_of(of.element, row) for row in value)})"
    if of.kind == "struct":
        parts: list[str] = []
        for number, (name, member) in enumerate(of.members):
            parts.append(f"{name} = {text_of(member, value[number])}")
            if sum(map(len, parts)) > WIDTH and number + 1 < len(of.members):
                parts.append("…")
                break
        return f"{{ {', '.join(parts)} }}"
    if of.kind == "array":
        return _array_text(of, value)
    return of.name if value is None else f"{value}"


def _array_text(of: HlslType, value: Any) -> str:
    assert of.element is not None
    parts: list[str] = []
    for number in range(of.length or 0):
        parts.append(text_of(of.element, element_of(value, number)))
        if sum(map(len, parts)) > WIDTH and number + 1 < (of.length or 0):
            parts.append("…")
            break
    return f"[{', '.join(parts)}]"


def element_of(value: Any, number: int) -> Any:
    """Return an element of an array; an array of structs is a list of the members' arrays."""
    if isinstance(value, list):
        return [element_of(member, number) for member in value]
    return value[number]


def scalar_text(of: HlslType, value: Any) -> str:
    """Return a number as HLSL writes it; integers have the sign of their type."""
    if value is None:
        return "?"
    if of.is_bool:
        return "true" if bool(value) else "false"
    if of.of.kind == "int":
        number = int(value)
        size = np.asarray(value).dtype.itemsize * 8
        return str(number - (1 << size) if of.of.signed and number >> (size - 1) else number)
    return str(np.asarray(value)[()])
