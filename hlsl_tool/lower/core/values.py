"""What an expression lowers to."""

from __future__ import annotations

from dataclasses import dataclass

from hlsl_tool.sema.types import Type


@dataclass(slots=True)
class Value:
    """An SPIR-V id with the HLSL type it stands for.

    An r-value is the value itself; an l-value is a pointer to it.  How memory is laid out is seen from the pointee's
    type id alone (types are hash-consed): ``bool`` is a uint in memory with a layout, and structs differ by layout.
    """

    id: int
    type: Type
    is_rvalue: bool
    is_alias: bool = False
    """An l-value that holds a pointer to a buffer (a local of buffer type): load it to get at the buffer."""
    bits: tuple[int, int] | None = None
    """(offset, width) of a bit-field: ``id`` points to the whole word."""
    rasterizer_ordered: bool = False
    row: int | None = None
    """The id of a row number: ``id`` points to a column-major matrix of integers, and the value is one of its rows.

    The components of such a row are not contiguous; they are loaded and stored one by one.
    """


@dataclass(slots=True)
class Loop:
    """Targets of ``break`` and ``continue``; ``continue_label`` is 0 in a switch."""

    break_label: int
    continue_label: int
