"""Where members have room, and how matrices lie."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Member, Type


def component_kind(t: Type) -> str:
    """``float``, ``int`` or ``uint``: of a scalar, or of a component of a vector or matrix."""
    if t.kind not in ("vector", "matrix"):
        return t.kind
    if t.component.startswith(("float", "double")):
        return "float"
    return "uint" if t.component.startswith("u") else "int"


def lines(t: Type) -> tuple[int, int]:
    """(how many, components of each) of what lies together in the memory of a matrix: rows or columns."""
    return (t.columns, t.rows) if t.majorness == "column_major" else (t.rows, t.columns)


def rooms(t: Type, size: int) -> Iterator[tuple[Member, int]]:
    """The members with a place, by offset, and the bytes up to the next that does not lie over it."""
    placed = sorted((m for m in t.members if m.offset is not None), key=lambda m: m.offset or 0)
    for member in placed:
        begin = member.offset or 0
        end = begin + max(member.type.size or 0, 1)
        behind = [m.offset or 0 for m in placed if (m.offset or 0) >= end]
        yield member, min([*behind, max(size, t.size or 0, end)]) - begin
