"""Matrices across the boundary: four choices, and which of their combinations give the host's result.

The host keeps a matrix by rows or by columns and has vectors as rows (``v * M``) or as columns (``M * v``); the shader
declares it ``row_major`` or ``column_major`` and writes ``mul(v, m)`` or ``mul(m, v)``.  To read memory by the other
order transposes a matrix, to put the vector on its other side does too, so two of these cancel out and one does not
(Slang's user guide, *Handling Matrix Layout Differences on Different Platforms*).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

from hlsl_tool.layout.rules import Rule, extent
from hlsl_tool.layout.tree import element_size
from hlsl_tool.sema.types import Matrix

Side = Literal["row", "column"]


@dataclass(frozen=True, slots=True)
class Combination:
    """How host and shader hold one transformation."""

    host_memory: Side
    host_vectors: Side
    shader_memory: Side
    """HLSL's majorness."""
    shader_vectors: Side
    """``row``: ``mul(v, m)``; ``column``: ``mul(m, v)``."""

    @property
    def agrees(self) -> bool:
        """Whether the host's bytes, unchanged, give the host's result."""
        return (self.host_memory == self.shader_memory) == (self.host_vectors == self.shader_vectors)

    @property
    def mul(self) -> str:
        return "mul(v, m)" if self.shader_vectors == "row" else "mul(m, v)"

    @property
    def product(self) -> str:
        return "v * M" if self.host_vectors == "row" else "M * v"


_SIDES: tuple[Side, Side] = ("row", "column")
COMBINATIONS = tuple(Combination(*each) for each in itertools.product(_SIDES, repeat=4))


@dataclass(frozen=True, slots=True)
class Storage:
    """How the rows (or columns) of a matrix lie."""

    part: Side
    """What lies in one piece."""
    count: int
    size: int
    """Bytes of one, without padding."""
    stride: int

    @property
    def is_padded(self) -> bool:
        return self.count > 1 and self.stride > self.size


def storage(t: Matrix, rule: Rule, row_major: bool) -> Storage:
    n, stride = element_size(t), extent(t, rule, row_major, row_major).stride
    if not stride:  # laid out as a vector
        return Storage("row" if t.rows == 1 else "column", 1, t.rows * t.cols * n, t.rows * t.cols * n)
    inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
    return Storage("row" if row_major else "column", count, inner * n, stride)
