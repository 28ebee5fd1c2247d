"""The bytes available to each member of a struct, and the memory order of matrices."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.reflection.reflection import Member, Type


def component_kind(t: Type) -> str:
    """Return the kind (``float``, ``int``, ``uint``) of a scalar type, or of a type's components."""
    if t.kind not in ("vector", "matrix"):
        return t.kind
    if t.component.startswith(("float", "double")):
        return "float"
    return "uint" if t.component.startswith("u") else "int"


def lines(t: Type) -> tuple[int, int]:
    """Return (number, components of each) of the vectors that are contiguous in a matrix: its rows or its columns."""
    return (t.columns, t.rows) if t.majorness == "column_major" else (t.rows, t.columns)


def rooms(t: Type, size: int) -> Iterator[tuple[Member, int]]:
    """Yield (member, room) for each member with an offset, in order.

    The room is the number of bytes up to the next member that does not overlap it.
    """
    placed = sorted((m for m in t.members if m.offset is not None), key=lambda m: m.offset or 0)
    for member in placed:
        begin = member.offset or 0
        end = begin + max(member.type.size or 0, 1)
        behind = [m.offset or 0 for m in placed if (m.offset or 0) >= end]
        yield member, min([*behind, max(size, t.size or 0, end)]) - begin
