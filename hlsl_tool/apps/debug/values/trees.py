"""Values of the interpreter: their parts, and the values of one lane.

A struct is a list of its members.  An array of structs is a list, too, whose arrays have one more axis in front.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.interpreter.runtime.values import map_leaves

Path = tuple[int, ...]
"""The way to a part of a value: a number is a member of a struct, ``~number`` an element of an array or component."""


def lane_part(value: Any, lane: int) -> Any:
    """Return a copy of the value of one lane: arrays lose their last axis.  Handles stay as they are."""

    def part(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return leaf
        return np.array(leaf[..., lane if leaf.shape[-1] > 1 else 0])

    return map_leaves(part, value)


def part_of(value: Any, path: Path) -> Any:
    """Return the part to which a path leads; all lanes stay."""
    for step in path:
        if step >= 0:
            value = value[step]
        else:
            value = map_leaves(lambda leaf, index=~step: leaf[index], value)
    return value
