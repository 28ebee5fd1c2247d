"""Where a pointer points: an expression that can be assigned to, or bytes of a raw buffer."""

from __future__ import annotations

from hlsl_tool.system.dataclass import dataclass, field
from hlsl_tool.wgsl.interface.layout import Form
from hlsl_tool.wgsl.writer.context import Root


@dataclass(slots=True)
class Place:
    """Where a pointer points.  ``text`` is an expression that can be assigned to."""

    root: Root
    text: str
    type_id: int
    form: Form | None
    column: str = ""
    """For a matrix that is declared transposed: the index of the column; ``text`` is the matrix."""
    offset: int = 0
    terms: list[str] = field(default_factory=list)
    row_major: bool = False
    stride: int = 0
    """Raw buffers: the byte offset, constant and computed, and the layout of matrices."""
    whole: bool = False
    """A variable, not a part of one."""
