"""Matrices in host and shader: which combinations of storage order and multiplication agree.

The host stores a matrix by rows or by columns and has vectors as rows (``v * M``) or as columns (``M * v``); the shader
declares it ``row_major`` or ``column_major`` and computes ``mul(v, m)`` or ``mul(m, v)``. Reading memory in the other
order transposes the matrix, and so does moving the vector to the other side: two such differences cancel out, a single
one does not (Slang's user guide, *Handling Matrix Layout Differences on Different Platforms*).
"""

from __future__ import annotations

import itertools
from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Rule, extent
from hlsl_tool.codegen.layout.tree import element_size
from hlsl_tool.frontend.sema.model.types import Matrix

Side = Literal["row", "column"]


@dataclass(frozen=True, slots=True)
class Combination:
    """A choice for host and shader: matrices stored by rows or columns, and vectors that are rows or columns."""

    host_memory: Side
    host_vectors: Side
    shader_memory: Side
    """The majorness in HLSL."""
    shader_vectors: Side
    """``row``: ``mul(v, m)``; ``column``: ``mul(m, v)``."""

    @property
    def agrees(self) -> bool:
        """Whether the shader computes the host's result from the host's bytes."""
        return (self.host_memory == self.shader_memory) == (self.host_vectors == self.shader_vectors)

    @property
    def mul(self) -> str:
        """The shader's product of vector and matrix: ``mul(v, m)`` or ``mul(m, v)``."""
        return "mul(v, m)" if self.shader_vectors == "row" else "mul(m, v)"

    @property
    def product(self) -> str:
        """The host's product of vector and matrix: ``v * M`` or ``M * v``."""
        return "v * M" if self.host_vectors == "row" else "M * v"


_SIDES: tuple[Side, Side] = ("row", "column")
COMBINATIONS = tuple(Combination(*sides) for sides in itertools.product(_SIDES, repeat=4))


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory of a matrix: the number, size and stride of its contiguous rows or columns."""

    part: Side
    """The contiguous part."""
    count: int
    size: int
    """The bytes of one part, without padding."""
    stride: int

    @property
    def is_padded(self) -> bool:
        """Whether there is padding between the contiguous rows or columns."""
        return self.count > 1 and self.stride > self.size


def storage(t: Matrix, rule: Rule, row_major: bool) -> Storage:
    """Return how a matrix is stored under a layout rule."""
    n, stride = element_size(t), extent(t, rule, row_major, row_major).stride
    if not stride:  # laid out as a vector
        return Storage("row" if t.rows == 1 else "column", 1, t.rows * t.cols * n, t.rows * t.cols * n)
    inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
    return Storage("row" if row_major else "column", count, inner * n, stride)
