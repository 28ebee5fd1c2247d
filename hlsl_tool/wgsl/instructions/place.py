"""Pointees: assignable WGSL expressions, or byte offsets in a raw buffer."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.wgsl.interface.layout import Form
from hlsl_tool.wgsl.writer.context import Root


@dataclass(slots=True)
class Place:
    """The memory that a pointer points to; ``text`` is a WGSL expression that can be assigned to."""

    root: Root
    text: str
    type_id: int
    form: Form | None
    column: str = ""
    """The index of the column of a matrix that is declared transposed; ``text`` is the matrix."""
    offset: int = 0
    terms: list[tuple[str, int]] = field(default_factory=list)
    row_major: bool = False
    stride: int = 0
    """Raw buffers: the byte offset, constant and computed (index, stride), and the layout of matrices."""
    whole: bool = False
    """Whether it is a variable, not a part of one."""
